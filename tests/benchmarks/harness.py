"""Times two ways of doing the same work side by side, in one run, and says how many times longer ours takes.

No benchmark asserts a time. The smallest time is the anchor, for a machine that others use only ever adds to it.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from time import perf_counter

REPEATS = 5
_HALF, _HUNDRED = 0.5, 100

Action = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds."""

    least: float
    median: float


@dataclass(frozen=True, slots=True)
class Result:
    """ours and yardstick: seconds, or plain counts where `unit` says so. goal: the largest ratio that is meant."""

    what: str
    ours: Times
    yardstick: Times
    against: str
    goal: float | None = None
    unit: str = "ms"

    @property
    def ratio(self) -> float:
        return self.ours.least / self.yardstick.least

    @property
    def median_ratio(self) -> float:
        return self.ours.median / self.yardstick.median


def side_by_side(ours: Action, yardstick: Action, repeats: int = REPEATS) -> tuple[Times, Times]:
    """Both, turn by turn, so that what else the machine does falls on both; one of each beforehand is not counted."""
    ours()
    yardstick()
    pairs = [(seconds(ours), seconds(yardstick)) for _ in range(max(repeats, REPEATS))]
    return summary([pair[0] for pair in pairs]), summary([pair[1] for pair in pairs])


def seconds(action: Action) -> float:
    gc.collect()
    started = perf_counter()
    action()
    return perf_counter() - started


def summary(found: list[float]) -> Times:
    return Times(min(found), median(found))


def exactly(value: float) -> Times:
    """A yardstick that is computed, not measured."""
    return Times(value, value)


def table(results: list[Result]) -> Iterator[str]:
    yield "| what | ours: min, median | yardstick: min, median | ratio: of mins, of medians | goal |"
    yield "|---|---|---|---|---|"
    for result in results:
        goal = f"≤ {ratio(result.goal)}" if result.goal else "–"
        ours, yardstick = _told(result.ours, result.unit), f"{result.against}: {_told(result.yardstick, result.unit)}"
        ratios = f"{ratio(result.ratio)}, {ratio(result.median_ratio)}"
        yield f"| {result.what} | {ours} | {yardstick} | {ratios} | {goal} |"


def ratio(value: float) -> str:
    """Small ones by how many times shorter: 1/60."""
    if 0 < value < _HALF:
        return f"1/{1 / value:.3g}"
    return f"{value:,.0f}×" if value >= _HUNDRED else f"{value:.3g}×"


def _told(times: Times, unit: str) -> str:
    if unit != "ms":
        return f"{times.least:g} {unit}"
    return f"{times.least * 1000:,.1f} ms, {times.median * 1000:,.1f} ms"
