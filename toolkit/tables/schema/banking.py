"""Accounts, balances, transactions and what is planned to be paid. Amounts: money out is negative."""

import datetime as dt

from toolkit.tables.schema.columns import (
    GIVEN_BY_FILE,
    JSON,
    Annotated,
    Arrangement,
    Household,
    Identity,
    Institution,
    Raw,
    Source,
    SupersededBy,
    TableRow,
    Unit,
    VanishedAt,
    table_row,
)


@table_row("accounts", key=("household_id", "id"), resource="banking.accounts")
class AccountRow(TableRow, frozen=True):
    """Bank accounts, cards and loans."""

    household_id: Household
    id: Identity
    source: Source
    arrangement_id: Arrangement
    institution_id: Institution
    account_id: Annotated[str, "what transactions refer to"]
    linked_account_id: Annotated[
        str | None,
        "the account it counts under, where both are one (a file's and the service's); worked out with the roll-up",
    ]
    layout: Annotated[str | None, "layout of the files that it comes from, where these name no account; else null"]
    account_number: Annotated[str | None, "whole number; masked on every page, log and report"]
    bsb: Annotated[str | None, "bank-state-branch number"]
    masked_number: Annotated[str | None, "number as the bank masks it"]
    display_name: Annotated[str | None, "name to show"]
    nickname: Annotated[str | None, "the person's own name for it"]
    product_name: Annotated[str | None, "the bank's product"]
    product_category: Annotated[
        str | None,
        "such as TRANS_AND_SAVINGS_ACCOUNTS, CRED_AND_CHRG_CARDS, RESIDENTIAL_MORTGAGES",
    ]
    account_ownership: Annotated[str | None, "ONE_PARTY, TWO_PARTY …"]
    open_status: Annotated[str | None, "OPEN or CLOSED"]
    specific_account_u_type: Annotated[str | None, "creditCard, termDeposit, loan, or null"]
    is_owned: Annotated[bool | None, "whether the end user owns it"]
    creation_date: Annotated[dt.date | None, "opened on"]
    vanished_at: VanishedAt
    superseded_by: SupersededBy
    raw: Raw


@table_row("balances", key=("household_id", "id"), resource="banking.balances", references=GIVEN_BY_FILE)
class BalanceRow(TableRow, frozen=True):
    """Balances as last given by the service, and as each file states them."""

    household_id: Household
    id: Identity
    arrangement_id: Arrangement
    institution_id: Institution
    account_id: Annotated[str, "account"]
    currency: Annotated[str, "ISO 4217"]
    current_balance: Annotated[str | None, "balance; negative is owed, as written"]
    current_balance_minor: Annotated[
        int | None,
        "balance; negative is owed",
        Unit("minor units of currency (AUD: cents)"),
    ]
    available_balance: Annotated[str | None, "what can be drawn, as written"]
    available_balance_minor: Annotated[int | None, "what can be drawn", Unit("minor units of currency (AUD: cents)")]
    credit_limit: Annotated[str | None, "limit, 0 where none, as written"]
    credit_limit_minor: Annotated[int | None, "limit, 0 where none", Unit("minor units of currency (AUD: cents)")]
    amortised_limit: Annotated[str | None, "amortised limit, as written"]
    amortised_limit_minor: Annotated[int | None, "amortised limit", Unit("minor units of currency (AUD: cents)")]
    purses: Annotated[str | None, "balances in other currencies", JSON]
    as_of: Annotated[
        dt.datetime, "when it was read; of a file's balance noon UTC of its day, the same day all over Australia"
    ]
    file_id: Annotated[str | None, "the import that it came from (files)"]
    raw: Raw


@table_row(
    "transactions",
    key=("household_id", "id"),
    resource="banking.transactions",
    search=("description", "merchant_name", "reference", "biller_name", "payee", "payer"),
    references=GIVEN_BY_FILE,
)
class TransactionRow(TableRow, frozen=True):
    """Money movements, posted and pending. Money out is negative. Date-times keep the text as written, offset and
    all."""

    household_id: Household
    id: Identity
    source: Source
    arrangement_id: Arrangement
    institution_id: Institution
    account_id: Annotated[str, "account"]
    transaction_id: Annotated[str | None, "the bank's own id"]
    status: Annotated[str, "POSTED or PENDING"]
    amount: Annotated[str, "signed amount, as written"]
    amount_minor: Annotated[int, "signed amount", Unit("minor units of currency (AUD: cents)")]
    currency: Annotated[str, "ISO 4217"]
    type: Annotated[str | None, "the bank's kind of movement, such as PAYMENT or TRANSFER_OUTGOING"]
    execution_date_time: Annotated[str | None, "when the person acted, as written"]
    posting_date_time: Annotated[str | None, "when the bank booked it, as written"]
    value_date_time: Annotated[str | None, "when it counts for interest, as written"]
    description: Annotated[str | None, "the bank's words"]
    reference: Annotated[str | None, "payment reference"]
    merchant_name: Annotated[str | None, "merchant, where the service names one"]
    merchant_category_code: Annotated[str | None, "ISO 18245"]
    primary_category: Annotated[str | None, "category as given, such as FOOD_AND_DRINK"]
    secondary_category: Annotated[str | None, "finer category as given"]
    category_confidence: Annotated[str | None, "VERY_HIGH, HIGH, MEDIUM or LOW"]
    biller_code: Annotated[str | None, "BPAY biller"]
    biller_name: Annotated[str | None, "BPAY biller's name"]
    crn: Annotated[str | None, "BPAY customer reference"]
    apca_number: Annotated[str | None, "direct-entry user id"]
    payer: Annotated[str | None, "who paid, from extended data"]
    payee: Annotated[str | None, "who was paid, from extended data"]
    extended_description: Annotated[str | None, "long text of a fast payment"]
    end_to_end_id: Annotated[str | None, "fast payment id shared by both legs"]
    balance_minor: Annotated[int | None, "running balance after it, where the file gives one", Unit("minor units")]
    occurrence: Annotated[int | None, "number of this identical row within its file day, from 1 (files)"]
    file_id: Annotated[str | None, "the import that it came from (files)"]
    vanished_at: VanishedAt
    superseded_by: SupersededBy
    raw: Raw


@table_row("payees", key=("household_id", "id"), resource="banking.payees")
class PayeeRow(TableRow, frozen=True):
    """People and billers that can be paid."""

    household_id: Household
    id: Identity
    arrangement_id: Arrangement
    institution_id: Institution
    payee_id: Annotated[str | None, "identity at the bank"]
    nickname: Annotated[str | None, "name to show"]
    description: Annotated[str | None, "the person's note"]
    type: Annotated[str | None, "BILLER, DOMESTIC, INTERNATIONAL, DIGITAL_WALLET"]
    payee_u_type: Annotated[str | None, "which destination is filled"]
    account_number: Annotated[str | None, "domestic account, masked when shown"]
    bsb: Annotated[str | None, "domestic bank-state-branch"]
    biller_code: Annotated[str | None, "BPAY biller"]
    creation_date: Annotated[dt.date | None, "added on"]
    vanished_at: VanishedAt
    superseded_by: SupersededBy
    raw: Raw


@table_row("scheduled_payments", key=("household_id", "id"), resource="banking.scheduled_payments")
class ScheduledPaymentRow(TableRow, frozen=True):
    """Payments set up to happen."""

    household_id: Household
    id: Identity
    arrangement_id: Arrangement
    institution_id: Institution
    scheduled_payment_id: Annotated[str | None, "identity at the bank"]
    account_id: Annotated[str | None, "account paid from"]
    nickname: Annotated[str | None, "name to show"]
    status: Annotated[str | None, "ACTIVE, INACTIVE, SKIP"]
    payer_reference: Annotated[str | None, "the payer's reference"]
    payee_reference: Annotated[str | None, "the payee's reference"]
    recurrence_u_type: Annotated[str | None, "onceOff, intervalSchedule, lastWeekDay, eventBased"]
    next_payment_date: Annotated[dt.date | None, "next day"]
    recurrence: Annotated[str | None, "the whole rule", JSON]
    payment_set: Annotated[str | None, "amounts and destinations", JSON]
    vanished_at: VanishedAt
    superseded_by: SupersededBy
    raw: Raw


@table_row("direct_debits", key=("household_id", "id"), resource="banking.direct_debits")
class DirectDebitRow(TableRow, frozen=True):
    """Who may take money."""

    household_id: Household
    id: Identity
    arrangement_id: Arrangement
    institution_id: Institution
    account_id: Annotated[str | None, "account"]
    description: Annotated[str | None, "authorised entity"]
    financial_institution: Annotated[str | None, "the entity's bank"]
    abn: Annotated[str | None, "Australian Business Number"]
    last_debit_date_time: Annotated[str | None, "last taken, as written"]
    last_debit_amount: Annotated[str | None, "last amount, as written"]
    last_debit_amount_minor: Annotated[int | None, "last amount", Unit("minor units of currency (AUD: cents)")]
    vanished_at: VanishedAt
    superseded_by: SupersededBy
    raw: Raw


@table_row("products", key=("institution_id", "product_id"), resource="banking.products")
class ProductRow(TableRow, frozen=True):
    """Bank products as published; belong to no household."""

    institution_id: Annotated[str, "institution"]
    product_id: Annotated[str, "identity"]
    name: Annotated[str | None, "name"]
    brand: Annotated[str | None, "brand"]
    product_category: Annotated[str | None, "category"]
    description: Annotated[str | None, "the bank's words"]
    is_tailored: Annotated[bool | None, "whether terms are negotiated"]
    effective_from: Annotated[str | None, "as written"]
    effective_to: Annotated[str | None, "as written"]
    last_updated: Annotated[str | None, "as written"]
    raw: Raw


TABLES = (
    AccountRow.table,
    BalanceRow.table,
    TransactionRow.table,
    PayeeRow.table,
    ScheduledPaymentRow.table,
    DirectDebitRow.table,
    ProductRow.table,
)
