"""The energy bills in the cash flow: issued and forecast ones on their due dates, unless equal payments spread them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from toolkit.analytics.energy.reconcile.payments import LEAST_SPREAD
from toolkit.analytics.money.cash.flow import Expected, bill_draws
from toolkit.analytics.money.cash.recurring import Series
from toolkit.analytics.money.cash.scheduled import Planned
from toolkit.answers.base import Note, Period
from toolkit.answers.energy.bills import FUELS, Fuel
from toolkit.answers.energy.forecast import BillAhead, Forecast
from toolkit.answers.energy.invoices import BillCounted
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import ENERGY

SOURCE = "energy_bill"
ISSUED = "issued_bill"
_DUE_AFTER_PERIOD = 21
"""Days from a billing period's end to the bill's due date, where no bill of the household shows it."""
_FROM_DUE = timedelta(7)
"""How far from the due day a payment that is set up at the bank may lie."""
_FROM_OVERDUE = timedelta(14)
"""How far ahead one of an overdue bill may lie: on the next pay day, or as agreed with the retailer."""
_SEVERAL = 0.75
"""Of a bill's period: payments that come more often are several a bill."""
_WEEKS_APART = 20
"""Days: bills do not come more often; payments that do are bill smoothing."""


@dataclass(frozen=True, slots=True)
class IssuedBill:
    """A bill that the retailer has sent, and of which no payment, or a part only, is known."""

    cents: int
    """What is still to be paid, with what earlier bills left; positive."""
    due: date
    period: Period
    points: tuple[str, ...]
    """Ids of the meters that it bills; empty where these are not known."""
    asked: int
    """What the bill asks for, with what earlier ones left; cents."""
    fuel: Fuel | None = None
    retailer: str | None = None
    supply: str = ""
    """The same for bills of the same meters; of their fuel where these are not known."""

    def is_among(self, scheduled: Iterable[Planned], today: date) -> bool:
        """Return whether the bank already has its payment: of the same amount, about the due date; an overdue one's
        in the next days."""
        last = today + _FROM_OVERDUE if self.due < today else self.due + _FROM_DUE
        return any(each.amount_minor == -self.cents and self.due - _FROM_DUE <= each.next <= last for each in scheduled)

    def as_next(self) -> NextBill:
        name = bill_name(self.fuel)
        days = self.period.days
        return NextBill(
            *(name, self.due, self.cents, self.cents, self.cents, days),
            source=ISSUED,
            issued=self,
            fuel=self.fuel,
        )

    def as_answer(self, today: date) -> BillCounted:
        """Return what the cash flow counts of it."""
        return BillCounted(
            fuel=self.fuel,
            retailer=self.retailer,
            from_=self.period.first,
            to=self.period.last,
            due=self.due,
            amount=amount(self.asked),
            paid=amount(self.asked - self.cents),
            left=amount(self.cents),
            counted_on=max(self.due, today),
        )

    def note(self, today: date) -> Note:
        """Say that the cash flow counts it, and since when it is due."""
        fuel = FUELS[self.fuel] if self.fuel else "energy"
        code = "energy_bill_overdue" if self.due < today else "energy_bill_issued"
        if self.cents < self.asked:
            code += "_part"
        return Note(code, fuel=fuel, bill=amount(self.asked), due=self.due, left=amount(self.cents))


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
    issued: IssuedBill | None = None
    """The stored bill; None for a forecast one."""
    is_due_assumed: bool = False
    fuel: str | None = None
    past: tuple[tuple[date, int], ...] = ()
    """Past periods of the meter: last day, and cents at today's prices."""

    def before(self, due: date) -> int:
        """Return what a bill due on an earlier day came to, in cents: the past period nearest to it, else this one."""
        near = min(self.past, key=lambda each: abs(due_day(None, each[0]) - due), default=None)
        if near is None or 2 * abs(due_day(None, near[0]) - due).days > self.period_days:
            return self.p50
        return near[1]

    @property
    def draws(self) -> tuple[int, ...]:
        """Return amounts, money out negative, that the bill may have; none where its range is not known."""
        if self.p10 is None or self.p90 is None:
            return ()
        return tuple(-cents for cents in bill_draws(self.p10, self.p50, self.p90))

    @property
    def each(self) -> tuple[NextBill, ...]:
        """Return the bill and those after it."""
        return (self, *self.later)

    def notes(self, first: date, last: date) -> Iterator[Note]:
        """Say what is counted of it from `first` to `last`: the stored bills, or the first forecast one."""
        shown = [each for each in self.each if each.due <= last]
        issued = [each.issued.note(first) for each in shown if each.issued]
        yield from issued
        if not issued and shown:
            code = "energy_bill_due_assumed" if shown[0].is_due_assumed else "energy_bill_added"
            yield Note(code, bill=amount(shown[0].p50), due=shown[0].due)


def bill_to_come(answer: Forecast, today: date, issued: Sequence[IssuedBill] = ()) -> NextBill | None:
    """Return the first bill of a meter that is still to be paid, the later ones with it; None without one.

    issued: stored bills to be paid, overdue ones too. One of several meters is paid with the first of them.
    """
    mine = sorted((bill for bill in issued if answer.service_point_id in bill.points), key=lambda bill: bill.due)
    billed_to = max((bill.period.last for bill in mine), default=date.min)
    paid_here = [bill for bill in mine if bill.points[0] == answer.service_point_id]
    ahead = [each for each in answer.bills if each.from_ > billed_to]
    forecast = [bill for each in ahead if (bill := _to_pay(each, answer)) and bill.due >= today]
    first = _in_order([*(bill.as_next() for bill in paid_here), *forecast])
    past = tuple((each.to, int(each.billed * 100)) for each in answer.past)
    return first and replace(first, fuel=answer.fuel, past=past)


def issued_alone(issued: Iterable[IssuedBill]) -> list[NextBill]:
    """Return the stored bills of each supply of which no forecast is made, the first with those after it."""
    by_supply: dict[str, list[NextBill]] = {}
    for bill in sorted(issued, key=lambda bill: bill.due):
        by_supply.setdefault(bill.supply, []).append(bill.as_next())
    return [first for bills in by_supply.values() if (first := _in_order(bills))]


def _in_order(bills: Sequence[NextBill]) -> NextBill | None:
    return replace(bills[0], later=tuple(bills[1:])) if bills else None


def _to_pay(ahead: BillAhead, answer: Forecast) -> NextBill | None:
    """Return a bill as a payment in cents; None where it is a credit."""
    low, middle, high = (None if end is None else int(end * 100) for end in (ahead.p10, ahead.p50, ahead.p90))
    if middle is None or middle <= 0:
        return None
    days = (ahead.to - ahead.from_).days + 1
    name, due = bill_name(answer.fuel), due_day(ahead.due, ahead.to)
    return NextBill(name, due, low, middle, high, days, is_due_assumed=answer.due is None)


def bill_name(fuel: str | None) -> str:
    """Return what a bill of a fuel is called among payments."""
    return f"{FUELS[fuel].capitalize() if fuel else 'Energy'} bill"


def due_day(due: date | None, last: date) -> date:
    """Return when a bill to come is due: as its retailer's bills are, else three weeks after its last day."""
    return due or last + timedelta(days=_DUE_AFTER_PERIOD)


def is_smoothed(series: Series) -> bool:
    """Whether payments to a retailer spread bills evenly: of one amount, of whole dollars, or every few weeks."""
    equal = series.low == series.high and not series.changes
    whole = all(cents % 100 == 0 for cents in (*series.recent, series.usual))
    return equal or whole or series.cadence.mean_days <= _WEEKS_APART


@dataclass(frozen=True, slots=True)
class BillsAhead:
    """What energy bills take the place of, and what they add: the same for the cash flow and the calendar."""

    series: list[Series]
    """The series, without the days of payments that bills take the place of."""
    expected: list[Expected]
    counted: list[NextBill]
    """The bills that are added, each with those of its meter after it."""
    spread: list[NextBill]
    """Those that equal payments to the retailer pay."""
    replaced: dict[int, Expected]
    """Place in `series` of those that lost payments → the bill that comes first in their place."""
    without_series: list[NextBill]
    """Those of `counted` that take the place of no series: their past payments are too unequal for one."""


def with_energy_bills(
    series: Sequence[Series], bills: Iterable[NextBill], *, account_id: str | None, first: date, last: date
) -> BillsAhead:
    """Return the series without payments that the bills take the place of, and the bills from `first` to `last`.

    bills: the next one of each meter; an overdue one is expected on `first`. account_id: the account that pays, where
    no past payment shows it. An equal payment counts as one meter's bills: those are not added. The series of unequal
    payments keeps its days after the last bill.
    """
    energy = [entry for entry in series if entry.category == ENERGY and entry.usual < 0 and not entry.ended]
    ahead = BillsAhead(list(series), [], [], [], {}, [])
    for bill in sorted(bills, key=lambda bill: -bill.p50):
        if spreading := next((entry for entry in energy if _spreads(entry, bill)), None):
            energy.remove(spreading)
            ahead.spread.append(bill)
            continue
        unequal = [entry for entry in energy if not _spreads(entry, bill)]
        paid = min(unequal, key=lambda entry: abs(-entry.usual - bill.p50), default=None)
        account = account_id if paid is None else paid.account_id
        expected = [
            Expected(
                max(each.due, first), each.name, -each.p50, each.source, account, each.draws,
                overdue_since=each.due if each.due < first else None,
            )
            for each in bill.each
        ]  # fmt: skip
        if paid is not None:
            energy.remove(paid)
            near = bill.each[-1].due + timedelta(days=bill.period_days // 2)
            place = next(number for number, entry in enumerate(ahead.series) if entry is paid)
            ahead.series[place] = replace(paid, due=tuple(day for day in paid.due if day > near))
            ahead.replaced[place] = expected[0]
        else:
            ahead.without_series.append(bill)
        ahead.counted.append(bill)
        ahead.expected.extend(each for each in expected if each.day <= last)
    return ahead


def _spreads(series: Series, bill: NextBill) -> bool:
    """Whether payments spread a bill: even ones that come several times a bill, or are of one amount."""
    often = series.cadence.mean_days < _SEVERAL * bill.period_days
    equal = series.low == series.high and (not series.changes or len(series.recent) > 1)
    enough = -series.usual * bill.period_days / series.cadence.mean_days >= LEAST_SPREAD * bill.p50
    return is_smoothed(series) and enough and (often or equal)
