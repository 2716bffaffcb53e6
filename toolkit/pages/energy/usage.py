"""When energy is used."""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from toolkit.charts import style
from toolkit.charts import usage as charts
from toolkit.flows.energy.usage import usage, usage_map
from toolkit.flows.household.context import Context
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.answers import Answer, ask, holdings, last_day_if_old
from toolkit.pages.widgets import Metric, Period

HOW_TO_START = (
    "Ask your energy retailer or network for your *interval meter data* (a NEM12 file), or connect your energy "
    "account. When you use power, how much, and what runs all night then shows up here."
)
DAYS = {"Weekdays": "weekday", "Weekends": "weekend"}


def render(ctx: Context) -> None:
    if not holdings(ctx).meter:
        widgets.empty("No meter data yet", HOW_TO_START)
        return
    stored = ask(usage, ctx)
    point = service_point(stored)
    if point is None:
        st.info("The meter data contains no energy that can be shown.")
        widgets.problems(stored["problems"], key="usage")
        return
    mine = _at(ctx, point)
    chosen = widgets.period(Period(point["from"], point["to"]))
    answer = ask(usage, mine, from_=chosen.first, to=chosen.last)
    for part in answer["service_points"]:
        _figures(mine, part, chosen)
        _charts(mine, part, chosen)
        _tables(part)
        widgets.notes(part["notes"])
    widgets.problems(answer["problems"], key="usage")


def metered(ctx: Context, missing: str, how_to_start: str) -> tuple[Context, Answer] | None:
    """`ctx` for the meter that was chosen, and its usage; None where there is none, which is said."""
    if not holdings(ctx).meter:
        widgets.empty(missing, how_to_start)
        return None
    point = service_point(ask(usage, ctx))
    if point is None:
        st.info("The meter data contains no energy that can be priced.")
        return None
    return _at(ctx, point), point


def _at(ctx: Context, point: Answer) -> Context:
    return Context(ctx.db, ctx.today, ctx.household, point["service_point_id"])


def service_point(answer: Answer) -> Answer | None:
    """The meter to show; a choice where the home has several."""
    points: dict[str, Answer] = {
        point["service_point_id"]: point for point in answer["service_points"] if point["from"] is not None
    }
    if len(points) < 2:
        return next(iter(points.values()), None)
    names = {
        name: f"{style.words(point['fuel'] or 'energy').capitalize()}, meter {name}" for name, point in points.items()
    }
    chosen = st.selectbox(
        "Meter", list(points), format_func=lambda name: names[name], key="meter", persist_state="session", width=420
    )
    return points[chosen]


def unit_of(point: Answer) -> str:
    return "MJ" if point["unit"] == "MJ" else "kWh"


def used(point: Answer) -> float | None:
    """Energy taken in, in `unit_of(point)`."""
    taken: float | None = point["import_mj"] if unit_of(point) == "MJ" else point["import_kwh"]
    return taken


def _figures(ctx: Context, point: Answer, chosen: Period) -> None:
    unit = unit_of(point)
    taken = used(point)
    shown = [Metric("From the grid" if unit == "kWh" else "Used", _energy(taken, unit), str(chosen))]
    if taken is not None:
        shown.append(Metric("A day, on average", _energy(taken / chosen.days, unit)))
    if point["export_kwh"]:
        shown.append(Metric("Exported", _energy(point["export_kwh"], unit), "Solar power that you sent to the grid."))
    if point["controlled_load_kwh"]:
        what = "On a separate circuit, mostly hot water. Included in the power from the grid."
        shown.append(Metric("Controlled load", _energy(point["controlled_load_kwh"], unit), what))
    shown += _power(point)
    shown.append(_coverage(point, chosen))
    widgets.metrics(widgets.dated(shown, chosen.last if last_day_if_old(ctx) else None))


def _coverage(point: Answer, chosen: Period) -> Metric:
    """How much of the period the meter data covers, with the missing time in days of 24 hours."""
    share = point["coverage"]
    missing = chosen.days * (1 - share)
    value = "Complete" if share >= 1 else f"{min(share, 0.999):.1%}"
    gap = None if share >= 1 else f"{counted(round(missing), 'day')} missing" if missing >= 1 else "under a day missing"
    return Metric("Meter data", value, "Share of the period that the meter data covers.", gap)


def _energy(value: float | None, unit: str) -> str:
    return "Not known" if value is None else style.kwh(value, unit)


def _power(point: Answer) -> list[Metric]:
    shown = []
    if point["base_load_kw"] is not None:
        what = "What runs all night: fridge, standby, pumps. Each 0.1 kW is about 876 kWh a year."
        shown.append(Metric("Always on", f"{point['base_load_kw']:.2f} kW", what))
    peak = point["peak"]
    if peak and peak["kw"] is not None:
        at = peak["at"]
        note = f"{style.day(at)}, {at:%H:%M}" if at is not None else None
        shown.append(Metric("Highest half-hour", f"{peak['kw']:.2f} kW", "The most power used at once.", note))
    return shown


def _charts(ctx: Context, point: Answer, chosen: Period) -> None:
    if point["average_day"]:
        kind = st.segmented_control("Days", list(DAYS), default="Weekdays", required=True, key="day-type")
        days = pl.DataFrame(point["average_day"], infer_schema_length=None)
        figure = charts.average_day(days, day_type=DAYS[kind or "Weekdays"], look=widgets.look())
        widgets.chart(figure, key="average-day")
    grid = ask(usage_map, ctx, from_=chosen.first, to=chosen.last)[point["service_point_id"]]["heat_map"]
    if not grid.is_empty():
        widgets.chart(charts.heat_map(grid, look=widgets.look()), key="heat-map")
    months = pl.DataFrame(point["by_month"], infer_schema_length=None)
    if not months.is_empty():
        widgets.chart(charts.by_month(months, unit=unit_of(point), look=widgets.look()), key="usage-by-month")


def _tables(point: Answer) -> None:
    unit = unit_of(point)
    st.subheader("The figures")
    columns = {
        "month": widgets.month("Month"),
        f"import_{unit.lower()}": widgets.number(f"From the grid, {unit}"),
        "export_kwh": widgets.number(f"Exported, {unit}"),
        "coverage": st.column_config.NumberColumn("Meter data", format="percent"),
    }
    months = [{**row, "month": widgets.first_of(row["month"])} for row in point["by_month"]]
    widgets.table(months, columns, name="usage-by-month")
    with st.expander("Meter registers"):
        widgets.table([_register(row) for row in point["registers"]], _register_columns(), name="registers")


def _register_columns() -> dict[str, Any]:
    return {
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


def _register(row: Answer) -> Answer:
    quality = row["quality"]
    guessed = sum(quality.get(name) or 0 for name in ("SUBSTITUTE", "FINAL_SUBSTITUTE", "ESTIMATED"))
    lengths = ", ".join(str(minutes) for minutes in row["interval_minutes"] or [])
    return {**row, "interval": lengths, "substituted": guessed, "missing": quality.get("MISSING") or 0}
