"""What recurs and what is coming up, as an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from msgspec.structs import replace as struct_replace

from toolkit.analytics.money.account_summary import name_of
from toolkit.analytics.money.cash.energy_bill import NextBill, with_energy_bills
from toolkit.analytics.money.cash.flow import Expected, expected_payments
from toolkit.analytics.money.cash.recurring import Series
from toolkit.analytics.money.cash.scheduled import Planned
from toolkit.answers.base import Note
from toolkit.answers.money import NextEnergyBill, Recurring, RecurringPayment, Upcoming
from toolkit.tables.money import amount
from toolkit.tables.schema.banking import AccountRow

UPCOMING_DAYS = 90


def with_account_names(series: Sequence[Series], accounts: Sequence[AccountRow]) -> list[Series]:
    """Name series that pay into an account of the household after that account."""
    names = {account.account_id: name_of(account) for account in accounts}
    return [
        replace(entry, name=name)
        if entry.source == "detected" and (name := names.get(entry.to_account or ""))
        else entry
        for entry in series
    ]


def recurring_answer(
    series: Sequence[Series], planned: Sequence[Planned], today: date, *, bills: Sequence[NextBill] = ()
) -> Recurring:
    """List the series that go on and those that ended, and what is coming up in the next 90 days.

    bills: the energy bills to come, as the cash flow counts them.
    """
    last = today + timedelta(days=UPCOMING_DAYS - 1)
    energy = with_energy_bills(series, bills, account_id=None, first=today, last=last)
    in_place = {id(series[place]): bill for place, bill in energy.replaced.items()}
    going_on = [entry for entry in series if not entry.ended]
    costs = [entry.yearly for entry in going_on if entry.kind != "card"]
    once = [entry for entry in planned if entry.cadence is None]
    late = sorted({entry.name for entry in going_on if entry.missed})
    return Recurring(
        recurring=tuple(_with_bill(entry.as_answer(), in_place.get(id(entry))) for entry in going_on),
        ended=tuple(entry.as_answer() for entry in series if entry.ended),
        upcoming=_upcoming([entry for entry in energy.series if not entry.ended], once, energy.expected, today, last),
        yearly_out=amount(-sum(cents for cents in costs if cents < 0)),
        yearly_in=amount(sum(cents for cents in costs if cents > 0)),
        notes=(Note("regular_payments_missed", count=len(late), names=", ".join(late)),) if late else (),
    )


def _with_bill(entry: RecurringPayment, bill: Expected | None) -> RecurringPayment:
    if bill is None:
        return entry
    return struct_replace(entry, next_bill=NextEnergyBill(bill.day, amount(bill.cents), bill.source))


def _upcoming(
    series: Sequence[Series], once: Sequence[Planned], bills: Sequence[Expected], today: date, last: date
) -> tuple[Upcoming, ...]:
    kinds = {(entry.name, entry.source): entry.kind for entry in series}
    return tuple(
        Upcoming(
            date=entry.day,
            name=entry.name,
            amount=amount(entry.cents),
            account_id=entry.account_id,
            source=entry.source,
            kind=kinds.get((entry.name, entry.source), "card" if entry.source == "card" else "bill"),
            overdue_since=entry.overdue_since,
        )
        for entry in expected_payments(series, once, today, last, bills=bills)
    )
