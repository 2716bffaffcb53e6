"""How much greenhouse gas a kWh or MJ from the network causes, by state."""

from __future__ import annotations

from functools import cache

import msgspec

from toolkit.tables.reference.packaged import PackagedTable, packaged


class CarbonFactor(msgspec.Struct, frozen=True, kw_only=True):
    """Location-based factors of one state, kg CO2-e per kWh."""

    scope2: float
    """Burnt in power stations."""
    scope3: float
    """Fuel supply and network losses."""


class CarbonFactors(PackagedTable, frozen=True, kw_only=True):
    """The factors of one edition of the National Greenhouse Accounts."""

    edition: int
    gas_kg_per_mj: float
    """Natural gas burnt at home, kg CO2-e per MJ."""
    states: dict[str, CarbonFactor]


@cache
def carbon_factors() -> CarbonFactors:
    """Return the packaged factors, with their source and date."""
    return packaged("carbon", CarbonFactors)
