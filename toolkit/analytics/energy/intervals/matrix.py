"""Energy of a service point by day and time of day, and how much of it was measured, substituted or missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.rates.model import DAY_TYPES, DAYS_PER_YEAR, Bands, Span, cells_of, coarsest_slot
from toolkit.answers.base import Note
from toolkit.problems import Problem
from toolkit.tables.words import counted
from toolkit.units import NANO

Role = Literal["general", "controlled", "export"]
ROLES: tuple[Role, ...] = get_args(Role)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

DayTypes = tuple[int, ...]
"""Day types (see `day_types`) of the one or three days that the slots of a row cover."""

EXTRA_COLUMNS = 2
"""Columns after those of the bands: energy outside all windows, and energy of unknown time of day."""


@dataclass(slots=True)
class IntervalMatrix:
    """Energy (10^-9 kWh or MJ) and demand (10^-9 kW) of consecutive days from `first`, one row a day.

    energy: role → [day, slot of `slot_minutes`].
    untimed: role → [day], energy of reads longer than an hour, of unknown time of day.
    demand: [day, half hour], highest mean of general import; -1 where unknown.
    measured: [day], energy flagged ACTUAL or BILLED. missing, expected: [day], minutes.
    controlled, exporting: whether a register of that kind exists.
    reach: 1 where windows are read in another time zone than days are counted on; slots then cover three days of the
    windows' time zone: the day before, the day itself and the day after. Otherwise 0.
    own: [day, half hour], 1 where the half hour belongs to the row's day (only with reach 1; None: all do).
    """

    first: date
    slot_minutes: int
    energy: Mapping[Role, Ints]
    untimed: Mapping[Role, Ints]
    demand: Ints
    measured: Ints
    missing: Ints
    expected: Ints
    controlled: bool
    exporting: bool
    reach: int = 0
    own: Ints | None = None
    holidays: frozenset[date] = frozenset()
    _banded: dict[tuple[Bands, Role], Ints] = field(default_factory=dict)
    _highest: dict[Bands, Ints] = field(default_factory=dict)
    _sliced: dict[tuple[date, date, frozenset[date]], IntervalMatrix] = field(default_factory=dict)
    _typed: dict[tuple[Role, int], list[tuple[DayTypes, Ints, Floats]]] = field(default_factory=dict)
    _totals: dict[Role, Ints] = field(default_factory=dict)

    @classmethod
    def empty(cls) -> IntervalMatrix:
        """Return a matrix without days."""
        none = np.zeros(0, dtype=np.int64)
        rows = {role: none.reshape(0, 48) for role in ROLES}
        return cls(
            first=date(1970, 1, 1),
            slot_minutes=30,
            energy=rows,
            untimed=dict.fromkeys(ROLES, none),
            demand=none.reshape(0, 48),
            measured=none,
            missing=none,
            expected=none,
            controlled=False,
            exporting=False,
        )

    @property
    def days(self) -> int:
        """Return the number of days."""
        return len(self.missing)

    @property
    def dates(self) -> list[date]:
        """Return [day], the date of each row."""
        return [self.first + timedelta(n) for n in range(self.days)]

    def total(self, role: Role) -> Ints:
        """Return [day], the energy of that role (cached)."""
        if role not in self._totals:
            self._totals[role] = np.asarray(self.energy[role].sum(axis=1) + self.untimed[role])
        return self._totals[role]

    def sliced(self, first: date, last: date, holidays: frozenset[date] = frozenset()) -> IntervalMatrix:
        """Return exactly these days, `last` included (cached). Days without reads count as missing in full."""
        key = (first, last, holidays)
        if key not in self._sliced:
            self._sliced[key] = self._slice(first, last, holidays)
        return self._sliced[key]

    def _slice(self, first: date, last: date, holidays: frozenset[date]) -> IntervalMatrix:
        """Return these days; the ones outside the matrix are blank."""
        days = (last - first).days + 1
        shift = (self.first - first).days
        # `rows` of the result come from rows `source` of this matrix; both are empty where the days do not overlap.
        rows = slice(max(shift, 0), max(min(shift + self.days, days), 0))
        source = slice(max(-shift, 0), max(-shift, 0) + max(rows.stop - rows.start, 0))

        def sliced(array: Ints, blank: int = 0) -> Ints:
            target = np.full((days, *array.shape[1:]), blank, dtype=np.int64)
            if rows.stop > rows.start:
                target[rows] = array[source]
            return target

        return self.with_days(
            first=first,
            energy={role: sliced(cells) for role, cells in self.energy.items()},
            untimed={role: sliced(cells) for role, cells in self.untimed.items()},
            demand=sliced(self.demand, -1),
            own=None if self.own is None else sliced(self.own, 1),
            measured=sliced(self.measured),
            missing=sliced(self.missing, 1440),
            expected=sliced(self.expected, 1440),
            holidays=holidays,
        )

    def with_days(self, **arrays: Any) -> IntervalMatrix:
        """Return a matrix of other days, without this one's cached results."""
        return replace(self, **arrays, _banded={}, _highest={}, _sliced={}, _typed={}, _totals={})

    def resampled(self, picks: Sequence[int] | Ints, first: date) -> IntervalMatrix:
        """Return days from `first` on with the energy and demand of the picked rows: a bootstrap sample of a forecast.

        Windows and seasons go by the new dates.
        """
        rows = np.asarray(picks, dtype=np.int64)
        return self.with_days(
            first=first,
            energy={role: cells[rows] for role, cells in self.energy.items()},
            untimed={role: cells[rows] for role, cells in self.untimed.items()},
            demand=self.demand[rows],
            own=None if self.own is None else self.own[rows],
            measured=self.measured[rows],
            missing=self.missing[rows],
            expected=self.expected[rows],
        )

    def day_types(self, ahead: int = 0) -> Ints:
        """Return [day], 0 Monday to 6 Sunday, plus 7 on public holidays: the row numbers of `cells_of`.

        ahead: look at the day that many days later.
        """
        weekday = (np.arange(self.days) + self.first.weekday() + ahead) % 7
        if self.holidays:
            later = timedelta(ahead)
            # A holiday keeps its weekday: windows that do not name holidays treat it as an ordinary day.
            weekday = weekday + 7 * np.array([day + later in self.holidays for day in self.dates], dtype=np.int64)
        return weekday.astype(np.int64)

    def types(self) -> Ints:
        """Return [day, covered day], the type of each day that the slots of a row cover (one or three)."""
        if not self.reach:
            return self.day_types().reshape(-1, 1)
        return np.stack([self.day_types(ahead) for ahead in range(-self.reach, self.reach + 1)], axis=1)

    def banded(self, bands: Bands, role: Role) -> Ints:
        """Return [day, column], the energy of each band, then of `EXTRA_COLUMNS` (cached)."""
        key = (bands, role)
        if key not in self._banded:
            self._banded[key] = self._spread(bands, role)
        return self._banded[key]

    def _spread(self, bands: Bands, role: Role) -> Ints:
        """Return [day, column], the energy of each band, then outside all windows, then of unknown time (rule 4)."""
        cells = cells_of(bands)  # [day type, minute of the day] → band, negative for none
        columns = np.arange(len(bands) + EXTRA_COLUMNS)
        out = np.zeros((self.days, len(columns)), dtype=np.int64)
        slot = max(self.slot_minutes, coarsest_slot(bands))
        untimed = self.untimed[role]
        for kinds, rows, energy in self._by_day_type(role, slot):
            # The days of one type have their windows at the same slots, so that one matrix product prices them all:
            # [day, slot] @ one-hot [slot, band] → [day, band].
            at_slots = cells[kinds, ::slot].reshape(-1)
            claimed = np.where(at_slots < 0, len(bands), at_slots)
            # Whole numbers below 2^53 stay exact in float64, which has a fast matrix product (int64 has none).
            onehot = (claimed[:, None] == columns).astype(np.float64)
            out[rows] = (energy @ onehot).astype(np.int64)
            # Energy without a time of day has a band only where the whole day is in one band.
            day = cells[kinds[self.reach]]
            only = day[0] if (day == day[0]).all() else len(bands) + 1
            out[rows, only if only >= 0 else len(bands)] += untimed[rows]
        return out

    def _by_day_type(self, role: Role, slot: int) -> list[tuple[DayTypes, Ints, Floats]]:
        """Return for each combination of day types: the types, their row numbers, energy [day, slot] (cached)."""
        key = (role, slot)
        if key not in self._typed:
            by_slot = self.energy[role].reshape(self.days, -1, slot // self.slot_minutes)
            energy = by_slot.sum(axis=2).astype(np.float64)
            types = self.types()
            # One number for each combination of day types, so that equal days are found by one comparison.
            codes = types @ DAY_TYPES ** np.arange(types.shape[1])
            alike = [np.flatnonzero(codes == code) for code in np.unique(codes)]
            self._typed[key] = [(tuple(types[at[0]]), at, energy[at]) for at in alike]
        return self._typed[key]

    def highest(self, bands: Bands) -> Ints:
        """Return [day], the highest half hour inside the windows in 10^-9 kW; -1 unknown, -2 no window (cached)."""
        if bands not in self._highest:
            inside = self.inside(bands)
            # -2 lies below -1: a window without a single read is unknown, not closed.
            highest = np.where(inside, self.demand, -2).max(axis=1, initial=-2)
            self._highest[bands] = highest.astype(np.int64)
        return self._highest[bands]

    def inside(self, bands: Bands) -> NDArray[np.bool_]:
        """Return [day, half hour], whether the half hour starts inside a window."""
        within: NDArray[np.bool_] = (cells_of(bands)[:, ::30] >= 0)[self.types()].reshape(self.days, -1)
        return within if self.own is None else within & (self.own > 0)


@lru_cache(maxsize=4096)
def first_covering(spans: tuple[Span, ...], first: date, days: int) -> Ints:
    """Return [day from `first`], the index of the first span that covers the day; -1 for none. Do not write to it."""
    dates = [first + timedelta(n) for n in range(days)]
    covering = np.array([next((n for n, span in enumerate(spans) if span.covers(day)), -1) for day in dates], np.int64)
    covering.flags.writeable = False
    return covering


@dataclass(frozen=True, slots=True)
class Quality:
    """How complete the reads of a bill are, over all its days."""

    energy: int
    """Energy read, in 10^-9 kWh or MJ."""
    measured: int
    """Energy flagged ACTUAL or BILLED, in 10^-9 kWh or MJ."""
    missing: int
    """Minutes without a value; their energy is not in the bill's lines."""
    expected: int
    """Minutes of the bill."""
    gaps: tuple[date, ...]
    """Days without any value."""
    at_edges: int = 0
    """Those of the missing minutes that are an hour or some at the edge of the first or last day."""

    @property
    def present_share(self) -> float:
        """Return the minutes with a value ÷ the minutes of the bill."""
        return 1 - self.missing / self.expected if self.expected else 1.0

    @property
    def measured_share(self) -> float | None:
        """Return the present share × the share of ACTUAL energy; with the other two shares it makes one."""
        return self.present_share * self.measured / self.energy if self.energy else None

    @property
    def substituted_share(self) -> float | None:
        """Return the present share × the share of substituted or estimated energy; None without energy."""
        return self.present_share * (self.energy - self.measured) / self.energy if self.energy else None

    @property
    def missing_share(self) -> float | None:
        """Return the minutes without a value ÷ the minutes of the bill."""
        return self.missing / self.expected if self.expected else None

    def __add__(self, other: Quality) -> Quality:
        """Return the quality of the days of both."""
        return Quality(
            self.energy + other.energy,
            self.measured + other.measured,
            self.missing + other.missing,
            self.expected + other.expected,
            self.gaps + other.gaps,
            self.at_edges + other.at_edges,
        )

    @property
    def has_gaps(self) -> bool:
        """Return whether reads are missing elsewhere than where the local days reach beyond the meter's days."""
        return self.missing > self.at_edges

    @property
    def runs_of_gaps(self) -> list[str]:
        """Return the days without any read in words, consecutive ones as a range: `2026-01-03 to 2026-01-05`."""
        return _runs(self.gaps)

    def notes(self, unit: str) -> tuple[Note, ...]:
        """Return what to note where reads are substituted or missing. unit: kWh or MJ."""
        notes = []
        if self.measured < self.energy:
            substituted = (self.energy - self.measured) / NANO
            notes.append(Note("substituted_reads", substituted=substituted, energy=self.energy / NANO, unit=unit))
        if self.has_gaps:
            notes.append(Note("missing_reads", share=self.missing / self.expected))
        elif self.missing:
            notes.append(self.edge_note())
        return tuple(notes)

    def edge_note(self) -> Note:
        """Return what to note where reads are missing at the edges alone."""
        return Note("missing_at_edge", hours=self.at_edges / 60 if self.at_edges % 60 else self.at_edges // 60)

    def problems(self) -> tuple[Problem, ...]:
        """Return the days without any read, as one problem."""
        if not self.gaps:
            return ()
        reason = (
            f"no reads on {counted(len(self.gaps), 'day')} ({', '.join(self.runs_of_gaps)}); their energy is not priced"
        )
        return (Problem("reads", reason, "warning"),)


def _runs(days: Sequence[date]) -> list[str]:
    runs: list[list[date]] = []
    for day in days:
        if runs and day - runs[-1][-1] == timedelta(1):
            runs[-1].append(day)
        else:
            runs.append([day])
    return [f"{run[0]}" if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]


def quality_of(matrices: Sequence[IntervalMatrix]) -> Quality:
    """Measure the reads of a bill's days. matrices: one a billing period."""
    gaps = [
        day
        for matrix in matrices
        for day, missing, expected in zip(matrix.dates, matrix.missing, matrix.expected, strict=True)
        if missing >= expected
    ]
    missing = np.concatenate([matrix.missing for matrix in matrices]) if matrices else np.zeros(0, np.int64)
    edges = [minutes for minutes in (missing[:1].sum(), missing[1:][-1:].sum()) if minutes <= _WIDEST_EDGE]
    return Quality(
        energy=sum(int(matrix.total(role).sum()) for matrix in matrices for role in ROLES),
        measured=sum(int(matrix.measured.sum()) for matrix in matrices),
        missing=int(missing.sum()),
        expected=sum(int(matrix.expected.sum()) for matrix in matrices),
        gaps=tuple(gaps),
        at_edges=int(sum(edges)),
    )


_WIDEST_EDGE = 180
"""Minutes by which a local day of Australia begins before, or ends after, the meter's, which are AEST."""


def yearly_energy(matrix: IntervalMatrix, last: date) -> Decimal | None:
    """Return import of the 365 days up to `last`, scaled to 365 where fewer have reads; None without reads."""
    year = matrix.sliced(last - timedelta(DAYS_PER_YEAR - 1), last)
    energy = int((year.total("general") + year.total("controlled")).sum())
    days = int((year.missing < year.expected).sum())
    return Decimal(energy) / NANO * DAYS_PER_YEAR / days if days else None
