"""Reads of any interval length at common half hours: what average days, peaks and maps are made from."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.units import NANO

__all__ = ["LONGEST_MINUTES", "SLOT_MINUTES", "half_hours"]

SLOT_MINUTES = 30
LONGEST_MINUTES = 60
"""Longer reads do not show the time of day. Hourly ones count as the same power in both halves."""

_MINUTE_US = 60_000_000
_SLOT_US = SLOT_MINUTES * _MINUTE_US
_INSTANT = pl.Datetime("us", "UTC")
_SCHEMA = pl.Schema(
    {
        "starts_at": _INSTANT,
        "general_kwh": pl.Float64(),
        "controlled_kwh": pl.Float64(),
        "import_kwh": pl.Float64(),
        "export_kwh": pl.Float64(),
    }
)

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]


class _Span(NamedTuple):
    first_us: int
    slots: int


class _Stream(NamedTuple):
    """One register. whole: slots it measured completely; due: slots between its first and last read,
    those flagged missing included."""

    energy: Values
    whole: Flags
    due: Flags


def half_hours(reads: pl.DataFrame) -> pl.DataFrame:
    """Energy of one service point by half hour, kWh, from frame `reads` (registers in KWH only).

    Columns: `starts_at` (UTC), `general_kwh` (import without controlled load), `controlled_kwh`, `import_kwh` (both),
    `export_kwh`. A value is null where a register that was in use then did not measure the whole half hour, and where
    no such register exists: a gap is never a zero. Reads longer than an hour are left out.
    """
    energy = reads.filter(
        (pl.col("unit") == "KWH")
        & pl.col("direction").is_in(["import", "export"])
        & (pl.col("interval_minutes") <= LONGEST_MINUTES)
    )
    if energy["energy_nano"].null_count() == energy.height:
        return pl.DataFrame(schema=_SCHEMA)
    span = _span(energy)
    kinds: dict[tuple[str, bool], list[_Stream]] = {}
    for (direction, controlled), stream in _streams(energy, span):
        kinds.setdefault((direction, controlled and direction == "import"), []).append(stream)
    return _as_frame(span, kinds)


def _span(energy: pl.DataFrame) -> _Span:
    instant = pl.col("starts_at").dt.epoch("us")
    ends = energy.select(first=instant.min(), last=instant.max(), minutes=pl.col("interval_minutes").max())
    first, last, minutes = (int(end or 0) for end in ends.row(0))
    first -= first % _SLOT_US
    longest = minutes * _MINUTE_US
    return _Span(first, -(-(last + longest - first) // _SLOT_US))


def _streams(energy: pl.DataFrame, span: _Span) -> Iterator[tuple[tuple[str, bool], _Stream]]:
    names = ["meter_id", "register_suffix", "direction", "controlled_load"]
    for key, rows in energy.partition_by(names, as_dict=True, include_key=False).items():
        yield (str(key[2]), bool(key[3])), _stream(rows, span)


def _stream(rows: pl.DataFrame, span: _Span) -> _Stream:
    total, minutes = np.zeros(span.slots), np.zeros(span.slots, dtype=np.int64)
    present = rows.filter(pl.col("energy_nano").is_not_null())
    for (length,), part in present.partition_by("interval_minutes", as_dict=True).items():
        energy, measured = _slotted(part, int(length), span)
        total += energy
        minutes += measured
    starts = rows["starts_at"].dt.epoch("us").to_numpy() - span.first_us
    ends = starts + rows["interval_minutes"].to_numpy() * _MINUTE_US
    due = np.zeros(span.slots, dtype=np.bool_)
    due[starts.min() // _SLOT_US : -(-ends.max() // _SLOT_US)] = True
    return _Stream(total / NANO, minutes >= SLOT_MINUTES, due)


def _slotted(rows: pl.DataFrame, length: int, span: _Span) -> tuple[Values, NDArray[np.int64]]:
    """Energy (nano) and measured minutes by half hour, of reads that are all `length` minutes long.

    The cells are as fine as reads and half hours need to meet on: 20-minute reads lie on tens, two to a read.
    """
    fine = gcd(length, SLOT_MINUTES)
    pieces, width = length // fine, SLOT_MINUTES // fine
    at = (rows["starts_at"].dt.epoch("us").to_numpy() - span.first_us) // (fine * _MINUTE_US)
    cells, filled = np.zeros(span.slots * width), np.zeros(span.slots * width, dtype=np.int64)
    share = rows["energy_nano"].to_numpy() / pieces
    for piece in range(pieces):
        cells[at + piece] = share
        filled[at + piece] = fine
    return cells.reshape(-1, width).sum(axis=1), filled.reshape(-1, width).sum(axis=1)


def _as_frame(span: _Span, kinds: dict[tuple[str, bool], list[_Stream]]) -> pl.DataFrame:
    general, controlled = kinds.get(("import", False), []), kinds.get(("import", True), [])
    instants = span.first_us + np.arange(span.slots, dtype=np.int64) * _SLOT_US
    return pl.DataFrame(
        {
            "starts_at": pl.Series(instants).cast(_INSTANT),
            "general_kwh": _together(general, span),
            "controlled_kwh": _together(controlled, span),
            "import_kwh": _together([*general, *controlled], span),
            "export_kwh": _together(kinds.get(("export", False), []), span),
        }
    )


def _together(streams: list[_Stream], span: _Span) -> pl.Series:
    total = np.zeros(span.slots)
    due, lacking = np.zeros(span.slots, dtype=np.bool_), np.zeros(span.slots, dtype=np.bool_)
    for stream in streams:
        total += np.where(stream.whole, stream.energy, 0.0)
        due |= stream.due
        lacking |= stream.due & ~stream.whole
    return pl.Series(np.where(due & ~lacking, total, np.nan)).fill_nan(None)
