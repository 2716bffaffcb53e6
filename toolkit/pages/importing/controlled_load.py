"""The question whether a meter channel is controlled load, and what was answered."""

from __future__ import annotations

import streamlit as st

from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.imports.controlled_load import LoadChannel, load_channels, set_controlled_load
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, holdings
from toolkit.pages.text import plain
from toolkit.pages.widgets import Period

ANSWERED = "controlled-load-answered"
YES, NO = "Yes, it is controlled load", "No, it is general use"
ON_A_BILL = (
    "A bill calls it controlled load, hot water, off-peak or tariff 31 or 33, with a price of its own. Bills, plans "
    "and savings depend on it."
)


def ask_about_channels(ctx: Context) -> None:
    """Ask of each channel that may be controlled load whether it is, until that is answered."""
    if not holdings(ctx).reads:
        return
    _confirm()
    for channel in ask(load_channels, ctx):
        if channel.is_controlled_load is None:
            with st.container(border=True):
                st.markdown(plain(_question(channel)))
                st.markdown(plain(f"{_evidence(channel)} {ON_A_BILL}"))
                with st.container(horizontal=True):
                    likely = channel.billed is not None and channel.billed.agrees
                    _answer(ctx, channel, YES, is_controlled_load=True, is_likely=likely)
                    _answer(ctx, channel, NO, is_controlled_load=False)


def show_answers(ctx: Context) -> None:
    """Say what was answered of each channel, with a button to change it."""
    if not holdings(ctx).reads:
        return
    _confirm()
    for channel in ask(load_channels, ctx):
        if channel.is_controlled_load is not None:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(plain(_said(channel, is_controlled_load=channel.is_controlled_load)), width="content")
                other = not channel.is_controlled_load
                _answer(
                    ctx, channel, "It is controlled load" if other else "It is general use", is_controlled_load=other
                )


def _confirm() -> None:
    if done := st.session_state.pop(ANSWERED, None):
        widgets.say_done(plain(done))


def _question(channel: LoadChannel) -> str:
    return (
        f"Is channel {channel.register} of meter {channel.service_point_id} your off-peak hot water, slab heating or "
        "pool pump (controlled load)?"
    )


def _evidence(channel: LoadChannel) -> str:
    if (billed := channel.billed) is not None:
        days = Period(billed.first, billed.last)
        stated, measured = (style.kwh(float(each), "kWh") for each in (billed.stated, billed.measured))
        likely = "so it very likely is." if billed.agrees else "so it may be something else."
        return f"Your bill for {days} has {stated} of controlled load, and the channel measured {measured}, {likely}"
    if channel.a_day is not None:
        return f"It measured {style.kwh(float(channel.a_day), 'kWh')} a day."
    return ""


def _answer(
    ctx: Context, channel: LoadChannel, label: str, *, is_controlled_load: bool, is_likely: bool = False
) -> None:
    key = f"load-{is_controlled_load}-{channel.service_point_id}-{channel.meter_id}-{channel.register}"
    if st.button(label, key=key, type="primary" if is_likely else "secondary"):
        with explained():
            set_controlled_load(ctx, channel, is_controlled_load=is_controlled_load)
            st.session_state[ANSWERED] = _said(channel, is_controlled_load=is_controlled_load)
            st.rerun()


def _said(channel: LoadChannel, *, is_controlled_load: bool) -> str:
    what = "controlled load" if is_controlled_load else "general use"
    return f"Channel {channel.register} of meter {channel.service_point_id} counts as {what}."
