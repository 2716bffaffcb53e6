"""Usage, solar and the next bill of one service point, from its reads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, timedelta

import polars as pl
from msgspec.structs import replace

from toolkit.analytics.energy.bills import Options, Period, PlanSegment, prepare
from toolkit.analytics.energy.forecast import (
    CALENDAR_MONTH,
    Cycle,
    Pricing,
    YearQuestion,
    history_of,
    periods_to_forecast,
)
from toolkit.analytics.energy.forecast import forecast as forecast_bill
from toolkit.analytics.energy.rates import compile_plan
from toolkit.analytics.energy.solar import Array, Panels, climate, service_point_solar
from toolkit.analytics.energy.solar.worth import value_of
from toolkit.analytics.energy.usage import service_point_usage
from toolkit.answers.energy.forecast import Forecast
from toolkit.answers.energy.solar import ServicePointSolar
from toolkit.answers.energy.usage import ServicePointUsage
from toolkit.frames.checks import check_period, checked_reads
from toolkit.frames.holidays import holidays_for
from toolkit.tables.rows.plans import Fuel, Plan
from toolkit.units import DEFAULT_ZONE


def usage(
    reads: pl.DataFrame, *, zone: str = DEFAULT_ZONE, from_: date | None = None, to: date | None = None
) -> ServicePointUsage:
    """Sum up what one service point used: totals, average days, base load, peak, months.

    reads: frame `reads` of one service point, in any order. zone: IANA zone of the home, for everything within the
    day. from_, to: meter days (AEST), inclusive; default: the first and last day with reads. Energy in kWh, gas in MJ.
    """
    check_period(from_, to)
    return service_point_usage(checked_reads(reads), zone=zone, from_=from_, to=to)


def solar(  # noqa: PLR0913 - what may be known of the panels
    reads: pl.DataFrame,
    *,
    zone: str = DEFAULT_ZONE,
    postcode: str | None = None,
    panels_kw: float | None = None,
    arrays: Sequence[tuple[float | None, float | None, float | None]] = (),
    inverter_kw: float | None = None,
    storage_kwh: float | None = None,
    since: date | None = None,
    plan: Plan | None = None,
    state: str | None = None,
    holidays: Collection[date] | None = None,
) -> ServicePointSolar:
    """Work out what the panels at one service point generate, how much is used at home, and what it is worth.

    Registers of direction `generation` are measured; else generation is inferred from the export, as a range.

    reads: frame `reads` of one service point. zone: IANA. postcode: where the home is; Sydney's sun without it.
    panels_kw: rated size; inferred from the export where None. arrays: size in kW, degrees clockwise from north and
    degrees of tilt of each, None where not known. storage_kwh: a battery, with which shares are not
    estimated. since: first day in use. plan: values export and self-use at its prices; without it both stay None.
    state: whose public holidays count, for plans with windows that name them; default: of the plan's network, else of
    the zone. holidays: these days in place of them.
    """
    reads = checked_reads(reads, fuel="ELECTRICITY")
    city = climate.city(None, postcode) or climate.CITIES[0]
    known = tuple(Array(*array) for array in arrays)
    panels = Panels(panels_kw, None if panels_kw is None else "as given", inverter_kw, storage_kwh, since, known)
    estimate = service_point_solar(reads, city=city, panels=panels)
    answer = estimate.answer
    if plan is None or answer.from_ is None or answer.to is None or answer.export_kwh is None:
        return answer
    segment = PlanSegment(compile_plan(plan, "ELECTRICITY"), Period(answer.from_, answer.to))
    named = holidays_for([plan], [segment.rates], segment.period, state=state, zone=zone, holidays=holidays)
    value = value_of(
        reads,
        estimate.slots,
        [segment],
        zone=zone,
        options=Options(holidays=named),
        self_use_shares=estimate.self_use_shares,
    )
    return value.added_to(answer)


def forecast(  # noqa: PLR0913 - what a bill depends on
    reads: pl.DataFrame,
    plan: Plan,
    *,
    today: date,
    zone: str = DEFAULT_ZONE,
    seed: int = 0,
    billing_months: int = 1,
    months: int = 0,
    fuel: Fuel = "ELECTRICITY",
    state: str | None = None,
) -> Forecast:
    """Forecast the bill of the calendar months that hold the first unmetered day, with its range and track record.

    reads: frame `reads` of one service point; those after `today` are not looked at. zone: IANA. billing_months: 1, 2
    or 3, counted from January. months: how many months to look ahead, with the even payments that cover twelve. The
    same seed draws the same futures. fuel: of the reads, in MJ for gas. state: whose public holidays count; default: of
    the plan's network, else of the zone. `answer.past` has a row for each past period that was forecast. Amounts in
    AUD, None where the reads end more than 45 days (or one longer billing period) before `today`.
    """
    reads = checked_reads(reads, fuel=fuel)
    rates = compile_plan(plan, fuel)
    first = reads["date"].min()
    days = Period(first if isinstance(first, date) else today, today + timedelta(31 * max(months, 12)))
    options = Options(holidays=holidays_for([plan], [rates], days, state=state, zone=zone))
    history = history_of(prepare(reads, zone=zone, unit=rates.unit), rates, today, options.holidays)
    cycle = CALENDAR_MONTH if billing_months == 1 else Cycle("household", billing_months)
    period, past = periods_to_forecast(cycle, history, today)
    year = YearQuestion(cycle, months) if months else None
    pricing = Pricing(rates, options, seed=seed)
    answer = forecast_bill(history, period, past, pricing, today=today, source=cycle.source, year=year)
    point = "" if reads.is_empty() else str(reads["service_point_id"][0])
    return replace(answer, service_point_id=point, fuel=fuel, problems=tuple(rates.problems))


def backtest(  # noqa: PLR0913 - what a bill depends on
    reads: pl.DataFrame,
    plan: Plan,
    *,
    today: date | None = None,
    zone: str = DEFAULT_ZONE,
    seed: int = 0,
    billing_months: int = 1,
    fuel: Fuel = "ELECTRICITY",
    state: str | None = None,
) -> pl.DataFrame:
    """Forecast every past period of one home or many from what was known then, and hold it against what came.

    reads: frame `reads`, of any number of service points. today: of all of them; default: the last day with reads of
    each. The rest as in `forecast`. A row for each home and origin: `service_point_id`, `from`, `to`, `p10`, `p50`,
    `p90`, `billed` [AUD with GST, at today's prices; p10 and p90 null where a home's past is too short for a range],
    `error` (p50 less billed, as a share of billed) and `inside` (whether billed lies from p10 to p90).
    """
    rows = [
        (str(point), past.from_, past.to, past.p10, past.p50, past.p90, past.billed)
        for (point,), own in checked_reads(reads, fuel=fuel, one_home=False).group_by(
            "service_point_id", maintain_order=True
        )
        for past in forecast(
            own,
            plan,
            today=today or _last_day(own),
            zone=zone,
            seed=seed,
            billing_months=billing_months,
            fuel=fuel,
            state=state,
        ).past
    ]
    money = dict.fromkeys(("p10", "p50", "p90", "billed"), pl.Decimal(38, 2))
    schema = {"service_point_id": pl.String(), "from": pl.Date(), "to": pl.Date(), **money}
    bill, middle = pl.col("billed").cast(pl.Float64), pl.col("p50").cast(pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        error=pl.when(bill != 0).then((middle - bill) / bill),
        inside=pl.col("billed").is_between(pl.col("p10"), pl.col("p90")),
    )


def _last_day(reads: pl.DataFrame) -> date:
    last = reads["date"].max()
    assert isinstance(last, date)
    return last
