"""Typed bills as the reads of meters without meter data, and such meters as service points of the home."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from toolkit.flows.household.typed_invoices import same_meter, typed_invoices
from toolkit.store import Store
from toolkit.tables.schema.meters import ServicePointRow
from toolkit.tables.schema.typed import TypedInvoiceRow


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
