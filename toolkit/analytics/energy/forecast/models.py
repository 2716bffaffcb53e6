"""What each model expects of the days to come, and how much of each goes into the forecast of a home.

Weights follow from rolling-origin tests on that very home: the inverse of a model's mean squared error there, with what
is usual among homes as if seen on a few past bills.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from toolkit.analytics.energy.forecast.changes import LastingChange
from toolkit.analytics.energy.forecast.history import YEAR, Flags, Floats, History, Ints
from toolkit.analytics.energy.forecast.season import YEAR_DAYS, expected_level
from toolkit.analytics.energy.intervals.matrix import ROLES, Role
from toolkit.answers.energy.forecast import Method

__all__ = ["Expected", "ModelErrors", "blended", "expectations", "weights_of"]

Expected = Mapping[Role, Floats]
"""Energy of each open day, in 10^-9 kWh or MJ."""

_RECENT = 28
_AROUND = 21
_WEEKEND_DAYS = 182
_WEEKEND_CLIP = (0.2, 5.0)
_RATIO_CLIP = (0.2, 5.0)
_USUAL_ERRORS: Mapping[Method, float] = {
    "season and level": 0.08,
    "run rate": 0.10,
    "same days last year": 0.22,
    "similar days": 0.14,
}
"""Root mean squared errors of the part of a bill that is open, as shares of it, among generated and measured homes."""
_EVERY_SEASON = 330
_SOLSTICE = date(2000, 12, 21)
_SUN = 0.255
"""Half of what lies between the best and the worst month of panels that face north in Sydney, over the mean of the
year (4.83, 2.82 and 3.94 kWh a kW and day, Clean Energy Council)."""
_USUAL_COUNT = 8.0
"""Past bills that what is usual counts for."""


def expectations(
    history: History, known: int, targets: Ints, change: LastingChange | None
) -> Mapping[Method, Expected]:
    """Return what each model expects of the target rows, from the first `known` days; those that can say anything."""
    at_home = history.at_home(known)
    lately = np.zeros(known, dtype=np.bool_)
    lately[max(known - 2 * _RECENT, change.row if change else 0) :] = True
    usable = at_home if (at_home & lately).sum() >= 7 else history.metered[:known]
    out: dict[Method, dict[Role, Floats]] = {}
    for role in ROLES:
        energy = history.use.energy[role]
        if not energy[:known].any():
            for method in _USUAL_ERRORS:
                out.setdefault(method, {})[role] = np.zeros(len(targets))
            continue
        for method, expected in _of_role(history, role, usable, known, targets, change).items():
            out.setdefault(method, {})[role] = expected
    return {method: by_role for method, by_role in out.items() if len(by_role) == len(ROLES)}


def _of_role(
    history: History, role: Role, usable: Flags, known: int, targets: Ints, change: LastingChange | None
) -> dict[Method, Floats]:
    energy = history.use.energy[role]
    since = change.row if change else 0
    weekend = _weekends(history, known, energy, usable, since)
    by_day = np.where(history.weekend[:known], weekend, 1.0)
    is_weekend = np.array([history.is_weekend(history.first + timedelta(int(row))) for row in targets], dtype=np.bool_)
    ahead = np.where(is_weekend, weekend, 1.0)
    if role == "export" and change is not None and change.kind == "new solar" and known - since < _EVERY_SEASON:
        by_day, ahead = by_day * _sun(history, np.arange(known)), ahead * _sun(history, targets)
    level = energy[:known] / by_day
    out: dict[Method, Floats] = {}
    season = expected_level(
        level, usable, known, targets, since, season_before=change is None or change.kind != "new solar"
    )
    if season is not None:
        out["season and level"] = season * ahead
    recent = np.flatnonzero(usable[since:])[-_RECENT:] + since
    if recent.size:
        out["run rate"] = level[recent].mean() * ahead
    same = _last_year(level, usable, known, targets, since)
    if same is not None:
        out["same days last year"] = same * ahead
    alike = _similar(level, usable, known, targets, since)
    if alike is not None:
        out["similar days"] = alike * ahead
    return out


def _sun(history: History, rows: Ints) -> Floats:
    """Return what panels make on the days of some rows over the mean of a year: new ones show no season yet."""
    since_solstice = (history.first - _SOLSTICE).days + rows
    return np.asarray(1 + _SUN * np.cos(2 * np.pi * since_solstice / YEAR_DAYS))


def _weekends(history: History, known: int, energy: Floats, usable: Flags, since: int) -> float:
    """Return a weekend day's energy over a weekday's, of the last half year."""
    days = np.flatnonzero(usable[since:known])[-_WEEKEND_DAYS:] + since
    on_weekends = history.weekend[days]
    if on_weekends.sum() < 4 or (~on_weekends).sum() < 8:
        return 1.0
    weekday = energy[days[~on_weekends]].mean()
    return float(np.clip(energy[days[on_weekends]].mean() / weekday, *_WEEKEND_CLIP)) if weekday > 0 else 1.0


def _last_year(level: Floats, usable: Flags, known: int, targets: Ints, since: int) -> Floats | None:
    """Return the same days a year ago times the last four weeks over the same four weeks a year before."""
    back = np.where(targets - YEAR >= known, targets - 2 * YEAR, targets - YEAR)
    if not targets.size or back.min() < since or back.max() >= known or not usable[back].any():
        return None
    ratio = _this_year(level, usable, known, since)
    source = np.where(usable[back], level[back], level[back[usable[back]]].mean())
    return None if ratio is None else np.asarray(source * ratio)


def _this_year(level: Floats, usable: Flags, known: int, since: int) -> float | None:
    now = np.arange(max(known - _RECENT, since + YEAR), known)
    now = now[usable[now] & usable[now - YEAR]] if now.size else now
    if now.size < _RECENT * 3 // 4 or level[now - YEAR].sum() <= 0:
        return None
    return float(np.clip(level[now].sum() / level[now - YEAR].sum(), *_RATIO_CLIP))


def _similar(level: Floats, usable: Flags, known: int, targets: Ints, since: int) -> Floats | None:
    """Return the mean of the days around the same day in earlier years, at today's level, and of those of late."""
    rows = np.arange(known)
    ratio = _this_year(level, usable, known, since) or 1.0
    middle = float(targets.mean()) if targets.size else float(known)
    reach = _AROUND + (len(targets) - 1) / 2
    turn = (rows - middle + YEAR / 2) % YEAR - YEAR / 2  # days from the middle of the targets in the nearest year
    own = usable & (rows >= since) & (np.abs(turn) <= reach)
    earlier, lately = own & (middle - rows > YEAR / 2), own & (middle - rows <= YEAR / 2)
    if own.sum() < 5:
        return None
    return np.full(len(targets), float(np.concatenate([level[earlier] * ratio, level[lately]]).mean()))


@dataclass(frozen=True, slots=True)
class ModelErrors:
    """How the models fared on one past bill. errors: share of the open part by which each was off."""

    known: int
    """Days that were known when it was forecast."""
    last: int
    """Row of its last day."""
    errors: Mapping[Method, float]


def weights_of(methods: Sequence[Method], past: Sequence[ModelErrors]) -> dict[Method, float]:
    """Return the share of each model, by its mean squared error on past bills; together 1."""
    inverse = {}
    for method in methods:
        squared = [min(each.errors[method], 1.0) ** 2 for each in past if method in each.errors]
        mean = (_USUAL_COUNT * _USUAL_ERRORS[method] ** 2 + sum(squared)) / (_USUAL_COUNT + len(squared))
        inverse[method] = 1 / mean
    total = sum(inverse.values())
    return {method: value / total for method, value in inverse.items()}


def blended(expected: Mapping[Method, Expected], weights: Mapping[Method, float]) -> Expected:
    """Return the weighted mean of what the models expect."""
    return {role: np.asarray(sum(weights[method] * expected[method][role] for method in weights)) for role in ROLES}
