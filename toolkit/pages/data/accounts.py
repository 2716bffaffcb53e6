"""Connected accounts: who shares what, connecting, and fetching what is new."""

from __future__ import annotations

import streamlit as st

from toolkit import settings as app_settings
from toolkit.answers.households import HouseholdStatus
from toolkit.answers.sync import Sync
from toolkit.flows.consent.service import is_set_up
from toolkit.flows.household.context import Context
from toolkit.flows.household.status import status
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained
from toolkit.pages.data import connecting, sharing, stored, updating
from toolkit.pages.server import background
from toolkit.pages.server import progress as watched
from toolkit.pages.settings import SERVICE

UP_TO_DATE = "Your data is up to date."
PARTS = {"Everything": None, "Bank": "banking", "Energy": "energy"}


def render(ctx: Context) -> None:
    """Show who shares what, and the buttons to connect accounts and to update their data."""
    st.subheader("Connected accounts")
    st.write(
        "With an account at the data-sharing service, your bank and energy data arrive automatically once you consent."
    )
    own = _own(ctx)
    people = own.end_users if own else ()
    if own:
        sharing.render(ctx, own)
    with explained():
        if not is_set_up(app_settings.load()):
            how = "Enter its address and the credentials that you got when you opened an account with it."
            widgets.empty("Set up the service first", how, page="settings", label="Set up the service", tab=SERVICE)
            return
        connecting.render(ctx, list(people))
        connecting.flow(ctx)
        if people:
            _sync(ctx)


def _own(ctx: Context) -> HouseholdStatus | None:
    """Return the status of the household on screen; None before there is one."""
    if ctx.db.exists() and ctx.household:
        with explained():
            return next(iter(ask(status, ctx).households), None)
    return None


def _sync(ctx: Context) -> None:
    key = updating.key_of(ctx)
    with st.container(border=True):
        what = st.segmented_control("What to update", list(PARTS), default="Everything", required=True, key="sync-what")
        running = background.job(key)
        busy = running is not None and not running.ended
        if st.button("Update", disabled=busy, on_click=connecting.clear_outcome, args=(ctx,)):
            updating.begin(ctx, PARTS[what or "Everything"])
        watched.show(key, UP_TO_DATE, lambda answer: _fetched(ctx, answer))


def _fetched(ctx: Context, answer: Sync) -> None:
    columns = {
        "resource": widgets.words("What"),
        "fetched": widgets.count("Read"),
        "added": widgets.count("New"),
        "updated": widgets.count("Changed"),
        "unchanged": widgets.count("As before"),
        "removed": widgets.count("Removed"),
        "rejected": widgets.count("Could not be used"),
    }
    rows = [{name: getattr(row, name) for name in columns} for row in answer.resources]
    named = [{**row, "resource": stored.name_of(row["resource"])} for row in rows]
    widgets.table(named, columns, name="fetched", download=False)
    widgets.problems(stored.in_words(answer.problems), key="sync")
    if not answer.resources:
        st.info("No accounts are connected yet.")
    elif own := _own(ctx):
        sharing.suffering(own)
