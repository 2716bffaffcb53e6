"""Energy accounts, plans, invoices, concessions, and the lines of a calculated bill."""

import datetime as dt

from toolkit.tables.schema.columns import (
    JSON,
    Annotated,
    Arrangement,
    Household,
    Identity,
    Institution,
    Raw,
    Reference,
    SupersededBy,
    TableRow,
    Unit,
    VanishedAt,
    table_row,
)
from toolkit.tables.schema.meters import TABLES as METER_TABLES

PUBLISHED = ""
"""The household of published plans, which belong to none."""


@table_row("energy_accounts", key=("household_id", "id"), resource="energy.accounts")
class EnergyAccountRow(TableRow, frozen=True):
    """Accounts with energy retailers."""

    household_id: Household
    id: Identity
    arrangement_id: Arrangement
    institution_id: Institution
    account_id: Annotated[str, "what plans, invoices and concessions refer to"]
    account_number: Annotated[str | None, "whole number; masked when shown"]
    display_name: Annotated[str | None, "name to show"]
    open_status: Annotated[str | None, "OPEN or CLOSED"]
    creation_date: Annotated[dt.date | None, "opened on"]
    vanished_at: VanishedAt
    superseded_by: SupersededBy
    raw: Raw


@table_row(
    "account_plans",
    key=("household_id", "account_id", "plan_id", "version"),
    references=(Reference(("household_id", "plan_id", "version"), "plans"),),
)
class AccountPlanRow(TableRow, frozen=True):
    """Which plan an account has been on, from when to when. Append-only: a changed plan is a new row."""

    household_id: Household
    account_id: Annotated[str, "energy account"]
    plan_id: Annotated[str, "plan, in table `plans`"]
    version: Annotated[str, "content hash of that plan"]
    nickname: Annotated[str | None, "the person's name for it"]
    display_name: Annotated[str | None, "the retailer's name for it"]
    service_point_ids: Annotated[str | None, "service points it supplies", JSON]
    start_date: Annotated[dt.date | None, "first day, inclusive"]
    end_date: Annotated[dt.date | None, "last day, inclusive; null while it lasts"]
    is_current: Annotated[bool, "whether the last sync still gave this version"]
    arrangement_id: Arrangement


@table_row("plans", key=("household_id", "plan_id", "version"), search=("name", "retailer"))
class PlanRow(TableRow, frozen=True):
    """Every version of every plan seen. Plans of the public belong to no household (empty household_id)."""

    household_id: Annotated[str, "owner of an account's plan; empty for published plans"]
    plan_id: Annotated[str, "identity of the plan"]
    version: Annotated[str, "content hash"]
    sequence: Annotated[int, "order of arrival; the greatest `last_updated`, then sequence, counts"]
    source: Annotated[str, "`service`, `file`, `register` or `typed`"]
    name: Annotated[str | None, "display name"]
    retailer: Annotated[str | None, "brand"]
    fuel_type: Annotated[str | None, "ELECTRICITY, GAS or DUAL"]
    customer_type: Annotated[str | None, "RESIDENTIAL or BUSINESS"]
    plan_type: Annotated[str | None, "STANDING, MARKET or REGULATED"]
    distributors: Annotated[str | None, "distribution networks it is offered in", JSON]
    included_postcodes: Annotated[str | None, "postcodes it is offered in", JSON]
    excluded_postcodes: Annotated[str | None, "postcodes it is not offered in", JSON]
    effective_from: Annotated[str | None, "as written"]
    effective_to: Annotated[str | None, "as written"]
    last_updated: Annotated[str | None, "as written"]
    file_id: Annotated[str | None, "the import that it came from (files)"]
    arrangement_id: Arrangement
    vanished_at: Annotated[
        dt.datetime | None,
        "when the register no longer listed it; such plans are kept and not compared",
    ]
    raw: Annotated[str, "the whole plan as it was given"]
    entered_at: Annotated[dt.datetime | None, "when a person first typed this version; null: of another source"] = None


@table_row("invoices", key=("household_id", "id"), resource="energy.invoices")
class InvoiceRow(TableRow, frozen=True):
    """Energy invoices."""

    household_id: Household
    id: Identity
    arrangement_id: Arrangement
    institution_id: Institution
    account_id: Annotated[str, "energy account"]
    invoice_number: Annotated[str | None, "the retailer's number"]
    issue_date: Annotated[dt.date | None, "issued on"]
    due_date: Annotated[dt.date | None, "due on"]
    period_start: Annotated[dt.date | None, "first day, inclusive"]
    period_end: Annotated[dt.date | None, "last day, inclusive"]
    invoice_amount: Annotated[str | None, "amount of this invoice, as written"]
    invoice_amount_minor: Annotated[int | None, "amount of this invoice", Unit("minor units of currency (AUD: cents)")]
    gst_amount: Annotated[str | None, "GST in it, as written"]
    gst_amount_minor: Annotated[int | None, "GST in it", Unit("minor units of currency (AUD: cents)")]
    balance_at_issue: Annotated[str | None, "balance when issued, as written"]
    balance_at_issue_minor: Annotated[int | None, "balance when issued", Unit("minor units of currency (AUD: cents)")]
    payment_status: Annotated[str | None, "PAID, PARTIALLY_PAID, NOT_PAID"]
    service_points: Annotated[str | None, "service points it covers", JSON]
    detail: Annotated[str | None, "electricity, gas, account charges, pay-on-time discount as given", JSON]
    vanished_at: VanishedAt
    superseded_by: SupersededBy
    raw: Raw


@table_row("billing", key=("household_id", "id"), resource="energy.billing")
class BillingRow(TableRow, frozen=True):
    """Lines of the retailer's account: usage, demand, charges, payments."""

    household_id: Household
    id: Identity
    arrangement_id: Arrangement
    institution_id: Institution
    account_id: Annotated[str, "energy account"]
    transaction_u_type: Annotated[str | None, "usage, demand, onceOff, otherCharges, payment"]
    execution_date_time: Annotated[str | None, "booked, as written"]
    invoice_number: Annotated[str | None, "invoice it stands on"]
    service_point_id: Annotated[str | None, "service point"]
    start_date: Annotated[str | None, "as written"]
    end_date: Annotated[str | None, "as written"]
    amount: Annotated[str | None, "amount, sign as given, as written"]
    amount_minor: Annotated[int | None, "amount, sign as given", Unit("minor units of currency (AUD: cents)")]
    gst: Annotated[str | None, "GST, as given, as written"]
    gst_minor: Annotated[int | None, "GST, as given", Unit("minor units of currency (AUD: cents)")]
    description: Annotated[str | None, "the retailer's words"]
    usage: Annotated[float | None, "energy", Unit("measure_unit")]
    rate: Annotated[float | None, "demand rate, as given"]
    measure_unit: Annotated[str | None, "KWH, KVA …"]
    time_of_use_type: Annotated[str | None, "PEAK, OFF_PEAK …"]
    is_estimate: Annotated[bool | None, "whether the retailer estimated"]
    method: Annotated[str | None, "how a payment was made"]
    vanished_at: VanishedAt
    superseded_by: SupersededBy
    raw: Raw


@table_row("concessions", key=("household_id", "id"), resource="energy.concessions")
class ConcessionRow(TableRow, frozen=True):
    """Concessions and rebates on an energy account."""

    household_id: Household
    id: Identity
    arrangement_id: Arrangement
    institution_id: Institution
    account_id: Annotated[str, "energy account"]
    display_name: Annotated[str | None, "name"]
    type: Annotated[str | None, "FIXED_AMOUNT, FIXED_PERCENTAGE, VARIABLE"]
    amount: Annotated[str | None, "amount each time, as written"]
    amount_minor: Annotated[int | None, "amount each time", Unit("minor units of currency (AUD: cents)")]
    percentage: Annotated[str | None, "share as a decimal string, as written"]
    discount_frequency: Annotated[str | None, "ISO 8601 duration"]
    applied_to: Annotated[str | None, "INVOICE, USAGE, SERVICE_CHARGE, CONTROLLED_LOAD", JSON]
    start_date: Annotated[dt.date | None, "first day, inclusive"]
    end_date: Annotated[dt.date | None, "last day, inclusive"]
    additional_info: Annotated[str | None, "the retailer's words"]
    vanished_at: VanishedAt
    superseded_by: SupersededBy
    raw: Raw


@table_row("bill_lines", key=(), stored=False)
class BillLineRow(TableRow, frozen=True):
    """A bill: one row per billing period × tariff period × charge or band × block."""

    component: Annotated[
        str,
        "supply, usage, demand, controlled_load, metering, green_power, fee, discount, feed_in, concession",
    ]
    label: Annotated[str, "the line's name: `price_label`, and its block where the price has blocks"]
    price_label: Annotated[str, "the price in the plan's words; blocks of a price share it"]
    block: Annotated[int | None, "number of the block from 1; null where the price has no blocks"]
    tariff_period: Annotated[str | None, "the plan's name for the tariff period, for usage, daily supply and demand"]
    from_: Annotated[dt.date, "first day, inclusive, on the plan's clock"]
    to: Annotated[dt.date, "last day, inclusive, on the plan's clock"]
    quantity: Annotated[float | None, "how much", Unit("unit")]
    unit: Annotated[str | None, "kWh, MJ, day, kW, $, month …"]
    unit_price: Annotated[
        str | None,
        "price of one unit as decimal text, before GST where `gst` is added",
        Unit("AUD per unit"),
    ]
    gst: Annotated[str, "added, included or none"]
    amount_minor: Annotated[
        int,
        "with GST, rounded half away from zero; charges positive, credits negative",
        Unit("cents"),
    ]
    gst_minor: Annotated[int, "amount ÷ 11 rounded, where the line carries tax", Unit("cents")]


TABLES = (
    EnergyAccountRow.table,
    AccountPlanRow.table,
    PlanRow.table,
    *METER_TABLES,
    InvoiceRow.table,
    BillingRow.table,
    ConcessionRow.table,
)
"""The order is part of the store's fingerprint: a new table goes last."""
