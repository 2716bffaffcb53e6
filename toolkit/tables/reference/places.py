"""Locate a home: state, time zone and electricity network from a record or a person's answers. Postcodes are text.

Sources. Postcode ranges of the states: ranges seen in the public postcode lists of Australia Post's numbers, including
the post-office-box ranges. Time zones: IANA tz database, with Australian zones by state law; towns that keep
other hours are in `_POSTCODE_ZONES`. NMI prefixes: the NMI allocation list of the market operator (NMI Procedure).
Network names: as retailers write them in published plans (October 2024), so that they can be compared with a plan's
`distributors`; Ergon Energy Network, Western Power, Horizon Power and Power and Water publish none and stand under
their own names.
"""

from __future__ import annotations

__all__ = ["NETWORKS", "STATES", "network_of_nmi", "networks", "postcode_text", "state", "state_of_nmi", "zone"]

STATES = ("ACT", "NSW", "NT", "QLD", "SA", "TAS", "VIC", "WA")

_STATE_ZONES = {
    "ACT": "Australia/Sydney",
    "NSW": "Australia/Sydney",
    "NT": "Australia/Darwin",
    "QLD": "Australia/Brisbane",
    "SA": "Australia/Adelaide",
    "TAS": "Australia/Hobart",
    "VIC": "Australia/Melbourne",
    "WA": "Australia/Perth",
}

_POSTCODE_ZONES = {
    "2880": "Australia/Broken_Hill",
    "2898": "Australia/Lord_Howe",
    "2899": "Pacific/Norfolk",
    "6798": "Indian/Christmas",
    "6799": "Indian/Cocos",
}
"""These hold whatever the state: the towns keep other hours than their state does."""

_POSTCODE_STATES = {"2540": "NSW", "2620": "NSW", "0872": "NT", "2406": "NSW", "4825": "QLD"}
"""Shared across borders: where most addresses are. 2540 NSW and Jervis Bay (ACT law), 2620 NSW and ACT, 0872 NT, SA and
WA, 2406 NSW and QLD, 4825 QLD and NT; 3500, 3585–3707 (VIC) and 4377–4385 (QLD) also have homes in NSW. The state as
given is asked first for that reason."""

_RANGES = (
    ("0200", "0221", "ACT"),
    ("0800", "0909", "NT"),
    ("1000", "1999", "NSW"),
    ("2000", "2599", "NSW"),
    ("2600", "2620", "ACT"),
    ("2621", "2899", "NSW"),
    ("2900", "2920", "ACT"),
    ("3000", "3999", "VIC"),
    ("4000", "4999", "QLD"),
    ("5000", "5999", "SA"),
    ("6000", "6999", "WA"),
    ("7000", "7999", "TAS"),
    ("8000", "8999", "VIC"),
    ("9000", "9999", "QLD"),
)

NETWORKS: dict[str, tuple[str, ...]] = {
    "ACT": ("Evoenergy",),
    "NSW": ("Ausgrid", "Endeavour", "Essential Energy"),
    "NT": ("Power and Water",),
    "QLD": ("Energex", "Ergon Energy Network"),
    "SA": ("SA Power Networks",),
    "TAS": ("TasNetworks",),
    "VIC": ("AusNet Services (electricity)", "Citipower", "Jemena", "Powercor", "United Energy"),
    "WA": ("Western Power", "Horizon Power"),
}
"""Electricity distribution networks by state, to choose from. A border town may hang on a neighbour's network."""

_NMI_NETWORKS = {
    "2001": "SA Power Networks",
    "2002": "SA Power Networks",
    "SAAA": "SA Power Networks",
    "30": "Ergon Energy Network",
    "QAAA": "Ergon Energy Network",
    "31": "Energex",
    "QB": "Energex",
    "4001": "Essential Energy",
    "4204": "Essential Energy",
    "4407": "Essential Energy",
    "4508": "Essential Energy",
    "NAAA": "Essential Energy",
    "NBBB": "Essential Energy",
    "NDDD": "Essential Energy",
    "NFFF": "Essential Energy",
    "410": "Ausgrid",
    "NCCC": "Ausgrid",
    "431": "Endeavour",
    "NEEE": "Endeavour",
    "6001": "Jemena",
    "VDDD": "Jemena",
    "6102": "Citipower",
    "6103": "Citipower",
    "VAAA": "Citipower",
    "6203": "Powercor",
    "6204": "Powercor",
    "VCCC": "Powercor",
    "6305": "AusNet Services (electricity)",
    "6306": "AusNet Services (electricity)",
    "VBBB": "AusNet Services (electricity)",
    "6407": "United Energy",
    "VEEE": "United Energy",
    "7001": "Evoenergy",
    "NGGG": "Evoenergy",
    "8000": "TasNetworks",
    "8590": "TasNetworks",
    "8001": "Western Power",
}
_NETWORK_STATES = {name: place for place, names in NETWORKS.items() for name in names}


def postcode_text(postcode: str | int | None) -> str | None:
    """Return a postcode as four digits, leading zeros restored (`800` and 800 are `0800`); None if invalid."""
    digits = "" if postcode is None else str(postcode).strip()
    if not digits.isascii() or not digits.isdigit() or len(digits) not in (3, 4):
        return None
    return digits.zfill(4)


def state(postcode: str | int | None) -> str | None:
    """The state most addresses of that postcode are in, such as `NSW`; None where it is unknown."""
    code = postcode_text(postcode)
    if code is None:
        return None
    if code in _POSTCODE_STATES:
        return _POSTCODE_STATES[code]
    return next((place for first, last, place in _RANGES if first <= code <= last), None)


def zone(state_code: str | None = None, postcode: str | int | None = None) -> str | None:
    """The IANA time zone of a home, such as `Australia/Adelaide`; None if neither is known.

    Towns with hours of their own first, then the state as given (any case), then the postcode's state: a border
    postcode alone does not determine the state.
    """
    code = postcode_text(postcode)
    if code in _POSTCODE_ZONES:
        return _POSTCODE_ZONES[code]
    given = (state_code or "").strip().upper()
    return _STATE_ZONES.get(given if given in _STATE_ZONES else state(code) or "")


def networks(state_code: str | None = None, postcode: str | int | None = None) -> tuple[str, ...]:
    """The networks to choose from in a state; all of Australia where the state is unknown."""
    given = (state_code or "").strip().upper()
    place = given if given in NETWORKS else state(postcode)
    return NETWORKS[place] if place else tuple(sorted(_NETWORK_STATES))


def network_of_nmi(nmi: str | None) -> str | None:
    """The network a NMI was first given by; None where the prefix is not known. A hint: check it with the person."""
    code = (nmi or "").strip().upper()
    if len(code) not in (10, 11):
        return None
    return next((_NMI_NETWORKS[code[:n]] for n in (4, 3, 2) if code[:n] in _NMI_NETWORKS), None)


def state_of_nmi(nmi: str | None) -> str | None:
    """The state of the network a NMI was given by; None where it is not known."""
    return _NETWORK_STATES.get(network_of_nmi(nmi) or "")
