"""The charges of all plans of a market as arrays, built once and used for every household."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from toolkit.analytics.energy.bills.model import COMPONENTS
from toolkit.analytics.energy.compare.arithmetic import Bools, Ints, ScatterIndex, flags, ints
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
    TieredRow,
    units,
)
from toolkit.analytics.energy.compare.tiers import Tiered
from toolkit.units import NANO

NO_LIMIT = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy charges of one price, as arrays [row]. price: 10^-11 AUD, with GST."""

    scatter: ScatterIndex
    plan: Ints
    cell: Ints
    price: Ints

    @classmethod
    def of(cls, rows: Sequence[EnergyRow]) -> Energy:
        """Turn rows into arrays."""
        plan = ints([row.plan for row in rows])
        scatter = ScatterIndex.of(plan, ints([row.component for row in rows]))
        return cls(scatter, plan, ints([row.cell for row in rows]), ints([row.price * TENTHS[row.gst] for row in rows]))


Steps = tuple[tuple[Decimal | None, int], ...]


@dataclass(frozen=True, slots=True)
class Daily:
    """Daily charges. price: 10^-11 AUD; of the banded ones the first step's.

    banded: line, and its steps as (upper end of the year's energy, price).
    """

    scatter: ScatterIndex
    days: Ints
    price: Ints
    controlled: Bools
    banded: tuple[tuple[int, Steps], ...]

    @classmethod
    def of(cls, rows: Sequence[DailyRow]) -> Daily:
        """Turn rows into arrays."""
        plan = ints([row.plan for row in rows])
        return cls(
            scatter=ScatterIndex.of(plan, ints([row.component for row in rows])),
            days=ints([row.days for row in rows]),
            price=ints([row.price * TENTHS["added"] for row in rows]),
            controlled=flags([row.controlled for row in rows]),
            banded=tuple(
                (n, tuple((upper, units(price) * TENTHS["added"]) for upper, price in row.steps.steps))
                for n, row in enumerate(rows)
                if row.steps is not None
            ),
        )


@dataclass(frozen=True, slots=True)
class Demands:
    """Demand charges, as arrays [row]."""

    plan: Ints
    days: Ints
    """Row of `Market.days`: when the charge applies."""
    window: Ints
    """Number of the window in `Rows.windows`."""
    price: Ints
    """10^-11 AUD per kW, with GST."""
    monthly: Bools
    least: Ints
    """10^-9 kW."""
    most: Ints
    """10^-9 kW; `NO_LIMIT` for none."""
    divisor: Ints
    """What quantity × price is divided by for cents."""
    scatter: ScatterIndex

    @classmethod
    def of(cls, rows: Sequence[DemandRow]) -> Demands:
        """Turn rows into arrays."""
        monthly, plan = flags([row.monthly for row in rows]), ints([row.plan for row in rows])
        return cls(
            plan=plan,
            scatter=ScatterIndex.of(plan, COMPONENTS.index("demand")),
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
    """Recurring charges, as arrays [row]."""

    scatter: ScatterIndex
    by_day: Bools
    """Return whether the charge is counted in days, else in months."""
    times: Ints
    """Denominator of its period."""
    price: Ints
    divisor: Ints
    """What quantity × price is divided by for cents."""

    @classmethod
    def of(cls, rows: Sequence[RecurringRow]) -> Recurring:
        """Turn rows into arrays."""
        plan = ints([row.plan for row in rows])
        whole = [PER_CENT_UNIT * (1 if row.unit == "day" else MONTH_UNITS) * row.count.numerator for row in rows]
        return cls(
            scatter=ScatterIndex.of(plan, ints([row.component for row in rows])),
            by_day=flags([row.unit == "day" for row in rows]),
            times=ints([row.count.denominator for row in rows]),
            price=ints([row.price * TENTHS[row.gst] for row in rows]),
            divisor=np.array(whole, dtype=object),
        )


@dataclass(frozen=True, slots=True)
class Discounts:
    """Discounts on one base, as arrays [row]."""

    scatter: ScatterIndex
    plan: Ints
    share: Ints
    """In 10^-10."""
    guaranteed: Bools
    threshold: Ints
    """In 10^-9 kWh or MJ."""

    @classmethod
    def of(cls, rows: Sequence[DiscountRow], base: str) -> Discounts:
        """Turn the rows with that base into arrays."""
        own = [row for row in rows if row.base == base]
        plan = ints([row.plan for row in own])
        return cls(
            scatter=ScatterIndex.of(plan, COMPONENTS.index("discount")),
            plan=plan,
            share=ints([row.share for row in own]),
            guaranteed=flags([row.guaranteed for row in own]),
            threshold=ints([row.threshold for row in own]),
        )


@dataclass(frozen=True, slots=True)
class Metered:
    """The bands of usage of plans whose discounts ask how much was used."""

    scatter: ScatterIndex
    plan: Ints
    cell: Ints

    @classmethod
    def of(cls, rows: Rows) -> Metered:
        """Collect the usage bands of plans with a discount over a threshold."""
        asking = {row.plan for row in rows.discounts if row.base == "over"}
        usage, bands = COMPONENTS.index("usage"), list[EnergyRow | TieredRow]([*rows.energy, *rows.tiered])
        own = [row for row in bands if row.plan in asking and row.component == usage]
        plan = ints([row.plan for row in own])
        return cls(ScatterIndex.of(plan, usage), plan, ints([row.cell for row in own]))


@dataclass(frozen=True, slots=True)
class Columns:
    """All charges of a market by kind. The last four are [2, pair], plan numbers over cell or season numbers.

    unpriced_cells: energy in the cell has no price on the plan. usage_seasons: the season of the plan's usage tariffs.
    controlled_load_seasons: the season of its controlled load tariffs, where it has some.
    supply_seasons: the season of its tariffs with a daily supply charge.
    """

    energy: Energy
    tiered: Tiered
    daily: Daily
    demands: Demands
    recurring: Recurring
    discounts: dict[str, Discounts]
    metered: Metered
    unpriced_cells: Ints
    usage_seasons: Ints
    controlled_load_seasons: Ints
    supply_seasons: Ints

    @classmethod
    def of(cls, rows: Rows) -> Columns:
        """Turn all rows of a market into arrays."""
        return cls(
            energy=Energy.of(rows.energy),
            tiered=Tiered.of(rows.tiered),
            daily=Daily.of(rows.daily),
            demands=Demands.of(rows.demand),
            recurring=Recurring.of(rows.recurring),
            discounts={base: Discounts.of(rows.discounts, base) for base in ("bill", "use", "over")},
            metered=Metered.of(rows),
            unpriced_cells=_pairs(rows.unpriced_cells),
            usage_seasons=_pairs(rows.usage_seasons),
            controlled_load_seasons=_pairs(rows.controlled_load_seasons),
            supply_seasons=_pairs(rows.supply_seasons),
        )


def _pairs(listed: Sequence[tuple[int, int]]) -> Ints:
    """Return [2, pair]."""
    return np.array(listed, dtype=np.int64).reshape(-1, 2).T
