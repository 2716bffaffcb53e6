"""Planned payments, parsed from what banks give: scheduled payments and loan instalments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import TypeVar

import msgspec
from msgspec import Struct

from toolkit.analytics.money.account_summary import name_of
from toolkit.tables.cadences import Cadence, Treatment, of_duration
from toolkit.tables.rows.values import cents_or_none, day_or_none
from toolkit.tables.schema.banking import AccountRow, ScheduledPaymentRow

_FREQUENCIES = {"WEEKLY": "P1W", "FORTNIGHTLY": "P2W", "MONTHLY": "P1M", "QUARTERLY": "P3M"}
_TREATMENTS: dict[str, Treatment] = {"AFTER": "after", "BEFORE": "before", "ON": "on", "ONLY": "on"}
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Planned:
    """A payment that is known beforehand."""

    name: str
    account_id: str | None
    """The account that pays; None if unknown."""
    amount_minor: int | None
    """Cents, negative; None where it is not fixed."""
    cadence: Cadence | None
    """None for a single payment."""
    next: date
    source: str
    """`scheduled_payment`, `loan` or `card`."""
    until: date | None = None
    """Last possible day."""
    remaining: int | None = None
    """Payments left."""
    to_account: str | None = None
    """The account that is paid, where the bank names it."""
    treatment: Treatment = "on"
    """What happens where it is due on a weekend or holiday."""


class _Interval(Struct):
    interval: str | None = None


class _Rule(Struct):
    """`interval_schedule` or `last_week_day` of a recurrence."""

    intervals: tuple[_Interval, ...] | None = None
    interval: str | None = None
    final_payment_date: str | None = None
    payments_remaining: int | None = None
    non_business_day_treatment: str | None = None

    @property
    def cadence(self) -> Cadence | None:
        return of_duration(self.intervals[0].interval if self.intervals else self.interval)


class _OnceOff(Struct):
    payment_date: str | None = None


class _Recurrence(Struct):
    next_payment_date: str | None = None
    once_off: _OnceOff | None = None
    interval_schedule: _Rule | None = None
    last_week_day: _Rule | None = None


class _Biller(Struct):
    biller_name: str | None = None


class _DomesticAccount(Struct):
    account_name: str | None = None


class _Domestic(Struct):
    account: _DomesticAccount | None = None


class _Payee(Struct):
    nickname: str | None = None
    account_id: str | None = None
    biller: _Biller | None = None
    domestic: _Domestic | None = None

    @property
    def names(self) -> tuple[str | None, ...]:
        biller, domestic = self.biller or _Biller(), self.domestic or _Domestic()
        return self.nickname, biller.biller_name, domestic.account.account_name if domestic.account else None


class _Payment(Struct):
    amount: str | int | float | None = None
    to: _Payee | None = None


class _Loan(Struct):
    next_instalment_date: str | None = None
    min_instalment_amount: str | int | float | None = None
    repayment_frequency: str | None = None
    loan_end_date: str | None = None


class _Card(Struct):
    payment_due_date: str | None = None
    payment_due_amount: str | int | float | None = None
    min_payment_amount: str | int | float | None = None


class _RawAccount(Struct):
    loan: _Loan | None = None
    credit_card: _Card | None = None


def planned_payments(
    scheduled: Iterable[ScheduledPaymentRow], accounts: Iterable[AccountRow], own: set[str], main: Mapping[str, str]
) -> list[Planned]:
    """Return scheduled payments, and instalments of loans that no scheduled payment of the same amount pays.

    accounts: one row each. own: ids of own accounts that are no loans; scheduled transfers to these are left out.
    main: account id → the id that it counts under (`AccountLinks.main`).
    """
    parsed = [scheduled_payment(row) for row in scheduled]
    kept = [entry for entry in parsed if entry and main.get(entry.to_account or "", entry.to_account) not in own]
    paid = {entry.amount_minor for entry in kept}
    reached = {main.get(entry.to_account or "", entry.to_account) for entry in kept}
    loans = [
        loan
        for row in accounts
        if (loan := loan_instalment(row)) and loan.amount_minor not in paid and loan.to_account not in reached
    ]
    cards = [card for row in accounts if (card := card_payment(row)) and card.to_account not in reached]
    return [
        replace(
            entry,
            account_id=main.get(entry.account_id or "", entry.account_id),
            to_account=main.get(entry.to_account or "", entry.to_account),
        )
        for entry in (*kept, *loans, *cards)
    ]


def scheduled_payment(row: ScheduledPaymentRow) -> Planned | None:
    """Parse a scheduled payment; None where it is not active or its next day is unknown."""
    recurrence = _decoded(row.recurrence, _Recurrence) or _Recurrence()
    payments = _decoded(row.payment_set, tuple[_Payment, ...]) or ()
    once, rule = recurrence.once_off, recurrence.interval_schedule or recurrence.last_week_day or _Rule()
    due = (
        row.next_payment_date
        or day_or_none(recurrence.next_payment_date)
        or day_or_none(once.payment_date if once else None)
    )
    if row.vanished_at is not None or row.status not in (None, "ACTIVE") or due is None:
        return None
    payee = (payments[0].to if payments else None) or _Payee()
    names = (row.nickname, *payee.names, row.payer_reference)
    # The total is not known where a part is calculated at the time, or cannot be parsed.
    amounts = [cents_or_none(part.amount) for part in payments]
    known = [cents for cents in amounts if cents is not None]
    total = -sum(map(abs, known)) if known and len(known) == len(amounts) else None
    return Planned(
        name=next((name for name in names if name), "Scheduled payment"),
        account_id=row.account_id,
        amount_minor=total,
        cadence=None if once else rule.cadence,
        next=due,
        source="scheduled_payment",
        until=day_or_none(rule.final_payment_date),
        remaining=rule.payments_remaining,
        to_account=payee.account_id,
        treatment=_TREATMENTS.get((rule.non_business_day_treatment or "").upper(), "on"),
    )


def loan_instalment(row: AccountRow) -> Planned | None:
    """Parse the next instalment of an account; None where it is not a loan or gives none."""
    raw = _decoded(row.raw, _RawAccount)
    loan = (raw and raw.loan) or _Loan()
    due, cents = day_or_none(loan.next_instalment_date), cents_or_none(loan.min_instalment_amount)
    if due is None or cents is None:
        return None
    frequency = loan.repayment_frequency or ""
    cadence = of_duration(_FREQUENCIES.get(frequency.upper(), frequency))
    name = name_of(row) or "Loan"
    end = day_or_none(loan.loan_end_date)
    return Planned(name, None, -abs(cents), cadence, due, "loan", until=end, to_account=row.account_id)


def card_payment(row: AccountRow) -> Planned | None:
    """Parse what is due on a card, once: the amount that the bank asks for; None where it names none."""
    raw = _decoded(row.raw, _RawAccount)
    card = (raw and raw.credit_card) or _Card()
    due = day_or_none(card.payment_due_date)
    cents = cents_or_none(card.payment_due_amount) or cents_or_none(card.min_payment_amount)
    if due is None or not cents:
        return None
    name = name_of(row) or "Card"
    return Planned(name, None, -abs(cents), None, due, "card", to_account=row.account_id)


def _decoded(text: str | None, kind: type[S]) -> S | None:
    """Decode JSON; None where it is missing or is not as the service specifies it."""
    try:
        return msgspec.json.decode(text or "null", type=kind)
    except (msgspec.DecodeError, ValueError):
        return None
