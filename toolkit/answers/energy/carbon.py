"""The greenhouse gas of the energy that a home took from the network."""

from __future__ import annotations

from datetime import date

from toolkit.answers.base import Answer


class Carbon(Answer, frozen=True, kw_only=True):
    """Greenhouse gas, kg CO2-e, by the average factor of a state; what one kWh more or less changes may differ."""

    state: str
    import_kg: float | None
    """Of electricity from the grid, scopes 2 and 3; null where none was measured."""
    export_avoided_kg: float | None
    """What the exported electricity kept others from burning, scope 2; never taken off `import_kg`."""
    gas_kg: float | None
    """Of gas burnt at home; null where none was measured."""
    kg_per_kwh: float
    """Scopes 2 and 3."""
    edition: int
    """Year of the National Greenhouse Accounts Factors."""
    source: str
    read: date
    """The day on which the source was read."""
