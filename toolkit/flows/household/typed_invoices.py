"""Bills that people of a household typed, as they count now."""

from __future__ import annotations

from toolkit.answers.energy.bills import Fuel
from toolkit.store import Store
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
