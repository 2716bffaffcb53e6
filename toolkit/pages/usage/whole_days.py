"""The reads of a meter that gives only how much was used between two days, as most of gas does, or the bills."""

from __future__ import annotations

import streamlit as st

from toolkit.answers.energy.usage import ServicePointUsage
from toolkit.charts import style
from toolkit.charts import usage as charts
from toolkit.flows.energy.usage import reads_of_periods
from toolkit.flows.household.context import Context
from toolkit.pages import widgets
from toolkit.pages.answers import ask
from toolkit.pages.energy import meters
from toolkit.pages.text import sentence
from toolkit.pages.widgets import Period

ALL_READS = "Show all reads"
READS_OF = "reads-of"
"""Keeps the days whose reads are listed; all are where it is not set."""


def show(ctx: Context, point: ServicePointUsage, stored: Period) -> None:
    """Draw gas by day, and list the reads: those of the day or month that was picked, or all."""
    _gas_by_day(point)
    picked: Period | None = st.session_state.get(READS_OF)
    if picked is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**Reads of {style.day(picked.first) if picked.days == 1 else picked}**")
            st.button(ALL_READS, key="all-reads", type="tertiary", on_click=list_all)
    listed = picked or stored
    reads = ask(reads_of_periods, ctx, first=listed.first, last=listed.last)
    if reads.is_empty():
        st.caption("There are no reads of these days.")
        return
    with st.expander("The reads", expanded=picked is not None):
        st.caption("A day or longer each: how much was used within a day is not known.")
        columns = {
            "from": widgets.day("From"),
            "to": widgets.day("To"),
            "direction": widgets.words("Direction"),
            "energy": widgets.number(point.energy_unit, "%,.1f"),
            "quality": widgets.words("Quality"),
            "register_suffix": widgets.words("Register"),
        }
        if point.energy_unit != "kWh":  # as in the table of registers
            del columns["direction"]
        widgets.table(meters.in_words(reads), columns, name="reads-of-periods")


def _gas_by_day(point: ServicePointUsage) -> None:
    """Draw gas by day; nothing where bills alone say what was used, as all days of a bill are alike."""
    if point.energy_unit != "MJ" or len(point.by_day) < 2 or meters.is_from_bills(point):
        return
    widgets.chart(charts.by_day(point.by_day.frame(), look=widgets.look()), key="gas-by-day", on_pick=_list_picked)
    spread = [sentence(note) for note in point.notes if note.code == "read_spread"]
    st.caption(" ".join([*spread, "Select a day to see its reads."]))


def _list_picked(chart: str) -> None:
    if day := widgets.picked_day(chart):
        list_only(Period(day, day))


def list_only(days: Period) -> None:
    """List the reads of these days when the page is drawn next."""
    st.session_state[READS_OF] = days


def list_all() -> None:
    """List all reads when the page is drawn next."""
    st.session_state.pop(READS_OF, None)
