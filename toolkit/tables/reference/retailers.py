"""Retailers of the public plan register: the last part of a retailer's address there → its brand.

Read from published plans (their `brand`) and from public copies of the register's own list, the newest of June 2026.
Not complete and not current for ever: brands come and go, so any other part can be named as well.
"""

from __future__ import annotations

RETAILERS: dict[str, str] = {
    "1st-energy": "1st Energy",
    "actewagl": "ActewAGL",
    "agl": "AGL",
    "alinta": "Alinta Energy",
    "altogether": "Altogether",
    "amber": "Amber Electric",
    "ampol": "Ampol Energy",
    "arcline": "Arcline by RACV",
    "aurora": "Aurora Energy",
    "blue-nrg": "Blue NRG",
    "brighte": "Brighte Energy",
    "cleanpeak": "CleanPeak Energy",
    "covau": "CovaU",
    "diamond": "Diamond Energy",
    "discover": "Discover Energy",
    "dodo": "Dodo",
    "energy-locals": "Energy Locals",
    "energyaustralia": "EnergyAustralia",
    "engie": "ENGIE",
    "ergon": "Ergon Energy Retail",
    "evergy": "Evergy",
    "flow-power": "Flow Power",
    "future-x": "Future X Power",
    "gee-energy": "GEE Energy",
    "globird": "GloBird Energy",
    "indigo": "Indigo Power",
    "kogan": "Kogan Energy",
    "locality-planning": "Locality Planning Energy",
    "localvolts": "Localvolts",
    "lumo": "Lumo Energy",
    "macquarie": "Macquarie",
    "momentum": "Momentum Energy",
    "nectr": "Nectr",
    "next-business": "Next Business Energy",
    "origin": "Origin Energy",
    "ovo-energy": "OVO Energy",
    "people-energy": "People Energy",
    "powershop": "Powershop",
    "powow": "Powow Power",
    "radian": "Radian Energy",
    "real-utilities": "Real Utilities",
    "red-energy": "Red Energy",
    "sanctuary": "Sanctuary Energy",
    "shell-energy": "Shell Energy",
    "smartestenergy": "SmartestEnergy",
    "sonnen": "sonnen",
    "sumo-gas": "Sumo (gas)",
    "sumo-power": "Sumo (electricity)",
    "tango": "Tango Energy",
    "tas-gas": "Tas Gas",
    "telstra-energy": "Telstra Energy",
    "zen-energy": "ZEN Energy",
}


def retailer_code(name: str) -> str:
    """The part of the address for a code or a brand, capitals aside; another name as a code of its own."""
    wanted = " ".join(name.split()).casefold()
    by_brand = {brand.casefold(): code for code, brand in RETAILERS.items()}
    return by_brand.get(wanted, wanted.replace(" ", "-"))
