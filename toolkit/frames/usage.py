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
from toolkit.frames.checks import check_period, checked_reads
from toolkit.frames.holidays import holidays_for
from toolkit.tables.reference.carbon import carbon_factors
from toolkit.tables.rows.plans import Plan
from toolkit.units import DEFAULT_ZONE


def usage_costs(  # noqa: PLR0913 - the options of `price`
    reads: pl.DataFrame,
    plan: Plan,
    from_: date,
    to: date,
    *,
    zone: str = DEFAULT_ZONE,
    state: str | None = None,
    holidays: Collection[date] | None = None,
) -> UsageCosts:
    """Price each hour of the day and the parts of usage on a plan, AUD with GST.

    reads: frame `reads` of one electricity service point. from_, to: days in the plan's time zone, inclusive. zone:
    IANA zone of the home. state: whose public holidays count, for plans with windows that name them; default: of the
    plan's network, else of the zone. holidays: these days in place of them. Raises FrameError where no interval of
    import lies in these days.
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


def load_duration(reads: pl.DataFrame) -> pl.DataFrame:
    """Return power in falling order: `kw` is exceeded or met for `share` (0 to 1) of the measured time.

    reads: frame `reads` of one service point; import, controlled load included, by half hour. Gaps are left out.
    """
    return analytics.load_duration(analytics.half_hours(checked_reads(reads, fuel="ELECTRICITY")))


def typical_days(reads: pl.DataFrame, *, zone: str = DEFAULT_ZONE, count: int = 4) -> pl.DataFrame:
    """Return a few real days that represent all others, the one that represents most first.

    reads: frame `reads` of one service point. zone: IANA zone of the home. Columns: `date` (local), `kw` (48 means of
    import), `days` it represents, `share` of all days without a gap (0 to 1). Found by k-medoids, without chance.
    """
    if count < 1:
        raise FrameError(f"count={count}: at least one day is needed.")
    slots = analytics.half_hours(checked_reads(reads, fuel="ELECTRICITY"))
    return medoids(analytics.heat_map_days(slots, zone), count)


def carbon(usage: ServicePointUsage, state: str) -> Carbon:
    """Return the greenhouse gas of what a service point used, by the average factor of its state.

    usage: from `toolkit.usage`. state: NSW, VIC, QLD, SA, WA (south-west grid), TAS, NT (Darwin to Katherine) or ACT.
    Factors of the National Greenhouse Accounts; `edition`, `source` and `read` say which. Raises FrameError for another
    state.
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
