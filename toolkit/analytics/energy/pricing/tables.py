"""The charges of many plans as tables of integers: all that totals follow from, without the plans themselves.

So they can be kept in a file, and cut down to some of the plans.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeVar, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.rates.model import Bands, PlanTimeZone, Span

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

PRICE_UNITS = 10**10
"""Prices are whole multiples of 10^-10 AUD in arrays; a line with a finer price is priced by itself."""

LARGEST_PRICE = 10_000
"""AUD. Whole multiples of 10^-10 AUD below it keep every product with energy within 64 bits (see `arithmetic`)."""

MONTH_UNITS = 377_580
"""Least common multiple of 28, 29, 30 and 31: part months are whole numbers of it."""

NO_LIMIT = np.iinfo(np.int64).max
"""Of a width, an amount or a demand: none."""

Role = Literal["usage", "controlled", "export"]

Clock = tuple[PlanTimeZone, PlanTimeZone]
"""The time zone that windows are read on, and the one that days are counted on: the plan's own."""

Season = tuple[PlanTimeZone, tuple[Span, ...]]
"""Dates of tariffs that are alternatives: on each day of the plan's time zone the first that covers it counts."""

Layout = tuple[Role, Clock, Bands]

Window = tuple[Clock, Bands]

Kind = Literal["pooled", "daily", "one by one"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""How the blocks of a band are priced."""

BASES = ("bill", "use", "over")
"""What discounts apply to, in the order of their numbers in `DiscountTable.base`."""

PER_CENT_UNIT = PRICE_UNITS // 100 * 10
"""Tenths of 10^-10 AUD in a cent."""


TableT = TypeVar("TableT", bound="Table")
PlanTableT = TypeVar("PlanTableT", bound="PlanTable")


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of one length. A column named after another table or list holds numbers of its rows."""

    def taken(self: TableT, chosen: Ints) -> TableT:
        """Return the chosen rows."""
        return replace(self, **{each.name: getattr(self, each.name)[chosen] for each in fields(self)})

    def renumbered(self: TableT, new: Mapping[str, Ints]) -> TableT:
        """Return the rows with other numbers in the columns named. new: column → the new number of each old one."""
        own = [each.name for each in fields(self) if each.name in new]
        return replace(self, **{name: new[name][getattr(self, name)] for name in own})


@dataclass(frozen=True, slots=True)
class PlanTable(Table):
    """Rows that belong to a plan, in the order of plans."""

    plan: Ints

    def of_plans(self: PlanTableT, new: Mapping[str, Ints]) -> PlanTableT:
        """Return the rows of the plans that have a new number, -1 being none, in the new order of plans."""
        renumbered = self.renumbered(new)
        order = np.argsort(renumbered.plan, kind="stable")
        return renumbered.taken(order[np.count_nonzero(renumbered.plan < 0) :])


@dataclass(frozen=True, slots=True)
class EnergyTable(PlanTable):
    """Bands of one price on one tariff's days. price: 10^-11 AUD with GST, credits negative."""

    component: Ints
    cell: Ints
    price: Ints


@dataclass(frozen=True, slots=True)
class TieredTable(PlanTable):
    """Bands in blocks, or of a price that arrays do not hold.

    pooled, daily: number in `KINDS` of how the blocks are priced under that option. by_day: whether block periods are
    counted in days, else in months; `times` ÷ `parts` of them are in a day, or in one of `MONTH_UNITS` of a month.
    width: [row, block], 10^-9 kWh or MJ in one block period, `NO_LIMIT` where open. price: [row, block], 10^-11 AUD
    with GST, credits negative. Rows with fewer blocks than the deepest have open ones at no price after their own.
    """

    component: Ints
    cell: Ints
    pooled: Ints
    daily: Ints
    by_day: Ints
    times: Ints
    parts: Ints
    blocks: Ints
    width: Ints
    price: Ints


@dataclass(frozen=True, slots=True)
class DailyTable(PlanTable):
    """Daily charges. controlled: charged only with a controlled load register. price: 10^-11 AUD, of the first band.

    banded: whether it depends on the year's energy. exact: whether arrays do not hold a price.
    """

    component: Ints
    days: Ints
    price: Ints
    controlled: Ints
    banded: Ints
    exact: Ints


@dataclass(frozen=True, slots=True)
class DemandTable(PlanTable):
    """Demand charges. price: 10^-11 AUD per kW with GST. least, most: 10^-9 kW; `NO_LIMIT` for no most.

    exact: whether arrays do not hold a price or limit.
    """

    days: Ints
    window: Ints
    price: Ints
    monthly: Ints
    least: Ints
    most: Ints
    exact: Ints


@dataclass(frozen=True, slots=True)
class RecurringTable(PlanTable):
    """Recurring fees and metering charges. price: 10^-11 AUD with GST for each `parts` ÷ `times` days or months.

    exact: whether arrays do not hold the price.
    """

    component: Ints
    by_day: Ints
    times: Ints
    parts: Ints
    price: Ints
    exact: Ints


@dataclass(frozen=True, slots=True)
class DiscountTable(PlanTable):
    """Discounts on all days. base: number in `BASES`. share: in 10^-10. threshold: in 10^-9 kWh or MJ."""

    base: Ints
    share: Ints
    guaranteed: Ints
    threshold: Ints


@dataclass(frozen=True, slots=True)
class UnpricedTable(PlanTable):
    """Cells of energy that the plan cannot price: two for each tariff, in no window, and of unknown time of day."""

    cell: Ints


@dataclass(frozen=True, slots=True)
class SupplyTable(PlanTable):
    """The season of the tariffs with a daily supply charge, of plans that have one."""

    season: Ints


@dataclass(frozen=True, slots=True)
class OwnTable(PlanTable):
    """One row for each plan: its clock, the seasons of its tariffs, and whether `discounts` prices its discounts.

    exact_discounts: whether a discount holds on some days only, or has figures that arrays do not hold.
    """

    clock: Ints
    usage_season: Ints
    loads_season: Ints
    feed_in_season: Ints
    exact_discounts: Ints


@dataclass(frozen=True, slots=True)
class DaysTable(Table):
    """A season and the number of a tariff in it: the days that the tariff is charged for."""

    season: Ints
    number: Ints


@dataclass(frozen=True, slots=True)
class CellTable(Table):
    """A column of a layout on some days. loads_season: outside it controlled load is billed as usage (rule 8)."""

    days: Ints
    layout: Ints
    column: Ints
    loads_season: Ints


@dataclass(frozen=True, slots=True)
class MarketTables:
    """All charges of the plans of a market.

    A plan's rows follow each other in the order of its tariffs (usage, controlled load, feed-in) and of their bands.
    """

    plans: OwnTable
    energy: EnergyTable
    tiered: TieredTable
    daily: DailyTable
    demand: DemandTable
    recurring: RecurringTable
    discounts: DiscountTable
    unpriced: UnpricedTable
    supply: SupplyTable
    cells: CellTable
    days: DaysTable
    clocks: tuple[Clock, ...]
    seasons: tuple[Season, ...]
    layouts: tuple[Layout, ...]
    windows: tuple[Window, ...]

    def of_plans(self, chosen: Sequence[int]) -> MarketTables:
        """Return the charges of the chosen plans, in that order, and only what these depend on."""
        plans = {"plan": _numbers(chosen, len(self.plans.plan))}
        own, energy, tiered = self.plans.of_plans(plans), self.energy.of_plans(plans), self.tiered.of_plans(plans)
        daily, demand, supply = self.daily.of_plans(plans), self.demand.of_plans(plans), self.supply.of_plans(plans)
        unpriced = self.unpriced.of_plans(plans)
        # What the rows refer to, in the order of references: cells → days and layouts → seasons.
        in_cells = _used(energy.cell, tiered.cell, unpriced.cell)
        cells = self.cells.taken(in_cells)
        on_days = _used(cells.days, daily.days, demand.days)
        days = self.days.taken(on_days)
        seasons = _used(
            *(days.season, cells.loads_season, supply.season),
            *(own.usage_season, own.loads_season, own.feed_in_season),
        )
        layouts, windows = _used(cells.layout), _used(demand.window)
        to_season = _numbers(seasons, len(self.seasons))
        new = {
            "cell": _numbers(in_cells, len(self.cells.days)),
            "days": _numbers(on_days, len(self.days.season)),
            "layout": _numbers(layouts, len(self.layouts)),
            "window": _numbers(windows, len(self.windows)),
            **dict.fromkeys(("season", "usage_season", "loads_season", "feed_in_season"), to_season),
        }
        chosen_layouts = tuple(self.layouts[n] for n in layouts)
        chosen_windows = tuple(self.windows[n] for n in windows)
        clocks = {self.clocks[n] for n in own.clock} | {clock for _, clock, _ in chosen_layouts}
        clocks |= {clock for clock, _ in chosen_windows}
        in_clocks = [n for n, clock in enumerate(self.clocks) if clock in clocks]
        return MarketTables(
            plans=own.renumbered({**new, "clock": _numbers(in_clocks, len(self.clocks))}),
            energy=energy.renumbered(new),
            tiered=tiered.renumbered(new),
            daily=daily.renumbered(new),
            demand=demand.renumbered(new),
            recurring=self.recurring.of_plans(plans),
            discounts=self.discounts.of_plans(plans),
            unpriced=unpriced.renumbered(new),
            supply=supply.renumbered(new),
            cells=cells.renumbered(new),
            days=days.renumbered(new),
            clocks=tuple(self.clocks[n] for n in in_clocks),
            seasons=tuple(self.seasons[n] for n in seasons),
            layouts=chosen_layouts,
            windows=chosen_windows,
        )


def _used(*columns: Ints) -> Ints:
    """Return the numbers in the columns, each once, in order."""
    return np.unique(np.concatenate(columns))


def _numbers(chosen: Sequence[int] | Ints, size: int) -> Ints:
    """Return [old number], the new number of each chosen row; -1 for the others."""
    new = np.full(size, -1, dtype=np.int64)
    new[np.asarray(chosen, dtype=np.int64)] = np.arange(len(chosen))
    return new


# ---- keeping tables


def to_bytes(tables: MarketTables) -> bytes:
    """Encode the tables of a market for the cache."""
    return msgspec.msgpack.Encoder(enc_hook=_packed).encode(tables)


def from_bytes(data: bytes | msgspec.Raw) -> MarketTables:
    """Decode what `to_bytes` wrote. Raises msgspec.DecodeError for anything else."""
    return msgspec.msgpack.Decoder(MarketTables, dec_hook=_unpacked).decode(data)


def _packed(column: Ints) -> tuple[tuple[int, ...], bytes]:
    """Return the shape of a column and its integers, 64 bits each, lowest byte first."""
    return column.shape, column.astype("<i8").tobytes()


def _unpacked(_kind: type, packed: Any) -> Ints:
    """Return what `_packed` made of a column."""
    shape, data = packed
    return np.frombuffer(data, dtype="<i8").reshape(shape)
