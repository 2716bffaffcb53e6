"""Progress of background work, refreshed every second while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from toolkit.pages.server import background
from toolkit.pages.text import message, sentence


def show(key: str, done: str | None, result: Callable[[Any], None] | None = None) -> None:
    """Show the progress of a job. done: message once it has succeeded, None where `result`, its answer, says it."""
    job = background.job(key)
    if job is None:
        return
    if not job.ended:
        _progress(key)
        return
    if job.error is not None:
        st.error(sentence(job.error))
    elif job.answer is not None:
        if done is not None:
            st.success(done)
        if result is not None:
            result(job.answer)


@st.fragment(run_every=1.0)
def _progress(key: str) -> None:
    job = background.job(key)
    if job is None or job.ended:
        st.rerun()
    box = st.status(f"{job.name} …", expanded=True)  # as a context it would be marked as complete
    with box.container():
        if job.link and urlsplit(job.link).scheme in {"http", "https"}:
            st.write("Open the consent page, choose your bank or retailer, and agree. This page waits for it.")
            st.link_button("Open the consent page", job.link, type="primary")
        for line in job.lines[-5:]:
            st.text(message(line))
        if job.stoppable:
            label = "Stopping …" if job.is_stopped() else "Stop"
            st.button(label, on_click=job.stop, disabled=job.is_stopped(), key=f"stop-{key}")
