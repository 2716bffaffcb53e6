"""The charges of all plans of a market as arrays by kind, built once and used for every household."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from toolkit.analytics.energy.pricing.arithmetic import Bools, Ints, ScatterIndex, flags, ints
from toolkit.analytics.energy.pricing.model import COMPONENTS
from toolkit.analytics.energy.pricing.rows import (
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
    nano,
    units,
)
from toolkit.analytics.energy.pricing.tiers import Tiered
from toolkit.units import NANO

NO_LIMIT = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy charges of one price, as arrays [row]. price: 10^-11 AUD, with GST."""

    scatter: ScatterIndex
    cell: Ints
    price: Ints

    @classmethod
    def of(cls, rows: Sequence[EnergyRow]) -> Energy:
        """Turn rows into arrays."""
        scatter = ScatterIndex.of(ints([row.plan for row in rows]), ints([row.component for row in rows]))
        return cls(scatter, ints([row.cell for row in rows]), ints([row.price * TENTHS[row.gst] for row in rows]))


@dataclass(frozen=True, slots=True)
class Daily:
    """Daily charges, as arrays [row]. price: 10^-11 AUD with GST; of the banded ones the first band's.

    banded: rows whose price depends on the year's energy → the price of each band.
    exact: rows whose price arrays do not hold (price 0).
    """

    rows: tuple[DailyRow, ...]
    scatter: ScatterIndex
    days: Ints
    price: Ints
    controlled: Bools
    banded: Mapping[int, Ints]
    exact: tuple[int, ...]

    @classmethod
    def of(cls, rows: Sequence[DailyRow]) -> Daily:
        """Turn rows into arrays."""
        prices = [units(row.supply.steps[0][1]) for row in rows]
        return cls(
            rows=tuple(rows),
            scatter=ScatterIndex.of(ints([row.plan for row in rows]), ints([row.component for row in rows])),
            days=ints([row.days for row in rows]),
            price=_with_gst(prices),
            controlled=flags([row.controlled for row in rows]),
            banded={
                n: _with_gst([units(price) for _, price in row.supply.steps])
                for n, row in enumerate(rows)
                if row.supply.banded
            },
            exact=_exact([_any_missing(price for _, price in row.supply.steps) for row in rows]),
        )


@dataclass(frozen=True, slots=True)
class Demands:
    """Demand charges, as arrays [row]."""

    rows: tuple[DemandRow, ...]
    plan: Ints
    days: Ints
    """Row of `Market.days`: when the charge applies."""
    window: Ints
    """Number of the window in `Rows.windows`."""
    price: Ints
    """10^-11 AUD per kW, with GST; 0 where arrays do not hold it."""
    monthly: Bools
    least: Ints
    """10^-9 kW."""
    most: Ints
    """10^-9 kW; `NO_LIMIT` for none."""
    divisor: Ints
    """What quantity × price is divided by for cents."""
    exact: tuple[int, ...]
    """Rows with a price or limit that arrays do not hold."""
    scatter: ScatterIndex

    @classmethod
    def of(cls, rows: Sequence[DemandRow]) -> Demands:
        """Turn rows into arrays."""
        monthly, plan = flags([row.charge.monthly for row in rows]), ints([row.plan for row in rows])
        prices = [units(row.charge.price) for row in rows]
        limits = [[limit for limit in (row.charge.least, row.charge.most) if limit is not None] for row in rows]
        finer = [any(nano(limit) is None for limit in each) for each in limits]
        return cls(
            rows=tuple(rows),
            plan=plan,
            days=ints([row.days for row in rows]),
            window=ints([row.window for row in rows]),
            price=_with_gst(prices),
            monthly=monthly,
            least=ints([nano(row.charge.least or Decimal(0)) or 0 for row in rows]),
            most=ints([_most(row.charge.most) for row in rows]),
            # Python integers as objects: months × 10^9 × cents does not fit into 64 bits.
            divisor=np.asarray(np.where(monthly, MONTH_UNITS, 1).astype(object) * (NANO * PER_CENT_UNIT)),
            exact=_exact([price is None or more for price, more in zip(prices, finer, strict=True)]),
            scatter=ScatterIndex.of(plan, COMPONENTS.index("demand")),
        )


def _most(limit: Decimal | None) -> int:
    """Return a highest demand in 10^-9 kW."""
    whole = None if limit is None else nano(limit)
    return NO_LIMIT if whole is None else whole


@dataclass(frozen=True, slots=True)
class Recurring:
    """Recurring charges, as arrays [row]."""

    rows: tuple[RecurringRow, ...]
    scatter: ScatterIndex
    by_day: Bools
    """Whether the charge is counted in days, else in months."""
    times: Ints
    """Denominator of its period."""
    price: Ints
    """10^-11 AUD with GST; 0 where arrays do not hold it."""
    divisor: Ints
    """What quantity × price is divided by for cents."""
    exact: tuple[int, ...]
    """Rows with a price that arrays do not hold."""

    @classmethod
    def of(cls, rows: Sequence[RecurringRow]) -> Recurring:
        """Turn rows into arrays."""
        charges = [row.charge for row in rows]
        by_day, prices = [charge.every.unit == "day" for charge in charges], [units(charge.price) for charge in charges]
        whole = [
            PER_CENT_UNIT * (1 if daily else MONTH_UNITS) * charge.every.count.numerator
            for charge, daily in zip(charges, by_day, strict=True)
        ]
        return cls(
            rows=tuple(rows),
            scatter=ScatterIndex.of(ints([row.plan for row in rows]), ints([row.component for row in rows])),
            by_day=flags(by_day),
            times=ints([charge.every.count.denominator for charge in charges]),
            price=ints([(price or 0) * TENTHS[charge.gst] for price, charge in zip(prices, charges, strict=True)]),
            divisor=np.array(whole, dtype=object),
            exact=_exact([price is None for price in prices]),
        )


def _with_gst(prices: Sequence[int | None]) -> Ints:
    """Return prices before GST in 10^-11 AUD with GST; 0 for those that arrays do not hold."""
    return ints([(price or 0) * TENTHS["added"] for price in prices])


def _any_missing(prices: Iterable[Decimal]) -> bool:
    """Return whether arrays do not hold one of the prices."""
    return any(units(price) is None for price in prices)


def _exact(marks: Sequence[bool]) -> tuple[int, ...]:
    """Return the numbers of the marked rows."""
    return tuple(n for n, marked in enumerate(marks) if marked)


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
    """The bands of usage of plans with a discount on usage over a threshold (pricing rule 10)."""

    scatter: ScatterIndex
    cell: Ints

    @classmethod
    def of(cls, rows: Rows) -> Metered:
        """Collect the usage bands of plans with a discount over a threshold."""
        asking = {row.plan for row in rows.discounts if row.base == "over"}
        usage, bands = COMPONENTS.index("usage"), list[EnergyRow | TieredRow]([*rows.energy, *rows.tiered])
        own = [row for row in bands if row.plan in asking and row.component == usage]
        return cls(ScatterIndex.of(ints([row.plan for row in own]), usage), ints([row.cell for row in own]))


@dataclass(frozen=True, slots=True)
class Columns:
    """All charges of a market by kind."""

    energy: Energy
    tiered: Tiered
    daily: Daily
    demands: Demands
    recurring: Recurring
    discounts: dict[str, Discounts]
    metered: Metered
    unpriced_cells: Ints
    """[2, pair], plan over cell: energy in the cell has no price on the plan."""
    usage_seasons: Ints
    """[plan], the season of the plan's usage tariffs."""
    supply_seasons: Ints
    """[2, pair], plan over the season of its tariffs with a daily supply charge."""
    exact_discounts: tuple[int, ...]
    """Plans whose discounts are priced by themselves (see `discounts`)."""

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
            usage_seasons=ints([plan.usage_season for plan in rows.plans]),
            supply_seasons=_pairs(rows.supply_seasons),
            exact_discounts=_exact([plan.exact_discounts for plan in rows.plans]),
        )


def _pairs(listed: Sequence[tuple[int, int]]) -> Ints:
    """Return [2, pair]."""
    return np.array(listed, dtype=np.int64).reshape(-1, 2).T
