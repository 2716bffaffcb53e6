"""Net worth at the end of each month: what the household's accounts hold less what it owes.

A balance that is known on one day is moved to another by the account's own posted transactions between them. Before an
account's first transaction, or its only known balance, nothing is known of it.
"""

from __future__ import annotations

from bisect import bisect_right
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl

from toolkit.analytics.money.account_summary import Balance
from toolkit.analytics.money.elsewhere import DebtsElsewhere
from toolkit.answers.base import Note
from toolkit.answers.money import AccountBalance, NetWorth, NetWorthMonth
from toolkit.tables.money import amount
from toolkit.units import HOME_CURRENCY


@dataclass(frozen=True, slots=True)
class Course:
    """How the balance of one account moved: its known balances, and the sums of its posted rows in AUD."""

    account_id: str
    known: tuple[Balance, ...]
    """Oldest first, not empty."""
    days: Sequence[date]
    """Days of its posted rows, in order."""
    sums: Sequence[int]
    """Cents of the rows up to and with each of `days`."""

    @property
    def first(self) -> date:
        """The first day with a known balance at its end."""
        start = self.known[0].at
        return min(start, self.days[0] - timedelta(days=1)) if self.days else start

    def at(self, day: date) -> int | None:
        """Return the balance in cents at the end of a day; None where it is not known.

        From the latest known balance up to that day, else from the earliest after it.
        """
        if day < self.first:
            return None
        place = bisect_right([balance.at for balance in self.known], day)
        nearest = self.known[max(0, place - 1)]
        return nearest.minor + self._up_to(day) - self._up_to(nearest.at)

    def _up_to(self, day: date) -> int:
        place = bisect_right(self.days, day)
        return self.sums[place - 1] if place else 0


def courses(known: Iterable[Balance], rows: pl.DataFrame) -> list[Course]:
    """Return the course of each account with a known balance, by id. rows: classified; pending ones do not count."""
    balances: dict[str, list[Balance]] = {}
    for balance in known:
        balances.setdefault(balance.account_id, []).append(balance)
    posted = rows.filter(
        pl.col("status") != "PENDING", pl.col("currency") == HOME_CURRENCY, pl.col("day").is_not_null()
    )
    daily = posted.group_by("account_id", "day").agg(pl.col("amount_minor").sum()).sort("account_id", "day")
    moved = daily.with_columns(sum=pl.col("amount_minor").cum_sum().over("account_id"))
    by_account: dict[str, tuple[list[date], list[int]]] = {}
    for account, day, total in moved.select("account_id", "day", "sum").iter_rows():
        days, sums = by_account.setdefault(account, ([], []))
        days.append(day)
        sums.append(total)
    return [
        Course(account, tuple(sorted(entries, key=lambda balance: balance.at)), *by_account.get(account, ([], [])))
        for account, entries in sorted(balances.items())
    ]


def net_worth(
    accounts: Sequence[Course],
    without_balance: Sequence[str],
    *,
    from_: date | None,
    to: date | None,
    today: date,
    elsewhere: DebtsElsewhere,
) -> NetWorth:
    """Return net worth by month, from the first month in which a balance is known to that of `today`, or as asked.

    without_balance: ids of accounts of which no balance is known; they are in no figure. elsewhere: debts that are paid
    and are not among the accounts. A month in which the balance
    of another account is not known yet has no totals, so that no total jumps when an account is added.
    """
    last = min(to or today, today)
    start = max(min((course.first for course in accounts), default=last), from_ or date.min)
    months = []
    for end in _month_ends(start, last) if accounts else ():
        balances = {course.account_id: course.at(end) for course in accounts}
        cents = [value for value in balances.values() if value is not None]
        missing = tuple(account for account, value in balances.items() if value is None)
        whole = bool(cents) and not missing
        months.append(
            NetWorthMonth(
                month=f"{end:%Y-%m}",
                date=end,
                assets=amount(sum(value for value in cents if value > 0)) if whole else None,
                debts=amount(-sum(value for value in cents if value < 0)) if whole else None,
                net=amount(sum(cents)) if whole else None,
                accounts=tuple(
                    AccountBalance(id_, amount(value)) for id_, value in balances.items() if value is not None
                ),
                missing=missing,
            )
        )
    notes = [Note("accounts_without_balance", count=len(without_balance))] if without_balance else []
    if names := [*elsewhere.loans, *elsewhere.cards]:
        notes.append(Note("debts_elsewhere", names=" and ".join(names)))
    return NetWorth(
        from_=start if months else None,
        to=last if months else None,
        months=tuple(months),
        without_balance=tuple(without_balance),
        cards_elsewhere=elsewhere.cards,
        loans_elsewhere=elsewhere.loans,
        notes=tuple(notes),
    )


def _month_ends(first: date, last: date) -> Iterator[date]:
    """Yield the last day of each month from that of `first` on, and `last` itself for the month that it is in."""
    day = first
    while day <= last:
        end = day.replace(day=monthrange(day.year, day.month)[1])
        yield min(end, last)
        day = end + timedelta(days=1)
