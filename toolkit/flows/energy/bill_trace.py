"""A bill followed back to the meter: the days under each price, and the reads of a day."""

from __future__ import annotations

from datetime import date
from itertools import chain
from typing import Any

import polars as pl

from toolkit.analytics.energy.bills.trace import by_day, reads_of
from toolkit.errors import UsageError
from toolkit.flows.energy.bill import asked_bill, priceable
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context, open_home

_NANO = 1_000_000_000


def bill_trace(  # noqa: PLR0913 - the options of `bill`, and the day
    ctx: Context,
    *,
    plan: str | None = None,
    from_: date | None = None,
    to: date | None = None,
    period: str | None = None,
    blocks: str = "pooled",
    discounts: str = "guaranteed",
    day: date | None = None,
) -> dict[str, Any]:
    """What each price of the bill that `bill` gives for the same options took of each day.

    by_day: component, label (`price_label` of the bill's lines), date on the plan's clock, quantity, unit (kWh, MJ; for
    demand the day's highest half hour in kW), priced (false for energy that no price takes).
    reads: those of `day`: component, label (null where no price takes it), time on the clock of the price's windows,
    interval_minutes, meter_id, register_suffix, quantity, unit, quality.
    Raises as `bill`, and UsageError where `day` is not in the bill.
    """
    question = BillingQuestion(from_, to, period, blocks, discounts)
    with open_home(ctx) as (store, household):
        asked = asked_bill(store, household, ctx, plan, question)
        first, last = asked.periods[0].first, asked.periods[-1].last
        if day is not None and not first <= day <= last:
            raise UsageError(
                f"{day} is not in the bill of {first} to {last}: name a day in it, or other days of a bill."
            )
        ready = priceable(store, household, asked)
    days = [
        by_day(ready.usage, segment.rates, segment.of(asked.periods), options=ready.options)
        for segment in ready.segments
    ]
    rows = chain.from_iterable(segment.iter_rows(named=True) for segment in days)
    answer: dict[str, Any] = {"by_day": [_quantified(row, "nano") for row in rows]}
    if day is not None:
        rates = next(segment.rates for segment in ready.segments if day <= segment.period.last)
        answer["reads"] = _reads(reads_of(ready.usage, rates, day, options=ready.options), rates.unit)
    return answer


def _reads(reads: pl.DataFrame, unit: str) -> list[dict[str, Any]]:
    rows = (_quantified(row, "energy_nano") for row in reads.iter_rows(named=True))
    return [{**row, "unit": unit, "time": f"{row['time']:%Y-%m-%d %H:%M}"} for row in rows]


def _quantified(row: dict[str, Any], column: str) -> dict[str, Any]:
    nano = row.pop(column)
    return {**row, "quantity": None if nano is None else nano / _NANO}
