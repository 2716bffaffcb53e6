"""What people of a household type themselves, in addition to files and the service."""

import datetime as dt

from toolkit.tables.schema.columns import JSON, Annotated, EnteredAt, Household, TableRow, Unit, table_row

_CENTS = Unit("minor units of currency (AUD: cents)")


@table_row("typed_invoices", key=("household_id", "id", "version"))
class TypedInvoiceRow(TableRow, frozen=True):
    """Bills typed by hand or read from a PDF. Append-only: which version counts, is in table `choices` (kind
    `invoice`)."""

    household_id: Household
    id: Annotated[str, "identity of the bill, the same for all of its versions"]
    version: Annotated[str, "content hash; a corrected bill is a new row"]
    source: Annotated[str, "`typed`, or `pdf` where the form was filled from a file"]
    retailer: Annotated[str | None, "retailer's name"]
    fuel: Annotated[str, "ELECTRICITY or GAS"]
    service_point_id: Annotated[str | None, "NMI or MIRN; null: the home's only meter of that fuel"]
    invoice_number: Annotated[str | None, "the retailer's number"]
    plan_name: Annotated[str | None, "plan as the bill names it"]
    period_start: Annotated[dt.date, "first day, inclusive"]
    period_end: Annotated[dt.date, "last day, inclusive"]
    issue_date: Annotated[dt.date | None, "issued on"]
    due_date: Annotated[dt.date | None, "due on"]
    billed_minor: Annotated[int, "new charges of the period with GST; negative for a bill in credit", _CENTS]
    payments_minor: Annotated[int | None, "payments received since the bill before, as a positive amount", _CENTS]
    balance_brought_forward_minor: Annotated[int | None, "owed from earlier bills; negative for a credit", _CENTS]
    concession_minor: Annotated[int | None, "concessions taken off `billed_minor`, as a positive amount", _CENTS]
    energy: Annotated[str | None, "[{register, quantity, unit}, …] as on the bill; quantities as text", JSON]
    estimated: Annotated[bool | None, "whether the bill is based on an estimated read"]
    entered_at: EnteredAt = None
    lines: Annotated[
        str | None,
        "[{component, name, quantity, unit, unit_price, amount}, …]: lines of charges read of a PDF; numbers as text, "
        "prices and amounts in AUD as printed, component null where the line prices no known part of a plan; of an "
        "amount alone quantity and unit_price are null",
        JSON,
    ] = None
    paid: Annotated[bool | None, "whether a person said that it is paid; null: nothing was said"] = None


@table_row("typed_concessions", key=("household_id", "id"))
class TypedConcessionRow(TableRow, frozen=True):
    """Concessions that the home holds, as a person typed them from a bill or chose them from the packaged list."""

    household_id: Household
    id: Annotated[str, "derived from fuel, name and first day: a new figure from a later day is a new row"]
    name: Annotated[str, "what the bill calls it"]
    fuel: Annotated[str, "ELECTRICITY or GAS"]
    shape: Annotated[str, "`yearly`, `percent_above` or `percent_of_usage` (docs/pricing-rules.md)"]
    amount_minor: Annotated[int | None, "a year: the credit, or what `percent_above` starts at", _CENTS]
    percent: Annotated[str | None, "decimal text, such as 17.5", Unit("%")]
    first_day: Annotated[dt.date | None, "first day; null: always"]
    last_day: Annotated[dt.date | None, "last day, inclusive; null: no end is known"]
    listed_id: Annotated[str | None, "id in the packaged list; null: typed"]
    entered_at: EnteredAt = None


@table_row("as_told", key=("household_id", "id"))
class AsToldRow(TableRow, frozen=True):
    """Income, expenses, debts and people of the home as the person stated them, for the report."""

    household_id: Household
    id: Annotated[str, "derived from kind and name: a new figure replaces the earlier one"]
    kind: Annotated[str, "income, expense, debt or people"]
    name: Annotated[str, "what it is, in the person's words"]
    section: Annotated[str | None, "of an expense: housing, energy, bills, food, transport, gambling or other"]
    amount_minor: Annotated[int | None, "what comes in or goes out a `per`; of a debt its repayment", _CENTS]
    per: Annotated[str | None, "week, fortnight, month, quarter or year"]
    balance_minor: Annotated[int | None, "of a debt: owed", _CENTS]
    arrears_minor: Annotated[int | None, "of a debt: overdue", _CENTS]
    entered_at: EnteredAt = None


TABLES = (TypedInvoiceRow.table, TypedConcessionRow.table, AsToldRow.table)
"""The order is part of the store's fingerprint: a new table goes last."""
