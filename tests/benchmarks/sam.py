"""NREL's Utilityrate5 on a year of 5-minute load."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from tests.analytics.energy.bills.utilityrate import NO_LIMIT, Hours, Step, Terms, model_of

REST, PEAK = 1, 2


def one_rate(reads: pl.DataFrame) -> Callable[[], object]:
    """One call prices one rate of two bands, without demand; setting it up beforehand is not counted."""
    energy = reads.filter(pl.col("register_suffix") == "E1")["energy_nano"].to_numpy() / 10**9
    weekday = [PEAK if 15 <= hour < 21 else REST for hour in range(24)]
    hours = Hours(weekday=[weekday] * 12, weekend=[[REST] * 24] * 12)
    steps = [Step(REST, 1, NO_LIMIT, 0.22, 0.05), Step(PEAK, 1, NO_LIMIT, 0.44, 0.05)]
    model = model_of((energy * 12).tolist(), [0.0] * len(energy), Terms(hours, steps, fixed=30))
    return lambda: model.execute(0)
