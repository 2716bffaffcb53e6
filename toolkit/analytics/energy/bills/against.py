"""Why a bill differs from another of the same home: parts in a fixed order, each the difference of two engine bills.

The earlier bill becomes the later one step by step; what a step changes the total by is its part:

1. days: the earlier use a day, on the later bill's days (their number, and which weekdays they are), at the earlier
   prices. Reads are laid over the later days in order, each on its own weekday; a season of the earlier plan keeps its
   share of the days.
2. prices: the later bill's prices. 3. season: general use as the home's own curve of the year has it. 4. level: as much
   general use as on the later bill. 5. shape: at the hours of the later bill. 6. controlled_load and 7. export: as on
   the later bill. 8. discounts: its discounts and concessions. 9. estimated: what estimated reads add to its use.

Parts telescope, so that they add up to the cent. What rounding its lines may make is in `rounding`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import groupby, pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.concessions import Concession
from toolkit.analytics.energy.bills.pricing import PlanSegment, accounts, price_segments
from toolkit.analytics.energy.intervals.matrix import ROLES, IntervalMatrix, Ints, Role, quality_of, yearly_energy
from toolkit.analytics.energy.intervals.prepare import Usage
from toolkit.analytics.energy.intervals.season import SeasonCurve, season_curve
from toolkit.analytics.energy.pricing.model import Bill, Options
from toolkit.analytics.energy.rates.model import Discount, PlanTimeZone, Rates, Span, Tariff
from toolkit.answers.base import Note, Period
from toolkit.answers.energy.bills import PartName
from toolkit.tables.cadences import in_month

_DAY = timedelta(1)
_ESTIMATED = 0.01
"""Share of estimated energy from which on a bill counts as estimated: a half hour now and then is usual."""


@dataclass(frozen=True, slots=True)
class PricedBill:
    """A bill and what the engine priced: plans and prices by days, billing periods, options."""

    segments: Sequence[PlanSegment]
    periods: Sequence[Period]
    options: Options
    bill: Bill

    @property
    def days(self) -> Period:
        """Return the first to the last day of the bill."""
        return Period(self.periods[0].first, self.periods[-1].last)


@dataclass(frozen=True, slots=True)
class Difference:
    """Parts of a difference in cents, in their order, without those of nothing; notes on what is not known."""

    parts: Mapping[PartName, int]
    notes: tuple[Note, ...]


def difference(usage: Usage, then: PricedBill, now: PricedBill) -> Difference:
    """Explain `now` less `then`. usage: all reads of the home, of both bills and, for the season, of other years."""
    laid = _LaidOver.of(usage, then, now)
    levels = _Levels.of(laid)
    earlier = _Prices.stretched(laid)
    later = replace(earlier, segments=now.segments, options=_with_yearly(laid, now))
    measured = levels.shape
    states: list[tuple[PartName, _Prices, _Mix]] = [
        ("days", earlier, _Mix()),
        ("prices", later, _Mix()),
        ("season", later, levels.season),
        ("level", later, levels.level),
        ("shape", later, measured),
        ("controlled_load", later, replace(measured, later=frozenset({"general", "controlled"}))),
        ("export", later, replace(measured, later=frozenset(ROLES))),
        ("discounts", replace(later, own_credits=True), replace(measured, later=frozenset(ROLES))),
    ]
    totals = [then.bill.total_minor, *(laid.total(prices, mix) for _, prices, mix in states), now.bill.total_minor]
    names: list[PartName] = [*(name for name, _, _ in states), "estimated"]
    parts = {name: after - before for name, (before, after) in zip(names, pairwise(totals), strict=True)}
    return Difference(_without_rounding(parts, then.bill, now.bill), levels.notes)


def difference_together(usage: Usage, then: PricedBill, now: PricedBill, billed: int | None) -> Difference:
    """Explain `now` less an earlier bill without known prices: its days apart, prices and use together.

    then: the earlier bill as far as it can be priced; without reads all is one part. billed: cents of the retailer's
    bill, which counts in its place. The days are priced on the later bill's last day's prices.
    """
    total = then.bill.total_minor if billed is None else billed
    whole = now.bill.total_minor - total
    if then.bill.quality.missing_share == 1:
        return Difference({"prices_and_use": whole}, ())
    laid = _LaidOver.of(usage, then, now)
    last = now.segments[-1]
    rates = _frozen(last.rates, now.days.last)
    prices = _Prices([PlanSegment(rates, now.days)], _with_yearly(laid, now), (), ())
    own = price_segments(usage, [PlanSegment(rates, then.days)], then.periods, options=prices.options)
    parts: dict[PartName, int] = {"days": laid.total(prices, _Mix()) - own.total_minor}
    parts["prices_and_use"] = whole - parts["days"]
    return Difference(_without_rounding(parts, own), ())


Wanted = Literal["previous", "last-year"]
_LONGEST_GAP = timedelta(45)


def earlier_period(now: Period, invoiced: Sequence[Period], wanted: Wanted) -> Period:
    """Return the days of the bill before, or of the same time last year. invoiced: the retailer's bills, in order.

    Those of retailer's bills where `now` is made of some; else as many months as `now` has where it is of whole
    months, or as many days.
    """
    after = now.last + _DAY
    of_bills = [each for each in invoiced if now.first <= each.first and each.last <= now.last]
    is_billed = bool(of_bills) and (of_bills[0].first, of_bills[-1].last) == (now.first, now.last)
    if wanted == "last-year":
        year_ago = Period(in_month(now.first, -12), in_month(after, -12) - _DAY)
        then = [each for each in invoiced if is_billed and 2 * _common_days(each, year_ago) > each.days]
        whole = Period(then[0].first, then[-1].last) if then else year_ago
        return whole if 3 * now.days <= 4 * whole.days <= 5 * now.days else year_ago
    before = [each for each in invoiced if each.last < now.first][-len(of_bills) :]
    if is_billed and len(before) == len(of_bills) and now.first - before[-1].last <= _LONGEST_GAP:
        return Period(before[0].first, before[-1].last)
    if now.first.day == 1 and after.day == 1:
        months = 12 * (after.year - now.first.year) + after.month - now.first.month
        return Period(in_month(now.first, -months), now.first - _DAY)
    return Period(now.first - timedelta(now.days), now.first - _DAY)


def _common_days(one: Period, other: Period) -> int:
    return (min(one.last, other.last) - max(one.first, other.first)).days + 1


def _without_rounding(parts: Mapping[PartName, int], *bills: Bill) -> dict[PartName, int]:
    """Return the parts, those of at most half a cent for each line of both bills together as `rounding`."""
    most = sum(len(bill.lines) for bill in bills) // 2
    kept = {name: minor for name, minor in parts.items() if abs(minor) > most}
    rounding = sum(parts.values()) - sum(kept.values())
    return {**kept, "rounding": rounding} if rounding else kept


@dataclass(frozen=True, slots=True)
class _Prices:
    """Prices by days. own_credits: whether the segments' own discounts and concessions count, not the earlier ones."""

    segments: Sequence[PlanSegment]
    options: Options
    discounts: tuple[Discount, ...]
    """Those of the earlier bill, as shares of all days."""
    concessions: tuple[Concession, ...]
    """Likewise."""
    own_credits: bool = False

    @classmethod
    def stretched(cls, laid: _LaidOver) -> _Prices:
        """Return the earlier bill's prices on the later bill's days, each price list and season by its share of days.

        Seasons of the plan are the earlier bill's: what another season of it costs is a change of prices.
        """
        then, now = laid.then, laid.now
        days = [then.days.first + timedelta(n) for n in range(then.days.days)]
        by_day = ((segment, day) for day in days for segment in then.segments if segment.period.first <= day)
        latest = {day: segment for segment, day in by_day if day <= segment.period.last}
        runs = [(frozen, len(list(run))) for frozen, run in groupby(_frozen(latest[day].rates, day) for day in days)]
        ends = np.cumsum([length for _, length in runs])
        cuts = [0, *(round(float(end) * now.days.days / len(days)) for end in ends)]
        segments = [
            PlanSegment(
                replace(rates, time_zone=laid.time_zone),
                Period(now.days.first + timedelta(begin), now.days.first + timedelta(end - 1)),
            )
            for (rates, _), (begin, end) in zip(runs, pairwise(cuts), strict=True)
            if begin < end
        ]
        discounts = tuple(
            replace(discount, share=discount.share * (Decimal(len(covered)) / len(days)), span=Span())
            for segment in dict.fromkeys(latest.values())
            for discount in segment.rates.discounts
            if (covered := [day for day in days if latest[day] is segment and discount.span.covers(day)])
        )
        return cls(segments, _with_yearly(laid, then), discounts, _concessions_of(then))

    def counted(self) -> Sequence[PlanSegment]:
        """Return the segments with the discounts and concessions that count."""
        if self.own_credits:
            return self.segments
        return [
            replace(each, rates=replace(each.rates, discounts=self.discounts), concessions=self.concessions)
            for each in self.segments
        ]


def _with_yearly(laid: _LaidOver, bill: PricedBill) -> Options:
    """Return the bill's options with the energy of the year up to its end, which banded supply charges go by."""
    yearly = yearly_energy(laid.usage.matrix(laid.time_zone), bill.days.last)
    return bill.options if bill.options.yearly is not None else replace(bill.options, yearly=yearly)


def _frozen(rates: Rates, day: date) -> Rates:
    """Return the plan as it is on that day, for any day; its discounts are counted apart."""

    def on_day(tariffs: Sequence[Tariff]) -> tuple[Tariff, ...]:
        return tuple(replace(tariff, span=Span()) for tariff in tariffs if tariff.span.covers(day))

    return replace(
        rates,
        periods=on_day(rates.periods),
        controlled_loads=on_day(rates.controlled_loads),
        feed_ins=on_day(rates.feed_ins),
        demands=tuple(replace(charge, span=Span()) for charge in rates.demands if charge.span.covers(day)),
        discounts=(),
    )


def _concessions_of(bill: PricedBill) -> tuple[Concession, ...]:
    """Return the bill's concessions without dates, those in force on some of its days by their share of them."""
    of_days = []
    for granted, days in accounts(bill.segments):
        for concession in granted:
            first = max(filter(None, [bill.days.first, days.period.first, concession.first]))
            last = min(filter(None, [bill.days.last, days.period.last, concession.last]))
            share = Decimal(max((last - first).days + 1, 0)) / bill.days.days
            amount = None if concession.amount is None else concession.amount * share
            part = None if concession.share is None else concession.share * share
            of_days += [replace(concession, amount=amount, share=part, first=None, last=None)] if share else []
    return tuple(of_days)


@dataclass(frozen=True, slots=True)
class _Mix:
    """Use made of both bills' reads: which kinds are the later bill's, and by how much general use is scaled."""

    general_by: float = 1.0
    later: frozenset[Role] = frozenset()


@dataclass(frozen=True, slots=True)
class _LaidOver:
    """The reads of the earlier bill on the days of the later one.

    picks: [later day], the row of the earlier bill that it takes: the one as far into its bill, moved by at most three
    days to the same weekday, so that months and weekends keep their place.
    """

    usage: Usage
    then: PricedBill
    now: PricedBill
    time_zone: PlanTimeZone
    picks: Ints

    @classmethod
    def of(cls, usage: Usage, then: PricedBill, now: PricedBill) -> _LaidOver:
        before, after = then.days, now.days
        rows = np.arange(after.days) * before.days // after.days
        moved = (after.first.weekday() + np.arange(after.days) - before.first.weekday() - rows) % 7
        near = rows + np.where(moved > 3, moved - 7, moved)
        near = np.where(near < 0, near + 7, np.where(near >= before.days, near - 7, near))
        picks = near.clip(0, before.days - 1)  # a bill of less than a week lacks some weekdays
        return cls(usage, then, now, now.segments[-1].rates.time_zone, picks)

    def days_of(self, bill: PricedBill) -> IntervalMatrix:
        """Return the reads of a bill's days."""
        return self.usage.matrix(self.time_zone).sliced(bill.days.first, bill.days.last)

    def scale(self, role: Role) -> float:
        """Return the factor that keeps the earlier bill's energy a day although some days are taken more than once."""
        by_day = self.days_of(self.then).total(role)
        taken = int(by_day[self.picks].sum())
        return int(by_day.sum()) * len(self.picks) / len(by_day) / taken if taken else 1.0

    def mixed(self, whole: IntervalMatrix, mix: _Mix) -> IntervalMatrix:
        """Return the later bill's days with use of both bills. whole: all reads, on any clock."""
        now = whole.sliced(self.now.days.first, self.now.days.last)
        then = whole.sliced(self.then.days.first, self.then.days.last).resampled(self.picks, now.first)
        source = {role: now if role in mix.later else then for role in ROLES}
        by = {role: 1.0 if role in mix.later else self.scale(role) for role in ROLES}
        by["general"] *= mix.general_by
        demand = source["general"].demand
        return now.with_days(
            energy={role: _scaled(matrix.energy[role], by[role]) for role, matrix in source.items()},
            untimed={role: _scaled(matrix.untimed[role], by[role]) for role, matrix in source.items()},
            demand=np.where(demand < 0, demand, _scaled(demand, by["general"])),
        )

    def total(self, prices: _Prices, mix: _Mix) -> int:
        """Return the cents of the later bill's days at these prices for this use."""
        use = _MixedUsage(self.usage.rows, self.usage.zone, self.usage.unit, laid=self, mix=mix)
        return price_segments(use, prices.counted(), self.now.periods, options=prices.options).total_minor


@dataclass(slots=True)
class _MixedUsage(Usage):
    """Use of the later bill's days, mixed of both bills' reads."""

    laid: _LaidOver = field(kw_only=True)
    mix: _Mix = field(kw_only=True)

    def matrix(self, time_zone: PlanTimeZone, days: PlanTimeZone | None = None) -> IntervalMatrix:
        """Return the mixed energy by day and time of day, as `Usage.matrix` does."""
        return self.laid.mixed(self.laid.usage.matrix(time_zone, days), self.mix)


def _scaled(cells: Ints, by: float) -> Ints:
    return cells if by == 1.0 else np.rint(cells * by).astype(np.int64)


@dataclass(frozen=True, slots=True)
class _Levels:
    """How general use changed from the earlier bill to the later one. mixes are of the states of these names."""

    season: _Mix
    level: _Mix
    shape: _Mix
    """The later bill's reads at the level that its actual reads show."""
    notes: tuple[Note, ...]

    @classmethod
    def of(cls, laid: _LaidOver) -> _Levels:
        """Measure the season by the home's curve, and the level by actual reads."""
        curve = season_curve(laid.usage.matrix(laid.time_zone), laid.now.days)
        then, now = (_Use.of(laid.days_of(bill), curve) for bill in (laid.then, laid.now))
        season = now.expected_a_day / then.expected_a_day
        # reads that are estimated say nothing about the level: then it is the other bill's, and the rest is estimated
        measured = then.measured or now.measured, now.measured or then.measured
        estimated = 1.0
        if all(measured) and then.level and now.level:
            estimated = (now.level / (measured[1] or 1.0)) / (then.level / (measured[0] or 1.0))
        elif then.level and now.level:
            estimated = now.level / then.level
        shape = _Mix(1 / estimated, frozenset({"general"}))
        ratio = now.energy / then.energy * then.days / now.days if then.energy and now.energy else 0.0
        notes = [] if curve else [Note("season_not_known")]
        notes += [
            Note("estimated_use", first=bill.days.first, last=bill.days.last, share=use.estimated_share)
            for bill, use in ((laid.then, then), (laid.now, now))
            if use.estimated_share > _ESTIMATED
        ]
        return cls(_Mix(season), _Mix(ratio / estimated) if ratio else shape, shape, tuple(notes))


@dataclass(frozen=True, slots=True)
class _Use:
    """General use of a bill's days. level: in proportion to the curve; 0 without use. measured: by actual reads alone.

    measured is None where no day has only actual reads.
    """

    days: int
    energy: int
    expected_a_day: float
    level: float
    measured: float | None
    estimated_share: float

    @classmethod
    def of(cls, matrix: IntervalMatrix, curve: SeasonCurve | None) -> _Use:
        """Measure the days of a bill."""
        expected = np.ones(matrix.days) if curve is None else curve.on(matrix.first, matrix.days)
        used = matrix.total("general")
        of_all = sum(matrix.total(role) for role in ROLES)
        quality = quality_of([matrix])
        share = 1 - quality.measured / quality.energy if quality.energy else 0.0
        read = matrix.missing < matrix.expected
        actual = read & (matrix.measured >= of_all) if share > _ESTIMATED else read

        def level(days: NDArray[np.bool_]) -> float:
            return float(used[days].sum() / expected[days].sum()) if days.any() else 0.0

        measured = level(actual) if actual.any() else None
        return cls(matrix.days, int(used.sum()), float(expected.mean()), level(read), measured, share)
