"""Greenhouse gas of energy bought: location-based factors of the National Greenhouse Accounts (NGA), by edition.

Source: National Greenhouse Accounts Factors, editions 2024 and 2025 (Commonwealth of Australia, CC BY 4.0). Scope 2 is
what the power stations emit for a kilowatt-hour used, scope 3 what fuel supply and the lines add. Bought electricity
counts both; exported electricity avoids scope 2 elsewhere, to be shown beside and never netted.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["GAS_KG_PER_GJ", "LATEST", "NGA", "Factor", "factor"]


class Factor(NamedTuple):
    """kg CO2-e per kWh; None where the edition's figure could not be confirmed."""

    scope_2: float | None
    scope_3: float | None


NGA: dict[tuple[int, str], Factor] = {
    (2024, "NSW"): Factor(0.66, 0.04),
    (2024, "ACT"): Factor(0.66, 0.04),
    (2024, "VIC"): Factor(0.77, 0.09),
    (2024, "QLD"): Factor(0.71, 0.10),
    (2024, "SA"): Factor(0.23, 0.05),
    (2024, "WA"): Factor(0.51, 0.06),
    (2024, "WA-NWIS"): Factor(0.61, 0.09),
    (2024, "TAS"): Factor(0.15, 0.03),
    (2024, "NT"): Factor(0.56, 0.07),
    (2024, "AUSTRALIA"): Factor(0.63, 0.07),
    (2025, "NSW"): Factor(0.64, 0.03),
    (2025, "ACT"): Factor(0.64, 0.03),
    (2025, "VIC"): Factor(0.78, 0.09),
    (2025, "QLD"): Factor(0.67, 0.09),
    (2025, "SA"): Factor(0.22, 0.04),
    (2025, "WA"): Factor(0.50, 0.06),
    (2025, "WA-NWIS"): Factor(None, 0.09),
    (2025, "TAS"): Factor(0.20, 0.03),
    (2025, "NT"): Factor(0.56, 0.09),
    (2025, "AUSTRALIA"): Factor(0.62, 0.07),
}
"""By (edition, region): a state, `WA-NWIS` for the north-west grid (WA alone is the south-west), or `AUSTRALIA`."""

LATEST = max(edition for edition, _ in NGA)

GAS_KG_PER_GJ = 51.53
"""Natural gas burnt, scope 1, all gases, kg CO2-e per GJ."""


def factor(region: str | None, edition: int = LATEST) -> Factor:
    """The factor of a state; of Australia where the state is unknown. Raises KeyError for an edition not held."""
    return NGA.get((edition, (region or "").strip().upper())) or NGA[edition, "AUSTRALIA"]
