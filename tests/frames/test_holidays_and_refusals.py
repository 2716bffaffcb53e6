"""Whose public holidays count, and what the functions on frames refuse in one sentence."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import toolkit
from toolkit.tables.rows.plans import Plan

DAYS = [date(2025, 11, 3), date(2025, 11, 4), date(2025, 11, 5)]
"""A Monday, Melbourne Cup Day (a holiday in Victoria alone), and a Wednesday."""


@pytest.fixture
def reads() -> pl.DataFrame:
    """One kWh an hour on three days."""
    times = pl.datetime_range(pl.datetime(2025, 11, 3), pl.datetime(2025, 11, 5, 23), "1h", eager=True)
    frame = pl.DataFrame({"time": times, "kwh": pl.repeat(1.0, len(times), eager=True)})
    return toolkit.reads(frame, time="time", energy="kwh", zone="AEST")


@pytest.fixture
def plan(tmp_path: Path) -> Callable[..., Plan]:
    """A plan of 50 c on work days and 10 c on weekends and public holidays, without supply; its network as given."""

    def made(*networks: str) -> Plan:
        work, rest = [["MON", "TUE", "WED", "THU", "FRI"]], [["SAT", "SUN"], ["PUBLIC_HOLIDAYS"]]
        rates = [
            {
                "type": kind,
                "rates": [{"unitPrice": price}],
                "timeOfUse": [{"days": days, "startTime": "00:00", "endTime": "00:00"} for days in windows],
            }
            for kind, price, windows in (("OFF_PEAK", "0.10", rest), ("PEAK", "0.50", work))
        ]
        period = {"startDate": "01-01", "endDate": "12-31", "dailySupplyCharge": "0.00"}
        period |= {"rateBlockUType": "timeOfUseRates", "timeOfUseRates": rates}
        contract = {"pricingModel": "TIME_OF_USE", "timeZone": "AEST", "tariffPeriod": [period]}
        head: dict[str, Any] = {"planId": "TOU", "fuelType": "ELECTRICITY", "electricityContract": contract}
        if networks:
            head["geography"] = {"distributors": list(networks)}
        (tmp_path / "plan.json").write_text(json.dumps(head))
        (read,) = toolkit.read_plans(tmp_path / "plan.json")
        return read

    return made


def total(reads: pl.DataFrame, plan: Plan, **options: Any) -> Decimal:
    return Decimal(toolkit.price(reads, plan, DAYS[0], DAYS[-1], **options).total_minor) / 100


WITH_HOLIDAY, WITHOUT = Decimal("29.04"), Decimal("39.60")
"""48 kWh at 50 c and 24 at 10 c; 72 kWh at 50 c; each with 10 % GST."""


def test_the_state_named_comes_first(reads: pl.DataFrame, plan: Callable[..., Plan]) -> None:
    assert total(reads, plan("Ausgrid"), state="VIC") == WITH_HOLIDAY
    assert total(reads, plan("Citipower"), state="nsw") == WITHOUT


def test_then_the_state_of_the_network(reads: pl.DataFrame, plan: Callable[..., Plan]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert total(reads, plan("Citipower"), zone="Australia/Sydney") == WITH_HOLIDAY
        assert total(reads, plan("Ausgrid"), zone="Australia/Melbourne") == WITHOUT
        priced = toolkit.price_all(reads, [plan("Citipower")], DAYS[0], DAYS[-1])
    assert priced["total"].to_list() == [WITH_HOLIDAY]


def test_then_that_of_the_time_zone_with_a_warning(reads: pl.DataFrame, plan: Callable[..., Plan]) -> None:
    with pytest.warns(toolkit.InputWarning, match="VIC"):
        assert total(reads, plan(), zone="Australia/Melbourne") == WITH_HOLIDAY
    with pytest.warns(toolkit.InputWarning, match="NSW"):
        assert total(reads, plan(), zone="Australia/Sydney") == WITHOUT


def test_days_that_are_named_take_their_place(reads: pl.DataFrame, plan: Callable[..., Plan]) -> None:
    assert total(reads, plan("Citipower"), holidays=frozenset()) == WITHOUT
    assert total(reads, plan("Ausgrid"), holidays=[date(2025, 11, 5)]) == WITH_HOLIDAY


# Some of these a type checker would refuse; notebooks have none, so all of them are refused at run.
REFUSED: dict[str, Callable[[pl.DataFrame, Plan], object]] = {
    "another state": lambda reads, plan: toolkit.price(reads, plan, DAYS[0], DAYS[1], state="Bavaria"),
    "a postcode of letters": lambda reads, plan: toolkit.compare(
        reads, [plan], DAYS[0], DAYS[1], today=DAYS[1], postcode="abc"
    ),
    "an unknown network": lambda reads, plan: toolkit.compare(
        reads, [plan], DAYS[0], DAYS[1], today=DAYS[1], network="Nowhere Power"
    ),
    "eligibility": lambda reads, plan: toolkit.compare(
        reads, [plan], DAYS[0], DAYS[1], today=DAYS[1], eligibility="some"
    ),
    "a share above one": lambda reads, plan: toolkit.compare(reads, [plan], DAYS[0], DAYS[1], today=DAYS[1], green=10),
    "an unknown change": lambda reads, plan: toolkit.whatif(reads, plan, {"sauna": {}}, DAYS[0], DAYS[1]),
    "no change": lambda reads, plan: toolkit.whatif(reads, plan, {}, DAYS[0], DAYS[1]),
    "an unknown option": lambda reads, plan: toolkit.whatif(
        reads,
        plan,
        {"battery": {"kWh": 5}},
        DAYS[0],
        DAYS[1],
    ),
    "text for a size": lambda reads, plan: toolkit.whatif(
        reads,
        plan,
        {"battery": {"kwh": "ten"}},
        DAYS[0],
        DAYS[1],
    ),
    "gas without gas": lambda reads, plan: toolkit.whatif(reads, plan, {"gas": {}}, DAYS[0], DAYS[1]),
    "a free change": lambda reads, plan: toolkit.whatif(
        reads, plan, {"battery": {"kwh": 5}}, DAYS[0], DAYS[1], price=0
    ),
    "bills out of order": lambda reads, plan: toolkit.reconcile(
        reads, plan, pl.DataFrame({"from": [DAYS[1]], "to": [DAYS[0]], "amount": [1.0]})
    ),
    "bills with text for dates": lambda reads, plan: toolkit.reconcile(
        reads, plan, pl.DataFrame({"from": ["2025-11-03"], "to": ["2025-11-04"], "amount": [1.0]})
    ),
    "bills without a column": lambda reads, plan: toolkit.reconcile(reads, plan, pl.DataFrame({"from": [DAYS[0]]})),
    "bills of broken cents": lambda reads, plan: toolkit.reconcile(
        reads, plan, pl.DataFrame({"from": [DAYS[0]], "to": [DAYS[1]], "amount": [1.005]})
    ),
    "no plan": lambda reads, plan: toolkit.reconcile(reads, [], pl.DataFrame()),
    "days of electricity as gas": lambda reads, plan: toolkit.forecast(reads, plan, today=DAYS[1], fuel="GAS"),
    "something else for a plan": lambda reads, plan: toolkit.price(reads, plan.given, DAYS[0], DAYS[1]),
    "one plan for a list": lambda reads, plan: toolkit.price_all(reads, plan, DAYS[0], DAYS[1]),
    "a frame of plans": lambda reads, plan: toolkit.price_all(
        reads,
        toolkit.plans_frame([plan], today=DAYS[0]),
        DAYS[0],
        DAYS[1],
    ),
    "dates as text": lambda reads, plan: toolkit.price(reads, plan, "2025-11-03", "2025-11-05"),
    "a day as text": lambda reads, plan: toolkit.forecast(reads, plan, today="2025-11-05"),
    "a time for a day": lambda reads, plan: toolkit.usage(reads, from_=datetime(2025, 11, 3, tzinfo=UTC)),
    "an unknown zone": lambda reads, plan: toolkit.usage(reads, zone="Sydney"),
    "a folder of zones": lambda reads, plan: toolkit.usage(reads, zone="Australia"),
    "blocks": lambda reads, plan: toolkit.price(reads, plan, DAYS[0], DAYS[1], blocks="day"),
    "discounts": lambda reads, plan: toolkit.price(reads, plan, DAYS[0], DAYS[1], discounts="some"),
    "a stamp": lambda reads, plan: toolkit.reads(
        reads.with_columns(kwh=0.5),
        time="starts_at",
        energy="kwh",
        stamp="middle",
    ),
    "a customer": lambda reads, plan: toolkit.compare(
        reads, [plan], DAYS[0], DAYS[1], today=DAYS[1], customer="government"
    ),
    "bills of five months": lambda reads, plan: toolkit.forecast(reads, plan, today=DAYS[1], billing_months=5),
    "a postcode of five digits": lambda reads, plan: toolkit.solar(reads, postcode="20000"),
    "a table that is not there": lambda reads, plan: toolkit.table(toolkit.usage(reads), "plans"),
    "a table of rows": lambda reads, plan: toolkit.table([toolkit.usage(reads)], "by_month"),
}


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
def test_what_would_be_read_wrongly_is_refused(
    reads: pl.DataFrame, plan: Callable[..., Plan], refused: Callable[[pl.DataFrame, Plan], object]
) -> None:
    with pytest.raises(toolkit.FrameError):
        refused(reads, plan("Ausgrid"))


def test_tables_of_money_come_from_the_toolkit() -> None:
    rows = pl.DataFrame({"date": [date(2026, 1, 5)], "amount": [-10.0], "words": ["SHOP"]})
    transactions, accounts = toolkit.transactions(rows, date="date", amount="amount", description="words")
    for use in (toolkit.classify, toolkit.spending):
        assert use(transactions, accounts)
        for others in ((rows, accounts), (transactions, rows), (rows.to_pandas(), accounts)):
            with pytest.raises(toolkit.FrameError):
                use(*others)


def test_balances_and_days_of_a_cash_flow_are_checked() -> None:
    rows = pl.DataFrame({"date": [date(2026, 1, 5)], "amount": [-10.0], "words": ["SHOP"]})
    money = toolkit.transactions(rows, date="date", amount="amount", description="words")
    for balances, days in (
        (pl.DataFrame({"account_id": ["a"], "date": ["today"], "balance": [1.0]}), 30),
        (pl.DataFrame({"account_id": ["a"], "date": [date(2026, 1, 5)]}), 30),
        (None, 0),
        (None, 400),
    ):
        with pytest.raises(toolkit.FrameError):
            toolkit.cashflow(*money, balances, today=date(2026, 1, 6), days=days)


def test_several_homes_are_backtested_at_once_and_priced_one_at_a_time(plan: Callable[..., Plan]) -> None:
    frame = toolkit.sample("homes", homes=2)
    registers = {"import": "import_kwh", "controlled load": "controlled_load_kwh", "export": "export_kwh"}
    two = toolkit.reads(frame, time="time", registers=registers, home="home", zone="AEST")
    origins = toolkit.backtest(two, plan("Ausgrid"))
    assert origins["service_point_id"].n_unique() == 2
    assert origins["from"].is_not_null().all()
    with pytest.raises(toolkit.FrameError):
        toolkit.compare(two, [plan("Ausgrid")], DAYS[0], DAYS[1], today=DAYS[1])
