"""What files cannot tell about the home; asked once, kept with the household."""

from __future__ import annotations

from datetime import date
from typing import Any

import streamlit as st

from toolkit.flows.context import Context, open_home
from toolkit.flows.homes import homes, set_home
from toolkit.pages.answers import explained, holdings
from toolkit.pages.sources.files import ZONES


def render(ctx: Context) -> None:
    st.subheader("About the home")
    st.write(
        "Used for the sun, the time of day, and which plan a bill is worked out on. Leave out what you do not know."
    )
    known = _known(ctx)
    with st.form("home", border=True), st.container():
        facts = _fields(ctx, known)
        if st.form_submit_button("Keep"):
            with explained():
                set_home(ctx, **facts)
                st.toast("Kept.")
                st.rerun()


def _known(ctx: Context) -> dict[str, Any]:
    stored = homes(ctx)["households"]
    return next((home for home in stored if ctx.household in (None, home["id"])), {})


def _fields(ctx: Context, known: dict[str, Any]) -> dict[str, Any]:
    left, right = st.columns(2)
    panels = known.get("panels_kw")
    zones = ["", *ZONES]
    plans = ["", *_plans(ctx, known.get("plan_id"))]
    since = known.get("plan_since")
    facts = {
        "name": left.text_input("Name of the household", known.get("name") or "Home"),
        "postcode": right.text_input("Postcode", known.get("postcode") or "", max_chars=4, placeholder="2000"),
        "network": left.text_input(
            "Network", known.get("network") or "", help="Who owns the poles and wires, such as Ausgrid."
        ),
        "timezone": right.selectbox(
            "Time zone",
            zones,
            _place(zones, known.get("timezone")),
            format_func=lambda name: name or "As the postcode has it",
        ),
        "panels_kw": left.text_input(
            "Solar panels, kW",
            "" if panels is None else f"{panels:g}",
            placeholder="6.6",
            help="Their rated size. Leave empty without panels.",
        ),
        "customer_type": right.selectbox(
            "The plan is for",
            ["residential", "business"],
            _place(["residential", "business"], known.get("customer_type")),
            format_func={"residential": "a home", "business": "a business"}.__getitem__,
        ),
        "plan_id": left.selectbox(
            "Energy plan", plans, _place(plans, known.get("plan_id")), format_func=lambda name: name or "Not said"
        ),
        "plan_since": right.date_input("On this plan since", _day(since), format="DD/MM/YYYY"),
    }
    return {**facts, "plan_since": facts["plan_since"] or ""}


def _place(choices: list[str], chosen: str | None) -> int:
    return choices.index(chosen) if chosen in choices else 0


def _day(kept: date | str | None) -> date | None:
    return date.fromisoformat(kept) if isinstance(kept, str) else kept


def _plans(ctx: Context, known: str | None) -> list[str]:
    """Ids of the stored plans, and the one named before even if it is not stored."""
    names = {known} if known else set()
    if holdings(ctx).plans:
        with explained(), open_home(ctx) as (store, home):
            names |= {str(row["plan_id"]) for row in store.rows("plans", home["household_id"])}
    return sorted(names)
