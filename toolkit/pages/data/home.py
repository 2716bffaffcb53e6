"""A form for the facts about the home that no file contains, stored with the household."""

from __future__ import annotations

import streamlit as st

from toolkit.answers.households import Household
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import plan_choices
from toolkit.flows.household.homes import homes
from toolkit.flows.household.settings import set_home_by_field
from toolkit.pages.answers import explained
from toolkit.pages.data.files import ZONES
from toolkit.pages.text import sentence

REFUSED = "home-refused"
CUSTOMERS = {"residential": "a home", "business": "a business"}
BILLS = {"": "Not set", "monthly": "Every month", "two-monthly": "Every two months", "quarterly": "Every three months"}

NEW = Household(
    id="",
    name="Home",
    postcode=None,
    state=None,
    network=None,
    timezone=None,
    customer_type=None,
    panels_kw=None,
    plan_id=None,
    plan_since=None,
    billing=None,
    embedded_network=None,
    persons=(),
)
"""What the form shows where no household is stored yet."""


def render(ctx: Context) -> None:
    """Show the form for facts about the home; store what was entered."""
    st.subheader("About the home")
    st.write(
        "Used to estimate sunshine, set the time of day, and choose the plan that prices your bills. Skip anything you "
        "don't know."
    )
    known = next((home for home in homes(ctx).households if ctx.household in (None, home.id)), None)
    plans = plan_choices(ctx, known.plan_id) if known else {}
    with st.form("home", border=True):
        name, place = _place_fields(known or NEW)
        power = _power_fields(known or NEW, plans)
        people = st.text_input(
            "People in the household",
            "; ".join((known or NEW).persons),
            placeholder="Kim Nguyen; Lee Tran",
            help="Names as your banks write them, separated by semicolons. Transfers in these names count as your own.",
        )
        is_saved = st.form_submit_button("Save")
    if is_saved:
        persons = ["", *people.split(";")]  # an empty name first: these replace the stored ones
        with explained():
            st.session_state[REFUSED] = set_home_by_field(ctx, name=name, persons=persons, **place, **power)
            st.rerun()
    reasons: dict[str, str] = st.session_state.pop(REFUSED, {})
    for reason in reasons.values():  # what was refused stays in its field, to be corrected
        st.warning(sentence(reason))
    if reasons:
        st.caption("Everything else is saved.")


def _place_fields(known: Household) -> tuple[str, dict[str, object]]:
    """Return the household's name, and the facts about its place."""
    left, right = st.columns(2)
    zones = ["", *ZONES]
    name = left.text_input("Name of the household", known.name)
    return name, {
        "postcode": right.text_input("Postcode", known.postcode or "", max_chars=4, placeholder="2000"),
        "network": left.text_input(
            "Electricity distributor (as on the bill)",
            known.network or "",
            help="The company that owns the poles and wires, such as Ausgrid.",
        ),
        "timezone": right.selectbox(
            "Time zone",
            zones,
            _index(zones, known.timezone),
            format_func=lambda name: name or "From the postcode",
            key="home-zone",
        ),
    }


def _power_fields(known: Household, plans: dict[str, str]) -> dict[str, object]:
    left, right = st.columns(2)
    shown = {"": "Not set", **plans}
    facts = {
        "panels_kw": left.text_input(
            "Solar panels, kW",
            "" if known.panels_kw is None else f"{known.panels_kw:g}",
            placeholder="6.6",
            help="Their rated size. Leave empty without panels.",
        ),
        "customer_type": right.selectbox(
            "The plan is for",
            list(CUSTOMERS),
            _index(list(CUSTOMERS), known.customer_type),
            format_func=CUSTOMERS.__getitem__,
        ),
        "plan_id": left.selectbox(
            "Energy plan",
            list(shown),
            _index(list(shown), known.plan_id),
            format_func=lambda plan: shown.get(plan, plan),
            accept_new_options=True,
            help="Choose one of the stored plans, or type the plan ID from its fact sheet.",
        ),
        "plan_since": right.date_input("On this plan since", known.plan_since, format="DD/MM/YYYY"),
        "billing": left.selectbox(
            "Energy bills come",
            list(BILLS),
            _index(list(BILLS), known.billing),
            format_func=BILLS.__getitem__,
            help="Used when no bills are stored.",
        ),
    }
    embedded = st.checkbox(
        "My building sells me my power (embedded network)",
        bool(known.embedded_network),
        key="home-embedded",
        help="Then most plans of other retailers are not available here.",
    )
    return {**{name: value or "" for name, value in facts.items()}, "embedded_network": embedded}


def _index(choices: list[str], chosen: str | None) -> int:
    return choices.index(chosen) if chosen in choices else 0
