"""The level and the season of a home's use: a Gaussian process over the logarithm of energy a day.

What the days of a home have in common is described by how alike two days are that lie so many days apart: the same
season, the same habits of some months, the same weather of some days. Widths were fitted to the median home, of 92
measured in London and 9 in New South Wales, by marginal likelihood (Rasmussen and Williams, Gaussian Processes for
Machine Learning, 2006, 5.4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.units import MEDIAN_DEVIATION

__all__ = ["Bins", "Floats", "Process", "bins_of", "expected_level"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

YEAR_DAYS = 365.25
LONGEST = 800
"""Days: older ones say little that the last two years do not."""

_SEASON, _FINE_SEASON, _FINE_WIDTH = 0.2, 0.06, 0.5
"""Standard deviations of the yearly wave and of what else repeats each year; the latter's width in radians."""
_HABITS, _HABITS_DAYS = 0.12, 70.0
_SPELLS, _SPELLS_DAYS = 0.14, 10.0
_WEEK_NOISE = 0.085
"""Standard deviation of a week's mean from day-to-day noise alone."""
_LEVEL = 1.0
SWINGS = (1.0, 4.0)
"""How much more seasonal than the median home one may be: gas heating is."""

_COARSE, _FINE, _FINE_DAYS = 7, 3, 63
"""Days of a bin, and of one of the last weeks."""
_LEAST = 0.05
"""Of the usual level: a logarithm needs more than zero."""
STEP = 0.7
"""Standard deviation of the logarithm of a lasting change, before it is seen: half to double."""
_BLOCK = 40
"""Unknowns that are solved at once."""
_OUTLIER = 2.0
"""Standard deviations beyond which a bin counts for less (Huber's weights)."""


@dataclass(frozen=True, slots=True)
class Bins:
    """Means of a few days each, in order. first: [bin], row of the first day. means: [bin, stream], energy a day."""

    first: Ints
    middle: Floats
    """[bin], row of the middle."""
    days: Ints
    """[bin], usable days."""
    means: Floats


def bins_of(energy: Floats, usable: Flags, start: int, end: int) -> Bins:
    """Sum up the days from `start` to before `end`: three at a time in the last nine weeks, before that by week.

    energy: [day, stream]. A bin with fewer than half of its days usable is left out.
    """
    start = max(start, end - LONGEST)
    edges = list(range(end, max(end - _FINE_DAYS, start) - 1, -_FINE))
    edges = [*edges, *range(edges[-1] - _COARSE, start - 1, -_COARSE)][::-1]
    at, width = np.array(edges), np.diff(edges)
    counts = np.concatenate([[0], np.cumsum(usable[:end])])
    sums = np.vstack([np.zeros(energy.shape[1]), np.cumsum(np.where(usable[:end, None], energy[:end], 0.0), axis=0)])
    days, totals = np.diff(counts[at]), np.diff(sums[at], axis=0)
    use = (days > 0) & (2 * days >= width)
    return Bins(at[:-1][use], (at[:-1] + (width - 1) / 2)[use], days[use], totals[use] / days[use, None])


def log_levels(bins: Bins) -> tuple[Floats, float]:
    """Return [bin], the mean over the streams of their log energy over its median, and the median of the sums."""
    usual = float(np.median(bins.means.sum(axis=1)))
    floored = np.maximum(bins.means, max(_LEAST * usual / bins.means.shape[1], 1.0))
    return np.log(floored / np.median(floored, axis=0)).mean(axis=1), usual


@dataclass(frozen=True, slots=True)
class Process:
    """How alike days are. noisiness: of this home against the median one. swing: of its seasons likewise."""

    noisiness: float = 1.0
    swing: float = 1.0

    @classmethod
    def fitted(cls, bins: Bins, levels: Floats) -> Process:
        """Return the process with the noisiness of neighbouring bins, and the likelier swing of the seasons."""
        apart = np.diff(bins.middle)
        expected = 2 * _SPELLS**2 * (1 - np.exp(-apart / _SPELLS_DAYS))
        expected = expected + 2 * _HABITS**2 * (1 - np.exp(-apart / _HABITS_DAYS))
        expected = expected + _WEEK_NOISE**2 * 7 * (1 / bins.days[1:] + 1 / bins.days[:-1])
        # The median of steps between neighbours: a lasting change is one of them only.
        steps = float(np.median(np.abs(np.diff(levels)) / np.sqrt(expected))) / MEDIAN_DEVIATION
        count, prior = len(levels), 30
        noisiness = float(np.clip((steps * count + prior) / (count + prior), 0.5, 2.0))
        return max((cls(noisiness, swing) for swing in SWINGS), key=lambda each: each.likelihood(bins, levels))

    def covariance(self, apart: Floats) -> Floats:
        """Return the covariance of log levels so many whole or half days apart."""
        # Bins are few distances apart, many times over: worked out once for each.
        half_days = np.rint(2 * np.abs(apart)).astype(np.int64)
        distance = np.arange(half_days.max(initial=0) + 1) / 2
        turn = 2 * np.pi * distance / YEAR_DAYS
        season = _SEASON**2 * np.cos(turn) + _FINE_SEASON**2 * np.exp(-2 * (np.sin(turn / 2) / _FINE_WIDTH) ** 2)
        habits = _HABITS**2 * np.exp(-distance / _HABITS_DAYS) + _SPELLS**2 * np.exp(-distance / _SPELLS_DAYS)
        return np.asarray((_LEVEL**2 + self.swing**2 * season + self.noisiness**2 * habits)[half_days])

    def noise(self, days: Ints) -> Floats:
        """Return the variance of the mean of so many days from day-to-day noise."""
        return np.asarray(self.noisiness**2 * _WEEK_NOISE**2 * 7 / days)

    def likelihood(self, bins: Bins, levels: Floats) -> float:
        """Return the log of how likely the levels are, but for a constant."""
        between = self.covariance(bins.middle[:, None] - bins.middle)
        factor = _factor(between, self.noise(bins.days))
        whitened = _solved(factor, levels)
        return float(-0.5 * whitened @ whitened - np.log(np.diag(factor)).sum())


def expected_level(
    energy: Floats, usable: Flags, known: int, targets: Ints, since: int = 0, *, season_before: bool = True
) -> Floats | None:
    """Return [target], the energy a day to be expected on each target row; None where too little is known.

    energy: [day]. since: row from which on the level holds; days before it show the season only, or with
    `season_before` off nothing.
    """
    bins = bins_of(energy[:, None], usable, 0 if season_before else since, known)
    if len(bins.first) < 3:
        return None
    levels, usual = log_levels(bins)
    if usual <= 0:
        return None
    process = Process.fitted(bins, levels)
    between = process.covariance(bins.middle[:, None] - bins.middle)
    across = process.covariance(targets[:, None] - bins.middle)
    after = (bins.first >= since - 1).astype(np.float64)
    if since > bins.first[0]:  # the level since then is a new one: no days before it say how high
        between = between + _LEVEL**2 * np.outer(after, after)
        across = across + _LEVEL**2 * after
    weights, _ = robust_weights(between, process.noise(bins.days), levels, rounds=2)
    return np.asarray(usual * np.exp(across @ weights))


def robust_weights(between: Floats, noise: Floats, levels: Floats, rounds: int) -> tuple[Floats, Floats]:
    """Solve (between + noise) weights = levels, bins far from what their neighbours say counting for less.

    Returns the weights, and the noise with which the next round would count each bin.
    """
    variance: Floats = noise
    weights = levels
    for _ in range(rounds):
        factor = _factor(between, variance)
        weights = _solved(factor[::-1, ::-1].T, _solved(factor, levels)[::-1])[::-1]
        far = np.abs(levels - between @ weights) / (_OUTLIER * np.sqrt(noise))
        variance = np.array(noise * np.maximum(1.0, far) ** 2, dtype=np.float64)
    return weights, variance


def step_evidence(between: Floats, noise: Floats, levels: Floats, steps: Floats) -> tuple[Floats, Floats]:
    """Return for each candidate step the log of how much likelier it makes the levels, and its height.

    steps: [bin, candidate], 1 from the step on. A step has the deviation `STEP` before it is seen.
    """
    factor = _factor(between, noise)
    whitened = _solved(factor, np.column_stack([steps, levels]))
    shape, seen = whitened[:, :-1], whitened[:, -1]
    precision, match = (shape**2).sum(axis=0), shape.T @ seen
    gained = STEP**2 / (1 + STEP**2 * precision)
    return 0.5 * match**2 * gained - 0.5 * np.log1p(STEP**2 * precision), match * gained


def _factor(between: Floats, noise: Floats) -> Floats:
    """Return the lower Cholesky factor of a covariance and the noise of each bin."""
    return np.asarray(np.linalg.cholesky(between + np.diag(noise)), dtype=np.float64)


def _solved(lower: Floats, right: Floats) -> Floats:
    """Solve lower x = right by forward substitution in blocks. lower: [row, column]. right: [row] or [row, case]."""
    # OpenBLAS starts threads for a general solution of more than about a hundred unknowns, and they spin: on a busy
    # machine that takes a hundred times as long as the solution. Blocks stay below.
    out = right.copy()
    for start in range(0, len(lower), _BLOCK):
        rows = slice(start, start + _BLOCK)
        out[rows] = np.linalg.solve(lower[rows, rows], out[rows] - lower[rows, :start] @ out[:start])
    return out
