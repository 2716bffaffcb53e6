"""Many meters on many plans, as one frame; no database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import polars as pl

from toolkit.analytics.energy.bills import Options, Period, Usage, prepare
from toolkit.analytics.energy.bills.model import COMPONENTS, aud
from toolkit.analytics.energy.compare import Market, price_market
from toolkit.analytics.energy.intervals.quality import quality_of
from toolkit.analytics.energy.plans.offered import priced_for
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.errors import PricingError
from toolkit.tables.plans import Fuel, Plan
from toolkit.units import DEFAULT_ZONE


def price_all(  # noqa: PLR0913 - the options of `price`
    reads: pl.DataFrame,
    plans: Sequence[Plan],
    from_: date,
    to: date,
    *,
    fuel: str = "ELECTRICITY",
    zone: str = DEFAULT_ZONE,
    on: date | None = None,
    **options: Any,
) -> pl.DataFrame:
    """Every service point of `reads` on every plan, days inclusive on the plan's clock, as one billing period.

    A row each pair, cheapest first within a meter: `service_point_id`, `plan_id`, `name`, `retailer`, `total` and a
    column for each component [AUD with GST, credits negative], `missing_share` (of the time, without reads: that
    energy is in no total; null for a plan of another fuel), `reason` (why the pair has no total; else null). To the
    cent what `price` gives, whose options these are. zone: of the service points. on: the day that the plans are
    priced for (pricing rule 8); default `to`.
    """
    gas = fuel == "GAS"
    fitting, refused = _compiled(plans, "GAS" if gas else "ELECTRICITY", on or to)
    market = Market.of([rates for _, rates in fitting])
    span, chosen = Period(from_, to), Options(**options)
    rows: list[dict[str, Any]] = []
    for (point,), own in reads.group_by("service_point_id", maintain_order=True):
        priced = _rows(market, prepare(own, zone=zone, unit="MJ" if gas else "kWh"), span, chosen)
        pairs = [*zip((plan for plan, _ in fitting), priced, strict=True), *refused]
        rows += [
            {"service_point_id": point, "name": plan.name, "retailer": plan.retailer, **row} for plan, row in pairs
        ]
    return _frame(rows)


def _compiled(
    plans: Sequence[Plan], fuel: Fuel, on: date
) -> tuple[list[tuple[Plan, Rates]], list[tuple[Plan, dict[str, Any]]]]:
    """The plans of the fuel as rates; of the others what their rows say."""
    fitting, refused = [], []
    for plan in plans:
        try:
            fitting.append((plan, compile_plan(plan, fuel, on=priced_for(plan.effective_to, on))))
        except PricingError as error:
            refused.append((plan, {"plan_id": plan.plan_id, "reason": error.reason}))
    return fitting, refused


def _frame(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    texts = [(name, pl.String()) for name in ("service_point_id", "plan_id", "name", "retailer")]
    money = [(name, pl.Decimal(38, 2)) for name in ("total", *COMPONENTS)]
    frame = pl.DataFrame(rows, schema=[*texts, *money, ("missing_share", pl.Float64()), ("reason", pl.String())])
    return frame.sort("service_point_id", "total", "plan_id", nulls_last=True, maintain_order=True)


def _rows(market: Market, usage: Usage, span: Period, options: Options) -> Iterator[dict[str, Any]]:
    """In the order of the market's plans."""
    priced = price_market(market, usage, [span], options)
    for number, rates in enumerate(market.plans):
        missing = _missing_share(usage, rates, span)
        reason = "no reads in these days" if missing == 1 else "; ".join(priced.reasons(number)) or None
        row: dict[str, Any] = {"plan_id": rates.plan_id, "missing_share": missing, "reason": reason}
        if reason is None:
            cents = priced.cents[number]
            row["total"] = aud(int(cents.sum()))
            row |= {name: aud(int(value)) for name, value in zip(COMPONENTS, cents, strict=True)}
        yield row


def _missing_share(usage: Usage, rates: Rates, span: Period) -> float | None:
    return quality_of([usage.matrix(rates.time_zone).sliced(span.first, span.last, frozenset())]).missing_share
