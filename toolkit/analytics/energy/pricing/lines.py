"""Read one plan's bill, line by line, from the charges of a market; discounts are lines too (pricing rule 10).

The totals of many plans come from the arrays of `charges`, but for plans with a discount on some days only, or with
figures that arrays do not hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import NamedTuple

import numpy as np

from toolkit.analytics.energy.intervals.matrix import Quality, quality_of
from toolkit.analytics.energy.intervals.matrix import Role as MatrixRole
from toolkit.analytics.energy.pricing.charges import Charges
from toolkit.analytics.energy.pricing.demand import MonthDemand, demand_quantity
from toolkit.analytics.energy.pricing.market import BilledDays
from toolkit.analytics.energy.pricing.model import Bill, Component, Line, Price, Quantity
from toolkit.analytics.energy.pricing.rows import flat_price
from toolkit.analytics.energy.pricing.tables import Bools
from toolkit.analytics.energy.pricing.tiers import pooled
from toolkit.analytics.energy.rates.contract import PlanMessages
from toolkit.analytics.energy.rates.model import BandRate, Block, Discount, Tariff
from toolkit.answers.base import Period
from toolkit.answers.energy.bills import Discounts
from toolkit.units import NANO

_BASES: dict[str, frozenset[Component]] = {
    "bill": frozenset(("supply", "usage", "controlled_load", "demand")),
    "use": frozenset(("usage", "controlled_load")),
    "over": frozenset(("usage",)),
}


@dataclass(frozen=True, slots=True)
class DiscountReader:
    """Reads the discounts of one billing period. lines: its charges."""

    period: Period
    """The days that are billed."""
    whole_period: Period
    lines: Sequence[Line]
    wanted: Discounts
    messages: PlanMessages

    def read(self, discounts: Sequence[Discount]) -> Iterator[Line]:
        """Yield a line for all discounts on each base, and one for each discount on usage over a threshold."""
        earned = [discount for discount in discounts if self._counts(discount) and self._days_in_force(discount)]
        for base in ("bill", "use"):
            together = [discount for discount in earned if discount.base == base]
            if together and (amount := self._sum(base)):
                yield self._line(together, Fraction(amount, 100))
        for discount in earned:
            beyond = self._amount_beyond(discount) if discount.base == "over" else Fraction(0)
            if beyond:
                yield self._line([discount], beyond)

    def _counts(self, discount: Discount) -> bool:
        """Return whether the chosen option counts the discount; a condition is noted."""
        if discount.guaranteed or self.wanted == "none":
            return self.wanted != "none"
        self.messages.note("condition_assumed" if self.wanted == "all" else "condition_not_met", label=discount.label)
        return self.wanted == "all"

    def _days_in_force(self, discount: Discount) -> int:
        """Return how many days of the bill a discount with dates applies to (rule 8); noted where not to all."""
        length = self.period.days
        if discount.span.always:
            return length
        days = sum(discount.span.covers(self.period.first + timedelta(n)) for n in range(length))
        if 0 < days < length:
            self.messages.note("discount_on_some_days", label=discount.label, days=days, period_days=length)
        return days

    def _sum(self, base: str) -> int:
        """Return the cents of the lines that a discount of that base applies to."""
        return sum(line.amount_minor for line in self.lines if line.component in _BASES[base])

    def _amount_beyond(self, discount: Discount) -> Fraction:
        """Return the part of the usage amount, in AUD, beyond the period's share of the threshold's energy."""
        energy = sum((line.quantity for line in self.lines if line.component == "usage"), Fraction(0))
        threshold = Fraction(discount.threshold) * Fraction(self.period.days, self.whole_period.days)
        beyond = max(energy - threshold, Fraction(0))
        return Fraction(self._sum("over"), 100) * beyond / energy if energy else Fraction(0)

    def _line(self, together: Sequence[Discount], base: Fraction) -> Line:
        """Return the line of discounts on one base. quantity: AUD they apply to, by days in force; price: the share."""
        share = sum((discount.share for discount in together), Decimal(0))
        by_days = sum((Fraction(d.share) * self._days_in_force(d) for d in together), Fraction(0)) / self.period.days
        quantity = base * by_days / Fraction(share) if share else Fraction(0)
        label = " + ".join(discount.label for discount in together)
        return Line.charged("discount", label, self.period, Quantity(quantity, "$"), Price(-share, "included"))


class Band(NamedTuple):
    """The price of one band. row: its number among the flat or the tiered rows of the market."""

    label: str
    rate: BandRate
    flat: bool
    row: int
    cell: int
    """Number of its energy in `MarketTables.cells`."""


class TariffRows(NamedTuple):
    """Where the charges of one tariff stand in the market."""

    component: Component
    tariff: Tariff
    billed: Sequence[BilledDays | None]
    """[period]."""
    outside: int
    """Number of the cell of energy in no window."""
    untimed: int
    """Number of the cell of energy of unknown time of day, which the windows need."""
    bands: Sequence[Band]


class DailyRows(NamedTuple):
    """Where a daily charge stands in the market."""

    tariff: Tariff
    billed: Sequence[BilledDays | None]
    row: int


class PlanTariffs:
    """Where the tariffs of one plan stand in the market, found in the order in which `RowReader` adds them."""

    def __init__(self, charges: Charges, plan: int) -> None:
        rates, own = charges.market.plans[plan], charges.market.own(plan)
        self._market, self._ranges = charges.market, charges.home.ranges
        self._energy, self._tiered, self._unpriced = count(own.energy), count(own.tiered), count(own.unpriced)
        self._daily = count(own.daily)
        self.usage = [self._tariff("usage", tariff) for tariff in rates.periods]
        self.loads = [self._tariff("controlled_load", tariff) for tariff in rates.controlled_loads]
        self.feed_ins = [self._tariff("feed_in", tariff) for tariff in rates.feed_ins]
        self.supply = [self._supply(tariff) for tariff in rates.periods if tariff.supply]
        self.load_supply = [self._supply(tariff) if tariff.supply else None for tariff in rates.controlled_loads]

    def _tariff(self, component: Component, tariff: Tariff) -> TariffRows:
        """Return the rows of the next tariff."""
        outside, untimed = (int(self._market.tables.unpriced.cell[next(self._unpriced)]) for _ in range(2))
        billed = self._ranges.billed_days(int(self._market.tables.cells.days[outside]))
        return TariffRows(component, tariff, billed, outside, untimed, [self._band(tariff, r) for r in tariff.rates])

    def _band(self, tariff: Tariff, rate: BandRate) -> Band:
        """Return the row of the next band."""
        flat, tables = flat_price(rate) is not None, self._market.tables
        row = next(self._energy if flat else self._tiered)
        return Band(label_of(rate, tariff), rate, flat, row, int((tables.energy if flat else tables.tiered).cell[row]))

    def _supply(self, tariff: Tariff) -> DailyRows:
        """Return the row of the next daily charge."""
        row = next(self._daily)
        return DailyRows(tariff, self._ranges.billed_days(int(self._market.tables.daily.days[row])), row)


def label_of(rate: BandRate, tariff: Tariff) -> str:
    """Return the price in the plan's words, with its season where the plan has seasons."""
    label = rate.label
    return label if label.startswith(tariff.label) or tariff.span.always else f"{tariff.label}: {label}"


class BillReader:
    """Reads the bill of one plan; each reader once."""

    def __init__(self, charges: Charges, plan: int) -> None:
        self._charges, self._rates = charges, charges.market.plans[plan]
        self._home, self._ranges, self._plan = charges.home, charges.home.ranges, plan
        self._messages = PlanMessages(self._rates.plan_id)
        self._unpriced = 0
        rates, self._tariffs = self._rates, PlanTariffs(charges, plan)
        self._own = own = charges.market.own(plan)
        self._demand = list(zip(count(own.demand), rates.demands, strict=False))
        self._recurring = list(zip(count(own.recurring), rates.recurring, strict=False))

    def bill(self) -> Bill:
        """Return the bill: lines in the order of billing periods, and what was assumed or could not be priced."""
        lines = [line for period in range(self._ranges.count) for line in self._period(period)]
        return Bill(
            plan_id=self._rates.plan_id,
            fuel=self._rates.fuel,
            unit=self._rates.unit,
            periods=self._ranges.billed_periods,
            lines=tuple(lines),
            assumed=(*self._rates.notes, *self._messages.notes),
            unpriceable=(*self._rates.problems, *self._messages.problems),
            quality=self._quality(),
            unpriced=Fraction(self._unpriced, NANO),
        )

    def discounts(self) -> Iterator[int]:
        """Yield the cents of all discounts of each billing period."""
        for period in range(self._ranges.count):
            yield sum(line.amount_minor for line in self._discount_lines(period, self._charged(period)))

    def _quality(self) -> Quality:
        """Measure the reads of the billed days."""
        time_zone, ranges = self._rates.time_zone, self._ranges
        matrix = self._home.matrices[time_zone, time_zone]
        if ranges.billed.all():
            return quality_of([matrix])
        return quality_of([matrix.sliced(period.first, period.last) for period in ranges.billed_periods])

    def _period(self, period: int) -> Iterator[Line]:
        charged = self._charged(period)
        yield from charged
        yield from self._recurring_lines(period)
        # Discounts are shares of the charges above, never of fees or feed-in credits (pricing rule 10).
        yield from self._discount_lines(period, charged)
        for rows in self._tariffs.feed_ins:
            yield from self._energy_lines(rows, period)
        unpaid = self._sum("export", self._uncovered(self._own.feed_in_season), period)
        if unpaid:
            self._messages.note("export_without_feed_in", energy=unpaid / NANO, unit=self._rates.unit)

    def _charged(self, period: int) -> list[Line]:
        """Return the lines that discounts may apply to."""
        return [
            *self._supply_lines(period),
            *self._usage_lines(period),
            *self._demand_lines(period),
            *self._controlled_lines(period),
        ]

    def _supply_lines(self, period: int) -> Iterator[Line]:
        """Yield daily supply: one charge a day, from the first tariff period that covers it and has one (rule 5)."""
        free = self._ranges.billed_periods[period].days
        for rows in self._tariffs.supply:
            billed = rows.billed[period]
            if billed:
                free -= billed.days.days
                yield self._daily_line("supply", rows, billed, period)
        if free:
            days = self._ranges.billed_periods[period]
            self._messages.note("no_supply_charge", days=free, first=days.first, last=days.last)

    def _daily_line(self, component: Component, rows: DailyRows, billed: BilledDays, period: int) -> Line:
        """Return the line of a daily charge; banded ones take the band of the year's energy (pricing rule 5)."""
        tariff, supply = rows.tariff, rows.tariff.supply
        if supply is not None and supply.banded:
            yearly = self._charges.yearly(self._plan)
            if yearly is None:
                self._messages.note("supply_band_assumed", label=tariff.label)
            else:
                self._messages.note("supply_band", label=tariff.label, energy=yearly, unit=self._rates.unit)
        return Line.charged(
            component,
            f"{tariff.label}: daily supply",
            billed.period,
            Quantity(Fraction(billed.days.days), "day"),
            Price(self._charges.daily_price(rows.row), "added"),
            int(self._charges.daily.cents[rows.row, period]),
            tariff_period=tariff.label if component == "supply" else None,
        )

    def _usage_lines(self, period: int) -> Iterator[Line]:
        """Yield lines for general import, and controlled load on days without a tariff of its own (pricing rule 8)."""
        alone = self._sum("controlled", self._uncovered(self._own.loads_season), period) if self._home.controlled else 0
        for rows in self._tariffs.usage:
            if rows.billed[period] and alone:
                self._messages.note("controlled_load_as_usage")
            yield from self._energy_lines(rows, period)
        uncovered = self._uncovered(self._own.usage_season)
        energy = self._sum("general", uncovered, period)
        energy += self._sum("controlled", uncovered & self._uncovered(self._own.loads_season), period)
        if energy:
            self._report_unpriced(energy, "usage", "is on days that no tariff period covers", period)

    def _uncovered(self, season: int) -> Bools:
        """Return [range], whether none of the season's tariffs covers it."""
        return np.asarray(self._ranges.assigned[season] < 0)

    def _sum(self, role: MatrixRole, chosen: Bools, period: int) -> int:
        """Return the energy of that role in the billed days of a billing period, as far as chosen. chosen: [range]."""
        wanted = chosen & self._ranges.billed & (self._ranges.periods == period)
        return int(self._home.total(self._rates.time_zone, role)[wanted].sum()) if wanted.any() else 0

    def _energy_lines(self, rows: TariffRows, period: int) -> Iterator[Line]:
        """Yield one line per band and block; energy that no band prices is a problem (pricing rule 4)."""
        billed = rows.billed[period]
        if billed is None:
            return
        nowhere, untimed = (int(self._charges.cells[cell, period]) for cell in (rows.outside, rows.untimed))
        if nowhere:
            why = "falls in no window" if rows.tariff.rates else "has no readable price"
            self._report_unpriced(nowhere, rows.tariff.label, why, period)
        if untimed:
            why = "was read without a time of day, which these windows need,"
            self._report_unpriced(untimed, rows.tariff.label, why, period)
        for band in rows.bands:
            for number, block, energy, cents in self._blocks(band, period, billed):
                if energy:
                    yield Line.charged(
                        rows.component,
                        band.label,
                        billed.period,
                        Quantity(energy / NANO, self._rates.unit),
                        # Feed-in is a credit (pricing rule 9).
                        Price(-block.price if rows.component == "feed_in" else block.price, block.gst),
                        cents,
                        block=number if len(band.rate.blocks) > 1 else None,
                        tariff_period=rows.tariff.label if rows.component == "usage" else None,
                    )

    def _blocks(self, band: Band, period: int, billed: BilledDays) -> Iterator[tuple[int, Block, Fraction, int]]:
        """Yield each block's number from 1, the block, its exact energy in 10^-9 kWh or MJ, and its cents."""
        blocks, row = band.rate.blocks, band.row
        if band.flat:
            energy = self._charges.energy
            yield 1, blocks[0], Fraction(int(energy.quantity[row, period])), int(energy.cents[row, period])
            return
        tiers, tiered = self._charges.tiers, self._charges.market.columns.tiered
        if (row, period) in tiers.single:
            for number, energy_in_block, cents in tiers.single[row, period]:
                yield number, blocks[number - 1], energy_in_block, cents
            return
        first = int(tiered.kinds(self._charges.options.blocks).daily.first[row])
        if first >= 0:
            for n, block in enumerate(blocks):
                quantity, cents = (int(array[first + n, period]) for array in tiers.daily)
                yield n + 1, block, Fraction(quantity), cents
            return
        place = int(np.searchsorted(tiers.pooled, row))
        taken = pooled(blocks, Fraction(int(tiers.energy[place, period])), billed.days, band.rate)
        for n, (block, energy_in_block) in enumerate(zip(blocks, taken, strict=True)):
            yield n + 1, block, energy_in_block, int(tiers.cents[n][place, period])

    def _report_unpriced(self, nano: int, label: str, why: str, period: int) -> None:
        """Record energy that stays without a price, as a problem."""
        self._unpriced += nano
        days = self._ranges.billed_periods[period]
        energy = f"{nano / NANO:.3f} {self._rates.unit}"
        self._messages.problem(label, f"{energy} between {days.first} and {days.last} {why} and is not priced")

    def _demand_lines(self, period: int) -> Iterator[Line]:
        """Yield one line per demand charge, over the calendar months of the billing period (pricing rule 7)."""
        demand, market = self._charges.demand, self._charges.market
        if demand is None:
            return
        for row, charge in self._demand:
            days = int(market.tables.demand.days[row])
            billed = self._ranges.billed_days(days)[period]
            if billed is None:
                continue
            untimed = self._home.matrices[charge.time_zone, self._rates.time_zone].untimed["general"]
            own = self._ranges.active[days] & (self._ranges.periods == period)
            if self._home.summed(untimed)[own].any():
                self._messages.problem(charge.label, "demand needs interval reads; some are of whole days")
            months = demand.by_month(charge, row, days, self._ranges, period)
            self._report_demand(charge.label, months)
            yield Line.charged(
                "demand",
                charge.label,
                billed.period,
                Quantity(demand_quantity(charge, months), "kW month" if charge.monthly else "kW day"),
                Price(charge.price, "added"),
                int(demand.cents[row, period]),
                tariff_period=charge.tariff_period,
            )

    def _report_demand(self, label: str, months: Sequence[MonthDemand]) -> None:
        """Note each month's demand; a month that cannot be measured is a problem (pricing rule 7)."""
        for month in months:
            if month.kw is None:
                reason = f"no half hour of its window was read in {month.month:%Y-%m}: not priced"
                self._messages.problem(label, reason)
            else:
                self._messages.note("month_demand", label=label, kw=float(month.kw), month=month.month, days=month.days)

    def _controlled_lines(self, period: int) -> Iterator[Line]:
        """Yield lines for controlled load and its daily charge, where such a meter register exists (rule 8)."""
        if not self._home.controlled:
            return
        for rows, daily in zip(self._tariffs.loads, self._tariffs.load_supply, strict=True):
            yield from self._energy_lines(rows, period)
            billed = rows.billed[period]
            if daily and billed and self._charges.daily_price(daily.row):
                yield self._daily_line("controlled_load", daily, billed, period)

    def _recurring_lines(self, period: int) -> Iterator[Line]:
        """Yield membership and other recurring fees, and metering charges (pricing rule 11)."""
        for row, charge in self._recurring:
            yield Line.charged(
                charge.component,
                charge.label,
                self._ranges.billed_periods[period],
                Quantity(charge.every.fits(self._ranges.period_days(period)), str(charge.every)),
                Price(charge.price, charge.gst),
                int(self._charges.recurring[row, period]),
            )

    def _discount_lines(self, period: int, charged: Sequence[Line]) -> Iterator[Line]:
        days, whole = self._ranges.billed_periods[period], self._ranges.whole_periods[period]
        reader = DiscountReader(days, whole, charged, self._charges.options.discounts, self._messages)
        return reader.read(self._rates.discounts)
