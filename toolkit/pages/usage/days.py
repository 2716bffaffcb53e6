"""One day, week or month, read by read."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta

import polars as pl
import streamlit as st

from toolkit.answers.base import percent
from toolkit.answers.energy.usage import ServicePointUsage
from toolkit.charts import style
from toolkit.charts import usage as charts
from toolkit.flows.energy.usage import UsageDetail, usage_detail
from toolkit.flows.household.context import Context
from toolkit.pages import widgets
from toolkit.pages.answers import ask
from toolkit.pages.energy import meters
from toolkit.pages.usage import whole_days
from toolkit.pages.widgets import Period
from toolkit.units import DAY_MINUTES

SPANS = ("Day", "Week", "Month")
TAB = "Day by day"
PICK_A_MONTH = "Select a month, in the chart or the table, to see its half-hours and reads."
PICK_A_MONTH_OF_READS = "Select a month, in the chart or the table, to see its reads."
PICK_A_DAY = f"Select a day to see its half-hours and reads, or choose its date under {TAB}."
WAY_TO_READS = "The half-hours and reads behind these figures →"
DAY, SPAN = "shown-day", "shown-span"


def show(ctx: Context, point: ServicePointUsage, stored: Period) -> None:
    """Show one day, week or month of the stored ones, to page through, and its reads."""
    if not point.heat_map:
        whole_days.show(ctx, point, stored)
        return
    whole_days.list_all()  # what was picked was of another meter
    span, first = _chosen(point, stored)
    last = min(_after(first, span) - timedelta(1), stored.last)
    detail = ask(usage_detail, ctx, first=first, last=last)
    shown = detail.half_hours
    if shown.is_empty():
        st.caption(f"There are no reads within {Period(first, last)}.")
        return
    figure = charts.half_hours(shown, look=widgets.look())
    widgets.chart(figure, key="half-hours", on_pick=None if span == "Day" else _open_picked_day)
    by_month = _by_meter_days(point, first, float(shown["import_kwh"].sum())) if span == "Month" else ""
    st.caption(_summary(detail) + by_month)
    with st.expander("The reads"):
        columns = {
            "time": widgets.timestamp("Starts", "HH:mm" if span == "Day" else "D MMM, HH:mm"),
            "direction": widgets.words("Direction"),
            "kwh": widgets.number("kWh", "%,.3f"),
            "quality": widgets.words("Quality"),
            "register_suffix": widgets.words("Register"),
        }
        widgets.table(_listed(detail.reads), columns, name=f"reads-{first}")


def _open_picked_day(chart: str) -> None:
    if day := widgets.picked_day(chart):
        _open_day(day)


def _open_day(day: date) -> None:
    st.session_state[DAY], st.session_state[SPAN] = day, "Day"


def _listed(reads: pl.DataFrame) -> pl.DataFrame:
    """Return reads as the table words them; what an inverter gives by day starts at no time of it."""
    of_day = pl.col("interval_minutes") == DAY_MINUTES
    return meters.in_words(reads).with_columns(
        direction=pl.when(of_day).then(pl.col("direction") + ", whole day").otherwise("direction")
    )


def with_way_to_reads(draw: Callable[[], None], *, key: str) -> Callable[[], None]:
    """Return what draws a tab with a button below that opens the tab of days and reads. key: of the tabs."""

    def drawn() -> None:
        draw()
        st.button(WAY_TO_READS, key=f"made-of-{key}-reads", type="tertiary", on_click=_open, args=(key,))

    return drawn


def _open(key: str) -> None:
    widgets.open_tab(TAB, key=key)


def open_picked(span: str, *, key: str) -> Callable[[str], None]:
    """Return what opens the tab with the day or month that a person picks in a chart. key: of the tabs."""

    def open_it(chart: str) -> None:
        if day := widgets.picked_day(chart):
            open_tab(day, span, key=key)

    return open_it


def open_tab(first: date, span: str, *, key: str) -> None:
    """Open the tab with the day or month that begins on a day when the page is drawn next. key: of the tabs."""
    st.session_state[DAY], st.session_state[SPAN] = first, span
    whole_days.list_only(Period(first, _after(first, span) - timedelta(1)))
    widgets.open_tab(TAB, key=key)


def _after(first: date, span: str) -> date:
    """Return the day after a day, week or month that begins on `first`; a month ends with the calendar's."""
    if span == "Month":
        return first.replace(day=monthrange(first.year, first.month)[1]) + timedelta(1)
    return first + timedelta(1 if span == "Day" else 7)


def _before(first: date, span: str) -> date:
    return (
        (first.replace(day=1) - timedelta(1)).replace(day=1)
        if span == "Month"
        else first - (_after(first, span) - first)
    )


def _chosen(point: ServicePointUsage, stored: Period) -> tuple[str, date]:
    """Return the span and first day that are chosen; by default the week that ends with the last day."""
    start = st.session_state.get(DAY, stored.last - timedelta(6))
    st.session_state[DAY] = min(max(start, stored.first), stored.last)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.session_state.setdefault(SPAN, "Week")
        span = st.segmented_control("Show", SPANS, required=True, key=SPAN, label_visibility="collapsed") or "Week"
        st.date_input(
            "First day",
            min_value=stored.first,
            max_value=stored.last,
            format="DD/MM/YYYY",
            key=DAY,
            width=160,
            label_visibility="collapsed",
        )
        st.button("Earlier", on_click=_move, args=(_before, stored), key="earlier")
        st.button("Later", on_click=_move, args=(_after, stored), key="later")
        if point.peak:
            peak = point.peak.at.date()
            st.button("Day of the highest half-hour", on_click=_open_day, args=(peak,), key="open-peak")
    first = st.session_state[DAY]
    return span, max(first.replace(day=1), stored.first) if span == "Month" else first


def _move(to: Callable[[date, str], date], stored: Period) -> None:
    day = to(st.session_state[DAY], st.session_state[SPAN])
    st.session_state[DAY] = min(max(day, stored.first), stored.last)


def _by_meter_days(point: ServicePointUsage, first: date, kwh: float) -> str:
    """Say what the table of months counts for the month that begins on `first`, where it is not `kwh` of local days."""
    if (
        point.from_ is None
        or point.to is None
        or not point.from_ <= first < _after(first, "Month") <= point.to + timedelta(1)
    ):
        return ""
    counted = next((row.import_kwh for row in point.by_month if row.month == f"{first:%Y-%m}"), None)
    if counted is None or style.kwh(counted) == style.kwh(kwh):
        return ""
    return (
        f" By meter days, as in the table of months, {style.kwh(counted)} came from the grid: those days begin at "
        "midnight AEST all year."
    )


def _summary(detail: UsageDetail) -> str:
    """Word the totals of the days, how much of them is metered, and the estimated half hours."""
    shown = detail.half_hours
    words = []
    for column, label in (("import_kwh", "From the grid"), ("export_kwh", "exported")):
        if shown[column].null_count() < shown.height:
            words.append(f"{label} {style.kwh(float(shown[column].sum()))}")
    if detail.generated_kwh is not None:
        words.append(f"generated {style.kwh(detail.generated_kwh)}")
    known = shown.filter(pl.col("import_kwh").is_not_null())
    substituted = int(known["substituted"].sum())
    estimated = f", {percent(substituted / known.height, 1)} of them estimated" if substituted else ""
    return f"{', '.join(words)}. {percent(known.height / shown.height, 1)} of the half-hours are metered{estimated}."
