"""When energy is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import polars as pl
import streamlit as st

from toolkit.answers.base import percent, to_builtins
from toolkit.answers.energy.usage import FigureBasis, ServicePointUsage
from toolkit.charts import style
from toolkit.charts import usage as charts
from toolkit.flows.energy.usage import usage, usage_map
from toolkit.flows.household.context import Context
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.answers import ask, holdings, last_day_if_old
from toolkit.pages.energy.meters import (
    FROM_BILLS,
    NO_METER_DATA,
    OF_THE_METER,
    at_meter,
    days_of,
    in_words,
    is_from_bills,
    known_shares,
    months,
    service_point,
    source_of,
)
from toolkit.pages.energy.solar import EXPORTS
from toolkit.pages.text import sentence
from toolkit.pages.usage import costs, days, devices
from toolkit.pages.widgets import Metric, Period

HOW_TO_START = (
    "Ask your energy retailer or network for your *interval meter data* (a NEM12 file), or connect your energy "
    "account. When you use power, how much, and what runs all night then shows up here."
)
DAYS = {"Weekdays": "weekday", "Weekends": "weekend"}
ALL_SEASONS = "All seasons"
AVERAGE_DAY, WHAT_IT_COSTS, BY_HOUR, BY_MONTH, METER = (
    *("Average day", "What it costs", "Hour by hour"),
    *("Month by month", OF_THE_METER),
)
"""Tabs of the page next to that of the days."""
TABS = "usage-tab"
DOUBTS = ("energy_too_much", "energy_too_little")
"""Notes that say that the reads cannot be right."""


def render(ctx: Context) -> None:
    """Show the Usage page, of one meter."""
    if not holdings(ctx).meter:
        widgets.empty(NO_METER_DATA, HOW_TO_START)
        return
    stored = ask(usage, ctx)
    point = service_point(ctx, stored)
    if point is None:
        st.info("There is no energy that can be shown.")
        widgets.problems(stored.problems, key="usage")
        return
    mine = at_meter(ctx, point)
    chosen = widgets.period(days_of(point))
    answer = ask(usage, mine, from_=chosen.first, to=chosen.last)
    for part in answer.service_points:
        _warn(part)
        others = _figures(mine, part, chosen)
        drawn: dict[str, Callable[[], None]] = {
            AVERAGE_DAY: partial(_average_day, part),
            WHAT_IT_COSTS: partial(costs.show, mine, part, chosen),
            BY_HOUR: partial(_by_hour, mine, part, chosen),
            days.TAB: partial(days.show, mine, part, days_of(point)),
            BY_MONTH: partial(_by_month, part),
            METER: partial(_meter, mine, part),
        }
        if part.heat_map:
            of_reads = (AVERAGE_DAY, WHAT_IT_COSTS, METER)
            drawn |= {tab: days.with_way_to_reads(drawn[tab], key=TABS) for tab in of_reads}
        if part.energy_unit != "kWh":
            del drawn[WHAT_IT_COSTS]
        if not part.average_day:
            del drawn[AVERAGE_DAY]
        if not part.heat_map:  # nobody read what was used within a day
            del drawn[BY_HOUR]
            drawn = {BY_MONTH: drawn.pop(BY_MONTH)} | drawn
        widgets.draw_open_tab(drawn, key=TABS)
        if part.year_on_year:
            st.markdown(sentence(part.year_on_year.sentence))
        widgets.metrics(others)
        _too_few_days(part)
        widgets.notes([note for note in part.notes if note.code not in DOUBTS])
    widgets.problems(answer.problems, key="usage")


def _figures(ctx: Context, point: ServicePointUsage, chosen: Period) -> Sequence[Metric]:
    """Show the first figures; return the others."""
    unit, taken = point.energy_unit, point.used
    reads = (days.TAB, partial(widgets.open_tab, days.TAB, key=TABS))
    by_month = (BY_MONTH, partial(widgets.open_tab, BY_MONTH, key=TABS))
    label = "From the grid" if unit == "kWh" else "Used"
    shown = [Metric(label, _energy(taken, unit), str(chosen), opens=by_month)]
    if taken is not None and point.coverage:
        what = f"Over the time that is known from {source_of(point)}." if point.coverage < 1 else None
        a_day = _energy(taken / (chosen.days * point.coverage), unit)
        shown.append(Metric("A day, on average", a_day, what, opens=reads))
    if point.export_kwh:
        what = "Solar power that you sent to the grid."
        shown.append(Metric("Exported", _energy(point.export_kwh, unit), what, page="solar", tab=EXPORTS))
    basis = {row.figure: row for row in point.basis}
    if point.base_load_kw is not None and basis["base_load_kw"].is_enough:
        what = "What runs all night: fridge, standby, pumps. Each 0.1 kW is about 876 kWh a year."
        rests_on = _resting_on(basis["base_load_kw"], "night")
        by_hour = (AVERAGE_DAY, partial(widgets.open_tab, AVERAGE_DAY, key=TABS))
        opens = by_hour if point.average_day else reads
        shown.append(Metric("Always on", f"{point.base_load_kw:.2f} kW", f"{what} {rests_on}", opens=opens))
    if (peak := point.peak) and basis["peak"].is_enough:
        note = f"{style.day(peak.at)}, {peak.at:%H:%M}"
        what = f"The most power used at once, without controlled load. {_resting_on(basis['peak'], 'day')}"
        that_day = ("That day", partial(days.open_tab, peak.at.date(), "Day", key=TABS))
        shown.append(Metric("Highest half-hour", f"{peak.kw:.2f} kW", what, note, opens=that_day))
    meter = (METER, partial(widgets.open_tab, METER, key=TABS))
    if point.controlled_load_kwh:
        what = "On a separate circuit, mostly hot water. Included in the power from the grid."
        shown.append(Metric("Controlled load", _energy(point.controlled_load_kwh, unit), what, opens=meter))
    # by month it lists what is known and estimated of each
    covered, *estimated = known_shares(point.coverage, point.substituted_share, chosen, source_of(point))
    shown.append(replace(covered, opens=meter if (point.coverage or 0) >= 1 else by_month))
    shown += [replace(figure, opens=by_month) for figure in estimated]
    return widgets.metrics_in_a_row(widgets.dated(shown, chosen.last if last_day_if_old(ctx) else None))


def _warn(point: ServicePointUsage) -> None:
    """Say above the figures that they cannot be right."""
    for note in point.notes:
        if note.code in DOUBTS:
            st.warning(sentence(note))


def _too_few_days(point: ServicePointUsage) -> None:
    """Say why a figure is not shown."""
    missing = [sentence(row.reason) for row in point.basis if row.reason and row.figure in ("base_load_kw", "peak")]
    if missing:
        st.caption(" ".join(missing))


def _resting_on(basis: FigureBasis, noun: str) -> str:
    """Word the days behind a figure."""
    substituted = f", {percent(basis.substituted_share, 1)} estimated" if basis.substituted_share else ""
    return f"From {counted(basis.days, noun)}, {percent(basis.coverage or 0, 1)} metered{substituted}."


def _energy(value: float | None, unit: str) -> str:
    return "Not known" if value is None else style.kwh(value, unit)


def _average_day(point: ServicePointUsage) -> None:
    """Draw the average days that have enough days behind them, and say why others are left out."""
    left_out = {row.figure: row for row in point.basis if not row.is_enough and " " in row.figure}
    kind = pl.concat_str("season", "day_type", separator=" ")
    rows = point.average_day.frame().filter(~kind.is_in(list(left_out)))
    if not rows.is_empty():
        with st.container(horizontal=True):
            day_type = st.segmented_control(
                "Days",
                list(DAYS),
                default="Weekdays",
                required=True,
                key="day-type",
                label_visibility="collapsed",
            )
            seasons = [ALL_SEASONS, *map(str.capitalize, rows["season"].unique(maintain_order=True))]
            season = st.selectbox("Season", seasons, key="season", width=180, label_visibility="collapsed")
        wanted = DAYS[day_type or "Weekdays"]
        only = None if season in (None, ALL_SEASONS) else str(season).lower()
        figure = charts.average_day(rows, day_type=wanted, season=only, look=widgets.look())
        widgets.chart(figure, key="average-day")
        if only is None:
            st.caption("Choose one season to see how its days differ: its shaded part is the likely range of a day.")
        loads = point.controlled_load_average_day.frame().filter(~kind.is_in(list(left_out)))
        if not loads.is_empty():
            title = "Controlled load on an average day"
            figure = charts.average_day(loads, day_type=wanted, season=only, title=title, look=widgets.look())
            widgets.chart(figure, key="controlled-load-day")
    reasons = [sentence(row.reason) for row in left_out.values() if row.reason]
    if reasons:
        st.caption(" ".join(reasons))


def _by_hour(ctx: Context, point: ServicePointUsage, chosen: Period) -> None:
    """Draw every day hour by hour; a day that is picked leads to its reads."""
    heat_map = ask(usage_map, ctx, from_=chosen.first, to=chosen.last)[point.service_point_id].heat_map
    figure = charts.heat_map(heat_map, pick_days=True, look=widgets.look())
    widgets.chart(figure, key="heat-map", on_pick=days.open_picked("Day", key=TABS))
    st.caption(days.PICK_A_DAY)


def _by_month(point: ServicePointUsage) -> None:
    if point.by_month:
        figure = charts.by_month(point.by_month.frame(), unit=point.energy_unit, look=widgets.look())
        widgets.chart(figure, key="usage-by-month", on_pick=days.open_picked("Month", key=TABS))
    if is_from_bills(point):
        st.caption(FROM_BILLS)
    unit = point.energy_unit
    columns = {
        "month": widgets.month("Month"),
        f"import_{unit.lower()}": widgets.number(f"From the grid, {unit}" if unit == "kWh" else f"Used, {unit}"),
        "before": widgets.number(f"A year earlier, {unit}"),
        "change_share": st.column_config.NumberColumn("Change", format="percent"),
        "export_kwh": widgets.number("Exported, kWh"),
        "coverage": st.column_config.NumberColumn("Known", format="percent"),
        "substituted_share": st.column_config.NumberColumn("Estimated", format="percent"),
    }
    rows = months(point.by_month)
    if rows.is_empty():
        return
    if not point.export_kwh:
        columns.pop("export_kwh")
    before = {row.from_.replace(day=1): row for row in point.months_on_year}
    compared = rows["month"].to_list()
    rows = rows.with_columns(
        before=pl.Series(
            [before[month].used_before if month in before else None for month in compared], dtype=pl.Float64
        ),
        change_share=pl.Series(
            [before[month].change_share if month in before else None for month in compared], dtype=pl.Float64
        ).round(2),
    )
    listed = rows["month"]
    widgets.table(
        rows,
        columns,
        name="usage-by-month",
        on_pick=lambda place: days.open_tab(listed[place], "Month", key=TABS),
    )
    st.caption(days.PICK_A_MONTH if point.heat_map else days.PICK_A_MONTH_OF_READS)
    if point.months_on_year:
        st.caption("A year earlier: the same dates, where both years were metered. The weather is not taken out.")


def _meter(ctx: Context, point: ServicePointUsage) -> None:
    """Show the registers of the meter, and the equipment on record."""
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
        "total": widgets.number("Total"),
        "unit": widgets.words("Unit"),
        "direction": widgets.words("Direction"),
        "controlled_load": st.column_config.CheckboxColumn("Controlled load"),
        "days": widgets.count("Days"),
        "interval": widgets.words("Minutes per read"),
        "substituted": widgets.count("Estimated reads"),
        "missing": widgets.count("Missing reads"),
    }
    if point.energy_unit != "kWh":  # gas goes one way, from no power grid
        del columns["direction"], columns["controlled_load"]
    shown = pl.DataFrame([{name: row.get(name) for name in columns} for row in rows], infer_schema_length=None)
    widgets.table(in_words(shown), columns, name="registers")
    devices.show(ctx)
