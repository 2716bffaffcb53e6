"""Reads written out where they are used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta, timezone

import polars as pl
import pytest

from toolkit.tables.schema import table

AEST = timezone(timedelta(hours=10))
_TYPES = {
    "text": pl.String(),
    "integer": pl.Int64(),
    "boolean": pl.Boolean(),
    "date": pl.Date(),
    "instant": pl.Datetime("us", "UTC"),
}
SCHEMA = {column.name: _TYPES[column.kind] for column in table("reads").columns}

Day = Callable[..., pl.DataFrame]


def register_day(
    day: date,
    kwh: Sequence[float | None],
    *,
    suffix: str = "E1",
    meter: str = "M",
    controlled_load: bool = False,
    unit: str = "KWH",
    direction: str | None = None,
    quality: str = "ACTUAL",
) -> pl.DataFrame:
    """The reads of one register on one meter day: as many equal intervals as there are values; None is missing."""
    minutes = 1440 // len(kwh)
    midnight = datetime(day.year, day.month, day.day, tzinfo=AEST)
    rows = [
        {
            "service_point_id": "home",
            "meter_id": meter,
            "register_suffix": suffix,
            "unit": unit,
            "direction": direction or ("export" if suffix.startswith("B") else "import"),
            "controlled_load": controlled_load,
            "date": day,
            "interval_minutes": minutes,
            "starts_at": midnight + timedelta(minutes=minutes * n),
            "energy_nano": None if value is None else round(value * 1_000_000_000),
            "quality": "MISSING" if value is None else quality,
        }
        for n, value in enumerate(kwh)
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


@pytest.fixture(scope="session")
def of_day() -> Day:
    return register_day
