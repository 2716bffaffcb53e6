"""Reads that stand at instants, laid into meter days (AEST, midnight to midnight)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import gcd

import numpy as np

from toolkit.importers.imported import Imported
from toolkit.importers.meters.registers import Register
from toolkit.tables.registers import MISSING, nano, pack_integers, quality_runs
from toolkit.tables.schema import Row
from toolkit.units import AEST, DAY_MINUTES, NANO_DECIMALS


@dataclass(frozen=True, slots=True)
class Read:
    """The energy of one interval."""

    starts_at: datetime
    """With a time zone."""
    minutes: int
    value: Decimal
    """In the register's stored unit, ≥ 0."""
    quality: str | None
    """None where actual."""
    where: str
    """`file:line`."""


@dataclass(frozen=True, slots=True)
class _Piece:
    date: date
    slot: int
    nano: int
    quality: str | None
    where: str


def register_days(register: Register, reads: Sequence[Read], imported: Imported) -> list[Row]:
    """Return rows of `register_days`. Intervals that no read covers are flagged missing.

    Intervals that do not fall on a grid from AEST midnight (hours of a half-hour zone) are cut evenly into ones that
    do; what is on no grid of its register is left out.
    """
    if not reads:
        return []
    # The minutes of the widest grid that the usual interval of the register falls on.
    usual = Counter((read.minutes, _minute(read.starts_at) % read.minutes) for read in reads)
    minutes, offset = usual.most_common(1)[0][0]
    step = gcd(DAY_MINUTES, minutes, offset)
    pieces: list[_Piece] = []
    for read in reads:
        if read.minutes % step or _minute(read.starts_at) % step or read.starts_at.second:
            imported.reject(read.where, f"does not fall on the register's {step}-minute grid")
            continue
        pieces.extend(_pieces(read, step))
    days = [_row(register, step, day, _unique(group, imported), imported) for day, group in _by_date(pieces)]
    return [row for row in days if row is not None]


def _minute(timestamp: datetime) -> int:
    local = timestamp.astimezone(AEST)
    return local.hour * 60 + local.minute


def _pieces(read: Read, step: int) -> Iterator[_Piece]:
    """Cut a read into steps; the nanounits that do not divide go to the first ones, so that the sum is kept."""
    count = read.minutes // step
    share, more = divmod(nano(read.value), count)
    start = read.starts_at.astimezone(AEST)
    for place in range(count):
        at = start + timedelta(minutes=step * place)
        slot = (at.hour * 60 + at.minute) // step
        yield _Piece(at.date(), slot, share + (place < more), read.quality, read.where)


def _by_date(pieces: list[_Piece]) -> Iterator[tuple[date, list[_Piece]]]:
    days: dict[date, list[_Piece]] = defaultdict(list)
    for piece in pieces:
        days[piece.date].append(piece)
    yield from sorted(days.items())


def _unique(pieces: list[_Piece], imported: Imported) -> dict[int, _Piece]:
    """Keep one piece for each slot, the later one, and warn of the other."""
    slots: dict[int, _Piece] = {}
    for piece in pieces:
        earlier = slots.get(piece.slot)
        if earlier:
            imported.warn(earlier.where, f"the interval is given again at {piece.where}, which counts")
        slots[piece.slot] = piece
    return slots


def _row(register: Register, step: int, day: date, slots: dict[int, _Piece], imported: Imported) -> Row | None:
    """Return the day's row; None where it is left out: no meter shows so much in a day."""
    count = DAY_MINUTES // step
    values = np.array([slots[slot].nano if slot in slots else 0 for slot in range(count)], dtype=np.int64)
    qualities = [slots[slot].quality if slot in slots else MISSING for slot in range(count)]
    try:
        missing = np.array([quality == MISSING for quality in qualities], dtype=np.bool_)
        columns = pack_integers(values, NANO_DECIMALS, missing).columns(quality_runs(qualities))
    except ValueError as error:
        first = slots[min(slots)].where
        rows = len(slots) if imported.counts_reads else 1
        imported.reject(first, f"{day} of {register.suffix}: {error}", rows=rows)
        return None
    imported.places[*register.key, day] = slots[min(slots)].where
    return {**register.columns(), "date": day, "interval_minutes": step, **columns}
