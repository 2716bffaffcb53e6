"""Energy concessions that the home holds: chosen from the packaged list, or typed as on the bill."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from toolkit.answers.energy.bills import Fuel
from toolkit.answers.households import HomeConcession, Household, PackagedConcession, Shape
from toolkit.charts import style
from toolkit.flows.energy.concessions import (
    OPTION,
    TypedConcession,
    add_concession,
    concession_listed,
    concessions_here,
    remove_concession,
    wrong_fields,
)
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.wording import concession_terms
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, refused_below, show_refusals
from toolkit.pages.text import plain

FUELS: dict[Fuel, str] = {"ELECTRICITY": "Electricity", "GAS": "Gas"}
SHAPES: dict[Shape, str] = {
    "yearly": "A fixed amount a year, credited by days",
    "percent_above": "A percentage of usage and supply (after discounts and solar credits) above an amount a year",
    "percent_of_usage": "A percentage of usage",
}
DONE = "concession-done"


def render(ctx: Context) -> None:
    """Show the home's concessions, with forms to add and remove them; nothing where no household is stored."""
    household = next((home for home in homes(ctx).households if ctx.household in (None, home.id)), None)
    if household is None:
        return
    with st.expander("Concessions and rebates", expanded=bool(household.concessions) or DONE in st.session_state):
        st.write(
            "Government concessions count in bills, comparisons and forecasts once you add them here. Amounts are "
            "taken as the bill states them."
        )
        widgets.confirm(DONE)
        for concession in household.concessions:
            _listed(ctx, concession)
        shown = widgets.last_drawn(household, key=f"concessions-shown-{household.id}")
        how = st.segmented_control(
            "Add a concession", ["From the list", "As on the bill"], default="From the list", key="concession-how"
        )
        with explained():
            if how == "As on the bill":
                _typed(ctx, shown)
            else:
                _chosen(ctx, shown)


def _listed(ctx: Context, concession: HomeConcession) -> None:
    left, right = st.columns([4, 1])
    lapsed = concession.to is not None and concession.to < ctx.today
    left.write(plain(f"{concession.name}, {FUELS[concession.fuel].lower()}: {concession_terms(concession)}"))
    if lapsed:
        left.warning("This has ended. If it continues, add it again with its new figures and first day.")
    if right.button("Remove", key=f"concession-remove-{concession.id}"):
        remove_concession(ctx, concession.id)
        _finish(f"{concession.name} is removed.")


def _chosen(ctx: Context, shown: Household) -> None:
    """Offer the packaged concessions of the home's state, each with its source."""
    listed = {each.id: each for each in ask(concessions_here, ctx).concessions}
    chosen = st.selectbox(
        "Concession", list(listed), format_func=lambda each: _name(listed[each]), key="concession-listed"
    )
    about = listed[chosen]
    st.write(plain(f"{concession_terms(about)}. Who can get it: {about.who}."))
    page = " This is not a government page." if about.secondary else ""
    st.caption(plain(f"Source: {about.source}, read on {style.day(about.read)}.{page} Check the amount on your bill."))
    if about.lapsed:
        st.warning("These figures have ended, so later bills count nothing. Type the new figures as on the bill.")
    if st.button("Add this concession", key="concession-add-listed"):
        add_concession(ctx, concession_listed(chosen), shown=shown)
        _finish(f"{about.name} is added.")


def _name(concession: PackagedConcession) -> str:
    return f"{concession.name} ({concession.state}, {FUELS[concession.fuel].lower()})"


def _typed(ctx: Context, shown: Household) -> None:
    shape = st.radio("How it is worked out", get_args(Shape), format_func=SHAPES.__getitem__, key="concession-shape")
    with st.form("concession", border=False):
        left, right = st.columns(2)
        name = left.text_input("Name on the bill", placeholder="Energy rebate", key="concession-name")
        below = {"name": left.container()}
        fuel = right.radio("Fuel", list(FUELS), format_func=FUELS.__getitem__, horizontal=True)
        percent = amount = ""
        if shape != "yearly":
            percent = left.text_input("Percentage, %", placeholder="17.5", key="concession-percent")
            below["percent"] = left.container()
        if shape != "percent_of_usage":
            label = "Amount a year, $" if shape == "yearly" else "Above this amount a year, $"
            amount = right.text_input(label, placeholder="285", key="concession-amount")
            below[OPTION] = right.container()
        first = widgets.day_field(left, "First day (if known)", None, key="concession-first")
        last = widgets.day_field(right, "Last day (if known)", None, key="concession-last")
        below |= {"first": left.container(), "last": right.container()}
        if st.form_submit_button("Add this concession"):
            typed = TypedConcession(name, shape, amount, percent, fuel, first, last)
            wrong = wrong_fields(typed)
            show_refusals(wrong, below)
            if not wrong:
                with refused_below(below):
                    add_concession(ctx, typed, shown=shown)
                    _finish(f"{name} is added.")


def _finish(message: str) -> None:
    st.session_state[DONE] = plain(message)
    st.rerun()
