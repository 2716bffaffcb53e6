"""Bills: one service point on one plan line by line, or many on many plans as one frame."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from decimal import Decimal

import numpy as np
import polars as pl

from toolkit.analytics.energy.bills import Bill, Options, Period, Usage, prepare
from toolkit.analytics.energy.bills import price as price_reads
from toolkit.analytics.energy.intervals.matrix import quality_of
from toolkit.analytics.energy.plans.in_force import priced_for
from toolkit.analytics.energy.pricing import Market, price_market
from toolkit.analytics.energy.pricing.model import COMPONENTS
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.analytics.energy.rates.compile import collector_paused
from toolkit.answers.energy.bills import Blocks, Discounts
from toolkit.errors import PricingError
from toolkit.frames.checks import FrameLike, check_period, checked, checked_reads
from toolkit.frames.holidays import holidays_for
from toolkit.tables.rows.plans import Fuel, Plan
from toolkit.units import DEFAULT_ZONE

__all__ = ["compile_plan", "price", "price_all"]


@checked
def price(  # noqa: PLR0913 - the command's options
    reads: FrameLike,
    plan: Plan,
    from_: date,
    to: date,
    *,
    fuel: Fuel = "ELECTRICITY",
    zone: str = DEFAULT_ZONE,
    on: date | None = None,
    own: bool = False,
    blocks: Blocks = "pooled",
    discounts: Discounts = "guaranteed",
    state: str | None = None,
    holidays: Collection[date] | None = None,
    yearly: Decimal | None = None,
) -> Bill:
    """Price the reads on a plan as one billing period, line by line.

    Args:
        reads: Interval reads of one service point: frame `reads`, from `toolkit.reads` or `toolkit.read_usage`.
        plan: The plan, from `toolkit.read_plans`.
        from_: First day, in the plan's time zone.
        to: Last day, inclusive.
        fuel: Fuel of the reads; gas reads are in MJ.
        zone: IANA time zone of the service point, for plans priced by local time.
        on: The day that the plan is priced for (pricing rule 8): parts of it that are dated with a year are on offer
            for all reads or not at all. Default: `to`.
        own: Whether it is the household's own plan, so that its dated parts apply from their first to last date.
        blocks: Whether blocks (tiers) count over the billing period, or restart each day.
        discounts: Which discounts come off: `all` assumes that their conditions are met.
        state: State of the public holidays, for plans with windows that name them: ACT, NSW, NT, QLD, SA, TAS, VIC or
            WA. Default: the state of the plan's network, else of the time zone, which is warned about.
        holidays: The public holidays themselves, in place of a state's.
        yearly: Energy of a year, kWh or MJ, for supply charges that depend on it.

    Returns:
        The bill, with exact quantities (fractions) and whole cents. `bill.frame()` gives its lines as frame
        `bill_lines`; `bill.notes` lists what was assumed and what is not included.

        It is not the answer of the command `toolkit bill`, which rounds quantities and adds what only a household has:
        the plan in force on each day, concessions.

    Raises:
        FrameError: The reads are not those of one service point and fuel, or an argument is not one that is known.
        PricingError: The plan does not cover the fuel.

    Source:
        The rules by which a published plan becomes a bill: toolkit/docs/pricing-rules.md

    Examples:
        >>> bill = toolkit.price(reads, plan, first, last)
        >>> bill.components_minor()  # cents with GST; credits are negative
        {'supply': 9932, 'usage': 55516, 'feed_in': -12748}
        >>> bill.total_minor, bill.gst_minor
        (52700, 5950)

        The supply charge by hand: 91 days at $0.9922 and 10 % GST.

        >>> round(91 * 0.9922 * 1.1, 2)
        99.32
        >>> bill.frame().select("label", "quantity", "unit", "unit_price", "amount_minor")
        shape: (4, 5)
        ┌────────────────────────┬──────────┬──────┬────────────┬──────────────┐
        │ label                  ┆ quantity ┆ unit ┆ unit_price ┆ amount_minor │
        │ ---                    ┆ ---      ┆ ---  ┆ ---        ┆ ---          │
        │ str                    ┆ f64      ┆ str  ┆ str        ┆ i64          │
        ╞════════════════════════╪══════════╪══════╪════════════╪══════════════╡
        │ All year: daily supply ┆ 91.0     ┆ day  ┆ 0.9922     ┆ 9932         │
        │ Anytime                ┆ 1627.505 ┆ kWh  ┆ 0.3101     ┆ 55516        │
        │ Feed-in, block 1       ┆ 910.0    ┆ kWh  ┆ -0.1200    ┆ -10920       │
        │ Feed-in, block 2       ┆ 290.234  ┆ kWh  ┆ -0.0630    ┆ -1828        │
        └────────────────────────┴──────────┴──────┴────────────┴──────────────┘
    """
    reads = checked_reads(reads, fuel=fuel)
    check_period(from_, to)
    rates = compile_plan(plan, fuel, on=None if own else priced_for(plan.effective_to, on or to))
    named = holidays_for([plan], [rates], Period(from_, to), state=state, zone=zone, holidays=holidays)
    options = Options(blocks=blocks, discounts=discounts, holidays=named, yearly=yearly)
    return price_reads(reads, rates, [Period(from_, to)], zone=zone, options=options)


@checked
def price_all(  # noqa: PLR0913 - the options of `price`
    reads: FrameLike,
    plans: Sequence[Plan],
    from_: date,
    to: date,
    *,
    fuel: Fuel = "ELECTRICITY",
    zone: str = DEFAULT_ZONE,
    on: date | None = None,
    blocks: Blocks = "pooled",
    discounts: Discounts = "guaranteed",
    state: str | None = None,
    holidays: Collection[date] | None = None,
    yearly: Decimal | None = None,
) -> pl.DataFrame:
    """Price every service point of the reads on every plan, as one billing period.

    To the cent what `toolkit.price` gives for each pair, with the same options, in a fraction of the time.

    Args:
        reads: Interval reads of any number of service points: frame `reads`.
        plans: The plans, from `toolkit.read_plans`; `toolkit.plans_frame` helps to choose some.
        from_: First day, in the plan's time zone.
        to: Last day, inclusive.
        fuel: Fuel of the reads; gas reads are in MJ.
        zone: IANA time zone of the service points.
        on: The day that the plans are priced for (pricing rule 8). Default: `to`.
        blocks: Whether blocks (tiers) count over the billing period, or restart each day.
        discounts: Which discounts come off: `all` assumes that their conditions are met.
        state: State of the public holidays, for plans with windows that name them: ACT, NSW, NT, QLD, SA, TAS, VIC or
            WA. Default: the state of the plans' networks, else of the time zone, which is warned about.
        holidays: The public holidays themselves, in place of a state's.
        yearly: Energy of a year, kWh or MJ, for supply charges that depend on it.

    Returns:
        A row for each pair of service point and plan, the cheapest plan of a service point first.

    Columns:
        service_point_id (String): Service point, as in the reads.
        plan_id (String): Plan.
        name (String): Its name.
        retailer (String): Who sells it.
        total (Decimal): AUD with GST; null with the cause in `reason`.
        supply (Decimal): Daily supply charges, AUD with GST.
        usage (Decimal): Energy used, AUD with GST.
        demand (Decimal): Demand charges, AUD with GST.
        controlled_load (Decimal): Energy and supply of controlled load, AUD with GST.
        metering (Decimal): Metering charges, AUD with GST.
        green_power (Decimal): Green power that the plan includes, AUD with GST.
        fee (Decimal): Recurring fees, AUD with GST.
        discount (Decimal): Discounts, AUD with GST, negative.
        feed_in (Decimal): Credit for exported energy, AUD, negative.
        concession (Decimal): Always 0: concessions need a household.
        missing_share (Float64): Share of the time without reads, 0 to 1: that energy is not in the total. Null for a
            plan of another fuel.
        reason (String): Why the pair has no total; else null.

    Raises:
        FrameError: The reads are not frame `reads`, or an argument is not one that is known.

    Source:
        The rules by which a published plan becomes a bill: toolkit/docs/pricing-rules.md

    Examples:
        >>> priced = toolkit.price_all(reads, plans[:3], first, last)
        >>> priced.select("name", "total", "supply", "usage", "feed_in")
        shape: (3, 5)
        ┌──────────────────┬───────────────┬───────────────┬───────────────┬───────────────┐
        │ name             ┆ total         ┆ supply        ┆ usage         ┆ feed_in       │
        │ ---              ┆ ---           ┆ ---           ┆ ---           ┆ ---           │
        │ str              ┆ decimal[38,2] ┆ decimal[38,2] ┆ decimal[38,2] ┆ decimal[38,2] │
        ╞══════════════════╪═══════════════╪═══════════════╪═══════════════╪═══════════════╡
        │ Lyrebird Clock   ┆ 443.20        ┆ 105.47        ┆ 440.15        ┆ -102.42       │
        │ Lyrebird Evening ┆ 458.42        ┆ 100.12        ┆ 477.43        ┆ -119.13       │
        │ Lyrebird Saver   ┆ 527.00        ┆ 99.32         ┆ 555.16        ┆ -127.48       │
        └──────────────────┴───────────────┴───────────────┴───────────────┴───────────────┘

        The components add up to the total.

        >>> row = priced.row(0, named=True)
        >>> row["supply"] + row["usage"] + row["feed_in"] == row["total"]
        True
    """
    reads = checked_reads(reads, fuel=fuel, one_home=False)
    check_period(from_, to)
    with collector_paused():
        market, priceable, refused = _compiled(plans, fuel, on or to)
    named = holidays_for(plans, market.plans, Period(from_, to), state=state, zone=zone, holidays=holidays)
    options = Options(blocks=blocks, discounts=discounts, holidays=named, yearly=yearly)
    pairs = [pl.DataFrame(schema=_PAIRS)]
    for (point,), own in reads.group_by("service_point_id", maintain_order=True):
        usage = prepare(own, zone=zone, unit="MJ" if fuel == "GAS" else "kWh")
        figures = _figures(market, usage, Period(from_, to), options)
        of_point = pl.concat([priceable.hstack(figures), refused], how="diagonal")
        pairs.append(of_point.with_columns(pl.lit(str(point)).alias("service_point_id")))
    # Cents stay integers up to here: division of a decimal column by 100 is exact, and 250,000 rows need no Python.
    aud = (pl.col(_MONEY).cast(pl.Decimal(38, 2)) / 100).cast(pl.Decimal(38, 2))
    rows = pl.concat(pairs, how="diagonal").with_columns(aud)
    return rows.sort("service_point_id", "total", "plan_id", nulls_last=True, maintain_order=True)


_MONEY = ("total", *COMPONENTS)
_PLAN = {"plan_id": pl.String(), "name": pl.String(), "retailer": pl.String()}
_FIGURES = {**dict.fromkeys(_MONEY, pl.Int64()), "missing_share": pl.Float64(), "reason": pl.String()}
_PAIRS = {"service_point_id": pl.String(), **_PLAN, **_FIGURES}
"""Columns of the answer; money in cents."""


def _compiled(plans: Sequence[Plan], fuel: Fuel, on: date) -> tuple[Market, pl.DataFrame, pl.DataFrame]:
    """Compile the plans of the fuel. Returns the market, its plans' names, and the others with reasons."""
    compiled: list[Rates] = []
    names: list[tuple[str | None, ...]] = []
    refused: list[tuple[str | None, ...]] = []
    for plan in plans:
        name = plan.plan_id, plan.name, plan.retailer
        try:
            compiled.append(compile_plan(plan, fuel, on=priced_for(plan.effective_to, on)))
            names.append(name)
        except PricingError as error:
            refused.append((*name, error.reason))
    unpriced = pl.DataFrame(refused, schema={**_PLAN, "reason": pl.String()}, orient="row")
    return Market.of(compiled), pl.DataFrame(names, schema=_PLAN, orient="row"), unpriced


def _figures(market: Market, usage: Usage, span: Period, options: Options) -> pl.DataFrame:
    """Price every plan of the market on one home. Returns cents, missing share and reason, in the market's order."""
    priced = price_market(market, usage, [span], options)
    zones = [rates.time_zone for rates in market.plans]
    matrices = {zone: usage.matrix(zone).sliced(span.first, span.last, options.holidays) for zone in set(zones)}
    missing = {zone: quality_of([matrix]).missing_share for zone, matrix in matrices.items()}
    # Few plans have something unpriced, but asking each of thousands for each home takes longer than pricing them.
    doubtful = set(np.flatnonzero(priced.incomplete | (priced.unsupplied > 0)).tolist())
    doubtful |= {number for number, rates in enumerate(market.plans) if rates.problems}
    reasons = {number: "; ".join(priced.reasons(number)) for number in doubtful}
    reasons |= dict.fromkeys((n for n, zone in enumerate(zones) if missing[zone] == 1), "no reads in these days")
    reason = [reasons.get(number) or None for number in range(len(zones))]
    shares = [missing[zone] for zone in zones]
    cents = {"total": priced.totals, **dict(zip(COMPONENTS, priced.cents.T, strict=True))}
    figures = pl.DataFrame({**cents, "missing_share": shares, "reason": reason}, schema=_FIGURES)
    return figures.with_columns(pl.when(pl.col("reason").is_null()).then(pl.col(_MONEY)))
