"""Where a home is, as far as plans depend on it: postcode, distribution network, and whether there is any choice."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from toolkit.analytics.energy.plans.networks import (
    known_network,
    little_choice,
    nearest_networks,
    postcode_mismatch,
)
from toolkit.analytics.energy.plans.offers import Catalogue
from toolkit.answers.notes import Note
from toolkit.errors import ChoiceRequiredError
from toolkit.flows.household.service_points import ServicePoint, fuel_of
from toolkit.tables.reference import places
from toolkit.tables.schema.identity import HouseholdRow

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
