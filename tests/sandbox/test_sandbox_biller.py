"""The retailers' arithmetic against sums done by hand."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from toolkit.sandbox import biller
from toolkit.sandbox.biller import Span, periods_in, season_spans

FLAT_DAY = np.full(48, 500, np.int64)  # 0.5 kWh each half hour: 24 kWh


def days(first: date, count: int, wh: Any = FLAT_DAY, zone: str | None = None) -> biller.Series:
    return biller.series(((date.fromordinal(first.toordinal() + n), 30, wh) for n in range(count)), zone)


def rate(price: str, volume: float | None = None) -> dict[str, Any]:
    return {"unit_price": price, "measure_unit": "KWH"} | ({"volume": volume} if volume else {})


def period(**rates: Any) -> dict[str, Any]:
    return {"start_date": "01-01", "end_date": "31-12", **rates}


def amounts(lines: list[biller.Line]) -> list[tuple[str, str, str]]:
    return [(line.component, str(line.quantity), str(line.amount)) for line in lines]


def test_supply_and_stepped_usage_pool_over_the_bill() -> None:
    """10 days: supply 10 × $1.00 × 1.1; 240 kWh, the first 10 × 15 at 20 c, the rest at 30 c, both × 1.1."""
    single = {"period": "P1D", "rates": [rate("0.20", 15), rate("0.30")]}
    contract = {"tariff_period": [period(daily_supply_charge="1.00", single_rate=single)]}
    span = Span(date(2026, 3, 1), date(2026, 3, 10))
    lines = biller.bill(contract, {"general": days(span.first, 10)}, span)
    assert amounts(lines) == [("supply", "10", "11.00"), ("usage", "150", "33.00"), ("usage", "90", "29.70")]
    assert biller.total(lines) == Decimal("73.70")
    assert biller.tax(lines) == Decimal("6.70")


def test_bands_follow_the_local_clock_in_summer() -> None:
    """Peak 15:00 to 21:00 in Sydney is 14:00 to 20:00 AEST in January: 12 half hours of 0.5 kWh on a Monday."""
    peak = {"type": "PEAK", "rates": [rate("0.50")], "time_of_use": [window("T15:00:00", "T21:00:00")]}
    rest = {"type": "OFF_PEAK", "rates": [rate("0.10")], "time_of_use": [window("T21:00:00", "T15:00:00")]}
    contract = {"tariff_period": [period(time_of_use_rates=[peak, rest])]}
    monday = date(2026, 1, 5)
    wh = np.zeros(48, np.int64)
    wh[28:40] = 500
    span = Span(monday, monday)
    lines = biller.bill(contract, {"general": days(monday, 1, wh, "Australia/Sydney")}, span)
    assert amounts(lines) == [("usage", "6", "3.30"), ("usage", "0", "0.00")]


def window(start: str, end: str) -> dict[str, Any]:
    return {"days": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"], "start_time": start, "end_time": end}


@pytest.mark.parametrize(("day", "hours"), [(date(2025, 10, 5), 23), (date(2026, 4, 5), 25)])
def test_change_over_days_have_23_and_25_hours(day: date, hours: int) -> None:
    around = days(date.fromordinal(day.toordinal() - 1), 3, zone="Australia/Sydney")
    assert len(around.between(day, day).wh) == hours * 2


def test_demand_is_the_highest_half_hour_of_each_month() -> None:
    """From 30 January to 2 February: 2 days at 4 kW and 2 at 1 kW are 10 kW days, at 30 c × 1.1."""
    charge = {"amount": "0.30", "display_name": "Demand", **window("T16:00:00", "T21:00:00")}
    high, outside = np.zeros(48, np.int64), np.zeros(48, np.int64)
    high[34], high[10] = 2000, 9000
    outside[34] = 500
    reads = days(date(2026, 1, 30), 1, high) + days(date(2026, 2, 1), 1, outside)
    span = Span(date(2026, 1, 30), date(2026, 2, 2))
    contract = {"tariff_period": [period(demand_charges=[charge])]}
    lines = biller.bill(contract, {"general": reads}, span)
    assert amounts(lines) == [("demand", "10", "3.30")]


def test_controlled_load_feed_in_fee_and_discount() -> None:
    """A day: supply 5 c and 24 kWh at 15 c, both × 1.1; export 24 kWh at 5 c; 36.50 ÷ 365; 10 % off the first two."""
    contract = {
        "tariff_period": [],
        "controlled_load": [{"single_rate": {"daily_supply_charge": "0.05", "rates": [rate("0.15")]}}],
        "solar_feed_in_tariff": [{"single_tariff": {"rates": [rate("0.05")]}}],
        "fees": [{"term": "ANNUAL", "amount": "36.50", "description": "Club"}, {"term": "FIXED", "amount": "9"}],
        "discounts": [
            {"type": "GUARANTEED", "display_name": "Off", "percent_of_bill": {"rate": "0.10"}},
            {"type": "CONDITIONAL"},
        ],
    }
    day = date(2026, 3, 1)
    meter = {"general": days(day, 0), "controlled": days(day, 1), "export": days(day, 1)}
    lines = biller.bill(contract, meter, Span(day, day))
    amounts_due = [(line.component, str(line.amount)) for line in lines]
    assert amounts_due == [
        ("controlled_load", "0.06"),
        ("controlled_load", "3.96"),
        ("feed_in", "-1.20"),
        ("fee", "0.10"),
        ("discount", "-0.40"),
    ]


def test_half_a_cent_goes_away_from_zero() -> None:
    contract = {"tariff_period": [period(daily_supply_charge="0.05")]}  # 0.05 × 1.1 = 0.055
    day = date(2026, 3, 1)
    assert amounts(biller.bill(contract, {"general": days(day, 0)}, Span(day, day))) == [("supply", "1", "0.06")]


def test_seasons_wrap_the_year_and_tile_it() -> None:
    year = Span(date(2026, 1, 1), date(2026, 12, 31))
    summer, winter = season_spans(year, "01-11", "31-03"), season_spans(year, "01-04", "31-10")
    assert [(s.first.month, s.last.month) for s in summer] == [(1, 3), (11, 12)]
    assert sum(s.days for s in summer + winter) == 365


@pytest.mark.parametrize(
    ("text", "expected"), [("P1D", "45"), ("P1M", "1.5"), ("P3M", "0.5"), ("P1Y", str(Decimal(45) / 365))]
)
def test_how_many_periods_a_bill_holds(text: str, expected: str) -> None:
    """1 April to 15 May: 30 days of April and 15 of May's 31, but for P1M the half of a 30-day month is taken."""
    span = Span(date(2026, 4, 1), date(2026, 5, 15))
    if text in ("P1M", "P3M"):
        span = Span(date(2026, 5, 1), date(2026, 6, 15))
    elif text in ("P1D", "P1Y"):
        assert span.days == 45
    assert periods_in(text, span) == Decimal(expected)
