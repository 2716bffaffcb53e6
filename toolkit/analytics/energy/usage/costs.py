"""What usage costs by time of day: the energy charges of a bill, shared out to the intervals that they are for.

A bill prices sums: the energy of a price over a billing period. Each interval falls under one price (pricing rule 4),
and costs what a kWh of that price costs on average in that period, so that all intervals together cost as much as the
bill, blocks included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np
import polars as pl

from toolkit.analytics.energy.bills import Bill, Options, PlanSegment, Usage, on_one_time_zone, price_segments
from toolkit.analytics.energy.intervals.prepare import LONGEST_INTERVAL
from toolkit.analytics.energy.pricing.lines import label_of
from toolkit.analytics.energy.pricing.model import aud, billing_periods
from toolkit.analytics.energy.rates.model import UNCLAIMED, Tariff, cells_of
from toolkit.answers.base import Note
from toolkit.answers.energy.bills import PlanDays
from toolkit.answers.energy.usage_costs import HourCost, PartCost, UsageCosts, UsagePart
from toolkit.units import NANO

__all__ = ["usage_costs"]

_EVENING, _NIGHT = 17, (22, 7)
"""Local hours: the evening starts at 17:00; the night lasts from 22:00 to 07:00."""
_ENERGY = ("usage", "controlled_load")
_COLUMNS = ("starts_at", "interval_minutes", "role", "energy_nano", "day", "component", "label")
_DIGITS = 6


def usage_costs(
    usage: Usage, segments: Sequence[PlanSegment], *, options: Options, always_on_kw: float | None
) -> UsageCosts | None:
    """Price each hour of the day, and the parts of usage, on the plans of the segments.

    usage: the prepared reads, in kWh. segments: plans with their days, in order. always_on_kw: base load that is priced
    at all hours, as far as it was bought; None leaves it out. None where no interval of import lies in these days.
    """
    segments = on_one_time_zone(segments)
    first, last = segments[0].period.first, segments[-1].period.last
    bill = price_segments(usage, segments, billing_periods(first, last, "month"), options=options)
    parts = [part for segment in segments for part in _with_prices(usage, segment, options)]
    reads = pl.concat(parts, how="vertical_relaxed").drop_nulls("energy_nano")
    if reads.is_empty():
        return None
    priced = _costed(reads, bill, usage)
    missing = bill.quality.missing_share
    energy_minor, other = 0, dict[str, Decimal]()
    for line in bill.lines:
        if line.component in _ENERGY and line.unit == usage.unit:
            energy_minor += line.amount_minor
        else:  # what controlled load costs a day is a supply charge
            name = "supply" if line.component in _ENERGY else line.component
            other[name] = other.get(name, Decimal("0.00")) + aud(line.amount_minor)
    energy_cost = aud(energy_minor)
    return UsageCosts(
        from_=first,
        to=last,
        days=(last - first).days + 1,
        plans=tuple(PlanDays(part.rates.plan_id, part.period.first, part.period.last) for part in segments),
        coverage=None if missing is None else round(1 - missing, _DIGITS),
        substituted_share=bill.quality.substituted_share,
        energy_kwh=_sum(priced, "kwh"),
        energy_cost=energy_cost,
        unpriced_kwh=_sum(priced.filter(pl.col("cents").is_null()), "kwh"),
        hours=tuple(_hours(priced)),
        parts=tuple(_parts(priced, energy_cost, always_on_kw)),
        other=other,
        total=energy_cost + sum(other.values(), Decimal(0)),
        notes=tuple(_notes(bill, usage.unit)),
    )


def _with_prices(usage: Usage, segment: PlanSegment, options: Options) -> Iterator[pl.DataFrame]:
    """Yield the import reads of a segment's days by tariff, with the columns `_COLUMNS`.

    `day` is a day in the plan's time zone; `label` is the price's, as on the bill's lines, null where no price takes
    the read. On each day the first tariff counts that covers it, and usage prices controlled load on days without a
    tariff of its own (pricing rule 8).
    """
    rates = segment.rates
    periods = [("usage", tariff) for tariff in rates.periods]
    loads = [("controlled_load", tariff) for tariff in rates.controlled_loads]
    days = pl.date_range(segment.period.first, segment.period.last, eager=True).alias("day")
    for role, tariffs in (("general", periods), ("controlled", [*loads, *periods])):
        owners = [next((n for n, (_, t) in enumerate(tariffs) if t.span.covers(day)), None) for day in days]
        owned = pl.DataFrame({"day": days, "owner": pl.Series(owners, dtype=pl.Int64)})
        for number, (component, tariff) in enumerate(tariffs):
            own_days = owned.filter(pl.col("owner") == number)
            placed = usage.placed(tariff.time_zone, rates.time_zone)
            own = _short(placed, role).join(own_days, on="day", how="semi")
            yield own.with_columns(_labels(own["time"], tariff, options), component=pl.lit(component)).select(_COLUMNS)
        without = owned.filter(pl.col("owner").is_null())
        if without.height:
            own = _short(usage.placed(rates.time_zone, rates.time_zone), role).join(without, on="day", how="semi")
            none = pl.lit(None, pl.String)
            yield own.with_columns(component=none, label=none).select(_COLUMNS)


def _short(placed: pl.DataFrame, role: str) -> pl.DataFrame:
    return placed.filter((pl.col("role") == role) & (pl.col("interval_minutes") <= LONGEST_INTERVAL))


def _labels(times: pl.Series, tariff: Tariff, options: Options) -> pl.Series:
    """Return the label of the price at each local time, null where the tariff has none."""
    holiday = times.dt.date().is_in(sorted(options.holidays)).cast(pl.Int64)
    day_type = times.dt.weekday().cast(pl.Int64) - 1 + 7 * holiday
    minute = times.dt.hour().cast(pl.Int64) * 60 + times.dt.minute()
    band = cells_of(tariff.bands)[day_type.to_numpy(), minute.to_numpy()].astype(np.int64)
    names = pl.Series([label_of(rate, tariff) for rate in tariff.rates], dtype=pl.String)
    return names.gather(pl.Series(np.maximum(band, 0))).set(pl.Series(band == UNCLAIMED), None).alias("label")


def _costed(reads: pl.DataFrame, bill: Bill, usage: Usage) -> pl.DataFrame:
    """Add `kwh`, `cents` (null where no price takes the read) and the local `hour` to the reads."""
    prices: dict[tuple[str, str, date, date], tuple[int, Fraction]] = {}
    for line in bill.lines:
        if line.component in _ENERGY and line.unit == usage.unit:
            key = line.component, line.price_label, line.first, line.last
            amount, quantity = prices.get(key, (0, Fraction(0)))
            prices[key] = amount + line.amount_minor, quantity + line.quantity
    rows = [(*key, float(amount / quantity)) for key, (amount, quantity) in prices.items() if quantity]
    names = ["component", "label", "first", "last", "cents_per_kwh"]
    by_day = (
        pl.DataFrame(rows, schema=names, orient="row", schema_overrides={"component": pl.String, "label": pl.String})
        .with_columns(day=pl.date_ranges("first", "last"))
        .explode("day")
        .unique(["component", "label", "day"], keep="first", maintain_order=True)
        .drop("first", "last")
    )
    kwh = pl.col("energy_nano") / NANO
    return reads.join(by_day, on=["component", "label", "day"], how="left").with_columns(
        kwh=kwh,
        cents=kwh * pl.col("cents_per_kwh"),
        hour=pl.col("starts_at").dt.convert_time_zone(usage.zone).dt.hour().cast(pl.Int64),
    )


def _hours(priced: pl.DataFrame) -> Iterator[HourCost]:
    controlled = pl.col("role") == "controlled"
    sums = priced.group_by("hour").agg(
        general=pl.col("kwh").filter(~controlled).sum(),
        controlled=pl.col("kwh").filter(controlled).sum(),
        cents=pl.col("cents").sum(),
    )
    by_hour = {hour: rest for hour, *rest in sums.iter_rows()}
    for hour in range(24):
        general, load, cents = by_hour.get(hour, (0.0, 0.0, 0.0))
        energy = general + load
        yield HourCost(
            hour,
            round(general, _DIGITS),
            round(load, _DIGITS),
            _aud(cents),
            round(cents / energy, 4) if energy else None,
        )


def _parts(priced: pl.DataFrame, energy_cost: Decimal, always_on_kw: float | None) -> Iterator[PartCost]:
    general = priced.filter(pl.col("role") == "general")
    if always_on_kw is not None:
        yield _part("always_on", _always_on(general, always_on_kw), energy_cost)
    controlled = priced.filter(pl.col("role") == "controlled")
    if controlled.height:
        yield _part("controlled_load", controlled, energy_cost)
    night = (pl.col("hour") >= _NIGHT[0]) | (pl.col("hour") < _NIGHT[1])
    evening = pl.col("hour").is_between(_EVENING, _NIGHT[0], closed="left")
    yield _part("night", general.filter(night), energy_cost)
    yield _part("day", general.filter(~night & ~evening), energy_cost)
    yield _part("evening", general.filter(evening), energy_cost)


def _always_on(general: pl.DataFrame, kw: float) -> pl.DataFrame:
    """Return each interval's energy up to `kw`, all registers together, at its mean price."""
    together = general.group_by("starts_at").agg(
        pl.col("kwh", "cents").sum(), hours=pl.col("interval_minutes").first() / 60
    )
    base = pl.min_horizontal("kwh", kw * pl.col("hours"))
    share = pl.when(pl.col("kwh") > 0).then(base / pl.col("kwh")).otherwise(0.0)
    return together.select(kwh=base, cents=pl.col("cents") * share)


def _part(name: UsagePart, reads: pl.DataFrame, energy_cost: Decimal) -> PartCost:
    cost = _aud(float(reads["cents"].sum()))
    share = round(float(cost / energy_cost), _DIGITS) if energy_cost else None
    return PartCost(name, _sum(reads, "kwh"), cost, share)


def _sum(reads: pl.DataFrame, column: str) -> float:
    return round(float(reads[column].sum()), _DIGITS)


def _aud(cents: float) -> Decimal:
    return (Decimal(cents) / 100).quantize(Decimal("0.01"), ROUND_HALF_UP)


def _notes(bill: Bill, unit: str) -> Iterator[Note]:
    lines = [line for line in bill.lines if line.component in _ENERGY and line.unit == unit]
    yield Note("costs_by_hour")
    if any(line.block is not None for line in lines):
        yield Note("costs_of_blocks")
    if any(line.component == "demand" for line in bill.lines):
        yield Note("costs_without_demand")
    yield from bill.quality.notes(bill.unit)
