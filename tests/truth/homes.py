"""Homes whose use and generation are known: half-hour reads by rule, and as a meter file. Nothing of the toolkit.

Reads are frames in the shape that `toolkit.read_usage` gives: one row per interval and register, energy in 10^-9 kWh,
days in AEST.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tests.truth.roofs import SLOT_US, generated

Values = NDArray[np.float64]

FIRST = date(2024, 7, 1)


def midnight_us(day: date) -> int:
    """Return midnight AEST of a day in microseconds since 1970, UTC."""
    return int((datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=10)).timestamp()) * 1_000_000


def reads(first: date, kwh: Values, *, export: bool = False) -> pl.DataFrame:
    """Return frame `reads` of one register (E1 import or B1 export) with `kwh` in each half hour from a day on."""
    starts = midnight_us(first) + np.arange(len(kwh), dtype=np.int64) * SLOT_US
    frame = pl.DataFrame(
        {
            "starts_at": pl.Series(starts).cast(pl.Datetime("us", "UTC")),
            "energy_nano": pl.Series(np.rint(kwh * 1e9).astype(np.int64)),
        }
    )
    return frame.select(
        service_point_id=pl.lit("home"),
        meter_id=pl.lit("M"),
        register_suffix=pl.lit("B1" if export else "E1"),
        unit=pl.lit("KWH"),
        direction=pl.lit("export" if export else "import"),
        controlled_load=pl.lit(value=False),
        date=(pl.col("starts_at") + pl.duration(hours=10)).dt.date(),
        interval_minutes=pl.lit(30, pl.Int64),
        starts_at="starts_at",
        energy_nano="energy_nano",
        quality=pl.lit("ACTUAL"),
    )


def daily_reads(
    first: date, days: int, kwh: Callable[[date], float], *, shape: Values | None = None, export: bool = False
) -> pl.DataFrame:
    """Return reads of whole meter days of `kwh(day)` a day, spread evenly or by `shape` (48 shares)."""
    shares = np.full(48, 1 / 48) if shape is None else shape
    energy = np.outer([kwh(first + timedelta(n)) for n in range(days)], shares).ravel()
    return reads(first, energy, export=export)


def with_humps(days: int, load_kw: float, chance: np.random.Generator) -> Values:
    """Return kWh of each half hour: a flat load with a morning and an evening hump, 20 % up or down at random."""
    hour = np.tile(np.arange(48) / 2, days)
    load = load_kw / 2 * (1 + 1.5 * np.exp(-((hour - 7.5) ** 2)) + 3 * np.exp(-((hour - 19) ** 2) / 4))
    return load * chance.uniform(0.8, 1.2, days * 48)


def by_day(days: int, by_day_kw: float, seed: int = 3) -> Values:
    """Return kWh of each half hour: 0.25 kW at night, `by_day_kw` from 8:00 to 17:00, 0.8 kW in the evening."""
    hour = np.tile(np.arange(48) / 2, days)
    level = np.where((hour >= 8) & (hour < 17), by_day_kw, np.where((hour >= 17) & (hour < 22), 0.8, 0.25))
    return level / 2 * np.random.default_rng(seed).uniform(0.8, 1.2, len(hour))


@dataclass(frozen=True)
class SolarHome:
    """A home with panels: kWh generated and used in each half hour from `first`."""

    first: date
    made: Values
    used: Values

    @property
    def net(self) -> pl.DataFrame:
        """The reads of a net meter: what is bought and what is sold."""
        bought, sold = np.maximum(self.used - self.made, 0), np.maximum(self.made - self.used, 0)
        return pl.concat([reads(self.first, bought), reads(self.first, sold, export=True)])

    @property
    def gross(self) -> pl.DataFrame:
        """The reads of a gross meter, which counts all that is used and all that is generated."""
        return pl.concat([reads(self.first, self.used), reads(self.first, self.made, export=True)])

    @property
    def truth(self) -> dict[str, float]:
        """kWh generated, the share of it used at home, and the share of use that it covers."""
        made, used = float(self.made.sum()), float(self.used.sum())
        at_once = float(np.minimum(self.made, self.used).sum())
        return {"generation_kwh": made, "self_consumption": at_once / made, "self_sufficiency": at_once / used}


def solar_home(*, panels_kw: float = 6.0, days: int = 365, load_kw: float = 0.4, seed: int = 1) -> SolarHome:
    """Return a home in Sydney whose panels face north."""
    made = generated(midnight_us(FIRST), days, seed=seed) * panels_kw
    return SolarHome(FIRST, made, with_humps(days, load_kw, np.random.default_rng(seed)))


def facing_home(
    facing: str, *, panels_kw: float, by_day_kw: float, tilt: float = 22.0, cloudy: bool = True
) -> SolarHome:
    """Return a year of a home in Sydney whose panels face any way, and whose people are in by day or not."""
    made = generated(midnight_us(FIRST), 365, facing=facing, tilt=tilt, cloudy=cloudy) * panels_kw
    return SolarHome(FIRST, made, by_day(365, by_day_kw))


def seasonal_home(first: date, days: int, seed: int) -> pl.DataFrame:
    """Return the reads of a home that heats and cools, with weekends and with warm and cold spells."""
    chance = np.random.default_rng(seed)
    level, swing, weekend = chance.uniform(6, 25), chance.uniform(0.1, 0.6), chance.uniform(1.0, 1.3)
    spell = 0.0
    daily: list[float] = []
    for n in range(days):
        day = first + timedelta(n)
        spell = 0.8 * spell + chance.normal(0, 0.08)  # a spell lasts some days
        season = 1 + swing * abs(np.cos(2 * np.pi * (day.timetuple().tm_yday - 15) / 365))
        use = level * season * (weekend if day.weekday() >= 5 else 1.0)
        daily.append(max(0.5, use * (1 + spell) * chance.uniform(0.85, 1.15)))
    return daily_reads(first, days, lambda day: daily[(day - first).days])
