"""Quality ranges of interval reads: 1-based, both ends inclusive; what no range lists is ACTUAL."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from toolkit.tables.rows.values import UnreadableValueError
from toolkit.wire.records.energy import ReadQuality

ACTUAL, MISSING = "ACTUAL", "MISSING"


def by_day(
    listed: Sequence[ReadQuality], values: Sequence[object | None], per_day: int
) -> list[list[list[object]] | None]:
    """The ranges of each day, counted from the day's own first interval; None for a day that is all ACTUAL.

    A value that is null is MISSING, whatever the ranges say. Raises UnreadableValueError for a range outside the
    values.
    """
    names = [ACTUAL] * len(values)
    for entry in listed:
        first, last = _bounds(entry, len(values))
        names[first - 1 : last] = [(entry.quality or ACTUAL).upper()] * (last - first + 1)
    for position, value in enumerate(values):
        if value is None:
            names[position] = MISSING
    return [ranges(names[start : start + per_day]) for start in range(0, len(names), per_day)]


def ranges(names: Sequence[str]) -> list[list[object]] | None:
    """`[[first, last, quality], …]` of everything that is not ACTUAL; None where all is."""
    found: list[list[object]] = []
    position = 1
    for name, run in groupby(names):
        length = sum(1 for _ in run)
        if name != ACTUAL:
            found.append([position, position + length - 1, name])
        position += length
    return found or None


def _bounds(entry: ReadQuality, count: int) -> tuple[int, int]:
    first = entry.start_interval or 1
    last = entry.end_interval or (entry.start_interval or count)
    if not 1 <= first <= last <= count:
        raise UnreadableValueError(f"quality range {first} to {last} lies outside its {count} values")
    return first, last
