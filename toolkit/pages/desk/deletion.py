"""Deleting a household for good, with a record that holds nothing of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st
from msgspec.structs import replace

from toolkit.answers.forget import Forgotten, WithdrawalFailure
from toolkit.errors import AuthenticationError
from toolkit.flows.consent.disconnect import withdraw
from toolkit.flows.forget.forget import Withdraw, forget, forget_everything
from toolkit.flows.household.context import Context
from toolkit.flows.wording import counted
from toolkit.pages.answers import explained, forget_all
from toolkit.pages.data import connecting
from toolkit.pages.server import background
from toolkit.pages.text import is_typed, message, plain


@dataclass(frozen=True, slots=True)
class Deleted:
    """What is said of a deletion, and the page that states what went, without any of it."""

    message: str
    record: bytes


DELETING = "Deleting, and rewriting the database so that nothing remains in it …"


def delete(ctx: Context, name: str) -> None:
    """Delete a household for good, once its name is typed."""
    with st.popover("Delete …"):
        st.write(
            plain(
                f"Everything stored for {name} is deleted, also from backups, and sharing that is still on ends. "
                f"You cannot undo this. To confirm, type {name}."
            )
        )
        with st.form(f"delete-{ctx.household}", border=False):
            typed = st.text_input("Name of the household to delete", key=f"delete-name-{ctx.household}")
            reference = st.text_input("Your reference for the record (optional)")
            is_sure = st.form_submit_button("Delete", type="primary")
        if is_sure and not is_typed(typed, name):
            st.warning(plain(f"Nothing was deleted. Type {name} to delete its data."))
        elif is_sure:
            with explained(), st.spinner(DELETING):
                background.stop_all()
                job = background.start(_key(ctx), "Deleting", partial(_work, ctx, name, reference.strip() or None))
                job.wait_for_end()
                if job.error is None:
                    st.rerun()
                background.clear(_key(ctx))
                raise job.error


def take(ctx: Context) -> Deleted | None:
    """Return what was deleted last, once it is; None where it was taken already, or nothing was.

    The work is not the script's: whoever goes to another page meanwhile, or loads this one again, gets the record too.
    """
    job = background.job(_key(ctx))
    if job is None:
        return None
    with st.spinner(DELETING):
        job.wait_for_end()
    if job.error is not None:
        background.clear(_key(ctx))
        raise job.error
    assert isinstance(job.answer, Deleted)
    return job.answer


def taken(ctx: Context) -> None:
    """Forget what was deleted last: this visit keeps the record."""
    background.clear(_key(ctx))


def forget_home(ctx: Context, household: str, *, record: Path, reference: str | None) -> Forgotten:
    """Delete a household, and end what it shares where a service is set up."""
    with _withdrawing() as withdraw:
        own = replace(ctx, service_point=None)
        return forget(own, household=household, record=record, reference=reference, withdraw=withdraw)


def forget_all_homes(ctx: Context) -> tuple[WithdrawalFailure, ...]:
    """Delete every household, and end what they share; return what could not be ended."""
    with _withdrawing() as withdraw:
        return forget_everything(ctx, withdraw=withdraw)


@contextmanager
def _withdrawing() -> Iterator[Withdraw | None]:
    """Yield what ends a consent at the service; None where no service is set up: the data goes all the same."""
    with ExitStack() as stack:
        try:
            client = stack.enter_context(connecting.service())
        except AuthenticationError:
            yield None
        else:
            yield partial(withdraw, client)


def not_ended(failures: Iterable[WithdrawalFailure]) -> str:
    """Say what could not be ended at the service; empty where nothing is left."""
    return "".join(
        f" Its sharing could not be ended at the service: {message(row.reason).rstrip('.')}." for row in failures
    )


def _key(ctx: Context) -> str:
    return f"deletion {ctx.db}"


def _work(ctx: Context, name: str, reference: str | None, _job: background.Job) -> Deleted:
    assert ctx.household is not None
    with tempfile.TemporaryDirectory(prefix="toolkit-record-") as folder:
        record = Path(folder) / "record.html"
        answer = forget_home(ctx, ctx.household, record=record, reference=reference)
        made = record.read_bytes()
    forget_all()
    background.clear_ended()
    rows = counted(sum(answer.deleted.values()), "row")
    said = f"{name} is deleted: {rows}. The record below states what was deleted, without any data."
    return Deleted(f"{said}{not_ended(answer.not_withdrawn)}", made)
