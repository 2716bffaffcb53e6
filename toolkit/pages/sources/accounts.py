"""Connect accounts by consent, and pull what is new, in the background of the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from toolkit.flows.context import Context
from toolkit.pages import background, widgets
from toolkit.pages.background import Job
from toolkit.pages.text import plain, sentence

WAIT_SECONDS = 600
HALVES = {"Everything": None, "Bank": "banking", "Energy": "energy"}


def render(ctx: Context) -> None:
    st.subheader("Connected accounts")
    st.write(
        "With an account at the data-sharing service, bank and energy data come by themselves once you agree to it."
    )
    _connect(ctx)
    _sync(ctx)


def _connect(ctx: Context) -> None:
    key = f"connect {ctx.db} {ctx.household}"
    with st.form("connect", border=True):
        left, right = st.columns(2)
        email = left.text_input("E-mail")
        name = right.text_input("Your name")
        if st.form_submit_button("Connect") and email.strip() and name.strip():
            background.start(key, "Connecting", _connecting(ctx, email.strip(), name.strip()))
    _watched(key, "You agreed; now fetch the data below.")


def _connecting(ctx: Context, email: str, name: str) -> background.Work:
    def work(job: Job) -> dict[str, Any]:
        from toolkit import settings
        from toolkit.flows.connect import connect
        from toolkit.flows.service import service

        with service(settings.load()) as client:
            return connect(
                ctx,
                client,
                open_browser=job.show_link,
                email=email,
                name=name,
                wait=WAIT_SECONDS,
                progress=job.say,
            )

    return work


def _sync(ctx: Context) -> None:
    key = f"sync {ctx.db} {ctx.household}"
    with st.container(border=True):
        what = st.segmented_control("What to fetch", list(HALVES), default="Everything", required=True, key="sync-what")
        running = background.job(key)
        if st.button("Fetch what is new", disabled=running is not None and not running.ended):
            background.start(key, "Fetching", _syncing(ctx, HALVES[what or "Everything"]))
        _watched(key, "Fetched.", _fetched)


def _syncing(ctx: Context, only: str | None) -> background.Work:
    def work(job: Job) -> dict[str, Any]:
        from toolkit import settings
        from toolkit.flows.service import service
        from toolkit.flows.sync import sync

        chosen = settings.load()
        with service(chosen) as client:
            return sync(ctx, client, only=only, end_user=chosen.end_user, progress=job.say)

    return work


def _watched(key: str, done: str, result: Callable[[dict[str, Any]], None] | None = None) -> None:
    """How work in the background stands; looked at every second while it goes on."""
    job = background.job(key)
    if job is None:
        return
    if not job.ended:
        _progress(key)
        return
    if job.error is not None:
        st.error(sentence(job.error))
    elif job.answer is not None:
        st.success(done)
        if result is not None:
            result(job.answer)


@st.fragment(run_every=1.0)
def _progress(key: str) -> None:
    job = background.job(key)
    if job is None or job.ended:
        st.rerun()
    with st.status(f"{job.name} …", expanded=True):
        if job.link and urlsplit(job.link).scheme in {"http", "https"}:
            st.write("Open the consent page, choose your bank or retailer, and agree. This page waits for it.")
            st.link_button("Open the consent page", job.link, type="primary")
        for line in job.lines[-5:]:
            st.text(line)


def _fetched(answer: dict[str, Any]) -> None:
    columns = {
        "resource": widgets.words("What"),
        **{
            name: widgets.number(name.capitalize(), "%d")
            for name in ("fetched", "added", "updated", "unchanged", "removed", "rejected")
        },
    }
    widgets.table(answer["resources"], columns, name="fetched", download=False)
    widgets.problems(answer["problems"], key="sync")
    if not answer["resources"]:
        st.info(plain("Nothing is connected yet."))
