"""A form for the facts about the home that no file contains, stored with the household."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from toolkit.answers.households import Household
from toolkit.flows.energy.usage import used_lately
from toolkit.flows.household.context import UNNAMED, Context
from toolkit.flows.household.facts import in_words
from toolkit.flows.household.listed import homes
from toolkit.flows.household.settings import set_home_by_field
from toolkit.flows.invoices.edit import list_invoices
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, holdings
from toolkit.pages.importing.controlled_load import show_answers
from toolkit.pages.importing.upload import ZONES
from toolkit.pages.text import sentence

MORE = "More about the home: distributor, panels, battery, time zone, name (optional)"
REFUSED, SHOWN, SAVING = "home-refused", "home-shown", "home-saving"
CUSTOMERS = {"residential": "a home", "business": "a business"}
BILLS = {"": "Not set", "monthly": "Every month", "two-monthly": "Every two months", "quarterly": "Every three months"}

NEW = Household(
    id="",
    name=UNNAMED,
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
    st.write("Start with the postcode. Skip anything you don't know.")
    known = _shown(next((home for home in homes(ctx).households if ctx.household in (None, home.id)), None))
    # Of the last attempt to save: fact → reason, and whether another fact was changed. What was refused stays in its
    # field, to be corrected.
    attempt: tuple[dict[str, str], bool] | None = st.session_state.pop(REFUSED, None)
    refused, is_changed = attempt or ({}, False)
    asked = _asked(ctx)
    others = [name for name in FIELDS if name not in asked]
    with st.form("home", border=True):
        entered = _fields(asked, known or NEW, refused)
        with st.expander(MORE, expanded=not refused.keys().isdisjoint(others)):
            entered |= _fields(others, known or NEW, refused)
        is_saved = st.form_submit_button("Save", on_click=_note_saving)
        if attempt is not None and (is_changed or not refused):
            widgets.say_done("Everything else is saved." if refused else "Saved.")
    with explained():
        show_answers(ctx)
    if is_saved:
        name, people, embedded = (entered.pop(fact) for fact in ("name", "persons", "embedded_network"))
        persons = ["", *str(people).split(";")]  # an empty name first: these replace the stored ones
        with explained():
            before = homes(ctx)
            wrong = set_home_by_field(
                ctx, shown=known, name=str(name), persons=persons, embedded_network=bool(embedded), **entered
            )
            st.session_state[REFUSED] = (wrong, homes(ctx) != before)
            st.rerun()


def _asked(ctx: Context) -> list[str]:
    """Return the facts that answers rest on for which data is stored, the postcode first."""
    stored = holdings(ctx)
    lately = ask(used_lately, ctx) if stored.meter else ()
    has_export = any(meter.now.export_kwh is not None for meter in lately)  # also none of it, as a battery may leave
    is_metered = any(not meter.is_from_bills for meter in lately)
    return [
        "postcode",
        *(["persons"] if stored.transactions else []),
        *(["panels_kw", "battery_kwh"] if has_export else []),
        *(["billing"] if is_metered and not ask(list_invoices, ctx).invoices else []),
    ]


def _note_saving() -> None:
    """Note, before the page runs again, that its form was sent."""
    st.session_state[SAVING] = True


def _shown(stored: Household | None) -> Household | None:
    """Return the home as the form shows it: what is sent is compared with that, whatever was stored since."""
    is_sent = st.session_state.pop(SAVING, False) and SHOWN in st.session_state
    shown: Household | None = st.session_state[SHOWN] if is_sent else stored
    st.session_state[SHOWN] = shown
    return shown


def _fields(names: Sequence[str], known: Household, refused: Mapping[str, str]) -> dict[str, Any]:
    """Show fields side by side; return what is entered, by fact."""
    entered = {}
    for first in range(0, len(names), 2):
        for name, column in zip(names[first : first + 2], st.columns(2), strict=False):
            with column:
                entered[name] = FIELDS[name](known)
                _why_not(column, refused, name)
    return entered


def _size(label: str, fact: str, example: str, about: str) -> Callable[[Household], str]:
    def field(known: Household) -> str:
        stored = getattr(known, fact)
        return st.text_input(label, "" if stored is None else f"{stored:g}", placeholder=example, help=about)

    return field


def _postcode(known: Household) -> str:
    return st.text_input(
        "Postcode",
        known.postcode or "",
        max_chars=4,
        placeholder="2000",
        help="To find the plans at your address, and for sunshine and time of day.",
    )


def _people(known: Household) -> str:
    return st.text_input(
        "People in the household",
        "; ".join(known.persons),
        placeholder="Kim Nguyen; Lee Tran",
        help="Names as your banks write them, separated by semicolons. Transfers in these names count as your own.",
    )


def _billing(known: Household) -> str:
    return st.selectbox(
        "Energy bills come",
        list(BILLS),
        _index(list(BILLS), known.billing),
        format_func=BILLS.__getitem__,
        help="Used to forecast your next bill until bills are stored.",
    )


def _name(known: Household) -> str:
    return st.text_input("Name of the household", known.name)


def _network(known: Household) -> str:
    return st.text_input(
        "Electricity distributor (as on the bill)",
        known.network or "",
        help="The company that owns the poles and wires, such as Ausgrid.",
    )


def _time_zone(known: Household) -> str:
    zones = list(dict.fromkeys(["", *ZONES, known.timezone or ""]))
    return st.selectbox(
        "Time zone",
        zones,
        _index(zones, known.timezone),
        format_func=lambda name: ZONES.get(name, name or "From the postcode"),
        key="home-zone",
    )


def _customer(known: Household) -> str:
    kinds = list(CUSTOMERS)
    return st.selectbox("The plan is for", kinds, _index(kinds, known.customer_type), format_func=CUSTOMERS.__getitem__)


def _arrays(known: Household) -> str:
    return st.text_input(
        "Panels by direction",
        "; ".join(map(in_words, known.arrays)),
        placeholder="4.4 kW north 20°; 2.2 kW west 20°",
        help="For each group of panels its size, direction and tilt; a semicolon between groups.",
    )


def _embedded(known: Household) -> bool:
    return st.checkbox(
        "My building sells me my power (embedded network)",
        bool(known.embedded_network),
        key="home-embedded",
        help="Then most plans of other retailers are not available here.",
    )


FIELDS: Mapping[str, Callable[[Household], str | bool]] = {
    "postcode": _postcode,
    "persons": _people,
    "panels_kw": _size("Solar panels, kW", "panels_kw", "6.6", "Their rated size. Leave empty without panels."),
    "battery_kwh": _size("Battery, kWh", "battery_kwh", "10", "Its usable size; 0 if there is none."),
    "billing": _billing,
    "network": _network,
    "timezone": _time_zone,
    "customer_type": _customer,
    "arrays": _arrays,
    "inverter_kw": _size("Inverter, kW", "inverter_kw", "5", "Its rated output."),
    "name": _name,
    "embedded_network": _embedded,
}
"""Fact → what shows its field with what is stored, and returns what is entered."""


def _why_not(column: DeltaGenerator, refused: Mapping[str, str], fact: str) -> None:
    """Show below a field why what was typed is refused."""
    if fact in refused:
        column.warning(sentence(refused[fact]))


def _index(choices: list[str], chosen: str | None) -> int:
    return choices.index(chosen) if chosen in choices else 0
