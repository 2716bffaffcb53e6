"""Bills that people of a household typed, as they count now."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, timedelta

from toolkit.answers.energy.bills import Fuel
from toolkit.store import Store
from toolkit.tables.schema.energy import InvoiceRow
from toolkit.tables.schema.journal import OverrideRow
from toolkit.tables.schema.typed import TypedInvoiceRow

DECISION = "invoice"
"""The kind of an override that puts a version of a typed bill in force, or removes the bill (empty value)."""


def fuel_named(fuel: str) -> Fuel:
    """Return the fuel of a stored row: GAS, else ELECTRICITY."""
    return "GAS" if fuel.upper() == "GAS" else "ELECTRICITY"


def same_meter(one: str, other: str) -> bool:
    """Return whether two meter numbers are one, with or without the check digit."""
    return one == other or ({len(one), len(other)} == {10, 11} and one[:10] == other[:10])


def typed_invoices(store: Store, home: str) -> list[TypedInvoiceRow]:
    """Load the typed bills in order of their days: of each the version that was typed last, unless it was removed."""
    rows = {(row.id, row.version): row for row in store.load(TypedInvoiceRow, home)}
    if not rows:
        return []
    decisions = store.load(OverrideRow, home, where={"kind": DECISION, "active": True})
    latest = {decision.subject: decision.value for decision in decisions}
    in_force = [rows[bill] for bill in latest.items() if bill in rows]
    return sorted(in_force, key=lambda row: (row.period_start, row.period_end, row.fuel, row.id))


def also_of_service(store: Store, home: str, typed: Sequence[TypedInvoiceRow]) -> set[str]:
    """Return the ids of typed bills that the service gives too, once a retailer is connected: that invoice counts.

    It is the same bill where fuel and days agree; retailers may count the day of a read twice.
    """
    rows = store.load(InvoiceRow, home, where={"vanished_at": None}) if typed else []
    fuels = dict(store.tuples("service_points", ("service_point_id", "fuel"), home)) if rows else {}
    return {bill.id for bill in typed for row in rows if _same_bill(bill, row, fuels)}


def _same_bill(bill: TypedInvoiceRow, row: InvoiceRow, fuels: dict[str, str]) -> bool:
    """Whether the days agree within one, and the fuel where the invoice names it. fuels: by service point."""
    named = {fuels[point] for point in json.loads(row.service_points or "[]") if point in fuels}
    return (
        _near(bill.period_start, row.period_start)
        and _near(bill.period_end, row.period_end)
        and (not named or bill.fuel in named)
    )


def _near(one: date, other: date | None) -> bool:
    return other is not None and abs(one - other) <= timedelta(1)


def counted_invoices(store: Store, home: str) -> list[TypedInvoiceRow]:
    """Load the typed bills that count as invoices: those that the service does not give too."""
    typed = typed_invoices(store, home)
    given = also_of_service(store, home, typed)
    return [bill for bill in typed if bill.id not in given]
