"""Compare two accounts: their numbers, transactions and running balances. `accounts` decides what that means.

Amounts and balances are minor units of their currency; money out is negative.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

import polars as pl

from toolkit.tables.schema.banking import AccountRow
from toolkit.tables.transaction_days import DATE_TIMES, with_days
from toolkit.units import HOME_CURRENCY

COLUMNS = (
    *("id", "account_id", *DATE_TIMES),
    *("amount_minor", "currency", "description", "balance_minor", "status"),
)
"""The columns of table `transactions` that evidence is made of."""
_BSB_DIGITS = 6
_TAIL = 4
_HIDDEN = re.compile(r"[xX*•…#]")
"""Masks for digits that are not shown."""
DAYS_SEARCHED = 30
"""Days with rows that are searched, from the latest on, for a closing balance."""
_FEWEST_DIGITS = 5
"""Of a number that is taken for a whole account number."""


@dataclass(frozen=True, slots=True)
class Movement:
    """The parts of a transaction by which it is recognised in another file or consent."""

    id: str
    day: date
    """By `tables.transaction_days`."""
    days: frozenset[date]
    """The dates of all its date-times; banks differ in which they give."""
    amount_minor: int
    currency: str
    description: str
    balance_minor: int | None
    posted: bool


@dataclass(frozen=True)
class AccountRows:
    """An account with its dated transactions."""

    account: AccountRow
    movements: tuple[Movement, ...]
    """Oldest first."""

    @property
    def account_id(self) -> str:
        """Id of the account."""
        return self.account.account_id

    @cached_property
    def posted(self) -> list[Movement]:
        """Return the transactions that are not pending."""
        return [movement for movement in self.movements if movement.posted]

    @cached_property
    def first(self) -> date | None:
        """First day with a posted transaction; None without any."""
        return min((movement.day for movement in self.posted), default=None)

    @cached_property
    def last(self) -> date | None:
        """Last day with a posted transaction; None without any."""
        return max((movement.day for movement in self.posted), default=None)

    @cached_property
    def balances(self) -> dict[date, set[int]]:
        """Day → the running balances that its posted transactions give."""
        by_day: dict[date, set[int]] = defaultdict(set)
        for row in self.posted:
            if row.balance_minor:  # some banks write 0.00 in every row of a card
                by_day[row.day].add(row.balance_minor)
        return dict(by_day)

    def between(self, first: date, last: date) -> list[Movement]:
        """Return the posted transactions from one day to another, both inclusive."""
        begin = bisect_left(self.posted, first, key=lambda row: row.day)
        return self.posted[begin : bisect_right(self.posted, last, lo=begin, key=lambda row: row.day)]

    @cached_property
    def amounts(self) -> frozenset[tuple[int, str, date]]:
        """Each posted amount with each of its dates: what a partner in another account shares one of."""
        return frozenset((row.amount_minor, row.currency, day) for row in self.posted for day in row.days)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Posted transactions in the days that two accounts both cover."""

    rows: tuple[int, int]
    """Transactions of each side."""
    pairs: tuple[tuple[Movement, Movement], ...]
    """Transactions with the same amount on the same day."""
    balances_agree: int
    """Days on which both sides have running balances and share one."""
    balances_differ: int
    """Days on which both sides have running balances and share none."""

    @property
    def shares(self) -> tuple[float, float]:
        """Share of each side's rows with a partner, 0 to 1."""
        one, two = (len(self.pairs) / count if count else 0.0 for count in self.rows)
        return one, two


def movements_of(transactions: pl.DataFrame, zone: str) -> dict[str, tuple[Movement, ...]]:
    """Return account id → its dated transactions, by day and id.

    transactions: `COLUMNS` of table `transactions`. zone: the household's time zone.
    """
    frame = with_days(transactions.lazy(), zone).rename({"day": "counted"})
    for name in DATE_TIMES:
        frame = with_days(frame, zone, (name,)).with_columns(pl.col("day").alias(name))
    columns = ("id", "counted", *DATE_TIMES, "amount_minor", "currency", "description", "balance_minor", "status")
    by_account: dict[str, list[Movement]] = defaultdict(list)
    dated = frame.filter(pl.col("counted").is_not_null()).sort("counted", "id").select("account_id", *columns).collect()
    for account, *values in dated.iter_rows():
        row_id, day, execution, posting, value, amount, currency, description, balance, status = values
        days = frozenset(given for given in (day, execution, posting, value) if given is not None)
        posted = status != "PENDING"
        by_account[account].append(Movement(row_id, day, days, amount, currency, description or "", balance, posted))
    return {account: tuple(rows) for account, rows in by_account.items()}


@dataclass(frozen=True, slots=True)
class Activity:
    """The days of an account's dated transactions, and what their running balances say."""

    first: date | None
    """First day with a posted transaction; None without any."""
    last: date | None
    """Last day with a posted transaction; None without any."""
    in_credit: bool
    """Whether a running balance was ever above zero."""
    latest: tuple[Movement, ...]
    """Posted transactions of its latest days with any, oldest first; empty where no running balance in AUD is known."""


def activity_of(transactions: pl.DataFrame, zone: str) -> dict[str, Activity]:
    """Return account id → its activity.

    transactions: `COLUMNS` of table `transactions`. zone: the household's time zone.
    """
    return activity_of_dated(with_days(transactions.lazy(), zone).collect(), zone)


def activity_of_dated(transactions: pl.DataFrame, zone: str) -> dict[str, Activity]:
    """Return `activity_of` rows that have their `day`. Only rows of each account's latest days become objects."""
    posted, balance = pl.col("status").ne_missing("PENDING"), pl.col("balance_minor").fill_null(0)
    dated = transactions.filter(pl.col("day").is_not_null())
    accounts = dated.group_by("account_id").agg(
        pl.col("day").filter(posted).min().alias("first"),
        pl.col("day").filter(posted).max().alias("last"),
        in_credit=(balance > 0).any(),
        # banks that do not give a card's balance write 0.00 throughout
        has_balance=(balance != 0).any() & (pl.col("currency") == HOME_CURRENCY).all(),
    )
    with_balance = accounts.filter("has_balance")["account_id"]
    age = pl.col("day").rank("dense", descending=True).over("account_id")
    latest = dated.filter(posted, pl.col("account_id").is_in(with_balance.implode())).filter(age <= DAYS_SEARCHED)
    movements = movements_of(latest.select(COLUMNS), zone)
    return {
        account: Activity(first, last, in_credit, movements.get(account, ()))
        for account, first, last, in_credit in accounts.drop("has_balance").iter_rows()
    }


def paired(ours: Iterable[Movement], theirs: Iterable[Movement]) -> list[tuple[Movement, Movement]]:
    """Match transactions of both sides with equal amounts one to one: first by day, then by any date in common.

    Two equal purchases of one day need two partners. The order of the rows given does not matter.
    """
    pools: dict[tuple[int, str], list[Movement]] = defaultdict(list)
    for movement in sorted(theirs, key=_order):
        pools[movement.amount_minor, movement.currency].append(movement)
    pairs, left = [], []
    for movement in sorted(ours, key=_order):
        pool = pools[movement.amount_minor, movement.currency]
        partner = next((other for other in pool if other.day == movement.day), None)
        if partner is None:
            left.append(movement)
        else:
            pool.remove(partner)
            pairs.append((movement, partner))
    for movement in left:
        pool = pools[movement.amount_minor, movement.currency]
        if partner := next((other for other in pool if other.days & movement.days), None):
            pool.remove(partner)
            pairs.append((movement, partner))
    return pairs


def _order(movement: Movement) -> tuple[date, bool, str]:
    return movement.day, not movement.posted, movement.id


def overlap(one: AccountRows, two: AccountRows) -> Overlap | None:
    """Compare two accounts in the days that both cover; None where there are no such days."""
    if one.first is None or two.first is None or one.last is None or two.last is None:
        return None
    first, last = max(one.first, two.first), min(one.last, two.last)
    if first > last:
        return None
    ours, theirs = one.between(first, last), two.between(first, last)
    agree, differ = _balances_by_day(one.balances, two.balances)
    shared = one.amounts & two.amounts
    # rows without a partner are most of those of two accounts that are two: they cost a look-up and no search
    may_pair = (
        [row for row in side if any((row.amount_minor, row.currency, day) in shared for day in row.days)]
        for side in (ours, theirs)
    )
    pairs = paired(*may_pair) if shared else []
    return Overlap((len(ours), len(theirs)), tuple(pairs), agree, differ)


def _balances_by_day(one: dict[date, set[int]], two: dict[date, set[int]]) -> tuple[int, int]:
    """Count the days on which running balances share a value, and those on which they share none.

    Banks list a day's rows in different orders, so that balances within the day differ; its last one does not.
    """
    both = one.keys() & two.keys()
    agree = sum(1 for day in both if one[day] & two[day])
    return agree, len(both) - agree


def opening_and_closing(posted: Sequence[Movement]) -> tuple[int | None, int | None]:
    """Return the balance before the first and after the last posted transaction, in minor units; None if unknown.

    Within a day the order of the rows is not known: the day's opening balance is the one that no row of it ends with,
    its closing balance the one that no row of it begins with.
    """
    if not posted or any(row.balance_minor is None for row in posted):
        return None, None
    days = [row.day for row in posted]
    first, last = ([row for row in posted if row.day == day] for day in (min(days), max(days)))
    return _edge(first, opening=True), _edge(last, opening=False)


def _edge(day: Sequence[Movement], *, opening: bool) -> int | None:
    after = Counter(int(row.balance_minor or 0) for row in day)
    before = Counter(int(row.balance_minor or 0) - row.amount_minor for row in day)
    left = (before - after) if opening else (after - before)
    return next(iter(left)) if len(left) == 1 else None


def balance_continues(one: AccountRows, two: AccountRows) -> bool:
    """Whether one account begins where the other ends, with the balance that it ends with; zero proves nothing."""
    return _follows(one, two) or _follows(two, one)


def _follows(earlier: AccountRows, later: AccountRows) -> bool:
    if earlier.last is None or later.first is None or earlier.last > later.first:
        return False
    closing, opening = opening_and_closing(earlier.posted)[1], opening_and_closing(later.posted)[0]
    return closing is not None and closing == opening and closing != 0


def same_full_number(one: AccountRow, two: AccountRow) -> bool:
    """Whether BSB and account number are known in full on both sides and equal.

    Some files (Westpac) write both as one number; it counts where the other side gives them apart.
    """
    ours, theirs = _full_number(one), _full_number(two)
    return ours is not None and ours == theirs and any(_digits(account.bsb) for account in (one, two))


def _full_number(account: AccountRow) -> str | None:
    bsb, number = _digits(account.bsb), _whole(account)
    if len(bsb) == _BSB_DIGITS and number:
        return bsb + number.lstrip("0")
    if not bsb and len(number) >= _BSB_DIGITS + _FEWEST_DIGITS:
        return number[:_BSB_DIGITS] + number[_BSB_DIGITS:].lstrip("0")
    return None


def numbers_contradict(one: AccountRow, two: AccountRow) -> bool:
    """Whether what is known of BSB and number cannot be of one account."""
    if same_full_number(one, two):
        return False
    bsbs = {_digits(account.bsb) for account in (one, two)}
    whole = {_whole(account).lstrip("0") for account in (one, two)}
    different = "" not in whole and len(whole) == 2 and not _one_ends_with_the_other(whole)
    ends = [_tail(one), _tail(two)]
    return ("" not in bsbs and len(bsbs) == 2) or different or (all(ends) and not _tails_agree(*ends))


def _one_ends_with_the_other(numbers: set[str]) -> bool:
    shorter, longer = sorted(numbers, key=len)
    return len(shorter) >= _FEWEST_DIGITS and longer.endswith(shorter)


def same_masked_number(one: AccountRow, two: AccountRow) -> bool:
    """Whether the visible ends of both numbers are equal and nothing else that is known of them differs."""
    ours, theirs = _tail(one), _tail(two)
    return bool(ours and theirs) and _tails_agree(ours, theirs) and not numbers_contradict(one, two)


def _tails_agree(ours: str, theirs: str) -> bool:
    shown = min(len(ours), len(theirs))
    return shown >= _TAIL - 1 and ours[-shown:] == theirs[-shown:]


def _whole(account: AccountRow) -> str:
    """Return the digits of the account number if none is hidden, else ""; banks cut cards' numbers to four digits."""
    number = account.account_number or ""
    digits = _digits(number)
    return digits if len(digits) >= _FEWEST_DIGITS and not _HIDDEN.search(number) else ""


def _tail(account: AccountRow) -> str:
    """Return up to four digits that end the number, as far as they are shown."""
    number = account.account_number or account.masked_number or ""
    return _digits(_HIDDEN.split(number)[-1])[-_TAIL:]


def _digits(text: object) -> str:
    return re.sub(r"\D", "", str(text or ""))
