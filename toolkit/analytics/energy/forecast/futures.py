"""Futures of a home: its own days drawn again, at the level to be expected, priced by the one engine.

Futures of the same days are billing periods one after another to the engine, which prices thousands at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, timedelta
from decimal import Decimal

import numpy as np

from toolkit.analytics.energy.bills import Bill, IntervalMatrix, Options, Period, PlanSegment, of_segments
from toolkit.analytics.energy.bills.concessions import Concession, with_concessions
from toolkit.analytics.energy.forecast.history import YEAR, Floats, History, Ints
from toolkit.analytics.energy.intervals.matrix import DayTypes, Role, yearly_energy
from toolkit.analytics.energy.pricing import Market, price_home
from toolkit.analytics.energy.pricing.market import Home
from toolkit.analytics.energy.pricing.model import COMPONENTS
from toolkit.analytics.energy.rates import Rates
from toolkit.analytics.energy.rates.model import Bands, PlanTimeZone

__all__ = ["Drawn", "Pricer", "Pricing", "candidates", "days_of", "year_energy"]

_AROUND = 21
"""Days: further away the season is another one (measured: with the last weeks whatever the season, solar homes' errors
are a third larger)."""
_RECENT = (28, 84)
_FEWEST = 5
_PRICED_EXACTLY = 15
"""Up to so many futures, concessions are worked out line by line."""


@dataclass(frozen=True, slots=True)
class Pricing:
    """How bills are priced, and how many futures with which seed. concessions: the account's.

    rates: today's, on which the past is tested too. later: plans or prices in force from a later day on, in order.
    """

    rates: Rates
    options: Options
    seed: int = 0
    futures: int = 101
    concessions: Sequence[Concession] = ()
    later: tuple[PlanSegment, ...] = ()

    def segments(self, periods: Sequence[Period]) -> list[PlanSegment]:
        """Return the plans in force in the periods, all with days in the time zone of `rates`."""
        plans = [PlanSegment(self.rates, Period(date.min, date.max), tuple(self.concessions)), *self.later]
        ends = [*(later.period.first - timedelta(1) for later in self.later), date.max]
        zone = self.rates.time_zone
        segments = [
            replace(plan, rates=replace(plan.rates, time_zone=zone), period=Period(plan.period.first, end))
            for plan, end in zip(plans, ends, strict=True)
        ]
        return [segment for segment in segments if segment.cut(periods)]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Days drawn for futures. rows: [future, day], row of the history. scales: role → [future, day], times its own."""

    rows: Ints
    scales: Mapping[Role, Floats]

    def of(self, future: int) -> Drawn:
        """Return one future."""
        return Drawn(self.rows[[future]], {role: scale[[future]] for role, scale in self.scales.items()})

    def within(self, days: slice) -> Drawn:
        """Return some of the days of every future."""
        return Drawn(self.rows[:, days], {role: scale[:, days] for role, scale in self.scales.items()})

    @classmethod
    def as_they_were(cls, rows: Ints) -> Drawn:
        """Return one future of days as they were. rows: [day]."""
        return cls(rows[None], {})


def days_of(period: Period) -> list[date]:
    """Return the days of a period in order."""
    return [period.first + timedelta(n) for n in range(period.days)]


class Pricer:
    """Prices billing periods that follow each other, many times over, their days being rows of a history."""

    def __init__(self, history: History, periods: Sequence[Period], pricing: Pricing) -> None:
        self._history, self._periods, self._pricing = history, tuple(periods), pricing
        self._segments = pricing.segments(periods)
        self._markets = [Market.of([segment.rates]) for segment in self._segments]

    @property
    def is_slow(self) -> bool:
        """Return whether a plan has charges that are priced future by future."""
        return any(self._is_one_by_one(market) for market in self._markets)

    def totals(self, drawn: Drawn) -> Ints:
        """Return [future, period], cents."""
        futures = len(drawn.rows)
        out = np.zeros((futures, len(self._periods)), dtype=np.int64)
        for segment, market in zip(self._segments, self._markets, strict=True):
            wholes, own = zip(*segment.cut(self._periods), strict=True)
            at = [n for n, period in enumerate(self._periods) if segment.cut([period])]
            if self._is_one_by_one(market):
                out[:, at] += [self._one(segment, market, drawn.of(n), (own, wholes))[0] for n in range(futures)]
                continue
            totals = self._sums(market, drawn, (own, wholes)).sum(axis=0)
            out[:, at] += totals + (self._credits(segment, market, drawn, totals) if segment.concessions else 0)
        return out

    def feed_in(self, drawn: Drawn) -> Ints:
        """Return [future], cents of the feed-in of all periods; a credit is negative."""
        if self.is_slow:
            bills = (self.bill(drawn.of(future)) for future in range(len(drawn.rows)))
            return np.array([bill.components_minor().get("feed_in", 0) for bill in bills], dtype=np.int64)
        out = np.zeros(len(drawn.rows), dtype=np.int64)
        for segment, market in zip(self._segments, self._markets, strict=True):
            wholes, own = zip(*segment.cut(self._periods), strict=True)
            out += self._sums(market, drawn, (own, wholes))[COMPONENTS.index("feed_in")].sum(axis=1)
        return out

    def _sums(self, market: Market, drawn: Drawn, periods: tuple[Sequence[Period], Sequence[Period]]) -> Ints:
        """Return [component, future, period], cents without concessions of a plan that is not priced one by one."""
        own, wholes = periods
        futures, days = len(drawn.rows), self._days_within(wholes)
        matrices = {
            clock: SampledDays.of(self._history, clock[0], drawn.within(days), wholes[0].first, self._holidays)
            for clock in market.tables.clocks
        }
        ranges = market.ranges(own, wholes).repeated(futures)
        priced = price_home(market, Home(matrices, ranges, lambda _: self._yearly), self._pricing.options)
        return priced.charges.sums.reshape(len(COMPONENTS), futures, len(own))

    def _credits(self, segment: PlanSegment, market: Market, drawn: Drawn, totals: Ints) -> Ints:
        """Return [future, period], cents of concessions: of some futures exactly, of those between by their totals."""
        wholes, own = zip(*segment.cut(self._periods), strict=True)
        ranked = np.argsort(totals.sum(axis=1), kind="stable")
        picked = ranked[np.unique(np.linspace(0, len(ranked) - 1, min(len(ranked), _PRICED_EXACTLY)).astype(np.int64))]
        exact = [self._one(segment, market, drawn.of(int(n)), (own, wholes)) for n in picked]
        out = np.empty(totals.shape)
        for period in range(len(own)):
            before = np.array([each[1][period] for each in exact], dtype=np.float64)
            credit = np.array([each[0][period] for each in exact], dtype=np.float64) - before
            order = np.argsort(before, kind="stable")
            out[:, period] = np.interp(totals[:, period], before[order], credit[order])
        return np.rint(out).astype(np.int64)

    def bill(self, drawn: Drawn) -> Bill:
        """Return the bill of the first future."""
        bills = []
        for segment, market in zip(self._segments, self._markets, strict=True):
            wholes, own = zip(*segment.cut(self._periods), strict=True)
            bills.append(self._priced(market, drawn, (own, wholes)))
        return of_segments(bills, self._segments, self._periods)

    def _priced(self, market: Market, drawn: Drawn, periods: tuple[Sequence[Period], Sequence[Period]]) -> Bill:
        own, wholes = periods
        days = self._days_within(wholes)
        matrices = {
            clock: _future(self._history.matrices[clock[0]], drawn, days, wholes[0].first, self._holidays)
            for clock in market.tables.clocks
        }
        home = Home(matrices, market.ranges(own, wholes), lambda _: self._yearly)
        return price_home(market, home, self._pricing.options).bill(0)

    def _one(
        self, segment: PlanSegment, market: Market, drawn: Drawn, periods: tuple[Sequence[Period], Sequence[Period]]
    ) -> tuple[list[int], list[int]]:
        """Return the cents of each period of the first future, with concessions and without."""
        bill = self._priced(market, drawn, periods)
        both = (with_concessions(bill, segment.concessions), bill)
        with_them, without = (
            [
                sum(line.amount_minor for line in each.lines if own.first <= line.first and line.last <= own.last)
                for own in periods[0]
            ]
            for each in both
        )
        return with_them, without

    def _is_one_by_one(self, market: Market) -> bool:
        _, _, tiered = market.columns.tiered.kinds(self._pricing.options.blocks)
        return bool(len(tiered)) or bool(market.columns.exact_discounts)

    def _days_within(self, wholes: Sequence[Period]) -> slice:
        start = (wholes[0].first - self._periods[0].first).days
        return slice(start, start + (wholes[-1].last - wholes[0].first).days + 1)

    @property
    def _holidays(self) -> frozenset[date]:
        return self._pricing.options.holidays

    @property
    def _yearly(self) -> Decimal | None:
        return year_energy(self._history, [segment.rates for segment in self._segments], self._periods[-1])


def year_energy(history: History, plans: Sequence[Rates], period: Period) -> Decimal | None:
    """Return the energy of the year up to the period's end, where a plan's supply charge depends on it; else None."""
    if not any(rates.banded for rates in plans):
        return None
    return yearly_energy(
        history.matrices[history.time_zone], min(period.last, history.first + timedelta(history.days - 1))
    )


def _future(
    matrix: IntervalMatrix, drawn: Drawn, days: slice, first: date, holidays: frozenset[date]
) -> IntervalMatrix:
    """Return the days of the first future as a matrix."""
    sampled = matrix.resampled(drawn.rows[0, days], first)
    scales = {role: scale[0, days] for role, scale in drawn.scales.items()}
    general = scales.get("general", np.ones(len(sampled.missing)))
    return sampled.with_days(
        energy={role: _times(cells, scales.get(role)) for role, cells in sampled.energy.items()},
        untimed={role: _times(cells, scales.get(role)) for role, cells in sampled.untimed.items()},
        demand=np.where(sampled.demand < 0, sampled.demand, _times(sampled.demand, general)),
        measured=_times(sampled.measured, general),
        holidays=holidays,
    )


def _times(cells: Ints, scale: Floats | None) -> Ints:
    if scale is None:
        return cells
    return np.rint(cells * (scale if cells.ndim == 1 else scale[:, None])).astype(np.int64)


@dataclass(slots=True)
class _SameDay(IntervalMatrix):
    """Rows of a matrix as if each were a day of these types, whatever it was."""

    kinds: DayTypes = ()

    def types(self) -> Ints:
        """Return [day, covered day], the type of each day that the slots of a row cover."""
        return np.tile(np.array(self.kinds, dtype=np.int64), (self.days, 1))


@dataclass(slots=True)
class SampledDays(IntervalMatrix):
    """Days of many futures one after another, summed by band from the rows they are drawn from, never unpacked."""

    rows: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """[future × day], row of the source."""
    scales: Mapping[Role, Floats] = field(default_factory=dict)
    """role → [future × day]."""
    kinds: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """[future × day], number of its types in `sources`."""
    sources: Sequence[IntervalMatrix] = ()
    """The source's rows as days of each combination of types."""

    @classmethod
    def of(
        cls, history: History, time_zone: PlanTimeZone, drawn: Drawn, first: date, holidays: frozenset[date]
    ) -> SampledDays:
        """Return the drawn days from `first` on. Windows and seasons go by the new dates."""
        source = history.matrices[time_zone]
        calendar = source.sliced(first, first + timedelta(drawn.rows.shape[1] - 1), holidays)
        types, kinds = np.unique(calendar.types(), axis=0, return_inverse=True)
        shared = {each.name: getattr(source, each.name) for each in fields(IntervalMatrix) if each.name[0] != "_"}
        for each in map(tuple, types.tolist()):
            if (time_zone, each) not in history.as_days:
                history.as_days[time_zone, each] = _SameDay(**shared, kinds=each)
        none = np.zeros(drawn.rows.size, dtype=np.int64)
        return cls(
            **{**shared, "first": first, "missing": none, "holidays": holidays},
            rows=drawn.rows.ravel(),
            scales={role: scale.ravel() for role, scale in drawn.scales.items()},
            kinds=np.tile(kinds.reshape(-1), len(drawn.rows)),
            sources=[history.as_days[time_zone, each] for each in map(tuple, types.tolist())],
        )

    def banded(self, bands: Bands, role: Role) -> Ints:
        """Return [future × day, column], as `IntervalMatrix.banded`."""
        table = np.stack([source.banded(bands, role) for source in self.sources])
        return _times(table[self.kinds, self.rows], self.scales.get(role))

    def highest(self, bands: Bands) -> Ints:
        """Return [future × day], as `IntervalMatrix.highest`."""
        table = np.stack([source.highest(bands) for source in self.sources])
        highest = table[self.kinds, self.rows]
        return np.where(highest < 0, highest, _times(highest, self.scales.get("general")))

    def total(self, role: Role) -> Ints:
        """Return [future × day], the energy of that role."""
        return _times(self.sources[0].total(role)[self.rows], self.scales.get(role))


def candidates(history: History, known: int, day: date, since: int = 0) -> Ints:
    """Return the rows that may substitute `day`: complete days of its kind (weekday; weekend or holiday).

    From within three weeks of the day itself, or of the same day in earlier years. Where these are too few: the last
    four, then twelve weeks, then any day of its kind, then any day. since: row before which no day counts.
    """
    rows = np.arange(known)
    complete = history.complete[:known] & (rows >= since)
    alike = complete & (history.weekend[:known] == history.is_weekend(day))
    # Near: within three weeks of the day, or of the same day in earlier years.
    apart = np.abs((history.row(day) - rows + YEAR // 2) % YEAR - YEAR // 2)
    near = alike & (apart <= _AROUND)
    for pool in (near, *(alike & (rows >= known - recent) for recent in _RECENT), alike, complete):
        if int(pool.sum()) >= _FEWEST:
            return np.flatnonzero(pool)
    usable = history.metered[:known]
    return np.flatnonzero(usable & (rows >= since)) if usable[since:].any() else np.flatnonzero(usable)
