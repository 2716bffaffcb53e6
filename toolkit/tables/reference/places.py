"""Locate a home: state, time zone and electricity network from a record or a person's answers. Postcodes are text.

Names of networks are compared as retailers and people spell them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache

from toolkit.tables.reference.packaged import PackagedTable, packaged

_RANGE = re.compile(r"(\d{3,4})\s*-\s*(\d{3,4})")
_ENERGEX = ((4000, 4349), (4352, 4352), (4359, 4359), (4500, 4521), (4550, 4575), (4580, 4581))
"""Postcodes of Energex's area, small gaps closed: those of its plans as published in October 2024."""
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


def lists_postcode(code: str, postcodes: Collection[str]) -> bool:
    """Return whether a postcode (four digits) is among entries given one by one or as ranges, `3000-3999`."""
    if code in postcodes:
        return True
    # Thousands of plans list hundreds of postcodes each: those of four digits are settled by now.
    for entry in [entry for entry in postcodes if len(entry) != 4 or not entry.isdigit()]:
        match = _RANGE.fullmatch(entry.strip())
        if match and match[1].zfill(4) <= code <= match[2].zfill(4):  # `800-899` is the Northern Territory's 0800
            return True
        if postcode_text(entry) == code:
            return True
    return False


def is_served(postcode: str, included: Collection[str], excluded: Collection[str]) -> bool:
    """Return whether a plan is offered at a postcode, by the lists of its own; one without a list everywhere."""
    code = postcode_text(postcode) or postcode
    return (not included or lists_postcode(code, included)) and not lists_postcode(code, excluded)


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


def networks() -> tuple[str, ...]:
    """Return all electricity distribution networks of Australia."""
    return tuple(sorted(name for names in networks_by_state().values() for name in names))


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


@lru_cache(maxsize=4096)
def same_network(one: str, other: str) -> bool:
    """Return whether two spellings mean one network: `Essential Energy` and `Essential Energy Standard` do."""
    # Retailers append tariff areas to a distributor's name, so one may begin with the other.
    first, second = _words(one), _words(other)
    shorter = min(len(first), len(second))
    return shorter > 0 and first[:shorter] == second[:shorter]


def _words(name: str) -> list[str]:
    """Return the words of a name in lower case, without punctuation."""
    return re.findall(r"\w+", name.casefold())


def known_network(wanted: str, known: Iterable[str]) -> str | None:
    """Return the spelling under which a network is known; as given where it is a part of one; None if unknown."""
    alike = [name for name in sorted(known) if same_network(wanted, name)]
    return next((name for name in alike if _words(name) == _words(wanted)), wanted.strip() if alike else None)


def nearest_networks(wanted: str, known: Iterable[str]) -> list[str]:
    """Return the known names spelt most like `wanted`, best first; all of them, sorted, where none is alike."""
    from difflib import get_close_matches  # only a misspelt name needs it

    names = {name.casefold(): name for name in sorted(set(known))}
    close = get_close_matches(wanted.strip().casefold(), names, n=3, cutoff=0.6)
    return [names[name] for name in close] or sorted(names.values())


def postcode_mismatch(network: str, postcode: str, there: Iterable[str]) -> str | None:
    """Return why a postcode cannot be in the network's area; None where it can, or where nothing is known.

    there: networks of plans that name the postcode.
    """
    # Plans know their area best; only where none names the postcode does the state decide.
    named = sorted(set(there))
    if named:
        if any(same_network(network, name) for name in named):
            return None
        return f"plans at postcode {postcode} are for {', '.join(named)}"
    by_state = networks_by_state()
    states = {code for code, names in by_state.items() if any(same_network(network, name) for name in names)}
    own = state(postcode)
    if not states or own is None or own in states:
        return None
    return f"postcode {postcode} is in {own}"


def is_regional_queensland(network: str | None, postcode: str | None) -> bool:
    """Return whether a home is in Ergon's area, by its network, else by a postcode outside Energex's."""
    if network:
        return same_network("Ergon", network)
    code = postcode_text(postcode)
    if code is None or not code.startswith("4"):
        return False
    return not any(first <= int(code) <= last for first, last in _ENERGEX)
