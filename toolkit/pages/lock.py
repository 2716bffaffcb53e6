"""Pages that are locked: by the token, by the passphrase, and after the idle time."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from toolkit import settings
from toolkit.errors import SettingsError
from toolkit.pages.answers import forget_all
from toolkit.pages.server import idle, passphrase
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.text import sentence

CHECK_SECONDS = 3.0
CHECK_SECONDS_NEVER_IDLE = 10.0
"""Where no idle time is in force: another tab may set one, and this page is not drawn again for that."""
LOCKED = "This page is locked"
CLOSED = "The app is locked"
"""Until the passphrase is entered."""


NO_MENU = "<style>[data-testid=stSidebar], [data-testid=stExpandSidebarButton] { display: none; }</style>"
"""Hides the menu that a browser kept."""


def show_locked() -> None:
    """Show, in place of every page and of the menu, how to open the app again."""
    st.html(NO_MENU)
    st.title(LOCKED)
    if "unlocked" in st.session_state:
        st.write("Nobody used the app for a while, so it was locked. Open it again with its icon.")
    else:
        st.write("Open the app with its icon, or with the whole address that was shown when it started.")


def is_open() -> bool:
    """Return whether no passphrase is set, or it was entered; else ask for it."""
    launch = launched.current()
    try:
        kept = settings.load().passphrase
    except SettingsError as error:
        st.error(sentence(error))
        return False
    if launch is None or kept is None or launched.is_admitted(launch):
        return True
    st.html(NO_MENU)
    st.title(CLOSED)
    st.write("Enter your passphrase to open it.")
    with st.form("passphrase", width=420):
        typed = st.text_input("Passphrase", type="password")
        below = st.container()
        is_sent = st.form_submit_button("Open", type="primary")
    if not is_sent:
        return False
    if reason := passphrase.refusal(typed, kept.reveal()):
        below.error(reason)
    else:
        launched.admit(launch)
        st.rerun()
    return False


def button() -> None:
    """Offer to lock the app at once, where a passphrase is set."""
    if launched.current() is not None and settings.load().passphrase is not None:
        st.sidebar.button("Lock now", icon=":material/lock:", key="lock-now", on_click=_lock_now)


def _lock_now() -> None:
    launched.lock()
    forget_all()


def idle_minutes(*, several: bool) -> int:
    """Return the idle time in force, 0 for none."""
    try:
        chosen = settings.load().idle_minutes
    except SettingsError:
        return idle.DEFAULT_MINUTES
    return chosen if chosen is not None else idle.DEFAULT_MINUTES if several else 0


def watch(*, several: bool) -> None:
    """Empty this page once the token that it was opened with is replaced."""
    launch = launched.current()
    if launch is not None:
        seconds = CHECK_SECONDS if idle_minutes(several=several) else CHECK_SECONDS_NEVER_IDLE
        st.fragment(_empty_when_locked, run_every=seconds)(launch.token)


def _empty_when_locked(token: str) -> None:
    launch = launched.current()
    if launch is not None and (not launch.opens(token) or _must_ask(launch)):
        st.rerun()


def _must_ask(launch: launched.Launch) -> bool:
    """Return whether another page locked the app."""
    with suppress(SettingsError):
        return settings.load().passphrase is not None and not launched.is_admitted(launch)
    return False
