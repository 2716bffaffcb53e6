"""A third engine: NREL's Utilityrate5 prices the same year to the same amounts, line by line.

It is of other hands and another country, so only where its rules are ours. Compared: flat rates, rates by hour, weekday
or weekend and month, blocks by month or by day pooled over the month, demand of each month by period (per kW and month,
or per kW and day), feed-in by hour, a monthly fee.

Left out, because its rules differ: leap years and clock changes; windows off the hour, holidays, seasons off the
month's first; bills that are not calendar months; a supply charge by day (it has one by month); blocks of several bands
at once (its bands share them), blocks that start afresh each day; demand of reads below half an hour (it takes the
highest read, we the half hour's mean), least and greatest demand; controlled load, discounts, GST (its prices are told
with it); import and export in one interval (it nets them, a meter has done so already); credit carried forward.

It reckons in floating point, the highest kW in single precision: beyond our rounding to the cent, a ten-millionth of
the amount is allowed. BILL_EXAMPLES=10000 runs that many years instead of a few.
"""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.analytics.energy.bills import alike
from tests.analytics.energy.bills.alike import MOST_CHARGES, YEAR, Day, Season, Tariff, Week
from tests.analytics.energy.bills.built import REGISTERS, SCHEMA
from tests.analytics.energy.bills.utilityrate import charges
from toolkit.analytics.energy.bills import Line, Period, price
from toolkit.analytics.energy.rates import compile_plan
from toolkit.tables.rows.plans import read_plan

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("BILL_EXAMPLES", "25"))
CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
FLOAT = 1e-7
CENT = 0.005
MONTHS = [
    Period(date(YEAR, month, 1), date(YEAR + month // 12, month % 12 + 1, 1) - timedelta(1)) for month in range(1, 13)
]


def dollars(low: int, high: int) -> st.SearchStrategy[Decimal]:
    """A price between low and high 1/10,000."""
    return st.integers(low, high).map(lambda n: Decimal(n) / 10000)


@st.composite
def days(draw, bands: int) -> Day:
    """Up to four runs of hours, the last of which may reach over midnight."""
    runs = draw(st.dictionaries(st.integers(0, 23), st.integers(0, bands - 1), min_size=1, max_size=4))
    band = runs[max(runs)]
    return "".join(str(band := runs.get(hour, band)) for hour in range(24))


@st.composite
def weeks(draw, bands: int) -> Week:
    weekday = draw(days(bands))
    return Week(weekday, weekday if draw(st.booleans()) else draw(days(bands)))


@st.composite
def demand_weeks(draw) -> tuple[Week, int]:
    """How many charges there are, and when each is: one window of weekdays, weekends or all days."""
    if not draw(st.booleans()):
        return Week("0" * 24, "0" * 24), draw(st.integers(0, 1))
    start, length = draw(st.integers(0, 23)), draw(st.integers(1, 23))
    inside = [(hour - start) % 24 < length for hour in range(24)]
    weekday, weekend = ("".join(a if each else b for each in inside) for a, b in ("01", "23"))
    return draw(st.sampled_from([(Week(weekday, weekday), 2), (Week(weekday, weekend), MOST_CHARGES)]))


@st.composite
def seasons(draw, months: tuple[int, ...], blocks: int) -> Season:
    count = 1 if blocks > 1 else draw(st.integers(1, 4))
    prices = [draw(st.lists(dollars(100, 15000), min_size=blocks, max_size=blocks)) for _ in range(count)]
    width = st.one_of(st.integers(1, 40), st.integers(41, 1500))
    widths = [*draw(st.lists(width, min_size=blocks - 1, max_size=blocks - 1)), 0]
    demand_week, number = draw(demand_weeks())
    amounts = st.one_of(dollars(100, 20000), dollars(20001, 200000))
    return Season(
        months=months,
        week=draw(weeks(count)),
        bands=tuple(tuple(zip(widths, each, strict=True)) for each in prices),
        demand_week=demand_week,
        demand=tuple(draw(st.lists(amounts, min_size=number, max_size=number))),
    )


@st.composite
def tariffs(draw) -> Tariff:
    cuts = [0, *sorted(draw(st.sets(st.integers(1, 11), max_size=2))), 12]
    blocks = draw(st.sampled_from([1, 1, 2, 3]))
    parts = [tuple(range(a + 1, b + 1)) for a, b in pairwise(cuts)]
    sell = draw(st.lists(dollars(0, 3000), min_size=1, max_size=3))
    return Tariff(
        seasons=tuple(draw(seasons(part, blocks)) for part in parts),
        every=draw(st.sampled_from(["P1M", "P1D"])),
        sell_week=draw(weeks(len(sell))),
        sell=tuple(sell),
        fee=draw(dollars(0, 300000).map(lambda each: each.quantize(Decimal("0.01")))),
    )


@st.composite
def years(draw) -> tuple[int, np.ndarray]:
    """Length of the intervals, and Wh of each in a year: above nought drawn from the grid, below fed into it."""
    minutes = draw(st.sampled_from([30, 60]))
    dice = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = 365 * 1440 // minutes
    used = dice.integers(0, draw(st.integers(1, 4000)), count)
    sun = draw(st.integers(0, 8000)) * np.clip(np.sin(2 * np.pi * (np.arange(count) * minutes / 1440 - 0.25)), 0, 1)
    return minutes, used - sun.astype(int)


def reads(minutes: int, net: np.ndarray) -> pl.DataFrame:
    """Frame `reads`: what was drawn on one register, what was fed in on another."""
    first = datetime(YEAR - 1, 12, 31, 14, tzinfo=UTC)
    starts = pl.datetime_range(
        first, first + timedelta(minutes=minutes) * (len(net) - 1), f"{minutes}m", time_unit="us", eager=True
    )
    return pl.concat([register(role, starts, minutes, energy) for role, energy in (("general", net), ("export", -net))])


def register(role: str, starts: pl.Series, minutes: int, energy: np.ndarray) -> pl.DataFrame:
    suffix, direction, controlled = REGISTERS[role]
    return (
        pl.DataFrame({"starts_at": starts, "energy_nano": energy.clip(0) * 10**6})
        .select(
            service_point_id=pl.lit("SP"),
            meter_id=pl.lit("M"),
            register_suffix=pl.lit(suffix),
            unit=pl.lit("KWH"),
            direction=pl.lit(direction),
            controlled_load=pl.lit(controlled),
            date=(pl.col("starts_at") + pl.duration(hours=10)).dt.date(),
            interval_minutes=pl.lit(minutes, dtype=pl.Int64),
            starts_at="starts_at",
            energy_nano="energy_nano",
            quality=pl.lit("ACTUAL"),
        )
        .cast(SCHEMA)
    )


def label_of(line: Line) -> str:
    """The name the tariff gave it, without the season's dates."""
    return line.component if line.component in {"fee", "feed_in"} else line.label.split(": ")[-1]


@settings(max_examples=EXAMPLES, suppress_health_check=CHECKS)
@given(tariffs(), years())
def test_a_third_engine_agrees(tariff: Tariff, year: tuple[int, np.ndarray]):
    minutes, net = year
    rates = compile_plan(read_plan(alike.plan_of(tariff)), "ELECTRICITY")
    bill = price(reads(minutes, net), rates, MONTHS, zone="Australia/Brisbane")
    ours: dict[tuple[int, str], list[Decimal]] = {}
    for line in bill.lines:
        ours.setdefault((line.first.month, label_of(line)), []).append(line.amount)

    kilowatts = net / 1000 * 60 / minutes
    found = charges(kilowatts.clip(0).tolist(), (-kilowatts).clip(0).tolist(), alike.terms_of(tariff))
    theirs = alike.named(tariff, found)

    assert not bill.problems
    assert set(ours) <= set(theirs)
    for key, amount in theirs.items():
        lines = ours.get(key, [])
        assert abs(float(sum(lines)) - amount) <= CENT * max(len(lines), 1) + FLOAT * abs(amount), key
