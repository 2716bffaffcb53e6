"""Many meters on many plans, as one frame; no database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from toolkit.analytics.energy.bills import Bill, Options, Period, Usage
    from toolkit.analytics.energy.compare import Market
    from toolkit.analytics.energy.rates import Rates
    from toolkit.tables.plans import Plan


def price_all(
    reads: pl.DataFrame,
    plans: Sequence[Plan],
    from_: date,
    to: date,
    *,
    fuel: str = "ELECTRICITY",
    zone: str = "Australia/Sydney",
    **options: Any,
) -> pl.DataFrame:
    """Every service point of `reads` on every plan, days inclusive on the plan's clock, as one billing period.

    A row each pair, cheapest first within a meter: `service_point_id`, `plan_id`, `name`, `retailer`, `total` and a
    column for each component [AUD with GST, credits negative], `missing_share` (of the time, without reads: that
    energy is in no total), `reason` (why the pair has no total; else null). To the cent what `price` gives, whose
    options these are. zone: of the service points.
    """
    from toolkit.analytics.energy.bills import Options, Period, prepare
    from toolkit.analytics.energy.compare import Market
    from toolkit.analytics.energy.rates import compile_plan

    gas = fuel == "GAS"
    market = Market.of([compile_plan(plan, "GAS" if gas else "ELECTRICITY") for plan in plans])
    span, chosen = Period(from_, to), Options(**options)
    rows = [
        {"service_point_id": point, "name": plan.name, "retailer": plan.retailer, **row}
        for (point,), own in reads.group_by("service_point_id", maintain_order=True)
        for plan, row in zip(
            plans, _rows(market, prepare(own, zone=zone, unit="MJ" if gas else "kWh"), span, chosen), strict=True
        )
    ]
    return _frame(rows)


def _frame(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    from toolkit.analytics.energy.bills.model import COMPONENTS

    texts = [(name, pl.String()) for name in ("service_point_id", "plan_id", "name", "retailer")]
    money = [(name, pl.Decimal(38, 2)) for name in ("total", *COMPONENTS)]
    frame = pl.DataFrame(rows, schema=[*texts, *money, ("missing_share", pl.Float64()), ("reason", pl.String())])
    return frame.sort("service_point_id", "total", "plan_id", nulls_last=True, maintain_order=True)


def _rows(market: Market, usage: Usage, span: Period, options: Options) -> Iterator[dict[str, Any]]:
    """In the order of the market's plans."""
    from toolkit.analytics.energy.bills.model import COMPONENTS, aud
    from toolkit.analytics.energy.compare import price_market

    priced = price_market(market, usage, [span], options)
    for number, rates in enumerate(market.plans):
        missing = _missing_share(usage, rates, span)
        reason = "no reads in these days" if missing == 1 else _why_not(rates, priced.alone.get(number))
        row: dict[str, Any] = {"plan_id": rates.plan_id, "missing_share": missing, "reason": reason}
        if reason is None:
            cents = priced.cents[number]
            row["total"] = aud(int(cents.sum()))
            row |= {name: aud(int(value)) for name, value in zip(COMPONENTS, cents, strict=True)}
        yield row


def _missing_share(usage: Usage, rates: Rates, span: Period) -> float | None:
    from toolkit.analytics.energy.bills.quality import quality_of

    return quality_of([usage.grid(rates.clock).framed(span.first, span.last, frozenset())]).missing_share


def _why_not(rates: Rates, alone: Bill | None) -> str | None:
    problems = (alone or rates).problems
    reasons = dict.fromkeys(problem.reason for problem in problems if problem.severity == "rejected")
    return "; ".join(reasons) or None
