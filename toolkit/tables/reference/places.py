"""Locate a home: state, time zone and electricity network from a record or a person's answers. Postcodes are text."""

from __future__ import annotations

from functools import cache

from toolkit.tables.reference.packaged import PackagedTable, packaged

STATES = ("ACT", "NSW", "NT", "QLD", "SA", "TAS", "VIC", "WA")


class _Places(PackagedTable, frozen=True):
    zones: dict[str, str]
    """State → IANA time zone."""
    postcode_zones: dict[str, str]
    """Postcode → IANA time zone of a town that keeps other hours than its state, whatever the state."""
    shared_postcodes: dict[str, str]
    """Postcode across a border → the state where most of its addresses are."""
    postcodes: dict[str, str]
    """First and last postcode of a range (`0200-0221`) → state."""


class _Networks(PackagedTable, frozen=True):
    states: dict[str, tuple[str, ...]]
    """State → its electricity distribution networks."""
    nmi_prefixes: dict[str, tuple[str, ...]]
    """Network → beginnings of the NMIs that it allocated, of 2 to 4 characters."""


@cache
def _places() -> _Places:
    return packaged("places", _Places)


def postcode_text(postcode: str | int | None) -> str | None:
    """Return a postcode as four digits, leading zeros restored (`800` and 800 are `0800`); None if invalid."""
    digits = "" if postcode is None else str(postcode).strip()
    if not digits.isascii() or not digits.isdigit() or len(digits) not in (3, 4):
        return None
    return digits.zfill(4)


def state(postcode: str | int | None) -> str | None:
    """Return the state that most addresses of a postcode are in, such as `NSW`; None where it is unknown."""
    code = postcode_text(postcode)
    if code is None:
        return None
    if shared := _places().shared_postcodes.get(code):
        return shared
    ranges = ((ends.split("-"), place) for ends, place in _places().postcodes.items())
    return next((place for (first, last), place in ranges if first <= code <= last), None)


def zone(state_code: str | None = None, postcode: str | int | None = None) -> str | None:
    """Return the IANA time zone of a home, such as `Australia/Adelaide`; None if neither is known.

    Towns with hours of their own first, then the state as given (any case), then the postcode's state: a border
    postcode alone does not determine the state.
    """
    places, given = _places(), (state_code or "").strip().upper()
    if own := places.postcode_zones.get(postcode_text(postcode) or ""):
        return own
    return places.zones.get(given if given in places.zones else state(postcode) or "")


def state_of_zone(zone: str) -> str | None:
    """Return the state that keeps the time of an IANA time zone; Sydney's is that of NSW, which the ACT shares."""
    return next((state for state, own in reversed(_places().zones.items()) if own == zone), None)


# ---- electricity networks


@cache
def networks_by_state() -> dict[str, tuple[str, ...]]:
    """Return state → electricity distribution networks. A border town may be connected to a neighbour's network."""
    return packaged("networks", _Networks).states


def networks(state_code: str | None = None, postcode: str | int | None = None) -> tuple[str, ...]:
    """Return the networks to choose from in a state; all of Australia where the state is unknown."""
    given, by_state = (state_code or "").strip().upper(), networks_by_state()
    place = given if given in by_state else state(postcode)
    return by_state[place] if place else tuple(sorted(name for names in by_state.values() for name in names))


def network_of_nmi(nmi: str | None) -> str | None:
    """Return the network that allocated a NMI; None where the prefix is unknown. A hint: check it with the person."""
    code, prefixes = (nmi or "").strip().upper(), _networks_by_prefix()
    if len(code) not in (10, 11):
        return None
    return next((prefixes[code[:n]] for n in (4, 3, 2) if code[:n] in prefixes), None)


@cache
def _networks_by_prefix() -> dict[str, str]:
    table = packaged("networks", _Networks).nmi_prefixes
    return {prefix: network for network, prefixes in table.items() for prefix in prefixes}


def state_of_nmi(nmi: str | None) -> str | None:
    """Return the state of the network that allocated a NMI; None where it is unknown."""
    network = network_of_nmi(nmi)
    return next((place for place, names in networks_by_state().items() if network in names), None)
