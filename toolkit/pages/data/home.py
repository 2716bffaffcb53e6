"""A form for the facts about the home that no file contains, stored with the household."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from toolkit.answers.households import Household
from toolkit.flows.household.context import Context
from toolkit.flows.household.facts import in_words
from toolkit.flows.household.listed import homes
from toolkit.flows.household.settings import set_home_by_field
from toolkit.pages.answers import explained
from toolkit.pages.data.files import ZONES
from toolkit.pages.text import sentence

Facts = dict[str, str | date]
"""Facts about a home by the names of their fields; an empty text deletes one."""

REFUSED, SHOWN, SAVING = "home-refused", "home-shown", "home-saving"
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
        "Used to estimate sunshine, set the time of day, and find the plans at your address. Skip anything you "
        "don't know."
    )
    known = _shown(next((home for home in homes(ctx).households if ctx.household in (None, home.id)), None))
    # Of the last attempt to save: fact → reason. What was refused stays in its field, to be corrected.
    saved: dict[str, str] | None = st.session_state.pop(REFUSED, None)
    refused = saved or {}
    with st.form("home", border=True):
        place = _place_fields(known or NEW, refused)
        power = _power_fields(known or NEW, refused)
        embedded, people = _other_fields(known or NEW, refused)
        is_saved = st.form_submit_button("Save", on_click=_note_saving)
        if saved is not None:
            st.success("Everything else is saved." if refused else "Saved.")
    if is_saved:
        name, facts = str(place.pop("name")), {**place, **power}
        persons = ["", *people.split(";")]  # an empty name first: these replace the stored ones
        with explained():
            st.session_state[REFUSED] = set_home_by_field(
                ctx, shown=known, name=name, persons=persons, embedded_network=embedded, **facts
            )
            st.rerun()


def _note_saving() -> None:
    """Note, before the page runs again, that its form was sent."""
    st.session_state[SAVING] = True


def _shown(stored: Household | None) -> Household | None:
    """Return the home as the form shows it: what is sent is compared with that, whatever was stored since."""
    is_sent = st.session_state.pop(SAVING, False) and SHOWN in st.session_state
    shown: Household | None = st.session_state[SHOWN] if is_sent else stored
    st.session_state[SHOWN] = shown
    return shown


def _place_fields(known: Household, refused: Mapping[str, str]) -> Facts:
    """Ask for the household's name, and where the home is."""
    left, right = st.columns(2)
    zones = ["", *ZONES]
    name = left.text_input("Name of the household", known.name)
    _why_not(left, refused, "name")
    postcode = right.text_input("Postcode", known.postcode or "", max_chars=4, placeholder="2000")
    _why_not(right, refused, "postcode")
    network = left.text_input(
        "Electricity distributor (as on the bill)",
        known.network or "",
        help="The company that owns the poles and wires, such as Ausgrid.",
    )
    _why_not(left, refused, "network")
    zone = right.selectbox(
        "Time zone",
        zones,
        _index(zones, known.timezone),
        format_func=lambda name: name or "From the postcode",
        key="home-zone",
    )
    _why_not(right, refused, "timezone")
    return {"name": name, "postcode": postcode, "network": network, "timezone": zone}


def _power_fields(known: Household, refused: Mapping[str, str]) -> Facts:
    """Ask for the panels, the kind of customer, and how often bills come."""
    left, right = st.columns(2)
    panels = left.text_input(
        "Solar panels, kW",
        "" if known.panels_kw is None else f"{known.panels_kw:g}",
        placeholder="6.6",
        help="Their rated size. Leave empty without panels.",
    )
    _why_not(left, refused, "panels_kw")
    customer = right.selectbox(
        "The plan is for",
        list(CUSTOMERS),
        _index(list(CUSTOMERS), known.customer_type),
        format_func=CUSTOMERS.__getitem__,
    )
    _why_not(right, refused, "customer_type")
    billing = left.selectbox(
        "Energy bills come",
        list(BILLS),
        _index(list(BILLS), known.billing),
        format_func=BILLS.__getitem__,
        help="Used when no bills are stored.",
    )
    _why_not(left, refused, "billing")
    return {
        "panels_kw": panels or "",
        "customer_type": customer or "",
        "billing": billing or "",
        **_device_fields(known, refused),
    }


def _device_fields(known: Household, refused: Mapping[str, str]) -> Facts:
    """Ask for the orientation of the panels, the inverter and the battery."""
    arrays = st.text_input(
        "Panels by direction",
        "; ".join(map(in_words, known.arrays)),
        placeholder="4.4 kW north 20°; 2.2 kW west 20°",
        help="For each group of panels its size, direction and tilt; a semicolon between groups.",
    )
    _why_not(st.container(), refused, "arrays")
    sizes = {
        "inverter_kw": ("Inverter, kW", "5", "Its rated output."),
        "battery_kwh": ("Battery, kWh", "0", "0: none."),
    }
    answers: Facts = {"arrays": arrays or ""}
    for column, (fact, (label, example, about)) in zip(st.columns(2), sizes.items(), strict=True):
        stored = getattr(known, fact)
        text = "" if stored is None else f"{stored:g}"
        answers[fact] = column.text_input(label, text, placeholder=example, help=about) or ""
        _why_not(column, refused, fact)
    return answers


def _other_fields(known: Household, refused: Mapping[str, str]) -> tuple[bool, str]:
    """Ask whether the home is in an embedded network, and for the names of its people, separated by semicolons."""
    embedded = st.checkbox(
        "My building sells me my power (embedded network)",
        bool(known.embedded_network),
        key="home-embedded",
        help="Then most plans of other retailers are not available here.",
    )
    _why_not(st.container(), refused, "embedded_network")
    people = st.text_input(
        "People in the household",
        "; ".join(known.persons),
        placeholder="Kim Nguyen; Lee Tran",
        help="Names as your banks write them, separated by semicolons. Transfers in these names count as your own.",
    )
    _why_not(st.container(), refused, "persons")
    return embedded, people


def _why_not(column: DeltaGenerator, refused: Mapping[str, str], fact: str) -> None:
    """Show below a field why what was typed is refused."""
    if fact in refused:
        column.warning(sentence(refused[fact]))


def _index(choices: list[str], chosen: str | None) -> int:
    return choices.index(chosen) if chosen in choices else 0
