"""When energy is used."""

from __future__ import annotations

import polars as pl
import streamlit as st

from toolkit.answers.base import to_builtins
from toolkit.answers.energy.usage import MonthUsage, ServicePointUsage, Usage
from toolkit.charts import style
from toolkit.charts import usage as charts
from toolkit.flows.energy.usage import usage, usage_map
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import meter_labels
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.answers import ask, holdings, last_day_if_old
from toolkit.pages.widgets import Metric, Period

HOW_TO_START = (
    "Ask your energy retailer or network for your *interval meter data* (a NEM12 file), or connect your energy "
    "account. When you use power, how much, and what runs all night then shows up here."
)
DAYS = {"Weekdays": "weekday", "Weekends": "weekend"}


def render(ctx: Context) -> None:
    """Show the Usage page, of one meter."""
    if not holdings(ctx).meter:
        widgets.empty("No meter data yet", HOW_TO_START)
        return
    stored = ask(usage, ctx)
    point = service_point(ctx, stored)
    if point is None:
        st.info("There is no energy that can be shown.")
        widgets.problems(stored.problems, key="usage")
        return
    mine = _at(ctx, point)
    chosen = widgets.period(days_of(point))
    answer = ask(usage, mine, from_=chosen.first, to=chosen.last)
    for part in answer.service_points:
        _figures(mine, part, chosen)
        _charts(mine, part, chosen)
        _tables(part)
        widgets.notes(part.notes)
    widgets.problems(answer.problems, key="usage")


def metered(ctx: Context, missing: str, how_to_start: str) -> tuple[Context, ServicePointUsage] | None:
    """`ctx` for the meter that was chosen, and its usage; None, with a message on the page, where there is none."""
    if not holdings(ctx).meter:
        widgets.empty(missing, how_to_start)
        return None
    point = service_point(ctx, ask(usage, ctx))
    if point is None:
        st.info("There is no energy that can be priced.")
        return None
    return _at(ctx, point), point


def _at(ctx: Context, point: ServicePointUsage) -> Context:
    return Context(ctx.db, ctx.today, ctx.household, point.service_point_id)


def days_of(point: ServicePointUsage) -> Period:
    """Return the days of a service point that has reads."""
    if point.from_ is None or point.to is None:
        raise ValueError(f"{point.service_point_id} has no reads")
    return Period(point.from_, point.to)


def service_point(ctx: Context, answer: Usage) -> ServicePointUsage | None:
    """Return the meter to show, chosen on the page where the home has several; None where none has reads."""
    points = {point.service_point_id: point for point in answer.service_points if point.from_ is not None}
    if len(points) < 2:
        return next(iter(points.values()), None)
    names = ask(meter_labels, ctx)
    chosen = st.selectbox(
        "Meter",
        list(points),
        format_func=lambda point: names.get(point, point),
        key="meter",
        persist_state="session",
        width=420,
    )
    return points[chosen]


def source_of(point: ServicePointUsage) -> str:
    """Return what a meter's energy is known from: your meter data, or your bills."""
    return "your bills" if any(note.code == "energy_from_bills" for note in point.notes) else "your meter data"


def _figures(ctx: Context, point: ServicePointUsage, chosen: Period) -> None:
    unit, taken = point.energy_unit, point.used
    shown = [Metric("From the grid" if unit == "kWh" else "Used", _energy(taken, unit), str(chosen))]
    if taken is not None:
        shown.append(Metric("A day, on average", _energy(taken / chosen.days, unit)))
    if point.export_kwh:
        shown.append(Metric("Exported", _energy(point.export_kwh, unit), "Solar power that you sent to the grid."))
    if point.controlled_load_kwh:
        what = "On a separate circuit, mostly hot water. Included in the power from the grid."
        shown.append(Metric("Controlled load", _energy(point.controlled_load_kwh, unit), what))
    if point.base_load_kw is not None:
        what = "What runs all night: fridge, standby, pumps. Each 0.1 kW is about 876 kWh a year."
        shown.append(Metric("Always on", f"{point.base_load_kw:.2f} kW", what))
    if peak := point.peak:
        note = f"{style.day(peak.at)}, {peak.at:%H:%M}"
        shown.append(Metric("Highest half-hour", f"{peak.kw:.2f} kW", "The most power used at once.", note))
    shown.append(_coverage(point.coverage or 0.0, chosen, source_of(point)))
    widgets.metrics(widgets.dated(shown, chosen.last if last_day_if_old(ctx) else None))


def _coverage(share: float, chosen: Period, source: str) -> Metric:
    """How much of the period the meter data, or the bills, cover, with the missing time in days of 24 hours."""
    missing = chosen.days * (1 - share)
    value = "Complete" if share >= 1 else f"{min(share, 0.999):.1%}"
    gap = None if share >= 1 else f"{counted(round(missing), 'day')} missing" if missing >= 1 else "under a day missing"
    what = source.removeprefix("your ").capitalize()
    return Metric(what, value, f"Share of the period that is known from {source}.", gap)


def _energy(value: float | None, unit: str) -> str:
    return "Not known" if value is None else style.kwh(value, unit)


def _charts(ctx: Context, point: ServicePointUsage, chosen: Period) -> None:
    if point.average_day:
        kind = st.segmented_control("Days", list(DAYS), default="Weekdays", required=True, key="day-type")
        figure = charts.average_day(point.average_day.frame(), day_type=DAYS[kind or "Weekdays"], look=widgets.look())
        widgets.chart(figure, key="average-day")
    heat_map = ask(usage_map, ctx, from_=chosen.first, to=chosen.last)[point.service_point_id].heat_map
    if not heat_map.is_empty():
        widgets.chart(charts.heat_map(heat_map, look=widgets.look()), key="heat-map")
    if point.by_month:
        figure = charts.by_month(point.by_month.frame(), unit=point.energy_unit, look=widgets.look())
        widgets.chart(figure, key="usage-by-month")


def _tables(point: ServicePointUsage) -> None:
    unit = point.energy_unit
    st.subheader("Month by month")
    columns = {
        "month": widgets.month("Month"),
        f"import_{unit.lower()}": widgets.number(f"From the grid, {unit}" if unit == "kWh" else f"Used, {unit}"),
        "export_kwh": widgets.number(f"Exported, {unit}"),
        "coverage": st.column_config.NumberColumn("Known", format="percent"),
    }
    widgets.table(months(point.by_month), columns, name="usage-by-month")
    with st.expander("Meter registers"):
        _registers(point)


def months(rows: MonthUsage) -> pl.DataFrame:
    """The rows by month as a frame with the first day of each month, so that months sort in order."""
    frame = rows.frame()
    return frame if frame.is_empty() else frame.with_columns(month=pl.concat_str("month", pl.lit("-01")).str.to_date())


def _registers(point: ServicePointUsage) -> None:
    rows = []
    for register in point.registers:
        quality = register.quality
        estimated = sum(quality.get(name, 0) for name in ("SUBSTITUTE", "FINAL_SUBSTITUTE", "ESTIMATED"))
        minutes = ", ".join(map(str, register.interval_minutes))
        counts = {"interval": minutes, "substituted": estimated, "missing": quality.get("MISSING", 0)}
        rows.append({**to_builtins(register), **counts})
    columns = {
        "meter_id": widgets.words("Meter"),
        "register_suffix": widgets.words("Register"),
        "direction": widgets.words("Direction"),
        "controlled_load": st.column_config.CheckboxColumn("Controlled load"),
        "total": widgets.number("Total"),
        "unit": widgets.words("Unit"),
        "days": widgets.number("Days", "%d"),
        "interval": widgets.words("Minutes per read"),
        "substituted": widgets.number("Estimated reads", "%d"),
        "missing": widgets.number("Missing reads", "%d"),
    }
    widgets.table(rows, columns, name="registers")
