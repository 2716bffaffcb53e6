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
from toolkit.errors import FrameError
from toolkit.frames.checks import FrameLike, check_period, checked, checked_postcode, checked_reads
from toolkit.frames.holidays import holidays_for
from toolkit.tables.rows.plans import Fuel, Plan
from toolkit.units import DEFAULT_ZONE


@checked
def usage(
    reads: FrameLike, *, zone: str = DEFAULT_ZONE, from_: date | None = None, to: date | None = None
) -> ServicePointUsage:
    """Sum up what one service point used: totals, average days, base load, peak, months.

    Args:
        reads: Interval reads of one service point, in any order: frame `reads`, from `toolkit.reads` or
            `toolkit.read_usage`.
        zone: IANA time zone of the home, for everything within the day.
        from_: First meter day (AEST). Default: the first with reads.
        to: Last meter day, inclusive. Default: the last with reads.

    Returns:
        The figures, as in `service_points` of the command `toolkit usage`: energy in kWh (gas in MJ), power in kW,
        shares 0 to 1. What is not known is None, and `notes` say why. `toolkit.table(answer, "by_month")` is a frame,
        likewise `by_day`, `average_day` and `heat_map`.

    Raises:
        FrameError: The reads are not those of one service point, or `from_` lies after `to`.

    Examples:
        >>> used = toolkit.usage(reads)
        >>> used.import_kwh, used.controlled_load_kwh, used.export_kwh  # controlled load is part of import
        (6378.269, 1988.146, 6157.234)
        >>> used.base_load_kw, used.peak.kw, used.peak.at.isoformat()
        (0.266, 4.234, '2025-12-19T19:30:00+11:00')

        Three of 365 days were never read, and a gap is not a zero: 362 ÷ 365.

        >>> used.coverage
        0.991781
        >>> toolkit.table(used, "by_month").select("month", "import_kwh", "export_kwh", "coverage").head(3)
        shape: (3, 4)
        ┌─────────┬────────────┬────────────┬──────────┐
        │ month   ┆ import_kwh ┆ export_kwh ┆ coverage │
        │ ---     ┆ ---        ┆ ---        ┆ ---      │
        │ str     ┆ f64        ┆ f64        ┆ f64      │
        ╞═════════╪════════════╪════════════╪══════════╡
        │ 2025-07 ┆ 659.198    ┆ 354.089    ┆ 1.0      │
        │ 2025-08 ┆ 618.302    ┆ 422.579    ┆ 1.0      │
        │ 2025-09 ┆ 538.98     ┆ 574.238    ┆ 1.0      │
        └─────────┴────────────┴────────────┴──────────┘
        >>> round(sum(month.import_kwh for month in used.by_month), 3) == used.import_kwh
        True
    """
    check_period(from_, to)
    return service_point_usage(checked_reads(reads), zone=zone, from_=from_, to=to)


@checked
def solar(  # noqa: PLR0913 - what may be known of the panels
    reads: FrameLike,
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
    """Work out what the panels at one service point generate, how much is used at home, and what that is worth.

    Registers of direction `generation` are measured. Without one, generation is inferred from the export and the sun
    of the place, without weather data, and so it is a range.

    Args:
        reads: Interval reads of one service point: frame `reads`, from `toolkit.reads` or `toolkit.read_usage`.
        zone: IANA time zone of the home.
        postcode: Where the home is, four digits. Default: Sydney's sun.
        panels_kw: Rated size of the panels, kW. Default: inferred from the export.
        arrays: Size in kW, degrees clockwise from north and degrees of tilt of each array of panels; None where not
            known.
        inverter_kw: Rated power of the inverter, kW.
        storage_kwh: Size of a battery, kWh; shares of self-use are not estimated with one.
        since: First day on which the panels were in use.
        plan: Values export and self-use at its prices; without it both stay None.
        state: State of the public holidays, for plans with windows that name them: ACT, NSW, NT, QLD, SA, TAS, VIC or
            WA. Default: the state of the plan's network, else of the time zone, which is warned about.
        holidays: The public holidays themselves, in place of a state's.

    Returns:
        Energy in kWh, power in kW, money in AUD with GST, shares 0 to 1, estimates as `low`, `mid` and `high`. Where a
        figure cannot be known it is None and `reason` gives the cause. `toolkit.table(answer, "months")` is a frame.

    Raises:
        FrameError: The reads are not those of one electricity service point, or a state is not known.
        PricingError: The plan does not cover electricity.

    Examples:
        >>> sun = toolkit.solar(reads, postcode="2204", panels_kw=6.6, plan=plan)
        >>> sun.export_kwh, sun.generation_source
        (6157.234, 'estimate')
        >>> sun.generation_kwh.low < sun.generation_kwh.mid < sun.generation_kwh.high
        True
        >>> sun.feed_in_value, sun.avoided_import_value  # AUD: credits on the bill, and what was not bought
        (Decimal('595.29'), Decimal('975.75'))

        Self-consumption is the share of the generated energy that is not exported.

        >>> round(1 - sun.export_kwh / sun.generation_kwh.mid, 4) == sun.self_consumption.mid
        True
    """
    reads = checked_reads(reads, fuel="ELECTRICITY")
    city = climate.city(None, checked_postcode(postcode))
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


@checked
def forecast(  # noqa: PLR0913 - what a bill depends on
    reads: FrameLike,
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

    Args:
        reads: Interval reads of one service point: frame `reads`; those after `today` are not looked at.
        plan: The plan that the bill is priced on, from `toolkit.read_plans`.
        today: The day from which is forecast.
        zone: IANA time zone of the home.
        seed: The same seed draws the same futures.
        billing_months: Months of a bill: 1, 2 or 3, counted from January.
        months: How many months to look ahead, with the even payments that cover twelve. Default: the next bill alone.
        fuel: Fuel of the reads; gas reads are in MJ.
        state: State of the public holidays, for plans with windows that name them: ACT, NSW, NT, QLD, SA, TAS, VIC or
            WA. Default: the state of the plan's network, else of the time zone, which is warned about.

    Returns:
        The forecast, AUD with GST. `certain` is the part of the bill that has been metered already, with the supply
        charges of all its days. One bill in ten is expected below `p10`, one in ten above `p90`. `past` has a row for
        each past period that was forecast from what was known then. Figures are None where the reads end more than 45
        days (or one longer billing period) before `today`, the range also where fewer than nine past periods can be
        tested; `notes` say so.

    Raises:
        FrameError: The reads are not those of one service point and fuel, or an argument is not one that is known.
        PricingError: The plan does not cover the fuel.

    Examples:
        >>> bill = toolkit.forecast(reads, plan, today=date(2026, 6, 15))
        >>> bill.period.from_.isoformat(), bill.period.to.isoformat(), bill.metered_through.isoformat()
        ('2026-06-01', '2026-06-30', '2026-06-15')
        >>> bill.certain, bill.p50
        (Decimal('115.49'), Decimal('197.86'))

        A year of reads leaves eight past months to test the forecast on, one too few for a range:

        >>> bill.p10 is None, bill.backtest.origins, bill.backtest.mae  # mae: mean error, AUD
        (True, 8, Decimal('4.77'))
    """
    if billing_months not in (1, 2, 3):
        raise FrameError(f"billing_months={billing_months} is not 1, 2 or 3.")
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


@checked
def backtest(  # noqa: PLR0913 - what a bill depends on
    reads: FrameLike,
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

    Args:
        reads: Interval reads of any number of service points: frame `reads`.
        plan: The plan that all are priced on, from `toolkit.read_plans`.
        today: The day from which the past is counted. Default: the last day with reads of each service point.
        zone: IANA time zone of the homes.
        seed: The same seed draws the same futures.
        billing_months: Months of a bill: 1, 2 or 3, counted from January.
        fuel: Fuel of the reads; gas reads are in MJ.
        state: State of the public holidays, for plans with windows that name them: ACT, NSW, NT, QLD, SA, TAS, VIC or
            WA. Default: the state of the plan's network, else of the time zone, which is warned about.

    Returns:
        A row for each service point and past period, AUD with GST.

    Columns:
        service_point_id (String): Service point, as in the reads.
        from (Date): First day of the past period.
        to (Date): Last day, inclusive.
        p10 (Decimal): One bill in ten is expected below it; null where the home's past is too short for a range.
        p50 (Decimal): The forecast.
        p90 (Decimal): One bill in ten is expected above it; null as `p10`.
        billed (Decimal): What the reads of the period cost, at the plan's prices.
        error (Float64): (p50 − billed) ÷ billed; null where that is 0.
        inside (Boolean): Whether `billed` lies from `p10` to `p90`; null without a range.

    Raises:
        FrameError: The reads are not frame `reads` of that fuel, or an argument is not one that is known.
        PricingError: The plan does not cover the fuel.

    Examples:
        >>> past = toolkit.backtest(reads, plan)
        >>> past.select("from", "p50", "billed", "error", "inside").tail(2)
        shape: (2, 5)
        ┌────────────┬───────────────┬───────────────┬───────────┬────────┐
        │ from       ┆ p50           ┆ billed        ┆ error     ┆ inside │
        │ ---        ┆ ---           ┆ ---           ┆ ---       ┆ ---    │
        │ date       ┆ decimal[38,2] ┆ decimal[38,2] ┆ f64       ┆ bool   │
        ╞════════════╪═══════════════╪═══════════════╪═══════════╪════════╡
        │ 2026-05-01 ┆ 172.30        ┆ 177.68        ┆ -0.030279 ┆ true   │
        │ 2026-06-01 ┆ 185.35        ┆ 194.88        ┆ -0.048902 ┆ true   │
        └────────────┴───────────────┴───────────────┴───────────┴────────┘

        The mean error as a share of all bills (WAPE), and the share of bills inside the range:

        >>> errors = (past["p50"] - past["billed"]).abs()
        >>> round(float(errors.sum() / past["billed"].sum()), 3), past["inside"].mean()
        (0.052, 1.0)
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
