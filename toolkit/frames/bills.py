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
from toolkit.frames.checks import check_period, checked_reads
from toolkit.frames.holidays import holidays_for
from toolkit.tables.rows.plans import Fuel, Plan
from toolkit.units import DEFAULT_ZONE

__all__ = ["compile_plan", "price", "price_all"]


def price(  # noqa: PLR0913 - the command's options
    reads: pl.DataFrame,
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
    """Price the reads on a plan as one billing period; `bill.frame()` is the table of its lines (`bill_lines`).

    Returns the engine's bill, not the answer of the command `bill`: amounts are whole cents and quantities exact
    fractions, which the answer rounds, and what the answer adds (the plan in force on each day, the home, its
    concessions) needs a household.
    reads: frame `reads` of one service point. from_, to: days in the plan's time zone, inclusive. zone: IANA, of the
    service point. on: the day the plan is priced for (pricing rule 8); default `to`. own: it is the household's own
    plan, so its dated parts apply from first to last date. blocks: tiers count over the period (`pooled`) or by the
    day. state: whose public holidays count, for plans with windows that name them; default: of the plan's network,
    else of the zone. holidays: these days in place of them. yearly: energy of a year, for supply charges that depend on
    it. Rules: toolkit/docs/pricing-rules.md. Raises PricingError where the plan prices no such energy.
    """
    reads = checked_reads(reads, fuel=fuel)
    check_period(from_, to)
    rates = compile_plan(plan, fuel, on=None if own else priced_for(plan.effective_to, on or to))
    named = holidays_for([plan], [rates], Period(from_, to), state=state, zone=zone, holidays=holidays)
    options = Options(blocks=blocks, discounts=discounts, holidays=named, yearly=yearly)
    return price_reads(reads, rates, [Period(from_, to)], zone=zone, options=options)


def price_all(  # noqa: PLR0913 - the options of `price`
    reads: pl.DataFrame,
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
    """Price every service point of `reads` on every plan, as one billing period of days in the plan's time zone.

    A row each pair, cheapest first within a meter: `service_point_id`, `plan_id`, `name`, `retailer`, `total` and a
    column for each component [AUD with GST, credits negative], `missing_share` (of the time, without reads: that
    energy is in no total; null for a plan of another fuel), `reason` (why the pair has no total; else null). To the
    cent what `price` gives, with the same options. zone: of the service points. on: the day that the plans are
    priced for (pricing rule 8); default `to`.
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
