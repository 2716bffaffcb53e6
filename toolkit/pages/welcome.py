"""The first run: three ways to begin, and what is left to set up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from toolkit import settings
from toolkit.flows.demo import demo
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import Holdings
from toolkit.flows.household.listed import homes
from toolkit.flows.plans.here import plan_prices
from toolkit.pages import answers, widgets
from toolkit.pages.data import CONNECTED_ACCOUNTS, ENERGY_PLAN, FILES
from toolkit.pages.energy.bills import WHICH_PLAN
from toolkit.pages.server import background
from toolkit.pages.server import progress as watched
from toolkit.pages.server.visit import leave_home

DEMO = "demo family"
CHOOSE_PLAN = "Choose your energy plan"


def doors(ctx: Context) -> None:
    """Show three ways to begin: look around, bring files, connect accounts; the last two for one of several homes."""
    if len(homes(ctx).households) > 1:
        _begin_with_data(*st.columns(2))
        return
    look, files, connect = st.columns(3)
    with look.container(border=True, height="stretch"):
        st.subheader("Look around", anchor=False)
        st.write("See every page with an invented family. It is kept apart and never mixes with your data.")
        running = background.job(DEMO)
        if st.button("Open the demo family", key="demo-open", disabled=running is not None and not running.ended):
            place = settings.load().data_dir / "demo" / "demo.db"
            if place.exists():
                open_demo(place)
                st.rerun()
            ready = Context(place, ctx.today)
            background.start(DEMO, "Making the demo family", lambda job: demo(ready, progress=job.say))
    _begin_with_data(files, connect)
    widgets.link("households", "**I look after several households →**")
    job = background.job(DEMO)
    if job is not None and job.ended and job.error is None:
        background.clear(DEMO)
        open_demo(settings.load().data_dir / "demo" / "demo.db")
        st.rerun()
    watched.show(DEMO, "The demo family is ready.")


def _begin_with_data(files: DeltaGenerator, connect: DeltaGenerator) -> None:
    with files.container(border=True, height="stretch"):
        st.subheader("Bring files", anchor=False)
        st.write("A meter file from your retailer or distributor, exports from your bank, a power bill as PDF.")
        widgets.link("data", "**Add files →**")
    with connect.container(border=True, height="stretch"):
        st.subheader("Connect accounts", anchor=False)
        st.write("With an account at the data-sharing service, your bank and energy data arrive automatically.")
        widgets.link("data", "**Connect accounts →**", tab=CONNECTED_ACCOUNTS)


def open_demo(db: Path) -> None:
    """From now on this visit shows the demo family."""
    leave_home()
    st.session_state[answers.OTHER_DB] = str(db)


def leave_demo() -> None:
    """Go back to this visit's own data."""
    leave_home()
    st.session_state.pop(answers.OTHER_DB, None)


def banner() -> None:
    """Say on every page that this is the demo family, with the button back."""
    if answers.OTHER_DB in st.session_state:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info("This is an invented family.", width="stretch")
            st.button("Back to my own data", on_click=leave_demo, key="demo-leave")


@dataclass(frozen=True, slots=True)
class Step:
    """A part of setting up: whether it is done, and the page, tab of it, where it is done."""

    label: str
    is_done: bool
    page: str
    tab: str | None = None

    def link(self, label: str) -> None:
        """Show a link to where the step is done."""
        widgets.link(self.page, label, tab=self.tab)


def _steps(ctx: Context, stored: Holdings) -> list[Step]:
    home = next((home for home in homes(ctx).households if ctx.household in (None, home.id)), None)
    has_place = answers.ask(plan_prices, ctx).place_known
    where_chosen = ("bills", WHICH_PLAN) if stored.meter else ("data", ENERGY_PLAN)
    return [
        Step("Add bank transactions to see where your money goes", stored.transactions, "data", FILES),
        Step("Add meter data to see when you use power", stored.reads, "data", FILES),
        Step("Enter your postcode to see plans you can get", has_place, "plans"),
        Step(CHOOSE_PLAN, bool(home and home.plan_id) or stored.own_plans, *where_chosen),
    ]


def asks_for_plan(ctx: Context, stored: Holdings) -> bool:
    """Return whether the list of what is left to set up asks to choose a plan."""
    return any(step.label == CHOOSE_PLAN and not step.is_done for step in _steps(ctx, stored))


def checklist(ctx: Context, stored: Holdings) -> None:
    """List in a line or two what is left to set up, until all of it is done."""
    steps = _steps(ctx, stored)
    done = sum(step.is_done for step in steps)
    if done == len(steps):
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="checklist"):
        st.markdown(f"**Set up: {done} of {len(steps)} done.** Still to do:", width="content")
        for step in steps:
            if not step.is_done:
                step.link(step.label)


def next_step(ctx: Context) -> None:
    """Lead from what was just added to what is left to set up; where nothing is, to the Overview."""
    stored = answers.holdings(ctx)
    left = [step for step in _steps(ctx, stored) if not step.is_done]
    with st.container(horizontal=True):
        widgets.link("overview", "**See what it shows →**")
        if left:
            left[0].link(f"**Next: {left[0].label[0].lower()}{left[0].label[1:]} →**")
