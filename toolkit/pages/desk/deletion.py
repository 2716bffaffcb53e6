"""Deleting a household for good, with a record that holds nothing of it."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import streamlit as st

from toolkit.errors import AuthenticationError
from toolkit.flows.consent.disconnect import withdraw
from toolkit.flows.forget.forget import forget
from toolkit.flows.household.context import Context
from toolkit.flows.wording import counted
from toolkit.pages.answers import explained
from toolkit.pages.data import connecting
from toolkit.pages.desk import outcome, table
from toolkit.pages.server import background, visit
from toolkit.pages.text import plain

DELETING = "Deleting, and rewriting the database so that nothing remains in it …"


def delete(ctx: Context, name: str) -> None:
    """Delete a household for good, once its name is typed."""
    with st.popover("Delete …"):
        st.write(
            plain(
                f"Everything stored for {name} is deleted, also from backups, and sharing that is still on ends. "
                "You cannot undo this."
            )
        )
        with st.form(f"delete-{ctx.household}", border=False):
            typed = st.text_input(plain(f"Type {name} to confirm"), key=f"delete-name-{ctx.household}")
            reference = st.text_input("Your reference for the record (optional)")
            is_sure = st.form_submit_button("Delete", type="primary")
        if is_sure and typed.strip().casefold() != name.strip().casefold():
            st.warning(plain(f"Nothing was deleted. Type {name} to delete its data."))
        elif is_sure:
            with explained(), st.spinner(DELETING):
                _forget(ctx, name, reference.strip() or None)


def _forget(ctx: Context, name: str, reference: str | None) -> None:
    """Delete the household; keep the record without its data for this visit, to be downloaded."""
    background.stop_all()
    with tempfile.TemporaryDirectory(prefix="toolkit-record-") as folder:
        record = Path(folder) / "record.html"
        delete = partial(forget, ctx, household=ctx.household, record=record, reference=reference)
        try:
            with connecting.service() as client:
                answer = delete(withdraw=partial(withdraw, client))
        except AuthenticationError:  # no service is set up here: the data goes all the same
            record.unlink(missing_ok=True)
            answer = delete()
        made = record.read_bytes()
    visit.leave_home()
    table.select((), None)  # the browser would go on showing a tick at the row that is in its place now
    background.clear_ended()
    st.cache_data.clear()
    st.session_state[visit.RECORD] = made
    rows = counted(sum(answer.deleted.values()), "row")
    outcome.finish(f"{name} is deleted: {rows}. The record below states what was deleted, without any data.")
