"""For which days of a statement each account is known: a file that begins in April says nothing of March.

An average over days of which nothing is known would be too small, so each account is averaged over its own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise, zip_longest

import polars as pl

from toolkit.analytics.money.cash.reach import CLOSED, QUIET
from toolkit.answers.base import Period

_FEWEST_DAYS = 5
"""Days with rows below which nothing shows when an account began or ended; it is taken as known throughout."""
_LEAST = 28
"""Days at least that an account is averaged over: a few days say little of a month."""
_BOTH = timedelta(days=31)
"""For so long both accounts of somebody who changes banks may be in use, or neither."""


@dataclass(frozen=True, slots=True)
class Known:
    """The days of a statement that an account is known for.

    period: from the first to the last. days: what it is averaged over, with the days of the account that it follows.
    """

    period: Period
    days: int


def known_days(rows: pl.DataFrame, period: Period, debts: Collection[str]) -> Mapping[str, Known]:
    """Return account id → the days of `period` that it is known for, of the accounts with rows in it.

    rows: all that count, with `account_id` and `day`. debts: ids of own loans and cards. An account may be without rows
    at either end for as long as it was anywhere between. One that stays behind the others for more than 90 days was
    closed: its days without rows are known. Where another account of the kind begins as one ends, it follows that one:
    both are averaged over the days of both.
    """
    last = rows["day"].max()
    if not isinstance(last, date):
        return {}
    by_account = rows.group_by("account_id").agg(pl.col("day").unique().sort()).sort("account_id")
    spans = {account: _span(days, period, last) for account, days in by_account.iter_rows()}
    inside = {account: span for account, span in spans.items() if span.first <= span.last}
    known = dict[str, Known]()
    for chain in _chains(inside, period, debts):
        days = set[int]()
        for account, following in zip_longest(chain, chain[1:]):
            span, end = inside[account], inside[account].last
            if following is not None and end < inside[following].first <= end + _BOTH:
                end = inside[following].first
            days.update(range(span.first.toordinal(), end.toordinal() + 1))
        if end < min(last, period.last) - CLOSED:
            days.update(range(end.toordinal(), period.last.toordinal() + 1))
        averaged = max(len(days), min(_LEAST, period.days))
        known.update({account: Known(inside[account], averaged) for account in chain})
    return known


def _span(days: Sequence[date], period: Period, last: date) -> Period:
    """Return the days that an account is known for; `last` before `first` where none is in the period."""
    first, end = days[0], days[-1]
    quiet = max([QUIET, *(after - before for before, after in pairwise(days))])
    is_few = len(days) < _FEWEST_DAYS
    begins = period.first if is_few or first - quiet <= period.first else first
    ends = period.last if is_few or end + quiet >= min(last, period.last) else end
    return Period(begins, ends)


def _chains(spans: Mapping[str, Period], period: Period, debts: Collection[str]) -> list[list[str]]:
    """Put accounts of one kind that follow each other together, in their order."""
    chains: list[list[str]] = []
    for account in sorted(spans, key=lambda account: (spans[account].first, account)):
        before = (
            chain
            for chain in chains
            if (chain[0] in debts) == (account in debts)
            and spans[chain[-1]].last < min(period.last, spans[account].first + _BOTH)
            and spans[account].first > spans[chain[-1]].first
        )
        followed = next(before, None)
        if followed is None:
            chains.append([account])
        else:
            followed.append(account)
    return chains
