"""Scores of `solar` on homes that are known, by the public functions of `toolkit`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median

import numpy as np
import polars as pl

import toolkit
from tests.truth.homes import reads
from tests.truth.solar.homes import FIRST, SolarHome, with_dead_string

_EVENT_GAP = 3


@dataclass(frozen=True)
class Scored:
    """One home. inside: whether its self-consumption lay in the band; None where it was refused.

    half_width: of that band, points. off: of the middle of generation, as a share. export_share: of the generation.
    """

    kind: str
    inside: bool | None
    half_width: float
    off: float
    export_share: float


@dataclass(frozen=True)
class Summary:
    """Of some homes: shares, and medians of those that were answered."""

    homes: int
    inside: float
    half_width: float
    off: float
    refused: float


@dataclass(frozen=True)
class Fault:
    """found: whether the dead panels were; false_alarms: at the same home without a fault."""

    kind: str
    found: bool
    false_alarms: int


def net_reads(home: SolarHome) -> pl.DataFrame:
    """Return the reads of a home's net meter."""
    _, bought, sold = home.half_hours
    return pl.concat([reads(home.first, bought), reads(home.first, sold, export=True)])


def _answer(home: SolarHome, *, known: bool):
    more = {}
    if known:
        arrays = [(array.kw, array.azimuth % 360, array.tilt) for array in home.arrays]
        more = {"panels_kw": home.panels_kw, "arrays": arrays, "inverter_kw": home.inverter_kw}
    return toolkit.solar(net_reads(home), zone=home.place.zone, postcode=home.place.postcode, **more)


def scored(homes: Iterable[SolarHome], *, known: bool) -> list[Scored]:
    """Score each home; known: with size, orientation, tilt and inverter."""
    found = []
    for home in homes:
        answer = _answer(home, known=known)
        made, _, sold = home.half_hours
        share = float(sold.sum() / made.sum())
        if answer.self_consumption is None:
            found.append(Scored(home.kind, None, 0.0, 0.0, share))
            continue
        low, _, high = answer.self_consumption.values
        truth = 1 - share
        off = abs(answer.generation_kwh.mid / made.sum() - 1)
        found.append(Scored(home.kind, low <= truth <= high, 50 * (high - low), float(off), share))
    return found


def summary(results: Sequence[Scored], kind: str | None) -> Summary:
    """Sum up the homes of a kind, or all."""
    of_kind = [each for each in results if kind in (None, each.kind)]
    answered = [each for each in of_kind if each.inside is not None]
    if not answered:
        return Summary(len(of_kind), 0.0, 0.0, 0.0, 1.0)
    return Summary(
        homes=len(of_kind),
        inside=mean(bool(each.inside) for each in answered),
        half_width=median(each.half_width for each in answered),
        off=median(each.off for each in answered),
        refused=1 - len(answered) / len(of_kind),
    )


def fault_scores(homes: Sequence[SolarHome]) -> list[Fault]:
    """Let a third to three fifths of each home's panels be dead for 30 days, and see whether they are found."""
    found = []
    for number, home in enumerate(homes):
        made, _, sold = home.half_hours
        if sold.sum() < made.sum() / 3:
            continue
        chance = np.random.default_rng([number, 77])
        first = int(chance.integers(35, 300))  # from August to April, and 30 days
        faulty = with_dead_string(home, float(chance.uniform(0.34, 0.6)), first, 30)
        named = {(day.date - FIRST).days for day in _answer(faulty, known=False).days_to_check}
        alarms = _events({(day.date - FIRST).days for day in _answer(home, known=False).days_to_check})
        found.append(Fault(home.kind, bool(named & set(range(first, first + 30))), alarms))
    return found


def _events(days: set[int]) -> int:
    """Count runs of days with less than a few days between them."""
    ordered = sorted(days)
    return sum(number == 0 or day - ordered[number - 1] > _EVENT_GAP for number, day in enumerate(ordered))
