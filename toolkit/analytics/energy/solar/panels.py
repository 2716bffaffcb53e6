"""The panels, inverters and batteries of a home, as the register of devices or a person gives them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from toolkit.analytics.energy.solar.roofs import Array
from toolkit.tables.schema.meters import DerRecordRow


@dataclass(frozen=True, slots=True)
class Panels:
    """kw: rated size, source: where it comes from; both None where unknown. since: first day in use.

    arrays: each with its size and orientation, as far as known. storage_kwh: of a battery; 0 where there is none for
    certain, None where not known.
    """

    kw: float | None = None
    source: str | None = None
    inverter_kw: float | None = None
    storage_kwh: float | None = None
    since: date | None = None
    arrays: tuple[Array, ...] = ()


def registered_devices(records: Sequence[DerRecordRow], service_point_id: str) -> Panels:
    """Sum up the register of devices at a service point: solar, inverters, storage; None where none has a figure."""
    here = [row for row in records if row.service_point_id == service_point_id and row.vanished_at is None]

    def total(sizes: Iterable[float | None]) -> float | None:
        known = [size for size in sizes if size]
        return sum(known) if known else None

    return Panels(
        kw=total(row.panels_kw for row in here),
        inverter_kw=total(row.inverter_kw for row in here),
        storage_kwh=total(row.storage_kwh for row in here),
        since=min((row.commissioning_date for row in here if row.commissioning_date), default=None),
    )
