"""How far the transactions of a household reach: a bank's file ends on a day, and of later ones nothing is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

import polars as pl

QUIET = timedelta(days=3)
"""Days that may pass without a transaction, or until one is posted."""
DATED_AHEAD = timedelta(days=5)
"""How far ahead rows may be dated: of the next business day, which over Easter is the fifth."""
CLOSED = timedelta(days=90)
"""An account without rows for longer, while others have them, is taken for closed."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far the rows of a household reach: what did not come after that is not known, and not missed."""

    today: date
    to: date
    """Last day that the household's rows show: `today` where the newest is at most `QUIET` old, else its day."""
    by_account: Mapping[str, date]
    """The same of each account with rows."""

    @classmethod
    def of_rows(cls, rows: pl.DataFrame, today: date) -> Reach:
        """Read it off all rows: a file ends on some day, and may be brought up to date long after.

        An account that stays behind the others by more than `CLOSED` is taken for closed, not for out of date.
        """
        newest = dict(rows.filter(pl.col("day") <= today).group_by("account_id").agg(pl.col("day").max()).iter_rows())
        last = max(newest.values(), default=today)
        to = today if last >= today - QUIET else last
        own = {account: to if day >= to - QUIET or day < to - CLOSED else day for account, day in newest.items()}
        return cls(today, to, own)

    def with_balances(self, read: Mapping[str, date]) -> Reach:
        """Return how far rows and balances reach. read: account id → day of its latest balance."""
        own = {account: min(max(day, self.of(account)), self.today) for account, day in read.items()}
        return replace(self, to=max(self.to, min(own.values(), default=self.to)), by_account={**self.by_account, **own})

    def of(self, account_id: str | None) -> date:
        """Return the last day that the rows of an account show."""
        return self.by_account.get(account_id or "", self.to)

    def unread(self, account_id: str | None = None) -> list[date]:
        """Return the days before today that no row of an account shows; of any account without an id."""
        last = self.to if account_id is None else self.of(account_id)
        return [last + timedelta(days=number) for number in range(1, (self.today - last).days)]
