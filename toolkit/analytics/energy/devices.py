"""What in a record of distributed energy resources does not fit together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolkit.answers.base import Note
from toolkit.answers.energy.devices import Connection

__all__ = ["findings", "in_kw"]

_MOST_PANELS_TO_INVERTER = 4 / 3
"""Panels of at most 133 % of the inverter were eligible for certificates (Clean Energy Council's design guidelines)."""
_LARGEST_KW = 100.0
"""No single device of a home has more: a larger figure is in watts."""
_SLACK = 1.05
"""Ratings are rounded."""
_NEAR = 0.1
"""Share by which the size that the home states may differ from the registered one."""


def in_kw(rated: float | None) -> float | None:
    """Return a rating in kW, where the register may hold watts; None where it is unknown or 0."""
    if not rated:
        return None
    return rated / 1000 if rated > _LARGEST_KW else rated


def findings(
    connections: Sequence[Connection], *, approved_kva: float | None, rated: Sequence[float], home_kw: float | None
) -> Iterator[Note]:
    """Yield what does not fit. rated: capacities as registered. home_kw: size of the panels that the home states."""
    active = [connection for connection in connections if connection.is_active]
    devices = [device for connection in active for device in connection.devices if device.is_active]
    panels = sum((d.rated_kw or 0) * d.count for d in devices if d.type == "SOLAR_PV")
    inverters = sum((c.inverter_kva or 0) * c.count for c in active)
    for value in rated:
        if value > _LARGEST_KW:
            yield Note("der_in_watts", rated=value)
    if connections and not active:
        yield Note("der_nothing_active")
    behind = sum(d.is_active for c in connections if not c.is_active for d in c.devices)
    if behind and active:
        yield Note("der_device_without_inverter", count=behind)
    if any(d.type == "SOLAR_PV" and d.rated_kw is None for d in devices):
        yield Note("der_panels_without_size")
    if any(d.type == "STORAGE" and d.storage_kwh is None for d in devices):
        yield Note("der_storage_without_size")
    if panels and inverters and panels > inverters * _MOST_PANELS_TO_INVERTER * _SLACK:
        yield Note("der_panels_exceed_inverter", panels=panels, inverter=inverters)
    if approved_kva and inverters > approved_kva * _SLACK:
        yield Note("der_inverter_exceeds_approval", inverter=inverters, approved=approved_kva)
    if panels and home_kw and abs(panels - home_kw) > _NEAR * home_kw:
        yield Note("der_differs_from_home", panels=panels, home=home_kw)
