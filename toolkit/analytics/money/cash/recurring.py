"""Payments and income that recur: planned, as listed by the bank, or detected in past transactions.

Rows are grouped by account, merchant and direction. Where amounts of a group fall apart and take turns, as two
subscriptions of one merchant do, each is a series of its own. Planned payments outrank detected ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise
from statistics import median_low
from typing import NamedTuple

import polars as pl

from toolkit.analytics.money.cash.habits import Habit, Payment, due_days, habit_of, keeping_time, prices, treatment_of
from toolkit.analytics.money.cash.reach import DATED_AHEAD, Reach
from toolkit.analytics.money.cash.scheduled import Planned
from toolkit.answers.money import AmountRange, PriceChange, RecurringPayment
from toolkit.tables.cadences import Cadence, in_month, on_business_day
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import INCOME, LOANS
from toolkit.units import HOME_CURRENCY

_APART = 1.3
"""Neighbouring amounts with a ratio beyond this are two different things."""
_REFUNDS_APART = 32
"""Days: money in that is not income and this infrequent is an occasional refund."""
_RECENT = 12
_CERTAIN = 0.99
_MONTHS_ENDED = 12
"""A series that ended longer ago is not listed."""
_BILLS = ("RENT_AND_UTILITIES", LOANS, INCOME)
_SUBSCRIBED = (
    *("SERVICES_INSURANCE", "GENERAL_SERVICES_INSURANCE", "ENTERTAINMENT_TV_AND_MOVIES"),
    *("ENTERTAINMENT_MUSIC_AND_AUDIO", "PERSONAL_CARE_GYMS_AND_FITNESS_CENTERS", "SERVICES_CHILDCARE"),
)
_BILL_WORDS = (
    r"\b(?:rego|registration|renewal|annual|membership|subscription|insurance|premium|rates|strata|levy|licen[cs]e|"
    r"service nsw|vicroads|vic ?roads|council|water|school|tuition|direct debit)\b"
)
_BOUGHT = ("FOOD_AND_DRINK", "GENERAL_MERCHANDISE", "TRANSPORTATION", "TRAVEL", "MEDICAL", "HOME_IMPROVEMENT")
"""Primary categories of what is bought when it is needed: such a series needs a price that stays."""
_BILL_CATEGORIES = (
    *("RENT_AND_UTILITIES", LOANS, "GOVERNMENT_AND_NON_PROFIT", "SERVICES_INSURANCE", "GENERAL_SERVICES_INSURANCE"),
    *("SERVICES_CHILDCARE", "GENERAL_SERVICES_CHILDCARE", "SERVICES_EDUCATION", "GENERAL_SERVICES_EDUCATION"),
    *("SERVICES_AUTOMOTIVE", "GENERAL_SERVICES_AUTOMOTIVE", "BANK_FEES"),
)
_SUBSCRIPTION_CATEGORIES = ("ENTERTAINMENT", "PERSONAL_CARE", "SERVICES", "GENERAL_SERVICES")


class Change(NamedTuple):
    """A change of price. Amounts in cents, money out negative."""

    day: date
    """Of the first payment at the new price."""
    before: int
    after: int
    paid_before: date
    """Day of the last payment at the price before."""


@dataclass(frozen=True, slots=True)
class Series:
    """Payments, or income, that recur. Amounts in cents, money out negative; low ≤ usual ≤ high."""

    name: str
    account_id: str | None
    cadence: Cadence
    low: int
    usual: int
    high: int
    last: date | None
    next: date
    """First due day from today on."""
    confidence: float
    """0 to 1."""
    source: str
    """`scheduled_payment`, `loan`, `direct_debit` or `detected`."""
    changes: tuple[Change, ...] = ()
    """Each change of price."""
    until: date | None = None
    """Last possible day."""
    merchants: tuple[str, ...] = ()
    """Lower-case names of the merchant in its past rows."""
    kind: str = "bill"
    """`subscription`, `bill`, `pay`, `loan`, `card`, or `payment` where its category shows none of these."""
    missed: tuple[date, ...] = ()
    """Due days, as agreed, that passed without a payment while the account's rows went on."""
    ended: bool = False
    """Whether it stopped: at least two due days were missed. `next` then is the first of them."""
    due: tuple[date, ...] = ()
    """Days of its payments after the last day that the account's rows show, or from `today` on; about a year of them.

    Moved to business days where it does that.
    """
    to_account: str | None = None
    """The own loan or card that it pays off."""
    recent: tuple[int, ...] = ()
    """Amounts of its latest payments at today's price; empty where planned."""
    category: str | None = None
    """Secondary, else primary category of its past rows."""

    @property
    def yearly(self) -> int:
        """The usual amount times payments a year."""
        return self.usual * self.cadence.per_year

    def unseen(self, reach: Reach) -> Series:
        """Return the series without the due days that rows or balances show by now."""
        last = reach.of(self.account_id)
        return replace(self, due=tuple(day for day in self.due if day > last or day >= reach.today))

    def as_answer(self) -> RecurringPayment:
        """Return the series as answers give it, with amounts in AUD."""
        return RecurringPayment(
            name=self.name,
            account_id=self.account_id,
            cadence=self.cadence.name,
            amount=AmountRange(amount(self.low), amount(self.usual), amount(self.high)),
            last=self.last,
            next=None if self.ended else self.next,
            yearly=amount(self.yearly),
            confidence=self.confidence,
            source=self.source,
            changes=tuple(
                PriceChange(change.paid_before, change.day, amount(change.before), amount(change.after))
                for change in self.changes
            ),
            kind=self.kind,
            missed=self.missed,
        )


def find_recurring(
    rows: pl.DataFrame,
    *,
    today: date,
    planned: Sequence[Planned] = (),
    debits: Mapping[str, Sequence[str]] | None = None,
    holidays: Collection[date] = (),
    reach: Reach | None = None,
) -> list[Series]:
    """Return every series, dearest first; those that ended within a year are marked.

    rows: classified transactions, of which posted AUD rows count up to `today`, and on to the next business day, on
    which banks date what happens on a weekend. Transfers between own accounts do not, unless `debt_payments` made them
    payments. planned: see `scheduled`. debits: account id → names of entities with a direct debit authority on it.
    holidays: days besides weekends on which banks are closed. reach: how far the rows of the household reach, where
    `rows` are not all of them.
    """
    reach = reach or Reach.of_rows(rows, today)
    detected = list(_detected(rows, reach, debits or {}, holidays))
    going_on = [series for series in detected if not series.ended]
    expected = [series for entry in planned if (series := _of_planned(entry, reach, holidays))]
    # what is in fact paid to a loan outranks the least that the bank asks for
    paid = {series.to_account for series in going_on} - {None}
    expected = [series for series in expected if not (series.source == "loan" and series.to_account in paid)]
    unplanned = [series for series in going_on if not any(_covers(entry, series) for entry in expected)]
    merged = [_with_past(entry, [series for series in going_on if _covers(entry, series)]) for entry in expected]
    still = {(name, series.cadence.name) for series in (*merged, *unplanned) for name in series.merchants}
    ended = [
        series
        for series in detected
        if series.ended and not any((name, series.cadence.name) in still for name in series.merchants)
    ]
    return sorted(
        [*merged, *unplanned, *ended], key=lambda series: (series.yearly, series.name, series.account_id or "")
    )


def _detected(
    rows: pl.DataFrame, reach: Reach, debits: Mapping[str, Sequence[str]], holidays: Collection[date]
) -> Iterator[Series]:
    # the interest and fees of a loan are in its repayments already
    repaid = rows.filter(pl.col("kind") != "transfer")["repays"].drop_nulls().unique().implode()
    counted = rows.filter(
        ~pl.col("account_id").is_in(repaid),
        pl.col("kind") != "transfer",
        pl.col("status") != "PENDING",
        pl.col("currency") == HOME_CURRENCY,
        pl.col("day") <= reach.today + DATED_AHEAD,
        pl.col("merchant").is_not_null(),
        pl.col("amount_minor") != 0,
    )
    keys = {"who": pl.col("merchant").str.to_lowercase(), "out": pl.col("amount_minor") < 0}
    # most payees are shops: only the rows of the others become objects
    punctual = keeping_time(counted.with_columns(**keys), ("account_id", *keys), apart=_APART)
    keyed = punctual.with_columns(hint=_hint()).select(*_Row._fields, "id").sort("day", "id")
    groups: dict[tuple[str, str, bool], list[_Row]] = {}  # of thousands of payees a frame each would take longer
    for row in map(_Row._make, keyed.select(_Row._fields).iter_rows()):
        groups.setdefault((row.account_id, row.who, row.out), []).append(row)
    for (account, _, _), group in groups.items():
        yield from _series_of(group, account, reach, debits.get(account, ()), holidays)


class _Row(NamedTuple):
    """A posted transaction of a payee."""

    account_id: str
    who: str
    out: bool
    merchant: str
    hint: bool
    kind: str
    day: date
    amount_minor: int
    primary_category: str | None
    secondary_category: str | None
    repays: str | None
    biller_code: str | None


def _hint() -> pl.Expr:
    debit = pl.col("type").str.to_uppercase().str.replace(" ", "_") == "DIRECT_DEBIT"
    category = pl.col("primary_category").is_in(_BILLS) | pl.col("secondary_category").is_in(_SUBSCRIBED)
    worded = pl.col("description").str.to_lowercase().str.contains(_BILL_WORDS)
    parts = [debit, category, worded, pl.col("biller_name").is_not_null(), pl.col("biller_code").is_not_null()]
    return pl.any_horizontal(part.fill_null(False) for part in parts)


def _series_of(
    group: Sequence[_Row], account: str, reach: Reach, debtors: Sequence[str], holidays: Collection[date]
) -> Iterator[Series]:
    """Yield the series of the rows of one payee in one account and direction, oldest first."""
    name = max(row.merchant for row in group)
    debited = any(_alike(name, debtor) for debtor in debtors)
    hint = debited or any(row.hint for row in group)
    paid, earned = group[0].out, all(row.kind == "income" for row in group)
    payments = [Payment(row.day, row.amount_minor) for row in group]
    last, usual = group[-1], _of_usual_category(group)
    bought = usual.primary_category in _BOUGHT or usual.primary_category is None
    for series, habit in _habits(payments, hint=hint, steady=paid and bought):
        refunds = not (paid or earned) and habit.cadence.mean_days > _REFUNDS_APART
        detected = _of_payments(series, habit, reach.today, reach.of(account), holidays)
        if refunds or (detected.ended and detected.next < in_month(reach.today, -_MONTHS_ENDED)):
            continue
        yield replace(
            detected,
            name=name,
            account_id=account,
            source="direct_debit" if debited else "detected",
            merchants=(name.lower(),),
            kind=_kind(
                {usual.primary_category, usual.secondary_category},
                is_repayment=last.repays is not None,
                by_bpay=last.biller_code is not None,
                earned=earned,
            ),
            to_account=last.repays,
            category=usual.secondary_category or usual.primary_category,
        )


def _of_usual_category(group: Sequence[_Row]) -> _Row:
    """Return the newest row of the category that most of the recent rows have: a person may set one of them apart."""
    recent = group[-_RECENT:]
    counts = Counter((row.primary_category, row.secondary_category) for row in recent)
    most = max(counts.values())
    return next(row for row in reversed(recent) if counts[row.primary_category, row.secondary_category] == most)


def _kind(categories: Set[str | None], *, is_repayment: bool, by_bpay: bool, earned: bool) -> str:
    """Return what a series is. categories: those that most of its recent rows have."""
    if earned:
        return "pay"
    if is_repayment or LOANS in categories:
        return "loan"
    if by_bpay or not categories.isdisjoint(_BILL_CATEGORIES):
        return "bill"
    return "payment" if categories.isdisjoint(_SUBSCRIPTION_CATEGORIES) else "subscription"


def _habits(payments: list[Payment], *, hint: bool, steady: bool) -> list[tuple[list[Payment], Habit]]:
    """Return regular series: each of the amounts that take turns, else all together, else the amounts that are."""
    parts = _by_amount(payments)
    regular = [(part, habit) for part in parts if (habit := habit_of(part, hint=hint, steady=steady))]
    covered = sum(len(part) for part, _ in regular)
    if len(parts) > 1 and _take_turns(parts) and covered >= 0.8 * len(payments):
        return regular
    whole = habit_of(payments, hint=hint, steady=steady)
    return [(payments, whole)] if whole else regular


def _by_amount(payments: list[Payment]) -> list[list[Payment]]:
    ordered = sorted(payments, key=lambda payment: abs(payment.amount_minor))
    parts = [[ordered[0]]]
    for payment in ordered[1:]:
        if abs(payment.amount_minor) > _APART * abs(parts[-1][-1].amount_minor):
            parts.append([])
        parts[-1].append(payment)
    return [sorted(part, key=lambda payment: payment.day) for part in parts]


def _take_turns(parts: list[list[Payment]]) -> bool:
    spans = sorted((part[0].day, part[-1].day) for part in parts)
    return any(later[0] <= earlier[1] for earlier, later in pairwise(spans))


def _of_payments(
    series: list[Payment], habit: Habit, today: date, known_to: date, holidays: Collection[date]
) -> Series:
    levels = prices(series, habit.cadence)
    recent = [payment.amount_minor for payment in levels[-1][-_RECENT:]]
    days, cadence = sorted({payment.day for payment in series}), habit.cadence
    changes = [
        Change(new[0].day, old[-1].amount_minor, new[0].amount_minor, old[-1].day) for old, new in pairwise(levels)
    ]
    treatment = treatment_of(days, cadence, holidays, paid=series[0].amount_minor < 0)
    agreed = list(due_days(days, cadence, in_month(today, 12)))
    late = timedelta(days=cadence.tolerance)
    missed = tuple(day for day in agreed if day + late < known_to)
    ahead = [on_business_day(day, treatment, holidays) for day in agreed if day not in missed]
    unseen = tuple(day for day in ahead if day > known_to or day >= today)
    coming = [day for day in unseen if day >= today]
    ended = len(missed) > 1  # one missed payment does not end a series
    return Series(
        name="",
        account_id=None,
        cadence=cadence,
        low=min(recent),
        usual=median_low(recent),
        high=max(recent),
        last=days[-1],
        next=missed[0] if ended else (coming[0] if coming else cadence.after(today)),
        confidence=_confidence(len(days), habit, levels),
        source="detected",
        changes=tuple(changes),
        missed=missed,
        ended=ended,
        due=() if ended else unseen,
        recent=tuple(recent),
    )


def _confidence(count: int, habit: Habit, levels: list[list[Payment]]) -> float:
    """Half from punctuality, a quarter each from steady amounts and from the number of payments seen."""
    amounts = [abs(payment.amount_minor) for payment in levels[-1]]
    steady = min(amounts) / max(amounts)
    seen = min(1.0, count / (2 * habit.cadence.least))
    return round(min(_CERTAIN - 0.01, 0.5 * habit.punctual + 0.25 * steady + 0.25 * seen), 2)


def _of_planned(entry: Planned, reach: Reach, holidays: Collection[date]) -> Series | None:
    """Return a planned payment as a series; None for a single one, an open amount, or one that has ended."""
    if entry.cadence is None or entry.amount_minor is None:
        return None
    end = min(entry.until or date.max, in_month(max(reach.today, entry.next), 12))
    agreed, steps = list[date](), 0
    while (day := entry.cadence.after(entry.next, steps)) <= end and steps != entry.remaining:
        agreed.append(day)
        steps += 1
    moved = [on_business_day(day, entry.treatment, holidays) for day in agreed]
    coming = [day for day in moved if day >= reach.today]
    if not coming:
        return None
    cents = entry.amount_minor
    return Series(
        *(entry.name, entry.account_id, entry.cadence, cents, cents, cents, None, coming[0], _CERTAIN, entry.source),
        until=entry.until,
        due=tuple(day for day in moved if day > reach.of(entry.account_id) or day >= reach.today),
        kind=entry.source if entry.source in ("loan", "card") else "bill",
        to_account=entry.to_account,
    )


def _covers(planned: Series, detected: Series) -> bool:
    """Whether both are the same: cadence, account, amount within 10 %, due at about the same time; or the same loan."""
    if planned.cadence.name != detected.cadence.name or planned.account_id not in (None, detected.account_id):
        return False
    if planned.to_account is not None and planned.to_account == detected.to_account:
        return True
    near = abs(planned.usual - detected.usual) <= 0.1 * abs(planned.usual)
    return near and abs((planned.next - detected.next).days) <= detected.cadence.tolerance


def _with_past(planned: Series, detected: Sequence[Series]) -> Series:
    """Add to a planned series what the past shows of it: account, last payment, changes of price, merchants."""
    if not detected:
        return planned
    names = tuple(sorted(name for series in detected for name in series.merchants))
    account = planned.account_id or detected[0].account_id
    past = detected[0]
    return replace(
        planned,
        account_id=account,
        last=past.last,
        changes=past.changes,
        merchants=names,
        kind=past.kind if planned.kind == "bill" else planned.kind,
        category=past.category,
    )


def _alike(name: str, other: str) -> bool:
    """Whether the first words are the same, whatever the case and legal form."""
    one, two = name.lower().split(), other.lower().split()
    return bool(one and two) and one[0] == two[0]
