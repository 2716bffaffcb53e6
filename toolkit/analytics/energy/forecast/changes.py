"""A lasting change of use: someone moved in or out, new solar, a vehicle at night; and since when.

Looked for are steps in the level of use that season, weather, habits and holidays do not explain: the logarithm of how
much likelier a step makes the reads (a Bayes factor) has to pass a threshold, which was set so that one home-year in
twenty without a change names one. The level is the mean over six parts of the day, since a heat wave shows in few of
them and another person in most. A vehicle shows in one, the night, and much; new solar in the first export.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toolkit.analytics.energy.forecast.history import YEAR, Flags, History, Ints
from toolkit.analytics.energy.forecast.season import (
    STEP,
    Floats,
    Process,
    bins_of,
    expected_level,
    log_levels,
    robust_weights,
    step_evidence,
)
from toolkit.answers.energy.forecast import ChangeKind

__all__ = ["LastingChange", "lasting_change"]

_ENOUGH_FOR_RISE, _ENOUGH_FOR_FALL = 14, 28
"""Days after a change before it can be named: a fortnight with nobody home looks like a fall."""
_OLDEST = 400
"""Days: what changed longer ago carries the forecast little, and the seasons before it a lot."""
_KNOWN_SEASONS = 400
"""Days of reads that show every season once."""
_EVIDENCE, _EVIDENCE_OF_FEW_SEASONS, _EVIDENCE_OF_NIGHTS = 4.0, 6.0, 8.0
_EVIDENCE_OF_EXPORTERS = 12.0
"""Of two parts of the day instead of six, in which heating shows."""
_SEEN_LONG, _LESS_FOR_RISE = 21, 1.0
"""Days, and the evidence that a rise needs less by then: a holiday, which ends in one, is over."""
_UNSEEN = 6.0
"""Evidence needed besides where the time of year since the step was never seen before it: it may be the season."""
_LEAST, _LEAST_OF_NIGHTS = 0.2, 0.6
"""Least height of a step, as a logarithm: by a fifth; nights by four fifths."""
_MOST_STEPS = 2
_FIRST_BINS = 4
_FIRST_EXPORT_DAYS = 5
_EXPORT_BEFORE = 45


@dataclass(frozen=True, slots=True)
class LastingChange:
    """row: first day of the new use. ratio: energy a day since then over that before, for the same time of year."""

    row: int
    ratio: float
    kind: ChangeKind


def lasting_change(history: History, known: int) -> LastingChange | None:
    """Return the last lasting change that the first `known` days show, None where they show none."""
    use = history.use
    usable = history.at_home(known)
    found = [_new_solar(history, known)]
    enough = _EVIDENCE if known >= _KNOWN_SEASONS else _EVIDENCE_OF_FEW_SEASONS
    nights = [0, use.blocks.shape[1] - 1] if use.blocks.shape[1] > 1 else []
    # What panels leave over by day depends more on the sun than on the people.
    exports = bool(use.energy["export"][:known].any())
    people = use.blocks[:, nights] if nights and exports else use.blocks
    enough = _EVIDENCE_OF_EXPORTERS if exports else enough
    general = _last_step(people, usable, known, _Evidence(enough, _LEAST))
    if general is not None:
        found.append((general[0], "more use" if general[1] > 0 else "less use"))
    for part in nights:
        least = _EVIDENCE_OF_EXPORTERS if exports else _EVIDENCE_OF_NIGHTS
        step = _last_step(use.blocks[:, [part]], usable, known, _Evidence(least, _LEAST_OF_NIGHTS))
        if step is not None and step[1] > 0:
            found.append((step[0], "night use"))
    named = [each for each in found if each is not None]
    if not named:
        return None
    row, kind = max(named, key=lambda each: each[0])
    ratio = _ratio(history, usable, known, row)
    if kind in ("more use", "less use"):
        # The step is that of most parts of the day; the largest may have gone the other way.
        kind = "more use" if ratio > 1 else "less use"
    return LastingChange(row, ratio, kind)


def _new_solar(history: History, known: int) -> tuple[int, ChangeKind] | None:
    """Return the first day of export, where there was none for weeks before it and most days since have some."""
    export = history.use.energy["export"][:known] > 0
    days = np.flatnonzero(export)
    if not days.size or days[0] < _EXPORT_BEFORE or known - days[0] < _FIRST_EXPORT_DAYS:
        return None
    first = int(days[0])
    return (first, "new solar") if export[first:].mean() > 0.5 else None


class _Evidence(NamedTuple):
    """What a step needs to be named. enough: log of the Bayes factor. least: height, as a logarithm."""

    enough: float
    least: float


def _last_step(energy: Floats, usable: Flags, known: int, needed: _Evidence) -> tuple[int, float] | None:
    """Return the first row of the last step in the level of some streams, and its height as a logarithm."""
    bins = bins_of(energy, usable, 0, known)
    if len(bins.first) < 12 or not bins.means.any():
        return None
    levels, _ = log_levels(bins)
    process = Process.fitted(bins, levels)
    between, noise = process.covariance(bins.middle[:, None] - bins.middle), process.noise(bins.days)
    steps: list[tuple[int, float]] = []
    for _ in range(_MOST_STEPS):
        age = known - bins.first
        free = (age >= _ENOUGH_FOR_RISE) & (age <= _OLDEST) & (np.arange(len(age)) >= _FIRST_BINS)
        for row, _ in steps:
            free &= np.abs(bins.first - row) >= _ENOUGH_FOR_RISE
        at = np.flatnonzero(free)
        # The share of the days since each row that no year before shows, in full once there are two months of them.
        rows = bins.first[at]
        since = known - rows
        seen = np.clip((known - np.maximum(rows, int(bins.first[0]) + YEAR)) / since, 0.0, 1.0)
        more = _UNSEEN * np.asarray((1 - seen) * np.minimum(since / 60, 1.0))
        step = _best_step(levels, between, noise, (at, age), needed, more)
        if step is None:
            break
        steps.append((int(bins.first[step[0]]), step[1]))
        after = (np.arange(len(age)) >= step[0]).astype(np.float64)
        between = between + STEP**2 * np.outer(after, after)
    if not steps:
        return None
    row, height = max(steps)
    return _to_the_day(energy.sum(axis=1), usable, row, known), height


def _best_step(
    levels: Floats,
    between: Floats,
    noise: Floats,
    candidates: tuple[Ints, Ints],
    needed: _Evidence,
    more: Floats,
) -> tuple[int, float] | None:
    """Return the bin and the height of the likeliest step; None where none has the evidence needed.

    candidates: bins at which it may begin, and the age of every bin in days. more: evidence needed besides, of each.
    """
    at, age = candidates
    if not at.size:
        return None
    steps = (np.arange(len(age))[:, None] >= at).astype(np.float64)
    variance, best, height = noise, 0, np.zeros(0)
    for enough in (needed.enough / 2, needed.enough):
        evidence, height = step_evidence(between, variance, levels, steps)
        long_enough = (height > 0) | (age[at] >= _ENOUGH_FOR_FALL)
        evidence = evidence - more + np.where((height > 0) & (age[at] >= _SEEN_LONG), _LESS_FOR_RISE, 0.0)
        evidence = np.where(long_enough & (np.abs(height) >= needed.least), evidence, -np.inf)
        best = int(np.argmax(evidence))
        if evidence[best] < enough:
            return None
        # Again with what lies far from both levels counting for less.
        stepped = between + STEP**2 * np.outer(steps[:, best], steps[:, best])
        _, variance = robust_weights(stepped, noise, levels, rounds=1)
    return int(at[best]), float(height[best])


def _to_the_day(energy: Floats, usable: Flags, row: int, known: int) -> int:
    """Return the day within a bin of `row` at which two levels fit four weeks on either side best."""
    first, end = max(row - 28, 0), min(row + 28, known)
    days = np.flatnonzero(usable[first:end]) + first
    values = np.log(np.maximum(energy[days], 0.05 * np.median(energy[days]) + 1.0))
    cuts = [cut for cut in range(max(row - 7, first + 3), min(row + 8, end - 2)) if (days < cut).sum() > 2]
    cuts = [cut for cut in cuts if (days >= cut).sum() > 2]
    if not cuts:
        return row
    return min(
        cuts,
        key=lambda cut: values[days < cut].var() * (days < cut).sum() + values[days >= cut].var() * (days >= cut).sum(),
    )


def _ratio(history: History, usable: Flags, known: int, row: int) -> float:
    """Return the mean of the days since a row over what the days before it lead one to expect of them."""
    total = history.use.energy["general"] + history.use.energy["controlled"]
    since = np.flatnonzero(usable[row:known]) + row
    expected = expected_level(total, usable, row, since) if since.size else None
    if expected is None or expected.sum() <= 0:
        return 1.0
    return round(float(total[since].sum() / expected.sum()), 3)
