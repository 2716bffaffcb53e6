"""What solar is worth on a plan: export by its feed-in, self-use by the bill it would else have cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import polars as pl
from msgspec import structs

from toolkit.analytics.energy.bills import Bill, Options, PlanSegment, prepare, price_segments
from toolkit.analytics.energy.pricing.model import aud, billing_periods
from toolkit.answers.energy.bills import PlanDays
from toolkit.answers.energy.solar import DayToCheck, MoneyRange, ServicePointSolar
from toolkit.problems import Problem
from toolkit.units import AEST_OFFSET, NANO

__all__ = ["SolarValue", "value_of"]


@dataclass(frozen=True, slots=True)
class SolarValue:
    """What solar is worth; without days to value all of it is None."""

    feed_in: Decimal | None = None
    """Feed-in credits of the plans, AUD."""
    avoided_import: MoneyRange | None = None
    """AUD; None where self-use is not estimated."""
    plans: tuple[PlanDays, ...] | None = None
    problems: tuple[Problem, ...] = ()
    """Of both bills: what is in neither figure."""

    def added_to(self, answer: ServicePointSolar) -> ServicePointSolar:
        """Return the answer with these figures; what is missing on days to check is worth the mean of the rest."""
        return structs.replace(
            answer,
            days_to_check=self._priced(answer),
            feed_in_value=self.feed_in,
            avoided_import_value=None if self.avoided_import is None else self.avoided_import.mid,
            feed_in_range=None if self.feed_in is None else MoneyRange(self.feed_in, self.feed_in, self.feed_in),
            avoided_import_range=self.avoided_import,
            valued_on_plan=self.plans[-1].plan_id if self.plans else None,
            valued_on_plans=self.plans,
        )

    def _priced(self, answer: ServicePointSolar) -> tuple[DayToCheck, ...]:
        made = answer.generation_kwh.mid
        if not made or self.feed_in is None or self.avoided_import is None:
            return answer.days_to_check
        per_kwh = (self.feed_in + self.avoided_import.mid) / Decimal(str(made))
        return tuple(
            structs.replace(day, value=(per_kwh * Decimal(str(day.kwh))).quantize(Decimal("0.01")))
            for day in answer.days_to_check
        )


def value_of(
    reads: pl.DataFrame,
    slots: pl.DataFrame | None,
    segments: Sequence[PlanSegment],
    *,
    zone: str,
    options: Options,
    self_use_shares: tuple[float, float, float] = (1.0, 1.0, 1.0),
) -> SolarValue:
    """Value the export and the self-use over the days of the segments, each at the prices of its plan.

    Export earns the plan's feed-in credits by calendar month. What the self-used energy (`used_kwh` of `slots`, the
    middle estimate) saved is the bill with it bought as well, less the bill as it is: blocks, windows and demand count.
    slots: None where self-use is not estimated. options: with the public holidays, where the plans' windows name them.
    self_use_shares: the lowest, middle and highest self-use, as shares of that in `slots`.
    """
    reads = reads.filter(pl.col("direction") != "generation")
    months = billing_periods(segments[0].period.first, segments[-1].period.last, "month")

    def billed(reads: pl.DataFrame) -> Bill:
        return price_segments(prepare(reads, zone=zone), segments, months, options=options)

    actual = billed(reads)
    avoided, problems = None, actual.problems
    if slots is not None:
        fuller = {share: billed(_with_self_use(reads, slots, share)) for share in dict.fromkeys(self_use_shares)}
        avoided = MoneyRange(*(aud(fuller[share].total_minor - actual.total_minor) for share in self_use_shares))
        more = [problem for problem in fuller[self_use_shares[1]].problems if problem not in actual.problems]
        problems += tuple(structs.replace(one, reason=f"with what is used at home: {one.reason}") for one in more)
    return SolarValue(
        feed_in=aud(-actual.components_minor().get("feed_in", 0)),
        avoided_import=avoided,
        plans=tuple(PlanDays(segment.rates.plan_id, segment.period.first, segment.period.last) for segment in segments),
        problems=problems,
    )


def _with_self_use(reads: pl.DataFrame, slots: pl.DataFrame, share: float) -> pl.DataFrame:
    """`reads`, and a register more: that share of what was made and used at once, as if it had been bought."""
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
        energy_nano=(pl.col("used_kwh") * share * NANO).round().cast(pl.Int64),
        quality=pl.lit("ESTIMATED"),
    )
    return pl.concat([reads, used.select(reads.columns)], how="vertical_relaxed")
