"""Which days the Spending page shows, and what they are compared with; both are in the address."""

from __future__ import annotations

from datetime import timedelta

import streamlit as st

from toolkit.answers.money import Against, Spending
from toolkit.flows.household.context import Context
from toolkit.flows.money.years.periods import Unit, periods
from toolkit.pages import widgets
from toolkit.pages.answers import ask
from toolkit.pages.text import message, plain
from toolkit.pages.widgets import Period

SPANS = {"Last 30 days": 30, "Last 3 months": 91, "Last 12 months": 365, "Everything": None}
UNITS: dict[str, Unit] = {
    "A month": "month",
    "From pay to pay": "pay",
    "A quarter": "quarter",
    "A financial year": "financial-year",
}
DATES = "Choose dates"
NOTHING = "Nothing"
AGAINST: dict[str, Against | None] = {NOTHING: None, "The period before": "previous", "A year before": "last-year"}
LAST_START = 28


def choose_period(ctx: Context, stored: Period) -> Period:
    """Choose a span counted back from the newest day, a month, pay cycle, quarter, financial year, or any days."""
    names = [*SPANS, *UNITS, DATES]
    chosen = st.selectbox(
        "Period", names, index=names.index("Last 12 months"), key="period", width=180, bind="query-params"
    )
    if chosen == DATES:
        return widgets.dates(stored, key="dates")
    if chosen in UNITS:
        return _choose_unit(ctx, UNITS[chosen], stored)
    days = SPANS[chosen or "Last 12 months"]
    first = stored.first if days is None else max(stored.first, stored.last - timedelta(days=days - 1))
    period = Period(first, stored.last)
    st.caption(str(period), width="content")
    return period


def choose_against() -> Against | None:
    """Choose what the period is compared with."""
    chosen = st.selectbox("Compared with", list(AGAINST), key="against", width=180, bind="query-params")
    return AGAINST[chosen or NOTHING]


def say_what_is_compared(answer: Spending) -> None:
    """Say which days an answer is compared with, and what the comparison lacks."""
    sentences = [message(note) for note in answer.comparison_lacks]
    if (before := answer.before) and before.from_ and before.to:
        sentences.insert(0, f"Compared with {Period(before.from_, before.to)}.")
    if sentences:
        st.caption(plain(" ".join(sentences)))


def _choose_unit(ctx: Context, unit: Unit, stored: Period) -> Period:
    start = 1
    if unit == "month":
        start = int(
            st.number_input("Months begin on day", 1, LAST_START, 1, key="month-start", width=150, bind="query-params")
        )
    listed = ask(periods, ctx, unit, start=start)
    if not listed:
        st.info("No regular pay was found, so months are shown.")
        listed = ask(periods, ctx, "month")
    place = st.selectbox(
        "Which one",
        range(len(listed)),
        format_func=lambda number: str(Period(listed[number].first, listed[number].last)),
        key=f"which-{unit}",
        width=260,
    )
    chosen = listed[place or 0]
    return Period(chosen.first, chosen.last) if listed else stored
