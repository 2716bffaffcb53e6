"""The Settings page: the service, the idle time and passphrase, updates, and the disk."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Mapping

import streamlit as st

from toolkit import settings
from toolkit.errors import UsageError
from toolkit.flows.data.doctor.disk import is_encrypted
from toolkit.flows.data.doctor.disk import sentence as about_disk
from toolkit.flows.data.shortcut import write_shortcut
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import several_homes
from toolkit.pages import lock, widgets
from toolkit.pages.answers import explained
from toolkit.pages.data import CONNECTED_ACCOUNTS
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.server import passphrase
from toolkit.pages.text import plain, sentence

SERVICE = "Data-sharing service"
"""The tab where the service is set up."""
SERVICE_SAVED = "Saved. Next, connect the accounts of a person."
DONE, MINUTES, SAVED = "settings-done", "idle-minutes", "passphrases-saved"
IDLE = {0: "Never", 5: "After 5 minutes", 15: "After 15 minutes", 30: "After 30 minutes", 60: "After an hour"}
FIELDS: Mapping[str, str] = {
    "TOOLKIT_BASE_URL": "Address of the service",
    "TOOLKIT_CLIENT_ID": "Client ID",
    "TOOLKIT_CLIENT_SECRET": "Client secret",
    "TOOLKIT_WEBHOOK_SECRET": "Webhook secret (only if the service gave you one)",
}


def render(ctx: Context) -> None:
    """Show the settings of the app on this computer."""
    is_service_saved = st.session_state.get(DONE) == SERVICE_SAVED
    widgets.confirm(DONE)
    if is_service_saved:
        widgets.link("data", "**Connect accounts →**", tab=CONNECTED_ACCOUNTS)
    app, service = widgets.tabs(["This app", SERVICE], key="settings-tab")
    with app:
        _updates()
        _locking(ctx)
        _passphrase()
        if not several_homes(ctx):
            st.subheader("Several households", anchor=False)
            widgets.link("households", "**Look after several households →**")
        st.subheader("Your disk", anchor=False)
        st.write(about_disk(is_encrypted(ctx.db)))
        _program()
    with service:
        _service()


def _updates() -> None:
    st.subheader("Connected data", anchor=False)
    now = settings.load().auto_update
    chosen = st.toggle("Update it when the app is opened, where it is older than a day", now)
    if chosen != now:
        settings.save_choices({"TOOLKIT_AUTO_UPDATE": "yes" if chosen else "no"})
        _finish("Saved.")


STOP_SECONDS = 1.0
"""In which the browser gets the last page."""
NO_DIALOG = "<style>[data-testid=stDialog] { display: none; }</style>"
"""Hides what Streamlit says of a server that does not answer: that the internet may be gone."""


def _locking(ctx: Context) -> None:
    st.subheader("Lock when nobody uses the app", anchor=False)
    now = lock.idle_minutes(several=several_homes(ctx))
    choices = dict(sorted({**IDLE, now: IDLE.get(now, f"After {now} minutes")}.items()))
    st.session_state[MINUTES] = now  # another tab may have chosen since
    st.selectbox(
        "Lock", list(choices), format_func=choices.__getitem__, width=260, key=MINUTES, on_change=_lock_after_chosen
    )
    st.caption("Open pages then go blank. Open the app again with its icon.")


def _lock_after_chosen() -> None:
    if (minutes := st.session_state.get(MINUTES)) is not None:  # forgotten where the household was changed meanwhile
        settings.save_choices({"TOOLKIT_IDLE_MINUTES": str(minutes)})
        st.session_state[DONE] = "Saved."


def _passphrase() -> None:
    st.subheader("Passphrase", anchor=False)
    st.write(
        "A passphrase guards the pages on this computer: it is asked for when the app is opened, once its pages were "
        "closed, and after “Lock now” in the menu. It does not encrypt the stored data: for that, use the disk "
        "encryption of your system."
    )
    kept = settings.load().passphrase
    number = st.session_state.setdefault(SAVED, 0)  # new keys empty the fields, once a passphrase is saved
    with st.form("passphrase-set", width=420):
        label = "New passphrase (empty for none)" if kept else "New passphrase"
        before = st.text_input("Current passphrase", type="password", key=f"passphrase-now-{number}") if kept else ""
        below_before = st.container()
        new = st.text_input(label, type="password", key=f"passphrase-new-{number}")
        below_new = st.container()
        again = st.text_input("New passphrase again", type="password", key=f"passphrase-again-{number}")
        below_again = st.container()
        is_sent = st.form_submit_button("Save passphrase")
    if not is_sent:
        return
    # What needs no guess comes first: only a try at the passphrase makes the next one wait.
    is_short = bool(new) and len(new) < passphrase.LEAST_LETTERS
    if is_short:
        below_new.error(f"Choose at least {passphrase.LEAST_LETTERS} characters. Nothing was saved.")
    if new != again:
        below_again.error("This is not the same as above. Nothing was saved.")
    if is_short or new != again:
        return
    if kept and (reason := passphrase.refusal(before, kept.reveal())):
        below_before.error(reason)
    elif not (new or kept):
        below_new.error(f"Choose at least {passphrase.LEAST_LETTERS} characters.")
    else:
        settings.save_choices({"TOOLKIT_PASSPHRASE": passphrase.hashed(new) if new else None})
        st.session_state[SAVED] += 1
        if launch := launched.current():
            launched.admit(launch)
        _finish("The passphrase is saved." if new else "The passphrase is removed.")


def _program() -> None:
    st.subheader("Open and stop the app", anchor=False)
    st.write("The icon opens the app. Once it is stopped, its pages are gone until you open it again; your data stays.")
    with st.container(horizontal=True):
        if st.button("Make an icon for this app", key="make-icon"):
            with explained():
                _finish(f"The icon is in {write_shortcut().path}.")
        if launched.current() is not None and st.button("Stop the app", key="stop-app"):
            st.html(NO_DIALOG)
            st.info("The app is stopped. You can close this page.")
            threading.Timer(STOP_SECONDS, os.kill, (os.getpid(), signal.SIGINT)).start()


def _service() -> None:
    """Address and credentials: secrets go to the keyring; without one they are kept for this session only."""
    if not settings.has_keyring():
        st.info(
            "This computer has no safe place to keep secrets, so the app forgets them when it is stopped. You then "
            "have to type them again."
        )
    st.write(
        "With your consent, a data-sharing service fetches transactions from your bank and meter reads from your "
        "retailer. It gives you what is asked for below when you open an account. Without one, add files on the "
        "Data page."
    )
    known = settings.load()
    now = {name: str(known.values[name].value or "") for name in FIELDS if name not in settings.SECRETS}
    kept = "service-shown"
    shown = widgets.shown_by_form(now, key=kept, field=f"setting-{next(iter(now))}")
    with st.form("service"):
        typed, below = {}, {}
        for name, label in FIELDS.items():
            if name in settings.SECRETS:
                is_set = known.find(name).value is not None
                hint = "Set. Leave empty to keep it." if is_set else ""
                typed[name] = st.text_input(label, type="password", placeholder=hint, key=f"setting-{name}")
            else:
                typed[name] = st.text_input(label, now[name], key=f"setting-{name}")
            below[name] = st.container()
        is_sent = st.form_submit_button("Save", type="primary")
    if not is_sent:
        return
    del st.session_state[kept]  # what is different is shown once
    given = {name: value.strip() for name, value in typed.items() if value.strip() not in ("", shown.get(name))}
    if wrong := settings.wrong_credentials(given, shown=shown):
        for name, error in wrong.items():  # each stands at the field itself
            show = below[name].warning if isinstance(error, UsageError) else below[name].error
            show(sentence(f"{FIELDS[name]}{str(error).removeprefix(name)}"))
        return
    with explained():
        settings.save_credentials(given, session_only=not settings.has_keyring(), shown=shown)
        _finish(SERVICE_SAVED)


def _finish(message: str) -> None:
    st.session_state[DONE] = plain(message)
    st.rerun()
