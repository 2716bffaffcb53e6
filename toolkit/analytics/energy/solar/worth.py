"""What solar is worth on a plan: export by its feed-in, self-use by the bill it would else have cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from toolkit.analytics.energy.bills import Bill, Options, PlanSegment, prepare, price_segments
from toolkit.analytics.energy.bills.model import aud, billing_periods
from toolkit.errors import Problem
from toolkit.units import AEST_OFFSET, NANO

__all__ = ["NOTHING", "value_of"]

NOTHING: Mapping[str, None] = {
    "feed_in_value": None,
    "avoided_import_value": None,
    "valued_on_plan": None,
    "valued_on_plans": None,
}


def value_of(
    reads: pl.DataFrame, slots: pl.DataFrame | None, segments: Sequence[PlanSegment], *, zone: str, options: Options
) -> tuple[dict[str, Any], list[Problem]]:
    """`feed_in_value` and `avoided_import_value` in AUD over the days of the segments, each at the prices of its plan.

    Export earns the plan's feed-in credits by calendar month. What the self-used energy (`used_kwh` of `slots`, the
    middle estimate) saved is the bill with it bought as well, less the bill as it is: blocks, windows and demand count.
    None where `slots` is: self-use is not estimated then. `valued_on_plan`: the plan of the last segment. options: with
    the public holidays, where the plans' windows name them. Problems: of both bills, what is in neither figure.
    """
    months = billing_periods(segments[0].period.first, segments[-1].period.last, "month")

    def billed(reads: pl.DataFrame) -> Bill:
        return price_segments(prepare(reads, zone=zone), segments, months, options=options)

    actual = billed(reads)
    fuller = None if slots is None else billed(_with_self_use(reads, slots))
    worth = {
        "feed_in_value": aud(-actual.components_minor().get("feed_in", 0)),
        "avoided_import_value": None if fuller is None else aud(fuller.total_minor - actual.total_minor),
        "valued_on_plan": segments[-1].rates.plan_id,
        "valued_on_plans": [
            {"plan_id": segment.rates.plan_id, "from": segment.period.first, "to": segment.period.last}
            for segment in segments
        ],
    }
    return worth, _problems(actual, fuller)


def _problems(actual: Bill, fuller: Bill | None) -> list[Problem]:
    """Those that self-use alone brings about are told apart."""
    more = [problem for problem in fuller.problems if problem not in actual.problems] if fuller else []
    return [*actual.problems, *(replace(one, reason=f"with what is used at home: {one.reason}") for one in more)]


def _with_self_use(reads: pl.DataFrame, slots: pl.DataFrame) -> pl.DataFrame:
    """`reads`, and a register more: what was made and used at once, as if it had been bought."""
    used = slots.filter(pl.col("used_kwh") > 0).select(
        service_point_id=pl.lit(reads["service_point_id"][0]),
        meter_id=pl.lit("self-use"),
        register_suffix=pl.lit("self-use"),
        unit=pl.lit("KWH"),
        direction=pl.lit("import"),
        controlled_load=pl.lit(value=False),
        date=(pl.col("starts_at") + AEST_OFFSET).dt.date(),
        interval_minutes=pl.lit(30, pl.Int64),
        starts_at="starts_at",
        energy_nano=(pl.col("used_kwh") * NANO).round().cast(pl.Int64),
        quality=pl.lit("ESTIMATED"),
    )
    return pl.concat([reads, used.select(reads.columns)], how="vertical_relaxed")
