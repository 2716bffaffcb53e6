"""Payments and income that recur, and what is coming up: `recurring`, also as a calendar file."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from toolkit.analytics.energy.intervals.prepare import public_holidays
from toolkit.analytics.money.account_summary import merged_accounts
from toolkit.analytics.money.cash.calendar import START as CALENDAR_START
from toolkit.analytics.money.cash.calendar import calendar
from toolkit.analytics.money.cash.energy_bill import is_smoothed
from toolkit.analytics.money.cash.flow import expected_payments
from toolkit.analytics.money.cash.recurring import DEBTS, Series, debt_payments, find_recurring
from toolkit.analytics.money.cash.scheduled import Planned, planned_payments
from toolkit.analytics.money.classify import Classified
from toolkit.answers.base import Note
from toolkit.answers.money import Recurring, Upcoming
from toolkit.flows.data.output_files import first_bytes, refuse_to_replace
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.spending import accounts_as_set, classified
from toolkit.store import Store
from toolkit.store.connection import private_file
from toolkit.tables.money import amount
from toolkit.tables.reference import places
from toolkit.tables.reference.categories import ENERGY
from toolkit.tables.schema.banking import DirectDebitRow, ScheduledPaymentRow
from toolkit.tables.schema.identity import HouseholdRow

UPCOMING_DAYS = 90


def recurring(ctx: Context, *, ics: Path | None = None) -> Recurring:
    """List payments and income that recur, dearest first (docs/commands.md); amounts in AUD, money out negative.

    ics: a calendar file to write with what is coming up. Raises UsageError where a file of another kind is there.
    """
    with open_home(ctx) as (store, household):
        series, planned = expected_series(store, household, classified(store, household), ctx.today)
    going_on = [entry for entry in series if not entry.ended]
    costs = [entry.yearly for entry in going_on if entry.kind != "card"]
    once = [entry for entry in planned if entry.cadence is None]
    late = sorted({entry.name for entry in going_on if entry.missed})
    notes = [Note("regular_payments_missed", count=len(late), names=", ".join(late))] if late else []
    answer = Recurring(
        recurring=tuple(entry.as_answer() for entry in going_on),
        ended=tuple(entry.as_answer() for entry in series if entry.ended),
        upcoming=upcoming(going_on, once, ctx.today),
        yearly_out=amount(-sum(cents for cents in costs if cents < 0)),
        yearly_in=amount(sum(cents for cents in costs if cents > 0)),
        notes=tuple(notes),
    )
    if ics is not None:
        is_calendar = first_bytes(ics, len(CALENDAR_START)) == CALENDAR_START.encode() if ics.is_file() else False
        refuse_to_replace(ics, ctx.db, earlier="a calendar", is_earlier=lambda _path: is_calendar, option="--ics")
        private_file(ics)
        ics.write_text(calendar(answer.upcoming), encoding="utf-8", newline="")
    return answer


def calendar_of(answer: Recurring) -> str:
    """Return what is coming up as the text of a calendar file."""
    return calendar(answer.upcoming)


def upcoming(series: list[Series], once: list[Planned], today: date) -> tuple[Upcoming, ...]:
    """Return what is expected from today on for `UPCOMING_DAYS` days, by day."""
    kinds = {(entry.name, entry.source): entry.kind for entry in series}
    due = expected_payments(series, once, today, today + timedelta(days=UPCOMING_DAYS - 1))
    return tuple(
        Upcoming(
            date=entry.day,
            name=entry.name,
            amount=amount(entry.cents),
            account_id=entry.account_id,
            source=entry.source,
            kind=kinds.get((entry.name, entry.source), "card" if entry.source == "card" else "bill"),
        )
        for entry in due
    )


def expected_series(
    store: Store, household: HouseholdRow, money: Classified, today: date
) -> tuple[list[Series], list[Planned]]:
    """Return the household's recurring series, and the payments that its banks say will be made."""
    home, main = household.household_id, money.links.main
    accounts = merged_accounts(accounts_as_set(store, home), main)
    debts = {account.account_id for account in accounts if account.product_category in DEBTS}
    own = {account.account_id for account in accounts} - debts
    planned = planned_payments(store.load(ScheduledPaymentRow, home), accounts, own, main)
    debits: dict[str, list[str]] = {}
    for debit in store.load(DirectDebitRow, home, where={"vanished_at": None}):
        if debit.account_id and debit.description:
            debits.setdefault(main.get(debit.account_id, debit.account_id), []).append(debit.description)
    holidays = bank_holidays(household, today)
    rows = debt_payments(money.rows, sorted(debts))
    series = find_recurring(rows, today=today, planned=planned, debits=debits, holidays=holidays)
    names = {account.account_id: account.nickname or account.display_name for account in accounts}
    named = [
        replace(entry, name=name)
        if entry.source == "detected" and (name := names.get(entry.to_account or ""))
        else entry
        for entry in series
    ]
    return named, planned


def smoothed_energy(store: Store, household: HouseholdRow, today: date) -> list[Series]:
    """Return the even payments to energy retailers that go on: bill smoothing and payment plans."""
    if not store.count("transactions", household.household_id):
        return []
    series, _ = expected_series(store, household, classified(store, household), today)
    going_on = [each for each in series if each.category == ENERGY and each.usual < 0 and not each.ended]
    return [each for each in going_on if is_smoothed(each)]


def bank_holidays(household: HouseholdRow, today: date) -> frozenset[date]:
    """Return the public holidays of the household's state, national ones where it is not known, around a day."""
    state = household.state or places.state(household.postcode)
    return public_holidays(state, range(today.year - 3, today.year + 2))
