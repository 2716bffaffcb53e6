"""The energy bills in the cash flow: issued and forecast ones on their due dates, unless equal payments spread them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from toolkit.analytics.money.cash.flow import Expected, bill_draws
from toolkit.analytics.money.cash.recurring import Series
from toolkit.analytics.money.cash.scheduled import Planned
from toolkit.answers.base import Note, Period
from toolkit.answers.energy.forecast import BillAhead, Forecast
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import ENERGY

SOURCE = "energy_bill"
ISSUED = "issued_bill"
_DUE_AFTER_PERIOD = 21
"""Days from a billing period's end to the bill's due date, where no bill of the household shows it."""
_DAYS_FROM_DUE = 7
_WEEKS_APART = 20
"""Days: bills do not come more often; payments that do are bill smoothing."""


@dataclass(frozen=True, slots=True)
class NextBill:
    """An energy bill to be paid in cents, positive; the range is null where it is not known."""

    name: str
    due: date
    p10: int | None
    p50: int
    p90: int | None
    period_days: int
    """Days from one bill to the next."""
    later: tuple[NextBill, ...] = ()
    """The bills of the same meter after it, in order."""
    source: str = SOURCE

    @property
    def draws(self) -> tuple[int, ...]:
        """Return amounts, money out negative, that the bill may have; none where its range is not known."""
        if self.p10 is None or self.p90 is None:
            return ()
        return tuple(-cents for cents in bill_draws(self.p10, self.p50, self.p90))


@dataclass(frozen=True, slots=True)
class IssuedBill:
    """A bill that the retailer has sent and no payment is known of."""

    cents: int
    """What is to be paid, with what earlier bills left; positive."""
    due: date
    period: Period
    points: tuple[str, ...]
    """Ids of the meters that it bills; empty where these are not known."""

    def is_among(self, scheduled: Iterable[Planned]) -> bool:
        """Return whether the bank already has its payment: of the same amount, at most a week from the due date."""
        return any(
            each.amount_minor == -self.cents and abs((each.next - self.due).days) <= _DAYS_FROM_DUE
            for each in scheduled
        )

    def as_next(self) -> NextBill:
        return NextBill("Energy bill", self.due, self.cents, self.cents, self.cents, self.period.days, source=ISSUED)

    @property
    def note(self) -> Note:
        return Note("energy_bill_issued", bill=amount(self.cents), due=self.due)


def bill_to_come(answer: Forecast, today: date, issued: Sequence[IssuedBill] = ()) -> tuple[NextBill, Note] | None:
    """Return the first bill of a meter that is still to be paid, the later ones with it, and a note; None without one.

    issued: bills that have come and are due from today on. One of several meters is paid with the first of them.
    """
    mine = sorted((bill for bill in issued if answer.service_point_id in bill.points), key=lambda bill: bill.due)
    billed_to = max((bill.period.last for bill in mine), default=date.min)
    paid_here = [bill for bill in mine if bill.points[0] == answer.service_point_id]
    ahead = [each for each in answer.bills if each.from_ > billed_to]
    forecast = [bill for each in ahead if (bill := _to_pay(each)) and bill.due >= today]
    bills = [*(bill.as_next() for bill in paid_here), *forecast]
    if not bills:
        return None
    code = "energy_bill_added" if answer.due else "energy_bill_due_assumed"
    note = paid_here[0].note if paid_here else Note(code, bill=amount(bills[0].p50), due=bills[0].due)
    return replace(bills[0], later=tuple(bills[1:])), note


def _to_pay(ahead: BillAhead) -> NextBill | None:
    """Return a bill as a payment in cents; None where it is a credit."""
    low, middle, high = (None if end is None else int(end * 100) for end in (ahead.p10, ahead.p50, ahead.p90))
    if middle is None or middle <= 0:
        return None
    return NextBill("Energy bill", due_day(ahead.due, ahead.to), low, middle, high, (ahead.to - ahead.from_).days + 1)


def due_day(due: date | None, last: date) -> date:
    """Return when a bill to come is due: as its retailer's bills are, else three weeks after its last day."""
    return due or last + timedelta(days=_DUE_AFTER_PERIOD)


def is_smoothed(series: Series) -> bool:
    """Whether payments to a retailer spread bills evenly: of one amount, of whole dollars, or every few weeks."""
    equal = series.low == series.high and not series.changes
    whole = all(cents % 100 == 0 for cents in (*series.recent, series.usual))
    return equal or whole or series.cadence.mean_days <= _WEEKS_APART


def with_energy_bills(
    series: Sequence[Series], bills: Iterable[NextBill], *, account_id: str | None, last: date
) -> tuple[list[Series], list[Expected]]:
    """Return the series without payments that the bills take the place of, and the bills up to `last`.

    bills: the next one of each meter. account_id: the account that pays, where no past payment shows it. An equal
    payment counts as one meter's bills: those are not added. The series of unequal payments keeps its days after the
    last forecast bill.
    """
    energy = [entry for entry in series if entry.category == ENERGY and entry.usual < 0 and not entry.ended]
    smoothed = [entry for entry in energy if is_smoothed(entry)]
    unequal = [entry for entry in energy if entry not in smoothed]
    left = list(series)
    expected = []
    for bill in sorted(bills, key=lambda bill: -bill.p50)[len(smoothed) :]:
        paid = min(unequal, key=lambda entry: abs(-entry.usual - bill.p50), default=None)
        ahead = [bill, *bill.later]
        if paid is not None:
            unequal.remove(paid)
            near = ahead[-1].due + timedelta(days=bill.period_days // 2)
            left[left.index(paid)] = replace(paid, due=tuple(day for day in paid.due if day > near))
        account = account_id if paid is None else paid.account_id
        expected += [
            Expected(each.due, each.name, -each.p50, each.source, account, each.draws)
            for each in ahead
            if each.due <= last
        ]
    return left, expected
