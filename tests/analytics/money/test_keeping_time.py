"""Payees that cannot keep time are left out before any of their rows is looked at, and none that does."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from toolkit.analytics.money.cash.habits import Payment, habit_of, keeping_time

FIRST = date(2023, 1, 5)
APART = 1.5
CENTS = (-1_000, -2_500, -90_000)
"""Further apart than `APART`, so that each amount of a payee is a part of its own."""


@st.composite
def payees(draw: st.DrawFn) -> list[Payment]:
    """Rows of a payee: up to three series, each with steps of about so many days."""
    rows = []
    for cents in draw(st.lists(st.sampled_from(CENTS), min_size=1, max_size=3)):
        day = draw(st.integers(0, 60))
        step = draw(st.sampled_from([1, 7, 10, 14, 28, 30, 61, 91, 182, 365]))
        for late in draw(st.lists(st.integers(-3, 3), min_size=1, max_size=8)):
            rows.append(Payment(FIRST + timedelta(day + late), cents))
            day += step
    return sorted(rows)


def kept(groups: list[list[Payment]]) -> set[int]:
    rows = [(number, *payment) for number, group in enumerate(groups) for payment in group]
    frame = pl.DataFrame(rows, ["who", "day", "amount_minor"], orient="row")
    return set(keeping_time(frame, ["who"], apart=APART)["who"])


@given(st.lists(payees(), min_size=1, max_size=5))
def test_a_payee_with_a_habit_is_kept(groups: list[list[Payment]]) -> None:
    for number, group in enumerate(groups):
        parts = [group, *([row for row in group if row.amount_minor == cents] for cents in CENTS)]
        if any(habit_of(part, hint=True) for part in parts if part):
            assert number in kept(groups)


def test_a_shop_is_left_out_with_all_of_its_rows() -> None:
    shop = [Payment(FIRST + timedelta(day), -1_000 - day) for day in (0, 2, 19, 24, 60, 63, 64, 99)]
    gym = [Payment(FIRST + timedelta(7 * week), -2_500) for week in range(6)]
    once = [Payment(FIRST, -90_000)]
    assert kept([shop, gym, once]) == {1}
