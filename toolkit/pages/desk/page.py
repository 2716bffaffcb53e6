"""The Households page: all households in a table; add, rename, merge, archive and delete them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from msgspec.structs import replace
from streamlit.runtime.uploaded_file_manager import UploadedFile

from toolkit.answers.data import ImportedFile
from toolkit.answers.households import Household
from toolkit.charts import style
from toolkit.errors import ImportFailedError
from toolkit.flows.desk.desk import desk
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home, homes
from toolkit.flows.household.settings import archive
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, refused_below
from toolkit.pages.data import FILES
from toolkit.pages.desk import figures, outcome, selected, table
from toolkit.pages.desk.deletion import delete
from toolkit.pages.desk.outcome import finish
from toolkit.pages.importing import upload
from toolkit.pages.server import visit
from toolkit.pages.text import plain, readable

ADDED, INTO, IS_OPEN = "households-added", "households-add-into", "households-add-open"
"""How often fields to add one were emptied, the household to choose in them at the next drawing, and if they stay."""


def render(ctx: Context) -> None:
    """Show every household with its stored figures, and what can be done with one."""
    ctx = replace(ctx, household=None, service_point=None)
    # Of fixed places: what follows would close, with what is typed in it, where something comes or goes before it.
    # The outcome is shown next to the button: above a table of hundreds nobody would see it.
    table_place, outcome_place, one, progress, adding = (st.container() for _ in range(5))
    with outcome_place:
        outcome.show(ctx)
    figures.note_drawn(ctx)
    answer = ask(desk, ctx)
    stored = homes(ctx).households
    with table_place:
        table.to_follow_up(ctx, answer.households)
        chosen = table.chosen_in_table(ctx, answer.households)
    if chosen is not None:
        with one:
            selected.show(ctx, chosen, answer.households, stored)
    with adding:
        left, right = st.columns(2)
        with left:
            _add(ctx, {home.id: home.name for home in stored})
        with right:
            _archived(ctx, [home for home in stored if home.archived_on is not None])
    # Last: to find out which figures are out of date takes longer than to show those of hundreds of households.
    is_working = figures.refresh(ctx)
    if answer.households:
        with progress:
            figures.show_progress(ctx, is_working=is_working)


def _add(ctx: Context, stored: Mapping[str, str]) -> None:
    """A new household, with its first files where there are some; or files for one that is stored: id → name."""
    number = st.session_state.setdefault(ADDED, 0)  # new keys empty the fields, once what is in them is stored
    if INTO in st.session_state:
        st.session_state["desk-into"] = st.session_state.pop(INTO)
        st.session_state[IS_OPEN] = True  # the first one was added, and its files come next
    title = "Add a household, or files to one" if stored else "Add a household"
    with st.expander(title, expanded=not stored or IS_OPEN in st.session_state):
        # No form: it would be sent without files that the browser has not handed over yet.
        into = _chosen_to_add_to(stored) if stored else None
        name = st.text_input("Name of the new household", key=f"desk-name-{number}") if into is None else ""
        below = st.container()
        label = "Files (optional)" if into is None else "Files"
        uploaded = st.file_uploader(label, accept_multiple_files=True, key=f"desk-files-{number}")
        if st.button("Add", type="primary", disabled=into is not None and not uploaded, key="desk-add"):
            with refused_below({"Name": below}):
                home = into or _new_home(ctx, name, stored)
                if uploaded:
                    st.session_state[ADDED] += 1
                    st.session_state.pop(IS_OPEN, None)
                    _take_in(replace(ctx, household=home), uploaded)
                else:  # files that are still on their way are for this household
                    st.session_state[INTO] = st.session_state[outcome.NEW] = home
                finish(f"{stored.get(home, name.strip())} is added.")


def _chosen_to_add_to(stored: Mapping[str, str]) -> str | None:
    """Return the household that files are added to; None for a new one."""
    return st.selectbox(
        "Household",
        [None, *stored],
        format_func=lambda home: readable(stored.get(home, "A new household")),
        key="desk-into",
    )


def _new_home(ctx: Context, name: str, stored: Mapping[str, str]) -> str:
    """Add a household and return its id. stored: id → name of those before it."""
    added = next(home.id for home in add_home(ctx, name).households if home.id not in stored)
    st.session_state[visit.SEVERAL] = True
    return added


def _take_in(ctx: Context, uploaded: Sequence[UploadedFile]) -> None:
    """Import files into a household and open its Data page, which shows the result of each and asks to check bills."""
    assert ctx.household is not None
    refused = None
    taken: Sequence[ImportedFile] = ()
    with st.spinner("Reading …"):
        try:
            taken = upload.read_uploads(ctx, uploaded)
        except ImportFailedError as error:  # its page says why, and helps
            refused = error
    visit.open_home(ctx.household)
    if refused is None:
        upload.keep_uploads(uploaded, taken)
    else:
        upload.refuse(uploaded, refused)
    widgets.go_to("data", tab=FILES)


def _archived(ctx: Context, kept: Sequence[Household]) -> None:
    if not kept:
        return
    with st.expander(f"Archived ({len(kept)})"):
        for home in kept:
            with st.container(horizontal=True, vertical_alignment="center"):
                since = style.day(home.archived_on) if home.archived_on else ""
                st.markdown(plain(f"{home.name}, since {since}"), width="stretch")
                if st.button("Put back", key=f"unarchive-{home.id}"):
                    with explained():
                        archive(replace(ctx, household=home.id), archived=False)
                        finish(f"{home.name} is back among the households.")
                delete(replace(ctx, household=home.id), home.name)
