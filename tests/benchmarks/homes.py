"""A home's year of 5-minute reads: general use, controlled load and export."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

FIRST, LAST = date(2025, 1, 1), date(2025, 12, 31)
ZONE = "Australia/Brisbane"
NMI = "NZZZ000001"
INTERVALS = 365 * 288
REGISTERS = (("E1", "import", False, 80), ("E2", "import", True, 30), ("B1", "export", False, 50))
"""Suffix, direction, controlled load, greatest Wh in an interval."""


def home_year(seed: int) -> pl.DataFrame:
    """Frame `reads` from 1 January to 31 December 2025 (AEST)."""
    chance = np.random.default_rng(seed)
    starts = _starts(5)
    return pl.concat(
        _register(starts, chance.integers(0, most, INTERVALS) * 1_000_000, NMI, suffix, direction, controlled)
        for suffix, direction, controlled, most in REGISTERS
    )


def half_hours(homes: int) -> pl.DataFrame:
    """Frame `reads` of the same year for many homes, one register of general use each."""
    chance = np.random.default_rng(1)
    starts = _starts(30)
    return pl.concat(
        _register(starts, chance.integers(0, 800, len(starts)) * 1_000_000, f"NZZZ{home:06}", "E1", "import", False)
        for home in range(homes)
    )


def _starts(minutes: int) -> pl.Series:
    begins = datetime(2024, 12, 31, 14, tzinfo=UTC)
    ends = begins + timedelta(365)
    return pl.datetime_range(
        begins, ends, f"{minutes}m", closed="left", time_unit="us", time_zone="UTC", eager=True
    ).alias("starts_at")


def _register(
    starts: pl.Series, energy_nano: NDArray[np.int64], point: str, suffix: str, direction: str, controlled: bool
) -> pl.DataFrame:
    return pl.DataFrame({"starts_at": starts, "energy_nano": energy_nano}).with_columns(
        pl.lit(point).alias("service_point_id"),
        pl.lit("M").alias("meter_id"),
        pl.lit(suffix).alias("register_suffix"),
        pl.lit("KWH").alias("unit"),
        pl.lit(direction).alias("direction"),
        pl.lit(controlled).alias("controlled_load"),
        pl.lit(365 * 1440 // len(starts), dtype=pl.Int64).alias("interval_minutes"),
        pl.lit("ACTUAL").alias("quality"),
        (pl.col("starts_at") + pl.duration(hours=10)).dt.date().alias("date"),
    )


def nem12(reads: pl.DataFrame) -> str:
    return "\n".join(["100,NEM12,202601010000,MDP,RET", *_records(reads), "900", ""])


def _records(reads: pl.DataFrame) -> Iterator[str]:
    for suffix, _, _, _ in REGISTERS:
        yield f"200,{NMI},E1E2B1,{suffix},{suffix},N1,M,kWh,5,"
        own = reads.filter(pl.col("register_suffix") == suffix)["energy_nano"].to_numpy().reshape(365, 288) / 10**9
        for day, values in enumerate(own):
            listed = ",".join(f"{value:.3f}" for value in values)
            yield f"300,{FIRST + timedelta(day):%Y%m%d},{listed},A,,,20260101000000,"
