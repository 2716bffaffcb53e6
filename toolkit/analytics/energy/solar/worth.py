"""What solar is worth on a plan: export by its feed-in, self-use by the bill it would else have cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import polars as pl

from toolkit.analytics.energy.bills import Bill, Period, Usage, prepare, price
from toolkit.analytics.energy.bills.periods import billing_periods
from toolkit.analytics.energy.rates import Rates

__all__ = ["NOTHING", "value_of"]

NOTHING: Mapping[str, None] = {
    "feed_in_value": None,
    "avoided_import_value": None,
    "valued_on_plan": None,
    "valued_on_plans": None,
}


def value_of(
    reads: pl.DataFrame, slots: pl.DataFrame | None, parts: Sequence[tuple[Rates, Period]], *, zone: str
) -> dict[str, Any]:
    """`feed_in_value` and `avoided_import_value` in AUD over the days of the parts, each at the prices of its plan.

    Export earns the plan's feed-in credits by calendar month. What the self-used energy (`used_kwh` of `slots`, the
    middle estimate) saved is the bill with it bought as well, less the bill as it is: blocks, windows and demand count.
    None where `slots` is: self-use is not estimated then. `valued_on_plan` is the plan of the last part.
    """
    metered = prepare(reads, zone=zone)
    bought_too = None if slots is None else prepare(_with_self_use(reads, slots), zone=zone)
    bills = [_bill(metered, *part) for part in parts]
    earned = sum(bill.components_minor().get("feed_in", 0) for bill in bills)
    return {
        "feed_in_value": Decimal(-earned).scaleb(-2),
        "avoided_import_value": None if bought_too is None else _saved(bills, [_bill(bought_too, *p) for p in parts]),
        "valued_on_plan": parts[-1][0].plan_id,
        "valued_on_plans": [
            {"plan_id": rates.plan_id, "from": period.first, "to": period.last} for rates, period in parts
        ],
    }


def _saved(actual: Sequence[Bill], without: Sequence[Bill]) -> Decimal:
    return Decimal(sum(bill.total_minor for bill in without) - sum(bill.total_minor for bill in actual)).scaleb(-2)


def _bill(usage: Usage, rates: Rates, period: Period) -> Bill:
    return price(usage, rates, billing_periods(period.first, period.last, "month", []))


def _with_self_use(reads: pl.DataFrame, slots: pl.DataFrame) -> pl.DataFrame:
    """`reads`, and a register more: what was made and used at once, as if it had been bought."""
    used = slots.filter(pl.col("used_kwh") > 0).select(
        service_point_id=pl.lit(reads["service_point_id"][0]),
        meter_id=pl.lit("self-use"),
        register_suffix=pl.lit("self-use"),
        unit=pl.lit("KWH"),
        direction=pl.lit("import"),
        controlled_load=pl.lit(value=False),
        date=(pl.col("starts_at") + pl.duration(hours=10)).dt.date(),
        interval_minutes=pl.lit(30, pl.Int64),
        starts_at="starts_at",
        energy_nano=(pl.col("used_kwh") * 1e9).round().cast(pl.Int64),
        quality=pl.lit("ESTIMATED"),
    )
    return pl.concat([reads, used.select(reads.columns)], how="vertical_relaxed")
