"""Typical days: a few real days that represent all (k-medoids over the half hours of each day)."""

from __future__ import annotations

from typing import cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["typical_days"]

Floats = NDArray[np.float64]

_MOST_ROUNDS = 50
_MOST_DAYS = 1_500
"""Four years; more days would take the square of their number in memory."""


def typical_days(days: pl.DataFrame, count: int) -> pl.DataFrame:
    """Return the days that represent all, the one that represents most first.

    days: `date` and `kw` (lists of 48 half hours, as `heat_map_days`); days with a gap are left out, and of more than
    1,500 the latest count. Columns: `date`, `kw`, `days` that it represents, `share` of all (0 to 1). The same days
    give the same result: the first medoid is the most central day, each further one the day farthest from those before.
    """
    whole = days.filter(~pl.col("kw").list.contains(None)).tail(_MOST_DAYS)
    if whole.is_empty():
        return pl.DataFrame(schema={"date": pl.Date, "kw": pl.List(pl.Float64), "days": pl.Int64, "share": pl.Float64})
    shapes = np.array(whole["kw"].to_list())
    distance = _distances(shapes)
    medoids = _refined(distance, _spread_out(distance, min(count, len(shapes))))
    sizes = np.bincount(distance[:, medoids].argmin(axis=1), minlength=len(medoids))
    found = whole[medoids].with_columns(days=pl.Series(sizes, dtype=pl.Int64), share=pl.Series(sizes / len(shapes)))
    return found.sort("days", "date", descending=[True, False])


def _distances(shapes: Floats) -> Floats:
    """Return [day, day], the Euclidean distance of the 48 half hours."""
    squares = (shapes**2).sum(axis=1)
    between = squares[:, None] + squares[None, :] - 2 * shapes @ shapes.T
    return cast("Floats", np.sqrt(np.maximum(between, 0.0)))


def _spread_out(distance: Floats, count: int) -> list[int]:
    medoids = [int(distance.sum(axis=1).argmin())]
    while len(medoids) < count:
        medoids.append(int(distance[:, medoids].min(axis=1).argmax()))
    return medoids


def _refined(distance: Floats, medoids: list[int]) -> list[int]:
    """Move each medoid to the most central day of its group until none moves."""
    for _ in range(_MOST_ROUNDS):
        group = distance[:, medoids].argmin(axis=1)
        moved = []
        for number, medoid in enumerate(medoids):
            members = np.flatnonzero(group == number)
            central = distance[np.ix_(members, members)].sum(axis=1) if members.size else np.zeros(0)
            moved.append(int(members[central.argmin()]) if members.size else medoid)
        if moved == medoids:
            break
        medoids = moved
    return medoids
