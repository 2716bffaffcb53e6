"""What a bill cannot fall below or rise above: the certain part, and the home's own cheapest and dearest days."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from toolkit.analytics.energy.bills import Bill, Period, of_segments
from toolkit.analytics.energy.forecast.futures import Drawn, Pricer, Pricing, candidates, days_of, year_energy
from toolkit.analytics.energy.forecast.history import YEAR, History, Ints
from toolkit.analytics.energy.pricing import Market, price_home
from toolkit.analytics.energy.pricing.engine import home_of

__all__ = ["Bounds", "bounds_of"]

_EXPORT_DAYS = 365
_AROUND = 21
"""Days either side that are the same time of year."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Cents. certain: metered days, and the rest's supply and fixed fees. low, high: no range goes beyond them."""

    certain: int
    low: int
    high: int

    def clip(self, low: int, middle: int, high: int) -> tuple[int, int]:
        """Return the range within the bounds; the middle stays inside."""
        return min(max(low, self.low), middle), max(min(high, self.high), middle)


def bounds_of(history: History, known: int, period: Period, pricing: Pricing) -> Bounds:
    """known: days of the history that count as metered or past, as in `look_ahead`; at least one."""
    sure = _certain(history, known, period, pricing)
    low = sure.total_minor
    last_year = slice(max(known - _EXPORT_DAYS, 0), known)
    if history.matrices[history.time_zone].total("export")[last_year].any():
        # In cents, a credit negative: if the open days earned as much as such days ever have.
        pricer = Pricer(history, [period], pricing)
        like_days = np.stack(list(_like_days(history, known, period)))
        least_feed_in = int(pricer.feed_in(Drawn(like_days, {})).min())
        low -= max(sure.components_minor().get("feed_in", 0) - least_feed_in, 0)
        cheapest = None
    else:
        cheapest = _priced_on(history, known, period, pricing, dearest=False).total_minor
    dearest = _priced_on(history, known, period, pricing, dearest=True).total_minor
    return Bounds(sure.total_minor, low if cheapest is None else max(low, cheapest), max(dearest, sure.total_minor))


def _certain(history: History, known: int, period: Period, pricing: Pricing) -> Bill:
    """The bill of the metered days, and of the days after them what is charged without any energy.

    Where tiers get dearer, the metered days alone may cost more than as a part of the whole period: then the whole.
    """
    last = history.first + timedelta(known - 1)
    rest = Period(max(last + timedelta(1), period.first), period.last)
    whole = _without_energy_after(history, known, period, pricing)
    if rest.days < 1 or last < period.first:
        return whole
    so_far = _without_energy_after(history, known, Period(period.first, last), pricing)
    fixed = _without_energy_after(history, known, rest, pricing)
    # Concessions are for the whole period: each part carries its own share of them, by the days.
    lines = (*so_far.lines, *(line for line in fixed.lines if line.component != "demand"))
    parts = replace(so_far, periods=(period,), lines=lines)
    return min((parts, whole), key=lambda bill: bill.total_minor)


def _without_energy_after(history: History, known: int, days: Period, pricing: Pricing) -> Bill:
    """The days priced on the reads before `known` alone."""
    last = history.first + timedelta(known - 1)
    matrices = {
        time_zone: matrix.sliced(history.first, last, history.holidays)
        for time_zone, matrix in history.matrices.items()
    }
    segments = pricing.segments([days])
    yearly = year_energy(history, [segment.rates for segment in segments], days)
    bills = [
        price_home(market, home_of(market, matrices, segment.of([days]), pricing.options, yearly), pricing.options)
        for segment, market in ((each, Market.of([each.rates])) for each in segments)
    ]
    return of_segments([priced.bill(0) for priced in bills], segments, [days])


def _like_days(history: History, known: int, period: Period) -> Iterator[Ints]:
    """[day of the period] → row: metered days are themselves, the open ones as many days in a row of this time of year.

    Where the history has no such days in a row, the best of each day's candidates.
    """
    rows = np.arange(period.days, dtype=np.int64) + history.row(period.first)
    at = np.clip(rows, 0, len(history.metered) - 1)
    is_open = (rows < 0) | (rows >= known) | ~history.metered[at]
    wanted = rows[is_open]
    any_days = False
    for shift in range(-_AROUND - known - period.days, _AROUND + 1) if len(wanted) else ():
        if min(shift % YEAR, -shift % YEAR) > _AROUND:
            continue
        moved = wanted + shift
        if moved[0] >= 0 and moved[-1] < known and history.complete[moved].all():
            any_days = True
            yield _filled(rows, is_open, moved)
    if not any_days:
        export = history.matrices[history.time_zone].total("export")
        pools = [candidates(history, known, days_of(period)[n]) for n in np.flatnonzero(is_open)]
        yield _filled(rows, is_open, np.array([pool[export[pool].argmax()] for pool in pools], dtype=np.int64))


def _filled(rows: Ints, is_open: np.ndarray, with_rows: Ints) -> Ints:
    filled = rows.copy()
    filled[is_open] = with_rows
    return filled


def _priced_on(history: History, known: int, period: Period, pricing: Pricing, *, dearest: bool) -> Bill:
    """The bill if every open day were the home's own day of most, or of least, net import."""
    use = history.use.energy
    net = use["general"] + use["controlled"] - use["export"]
    pool = np.flatnonzero(history.complete[:known]) if history.complete[:known].any() else np.arange(known)
    extreme = int(pool[net[pool].argmax() if dearest else net[pool].argmin()])
    rows = [
        row if 0 <= row < known and history.metered[row] else extreme
        for row in range(history.row(period.first), history.row(period.last) + 1)
    ]
    return Pricer(history, [period], pricing).bill(Drawn.as_they_were(np.array(rows, dtype=np.int64)))
