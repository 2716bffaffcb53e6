"""Further questions about usage: its cost by hour, load duration, typical days, greenhouse gas."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

import polars as pl

from toolkit.analytics.energy import usage as analytics
from toolkit.analytics.energy.bills import Options, Period, PlanSegment, prepare
from toolkit.analytics.energy.rates import compile_plan
from toolkit.analytics.energy.usage.costs import usage_costs as price_by_hour
from toolkit.analytics.energy.usage.typical_days import typical_days as medoids
from toolkit.answers.energy.carbon import Carbon
from toolkit.answers.energy.usage import ServicePointUsage
from toolkit.answers.energy.usage_costs import UsageCosts
from toolkit.errors import FrameError
from toolkit.frames.checks import FrameLike, check_period, checked, checked_reads
from toolkit.frames.holidays import holidays_for
from toolkit.tables.reference.carbon import carbon_factors
from toolkit.tables.rows.plans import Plan
from toolkit.units import DEFAULT_ZONE


@checked
def usage_costs(  # noqa: PLR0913 - the options of `price`
    reads: FrameLike,
    plan: Plan,
    from_: date,
    to: date,
    *,
    zone: str = DEFAULT_ZONE,
    state: str | None = None,
    holidays: Collection[date] | None = None,
) -> UsageCosts:
    """Price each hour of the day and the parts of usage on a plan.

    Args:
        reads: Interval reads of one electricity service point: frame `reads`, from `toolkit.reads` or
            `toolkit.read_usage`.
        plan: The plan, from `toolkit.read_plans`.
        from_: First day, in the plan's time zone.
        to: Last day, inclusive.
        zone: IANA time zone of the home.
        state: State of the public holidays, for plans with windows that name them: ACT, NSW, NT, QLD, SA, TAS, VIC or
            WA. Default: the state of the plan's network, else of the time zone, which is warned about.
        holidays: The public holidays themselves, in place of a state's.

    Returns:
        What the energy costs by hour and by part, AUD with GST. Energy is priced as a bill by calendar month does; the
        rest of the bill has no time of day and stands in `other`. `toolkit.table(answer, "hours")` is a frame, likewise
        `parts`.

    Raises:
        FrameError: The reads are not those of one electricity service point, or none of import lies in these days.
        PricingError: The plan does not cover electricity.

    Source:
        The rules by which a published plan becomes a bill: toolkit/docs/pricing-rules.md

    Examples:
        >>> costs = toolkit.usage_costs(reads, plan, first, last)
        >>> toolkit.table(costs, "parts")
        shape: (5, 4)
        ┌─────────────────┬─────────┬───────────────┬────────────┐
        │ name            ┆ kwh     ┆ cost          ┆ cost_share │
        │ ---             ┆ ---     ┆ ---           ┆ ---        │
        │ str             ┆ f64     ┆ decimal[38,2] ┆ f64        │
        ╞═════════════════╪═════════╪═══════════════╪════════════╡
        │ always_on       ┆ 419.387 ┆ 143.06        ┆ 0.257691   │
        │ controlled_load ┆ 515.207 ┆ 175.74        ┆ 0.316557   │
        │ night           ┆ 340.351 ┆ 116.10        ┆ 0.209129   │
        │ day             ┆ 139.46  ┆ 47.57         ┆ 0.085687   │
        │ evening         ┆ 632.487 ┆ 215.75        ┆ 0.388627   │
        └─────────────────┴─────────┴───────────────┴────────────┘

        Night, day and evening are general use; with controlled load they add up to all energy, and the rest of the
        bill to its total.

        >>> sum(part.cost for part in costs.parts if part.name != "always_on"), costs.energy_cost
        (Decimal('555.16'), Decimal('555.16'))
        >>> costs.energy_cost + sum(costs.other.values()) == costs.total
        True
    """
    check_period(from_, to)
    checked = checked_reads(reads, fuel="ELECTRICITY")
    within = checked.filter(pl.col("date").is_between(from_, to))
    segment = PlanSegment(compile_plan(plan, "ELECTRICITY"), Period(from_, to))
    costs = price_by_hour(
        prepare(checked, zone=zone),
        [segment],
        options=Options(
            holidays=holidays_for([plan], [segment.rates], segment.period, state=state, zone=zone, holidays=holidays)
        ),
        always_on_kw=analytics.reliable_base_load_kw(within, zone=zone),
    )
    if costs is None:
        raise FrameError(f"No interval read of import lies between {from_} and {to}.")
    return costs


@checked
def load_duration(reads: FrameLike) -> pl.DataFrame:
    """Return power in falling order, with the share of the time that each is met or exceeded.

    Args:
        reads: Interval reads of one electricity service point: frame `reads`, from `toolkit.reads` or
            `toolkit.read_usage`.

    Returns:
        A row for each half-hour with a read of import, controlled load included; gaps are left out.

    Columns:
        share (Float64): Share of the measured time, 0 to 1.
        kw (Float64): Mean power that is met or exceeded for that share, kW.

    Raises:
        FrameError: The reads are not those of one electricity service point.

    Examples:
        >>> duration = toolkit.load_duration(reads)
        >>> duration.filter(pl.col("share") <= 0.1)["kw"].last()  # kW exceeded for a tenth of the time
        2.106
        >>> duration["kw"].max() == toolkit.usage(reads).peak_with_controlled_load.kw
        True
    """
    return analytics.load_duration(analytics.half_hours(checked_reads(reads, fuel="ELECTRICITY")))


@checked
def typical_days(reads: FrameLike, *, zone: str = DEFAULT_ZONE, count: int = 4) -> pl.DataFrame:
    """Return a few real days that represent all others, the one that represents most first.

    Args:
        reads: Interval reads of one electricity service point: frame `reads`, from `toolkit.reads` or
            `toolkit.read_usage`.
        zone: IANA time zone of the home.
        count: How many days.

    Returns:
        A row for each of the days. They are the medoids of all days without a gap (k-medoids, without chance): the same
        reads give the same days.

    Columns:
        date (Date): The day, local.
        kw (List(Float64)): Its 48 means of import by half-hour, kW.
        days (Int64): Days that it represents, itself included.
        share (Float64): These as a share of all days without a gap, 0 to 1.

    Raises:
        FrameError: The reads are not those of one electricity service point, or `count` is below 1.

    Examples:
        >>> days = toolkit.typical_days(reads, count=3)
        >>> days
        shape: (3, 4)
        ┌────────────┬────────────────────────┬──────┬──────────┐
        │ date       ┆ kw                     ┆ days ┆ share    │
        │ ---        ┆ ---                    ┆ ---  ┆ ---      │
        │ date       ┆ list[f64]              ┆ i64  ┆ f64      │
        ╞════════════╪════════════════════════╪══════╪══════════╡
        │ 2026-03-17 ┆ [1.1, 0.44, … 4.008]   ┆ 181  ┆ 0.501385 │
        │ 2026-04-06 ┆ [0.324, 0.34, … 0.392] ┆ 118  ┆ 0.32687  │
        │ 2026-06-17 ┆ [0.344, 0.33, … 0.348] ┆ 62   ┆ 0.171745 │
        └────────────┴────────────────────────┴──────┴──────────┘

        365 days, less the three of 1 to 3 October without reads and the one after them that daylight saving cuts short:

        >>> days["days"].sum()
        361
    """
    if count < 1:
        raise FrameError(f"count={count}: at least one day is needed.")
    slots = analytics.half_hours(checked_reads(reads, fuel="ELECTRICITY"))
    return medoids(analytics.heat_map_days(slots, zone), count)


@checked
def carbon(usage: ServicePointUsage, state: str) -> Carbon:
    """Return the greenhouse gas of what a service point used, by the average factor of its state.

    Args:
        usage: The answer of `toolkit.usage`.
        state: NSW, VIC, QLD, SA, WA (south-west grid), TAS, NT (Darwin to Katherine) or ACT.

    Returns:
        Greenhouse gas in kg CO2-e.

    Raises:
        FrameError: The state is not known.

    Source:
        National Greenhouse Accounts Factors; `edition`, `source` and `read` of the answer say which, and when they were
        read.

    Examples:
        >>> used = toolkit.usage(reads)
        >>> gas = toolkit.carbon(used, "NSW")
        >>> used.import_kwh, gas.kg_per_kwh, gas.import_kg  # 6378.269 × 0.67
        (6378.269, 0.67, 4273.44)
    """
    factors = carbon_factors()
    factor = factors.states.get(state.upper())
    if factor is None:
        raise FrameError(f"state={state!r} is not one of {', '.join(factors.states)}.")
    per_kwh = factor.scope2 + factor.scope3

    def kg(energy: float | None, per_unit: float) -> float | None:
        return None if energy is None else round(energy * per_unit, 3)

    return Carbon(
        state=state.upper(),
        import_kg=kg(usage.import_kwh, per_kwh),
        export_avoided_kg=kg(usage.export_kwh, factor.scope2),
        gas_kg=kg(usage.import_mj, factors.gas_kg_per_mj),
        kg_per_kwh=round(per_kwh, 6),
        edition=factors.edition,
        source=factors.source,
        read=factors.read,
    )
