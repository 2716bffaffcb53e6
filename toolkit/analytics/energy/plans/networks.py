"""Electricity distribution networks: spellings, the postcodes they serve, and where there is no choice of retailer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

from toolkit.answers.notes import Note
from toolkit.tables.reference import places

_LITTLE_CHOICE = {"WA": "choice_in_wa", "NT": "choice_in_nt", "TAS": "choice_in_tas"}
_ENERGEX = ((4000, 4349), (4352, 4352), (4359, 4359), (4500, 4521), (4550, 4575), (4580, 4581))
"""Postcodes of Energex's area, small gaps closed: those of its plans as published in October 2024."""


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
    by_state = places.networks_by_state()
    states = {state for state, names in by_state.items() if any(same_network(network, name) for name in names)}
    state = places.state(postcode)
    if not states or state is None or state in states:
        return None
    return f"postcode {postcode} is in {state}"


def little_choice(state: str | None, network: str | None, postcode: str | None, *, embedded: bool) -> Note | None:
    """Return why there is little or nothing to switch to; None where retailers compete for homes."""
    if embedded:
        return Note("embedded_network")
    if state == "QLD" and _is_regional_queensland(network, postcode):
        return Note("choice_in_regional_qld")
    code = _LITTLE_CHOICE.get(state or "")
    return Note(code) if code else None


def _is_regional_queensland(network: str | None, postcode: str | None) -> bool:
    """Return whether a home is in Ergon's area, by its network, else by a postcode outside Energex's."""
    if network:
        return same_network("Ergon", network)
    code = places.postcode_text(postcode)
    if code is None or not code.startswith("4"):
        return False
    return not any(first <= int(code) <= last for first, last in _ENERGEX)
