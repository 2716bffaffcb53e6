"""Payees and scheduled payments; a `u_type` names which of the sibling variants is filled."""

from __future__ import annotations

from msgspec import field

from toolkit.wire.records.base import EndUserRecord, Wire


class Biller(Wire):
    biller_code: str | None = None
    biller_name: str | None = None
    crn: str | None = None


class DigitalWallet(Wire):
    identifier: str | None = None
    name: str | None = None
    provider: str | None = None
    type: str | None = None


class DomesticAccount(Wire):
    account_name: str | None = None
    account_number: str | None = None
    bsb: str | None = None


class DomesticCard(Wire):
    card_number: str | None = None


class PayId(Wire):
    identifier: str | None = None
    name: str | None = None
    type: str | None = None


class Domestic(Wire):
    account: DomesticAccount | None = None
    card: DomesticCard | None = None
    pay_id: PayId | None = None
    payee_account_u_type: str | None = None


class BankAddress(Wire):
    address: str | None = None
    name: str | None = None


class BankDetails(Wire):
    account_number: str | None = None
    bank_address: BankAddress | None = None
    beneficiary_bank_bic: str | None = None
    chip_number: str | None = None
    country: str | None = None
    fed_wire_number: str | None = None
    legal_entity_identifier: str | None = None
    routing_number: str | None = None
    sort_code: str | None = None


class BeneficiaryDetails(Wire):
    country: str | None = None
    message: str | None = None
    name: str | None = None


class International(Wire):
    bank_details: BankDetails | None = None
    beneficiary_details: BeneficiaryDetails | None = None


class Payee(EndUserRecord, kw_only=True):
    payee_id: str
    creation_date: str | None = None
    description: str | None = None
    nickname: str | None = None
    payee_u_type: str | None = None
    type: str | None = None
    biller: Biller | None = None
    digital_wallet: DigitalWallet | None = None
    domestic: Domestic | None = None
    international: International | None = None


class PaymentTo(Wire):
    """`to_utype` is written without the middle underscore, unlike its siblings."""

    account_id: str | None = None
    biller: Biller | None = None
    digital_wallet: DigitalWallet | None = None
    domestic: Domestic | None = None
    international: International | None = None
    nickname: str | None = None
    payee_id: str | None = None
    payee_reference: str | None = None
    to_utype: str | None = None


class PaymentFrom(Wire):
    account_id: str | None = None


class Payment(Wire):
    amount: str | None = None
    currency: str | None = None
    is_amount_calculated: bool | None = None
    to: PaymentTo | None = None


class EventBased(Wire):
    description: str | None = None


class PaymentInterval(Wire):
    day_in_interval: str | None = None
    interval: str | None = None


class IntervalSchedule(Wire):
    final_payment_date: str | None = None
    intervals: list[PaymentInterval] | None = None
    non_business_day_treatment: str | None = None
    payments_remaining: int | None = None


class LastWeekDay(Wire):
    final_payment_date: str | None = None
    interval: str | None = None
    last_week_day: str | None = None
    non_business_day_treatment: str | None = None
    payments_remaining: int | None = None


class OnceOffPayment(Wire):
    payment_date: str | None = None


class Recurrence(Wire):
    recurrence_utype: str | None = None
    next_payment_date: str | None = None
    event_based: EventBased | None = None
    interval_schedule: IntervalSchedule | None = None
    last_week_day: LastWeekDay | None = None
    once_off: OnceOffPayment | None = None


class ScheduledPayment(EndUserRecord, kw_only=True):
    scheduled_payment_id: str
    nickname: str | None = None
    payee_reference: str | None = None
    payer_reference: str | None = None
    status: str | None = None
    from_: PaymentFrom | None = field(name="from", default=None)
    payment_set: list[Payment] | None = None
    recurrence: Recurrence | None = None
