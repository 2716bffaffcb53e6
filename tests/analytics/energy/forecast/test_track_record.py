"""Ranges and records by hand; which bill is next."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.forecast.backtest import Origin, Spread, track_record
from toolkit.analytics.energy.forecast.periods import CALENDAR_MONTH, Cycle, cycle_of_invoices, months_between
from toolkit.answers.energy.forecast import Backtest


def origin(actual: int, middle: int, *, worth: float = 10_000.0, naive: int | None = None) -> Origin:
    return Origin(Period(date(2025, 1, 1), date(2025, 1, 31)), actual, middle, worth, naive)


def test_the_range_is_as_wide_as_past_errors_and_wider_after_large_recent_ones() -> None:
    """Errors of a tenth of what was open are what is usual among homes: the range is then 1.45 tenths on each side."""
    past = [origin(10_000 + 1_000 * (-1) ** n, 10_000) for n in range(9)]
    assert Spread.of(past).bounds(10_000, 10_000) == (8_550, 11_450)
    assert Spread.of(past).bounds(10_000, 5_000) == (9_275, 10_725)
    low, high = Spread.of([*past, origin(14_000, 10_000)]).bounds(10_000, 10_000)
    assert low < 8_550
    assert high > 11_450
    assert Spread.of(past, recent=[0.4]).share > Spread.of(past).share
    assert Spread.of(past, days_since_change=14).share > Spread.of(past, days_since_change=90).share


def test_a_bill_within_which_the_use_changed_says_nothing_of_the_next() -> None:
    past = [origin(10_000, 10_000) for _ in range(9)]
    spoilt = replace(origin(20_000, 10_000), of_today=False)
    assert Spread.of([*past, spoilt]) == Spread.of(past)


def test_track_record_by_hand() -> None:
    record = track_record([origin(10_000, 11_000, naive=12_000), origin(20_000, 19_500, naive=None)])
    assert record == Backtest(
        origins=2,
        mae=Decimal("7.50"),  # (10 + 5) / 2
        wape=0.05,  # 15 / 300
        bias=Decimal("2.50"),  # (10 − 5) / 2
        coverage=None,
        skill=0.5,  # 1 − 10 / 20, of the one with a last year
    )


def test_no_past_no_record() -> None:
    assert track_record([]) == Backtest(0, mae=None, wape=None, bias=None, coverage=None, skill=None)


def period(first: str, last: str) -> Period:
    return Period(date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    ("invoiced", "unmetered", "expected"),
    [
        ([], "2025-06-11", ("2025-06-01", "2025-06-30", "calendar month")),
        ([], "2025-07-01", ("2025-07-01", "2025-07-31", "calendar month")),
        (
            [("2025-01-10", "2025-02-09"), ("2025-02-10", "2025-03-09")],
            "2025-03-20",
            ("2025-03-10", "2025-04-09", "invoices"),
        ),
        (
            [("2024-10-01", "2024-12-31"), ("2025-01-01", "2025-03-31")],
            "2025-04-02",
            ("2025-04-01", "2025-06-30", "invoices"),
        ),
        ([("2025-01-01", "2025-01-31")], "2025-04-15", ("2025-04-01", "2025-04-30", "invoices")),
        ([("2025-01-01", "2025-02-14")], "2025-02-15", ("2025-02-15", "2025-03-31", "invoices")),
    ],
)
def test_the_next_period(invoiced: list[tuple[str, str]], unmetered: str, expected: tuple[str, str, str]) -> None:
    cycle = cycle_of_invoices([period(*each) for each in invoiced]) or CALENDAR_MONTH
    found = cycle.period_with(date.fromisoformat(unmetered))
    assert (found.first.isoformat(), found.last.isoformat(), cycle.source) == expected


@pytest.mark.parametrize(
    ("cycle", "day", "expected"),
    [
        (Cycle("household", 2), "2025-04-30", ("2025-03-01", "2025-04-30")),
        (Cycle("household", 3), "2025-11-22", ("2025-10-01", "2025-12-31")),
        (Cycle("payments", 3, first=date(2025, 1, 20)), "2025-01-19", ("2024-10-20", "2025-01-19")),
        (Cycle("payments", 1, first=date(2025, 1, 31)), "2025-03-01", ("2025-02-28", "2025-03-30")),
        (Cycle("invoices", None, 28, date(2025, 1, 1)), "2025-02-26", ("2025-02-26", "2025-03-25")),
        (Cycle("invoices", None, 28, date(2025, 1, 1)), "2024-12-31", ("2024-12-04", "2024-12-31")),
    ],
)
def test_the_period_of_a_cycle_that_holds_a_day(cycle: Cycle, day: str, expected: tuple[str, str]) -> None:
    found = cycle.period_with(date.fromisoformat(day))
    assert (found.first.isoformat(), found.last.isoformat()) == expected


def test_past_periods_are_as_long_as_the_bill_and_start_each_month() -> None:
    past = Cycle("household", 3).past_periods(period("2025-07-01", "2025-09-30"), date(2025, 1, 15))
    assert [(each.first.isoformat(), each.last.isoformat()) for each in past] == [
        ("2025-02-01", "2025-04-30"),
        ("2025-03-01", "2025-05-31"),
        ("2025-04-01", "2025-06-30"),
        ("2025-05-01", "2025-07-31"),
        ("2025-06-01", "2025-08-31"),
    ]


def test_past_periods_of_bills_counted_in_days_keep_their_days() -> None:
    past = Cycle("invoices", None, 35, date(2025, 1, 1)).past_periods(
        period("2025-05-10", "2025-06-13"), date(2025, 4, 1)
    )
    assert [(each.first.isoformat(), each.days) for each in past] == [("2025-04-10", 35)]


def test_past_periods_of_monthly_bills_are_whole_months() -> None:
    past = CALENDAR_MONTH.past_periods(period("2025-05-01", "2025-05-31"), date(2025, 1, 2))
    assert past == months_between(date(2025, 2, 1), date(2025, 4, 30))
    assert [each.days for each in past] == [28, 31, 30]
