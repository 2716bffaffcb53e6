"""What solar is worth on a plan: export by its feed-in, self-use by the bill it would else have cost."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl

from toolkit.analytics.energy.bills import Bill, price
from toolkit.analytics.energy.bills.periods import billing_periods
from toolkit.analytics.energy.rates import Rates

__all__ = ["NOTHING", "value_of"]

NOTHING: Mapping[str, None] = {"feed_in_value": None, "avoided_import_value": None, "valued_on_plan": None}


def value_of(reads: pl.DataFrame, slots: pl.DataFrame | None, rates: Rates, *, zone: str) -> dict[str, Any]:
    """`feed_in_value` and `avoided_import_value` in AUD over the days of `reads`, at the prices of one plan.

    Export earns the plan's feed-in credits by calendar month. What the self-used energy (`used_kwh` of `slots`, the
    middle estimate) saved is the bill with it bought as well, less the bill as it is: blocks, windows and demand count.
    None where `slots` is: self-use is not estimated then.
    """
    first, last = reads.select(pl.col("date").min(), pl.col("date").max().alias("last")).row(0)
    actual = _bill(reads, rates, zone, first, last)
    bought_too = None if slots is None else _bill(_with_self_use(reads, slots), rates, zone, first, last)
    return {
        "feed_in_value": Decimal(-actual.components_minor().get("feed_in", 0)).scaleb(-2),
        "avoided_import_value": None
        if bought_too is None
        else Decimal(bought_too.total_minor - actual.total_minor).scaleb(-2),
        "valued_on_plan": rates.plan_id,
    }


def _bill(reads: pl.DataFrame, rates: Rates, zone: str, first: date, last: date) -> Bill:
    return price(reads, rates, billing_periods(first, last, "month", []), zone=zone)


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
