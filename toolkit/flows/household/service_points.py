"""Which service points a question is about, where they are, which plans depend on that, and all their reads."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date

import polars as pl

from toolkit.analytics.energy.intervals.billed import billed_reads
from toolkit.analytics.energy.intervals.prepare import combine
from toolkit.analytics.energy.plans.offers import (
    Catalogue,
    known_network,
    little_choice,
    nearest_networks,
    postcode_mismatch,
)
from toolkit.answers.notes import Note
from toolkit.errors import ChoiceRequiredError, NothingStoredError, Problem
from toolkit.flows.household.typed_bills import bills_as_reads, points_of_bills, same_meter
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.plans import Fuel
from toolkit.tables.reference import places
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.meters import ServicePointRow
from toolkit.units import DEFAULT_ZONE

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
    zone = row.timezone or (household.timezone if at_home else None) or places.zone(state, postcode)
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


def all_reads(
    store: Store, household_id: str, point: ServicePoint, *, from_: date | None = None, to: date | None = None
) -> tuple[pl.DataFrame, list[Problem]]:
    """Frame `reads` of a service point on meter days: intervals, and accumulation reads by day.

    Where it has none, the energy of its typed bills, spread evenly over their days.

    Problems: reads that were not counted because another covers their days.
    """
    intervals = store.reads(household_id, service_points=[point.id], from_=from_, to=to)
    dial = store.meter_reads(household_id, service_points=[point.id], from_=from_, to=to)
    if bills := bills_as_reads(store, household_id, point.id):
        dial = billed_reads(bills, point.id)
    reads, problems = combine(intervals, dial)
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
    if code and known and (why := postcode_mismatch(known, code, catalogue.networks_at(code))):
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
    if stored and (spelling := known_network(stored, known)):
        return spelling, []
    unknown = [Note("network_not_known", network=stored)] if stored else []
    if guess := places.network_of_nmi(point.national_metering_id or point.id):
        return guess, [*unknown, Note("network_of_meter", network=guess)]
    return None, [*unknown, Note("network_missing")]


def checked_network(wanted: str, known: Collection[str]) -> str:
    """Return the known spelling of a network. Raises ChoiceRequiredError, with the nearest names, if unknown."""
    spelling = known_network(wanted, known)
    if spelling is None:
        raise ChoiceRequiredError(f"{wanted!r} is not a known network.", nearest_networks(wanted, known)[:MOST_CHOICES])
    return spelling
