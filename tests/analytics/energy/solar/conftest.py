"""A home with a known roof, so that what is estimated can be held against what was made."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest

from toolkit.analytics.energy.solar.climate import CITIES
from toolkit.analytics.energy.solar.sun import clear_output

SYDNEY = CITIES[0]
FIRST_US = int(datetime(2024, 6, 30, 14, tzinfo=UTC).timestamp()) * 1_000_000  # 1 July 2024, 00:00 AEST
SLOT_US = 1_800_000_000

Home = Callable[..., tuple[pl.DataFrame, float]]


def rows(starts_us: np.ndarray, kwh: np.ndarray, suffix: str, direction: str) -> pl.DataFrame:
    starts = pl.Series("starts_at", starts_us).cast(pl.Datetime("us", "UTC"))
    return pl.DataFrame({"starts_at": starts, "energy_nano": np.round(kwh * 1e9).astype(np.int64)}).select(
        service_point_id=pl.lit("home"),
        meter_id=pl.lit("M"),
        register_suffix=pl.lit(suffix),
        unit=pl.lit("KWH"),
        direction=pl.lit(direction),
        controlled_load=pl.lit(value=False),
        date=(pl.col("starts_at") + pl.duration(hours=10)).dt.date(),
        interval_minutes=pl.lit(30, pl.Int64),
        starts_at="starts_at",
        energy_nano="energy_nano",
        quality=pl.lit("ACTUAL"),
    )


def solar_home(
    *, panels_kw: float = 6.0, days: int = 365, load_kw: float = 0.4, seed: int = 1, net: bool = True
) -> tuple[pl.DataFrame, float]:
    """Half-hour reads of E1 and B1 in Sydney, and the kWh its panels made.

    Each day has a clearness of its own; the load is flat but for a morning and an evening hump. `net=False`: a gross
    meter, which counts all that is made.
    """
    chance = np.random.default_rng(seed)
    starts = FIRST_US + np.arange(days * 48, dtype=np.int64) * SLOT_US
    clearness = np.repeat(chance.choice([1.0, 0.95, 0.9, 0.7, 0.45, 0.2], days), 48)
    made = clear_output(starts, SYDNEY) * panels_kw * clearness
    hour = np.tile(np.arange(48) / 2, days)
    load = load_kw / 2 * (1 + 1.5 * np.exp(-((hour - 7.5) ** 2)) + 3 * np.exp(-((hour - 19) ** 2) / 4))
    load *= chance.uniform(0.8, 1.2, days * 48)
    imported, exported = (np.maximum(load - made, 0), np.maximum(made - load, 0)) if net else (load, made)
    reads = pl.concat([rows(starts, imported, "E1", "import"), rows(starts, exported, "B1", "export")])
    return reads, float(made.sum())


@pytest.fixture(scope="session")
def solar_reads() -> Home:
    return solar_home
