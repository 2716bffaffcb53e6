"""What can be done with the household chosen in the table: open, rename, note, merge, archive, delete."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import streamlit as st
from msgspec.structs import replace

from toolkit.answers.households import Household
from toolkit.answers.insights import DeskHousehold
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.household.merge import merge
from toolkit.flows.household.settings import archive, set_home_by_field
from toolkit.pages import widgets
from toolkit.pages.answers import explained
from toolkit.pages.desk.deletion import delete
from toolkit.pages.desk.outcome import finish
from toolkit.pages.server import visit
from toolkit.pages.text import plain, readable, sentence


def show(ctx: Context, home: DeskHousehold, others: Sequence[DeskHousehold], stored: Sequence[Household]) -> None:
    """What can be done with the household that is selected."""
    mine = replace(ctx, household=home.id)
    known = next(each for each in stored if each.id == home.id)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.subheader(plain(home.name), anchor=False, width="stretch")
            st.button("Open", type="primary", key="desk-open", on_click=visit.open_overview, args=(home.id,))
            if st.button("Archive", key="desk-archive", help="Its data stays, but no new data is fetched for it."):
                with explained():
                    archive(mine, archived=True)
                    if st.session_state.get(visit.SHOWN) == home.id:  # it is not one of those to work on
                        visit.leave_home()
                    finish(f"{home.name} is archived.")
            delete(mine, home.name)
        _words(mine, known)
        _merge(ctx, home, others)


def _words(ctx: Context, known: Household) -> None:
    """The household's name and the adviser's own words."""
    kept = f"desk-words-shown-{known.id}"
    shown = widgets.shown_by_form(known, key=kept, field=f"desk-note-{known.id}")
    with st.form(f"desk-words-{known.id}", border=False):
        left, right = st.columns(2)
        name = left.text_input("Name", known.name, key=f"desk-name-{known.id}")
        below = {"name": left.container()}
        purpose = left.text_input("What the client agreed to", known.purpose or "", key=f"desk-purpose-{known.id}")
        below["purpose"] = left.container()
        note = right.text_input("Note", known.note or "", key=f"desk-note-{known.id}")
        below["note"] = right.container()
        # Last: its calendar opens over what stands below it.
        follow_up = widgets.day_field(right, "Follow up on", known.follow_up, key=f"desk-follow-up-{known.id}")
        below["follow_up"] = right.container()
        if st.form_submit_button("Save"):
            del st.session_state[kept]  # what is different is shown once
            with explained():
                words = {"note": note, "purpose": purpose, "follow_up": follow_up or ""}
                before = homes(ctx)
                refused = set_home_by_field(ctx, shown=shown, name=name, persons=(), **words)
                for field, reason in refused.items():
                    below[field].warning(sentence(reason))
                if not refused:
                    finish(f"{name} is saved. {_to_follow_up(follow_up)}")
                if homes(ctx) != before:
                    widgets.say_done("Everything else is saved.")


def _to_follow_up(day: date | None) -> str:
    """Say the day: a browser drops one whose year has two digits, and the field is then empty."""
    return f"Follow up on {style.day(day)}." if day else "No day to follow up is set."


def _merge(ctx: Context, home: DeskHousehold, others: Sequence[DeskHousehold]) -> None:
    names = {other.id: readable(other.name) for other in others if other.id != home.id}
    if not names:
        return
    with st.expander("Merge another household into this one"):
        st.write("Everything of the other household goes into this one. You can undo it until new data is fetched.")
        other = st.selectbox("Other household", list(names), None, format_func=names.__getitem__, key="desk-merge")
        if st.button("Merge", disabled=other is None, key="desk-merge-go") and other is not None:
            with explained():
                merge(ctx, home.id, other)
                if st.session_state.get(visit.SHOWN) == other:  # else the page would say that it is not stored
                    visit.leave_home()
                finish(f"{names[other]} is merged into {home.name}.", merged=(other, home.id))
