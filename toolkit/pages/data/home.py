"""What files cannot tell about the home; asked once, kept with the household."""

from __future__ import annotations

from datetime import date
from typing import Any

import streamlit as st

from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.homes import homes
from toolkit.flows.household.settings import set_home_by_field
from toolkit.pages.answers import explained
from toolkit.pages.data.files import ZONES
from toolkit.pages.text import sentence

MOST_TO_CHOOSE_FROM = 500
REFUSED = "home-refused"
CUSTOMERS = {"residential": "a home", "business": "a business"}
BILLS = {"": "Not set", "monthly": "Every month", "two-monthly": "Every two months", "quarterly": "Every three months"}


def render(ctx: Context) -> None:
    st.subheader("About the home")
    st.write(
        "Used to estimate sunshine, set the time of day, and choose the plan that prices your bills. Skip anything you "
        "don't know."
    )
    stored = homes(ctx)["households"]
    known: dict[str, Any] = next((home for home in stored if ctx.household in (None, home["id"])), {})
    plans = _plans(ctx, known) if known else {}
    with st.form("home", border=True):
        facts = {**_place_fields(known), **_power_fields(known, plans), **_people_field(known)}
        kept = st.form_submit_button("Save")
    if kept:
        with explained():
            st.session_state[REFUSED] = set_home_by_field(ctx, **facts)
            st.rerun()
    _refused(st.session_state.pop(REFUSED, {}))


def _refused(reasons: dict[str, str]) -> None:
    """Why some of what was typed is not kept; it stays in its field, to be corrected."""
    for reason in reasons.values():
        st.warning(sentence(reason))
    if reasons:
        st.caption("Everything else is saved.")


def _place_fields(known: dict[str, Any]) -> dict[str, Any]:
    left, right = st.columns(2)
    zones = ["", *ZONES]
    return {
        "name": left.text_input("Name of the household", known.get("name") or "Home"),
        "postcode": right.text_input("Postcode", known.get("postcode") or "", max_chars=4, placeholder="2000"),
        "network": left.text_input(
            "Electricity distributor (as on the bill)",
            known.get("network") or "",
            help="The company that owns the poles and wires, such as Ausgrid.",
        ),
        "timezone": right.selectbox(
            "Time zone",
            zones,
            _index(zones, known.get("timezone")),
            format_func=lambda name: name or "From the postcode",
            key="home-zone",
        ),
    }


def _power_fields(known: dict[str, Any], plans: dict[str, str]) -> dict[str, Any]:
    left, right = st.columns(2)
    panels, since = known.get("panels_kw"), known.get("plan_since")
    shown = {"": "Not set", **plans}
    facts = {
        "panels_kw": left.text_input(
            "Solar panels, kW",
            "" if panels is None else f"{panels:g}",
            placeholder="6.6",
            help="Their rated size. Leave empty without panels.",
        ),
        "customer_type": right.selectbox(
            "The plan is for",
            list(CUSTOMERS),
            _index(list(CUSTOMERS), known.get("customer_type")),
            format_func=CUSTOMERS.__getitem__,
        ),
        "plan_id": left.selectbox(
            "Energy plan",
            list(shown),
            _index(list(shown), known.get("plan_id")),
            format_func=lambda plan: shown.get(plan, plan),
            accept_new_options=True,
            help="Choose one of the stored plans, or type the plan ID from its fact sheet.",
        ),
        "plan_since": right.date_input("On this plan since", _day(since), format="DD/MM/YYYY"),
        "billing": left.selectbox(
            "Energy bills come",
            list(BILLS),
            _index(list(BILLS), known.get("billing")),
            format_func=BILLS.__getitem__,
            help="Used when no bills are stored.",
        ),
    }
    embedded = st.checkbox(
        "My building sells me my power (embedded network)",
        bool(known.get("embedded_network")),
        key="home-embedded",
        help="Then most plans of other retailers are not available here.",
    )
    return {**{name: value or "" for name, value in facts.items()}, "embedded_network": embedded}


def _people_field(known: dict[str, Any]) -> dict[str, Any]:
    typed = st.text_input(
        "People in the household",
        "; ".join(known.get("persons", [])),
        placeholder="Kim Nguyen; Lee Tran",
        help="Names as your banks write them, separated by semicolons. Transfers in these names count as your own.",
    )
    return {"persons": ["", *typed.split(";")]}


def _index(choices: list[str], chosen: str | None) -> int:
    return choices.index(chosen) if chosen in choices else 0


def _day(kept: date | str | None) -> date | None:
    return date.fromisoformat(kept) if isinstance(kept, str) else kept


def _plans(ctx: Context, known: dict[str, Any]) -> dict[str, str]:
    """Plan id → what to show: the household's plans, the public ones where these are few, and the one named before."""
    shown = {known["plan_id"]: known["plan_id"]} if known["plan_id"] else {}
    with open_home(ctx) as (store, home):
        public = [""] if store.count("plans") <= MOST_TO_CHOOSE_FROM else []
        owners = {"household_id": [*public, home.household_id]}
        plans = store.read("plans", where=owners, columns=["plan_id", "name"])
    shown |= {plan: f"{name} ({plan})" if name else plan for plan, name in plans.iter_rows()}
    return dict(sorted(shown.items(), key=lambda plan: plan[1].lower()))
