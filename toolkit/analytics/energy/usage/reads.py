"""Reads of a service point by meter register, and at common half hours whatever the length of their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.intervals.billed import BILLED
from toolkit.answers.base import Note
from toolkit.tables.registers import ACTUAL, MISSING
from toolkit.units import DAY_MINUTES, DAYS_OF_LEAST, LEAST_KWH_A_DAY, MOST_KWH_A_DAY, NANO

__all__ = [
    "IDENTITY",
    "LONGEST_MINUTES",
    "MEASURED_OR_MISSING",
    "SLOT_MINUTES",
    "RegisterReads",
    "doubtful_energy",
    "doubtful_reads",
    "half_hours",
    "half_hours_of",
    "split_by_register",
]

IDENTITY = ("meter_id", "register_suffix", "direction", "controlled_load", "unit")
"""The columns of frame `reads` that distinguish registers, and what they measure."""

MEASURED_OR_MISSING = (ACTUAL, BILLED, MISSING)
"""Qualities of reads that are neither substituted nor estimated; of a bill, the retailer read the meter."""

_ROWS = ("date", "interval_minutes", "starts_at", "energy_nano", "quality")

_MOST_BLOCKS = 64
"""Runs of rows of one register, up to which slices are cheaper than sorting all rows."""


@dataclass(frozen=True, slots=True)
class RegisterReads:
    """One register. rows: `date`, `interval_minutes`, `starts_at`, `energy_nano`, `quality`, in the frame's order."""

    meter_id: str
    register_suffix: str
    direction: str
    controlled_load: bool
    unit: str
    rows: pl.DataFrame

    @property
    def identity(self) -> tuple[str, str, str, bool, str]:
        """The values of `IDENTITY`."""
        return self.meter_id, self.register_suffix, self.direction, self.controlled_load, self.unit


def split_by_register(reads: pl.DataFrame) -> list[RegisterReads]:
    """Return the registers of frame `reads`, in order of their identity.

    Stored reads come register by register, so their blocks are found by comparing each row with the one before.
    """
    if reads.is_empty():
        return []
    changed = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in IDENTITY)
    starts = sorted({0, *reads.select(changed).to_series().arg_true().to_list()})
    if len(starts) > _MOST_BLOCKS:
        reads = reads.sort(IDENTITY, maintain_order=True)
        starts = sorted({0, *reads.select(changed).to_series().arg_true().to_list()})
    blocks: dict[tuple[str, str, str, bool, str], list[pl.DataFrame]] = {}
    identities, rows = reads.select(IDENTITY), reads.select(*_ROWS)
    for start, end in zip(starts, [*starts[1:], reads.height], strict=True):
        meter, suffix, direction, controlled, unit = identities.row(start)
        blocks.setdefault((meter, suffix, direction, controlled, unit), []).append(rows[start:end])
    in_order = sorted(blocks.items(), key=lambda block: tuple(map(str, block[0])))
    return [RegisterReads(*identity, rows=pl.concat(parts)) for identity, parts in in_order]


SLOT_MINUTES = 30
LONGEST_MINUTES = 60
"""Longer reads do not show the time of day. Hourly ones count as the same power in both half hours."""

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
        "substituted": pl.Boolean(),
    }
)

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]


class _Span(NamedTuple):
    first_us: int
    slots: int


class _Stream(NamedTuple):
    """One register. whole: slots it measured completely; due: slots between its first and last read,
    those flagged missing included; substituted: slots with a read that is not an actual one."""

    energy: Values
    whole: Flags
    due: Flags
    substituted: Flags


def half_hours(reads: pl.DataFrame) -> pl.DataFrame:
    """Return the energy of one service point by half hour, kWh, from frame `reads` (registers in KWH only).

    Columns: `starts_at` (UTC), `general_kwh` (import without controlled load), `controlled_kwh`, `import_kwh` (both),
    `export_kwh`; `substituted`: whether a read within it was substituted or estimated. A value is null where a register
    that was in use then did not measure the whole half hour, and where no such register exists: a gap is never a zero.
    Reads longer than an hour are left out.
    """
    return half_hours_of(split_by_register(reads))


def half_hours_of(registers: Sequence[RegisterReads]) -> pl.DataFrame:
    """Return the frame of `half_hours` for reads that are split by register."""
    energy = [
        (register, rows)
        for register in registers
        if register.unit == "KWH" and register.direction in ("import", "export")
        if not (rows := register.rows.filter(pl.col("interval_minutes") <= LONGEST_MINUTES)).is_empty()
    ]
    if all(rows["energy_nano"].null_count() == rows.height for _, rows in energy):
        return pl.DataFrame(schema=_SCHEMA)
    span = _span([rows for _, rows in energy])
    kinds: dict[tuple[str, bool], list[_Stream]] = {}
    for register, rows in energy:
        controlled = register.controlled_load and register.direction == "import"
        kinds.setdefault((register.direction, controlled), []).append(_stream(rows, span))
    return _as_frame(span, kinds)


def _span(registers: Sequence[pl.DataFrame]) -> _Span:
    instant = pl.col("starts_at").dt.epoch("us")
    ends = [
        rows.select(first=instant.min(), last=(instant + pl.col("interval_minutes") * _MINUTE_US).max()).row(0)
        for rows in registers
    ]
    first = min(first for first, _ in ends)
    first -= first % _SLOT_US
    return _Span(first, -(-(max(last for _, last in ends) - first) // _SLOT_US))


def _stream(rows: pl.DataFrame, span: _Span) -> _Stream:
    total, minutes = np.zeros(span.slots), np.zeros(span.slots)
    present = rows.drop_nulls("energy_nano") if rows["energy_nano"].null_count() else rows
    lengths = present["interval_minutes"].unique().to_list()
    for length in lengths:
        part = present if len(lengths) == 1 else present.filter(pl.col("interval_minutes") == length)
        energy, measured = _slotted(part, length, span)
        total += energy
        minutes += measured
    starts = rows["starts_at"].dt.epoch("us").to_numpy() - span.first_us
    ends = starts + rows["interval_minutes"].to_numpy() * _MINUTE_US
    due, substituted = np.zeros(span.slots, dtype=np.bool_), np.zeros(span.slots, dtype=np.bool_)
    due[starts.min() // _SLOT_US : -(-ends.max() // _SLOT_US)] = True
    if (rows["quality"] != ACTUAL).any():
        marked = (~rows["quality"].is_in(MEASURED_OR_MISSING)).to_numpy()
        substituted[starts[marked] // _SLOT_US] = True
        substituted[(ends[marked] - 1) // _SLOT_US] = True  # an hourly read lies in two half hours
    return _Stream(total / NANO, minutes >= SLOT_MINUTES, due, substituted)


def _slotted(rows: pl.DataFrame, length: int, span: _Span) -> tuple[Values, Values]:
    """Energy (nano) and measured minutes by half hour, of reads that are all `length` minutes long.

    The cells are as fine as reads and half hours need to meet on: 20-minute reads lie on tens, two to a read.
    """
    fine = gcd(length, SLOT_MINUTES)
    pieces, width = length // fine, SLOT_MINUTES // fine
    at = (rows["starts_at"].dt.epoch("us").to_numpy() - span.first_us) // (fine * _MINUTE_US)
    cells, filled = np.zeros(span.slots * width), np.zeros(span.slots * width)
    share = rows["energy_nano"].to_numpy() / pieces
    for piece in range(pieces):
        cells[at + piece] = share
        filled[at + piece] = fine
    ones = np.ones(width)  # a product adds up short rows several times faster than `sum`
    return cells.reshape(-1, width) @ ones, filled.reshape(-1, width) @ ones


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
            "substituted": pl.Series(
                np.logical_or.reduce([one.substituted for each in kinds.values() for one in each])
            ),
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


def doubtful_reads(reads: pl.DataFrame) -> Note | None:
    """Return a note where the electricity of frame `reads`, bought or exported, cannot be a home's by day."""
    a_day = pl.col("energy_nano") / pl.col("interval_minutes") * DAY_MINUTES
    electric = (pl.col("unit") == "KWH") & pl.col("direction").is_in(["import", "export"])
    largest, fastest = reads.select(pl.col("energy_nano").filter(electric).max(), a=a_day.filter(electric).max()).row(0)
    if largest is None or (largest >= LEAST_KWH_A_DAY * NANO and fastest <= MOST_KWH_A_DAY * NANO):
        return None  # as of nearly all homes: the reads need not be added up by day
    return doubtful_energy(reads.rename({"energy_nano": "nano"}))


def doubtful_energy(days: pl.DataFrame) -> Note | None:
    """Return a note where a register counts more or less electricity a day than a home's: its unit may be another.

    days: `IDENTITY`, `date` (meter day, AEST) and `nano` [10^-9 kWh] of a part of the day or of all, never negative.
    The bounds are those of `units`; what is generated has bounds of its own.
    """
    electric = days.filter((pl.col("unit") == "KWH") & pl.col("direction").is_in(["import", "export"]))
    daily = electric.group_by(*IDENTITY, "date").agg(kwh=pl.col("nano").sum() / NANO)
    most = max(daily["kwh"], default=0.0)
    if most > MOST_KWH_A_DAY:
        return Note("energy_too_much", kwh=most)
    imported = daily.filter(pl.col("direction") == "import")["date"].n_unique()
    if 0 < most < LEAST_KWH_A_DAY and imported >= DAYS_OF_LEAST:
        return Note("energy_too_little", kwh=most)
    return None
