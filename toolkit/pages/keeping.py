"""What is stored and where it goes: every source with its last day, files to take back, a copy, and deletion."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import streamlit as st
from msgspec.structs import replace

from toolkit.answers.households import DataSource, ImportedFile
from toolkit.answers.money import Account
from toolkit.charts import style
from toolkit.errors import StoreDamagedError
from toolkit.flows.data.backup import backup, restore
from toolkit.flows.data.shortcut import NAME
from toolkit.flows.forget.forget import forget
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.household.newer_data import data_sources
from toolkit.flows.household.status import status
from toolkit.flows.money.accounts import list_accounts, set_account
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained
from toolkit.pages.data import CONNECTED_ACCOUNTS, DATA_TABS, updating
from toolkit.pages.desk.deletion import DELETING, forget_all_homes, not_ended
from toolkit.pages.importing.outcome import KINDS, contents
from toolkit.pages.importing.upload import written
from toolkit.pages.server import background, visit
from toolkit.pages.text import plain

BY_UPDATE = "These are connected, so an update brings what is new."
OVERLAP = "Files may overlap: nothing is counted twice."
TAKING_BACK = "What came only from this file is deleted, also from backups. You can add the file again."
DONE, COPY = "keeping-done", "keeping-copy"
COPY_NAME = f"{NAME.lower().replace(' ', '-')}-backup"
EVERYTHING = "delete everything"
CURRENT_DAYS = 7
"""So old may data be that is called up to date: files are made by hand, and meter data comes days later."""
NO_COPY = (
    "{name} is not a copy of this app's data, or it is damaged. Nothing was replaced. Choose the file that you got "
    f"with “Make a copy”: its name begins with {COPY_NAME}."
)


def render(ctx: Context) -> None:
    """Show the sources, the files, and how to copy or delete everything; nothing without a database."""
    widgets.confirm(DONE)
    if ctx.db.exists() and ctx.household is not None:
        with explained():
            _accounts(ctx)
        _files(ctx)
    if ctx.db.exists():
        _copy(ctx)
    open_copy(ctx)
    if ctx.db.exists():
        _delete_everything(ctx)


def sources(ctx: Context) -> None:
    """Show each account and meter with its last day, and the steps to newer data; nothing where none is stored."""
    if not ctx.db.exists() or ctx.household is None:
        return
    with explained():
        listed = ask(data_sources, ctx)
        if not listed:
            return
        st.subheader("Bring up to date")
        current = [source for source in listed if source.to and (ctx.today - source.to).days <= CURRENT_DAYS]
        old = [source for source in listed if source not in current]
        if old:
            _steps(ctx, old)
        if current:
            st.markdown("  \n".join(["Up to date:", *map(_to_its_last_day, current)]))
            with st.expander("How to bring newer data later"):
                _steps(ctx, current, key="later")


def _steps(ctx: Context, sources: Sequence[DataSource], *, key: str = "") -> None:
    """Show how newer data of each source comes, and from which pages the steps were read."""
    alike: dict[str, list[DataSource]] = {}
    for source in sources:
        alike.setdefault(source.steps or BY_UPDATE, []).append(source)
    for steps, together in alike.items():
        st.markdown("  \n".join([*map(_to_its_last_day, together), plain(steps)]))
        if steps is BY_UPDATE:
            st.button("Update now", key=f"sources-update{key}", on_click=_update, args=(ctx,))
    pages = dict.fromkeys(f"{source.page} on {style.day(source.read)}" for source in sources if source.read)
    read = f" These steps are from {'; '.join(pages)}." if pages else ""
    if any(source.steps for source in sources):
        st.caption(plain(f"{OVERLAP}{read}"))


def _update(ctx: Context) -> None:
    """Begin an update, and open the tab that shows how far it is."""
    updating.begin(ctx)
    widgets.open_tab(CONNECTED_ACCOUNTS, key=DATA_TABS)


def _to_its_last_day(source: DataSource) -> str:
    until = f", to {style.day(source.to)}" if source.to else ""
    return f"**{plain(source.label)}**{plain(until)}"


def _accounts(ctx: Context) -> None:
    """Every account with its transactions and days, and a field to rename it."""
    listed = ask(list_accounts, ctx).accounts
    if not listed:
        return
    labels = ask(account_labels, ctx)
    with st.expander(f"Accounts ({len(listed)})"):
        for account in listed:
            days = f", {style.day(account.from_)} to {style.day(account.to)}" if account.from_ and account.to else ""
            held = f"{counted(account.transactions, 'transaction')}{days}"
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(plain(f"{labels.get(account.id, account.id)}: {held}"), width="stretch")
                with st.popover("Rename"):
                    _rename(ctx, account)


def _rename(ctx: Context, account: Account) -> None:
    field = f"rename-{account.id}"
    shown = widgets.shown_by_form(account, key=f"shown-{field}", field=field)
    with st.form(f"form-{field}", border=False):
        name = st.text_input("Name of the account", account.name or "", key=field).strip()
        below = st.container()
        if not st.form_submit_button("Save"):
            return
    if not name:
        below.warning("Enter a name.")
    elif name == account.name:
        below.info("This is its name already.")
    else:
        del st.session_state[f"shown-{field}"]  # what differs is shown once
        with explained():
            set_account(ctx, account.id, name=name, shown=shown)
            _finish(f"The account is called {name} now.")


def _files(ctx: Context) -> None:
    """Every file, with a button that takes it back."""
    with explained():
        (stored,) = ask(status, ctx).households
        files: dict[str, list[ImportedFile]] = {}
        for file in stored.files:
            files.setdefault(file.id, []).append(file)
        if not files:
            return
        with st.expander(f"Files ({len(files)})"):
            for file_id, parts in files.items():
                with st.container(horizontal=True, vertical_alignment="center"):
                    st.markdown(plain(_described(parts)), width="stretch")
                    with st.popover("Take back"):
                        st.write(TAKING_BACK)
                        if st.button("Yes, take it back", key=f"take-back-{file_id}"):
                            _take_back(ctx, file_id, parts[0].name)


def _described(parts: Iterable[ImportedFile]) -> str:
    """Word a file: its name, kind, what it holds, and days."""
    known = list(parts)
    days = [day for part in known for day in (part.from_, part.to) if day is not None]
    span = f"{style.day(min(days))} to {style.day(max(days))}" if days else ""
    held = [KINDS.get(known[0].kind, known[0].kind), contents(known), span]
    return f"{known[0].name}: {', '.join(filter(None, held))}"


def _take_back(ctx: Context, file_id: str, name: str) -> None:
    with explained():
        background.stop_all()
        forget(replace(ctx, service_point=None), file=file_id)
        _finish(f"{name} is taken back.")


def _copy(ctx: Context) -> None:
    with st.expander("Back up, or move to another computer"):
        st.write(
            "Make a copy, take it to the other computer, and open it there, also on this page. The copy is a backup, "
            "too. It holds everything and is not encrypted, so keep it safe."
        )
        if st.button("Make a copy", key="copy-make"):
            with explained(), tempfile.TemporaryDirectory(prefix="toolkit-copy-") as folder:
                made = backup(ctx, out=Path(folder) / f"{COPY_NAME}.db")
                st.session_state[COPY] = Path(made.backup).read_bytes()
        if (copy := st.session_state.get(COPY)) is not None:
            name = f"{COPY_NAME}-{ctx.today}.db"
            st.download_button("Download the copy", copy, name, "application/octet-stream", key="copy-get")


def open_copy(ctx: Context) -> None:
    """Have the person choose a copy that replaces what is stored."""
    with st.expander("Open a copy"):
        st.write("The copy replaces what is stored here. What was here before is kept in the same folder.")
        with st.form("copy-arrive", border=False):
            uploaded = st.file_uploader("The copy", key="copy-file")
            is_sure = st.checkbox("Replace what is stored on this computer", key="copy-sure")
            is_sent = st.form_submit_button("Open the copy")
        if is_sent and (uploaded is None or not is_sure):
            st.info("Choose the copy, and tick that it replaces what is stored here.")
        elif is_sent and uploaded is not None:
            with explained(), written([uploaded]) as (path,):
                background.stop_all()
                try:
                    restore(ctx, path)
                except StoreDamagedError:
                    st.warning(plain(NO_COPY.format(name=uploaded.name)))
                    return
                _leave()
                _finish("The copy is open.")


def _delete_everything(ctx: Context) -> None:
    with st.expander("Delete everything"):
        st.write(
            "All households and everything stored for them are deleted, also from backups, and sharing that is still "
            "on ends. You cannot undo this."
        )
        with st.form("delete-everything", border=False):
            typed = st.text_input(f"Type {EVERYTHING} to confirm", key="delete-everything-name")
            is_sent = st.form_submit_button("Delete everything")
        if is_sent and typed.strip().casefold() != EVERYTHING:
            st.warning(f"Nothing was deleted. Type {EVERYTHING} to delete all data.")
        elif is_sent:
            with explained(), st.spinner(DELETING):
                background.stop_all()
                failures = forget_all_homes(ctx)
                _leave()
                _finish(f"Everything is deleted.{not_ended(failures)}")


def _leave() -> None:
    """Keep nothing in memory of what was stored before."""
    visit.leave_home()
    background.clear_ended()
    st.cache_data.clear()


def _finish(message: str) -> None:
    st.session_state[DONE] = plain(message)
    st.rerun()
