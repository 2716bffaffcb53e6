"""Accounts, balances, transactions and what is planned to be paid. Amounts: money out is negative."""

from __future__ import annotations

import datetime as dt

from toolkit.tables.schema.columns import (
    ARRANGEMENT,
    HOUSEHOLD,
    ID,
    INSTITUTION,
    RAW,
    SOURCE,
    SUPERSEDED,
    VANISHED,
    Table,
    TableRow,
    boolean,
    date,
    instant,
    integer,
    json,
    money,
    text,
)

ACCOUNTS = Table(
    "accounts",
    "Bank accounts, cards and loans.",
    (
        HOUSEHOLD,
        ID,
        SOURCE,
        ARRANGEMENT,
        INSTITUTION,
        text("account_id", "what transactions refer to", required=True),
        text(
            "linked_account_id",
            "the account it counts under, where both are one (a file's and the service's); worked out with the roll-up",
        ),
        text("layout", "layout of the files that it comes from, where these name no account; else null"),
        text("account_number", "whole number; masked on every page, log and report"),
        text("bsb", "bank-state-branch number"),
        text("masked_number", "number as the bank masks it"),
        text("display_name", "name to show"),
        text("nickname", "the person's own name for it"),
        text("product_name", "the bank's product"),
        text("product_category", "such as TRANS_AND_SAVINGS_ACCOUNTS, CRED_AND_CHRG_CARDS, RESIDENTIAL_MORTGAGES"),
        text("account_ownership", "ONE_PARTY, TWO_PARTY …"),
        text("open_status", "OPEN or CLOSED"),
        text("specific_account_u_type", "creditCard, termDeposit, loan, or null"),
        boolean("is_owned", "whether the end user owns it"),
        date("creation_date", "opened on"),
        VANISHED,
        SUPERSEDED,
        RAW,
    ),
    key=("household_id", "id"),
    resource="banking.accounts",
)


class AccountRow(TableRow, frozen=True):
    """A row of table `accounts`."""

    table = ACCOUNTS

    household_id: str
    id: str
    source: str
    arrangement_id: str | None
    institution_id: str | None
    account_id: str
    linked_account_id: str | None
    layout: str | None
    account_number: str | None
    bsb: str | None
    masked_number: str | None
    display_name: str | None
    nickname: str | None
    product_name: str | None
    product_category: str | None
    account_ownership: str | None
    open_status: str | None
    specific_account_u_type: str | None
    is_owned: bool | None
    creation_date: dt.date | None
    vanished_at: dt.datetime | None
    superseded_by: str | None
    raw: str | None


BALANCES = Table(
    "balances",
    "Balances as last given.",
    (
        HOUSEHOLD,
        ID,
        ARRANGEMENT,
        INSTITUTION,
        text("account_id", "account", required=True),
        text("currency", "ISO 4217", required=True),
        *money("current_balance", "balance; negative is owed"),
        *money("available_balance", "what can be drawn"),
        *money("credit_limit", "limit, 0 where none"),
        *money("amortised_limit", "amortised limit"),
        json("purses", "balances in other currencies"),
        instant("as_of", "when it was read", required=True),
        RAW,
    ),
    key=("household_id", "id"),
    resource="banking.balances",
)


class BalanceRow(TableRow, frozen=True):
    """A row of table `balances`."""

    table = BALANCES

    household_id: str
    id: str
    arrangement_id: str | None
    institution_id: str | None
    account_id: str
    currency: str
    current_balance: str | None
    current_balance_minor: int | None
    available_balance: str | None
    available_balance_minor: int | None
    credit_limit: str | None
    credit_limit_minor: int | None
    amortised_limit: str | None
    amortised_limit_minor: int | None
    purses: str | None
    as_of: dt.datetime
    raw: str | None


TRANSACTIONS = Table(
    "transactions",
    "Money movements, posted and pending. Money out is negative. Date-times keep the text as written, offset and all.",
    (
        HOUSEHOLD,
        ID,
        SOURCE,
        ARRANGEMENT,
        INSTITUTION,
        text("account_id", "account", required=True),
        text("transaction_id", "the bank's own id"),
        text("status", "POSTED or PENDING", required=True),
        *money("amount", "signed amount", required=True),
        text("currency", "ISO 4217", required=True),
        text("type", "the bank's kind of movement, such as PAYMENT or TRANSFER_OUTGOING"),
        text("execution_date_time", "when the person acted, as written"),
        text("posting_date_time", "when the bank booked it, as written"),
        text("value_date_time", "when it counts for interest, as written"),
        text("description", "the bank's words"),
        text("reference", "payment reference"),
        text("merchant_name", "merchant, where the service names one"),
        text("merchant_category_code", "ISO 18245"),
        text("primary_category", "category as given, such as FOOD_AND_DRINK"),
        text("secondary_category", "finer category as given"),
        text("category_confidence", "VERY_HIGH, HIGH, MEDIUM or LOW"),
        text("biller_code", "BPAY biller"),
        text("biller_name", "BPAY biller's name"),
        text("crn", "BPAY customer reference"),
        text("apca_number", "direct-entry user id"),
        text("payer", "who paid, from extended data"),
        text("payee", "who was paid, from extended data"),
        text("extended_description", "long text of a fast payment"),
        text("end_to_end_id", "fast payment id shared by both legs"),
        integer("balance_minor", "running balance after it, where the file gives one", unit="minor units"),
        integer("occurrence", "number of this identical row within its file day, from 1 (files)"),
        text("file_id", "the import that it came from (files)"),
        VANISHED,
        SUPERSEDED,
        RAW,
    ),
    key=("household_id", "id"),
    resource="banking.transactions",
    search=("description", "merchant_name", "reference", "biller_name", "payee", "payer"),
)


class TransactionRow(TableRow, frozen=True):
    """A row of table `transactions`."""

    table = TRANSACTIONS

    household_id: str
    id: str
    source: str
    arrangement_id: str | None
    institution_id: str | None
    account_id: str
    transaction_id: str | None
    status: str
    amount: str
    amount_minor: int
    currency: str
    type: str | None
    execution_date_time: str | None
    posting_date_time: str | None
    value_date_time: str | None
    description: str | None
    reference: str | None
    merchant_name: str | None
    merchant_category_code: str | None
    primary_category: str | None
    secondary_category: str | None
    category_confidence: str | None
    biller_code: str | None
    biller_name: str | None
    crn: str | None
    apca_number: str | None
    payer: str | None
    payee: str | None
    extended_description: str | None
    end_to_end_id: str | None
    balance_minor: int | None
    occurrence: int | None
    file_id: str | None
    vanished_at: dt.datetime | None
    superseded_by: str | None
    raw: str | None


PAYEES = Table(
    "payees",
    "People and billers that can be paid.",
    (
        HOUSEHOLD,
        ID,
        ARRANGEMENT,
        INSTITUTION,
        text("payee_id", "identity at the bank"),
        text("nickname", "name to show"),
        text("description", "the person's note"),
        text("type", "BILLER, DOMESTIC, INTERNATIONAL, DIGITAL_WALLET"),
        text("payee_u_type", "which destination is filled"),
        text("account_number", "domestic account, masked when shown"),
        text("bsb", "domestic bank-state-branch"),
        text("biller_code", "BPAY biller"),
        date("creation_date", "added on"),
        VANISHED,
        SUPERSEDED,
        RAW,
    ),
    key=("household_id", "id"),
    resource="banking.payees",
)


SCHEDULED_PAYMENTS = Table(
    "scheduled_payments",
    "Payments set up to happen.",
    (
        HOUSEHOLD,
        ID,
        ARRANGEMENT,
        INSTITUTION,
        text("scheduled_payment_id", "identity at the bank"),
        text("account_id", "account paid from"),
        text("nickname", "name to show"),
        text("status", "ACTIVE, INACTIVE, SKIP"),
        text("payer_reference", "the payer's reference"),
        text("payee_reference", "the payee's reference"),
        text("recurrence_u_type", "onceOff, intervalSchedule, lastWeekDay, eventBased"),
        date("next_payment_date", "next day"),
        json("recurrence", "the whole rule"),
        json("payment_set", "amounts and destinations"),
        VANISHED,
        SUPERSEDED,
        RAW,
    ),
    key=("household_id", "id"),
    resource="banking.scheduled_payments",
)


class ScheduledPaymentRow(TableRow, frozen=True):
    """A row of table `scheduled_payments`."""

    table = SCHEDULED_PAYMENTS

    household_id: str
    id: str
    arrangement_id: str | None
    institution_id: str | None
    scheduled_payment_id: str | None
    account_id: str | None
    nickname: str | None
    status: str | None
    payer_reference: str | None
    payee_reference: str | None
    recurrence_u_type: str | None
    next_payment_date: dt.date | None
    recurrence: str | None
    payment_set: str | None
    vanished_at: dt.datetime | None
    superseded_by: str | None
    raw: str | None


DIRECT_DEBITS = Table(
    "direct_debits",
    "Who may take money.",
    (
        HOUSEHOLD,
        ID,
        ARRANGEMENT,
        INSTITUTION,
        text("account_id", "account"),
        text("description", "authorised entity"),
        text("financial_institution", "the entity's bank"),
        text("abn", "Australian Business Number"),
        text("last_debit_date_time", "last taken, as written"),
        *money("last_debit_amount", "last amount"),
        VANISHED,
        SUPERSEDED,
        RAW,
    ),
    key=("household_id", "id"),
    resource="banking.direct_debits",
)


class DirectDebitRow(TableRow, frozen=True):
    """A row of table `direct_debits`."""

    table = DIRECT_DEBITS

    household_id: str
    id: str
    arrangement_id: str | None
    institution_id: str | None
    account_id: str | None
    description: str | None
    financial_institution: str | None
    abn: str | None
    last_debit_date_time: str | None
    last_debit_amount: str | None
    last_debit_amount_minor: int | None
    vanished_at: dt.datetime | None
    superseded_by: str | None
    raw: str | None


PRODUCTS = Table(
    "products",
    "Bank products as published; belong to no household.",
    (
        text("institution_id", "institution", required=True),
        text("product_id", "identity", required=True),
        text("name", "name"),
        text("brand", "brand"),
        text("product_category", "category"),
        text("description", "the bank's words"),
        boolean("is_tailored", "whether terms are negotiated"),
        text("effective_from", "as written"),
        text("effective_to", "as written"),
        text("last_updated", "as written"),
        RAW,
    ),
    key=("institution_id", "product_id"),
    resource="banking.products",
)


TABLES = (ACCOUNTS, BALANCES, TRANSACTIONS, PAYEES, SCHEDULED_PAYMENTS, DIRECT_DEBITS, PRODUCTS)
