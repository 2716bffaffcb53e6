"""Published plans from the public register, asked for by hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st
from msgspec.structs import asdict

from toolkit import settings
from toolkit.answers.energy.plans import PlanFetch
from toolkit.flows.household.context import Context
from toolkit.flows.plans.fetch import fetch, register, retailer_names
from toolkit.pages import widgets
from toolkit.pages.data import progress as watched
from toolkit.pages.server import background
from toolkit.pages.server.background import Job
from toolkit.pages.text import plain, sentence

ABOUT = (
    "Retailers publish their plans in a public register. This downloads the plans of the retailers you choose and "
    "stores them on this computer. Nothing about you is sent. It takes a minute or so for each retailer."
)


def render(ctx: Context, *, expanded: bool) -> None:
    """Offer to fetch the published plans of chosen retailers."""
    with st.expander("Get published plans", expanded=expanded):
        st.write(ABOUT)
        chosen = st.multiselect(
            "Retailers",
            list(retailer_names()),
            format_func=_named,
            accept_new_options=True,
            placeholder="Choose retailers, or type another name",
            key="register-retailers",
        )
        if st.button("Get their plans", disabled=not chosen):
            background.start(key_of(ctx), "Reading published plans", partial(_fetch, ctx, chosen))
        watched.show(key_of(ctx), "The retailers' published plans are stored.", _fetched)


def key_of(ctx: Context) -> str:
    """Return the key of the background job that fetches plans."""
    return f"plans {ctx.db}"


def _named(retailer: str) -> str:
    """The brand, where it is known; a name that was typed stays as it is."""
    return retailer_names().get(retailer, retailer)


def _fetch(ctx: Context, retailers: Sequence[str], job: Job) -> PlanFetch:
    with register(settings.load()) as source:
        return fetch(ctx, source, retailers=retailers, progress=job.say)


def _fetched(answer: PlanFetch) -> None:
    rows = [{**asdict(counts), "retailer": _named(counts.retailer)} for counts in answer.retailers]
    columns = {
        "retailer": widgets.words("Retailer"),
        "listed": widgets.number("Plans", "%d"),
        "added": widgets.number("New", "%d"),
        "updated": widgets.number("Changed", "%d"),
        "removed": widgets.number("No longer offered", "%d"),
    }
    widgets.table(rows, columns, name="fetched-plans", download=False)
    for failed in answer.failed:
        st.warning(f"{plain(_named(failed.retailer))}: {sentence(failed.reason)}")
    widgets.problems(answer.problems, key="fetched-plans")
