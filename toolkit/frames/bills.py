"""Bills: one service point on one plan line by line, or many on many plans as one frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

import polars as pl

from toolkit.analytics.energy.bills import Bill, Options, Period, Usage, prepare
from toolkit.analytics.energy.bills import price as price_reads
from toolkit.analytics.energy.bills.model import COMPONENTS, aud
from toolkit.analytics.energy.compare import Market, price_market
from toolkit.analytics.energy.intervals.quality import quality_of
from toolkit.analytics.energy.plans.offers import priced_for
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.answers.energy.bills import Blocks, Discounts
from toolkit.errors import PricingError
from toolkit.tables.plans import Fuel, Plan
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
    holidays: frozenset[date] = frozenset(),
    yearly: Decimal | None = None,
) -> Bill:
    """Price the reads on a plan as one billing period; `bill.frame()` is the table of its lines (`bill_lines`).

    reads: frame `reads` of one service point. from_, to: days in the plan's time zone, inclusive. zone: IANA, of the
    service point. on: the day the plan is priced for (pricing rule 8); default `to`. own: it is the household's own
    plan, so its dated parts apply from first to last date. blocks: tiers count over the period (`pooled`) or by the
    day. holidays: public holidays, for plans whose windows name them. yearly: energy of a year, for supply charges
    that depend on it. Rules: toolkit/docs/pricing-rules.md. Raises PricingError where the plan prices no such energy.
    """
    rates = compile_plan(plan, fuel, on=None if own else priced_for(plan.effective_to, on or to))
    options = Options(blocks=blocks, discounts=discounts, holidays=holidays, yearly=yearly)
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
    holidays: frozenset[date] = frozenset(),
    yearly: Decimal | None = None,
) -> pl.DataFrame:
    """Price every service point of `reads` on every plan, as one billing period of days in the plan's time zone.

    A row each pair, cheapest first within a meter: `service_point_id`, `plan_id`, `name`, `retailer`, `total` and a
    column for each component [AUD with GST, credits negative], `missing_share` (of the time, without reads: that
    energy is in no total; null for a plan of another fuel), `reason` (why the pair has no total; else null). To the
    cent what `price` gives, whose options these are. zone: of the service points. on: the day that the plans are
    priced for (pricing rule 8); default `to`.
    """
    options = Options(blocks=blocks, discounts=discounts, holidays=holidays, yearly=yearly)
    compiled, refused = _compiled(plans, fuel, on or to)
    market = Market.of([rates for _, rates in compiled])
    pairs: list[_Pair] = []
    for (point,), own in reads.group_by("service_point_id", maintain_order=True):
        prepared = prepare(own, zone=zone, unit="MJ" if fuel == "GAS" else "kWh")
        priced = _priced(market, prepared, Period(from_, to), options)
        pairs += [
            _Pair(str(point), plan.plan_id, plan.name, plan.retailer, *figures)
            for (plan, _), figures in zip(compiled, priced, strict=True)
        ]
        pairs += [
            _Pair(str(point), plan.plan_id, plan.name, plan.retailer, None, None, reason) for plan, reason in refused
        ]
    return _frame(pairs)


class _Pair(NamedTuple):
    """A service point on a plan. cents: total and components; None where `reason` says why."""

    service_point_id: str
    plan_id: str
    name: str | None
    retailer: str | None
    cents: list[int] | None
    missing_share: float | None
    reason: str | None


def _compiled(plans: Sequence[Plan], fuel: Fuel, on: date) -> tuple[list[tuple[Plan, Rates]], list[tuple[Plan, str]]]:
    """Compile the plans of the fuel; of the others return the reasons."""
    compiled, refused = [], []
    for plan in plans:
        try:
            compiled.append((plan, compile_plan(plan, fuel, on=priced_for(plan.effective_to, on))))
        except PricingError as error:
            refused.append((plan, error.reason))
    return compiled, refused


def _priced(
    market: Market, usage: Usage, span: Period, options: Options
) -> Iterator[tuple[list[int] | None, float | None, str | None]]:
    """Yield cents, missing share and reason, in the order of the market's plans."""
    priced = price_market(market, usage, [span], options)
    for number, rates in enumerate(market.plans):
        matrix = usage.matrix(rates.time_zone).sliced(span.first, span.last, frozenset())
        missing = quality_of([matrix]).missing_share
        reason = "no reads in these days" if missing == 1 else "; ".join(priced.reasons(number)) or None
        cents = [int(value) for value in priced.cents[number]]
        yield (None if reason else [sum(cents), *cents]), missing, reason


def _frame(pairs: Sequence[_Pair]) -> pl.DataFrame:
    texts = [(name, pl.String()) for name in ("service_point_id", "plan_id", "name", "retailer")]
    money = [(name, pl.Decimal(38, 2)) for name in ("total", *COMPONENTS)]
    rows = [
        (*pair[:4], *([None] * len(money) if pair.cents is None else map(aud, pair.cents)), *pair[5:]) for pair in pairs
    ]
    schema = [*texts, *money, ("missing_share", pl.Float64()), ("reason", pl.String())]
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.sort("service_point_id", "total", "plan_id", nulls_last=True, maintain_order=True)
