"""From which age on reads say nothing of today (docs/commands.md)."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from toolkit.analytics.energy.intervals.age import ReadsAge

LAST = date(2026, 3, 31)


def aged(days: int, billing_days: int = 31) -> ReadsAge:
    return ReadsAge(LAST, LAST + timedelta(days), billing_days)


@pytest.mark.parametrize(
    ("billing_days", "limit"),
    [(14, 45), (31, 45), (33, 45), (61, 61), (91, 91), (182, 100)],
)
def test_the_limit_is_45_days_or_one_longer_billing_period_up_to_100_days(billing_days: int, limit: int) -> None:
    assert aged(0, billing_days).limit == limit
    assert not aged(limit, billing_days).is_past_limit
    assert aged(limit + 1, billing_days).is_past_limit


def test_figures_show_their_last_day_after_45_days_whatever_the_billing_period() -> None:
    assert [aged(45, days).is_old for days in (31, 91)] == [False, False]
    assert [aged(46, days).is_old for days in (31, 91)] == [True, True]


def test_the_range_widens_after_45_days() -> None:
    assert aged(45, 91).spread_factor == 1.0
    assert aged(46, 91).spread_factor > 1.0
    assert aged(90, 91).spread_factor == pytest.approx(2**0.5)


def test_reads_after_today_are_not_old() -> None:
    assert ReadsAge(LAST, LAST - timedelta(10), 31).days == 0
