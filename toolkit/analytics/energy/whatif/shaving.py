"""The lowest demand that a battery can hold in each month, every interval being known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from toolkit.analytics.energy.whatif.charges import FREE, Ints, Peak
from toolkit.analytics.energy.whatif.profile import Profile

FINE = 1_000_000
"""Efficiencies are whole millionths, so that energy stays whole."""

CLOSE_ENOUGH = 1_000_000
"""10^-9 kW: limits are exact to the watt."""


@dataclass(frozen=True, slots=True)
class Box:
    """A battery in whole 10^-9 kWh. limits: [interval] most it takes in or gives. kept: of a million that go in."""

    capacity: int
    limits: Sequence[int]
    kept: int


@dataclass(slots=True)
class Shaving:
    """room: [interval] what may be bought beyond the load, negative where less must be; need: what must be stored after
    the interval for all that follows, charging as late as can be."""

    profile: Profile
    box: Box
    room: Ints = field(init=False)
    need: list[int] = field(init=False)
    _sold: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.room = np.full(len(self.profile.bought), FREE, dtype=np.int64)
        self.need = [0] * len(self.room)
        self._sold = self.profile.sold.tolist()

    def keep(self, peaks: Sequence[Peak]) -> None:
        """Let charging raise none of these."""
        for peak in peaks:
            self.room[peak.rows] = np.minimum(self.room[peak.rows], peak.room(peak.highest))

    def lower(self, peaks: Sequence[Peak]) -> list[int]:
        """Hold each peak as low as can be without giving up those before it in the list; the limits, in 10^-9 kW."""
        self.keep(peaks)
        return [self._lowest(peak) for peak in peaks]

    def _lowest(self, peak: Peak) -> int:
        """By bisection: a limit that can be kept can be kept at any higher value."""
        low, high = min(peak.least, peak.highest), peak.highest
        if self._try(peak, low):
            return low
        while high - low > CLOSE_ENOUGH:
            middle = (low + high) // 2
            low, high = (low, middle) if self._try(peak, middle) else (middle, high)
        return high

    def _try(self, peak: Peak, limit: int) -> bool:
        """Keep the limit if it can be kept, and return whether it is."""
        begin, end = int(peak.rows[0]), int(peak.rows[-1])
        within = self.room[begin : end + 1].copy()
        rows = peak.rows - begin
        within[rows] = np.minimum(within[rows], peak.room(limit))
        needed = self._needed(begin, within.tolist())
        if needed is None:
            return False
        self.room[begin : end + 1] = within
        self.need[end + 1 - len(needed) : end + 1] = needed[::-1]
        return True

    def _needed(self, begin: int, within: Sequence[int]) -> list[int] | None:
        """What must be stored after each interval, backwards from the last, up to where nothing changes any more.

        within: room of the intervals from `begin` to the last. None where power, size or the empty battery at the start
        forbid it.
        """
        box, known = self.box, self.need
        last = begin + len(within) - 1
        needed: list[int] = []
        need = known[last]
        for n in range(last, -1, -1):
            if n < begin and need == known[n]:
                return needed
            needed.append(need)
            room = within[n - begin] if n >= begin else int(self.room[n])
            if room < 0:
                need -= room
                if need > box.capacity or -room > box.limits[n]:
                    return None
            elif need:
                stored = min(box.limits[n], self._sold[n] + room) * box.kept // FINE
                need = max(0, need - max(stored - 1, 0))  # sun and grid are rounded down one by one
        return None if need else needed
