"""Solar, storage and inverters as the distributor's register of distributed energy resources (DER) lists them."""

from __future__ import annotations

from datetime import date

import msgspec

from toolkit.answers.base import Note


class Device(msgspec.Struct, frozen=True):
    """Devices of one model behind a connection."""

    type: str
    """SOLAR_PV, STORAGE … as registered; empty where not stated."""
    count: int
    rated_kw: float | None
    """Of one device, kW or kVA; null where unknown or 0."""
    storage_kwh: float | None
    """Of one device; null where it stores nothing or its size is unknown."""
    manufacturer: str | None
    model: str | None
    is_active: bool


class Connection(msgspec.Struct, frozen=True):
    """An AC connection, most often an inverter, with the devices behind it."""

    equipment: str
    """INVERTER … as registered."""
    count: int
    inverter_kva: float | None
    """Of one inverter; null where unknown or 0."""
    manufacturer: str | None
    model: str | None
    commissioned: date | None
    is_active: bool
    devices: tuple[Device, ...]


class RegisteredDevices(msgspec.Struct, frozen=True):
    """The record of one service point."""

    service_point_id: str
    approved_kva: float | None
    """What the distributor approved; null where unknown or 0."""
    phases: int | None
    export_limit_kva: float | None
    """Null where there is none."""
    connections: tuple[Connection, ...]
    findings: tuple[Note, ...]
    """What in the record does not fit together, or is missing."""
