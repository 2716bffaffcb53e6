"""Match bank payments with invoices: exact amounts, paid in time, with words that name the retailer.

First matches one payment with one invoice; then, of the rest, several payments with one invoice, and one payment with
several invoices of a retailer. A match that is not the only possible one is suggested, never linked.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice, pairwise
from statistics import median

from toolkit.analytics.energy.reconcile.billed_invoice import BilledInvoice

EARLY = timedelta(3)
LATE = timedelta(45)
"""Days before the issue and after the due date within which a payment may lie."""

UNDATED = timedelta(90)

MOST_PARTS = 6
"""Most payments for one invoice, or invoices in one payment, that are combined."""
MOST_CANDIDATES = 10
"""Ten amounts have some 800 sums, one of which equals a given bill by chance once in a hundred times."""
MOST_SUMS = 10

LEAST_SPREAD = 0.4
"""Share of a bill that even payments in its days come to, at least: a winter's bill may be twice the mean, and less may
be the debit of another service."""
_FEWEST_EVEN, _EVEN_LOOKED_AT = 3, 6
"""Payments that show a habit of even ones, and the latest that are looked at."""
_EVEN_APART, _EVEN_TOLERANCE, _EVEN_LATE = 35, 5, 7
"""Days from one even payment to the next at most; by which weekends, holidays and months move them; and after which the
next one is missed."""

_NO_NAME = {"and", "the", "pty", "ltd", "limited", "energy", "power", "gas", "electricity", "australia", "payment"}


@dataclass(frozen=True, slots=True)
class BankRow:
    """A transaction that may pay an invoice; fields as in table `transactions`."""

    id: str
    account_id: str
    day: date
    """Local day."""
    amount_minor: int
    """Cents; money out is negative."""
    description: str | None = None
    extended_description: str | None = None
    merchant_name: str | None = None
    biller_name: str | None = None
    payee: str | None = None
    secondary_category: str | None = None

    @property
    def texts(self) -> tuple[str | None, ...]:
        """Return everything that may name the retailer."""
        return self.biller_name, self.description, self.merchant_name, self.payee, self.extended_description


@dataclass(frozen=True, slots=True)
class PayableInvoice:
    """An invoice to be paid. minor: cents with GST. first, last: days between which a payment counts.

    retailer, names: the retailer's id and its known names.
    """

    minor: int
    first: date
    last: date
    names: tuple[str, ...] = ()
    retailer: str | None = None

    @classmethod
    def of(cls, invoice: BilledInvoice, minor: int, retailer: str | None, names: Iterable[str]) -> PayableInvoice:
        first = (invoice.issued or invoice.period.last) - EARLY
        return cls(minor, first, invoice.due + LATE if invoice.due else first + UNDATED, tuple(names), retailer)

    def open_on(self, row: BankRow) -> bool:
        return self.first <= row.day <= self.last


@dataclass(frozen=True, slots=True)
class PaymentMatch:
    """certain: no other match is possible; otherwise `payments` are suggestions. invoices: indices of those paid."""

    certain: bool
    payments: tuple[BankRow, ...]
    invoices: tuple[int, ...]


def match_payments(invoices: Sequence[PayableInvoice], payments: Sequence[BankRow]) -> list[PaymentMatch | None]:
    """Return the match of each invoice; None where nothing is to be paid or no payment fits.

    payments: money out, in order of day.
    """
    matches = _one_by_one(invoices, payments)
    used = {row.id for match in matches if match for row in match.payments}
    rest = [row for row in payments if row.id not in used]
    unpaid = [n for n, match in enumerate(matches) if match is None and invoices[n].minor > 0]
    sums = [*_in_parts(invoices, unpaid, rest), *_together(invoices, unpaid, rest)]
    for n in unpaid:
        matches[n] = _only_match(n, sums)
    return matches


def unsettled(invoices: Sequence[PayableInvoice], payments: Sequence[BankRow]) -> list[PayableInvoice]:
    """Return the invoices to be paid that no payment of their own amount fits."""
    matches = _one_by_one(invoices, payments)
    return [each for each, match in zip(invoices, matches, strict=True) if match is None and each.minor > 0]


@dataclass(frozen=True, slots=True)
class PaidSoFar:
    """Payments to the retailer since an invoice came that settle no other one, and how many cents of them are its."""

    minor: int = 0
    payments: tuple[BankRow, ...] = ()


def paid_so_far(invoices: Sequence[PayableInvoice], payments: Sequence[BankRow]) -> list[PaidSoFar]:
    """Return what is paid of each invoice so far, whatever the amounts of the payments.

    A payment in the days of several invoices pays the first of them, and with the rest the next; what is left over
    counts as paid for the last. One of which less than half is left to pay of an invoice that others paid before is for
    something else: gas of the same retailer.

    invoices: to be paid, in order of their due days. payments: money out, by day, that settles no invoice.
    """
    rest = {row.id: -row.amount_minor for row in payments}
    paid, taken = [0] * len(invoices), [list[BankRow]() for _ in invoices]
    for number, invoice in enumerate(invoices):
        for row in payments:
            cents = min(rest[row.id], invoice.minor - paid[number])
            is_only_one = not any(other.open_on(row) for other in invoices[number + 1 :])
            is_for_another = paid[number] > 0 and is_only_one and 2 * cents < rest[row.id]
            if cents > 0 and not is_for_another and invoice.open_on(row) and _pays(row, invoice):
                paid[number] += cents
                rest[row.id] -= cents
                taken[number].append(row)
    last = {row.id: number for number, rows in enumerate(taken) for row in rows}
    for row_id, number in last.items():
        paid[number] += rest[row_id]
    return [PaidSoFar(minor, tuple(rows)) for minor, rows in zip(paid, taken, strict=True)]


def is_paid_evenly(invoice: PayableInvoice, days: int, payments: Iterable[BankRow], to: date) -> bool:
    """Return whether even payments to the retailer go on that come to a good part of the invoice in its days: bill
    smoothing, a debit each fortnight. Instalments that began after it came are parts of it.

    days: of its period. payments: money out of the months up to `to` that settles no invoice, by day.
    """
    all_ = [row for row in payments if row.day <= to and _pays(row, invoice)]
    mine = all_[-_EVEN_LOOKED_AT:]
    on = sorted({row.day for row in mine})
    apart = [(later - day).days for day, later in pairwise(on)]
    if len(apart) < _FEWEST_EVEN - 1 or all_[0].day >= invoice.first:
        return False
    usual = median(apart)
    steady = usual <= _EVEN_APART and all(abs(each - usual) <= _EVEN_TOLERANCE for each in apart)
    few_amounts = 2 * len({row.amount_minor for row in mine}) <= len(mine) + 1
    mean = -sum(row.amount_minor for row in mine) / len(mine)
    enough = mean * days / usual >= LEAST_SPREAD * invoice.minor
    return steady and few_amounts and enough and (to - on[-1]).days <= usual + _EVEN_LATE


def _one_by_one(invoices: Sequence[PayableInvoice], payments: Sequence[BankRow]) -> list[PaymentMatch | None]:
    """Match one payment of the same amount; certain if only it names the retailer and it fits no other invoice."""
    of_amount: dict[int, list[BankRow]] = defaultdict(list)
    for row in payments:
        of_amount[-row.amount_minor].append(row)
    fitting = [
        [row for row in of_amount.get(invoice.minor, ()) if invoice.minor > 0 and invoice.open_on(row)]
        for invoice in invoices
    ]
    named = [
        {row.id for row in rows if _has_name_words(row, invoice.names) or _for_energy(row)}
        for invoice, rows in zip(invoices, fitting, strict=True)
    ]
    sure = _only_ways(named)
    return [_single_match(n, rows, named[n], sure) for n, rows in enumerate(fitting)]


def _single_match(
    number: int, fitting: Sequence[BankRow], named: Collection[str], sure: Mapping[int, str]
) -> PaymentMatch | None:
    if number in sure:
        return PaymentMatch(
            certain=True, payments=tuple(row for row in fitting if row.id == sure[number]), invoices=(number,)
        )
    free = [row for row in fitting if row.id not in sure.values()]
    likely = [row for row in free if row.id in named] or free
    return PaymentMatch(certain=False, payments=tuple(likely), invoices=(number,)) if likely else None


def _only_ways(candidates: Sequence[Collection[str]]) -> dict[int, str]:
    """Assign to invoices their only candidate, if it is not the only candidate of another; repeat with the rest.

    Returns invoice index → payment id, whatever the order of the invoices.
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


def _in_parts(
    invoices: Sequence[PayableInvoice], unpaid: Sequence[int], payments: Sequence[BankRow]
) -> Iterator[PaymentMatch]:
    for n in unpaid:
        parts = [row for row in payments if invoices[n].open_on(row) and _pays(row, invoices[n])]
        for chosen in _sums([-row.amount_minor for row in parts], invoices[n].minor):
            yield PaymentMatch(certain=True, payments=tuple(parts[k] for k in chosen), invoices=(n,))


def _together(
    invoices: Sequence[PayableInvoice], unpaid: Sequence[int], payments: Sequence[BankRow]
) -> Iterator[PaymentMatch]:
    retailers = dict.fromkeys(invoices[n].retailer for n in unpaid)
    of_retailer = [[n for n in unpaid if invoices[n].retailer == retailer] for retailer in retailers]
    several = [(own, sum(sorted(invoices[n].minor for n in own)[:2])) for own in of_retailer if len(own) > 1]
    for row in payments:
        for own, least in several:
            if -row.amount_minor < least:  # less than its two smallest invoices: names need not be compared
                continue
            fitting = [n for n in own if invoices[n].open_on(row) and _pays(row, invoices[n])]
            for chosen in _sums([invoices[n].minor for n in fitting], -row.amount_minor):
                yield PaymentMatch(certain=True, payments=(row,), invoices=tuple(fitting[k] for k in chosen))


def _only_match(number: int, sums: Sequence[PaymentMatch]) -> PaymentMatch | None:
    """Return the only match of an invoice, if none of its invoices and payments occurs in another match.

    Otherwise suggests the payments of all its matches; None without any.
    """
    mine = [each for each in sums if number in each.invoices]
    if not mine:
        return None
    if not any(_meet(mine[0], other) for other in sums if other is not mine[0]):
        return mine[0]
    rows = {row.id: row for each in mine for row in each.payments}
    in_time = sorted(rows.values(), key=lambda row: (row.day, row.id))
    return PaymentMatch(certain=False, payments=tuple(in_time), invoices=(number,))


def _meet(one: PaymentMatch, other: PaymentMatch) -> bool:
    ids = {row.id for row in one.payments}
    return bool(set(one.invoices) & set(other.invoices)) or any(row.id in ids for row in other.payments)


def _sums(amounts: Sequence[int], total: int) -> list[tuple[int, ...]]:
    """Return indices of two or more amounts that add up to exactly that total; at most MOST_SUMS combinations."""
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


def _pays(row: BankRow, invoice: PayableInvoice) -> bool:
    """Return whether a payment can be part of a sum: by the retailer's name; by category only if no name is known."""
    return (
        _has_name_words(row, invoice.names) if any(_distinctive(name) for name in invoice.names) else _for_energy(row)
    )


def _has_name_words(row: BankRow, names: Iterable[str]) -> bool:
    words = set(re.findall(r"\w+", " ".join(filter(None, row.texts)).casefold()))
    return any(own and own <= words for own in map(_distinctive, names))


def _for_energy(row: BankRow) -> bool:
    return str(row.secondary_category or "").endswith("GAS_AND_ELECTRICITY")


def _distinctive(name: str) -> set[str]:
    return {word for word in re.findall(r"\w+", name.casefold()) if word not in _NO_NAME and len(word) > 2}
