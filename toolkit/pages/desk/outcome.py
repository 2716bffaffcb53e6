"""What was done on the Households page last: said once, a merge with its undo, a deletion with its record."""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from toolkit.flows.household.context import Context
from toolkit.flows.household.merge import undo_move
from toolkit.pages import widgets
from toolkit.pages.answers import explained
from toolkit.pages.desk import deletion, table
from toolkit.pages.server import visit
from toolkit.pages.text import plain

DONE = "households-done"
SAVED, NOW, BEFORE = "households-record-saved", "now", "before"
"""Whether the record was downloaded: in this run, or in one before."""
SAVED, NOW, BEFORE = "households-record-saved", "now", "before"
"""Whether the record was downloaded: in this run, or in one before."""
MERGED = "households-merged"
"""Whether the last thing done in this visit was a merge, which can then be undone."""
NEW = "households-new"
"""The household that was added just now without files: its accounts are connected once it is open."""


def show(ctx: Context) -> None:
    """Show what was done last, and what can be done about it."""
    with explained():
        if (deleted := deletion.take(ctx)) is not None:
            visit.leave_home()
            table.select((), None)  # the browser would go on showing a tick at the row that is in its place now
            st.session_state[visit.RECORD] = deleted.record
            st.session_state.pop(SAVED, None)
            st.session_state[DONE] = plain(deleted.message)
            deletion.taken(ctx)  # last: Streamlit may end this run wherever it looks after what a visit keeps
            st.rerun()
    if widgets.confirm(DONE) and (new := st.session_state.pop(NEW, None)) is not None:
        st.button("Open it, to connect its accounts", key="desk-open-new", on_click=visit.open_overview, args=(new,))
    merged = st.session_state.get(MERGED)
    if merged and st.button("Undo the merge", key="desk-merge-undo"):
        with explained():
            undo_move(ctx, shown=merged)
            finish("The merge is undone.")
    _record(ctx)


def _record(ctx: Context) -> None:
    """Offer the record of the last deletion until it was downloaded, or is not wanted."""
    if (saved := st.session_state.get(SAVED)) == BEFORE:
        _forget_record()
    record = st.session_state.get(visit.RECORD)
    if record is None:
        return
    if saved is not None:
        st.session_state[SAVED] = BEFORE  # in this run the browser still fetches the file
    with st.container(horizontal=True):
        st.download_button(
            "Download the record of the deletion",
            record,
            f"Deletion record {ctx.today}.html",
            "text/html",
            key="desk-record",
            on_click=_note_saved,
        )
        st.button("I don't need it", type="tertiary", key="desk-no-record", on_click=_forget_record)


def _note_saved() -> None:
    st.session_state[SAVED] = NOW


def _forget_record() -> None:
    st.session_state.pop(visit.RECORD, None)
    st.session_state.pop(SAVED, None)


def finish(message: str, *, merged: tuple[str, str] | None = None) -> NoReturn:
    """Draw the page again, with what was done. merged: the household that went into another one, and that one."""
    st.session_state[DONE], st.session_state[MERGED] = plain(message), merged
    st.rerun()
