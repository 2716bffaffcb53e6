"""Sums by month, account and category: how roll-ups are made, and the spending that they answer, without frames.

Only making them needs frames, so polars is imported there: a cold command that roll-ups answer does not load it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from toolkit.answers.base import Note
from toolkit.answers.money import DEPOSITS_WITHOUT_CATEGORY, By, OtherCurrency, Spending, SpendingRows
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import CARD_PAYMENT, CASH, LOANS, TRANSFERS
from toolkit.units import HOME_CURRENCY

if TYPE_CHECKING:
    import polars as pl

COLUMNS: dict[str, tuple[str, ...]] = {
    "category": ("primary_category", "secondary_category"),
    "merchant": ("merchant",),
    "account": ("account_id",),
    "tag": ("tag",),
    "person": ("person",),
}
_MUCH = 0.1
"""Share of the money out: deposits without a category that are more change what spending looks like."""
EXCLUDED = "excluded"
"""The kind of rows that people left out of every sum."""
Waiting = Callable[["Question"], int]
"""How much of the deposits without a category [cents] may be transfers that somebody has to accept or reject."""


def none_waiting(_: Question) -> int:
    """Return 0, where no transfers are likely."""
    return 0


SUMMED = (
    *("day", "month", "account", "kind", "primary_category", "secondary_category", "merchant"),
    *("account_id", "tag", "currency", "status", "amount_minor"),
)
"""The columns that `buckets` needs."""


ROLLUP_KEY = ("month", "account_id", "kind", "primary_category", "secondary_category", "currency", "pending")


class Question(Struct, frozen=True):
    """What spending is asked for."""

    from_: date | None = None
    """First day; None: from the first transaction on."""
    to: date | None = None
    """Last day, inclusive; None: up to the last transaction."""
    by: By = "category"
    """What a row of the answer groups."""
    months: bool = False
    """One row a month."""
    pending: bool = False
    """Whether pending transactions count."""

    @property
    def columns(self) -> list[str]:
        """Columns that a row of the answer is identified by."""
        return [*(["month"] if self.months else []), *COLUMNS[self.by]]


class Totalled(NamedTuple):
    """A sum of rows that count alike in the totals."""

    currency: str
    kind: str
    pending: bool
    repays_loan: bool
    """Whether its category is a repayment of a loan, which holds principal; payments of cards are none."""
    moved: bool
    """Whether its category is a transfer that is not cash: its other side is not an account in the data."""
    unnamed: bool
    """Whether it has no category."""
    amount_minor: int
    """Signed, in minor units."""
    out_minor: int
    """Of money out alone."""
    transactions: int


class MonthSum(NamedTuple):
    """A sum of classified rows of a category, as roll-ups have it."""

    month: str | None
    """Null for rows without a date, and where all months are summed."""
    account_id: str | None
    """Null where all accounts are summed."""
    kind: str
    primary_category: str | None
    secondary_category: str | None
    currency: str
    pending: bool
    amount_minor: int
    out_minor: int
    transactions: int
    first_day: str | None
    """ISO text, as `last_day`, that is null for rows without a date."""
    last_day: str | None
    person: str | None = None
    """Owner of the account, where it is asked for."""


def buckets(rows: pl.DataFrame) -> pl.DataFrame:
    """Sum classified rows by `ROLLUP_KEY`.

    The sums are `amount_minor` (signed), `out_minor` (of negative amounts alone), `count`, `first_day` and `last_day`.
    """
    import polars as pl
    import polars.selectors as cs

    signed = pl.col("amount_minor")
    grouped = rows.lazy().with_columns(pending=pl.col("status") == "PENDING", account_id="account").group_by(ROLLUP_KEY)
    summed = grouped.agg(
        signed.sum(),
        out_minor=signed.filter(signed < 0).sum(),
        count=pl.len().cast(pl.Int64),
        first_day=pl.col("day").min(),
        last_day=pl.col("day").max(),
    )
    return summed.collect().cast({cs.categorical(): pl.String})


def spending_of_months(sums: Iterable[MonthSum], question: Question, waiting: Waiting = none_waiting) -> Spending:
    """Answer from sums of the question's months: by category or account, by person from sums with `person`."""
    sums = list(sums)
    columns = question.columns
    key_of = attrgetter(*columns)
    spent: dict[tuple[str | None, ...], list[int]] = defaultdict(lambda: [0, 0])
    for entry in sums:
        if entry.kind == "expense" and entry.currency == HOME_CURRENCY and (question.pending or not entry.pending):
            key = key_of(entry)
            row = spent[key if len(columns) > 1 else (key,)]
            row[0] -= entry.amount_minor
            row[1] += entry.transactions

    def most_first(item: tuple[tuple[str | None, ...], list[int]]) -> tuple[object, ...]:
        key, (minor, _) = item
        # unknown ones last
        texts = [(text is None, text or "") for text in key]
        return (*texts[: question.months], -minor, *texts[question.months :])

    rows = [(*key, amount(minor), count) for key, (minor, count) in sorted(spent.items(), key=most_first)]
    first = min((entry.first_day for entry in sums if entry.first_day), default=None)
    last = max((entry.last_day for entry in sums if entry.last_day), default=None)
    days = [None if day is None else date.fromisoformat(day) for day in (first, last)]
    table = SpendingRows.of((*columns, "spent", "count"), rows)
    return totalled(_alike(sums), table, question, *days, waiting=waiting)


def _alike(sums: Iterable[MonthSum]) -> list[Totalled]:
    """Add up sums of a category: these count alike in the totals."""
    added: dict[tuple[str, str, bool, str | None, str | None], list[int]] = defaultdict(lambda: [0, 0, 0])
    for entry in sums:
        total = added[entry.currency, entry.kind, entry.pending, entry.primary_category, entry.secondary_category]
        total[0] += entry.amount_minor
        total[1] += entry.out_minor
        total[2] += entry.transactions
    return [
        Totalled(
            currency,
            kind,
            pending,
            primary == LOANS and secondary != CARD_PAYMENT,
            primary in TRANSFERS and secondary not in CASH,
            primary is None,
            *total,
        )
        for (currency, kind, pending, primary, secondary), total in added.items()
    ]


def totalled(
    sums: Iterable[Totalled],
    rows: SpendingRows,
    question: Question,
    first: date | None,
    last: date | None,
    *,
    waiting: Waiting = none_waiting,
) -> Spending:
    """Answer with these rows, and the totals of these sums, which are of every row of the question's days.

    first and last: the first and last day with a row. waiting: asked only where deposits without a category are many.
    """
    sums = list(sums)
    home = [entry for entry in sums if entry.currency == HOME_CURRENCY]
    posted = [entry for entry in home if not entry.pending]
    included = [entry for entry in (home if question.pending else posted) if entry.kind == "expense"]
    return Spending(
        from_=question.from_ or first,
        to=question.to or last,
        by=question.by,
        rows=rows,
        spent=amount(-_minor(included)),
        income=amount(_minor(_of(posted, "income"))),
        transfers=amount(-sum(entry.out_minor for entry in _of(posted, "transfer"))),
        excluded=amount(-_minor(_of(posted, EXCLUDED))),
        pending=amount(-_minor(_of((entry for entry in home if entry.pending), "expense"))),
        other_currencies=_other_currencies((entry for entry in sums if entry.currency != HOME_CURRENCY), question),
        notes=tuple(_notes(included, question, waiting)),
    )


def _of(sums: Iterable[Totalled], kind: str) -> Iterator[Totalled]:
    return (entry for entry in sums if entry.kind == kind)


def _minor(sums: Iterable[Totalled]) -> int:
    return sum(entry.amount_minor for entry in sums)


def _notes(included: Iterable[Totalled], question: Question, waiting: Waiting) -> Iterator[Note]:
    """Yield what spending holds that somebody may not expect.

    Principal in repayments of loans, what went to accounts elsewhere, and deposits that may be income.
    """
    included = list(included)
    much = -sum(entry.out_minor for entry in included) * _MUCH
    came_in = sum(entry.amount_minor - entry.out_minor for entry in included if entry.unnamed)
    if came_in > much and (came_in := came_in - waiting(question)) > much:
        yield Note(DEPOSITS_WITHOUT_CATEGORY, came_in=amount(came_in))
    if spent := -_minor(entry for entry in included if entry.repays_loan):
        yield Note("repayments_hold_principal", spent=amount(spent))
    if (sent := -sum(entry.out_minor for entry in included if entry.moved)) > 0:
        yield Note("transfers_count_as_spending", spent=amount(sent))


def _other_currencies(sums: Iterable[Totalled], question: Question) -> tuple[OtherCurrency, ...]:
    by_currency: dict[str, list[Totalled]] = defaultdict(list)
    for entry in sums:
        by_currency[entry.currency].append(entry)
    return tuple(_other(currency, by_currency[currency], question) for currency in sorted(by_currency))


def _other(currency: str, sums: list[Totalled], question: Question) -> OtherCurrency:
    posted = [entry for entry in sums if not entry.pending]
    pending = [entry for entry in sums if entry.pending]
    return OtherCurrency(
        currency=currency,
        spent=amount(-_minor(_of(sums if question.pending else posted, "expense")), currency),
        income=amount(_minor(_of(posted, "income")), currency),
        transfers=amount(-sum(entry.out_minor for entry in _of(posted, "transfer")), currency),
        pending=amount(-_minor(_of(pending, "expense")), currency),
        count=sum(entry.transactions for entry in sums),
    )
