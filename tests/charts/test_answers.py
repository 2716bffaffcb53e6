"""`toolkit.chart` draws the figures of the answer that it is given."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

import toolkit
from tests.meters import flat_plan
from toolkit.answers.base import Answer

FIRST, LAST = date(2025, 11, 1), date(2025, 11, 30)


@pytest.fixture
def reads() -> pl.DataFrame:
    """One kWh from 18:00 to 19:00 on each of 30 days, two exported at noon."""
    hours = pl.datetime_range(pl.datetime(2025, 11, 1), pl.datetime(2025, 11, 30, 23), "1h", eager=True)
    frame = pl.DataFrame({"time": hours}).with_columns(
        bought=(pl.col("time").dt.hour() == 18).cast(pl.Float64),
        sold=(pl.col("time").dt.hour() == 12).cast(pl.Float64) * 2,
    )
    registers = {"import": "bought", "export": "sold"}
    return toolkit.reads(frame, time="time", registers=registers, zone="Australia/Brisbane")


def values(answer: Answer | pl.DataFrame, axis: str) -> list[float]:
    """Every number on an axis of the chart."""
    drawn = [trace.to_plotly_json().get(axis) for trace in toolkit.chart(answer).data]
    return [float(value) for given in drawn if given is not None for value in given if isinstance(value, (int, float))]


def test_usage_and_its_cost(reads: pl.DataFrame, tmp_path: Path) -> None:
    """At 30 c and 10 % GST the hour from 18:00 costs 33 c a day."""
    (tmp_path / "plan.json").write_text(flat_plan())
    (plan,) = toolkit.read_plans(tmp_path / "plan.json")
    zone = "Australia/Brisbane"
    assert max(values(toolkit.usage(reads, zone=zone), "y")) == 1.0
    costs = values(toolkit.usage_costs(reads, plan, FIRST, LAST, zone=zone, state="QLD"), "y")
    assert [round(cost, 4) for cost in costs] == [0.33 if hour == 18 else 0.0 for hour in range(24)]
    priced = toolkit.price_all(reads, [plan], FIRST, LAST, zone=zone)
    # 30 days at $1.00 and 30 kWh at 30 c, each with GST
    assert sorted(values(priced, "x")) == [9.9, 33.0]
    assert sorted(values(toolkit.compare(reads, [plan], FIRST, LAST, today=LAST, zone=zone), "x")) == [9.9, 33.0]


def test_money() -> None:
    rows = pl.DataFrame(
        {
            "day": [date(2026, 1, 5), date(2026, 2, 5), date(2026, 2, 6)],
            "amount": [-40.0, -10.0, -5.0],
            "words": ["WOOLWORTHS", "WOOLWORTHS", "NETFLIX.COM"],
        }
    )
    money = toolkit.transactions(rows, date="day", amount="amount", description="words")
    assert sorted(values(toolkit.spending(*money), "x")) == [5.0, 50.0]
    assert sorted(value for value in values(toolkit.spending(*money, months=True), "y") if value) == [5.0, 10.0, 40.0]
    assert sorted(values(toolkit.spending(*money, by="merchant"), "x")) == [5.0, 50.0]
    balances = pl.DataFrame({"account_id": ["account"], "date": [date(2026, 2, 6)], "balance": [100.0]})
    assert set(values(toolkit.cashflow(*money, balances, today=date(2026, 2, 7), days=3), "y")) == {100.0}


def test_what_has_no_chart_is_refused(reads: pl.DataFrame) -> None:
    for answer in (reads, toolkit.recurring(*no_money(), today=LAST)):
        with pytest.raises(toolkit.FrameError):
            toolkit.chart(answer)


def no_money() -> tuple[pl.DataFrame, pl.DataFrame]:
    empty = pl.DataFrame(schema={"day": pl.Date, "amount": pl.Float64, "words": pl.String})
    return toolkit.transactions(empty, date="day", amount="amount", description="words")
