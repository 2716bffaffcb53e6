"""Reads and plans written out by rule, so that the next bill can be told by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import numpy as np
import polars as pl
import pytest

from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.tables.plans import read_plan

Reads = Callable[..., pl.DataFrame]
Plan = Callable[..., Rates]


def daily_reads(
    first: date, days: int, kwh: Callable[[date], float], *, shape: np.ndarray | None = None, export: bool = False
) -> pl.DataFrame:
    """Half-hour reads of whole meter days (AEST) of `kwh(day)` a day, spread evenly or by `shape` (48 shares)."""
    shares = np.full(48, 1 / 48) if shape is None else shape
    dates = [first + timedelta(n) for n in range(days)]
    energy = np.outer([kwh(day) for day in dates], shares).ravel()
    midnight = datetime(first.year, first.month, first.day, tzinfo=UTC) - timedelta(hours=10)
    starts = int(midnight.timestamp()) * 1_000_000 + np.arange(days * 48, dtype=np.int64) * 1_800_000_000
    return pl.DataFrame(
        {
            "starts_at": pl.Series(starts).cast(pl.Datetime("us", "UTC")),
            "date": pl.Series(dates).repeat_by(48).explode(),
            "energy_nano": pl.Series(np.rint(energy * 1e9).astype(np.int64)),
        }
    ).select(
        service_point_id=pl.lit("home"),
        meter_id=pl.lit("M"),
        register_suffix=pl.lit("B1" if export else "E1"),
        unit=pl.lit("KWH"),
        direction=pl.lit("export" if export else "import"),
        controlled_load=pl.lit(value=False),
        date="date",
        interval_minutes=pl.lit(30, pl.Int64),
        starts_at="starts_at",
        energy_nano="energy_nano",
        quality=pl.lit("ACTUAL"),
    )


def flat_plan(price: str = "0.30", supply: str = "1.00", **more: object) -> Rates:
    """One rate all year on AEST, before GST."""
    period = {"daily_supply_charge": supply, "single_rate": {"rates": [{"unit_price": price}]}}
    fuel = str(more.pop("fuel", "electricity"))
    contract = {"time_zone": "AEST", "tariff_period": [period], **more}
    return compile_plan(
        read_plan({"plan_id": "P", f"{fuel}_contract": contract}), "GAS" if fuel == "gas" else "ELECTRICITY"
    )


@pytest.fixture(scope="session")
def reads_of() -> Reads:
    return daily_reads


@pytest.fixture(scope="session")
def flat() -> Plan:
    return flat_plan
