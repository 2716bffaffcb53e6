"""Energy by day and time of day on one clock: all that pricing needs to know of the reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.rates.model import Bands, Span
from toolkit.analytics.energy.rates.week_map import DAY_TYPES, cells_of, coarsest_slot

Role = Literal["general", "controlled", "export"]
ROLES: tuple[Role, ...] = get_args(Role)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

Types = tuple[int, ...]
"""Day types of the days that a row's slots run over."""

EXTRA_COLUMNS = 2
"""Behind the bands' own columns: energy in no window, and energy whose time of day is unknown."""


@dataclass(slots=True)
class DayGrid:
    """Rows are consecutive days from `first`; energy in 10^-9 kWh (MJ), power in 10^-9 kW.

    energy: role → [day, slot of `slot_minutes`]. untimed: role → [day], reads without a time of day.
    demand: [day, half hour], highest mean of general import, -1 unknown. measured: [day], energy flagged ACTUAL.
    missing, expected: [day], minutes. controlled, exporting: whether such a register exists.
    reach: 0, or 1 where windows are read on another clock than days are counted on: then slots run over the day before,
    the day itself and the day after of the windows' clock. own: [day, half hour], which of these are of the day (None:
    all are).
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
    _assigned: dict[tuple[Span, ...], Ints] = field(default_factory=dict)
    _highest: dict[Bands, Ints] = field(default_factory=dict)
    _framed: dict[tuple[date, date, frozenset[date]], DayGrid] = field(default_factory=dict)
    _typed: dict[tuple[Role, int], list[tuple[Types, Ints, Floats]]] = field(default_factory=dict)
    _totals: dict[Role, Ints] = field(default_factory=dict)

    @classmethod
    def empty(cls) -> DayGrid:
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
        return len(self.missing)

    @property
    def dates(self) -> list[date]:
        return [self.first + timedelta(n) for n in range(self.days)]

    def total(self, role: Role) -> Ints:
        """[day] → energy of that role. Made once and kept."""
        if role not in self._totals:
            self._totals[role] = np.asarray(self.energy[role].sum(axis=1) + self.untimed[role])
        return self._totals[role]

    def framed(self, first: date, last: date, holidays: frozenset[date] = frozenset()) -> DayGrid:
        """The same grid over exactly these days; days without reads are wholly missing. Made once and kept."""
        key = (first, last, holidays)
        if key not in self._framed:
            self._framed[key] = self._frame(first, last, holidays)
        return self._framed[key]

    def _frame(self, first: date, last: date, holidays: frozenset[date]) -> DayGrid:
        days = (last - first).days + 1
        shift = (self.first - first).days
        into = slice(max(shift, 0), max(min(shift + self.days, days), 0))
        out_of = slice(max(-shift, 0), max(-shift, 0) + max(into.stop - into.start, 0))

        def moved(array: Ints, blank: int = 0) -> Ints:
            target = np.full((days, *array.shape[1:]), blank, dtype=np.int64)
            if into.stop > into.start:
                target[into] = array[out_of]
            return target

        return self.changed(
            first=first,
            energy={role: moved(rows) for role, rows in self.energy.items()},
            untimed={role: moved(rows) for role, rows in self.untimed.items()},
            demand=moved(self.demand, -1),
            own=None if self.own is None else moved(self.own, 1),
            measured=moved(self.measured),
            missing=moved(self.missing, 1440),
            expected=moved(self.expected, 1440),
            holidays=holidays,
        )

    def changed(self, **parts: Any) -> DayGrid:
        """With other days; what was kept of these does not hold of them."""
        return replace(self, **parts, _banded={}, _assigned={}, _highest={}, _framed={}, _typed={}, _totals={})

    def resampled(self, picks: Sequence[int] | Ints, first: date) -> DayGrid:
        """A future from `first` on, made of this grid's days by row number: the bootstrap of a forecast.

        Windows and seasons are read for the new dates, energy and demand are the picked days' own.
        """
        rows = np.asarray(picks, dtype=np.int64)
        return self.changed(
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
        """[day] → 0 Monday to 6 Sunday, plus 7 on public holidays: the rows of `cells_of`. ahead: of a later day."""
        weekday = (np.arange(self.days) + self.first.weekday() + ahead) % 7
        if self.holidays:
            later = timedelta(ahead)
            weekday = weekday + 7 * np.array([day + later in self.holidays for day in self.dates], dtype=np.int64)
        return weekday.astype(np.int64)

    def _types(self) -> Ints:
        """[day, day that its slots run over] → type."""
        if not self.reach:
            return self.day_types().reshape(-1, 1)
        return np.stack([self.day_types(ahead) for ahead in range(-self.reach, self.reach + 1)], axis=1)

    def assigned(self, spans: tuple[Span, ...]) -> Ints:
        """[day] → index of the first span that covers it, -1 for none."""
        if spans not in self._assigned:
            self._assigned[spans] = first_covering(spans, self.first, self.days)
        return self._assigned[spans]

    def banded(self, bands: Bands, role: Role) -> Ints:
        """[day, band] → energy; two more columns: in no window, and of unknown time of day. Made once and kept."""
        key = (bands, role)
        if key not in self._banded:
            self._banded[key] = self._spread(bands, role)
        return self._banded[key]

    def _spread(self, bands: Bands, role: Role) -> Ints:
        cells = cells_of(bands)
        columns = np.arange(len(bands) + EXTRA_COLUMNS)
        out = np.zeros((self.days, len(columns)), dtype=np.int64)
        slot = max(self.slot_minutes, coarsest_slot(bands))
        untimed = self.untimed[role]
        for kinds, rows, energy in self._by_day_type(role, slot):
            at_slots = cells[kinds, ::slot].reshape(-1)
            claimed = np.where(at_slots < 0, len(bands), at_slots)
            # Whole numbers below 2^53 stay exact in float64, whose matrix product is the fast one.
            onehot = (claimed[:, None] == columns).astype(np.float64)
            out[rows] = (energy @ onehot).astype(np.int64)
            day = cells[kinds[self.reach]]
            only = day[0] if (day == day[0]).all() else len(bands) + 1
            out[rows, only if only >= 0 else len(bands)] += untimed[rows]
        return out

    def _by_day_type(self, role: Role, slot: int) -> list[tuple[Types, Ints, Floats]]:
        """For each type of day present: its number, its rows, and their energy in slots of that length. Kept."""
        key = (role, slot)
        if key not in self._typed:
            by_slot = self.energy[role].reshape(self.days, -1, slot // self.slot_minutes)
            energy = by_slot.sum(axis=2).astype(np.float64)
            types = self._types()
            codes = types @ DAY_TYPES ** np.arange(types.shape[1])
            alike = [np.flatnonzero(codes == code) for code in np.unique(codes)]
            self._typed[key] = [(tuple(types[at[0]]), at, energy[at]) for at in alike]
        return self._typed[key]

    def highest(self, bands: Bands) -> Ints:
        """[day] → highest half hour inside the windows in 10^-9 kW, -1 unknown, -2 none inside. Made once and kept."""
        if bands not in self._highest:
            inside = self.inside(bands)
            found = np.where(inside, self.demand, -2).max(axis=1, initial=-2)
            self._highest[bands] = found.astype(np.int64)
        return self._highest[bands]

    def inside(self, bands: Bands) -> NDArray[np.bool_]:
        """[day, half hour] → whether the half hour starts inside a window."""
        within: NDArray[np.bool_] = (cells_of(bands)[:, ::30] >= 0)[self._types()].reshape(self.days, -1)
        return within if self.own is None else within & (self.own > 0)


@lru_cache(maxsize=4096)
def first_covering(spans: tuple[Span, ...], first: date, days: int) -> Ints:
    """[day from `first`] → index of the first span that covers it, -1 for none; the same for every household."""
    dates = [first + timedelta(n) for n in range(days)]
    found = np.array([next((n for n, span in enumerate(spans) if span.covers(day)), -1) for day in dates], np.int64)
    found.flags.writeable = False
    return found
