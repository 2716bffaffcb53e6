"""Which past payments for energy the bills ahead take the place of; the others, such as those for gas, stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import combinations
from math import inf, log

import polars as pl

from toolkit.analytics.money.cash.energy_bill import BillsAhead, NextBill
from toolkit.analytics.money.cash.flow import is_of
from toolkit.tables.reference.categories import ENERGY

_MOST_PARTS = 10
"""Of more payments in the days of one bill all are taken for its own."""
_FUELS = {"ELECTRICITY", "GAS"}

Payment = tuple[int, date, int]
"""Place of the row, day, cents; positive."""


def is_energy() -> pl.Expr:
    """Whether a row pays for energy."""
    return (pl.col("secondary_category") == ENERGY).fill_null(value=False)


def without_paid_bills(rows: pl.DataFrame, energy: BillsAhead) -> pl.DataFrame:
    """Return the rows without those that bills like the ones ahead were paid with.

    rows: day, amount_minor (cents, money out negative), secondary_category, merchant. Of the payments for energy in the
    days about each past due day, those stay out of the result whose sum is nearest to that bill. What is left is paid
    for what no bill ahead is of, such as gas where the meter data is of electricity. Where bills of both fuels are
    ahead, and for rows of a series, which are not looked at here, nothing is left.
    """
    if not energy.counted:
        return rows
    if {bill.fuel for bill in (*energy.counted, *energy.spread)} >= _FUELS:
        return rows.filter(~is_energy())
    placed = rows.with_row_index("place")
    paid = placed.filter(is_energy(), pl.col("amount_minor") < 0, pl.col("day").is_not_null())
    free = paid.filter(~pl.any_horizontal(pl.lit(value=False), *(is_of(entry) for entry in energy.series)))
    left = [(place, day, -cents) for place, day, cents in free.select("place", "day", "amount_minor").iter_rows()]
    for bill in energy.without_series:
        own = set(_payments_of(bill, left))
        left = [payment for payment in left if payment[0] not in own]
    kept = [place for place, _, _ in left]
    return placed.filter(~is_energy() | pl.col("place").is_in(kept)).drop("place")


def _payments_of(bill: NextBill, payments: Sequence[Payment]) -> Iterator[int]:
    """Yield the places of the payments of the bills before `bill`, which came as often."""
    apart = timedelta(bill.period_days)
    due, begun = bill.due - apart, min((day for _, day, _ in payments), default=date.max)
    while due + apart / 2 >= begun:
        near = [each for each in payments if due - apart / 2 < each[1] <= due + apart / 2]
        yield from _nearest(near, bill.before(due))
        due -= apart


def _nearest(payments: Sequence[Payment], cents: int) -> list[int]:
    """Return the places of those whose sum is nearest to a bill, by ratio; all of them where they are many."""
    if len(payments) > _MOST_PARTS:
        return [place for place, _, _ in payments]
    best, least = list[int](), inf
    for number in range(1, len(payments) + 1):
        for chosen in combinations(payments, number):
            off = abs(log(sum(paid for _, _, paid in chosen) / max(cents, 1)))
            if off < least:
                best, least = [place for place, _, _ in chosen], off
    return best
