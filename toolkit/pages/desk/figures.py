"""The background job that works the desk's figures out again, and how far it is."""

from __future__ import annotations

from functools import partial

import streamlit as st

from toolkit.flows.desk.desk import out_of_date
from toolkit.flows.desk.refresh import bring_up_to_date
from toolkit.flows.household.context import Context
from toolkit.flows.wording import counted
from toolkit.pages.answers import ask
from toolkit.pages.server import background
from toolkit.pages.text import message, sentence

REFRESH = "Working out figures that have changed"
"""Name of the background job."""
WORKING = "Figures that have changed are being worked out, one household at a time"
CURRENT = "The figures above are up to date."
DRAWN = "desk-job-drawn"
"""The job whose figures this visit has drawn last."""


def note_drawn(ctx: Context) -> None:
    """Note whose figures this page shows, before they are read: those of a job that ends after that come next."""
    job = background.job(_job(ctx))
    st.session_state[DRAWN] = job if job is not None and job.ended else None


def refresh(ctx: Context) -> bool:
    """Begin to work out again, behind the page, the figures that are out of date.

    Return whether that is going on, or has ended since the figures on this page were read.
    """
    job = background.job(_job(ctx))
    if job is not None and not job.ended:
        return True
    if set(ask(out_of_date, ctx)) - _failed(job):
        background.start(_job(ctx), REFRESH, partial(_bring_up_to_date, ctx), stoppable=True)
        return True
    return job is not None and st.session_state.get(DRAWN) is not job


def show_progress(ctx: Context, *, is_working: bool) -> None:
    """Say how far it is, in a line that is always there: what stands below would move up, and close, without it."""
    if is_working:
        _watch(ctx)
    else:
        _say_current(background.job(_job(ctx)))


def _say_current(job: background.Job | None) -> None:
    failed = len(_failed(job))
    without = f" Those of {counted(failed, 'household')} could not be worked out." if failed else ""
    st.caption(f"{CURRENT}{without}")


def _failed(job: background.Job | None) -> frozenset[str]:
    """Return the households with figures that a job could not work out."""
    return job.answer if job is not None and isinstance(job.answer, frozenset) else frozenset()


@st.fragment(run_every=2.0)
def _watch(ctx: Context) -> None:
    """Draw the page again once the figures are worked out; what a person types meanwhile stays in the browser."""
    job = background.job(_job(ctx))
    if job is not None and job.error is not None:
        st.error(sentence(job.error))
    elif job is not None and not job.ended:
        st.caption(f"{WORKING}: {message(job.lines[-1])}." if job.lines else f"{WORKING}.")
    elif job is not None and st.session_state.get(DRAWN) is not job:
        st.rerun()
    else:
        _say_current(job)


def _job(ctx: Context) -> str:
    """Return the key of the job that works figures out again."""
    return f"desk {ctx.db} {ctx.today}"


def _bring_up_to_date(ctx: Context, job: background.Job) -> frozenset[str]:
    return bring_up_to_date(ctx, is_stopped=job.is_stopped, progress=job.say)
