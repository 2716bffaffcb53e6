"""Banking records as rows. Amounts keep the service's sign: money out is negative."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.tables.rows.values import (
    ColumnRows,
    RecordRow,
    Scope,
    UnreadableValueError,
    canonical,
    day,
    identity,
    minor,
    money,
    own_id,
)
from toolkit.wire.records.banking import (
    Balance,
    BankAccount,
    BankProduct,
    Category,
    DirectDebit,
    ExtendedData,
    NppPayload,
    Transaction,
)
from toolkit.wire.records.base import EndUserRecord
from toolkit.wire.records.payments import Payee, ScheduledPayment

DEFAULT_CURRENCY = "AUD"  # the data standard's default where a record names none


def common_columns(record: EndUserRecord, scope: Scope, raw: str, *natural: str | None) -> RecordRow:
    """Return the columns common to all records of a household: its id, identity, origin and the raw record."""
    return {
        "household_id": scope.household_id,
        "id": identity(record.platform_id, *natural),
        "arrangement_id": record.arrangement_id,
        "institution_id": record.institution_id,
        "raw": raw,
    }


def named_by_service(record: EndUserRecord, scope: Scope, raw: str, name: str) -> RecordRow:
    """Return `common_columns` of a record `name` without an id of its own.

    Raises UnreadableValueError without platform_id.
    """
    if not record.platform_id:
        raise UnreadableValueError(f"{name} has no identity: platform_id is missing")
    return common_columns(record, scope, raw)


def account(record: BankAccount, scope: Scope, raw: str) -> RecordRow:
    """Return the row of table `accounts`."""
    return {
        **common_columns(record, scope, raw, record.account_id),
        "source": "service",
        "account_id": record.account_id,
        "account_number": record.account_number,
        "bsb": record.bsb,
        "masked_number": record.masked_number,
        "display_name": record.display_name,
        "nickname": record.nickname,
        "product_name": record.product_name,
        "product_category": record.product_category,
        "account_ownership": record.account_ownership,
        "open_status": record.open_status,
        "specific_account_u_type": record.specific_account_u_type,
        "is_owned": record.is_owned,
        "creation_date": day("creation_date", record.creation_date),
    }


def balance(record: Balance, scope: Scope, raw: str) -> RecordRow:
    """Return the row of table `balances`."""
    currency = record.currency or DEFAULT_CURRENCY
    return {
        **common_columns(record, scope, raw, record.account_id),
        "account_id": record.account_id,
        "currency": currency,
        **money("current_balance", record.current_balance, currency),
        **money("available_balance", record.available_balance, currency),
        **money("credit_limit", record.credit_limit, currency),
        **money("amortised_limit", record.amortised_limit, currency),
        "purses": canonical(record.purses),
        "as_of": scope.seen_at,
    }


def transaction(record: Transaction, scope: Scope, raw: str) -> RecordRow:
    """Return the row of table `transactions`; see `transactions`."""
    return transactions([record], scope, [raw])[0]


def transactions(records: Sequence[Transaction], scope: Scope, raws: Sequence[str]) -> ColumnRows:
    """Return the rows of table `transactions`, made column by column, for there are many.

    Raises UnreadableValueError where a record has no amount, or where neither a status nor a posting time separates
    posted from pending.
    """
    number = len(records)
    none = [None] * number
    currencies = [record.currency or DEFAULT_CURRENCY for record in records]
    categories = [record.category or _NO_CATEGORY for record in records]
    extended = [record.extended_data or _NOT_EXTENDED for record in records]
    payments = [each.npp_payload or _NO_PAYMENT for each in extended]
    return ColumnRows(
        {
            "household_id": [scope.household_id] * number,
            "id": [r.platform_id or identity(own_id(r.account_id, r.transaction_id)) for r in records],
            "source": ["service"] * number,
            "arrangement_id": [record.arrangement_id for record in records],
            "institution_id": [record.institution_id for record in records],
            "account_id": [record.account_id for record in records],
            "transaction_id": [record.transaction_id for record in records],
            "status": [_status(record) for record in records],
            "amount": [record.amount for record in records],
            "amount_minor": [_cents(record, currency) for record, currency in zip(records, currencies, strict=True)],
            "currency": currencies,
            "type": [record.type for record in records],
            "execution_date_time": [record.execution_date_time for record in records],
            "posting_date_time": [record.posting_date_time for record in records],
            "value_date_time": [record.value_date_time for record in records],
            "description": [record.description for record in records],
            "reference": [record.reference for record in records],
            "merchant_name": [record.merchant_name for record in records],
            "merchant_category_code": [record.merchant_category_code for record in records],
            "primary_category": [category.primary_category for category in categories],
            "secondary_category": [category.secondary_category for category in categories],
            "category_confidence": [category.confidence_level for category in categories],
            "biller_code": [record.biller_code for record in records],
            "biller_name": [record.biller_name for record in records],
            "crn": [record.crn for record in records],
            "apca_number": [record.apca_number for record in records],
            "payer": [each.payer for each in extended],
            "payee": [each.payee for each in extended],
            "extended_description": [payment.extended_description for payment in payments],
            "end_to_end_id": [payment.end_to_end_id for payment in payments],
            "balance_minor": none,
            "occurrence": none,
            "file_id": none,
            "vanished_at": none,
            "superseded_by": none,
            "raw": raws,
        }
    )


_NO_CATEGORY, _NOT_EXTENDED, _NO_PAYMENT = Category(), ExtendedData(), NppPayload()


def _cents(record: Transaction, currency: str) -> int:
    if record.amount is None:
        raise UnreadableValueError("amount is missing")
    return minor("amount", record.amount, currency)


def _status(record: Transaction) -> str:
    if record.status:
        return record.status.upper()
    if record.posting_date_time:
        return "POSTED"
    raise UnreadableValueError("status is missing, and no posting time shows whether it is posted")


def payee(record: Payee, scope: Scope, raw: str) -> RecordRow:
    """Return the row of table `payees`."""
    to = record.domestic.account if record.domestic else None
    return {
        **common_columns(record, scope, raw, record.payee_id),
        "payee_id": record.payee_id,
        "nickname": record.nickname,
        "description": record.description,
        "type": record.type,
        "payee_u_type": record.payee_u_type,
        "account_number": to.account_number if to else None,
        "bsb": to.bsb if to else None,
        "biller_code": record.biller.biller_code if record.biller else None,
        "creation_date": day("creation_date", record.creation_date),
    }


def scheduled_payment(record: ScheduledPayment, scope: Scope, raw: str) -> RecordRow:
    """Return the row of table `scheduled_payments`."""
    rule = record.recurrence
    return {
        **common_columns(record, scope, raw, record.scheduled_payment_id),
        "scheduled_payment_id": record.scheduled_payment_id,
        "account_id": record.from_.account_id if record.from_ else None,
        "nickname": record.nickname,
        "status": record.status,
        "payer_reference": record.payer_reference,
        "payee_reference": record.payee_reference,
        "recurrence_u_type": rule.recurrence_utype if rule else None,
        "next_payment_date": day("next_payment_date", rule.next_payment_date if rule else None),
        "recurrence": canonical(rule),
        "payment_set": canonical(record.payment_set),
    }


def direct_debit(record: DirectDebit, scope: Scope, raw: str) -> RecordRow:
    """Return the row of table `direct_debits`.

    A direct debit has no id of its own: one entity may have several authorities on an account.
    """
    entity = record.authorised_entity
    name = (entity.description or entity.abn or entity.financial_institution) if entity else None
    return {
        **named_by_service(record, scope, raw, f"the direct debit of {name or 'an entity without a name'}"),
        "account_id": record.account_id,
        "description": entity.description if entity else None,
        "financial_institution": entity.financial_institution if entity else None,
        "abn": entity.abn if entity else None,
        "last_debit_date_time": record.last_debit_date_time,
        **money("last_debit_amount", record.last_debit_amount),
    }


def product(record: BankProduct, scope: Scope, raw: str) -> RecordRow:
    """Return the row of table `products`. Where the record names no institution, it is the one that was asked."""
    return {
        "institution_id": identity(record.institution_id, scope.institution_id),
        "product_id": record.product_id,
        "name": record.name,
        "brand": record.brand,
        "product_category": record.product_category,
        "description": record.description,
        "is_tailored": record.is_tailored,
        "effective_from": record.effective_from,
        "effective_to": record.effective_to,
        "last_updated": record.last_updated,
        "raw": raw,
    }
