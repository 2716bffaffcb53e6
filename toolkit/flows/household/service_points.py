"""Which service points a question is about, where they are, and their reads: bills that people typed where none are."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import polars as pl

from toolkit.analytics.energy.intervals.billed import billed_reads
from toolkit.analytics.energy.intervals.prepare import combine
from toolkit.analytics.energy.plans.offers import (
    Catalogue,
    little_choice,
)
from toolkit.answers.base import Note
from toolkit.errors import ChoiceRequiredError, NothingStoredError
from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.reference import places
from toolkit.tables.rows.plans import Fuel
from toolkit.tables.schema.energy import InvoiceRow
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.journal import OverrideRow
from toolkit.tables.schema.meters import ServicePointRow
from toolkit.tables.schema.typed import TypedInvoiceRow
from toolkit.units import DEFAULT_ZONE

DECISION = "invoice"
"""The kind of an override that puts a version of a typed bill in force, or removes the bill (empty value)."""


def fuel_named(fuel: str) -> Fuel:
    """Return the fuel of a stored row: GAS, else ELECTRICITY."""
    return "GAS" if fuel.upper() == "GAS" else "ELECTRICITY"


def same_meter(one: str, other: str) -> bool:
    """Return whether two meter numbers are one, with or without the check digit."""
    return one == other or ({len(one), len(other)} == {10, 11} and one[:10] == other[:10])


def only_others_have_meter(store: Store, household_id: str, numbers: Collection[str]) -> bool:
    """Return whether another household has one of these meters (NMI or MIRN), and this household does not.

    Meter data and typed bills count; a meter number is one with and without its check digit.
    """
    stored = store.tuples("service_points", ("household_id", "service_point_id"))
    stored += store.tuples("service_points", ("household_id", "national_metering_id"))
    own = {meter for home, meter in stored if home == household_id}
    own |= {bill.service_point_id for bill in typed_invoices(store, household_id)}  # without those that were removed
    stored += store.tuples("typed_invoices", ("household_id", "service_point_id"))
    others = {meter for home, meter in stored if home != household_id}
    known, elsewhere = ({_without_check_digit(meter) for meter in meters if meter} for meters in (own, others))
    return not (elsewhere - known).isdisjoint(map(_without_check_digit, numbers))


def _without_check_digit(number: str) -> str:
    return number[:10] if len(number) == 11 else number


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
    """Return the bills with energy that replaces the reads of a service point: none where it has reads of its own."""
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


NO_METER = Message("No meter data is stored: ", Remedy.ADD_METER_FILE, ".")
"""What a question about meters is answered where none is stored."""


@dataclass(frozen=True, slots=True)
class ServicePoint:
    """A connection point of a household, with its place."""

    id: str
    """What reads refer to; of a file: the NMI."""
    fuel: str
    """ELECTRICITY or GAS."""
    zone: str
    """IANA time zone."""
    state: str | None
    postcode: str | None
    notes: tuple[Note, ...] = ()
    """What was assumed."""
    national_metering_id: str | None = None
    network: str | None = None
    """Distribution network as stored with the service point."""

    @property
    def ids(self) -> frozenset[str]:
        """The ids that invoices and account plans may name it by."""
        return frozenset({self.id, self.national_metering_id or self.id})

    def is_called(self, name: str) -> bool:
        """Return whether `name` is one of its ids, or its meter number with or without the check digit."""
        return any(same_meter(name, own) for own in self.ids)


def service_points(
    store: Store, household: HouseholdRow, wanted: str | None = None, *, fuel: str | None = None
) -> list[ServicePoint]:
    """Return the household's service points in order of id: all, or the one with id or meter number `wanted`.

    Meters that only typed bills with energy are known of are among them.

    fuel: ELECTRICITY or GAS; only these. Raises ChoiceRequiredError if there is none for `wanted`.
    """
    home = household.household_id
    stored = store.load(ServicePointRow, home, where={"vanished_at": None})
    rows = [row for row in [*stored, *points_of_bills(store, home, stored)] if fuel in (None, row.fuel)]
    if wanted is not None:
        named = [row for row in rows if wanted in (row.service_point_id, row.id, row.national_metering_id)]
        if not named:
            choices = sorted(row.service_point_id for row in rows)
            raise ChoiceRequiredError(f"No service point is called {wanted!r}.", choices)
        rows = named
    points = [_located(row, household) for row in sorted(rows, key=lambda row: row.service_point_id)]
    return [
        replace(point, notes=(*point.notes, Note("energy_from_bills")))
        if bills_as_reads(store, home, point.id)
        else point
        for point in points
    ]


def only_service_point(
    store: Store, household: HouseholdRow, wanted: str | None, *, fuel: str | None = None
) -> ServicePoint | None:
    """Return the service point named, else the only one.

    None where the household has none. Raises ChoiceRequiredError where there are several.
    """
    points = service_points(store, household, wanted, fuel=fuel if wanted is None else None)
    if len(points) > 1:
        raise ChoiceRequiredError(
            Message("Several service points: ", Remedy.CHOOSE_METER, "."), [point.id for point in points]
        )
    return points[0] if points else None


def billed_point(store: Store, household: HouseholdRow, wanted: str | None) -> ServicePoint:
    """Return the service point. Raises StoreError if there is none, ChoiceRequiredError if several match."""
    point = only_service_point(store, household, wanted)
    if point is None:
        raise NothingStoredError(NO_METER, "meter data")
    return point


def fuel_of(point: ServicePoint) -> Fuel:
    """Return the fuel of a service point."""
    return "GAS" if point.fuel.upper() == "GAS" else "ELECTRICITY"


def _located(row: ServicePointRow, household: HouseholdRow) -> ServicePoint:
    """Its own place counts first, then the household's, then where the meter number was given out."""
    state = _known_state(row.state) or _known_state(row.jurisdiction_code)
    postcode = row.postcode
    at_home = state is None and postcode is None
    if at_home:
        state, postcode = _known_state(household.state), household.postcode
    state = state or places.state(postcode)
    by_number = places.state_of_nmi(row.national_metering_id or row.service_point_id)
    # UTC and fixed offsets are the clock of a file; people live by that of a place
    own = row.timezone if row.timezone and "/" in row.timezone and not row.timezone.startswith("Etc/") else None
    zone = own or (household.timezone if at_home else None) or places.zone(state, postcode)
    zone = zone or household.timezone or places.zone(by_number)
    return ServicePoint(
        id=row.service_point_id,
        fuel=row.fuel,
        zone=zone or DEFAULT_ZONE,
        state=state or by_number,
        postcode=postcode,
        notes=() if zone else (Note("place_unknown"),),
        national_metering_id=row.national_metering_id,
        network=row.network,
    )


def _known_state(code: object) -> str | None:
    return str(code).upper() if str(code).upper() in places.STATES else None


def accumulation_reads(
    store: Store, household_id: str, point: ServicePoint, *, from_: date | None = None, to: date | None = None
) -> pl.DataFrame:
    """Return table `meter_reads` of a service point that touch these days; where it has no reads, all its bills."""
    if bills := bills_as_reads(store, household_id, point.id):
        return billed_reads(bills, point.id)
    return store.meter_reads(household_id, service_points=[point.id], from_=from_, to=to)


def all_reads(
    store: Store,
    household_id: str,
    point: ServicePoint,
    *,
    from_: date | None = None,
    to: date | None = None,
    generation: bool = False,
) -> tuple[pl.DataFrame, list[Problem]]:
    """Return frame `reads` of a service point on meter days: intervals, and accumulation reads by day.

    Where it has none, the energy of its typed bills, spread evenly over their days. generation: with registers of what
    panels generate, which no bill counts.

    Problems: reads that were not counted because another covers their days.
    """
    intervals = store.reads(household_id, service_points=[point.id], from_=from_, to=to)
    dial = accumulation_reads(store, household_id, point, from_=from_, to=to)
    reads, problems = combine(intervals, dial)
    if not generation:
        reads = reads.filter(pl.col("direction") != "generation")
    within = pl.col("date").is_between(from_ or date.min, to or date.max)
    return (reads if dial.is_empty() else reads.filter(within)), problems


MOST_CHOICES = 20


@dataclass(frozen=True, slots=True)
class HomePlace:
    """network: None where it is not known, and for gas. embedded: the building sells the power."""

    postcode: str | None
    network: str | None
    embedded: bool
    notes: tuple[Note, ...]

    @property
    def known(self) -> bool:
        """Whether it is known which plans are offered here."""
        return self.postcode is not None or self.network is not None


def home_place(
    household: HouseholdRow,
    point: ServicePoint,
    catalogue: Catalogue,
    *,
    postcode: str | None = None,
    network: str | None = None,
) -> HomePlace:
    """Return where the home is: as typed (postcode, network), else as stored, else by the meter's number.

    Raises ChoiceRequiredError for a typed network that is not known.
    """
    code = postcode or point.postcode or household.postcode
    known, notes = _network(household, point, catalogue, network)
    embedded = bool(household.embedded_network)
    electric = fuel_of(point) == "ELECTRICITY"
    state = places.state(postcode) if postcode else point.state
    if (electric or embedded) and (little := little_choice(state, known, code, embedded=embedded)):
        notes = [little, *notes]
    if code and known and (why := places.postcode_mismatch(known, code, catalogue.networks_at(code))):
        notes.append(Note("postcode_mismatch", network=known, why=why))
    return HomePlace(code, known, embedded, (*notes, *(() if code or known else (Note("place_missing"),))))


def _network(
    household: HouseholdRow, point: ServicePoint, catalogue: Catalogue, typed: str | None
) -> tuple[str | None, list[Note]]:
    """Return the network, and notes on how it is known."""
    known = {*catalogue.networks, *([] if fuel_of(point) == "GAS" else places.networks())}
    if typed:
        return checked_network(typed, known), []
    if fuel_of(point) == "GAS":
        return None, [Note("network_gas")]
    stored = household.network or point.network
    if stored and (spelling := places.known_network(stored, known)):
        return spelling, []
    unknown = [Note("network_not_known", network=stored)] if stored else []
    if guess := places.network_of_nmi(point.national_metering_id or point.id):
        return guess, [*unknown, Note("network_of_meter", network=guess)]
    return None, [*unknown, Note("network_missing")]


def checked_network(wanted: str, known: Collection[str]) -> str:
    """Return the known spelling of a network. Raises ChoiceRequiredError, with the nearest names, if unknown."""
    spelling = places.known_network(wanted, known)
    if spelling is None:
        nearest = places.nearest_networks(wanted, known)[:MOST_CHOICES]
        raise ChoiceRequiredError(f"{wanted!r} is not a known electricity distributor.", nearest, option="--network")
    return spelling
