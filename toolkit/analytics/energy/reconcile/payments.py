"""The bank payments that settled invoices: exact sums, in time, and words that name the retailer.

First one payment for one invoice. Of what is left, several payments that come to one invoice, and one payment that
comes to several invoices of a retailer. What could be read in two ways is suggested, never linked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from typing import Any

from toolkit.analytics.energy.reconcile.billed_invoice import Stated

Row = Mapping[str, Any]

EARLY = timedelta(3)
LATE = timedelta(45)
"""Days before the issue and after the due date within which a payment may lie."""

UNDATED = timedelta(90)

MOST_PARTS = 6
"""Payments of an invoice, or invoices of a payment, that are put together."""
MOST_CANDIDATES = 10
"""Ten amounts have some 800 sums, which meet a given bill by chance once in a hundred times; more prove nothing."""
MOST_SUMS = 10

_TEXTS = ("biller_name", "description", "merchant_name", "payee", "extended_description")
_NO_NAME = {"and", "the", "pty", "ltd", "limited", "energy", "power", "gas", "electricity", "australia", "payment"}


@dataclass(frozen=True, slots=True)
class Due:
    """An invoice to be paid. minor: cents with GST. first, last: days on which a payment may lie. retailer, names: its
    identity and what it is called, where they are known."""

    minor: int
    first: date
    last: date
    names: tuple[str, ...] = ()
    retailer: str | None = None

    @classmethod
    def of(cls, stated: Stated, minor: int, retailer: str | None, names: Iterable[str]) -> Due:
        first = (stated.issued or stated.period.last) - EARLY
        return cls(minor, first, stated.due + LATE if stated.due else first + UNDATED, tuple(names), retailer)

    def open_on(self, row: Row) -> bool:
        return row["day"] is not None and self.first <= row["day"] <= self.last


@dataclass(frozen=True, slots=True)
class Settled:
    """certain: nothing else fits; otherwise the payments are suggestions. dues: numbers of all invoices they settle."""

    certain: bool
    payments: tuple[Row, ...]
    dues: tuple[int, ...]


def settle(dues: Sequence[Due], payments: Sequence[Row]) -> list[Settled | None]:
    """Of each invoice what settled it; None where it is no charge or nothing fits.

    payments: rows of `transactions` with `day`, money out, in order of day.
    """
    found = _one_by_one(dues, payments)
    spoken_for = {row["id"] for settled in found if settled for row in settled.payments}
    rest = [row for row in payments if row["id"] not in spoken_for]
    unpaid = [n for n, settled in enumerate(found) if settled is None and dues[n].minor > 0]
    sums = [*_in_parts(dues, unpaid, rest), *_together(dues, unpaid, rest)]
    for n in unpaid:
        found[n] = _judged(n, sums)
    return found


def _one_by_one(dues: Sequence[Due], payments: Sequence[Row]) -> list[Settled | None]:
    """One payment of the same amount; certain where it alone names the retailer, and could pay no other invoice."""
    fitting = [[row for row in payments if row["amount_minor"] == -due.minor < 0 and due.open_on(row)] for due in dues]
    named = [
        {str(row["id"]) for row in rows if speaks(row, due.names)} for due, rows in zip(dues, fitting, strict=True)
    ]
    sure = _only_ways(named)
    return [_settled(n, rows, named[n], sure) for n, rows in enumerate(fitting)]


def _settled(number: int, fitting: Sequence[Row], named: Collection[str], sure: Mapping[int, str]) -> Settled | None:
    if number in sure:
        return Settled(
            certain=True, payments=tuple(row for row in fitting if row["id"] == sure[number]), dues=(number,)
        )
    free = [row for row in fitting if row["id"] not in sure.values()]
    likely = [row for row in free if row["id"] in named] or free
    return Settled(certain=False, payments=tuple(likely), dues=(number,)) if likely else None


def _only_ways(candidates: Sequence[Collection[str]]) -> dict[int, str]:
    """Place of an invoice → its only candidate, where it is no other's only one; then so of what is left of the rest.

    The order of the invoices does not matter.
    """
    sure: dict[int, str] = {}
    while True:
        left = {n: set(ids) - {*sure.values()} for n, ids in enumerate(candidates) if n not in sure}
        single = {n: next(iter(ids)) for n, ids in left.items() if len(ids) == 1}
        claims = Counter(single.values())
        more = {n: payment for n, payment in single.items() if claims[payment] == 1}
        if not more:
            return sure
        sure |= more


def _in_parts(dues: Sequence[Due], unpaid: Sequence[int], payments: Sequence[Row]) -> Iterator[Settled]:
    for n in unpaid:
        parts = [row for row in payments if dues[n].open_on(row) and _pays(row, dues[n])]
        for chosen in _sums([-row["amount_minor"] for row in parts], dues[n].minor):
            yield Settled(certain=True, payments=tuple(parts[k] for k in chosen), dues=(n,))


def _together(dues: Sequence[Due], unpaid: Sequence[int], payments: Sequence[Row]) -> Iterator[Settled]:
    for row in payments:
        for retailer in dict.fromkeys(dues[n].retailer for n in unpaid):
            own = [n for n in unpaid if dues[n].retailer == retailer]
            fitting = [n for n in own if dues[n].open_on(row) and _pays(row, dues[n])]
            for chosen in _sums([dues[n].minor for n in fitting], -row["amount_minor"]):
                yield Settled(certain=True, payments=(row,), dues=tuple(fitting[k] for k in chosen))


def _judged(number: int, sums: Sequence[Settled]) -> Settled | None:
    """The only reading that touches an invoice, where nothing else lays claim to its invoices and payments."""
    mine = [each for each in sums if number in each.dues]
    if not mine:
        return None
    if not any(_meet(mine[0], other) for other in sums if other is not mine[0]):
        return mine[0]
    rows = {str(row["id"]): row for each in mine for row in each.payments}
    return Settled(certain=False, payments=tuple(sorted(rows.values(), key=_in_time)), dues=(number,))


def _in_time(row: Row) -> tuple[date, str]:
    return row["day"], str(row["id"])


def _meet(one: Settled, other: Settled) -> bool:
    ids = {row["id"] for row in one.payments}
    return bool(set(one.dues) & set(other.dues)) or any(row["id"] in ids for row in other.payments)


def _sums(amounts: Sequence[int], total: int) -> list[tuple[int, ...]]:
    """The places of amounts, two or more of them, that come to exactly that total; at most MOST_SUMS ways."""
    usable = [place for place, amount in enumerate(amounts) if 0 < amount < total]
    if len(usable) > MOST_CANDIDATES:
        return []

    def chosen(start: int, left: int, taken: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if left == 0:
            yield taken
        if left <= 0 or len(taken) == MOST_PARTS:
            return
        for n in range(start, len(usable)):
            yield from chosen(n + 1, left - amounts[usable[n]], (*taken, usable[n]))

    return list(islice(chosen(0, total, ()), MOST_SUMS))


def speaks(row: Row, names: Iterable[str]) -> bool:
    """Whether a row's texts hold the retailer's telling words, or it says it pays for gas and electricity."""
    return _names(row, names) or _for_energy(row)


def _pays(row: Row, due: Due) -> bool:
    """Stricter, since sums find each other by chance: by name, and by kind only where no name is known."""
    return _names(row, due.names) if any(_telling(name) for name in due.names) else _for_energy(row)


def _names(row: Row, names: Iterable[str]) -> bool:
    told = set(re.findall(r"\w+", " ".join(str(row[name] or "") for name in _TEXTS).casefold()))
    return any(own and own <= told for own in map(_telling, names))


def _for_energy(row: Row) -> bool:
    return str(row["secondary_category"] or "").endswith("GAS_AND_ELECTRICITY")


def _telling(name: str) -> set[str]:
    return {word for word in re.findall(r"\w+", name.casefold()) if word not in _NO_NAME and len(word) > 2}
