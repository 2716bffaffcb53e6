"""Where the stored data cannot be opened: why, and the ways back to it."""

from __future__ import annotations

import streamlit as st

from toolkit.charts import style
from toolkit.errors import StoreDamagedError, StoreMissingError, ToolkitError
from toolkit.flows.data.backup import restore
from toolkit.flows.data.recovery import lacks_its_log, latest_copy, use_without_log
from toolkit.flows.household.context import Context
from toolkit.pages import keeping, widgets
from toolkit.pages.answers import explained, forget_all
from toolkit.pages.server import background
from toolkit.pages.text import plain, sentence


def show(ctx: Context, error: ToolkitError) -> None:
    """Show a failure, and below one that the database is damaged, or parts of it gone, what can be done about it."""
    st.error(sentence(error))
    if not isinstance(error, StoreDamagedError | StoreMissingError):
        return
    with explained():
        if lacks_its_log(ctx):
            _open_the_rest(ctx)
        else:
            _open_latest_copy(ctx)
    keeping.open_copy(ctx)


def _open_the_rest(ctx: Context) -> None:
    st.write("Everything else can be opened. Then add again the files that you added last, and update connected data.")
    if st.button("Open the rest", type="primary", key="recovery-rest"):
        use_without_log(ctx)
        _start_again()


def _open_latest_copy(ctx: Context) -> None:
    if (copy := latest_copy(ctx)) is None:
        st.write("There is no copy of it on this computer. If you have one elsewhere, open it below.")
        return
    day = style.day(widgets.local_day(copy.made_at))
    st.write(
        plain(
            f"There is a copy of {day} on this computer. What was added since is not in it. The present file is kept "
            "in the same folder."
        )
    )
    if st.button(f"Open the copy of {day}", type="primary", key="recovery-copy"):
        background.stop_all()
        restore(ctx, copy.path)
        _start_again()


def _start_again() -> None:
    background.clear_ended()
    forget_all()
    st.rerun()
