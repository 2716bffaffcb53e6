"""A market's rows as arrays, made once: what every household's pricing starts from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.blocks import daily_blocks
from toolkit.analytics.energy.bills.model import COMPONENTS, Blocks
from toolkit.analytics.energy.compare.daily_tiers import Afresh
from toolkit.analytics.energy.compare.rows import (
    MONTH_UNITS,
    PER_CENT_UNIT,
    TENTHS,
    DailyRow,
    DemandRow,
    DiscountRow,
    EnergyRow,
    RecurringRow,
    Rows,
    SteppedRow,
    units,
)
from toolkit.analytics.energy.compare.scatter import Into
from toolkit.analytics.energy.rates.model import Supply
from toolkit.analytics.energy.rates.parsing.durations import Duration

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

NANO = 1_000_000_000
NO_LIMIT = np.iinfo(np.int64).max


def ints(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int64)


def flags(values: Sequence[bool]) -> Bools:
    return np.array(values, dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Energy:
    """price: 10^-11 AUD, GST in it where it is added."""

    into: Into
    plan: Ints
    cell: Ints
    price: Ints

    @classmethod
    def of(cls, rows: Sequence[EnergyRow]) -> Energy:
        plan = ints([row.plan for row in rows])
        into = Into.of(plan, ints([row.component for row in rows]))
        return cls(into, plan, ints([row.cell for row in rows]), ints([row.price * TENTHS[row.gst] for row in rows]))


class Step(NamedTuple):
    """A block exactly. width: 10^-9 units in one block period, None where open. price: 10^-11 AUD with GST."""

    width: int | Fraction | None
    price: int


class Length(NamedTuple):
    """A block period: `times` ÷ `parts` of them are in a day, or in one of `MONTH_UNITS` of a month."""

    by_day: bool
    times: int
    parts: int


@dataclass(frozen=True, slots=True)
class Stepped:
    """Bands in blocks. widths: [row, block], 10^-9 units in one block period, infinite where open. prices: with GST.

    by_day: whether block periods are counted in days, else in months; count: how many of them are one block period.
    steps, lengths: the same exactly. afresh: the rows with blocks that start afresh each day; pooled: the others.
    full: (block, days or months) → cents of whole blocks so far, by row.
    """

    rows: tuple[SteppedRow, ...]
    into: Into
    plan: Ints
    cell: Ints
    widths: Floats
    prices: Floats
    by_day: Bools
    count: Floats
    steps: tuple[tuple[Step, ...], ...]
    lengths: tuple[Length, ...]
    pooled: Mapping[Blocks, Ints]
    afresh: Mapping[Blocks, Afresh]
    full: dict[tuple[int, int], Ints] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Sequence[SteppedRow]) -> Stepped:
        plan = ints([row.plan for row in rows])
        widths, prices = _by_block(rows)
        return cls(
            rows=tuple(rows),
            into=Into.of(plan, ints([row.component for row in rows])),
            plan=plan,
            cell=ints([row.cell for row in rows]),
            widths=widths,
            prices=prices,
            by_day=flags([row.rate.period.unit == "day" for row in rows]),
            count=np.array([float(row.rate.period.count) for row in rows]),
            steps=tuple(_steps(row) for row in rows),
            lengths=tuple(_length(row.rate.period) for row in rows),
            pooled={
                way: np.flatnonzero([daily_blocks(row.rate, way) == 0 for row in rows]) for way in get_args(Blocks)
            },
            afresh={way: Afresh.of(rows, way) for way in get_args(Blocks)},
        )


def _steps(row: SteppedRow) -> tuple[Step, ...]:
    blocks = row.rate.blocks
    return tuple(Step(_nano(block.width), row.sign * units(block.price) * TENTHS[block.gst]) for block in blocks)


def _nano(width: Decimal | None) -> int | Fraction | None:
    exact = None if width is None else Fraction(width) * NANO
    return exact if exact is None or exact.denominator > 1 else exact.numerator


def _length(period: Duration) -> Length:
    by_day = period.unit == "day"
    return Length(by_day, period.count.denominator, period.count.numerator * (1 if by_day else MONTH_UNITS))


def _by_block(rows: Sequence[SteppedRow]) -> tuple[Floats, Floats]:
    deepest = max((len(row.rate.blocks) for row in rows), default=0)
    widths, prices = np.full((len(rows), deepest), np.inf), np.zeros((len(rows), deepest))
    for n, row in enumerate(rows):
        for k, block in enumerate(row.rate.blocks):
            widths[n, k] = np.inf if block.width is None else float(block.width) * NANO
            prices[n, k] = row.sign * float(block.price) * (1.1 if block.gst == "added" else 1)
    return widths, prices


Steps = tuple[tuple[Decimal | None, int], ...]


@dataclass(frozen=True, slots=True)
class Daily:
    """Daily charges. price: 10^-11 AUD; of the banded ones the first step's.

    banded: line, and its steps as (upper end of the year's energy, price).
    """

    into: Into
    days: Ints
    price: Ints
    controlled: Bools
    banded: tuple[tuple[int, Steps], ...]

    @classmethod
    def of(cls, rows: Sequence[DailyRow]) -> Daily:
        plan = ints([row.plan for row in rows])
        return cls(
            into=Into.of(plan, ints([row.component for row in rows])),
            days=ints([row.days for row in rows]),
            price=ints([row.price * TENTHS["added"] for row in rows]),
            controlled=flags([row.controlled for row in rows]),
            banded=tuple((n, _bands(row.steps)) for n, row in enumerate(rows) if row.steps is not None),
        )


def _bands(supply: Supply) -> Steps:
    return tuple((upper, units(price) * TENTHS["added"]) for upper, price in supply.steps)


@dataclass(frozen=True, slots=True)
class Demands:
    """price: 10^-11 AUD per kW. least, most: 10^-9 kW. divisor: what quantity × price is to be divided by for cents."""

    plan: Ints
    days: Ints
    window: Ints
    price: Ints
    monthly: Bools
    least: Ints
    most: Ints
    divisor: Ints
    into: Into

    @classmethod
    def of(cls, rows: Sequence[DemandRow]) -> Demands:
        monthly, plan = flags([row.monthly for row in rows]), ints([row.plan for row in rows])
        return cls(
            plan=plan,
            into=Into.of(plan, COMPONENTS.index("demand")),
            days=ints([row.days for row in rows]),
            window=ints([row.window for row in rows]),
            price=ints([row.price * TENTHS["added"] for row in rows]),
            monthly=monthly,
            least=ints([0 if row.least is None else row.least for row in rows]),
            most=ints([NO_LIMIT if row.most is None else row.most for row in rows]),
            divisor=np.asarray(np.where(monthly, MONTH_UNITS, 1).astype(object) * (NANO * PER_CENT_UNIT)),
        )


@dataclass(frozen=True, slots=True)
class Recurring:
    """by_day: counted in days, else in months. times: the denominator of its period. divisor: see Demands."""

    into: Into
    by_day: Bools
    times: Ints
    price: Ints
    divisor: Ints

    @classmethod
    def of(cls, rows: Sequence[RecurringRow]) -> Recurring:
        plan = ints([row.plan for row in rows])
        whole = [PER_CENT_UNIT * (1 if row.unit == "day" else MONTH_UNITS) * row.count.numerator for row in rows]
        return cls(
            into=Into.of(plan, ints([row.component for row in rows])),
            by_day=flags([row.unit == "day" for row in rows]),
            times=ints([row.count.denominator for row in rows]),
            price=ints([row.price * TENTHS[row.gst] for row in rows]),
            divisor=np.array(whole, dtype=object),
        )


@dataclass(frozen=True, slots=True)
class Discounts:
    """share, in 10^-10, and threshold, in 10^-9 units, of the discounts on one base."""

    into: Into
    plan: Ints
    share: Ints
    guaranteed: Bools
    threshold: Ints

    @classmethod
    def of(cls, rows: Sequence[DiscountRow], base: str) -> Discounts:
        own = [row for row in rows if row.base == base]
        plan = ints([row.plan for row in own])
        return cls(
            into=Into.of(plan, COMPONENTS.index("discount")),
            plan=plan,
            share=ints([row.share for row in own]),
            guaranteed=flags([row.guaranteed for row in own]),
            threshold=ints([row.threshold for row in own]),
        )


@dataclass(frozen=True, slots=True)
class Metered:
    """The bands of usage of plans whose discounts ask how much was used."""

    into: Into
    plan: Ints
    cell: Ints

    @classmethod
    def of(cls, rows: Rows) -> Metered:
        asking = {row.plan for row in rows.discounts if row.base == "over"}
        usage, bands = COMPONENTS.index("usage"), list[EnergyRow | SteppedRow]([*rows.energy, *rows.stepped])
        own = [row for row in bands if row.plan in asking and row.component == usage]
        plan = ints([row.plan for row in own])
        return cls(Into.of(plan, usage), plan, ints([row.cell for row in own]))


@dataclass(frozen=True, slots=True)
class Columns:
    """guards: (plan, cell that must hold no energy). covering: (plan, season that must cover all days).

    loads: (plan, season of its controlled loads). supplied: (plan, season with a daily supply charge).
    """

    energy: Energy
    stepped: Stepped
    daily: Daily
    demands: Demands
    recurring: Recurring
    discounts: dict[str, Discounts]
    metered: Metered
    guards: Ints
    covering: Ints
    loads: Ints
    supplied: Ints

    @classmethod
    def of(cls, rows: Rows) -> Columns:
        return cls(
            energy=Energy.of(rows.energy),
            stepped=Stepped.of(rows.stepped),
            daily=Daily.of(rows.daily),
            demands=Demands.of(rows.demand),
            recurring=Recurring.of(rows.recurring),
            discounts={base: Discounts.of(rows.discounts, base) for base in ("bill", "use", "over")},
            metered=Metered.of(rows),
            guards=_pairs(rows.guards),
            covering=_pairs(rows.covering),
            loads=_pairs(rows.loads),
            supplied=_pairs(rows.supplied),
        )


def _pairs(listed: Sequence[tuple[int, int]]) -> Ints:
    """[2, row]."""
    return np.array(listed, dtype=np.int64).reshape(-1, 2).T
