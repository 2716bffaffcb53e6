"""The background job that works the desk's figures out again, and how far it is."""

from __future__ import annotations

from functools import partial

import streamlit as st

from toolkit.flows.desk.desk import out_of_date
from toolkit.flows.desk.refresh import bring_up_to_date
from toolkit.flows.household.context import Context
from toolkit.pages.answers import ask
from toolkit.pages.server import background
from toolkit.pages.text import message, sentence

REFRESH = "Working out figures that have changed"
"""Name of the background job."""
WORKING = "Figures that have changed are being worked out, one household at a time"
READY = "The new figures are worked out."
SHOW_FIGURES = "Show the new figures"


def is_working(ctx: Context) -> bool:
    """Return whether figures are being worked out."""
    job = background.job(_job(ctx))
    return job is not None and not job.ended


def refresh(ctx: Context) -> bool:
    """Begin to work out again, behind the page, the figures that are out of date; return whether that is going on."""
    if is_working(ctx):
        return True
    job = background.job(_job(ctx))
    failed = job.answer if job is not None and isinstance(job.answer, frozenset) else frozenset()
    if set(ask(out_of_date, ctx)) - failed:
        background.start(_job(ctx), REFRESH, partial(_bring_up_to_date, ctx), stoppable=True)
        return True
    return False


@st.fragment(run_every=2.0)
def show_progress(ctx: Context) -> None:
    """Say how far it is. The page itself is drawn again only when a person asks for it, who may be typing in it."""
    job = background.job(_job(ctx))
    if job is not None and job.error is not None:
        st.error(sentence(job.error))
    elif job is not None and not job.ended:
        st.caption(f"{WORKING}: {message(job.lines[-1])}." if job.lines else f"{WORKING}.")
    else:
        st.caption(READY)


def _job(ctx: Context) -> str:
    """Return the key of the job that works figures out again."""
    return f"desk {ctx.db} {ctx.today}"


def _bring_up_to_date(ctx: Context, job: background.Job) -> frozenset[str]:
    return bring_up_to_date(ctx, is_stopped=job.is_stopped, progress=job.say)
