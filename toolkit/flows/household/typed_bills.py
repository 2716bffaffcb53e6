"""Bills that people of a household typed: as they count now, and as the reads of meters without meter data."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta

from toolkit.answers.energy.bills import Fuel
from toolkit.store import Store
from toolkit.tables.schema.energy import InvoiceRow
from toolkit.tables.schema.journal import OverrideRow
from toolkit.tables.schema.meters import ServicePointRow
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


def bills_by_point(store: Store, home: str) -> dict[str, list[TypedInvoiceRow]]:
    """Return service point id → its typed bills that state energy, in order of their days.

    A bill without a meter number is of the home's only meter of its fuel: one that is stored, else one that other bills
    name, else a meter of its own that is called after the fuel. Where there are several, it is of none.
    """
    bills = [bill for bill in typed_invoices(store, home) if bill.energy]
    if not bills:
        return {}
    where = {"vanished_at": None}
    stored = store.tuples("service_points", ("service_point_id", "fuel"), home, where=where)
    by_point: dict[str, list[TypedInvoiceRow]] = defaultdict(list)
    for fuel in dict.fromkeys(bill.fuel for bill in bills):
        own = [bill for bill in bills if bill.fuel == fuel]
        meters = _meters([point for point, of in stored if of.upper() == fuel], own)
        for bill in own:
            named = [meter for meter in meters if bill.service_point_id and same_meter(meter, bill.service_point_id)]
            candidates = named if bill.service_point_id else meters
            if len(candidates) == 1:
                by_point[candidates[0]].append(bill)
    return dict(by_point)


def _meters(stored: Sequence[str], bills: Sequence[TypedInvoiceRow]) -> list[str]:
    """Return the stored meters of a fuel and those that only bills name; one called after the fuel where none is."""
    meters = list(stored)
    for bill in bills:
        if bill.service_point_id and not any(same_meter(meter, bill.service_point_id) for meter in meters):
            meters.append(bill.service_point_id)
    return meters or [f"{bills[0].fuel.lower()}-bills"]


def bills_as_reads(store: Store, home: str, point: str) -> list[TypedInvoiceRow]:
    """Return the bills whose energy stands for the reads of a service point: none where it has reads of its own."""
    bills = bills_by_point(store, home).get(point, [])
    where = {"service_point_id": point}
    if bills and any(store.count(name, home, where=where) for name in ("register_days", "meter_reads")):
        return []
    return bills


def points_of_bills(store: Store, home: str, known: Sequence[ServicePointRow]) -> list[ServicePointRow]:
    """Return a service point for each meter that only bills are known of."""
    stored = {row.service_point_id for row in known}
    return [
        _point(home, point, bills[0].fuel)
        for point, bills in bills_by_point(store, home).items()
        if point not in stored
    ]


def _point(home: str, point: str, fuel: str) -> ServicePointRow:
    is_number = not point.endswith("-bills")
    return ServicePointRow(
        household_id=home,
        id=point,
        source="file",
        arrangement_id=None,
        institution_id=None,
        service_point_id=point,
        national_metering_id=point if is_number else None,
        fuel=fuel,
        jurisdiction_code=None,
        state=None,
        postcode=None,
        network=None,
        timezone=None,
        service_point_status=None,
        service_point_classification=None,
        customer_type=None,
        is_generator=None,
        valid_from_date=None,
        vanished_at=None,
        superseded_by=None,
        raw=None,
    )
