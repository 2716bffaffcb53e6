"""Figures of each household as last worked out, what a person decided about insights, and visits."""

import datetime as dt

from toolkit.tables.schema.columns import JSON, Annotated, Household, TableRow, Unit, table_row

_CENTS = Unit("minor units of currency (AUD: cents)")


@table_row("household_figures", key=("household_id",), internal=True)
class HouseholdFiguresRow(TableRow, frozen=True):
    """Figures that depend on the day, as worked out for a day; derived, and deleted with what they come from."""

    household_id: Household
    as_of: Annotated[dt.date, "day that they were worked out for"]
    basis: Annotated[str, "hash of what they were worked out from; others are out of date"]
    data_to: Annotated[dt.date | None, "last day with meter data or transactions"]
    next_bill_minor: Annotated[int | None, "forecast of the next energy bill", _CENTS]
    saving_minor: Annotated[int | None, "a year on the best plan instead of today's", _CENTS]
    low_point_on: Annotated[dt.date | None, "day with the lowest balance"]
    low_point_p10_minor: Annotated[int | None, "balance of that day, lower one time in ten", _CENTS]
    low_point_minor: Annotated[int | None, "likely balance of that day", _CENTS]
    bills_that_differ: Annotated[int | None, "bills that differ from reads and plan; null: none could be checked"]
    insights: Annotated[str, "what needs attention, most important first", JSON]
    next_bills: Annotated[str | None, "forecast of the next bill of each meter", JSON]


@table_row("insight_decisions", key=("household_id", "insight_id"))
class InsightDecisionRow(TableRow, frozen=True):
    """What a person decided about something that needed attention."""

    household_id: Household
    insight_id: Annotated[str, "kind and hash of the cause"]
    until: Annotated[dt.date | None, "shown again from this day on; null: done"]


@table_row("visits", key=("household_id",), internal=True)
class VisitRow(TableRow, frozen=True):
    """The latest visit to the app, so that the next one can show what was added since."""

    household_id: Household
    launch: Annotated[str, "hash that is new for each start of the app"]
    at: Annotated[dt.datetime, "first page of that visit"]
    before: Annotated[dt.datetime | None, "first page of the visit before; null on the first"]


TABLES = (HouseholdFiguresRow.table, InsightDecisionRow.table, VisitRow.table)
"""The order is part of the store's fingerprint: a new table goes last."""
