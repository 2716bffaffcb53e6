"""Energy accounts, plans, invoices, concessions, and the lines of a calculated bill."""

from __future__ import annotations

import datetime as dt

from toolkit.tables.schema.columns import (
    ARRANGEMENT,
    HOUSEHOLD,
    ID,
    INSTITUTION,
    RAW,
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
    real,
    text,
)
from toolkit.tables.schema.meters import TABLES as METER_TABLES

ENERGY_ACCOUNTS = Table(
    "energy_accounts",
    "Accounts with energy retailers.",
    (
        HOUSEHOLD,
        ID,
        ARRANGEMENT,
        INSTITUTION,
        text("account_id", "what plans, invoices and concessions refer to", required=True),
        text("account_number", "whole number; masked when shown"),
        text("display_name", "name to show"),
        text("open_status", "OPEN or CLOSED"),
        date("creation_date", "opened on"),
        VANISHED,
        SUPERSEDED,
        RAW,
    ),
    key=("household_id", "id"),
    resource="energy.accounts",
)


class EnergyAccountRow(TableRow, frozen=True):
    """A row of table `energy_accounts`."""

    table = ENERGY_ACCOUNTS

    household_id: str
    id: str
    arrangement_id: str | None
    institution_id: str | None
    account_id: str
    account_number: str | None
    display_name: str | None
    open_status: str | None
    creation_date: dt.date | None
    vanished_at: dt.datetime | None
    superseded_by: str | None
    raw: str | None


ACCOUNT_PLANS = Table(
    "account_plans",
    "Which plan an account has been on, from when to when. Append-only: a changed plan is a new row.",
    (
        HOUSEHOLD,
        text("account_id", "energy account", required=True),
        text("plan_id", "plan, in table `plans`", required=True),
        text("version", "content hash of that plan", required=True),
        text("nickname", "the person's name for it"),
        text("display_name", "the retailer's name for it"),
        json("service_point_ids", "service points it supplies"),
        date("start_date", "first day, inclusive"),
        date("end_date", "last day, inclusive; null while it lasts"),
        boolean("is_current", "whether the last sync still gave this version", required=True),
        ARRANGEMENT,
    ),
    key=("household_id", "account_id", "plan_id", "version"),
)


class AccountPlanRow(TableRow, frozen=True):
    """A row of table `account_plans`."""

    table = ACCOUNT_PLANS

    household_id: str
    account_id: str
    plan_id: str
    version: str
    nickname: str | None
    display_name: str | None
    service_point_ids: str | None
    start_date: dt.date | None
    end_date: dt.date | None
    is_current: bool
    arrangement_id: str | None


PLANS = Table(
    "plans",
    "Every version of every plan seen. Plans of the public belong to no household (empty household_id).",
    (
        text("household_id", "owner of an account's plan; empty for published plans", required=True),
        text("plan_id", "identity of the plan", required=True),
        text("version", "content hash", required=True),
        integer("sequence", "order of arrival; the greatest `last_updated`, then sequence, counts", required=True),
        text("source", "`service`, `file` or `register`", required=True),
        text("name", "display name"),
        text("retailer", "brand"),
        text("fuel_type", "ELECTRICITY, GAS or DUAL"),
        text("customer_type", "RESIDENTIAL or BUSINESS"),
        text("plan_type", "STANDING, MARKET or REGULATED"),
        json("distributors", "distribution networks it is offered in"),
        json("included_postcodes", "postcodes it is offered in"),
        json("excluded_postcodes", "postcodes it is not offered in"),
        text("effective_from", "as written"),
        text("effective_to", "as written"),
        text("last_updated", "as written"),
        text("file_id", "the import that it came from (files)"),
        ARRANGEMENT,
        instant("vanished_at", "when the register no longer listed it; such plans are kept and not compared"),
        text("raw", "the whole plan as it was given", required=True),
    ),
    key=("household_id", "plan_id", "version"),
    search=("name", "retailer"),
)


class PlanRow(TableRow, frozen=True):
    """A row of table `plans`."""

    table = PLANS

    household_id: str
    plan_id: str
    version: str
    sequence: int
    source: str
    name: str | None
    retailer: str | None
    fuel_type: str | None
    customer_type: str | None
    plan_type: str | None
    distributors: str | None
    included_postcodes: str | None
    excluded_postcodes: str | None
    effective_from: str | None
    effective_to: str | None
    last_updated: str | None
    file_id: str | None
    arrangement_id: str | None
    vanished_at: dt.datetime | None
    raw: str


INVOICES = Table(
    "invoices",
    "Energy invoices.",
    (
        HOUSEHOLD,
        ID,
        ARRANGEMENT,
        INSTITUTION,
        text("account_id", "energy account", required=True),
        text("invoice_number", "the retailer's number"),
        date("issue_date", "issued on"),
        date("due_date", "due on"),
        date("period_start", "first day, inclusive"),
        date("period_end", "last day, inclusive"),
        *money("invoice_amount", "amount of this invoice"),
        *money("gst_amount", "GST in it"),
        *money("balance_at_issue", "balance when issued"),
        text("payment_status", "PAID, PARTIALLY_PAID, NOT_PAID"),
        json("service_points", "service points it covers"),
        json("detail", "electricity, gas, account charges, pay-on-time discount as given"),
        VANISHED,
        SUPERSEDED,
        RAW,
    ),
    key=("household_id", "id"),
    resource="energy.invoices",
)


class InvoiceRow(TableRow, frozen=True):
    """A row of table `invoices`."""

    table = INVOICES

    household_id: str
    id: str
    arrangement_id: str | None
    institution_id: str | None
    account_id: str
    invoice_number: str | None
    issue_date: dt.date | None
    due_date: dt.date | None
    period_start: dt.date | None
    period_end: dt.date | None
    invoice_amount: str | None
    invoice_amount_minor: int | None
    gst_amount: str | None
    gst_amount_minor: int | None
    balance_at_issue: str | None
    balance_at_issue_minor: int | None
    payment_status: str | None
    service_points: str | None
    detail: str | None
    vanished_at: dt.datetime | None
    superseded_by: str | None
    raw: str | None


BILLING = Table(
    "billing",
    "Lines of the retailer's account: usage, demand, charges, payments.",
    (
        HOUSEHOLD,
        ID,
        ARRANGEMENT,
        INSTITUTION,
        text("account_id", "energy account", required=True),
        text("transaction_u_type", "usage, demand, onceOff, otherCharges, payment"),
        text("execution_date_time", "booked, as written"),
        text("invoice_number", "invoice it stands on"),
        text("service_point_id", "service point"),
        text("start_date", "as written"),
        text("end_date", "as written"),
        *money("amount", "amount, sign as given"),
        *money("gst", "GST, as given"),
        text("description", "the retailer's words"),
        real("usage", "energy", unit="measure_unit"),
        real("rate", "demand rate, as given"),
        text("measure_unit", "KWH, KVA …"),
        text("time_of_use_type", "PEAK, OFF_PEAK …"),
        boolean("is_estimate", "whether the retailer estimated"),
        text("method", "how a payment was made"),
        VANISHED,
        SUPERSEDED,
        RAW,
    ),
    key=("household_id", "id"),
    resource="energy.billing",
)


class BillingRow(TableRow, frozen=True):
    """A row of table `billing`."""

    table = BILLING

    household_id: str
    id: str
    arrangement_id: str | None
    institution_id: str | None
    account_id: str
    transaction_u_type: str | None
    execution_date_time: str | None
    invoice_number: str | None
    service_point_id: str | None
    start_date: str | None
    end_date: str | None
    amount: str | None
    amount_minor: int | None
    gst: str | None
    gst_minor: int | None
    description: str | None
    usage: float | None
    rate: float | None
    measure_unit: str | None
    time_of_use_type: str | None
    is_estimate: bool | None
    method: str | None
    vanished_at: dt.datetime | None
    superseded_by: str | None
    raw: str | None


CONCESSIONS = Table(
    "concessions",
    "Concessions and rebates on an energy account.",
    (
        HOUSEHOLD,
        ID,
        ARRANGEMENT,
        INSTITUTION,
        text("account_id", "energy account", required=True),
        text("display_name", "name"),
        text("type", "FIXED_AMOUNT, FIXED_PERCENTAGE, VARIABLE"),
        *money("amount", "amount each time"),
        text("percentage", "share as a decimal string, as written"),
        text("discount_frequency", "ISO 8601 duration"),
        json("applied_to", "INVOICE, USAGE, SERVICE_CHARGE, CONTROLLED_LOAD"),
        date("start_date", "first day, inclusive"),
        date("end_date", "last day, inclusive"),
        text("additional_info", "the retailer's words"),
        VANISHED,
        SUPERSEDED,
        RAW,
    ),
    key=("household_id", "id"),
    resource="energy.concessions",
)


class ConcessionRow(TableRow, frozen=True):
    """A row of table `concessions`."""

    table = CONCESSIONS

    household_id: str
    id: str
    arrangement_id: str | None
    institution_id: str | None
    account_id: str
    display_name: str | None
    type: str | None
    amount: str | None
    amount_minor: int | None
    percentage: str | None
    discount_frequency: str | None
    applied_to: str | None
    start_date: dt.date | None
    end_date: dt.date | None
    additional_info: str | None
    vanished_at: dt.datetime | None
    superseded_by: str | None
    raw: str | None


BILL_LINES = Table(
    "bill_lines",
    "A bill: one row per billing period × tariff period × charge or band × block.",
    (
        text(
            "component",
            "supply, usage, demand, controlled_load, metering, green_power, fee, discount, feed_in, concession",
            required=True,
        ),
        text("label", "the line's name: `price_label`, and its block where the price has blocks", required=True),
        text("price_label", "the price in the plan's words; blocks of a price share it", required=True),
        integer("block", "number of the block from 1; null where the price has no blocks"),
        text("tariff_period", "the plan's name for the tariff period, for usage, daily supply and demand"),
        date("from", "first day, inclusive, on the plan's clock", required=True),
        date("to", "last day, inclusive, on the plan's clock", required=True),
        real("quantity", "how much", unit="unit"),
        text("unit", "kWh, MJ, day, kW, $, month …"),
        text("unit_price", "price of one unit as decimal text, before GST where `gst` is added", unit="AUD per unit"),
        text("gst", "added, included or none", required=True),
        integer(
            "amount_minor",
            "with GST, rounded half away from zero; charges positive, credits negative",
            unit="cents",
            required=True,
        ),
        integer("gst_minor", "amount ÷ 11 rounded, where the line carries tax", unit="cents", required=True),
    ),
    key=(),
    stored=False,
)

TABLES = (
    ENERGY_ACCOUNTS,
    ACCOUNT_PLANS,
    PLANS,
    *METER_TABLES,
    INVOICES,
    BILLING,
    CONCESSIONS,
)
"""The order is part of the store's fingerprint: a new table goes last."""
