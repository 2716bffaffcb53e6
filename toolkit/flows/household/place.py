"""Where a home is, as far as plans depend on it: postcode, distribution network, and whether there is any choice."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from toolkit.analytics.energy.plans.networks import (
    known_network,
    little_choice,
    nearest_networks,
    postcode_mismatch,
)
from toolkit.errors import ChoiceRequiredError
from toolkit.flows.household.service_points import ServicePoint
from toolkit.flows.plans.offers import Catalogue
from toolkit.flows.plans.stored import fuel_of
from toolkit.tables.reference import places

MOST_CHOICES = 20
NOT_KNOWN = (
    "Savings are not shown, as plans depend on where the home is. Enter its postcode: --postcode NNNN, or "
    "`toolkit household set --postcode NNNN`."
)


@dataclass(frozen=True, slots=True)
class HomePlace:
    """network: None where it is not known, and for gas. embedded: the building sells the power. notes: sentences."""

    postcode: str | None
    network: str | None
    embedded: bool
    notes: tuple[str, ...]

    @property
    def known(self) -> bool:
        """Whether it is known which plans are offered here."""
        return self.postcode is not None or self.network is not None


def home_place(
    household: Mapping[str, Any],
    point: ServicePoint,
    catalogue: Catalogue,
    *,
    postcode: str | None = None,
    network: str | None = None,
) -> HomePlace:
    """As typed (postcode, network), else as stored, else by the meter's number.

    Raises ChoiceRequiredError for a typed network that is not known.
    """
    code = postcode or point.postcode or household["postcode"]
    found, notes = _network(household, point, catalogue, network)
    embedded = bool(household["embedded_network"])
    electric = fuel_of(point) == "ELECTRICITY"
    state = places.state(postcode) if postcode else point.state
    if (electric or embedded) and (why := little_choice(state, found, code, embedded=embedded)):
        notes = [f"{why}.", *notes]
    if code and found and (why := postcode_mismatch(found, code, catalogue.networks_at(code))):
        notes.append(f"The postcode and the network {found} do not fit: {why}. Check both.")
    return HomePlace(code, found, embedded, (*notes, *(() if code or found else (NOT_KNOWN,))))


def _network(
    household: Mapping[str, Any], point: ServicePoint, catalogue: Catalogue, typed: str | None
) -> tuple[str | None, list[str]]:
    """The network, and how it is known."""
    known = {*catalogue.networks, *([] if fuel_of(point) == "GAS" else places.networks())}
    if typed:
        return checked_network(typed, known), []
    if fuel_of(point) == "GAS":
        return None, ["Gas networks are not known here: plans of all gas networks are compared."]
    stored = household["network"] or point.row.get("network")
    if stored and (found := known_network(str(stored), known)):
        return found, []
    unknown = [f"The stored network {stored!r} is not a known one."] if stored else []
    if guess := places.network_of_nmi(point.row.get("national_metering_id") or point.id):
        return guess, [*unknown, f"The network {guess} is taken from the meter number; set another with --network."]
    listed = "The home's distribution network is not known, so plans of all networks are listed, each with its networks"
    return None, [*unknown, f"{listed}: name yours with --network, or `toolkit household set --network NAME`."]


def checked_network(wanted: str, known: Collection[str]) -> str:
    """Return the known spelling of a network. Raises ChoiceRequiredError, with the nearest names, if unknown."""
    found = known_network(wanted, known)
    if found is None:
        raise ChoiceRequiredError(f"{wanted!r} is not a known network.", nearest_networks(wanted, known)[:MOST_CHOICES])
    return found
