"""A register-day that two files each know a part of (files in local time cut the meter day in two)."""

from __future__ import annotations

import numpy as np

from toolkit.importers.imported import Row
from toolkit.tables.register_days import MISSING, interval_qualities, is_later, pack_integers, quality_runs, unpack
from toolkit.units import NANO_DECIMALS


def merged(stored: Row, new: Row) -> tuple[Row, int]:
    """The day with what either has, the new file first, and in how many intervals they contradict each other.

    The new file's alone where they are not of one kind, or together show more than any meter.
    """
    if any(stored[name] != new[name] for name in ("interval_minutes", "intervals", "unit")):
        return new, int(new["intervals"])
    was, now = _values(stored), _values(new)
    before, after = (interval_qualities(row["qualities"], int(row["intervals"])) for row in (stored, new))
    has = np.array([quality != MISSING for quality in after], dtype=np.bool_)
    had = np.array([quality != MISSING for quality in before], dtype=np.bool_)
    qualities = [a if a != MISSING else b for b, a in zip(before, after, strict=True)]
    try:
        packed = pack_integers(np.where(has, now, was), NANO_DECIMALS, ~(has | had))
    except ValueError:
        return new, int(had.sum())
    return {**new, **packed.columns(quality_runs(qualities))}, int((has & had & (was != now)).sum())


def combined(stored: Row, new: Row, *, fills: bool) -> Row:
    """What is stored after a file gave another version of a row. fills: it completes the row, or it replaces it.

    A version that was updated later is not replaced; unknown update times are never later.
    """
    if fills:
        return merged(stored, new)[0]
    return stored if is_later(stored["updated_at"], new["updated_at"]) else new


def _values(row: Row) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return unpack(row["reads"], exponent=row["exponent"], width=row["width"])
