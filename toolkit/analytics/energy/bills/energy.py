"""Lines for energy and daily supply of one billing period: usage, controlled load, feed-in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.blocks import NANO, split
from toolkit.analytics.energy.bills.labels import of_block
from toolkit.analytics.energy.bills.model import Component, Line, Options, Period, Price, Quantity
from toolkit.analytics.energy.intervals.matrix import DayGrid, Ints
from toolkit.analytics.energy.rates.messages import Findings
from toolkit.analytics.energy.rates.model import BandRate, Clock, Rates, Span, Tariff
from toolkit.analytics.energy.rates.parsing.durations import DayCount

Chosen = NDArray[np.bool_]


@dataclass(slots=True)
class Scene:
    """What the pricing of one billing period shares. grids: the period's days on each clock the plan names.

    yearly: energy of a year, for banded supply charges. unpriced: energy without a price so far, in 10^-9 units.
    around: the days of the whole billing period, where `period` is the part of it that one plan was in force; what a
    plan measures by the billing period (a month's highest demand, a discount's threshold) goes by these.
    """

    period: Period
    rates: Rates
    grids: Mapping[Clock, DayGrid]
    options: Options
    yearly: Decimal | None
    findings: Findings
    unpriced: int = 0
    around: Mapping[Clock, DayGrid] | None = None

    @property
    def whole(self) -> Mapping[Clock, DayGrid]:
        return self.grids if self.around is None else self.around

    @property
    def share(self) -> Fraction:
        """Of the whole billing period, by days."""
        return Fraction(self.period.days, self.whole[self.rates.clock].days)

    def chosen(self, spans: Sequence[Span], clock: Clock) -> list[Chosen]:
        """For each span the days on which it is the first that covers."""
        assigned = self.grids[clock].assigned(tuple(spans))
        return [np.asarray(assigned == n) for n in range(len(spans))]


class Charged(NamedTuple):
    """Energy under one tariff. energy: [day, band and two more] as of `DayGrid.banded`; days: those that count."""

    component: Component
    tariff: Tariff
    energy: Ints
    days: Chosen


def usage_lines(scene: Scene) -> Iterator[Line]:
    """General import, and controlled load on days that no controlled load tariff covers (pricing rule 8)."""
    for charged in used(scene):
        yield from _lines(charged, scene)
    periods = scene.rates.periods
    _report_days_without(scene.chosen([period.span for period in periods], scene.rates.clock), scene)


def used(scene: Scene) -> Iterator[Charged]:
    """Of each tariff period that covers a day, the energy billed as usage."""
    periods = scene.rates.periods
    chosen = scene.chosen([period.span for period in periods], scene.rates.clock)
    for tariff, days in zip(periods, chosen, strict=True):
        if days.any():
            yield Charged("usage", tariff, _usage(tariff, scene), days)


def _usage(tariff: Tariff, scene: Scene) -> Ints:
    grid = scene.grids[tariff.clock]
    energy = grid.banded(tariff.bands, "general")
    if not grid.controlled:
        return energy
    loads = scene.rates.controlled_loads
    alone = scene.grids[tariff.clock].assigned(tuple(load.span for load in loads)) < 0
    if not alone.any():
        return energy
    controlled = grid.banded(tariff.bands, "controlled") * alone[:, None]
    if controlled.any():
        scene.findings.note("Controlled load without a tariff of its own is billed as usage.")
    return np.asarray(energy + controlled)


def controlled_lines(scene: Scene) -> Iterator[Line]:
    """Controlled load and its daily charge, where such a register exists (pricing rule 8)."""
    for charged in controlled(scene):
        yield from _lines(charged, scene)
        supply = charged.tariff.supply
        if supply is not None and supply.price(scene.yearly):
            yield _supply("controlled_load", charged.tariff, charged.days, scene)


def controlled(scene: Scene) -> Iterator[Charged]:
    """Of each controlled load tariff that covers a day, its energy; nothing where there is no such register."""
    loads = scene.rates.controlled_loads
    for tariff, days in zip(loads, _alternatives(loads, scene), strict=True):
        grid = scene.grids[tariff.clock]
        if days.any() and grid.controlled:
            yield Charged("controlled_load", tariff, grid.banded(tariff.bands, "controlled"), days)


def feed_in_lines(scene: Scene) -> Iterator[Line]:
    """Credits for export (pricing rule 9)."""
    for charged in exported(scene):
        yield from _lines(charged, scene)
    tariffs = scene.rates.feed_ins
    grid = scene.grids[tariffs[0].clock if tariffs else scene.rates.clock]
    without = grid.assigned(tuple(tariff.span for tariff in tariffs)) < 0
    unpaid = int(grid.total("export")[without].sum())
    if unpaid:
        scene.findings.note(
            f"{unpaid / NANO:.3f} {scene.rates.unit} of export earn nothing: no feed-in tariff covers them."
        )


def exported(scene: Scene) -> Iterator[Charged]:
    """Of each feed-in tariff that covers a day, the energy it pays for."""
    tariffs = scene.rates.feed_ins
    for tariff, days in zip(tariffs, _alternatives(tariffs, scene), strict=True):
        if days.any():
            yield Charged("feed_in", tariff, scene.grids[tariff.clock].banded(tariff.bands, "export"), days)


def supply_lines(scene: Scene) -> Iterator[Line]:
    """One supply charge a day, from the first energy period that covers it and names one (pricing rule 5)."""
    supplied = [period for period in scene.rates.periods if period.supply is not None]
    chosen = scene.chosen([period.span for period in supplied], scene.rates.clock)
    for tariff, days in zip(supplied, chosen, strict=True):
        if days.any():
            yield _supply("supply", tariff, days, scene)
    free = scene.period.days - sum(int(days.sum()) for days in chosen)
    if free:
        scene.findings.note(f"No daily supply charge is published for {free} days between {_days(scene)}.")


def _alternatives(tariffs: Sequence[Tariff], scene: Scene) -> list[Chosen]:
    return scene.chosen([tariff.span for tariff in tariffs], tariffs[0].clock) if tariffs else []


def _lines(charged: Charged, scene: Scene) -> Iterator[Line]:
    """One line per band and block."""
    component, tariff, energy, days = charged
    _report_unpriced(tariff, energy[days], scene)
    if not tariff.rates:
        return
    period, count = of_days(scene.grids[tariff.clock], days)
    for band, rate in enumerate(tariff.rates):
        named = label_of(rate, tariff)
        for n, block, quantity in split(rate, energy[days, band], count, scene.options.blocks):
            label = of_block(named, n) if len(rate.blocks) > 1 else named
            price = -block.price if component == "feed_in" else block.price
            yield Line.priced(component, label, period, Quantity(quantity, scene.rates.unit), Price(price, block.gst))


def of_days(grid: DayGrid, chosen: Chosen) -> tuple[Period, DayCount]:
    """The first and last of the chosen days, and how many they are."""
    days = [day for day, wanted in zip(grid.dates, chosen, strict=True) if wanted]
    return Period(days[0], days[-1]), DayCount.of(days)


def _supply(component: Component, tariff: Tariff, days: Chosen, scene: Scene) -> Line:
    assert tariff.supply is not None
    period, count = of_days(scene.grids[tariff.clock], days)
    price = tariff.supply.price(scene.yearly)
    if tariff.supply.banded:
        scene.findings.note(_banded_note(tariff, scene))
    label, days_charged = f"{tariff.label}: daily supply", Quantity(Fraction(count.days), "day")
    return Line.priced(component, label, period, days_charged, Price(price, "added"))


def _banded_note(tariff: Tariff, scene: Scene) -> str:
    if scene.yearly is None:
        return f"{tariff.label}: supply goes by the year's energy, which is unknown; the first band is used."
    return f"{tariff.label}: the supply charge is that for {scene.yearly:.0f} {scene.rates.unit} a year."


def label_of(rate: BandRate, tariff: Tariff) -> str:
    """The price in the plan's words, with its season where the plan has seasons."""
    label = rate.label
    return label if label.startswith(tariff.label) or tariff.span.always else f"{tariff.label}: {label}"


def _report_unpriced(tariff: Tariff, energy: Ints, scene: Scene) -> None:
    nowhere, untimed = int(energy[:, -2].sum()), int(energy[:, -1].sum())
    if nowhere:
        why = "falls in no window" if tariff.rates else "has no readable price"
        unpriced(scene, nowhere, tariff.label, why)
    if untimed:
        unpriced(scene, untimed, tariff.label, "was read without a time of day, which these windows need,")


def _report_days_without(chosen: Sequence[Chosen], scene: Scene) -> None:
    """General import, and controlled load that would be billed as usage, on days without a tariff period."""
    grid = scene.grids[scene.rates.clock]
    left = ~np.logical_or.reduce(chosen) if chosen else np.ones(grid.days, dtype=bool)
    alone = grid.assigned(tuple(load.span for load in scene.rates.controlled_loads)) < 0
    energy = int(grid.total("general")[left].sum() + grid.total("controlled")[left & alone].sum())
    if energy:
        unpriced(scene, energy, "usage", "is on days that no tariff period covers")


def unpriced(scene: Scene, nano: int, label: str, why: str) -> None:
    """Lists energy that stays without a price."""
    scene.unpriced += nano
    scene.findings.problem(
        label, f"{nano / NANO:.3f} {scene.rates.unit} between {_days(scene)} {why} and is not priced"
    )


def _days(scene: Scene) -> str:
    return f"{scene.period.first} and {scene.period.last}"
