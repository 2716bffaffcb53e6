"""Energy bills dropped as PDF: what was read of each, as a form to be checked before anything is saved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import cast

import streamlit as st
from msgspec.structs import replace
from streamlit.runtime.uploaded_file_manager import UploadedFile

from toolkit.answers.energy.invoice_list import InvoiceDraft
from toolkit.errors import ImportFailedError, UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.household.settings import set_home
from toolkit.flows.invoices import draft
from toolkit.flows.invoices.edit import is_same_bill
from toolkit.pages import widgets
from toolkit.pages.energy import kept_bills
from toolkit.pages.server import background
from toolkit.pages.text import message, plain, sentence

DRAFTS, SAVED, KNOWN = "bill-drafts", "bill-saved", "bill-known"
_NUMBERS = count(1)
"""Of the forms of this process: one that a reload brings back and a new one have different keys."""
Draft = tuple[str, str, InvoiceDraft | str]
"""Key of the form, the file's name, and what was read or why nothing was."""


def may_be_a_bill(upload: UploadedFile) -> bool:
    """Return whether an uploaded file is a PDF or a picture, by its content."""
    return draft.may_be_a_bill(bytes(upload.getbuffer()[:16]))


def read_drafts(paths: Sequence[Path]) -> list[Draft]:
    """Read PDFs; of pictures and of what cannot be read only the reason is kept."""
    drafts: list[Draft] = []
    for path in paths:
        number = next(_NUMBERS)
        try:
            drafts.append((f"pdf-bill-{number}", path.name, draft.read_pdf(path)))
        except ImportFailedError as error:
            drafts.append((f"pdf-bill-{number}", path.name, error.reason))
    return drafts


def add_drafts(ctx: Context, drafts: Sequence[Draft]) -> None:
    """Keep what was read of bills beside those not saved yet; of a file of the same name the newer.

    Kept outside the visit: a page that is left while files are read would lose what they hold.
    """
    st.session_state.pop(KNOWN, None)
    names = {name for _, name, _ in drafts}
    earlier = [other for other in _kept(ctx) or () if isinstance(other[2], InvoiceDraft) and other[1] not in names]
    background.keep(_key_of(ctx), [*earlier, *drafts])


def unsaved(ctx: Context) -> list[Draft]:
    """Return what was read of bills that are not saved yet."""
    drafts = _kept(ctx)
    if drafts is None:  # forgotten with everything else that had ended, as another household was deleted
        drafts = st.session_state.get(DRAFTS, [])
    st.session_state[DRAFTS] = drafts
    return drafts


def to_check(ctx: Context) -> int:
    """Return how many bills were read and are still to check and save."""
    _put_known_aside(ctx)
    return sum(isinstance(read, InvoiceDraft) for _, _, read in unsaved(ctx))


def rows_of_unsaved(ctx: Context) -> list[widgets.Row]:
    """Return the rows of bills that are not saved yet in the table of imported files."""
    return [
        {
            "path": name,
            "kind": "Energy bill" if isinstance(read, InvoiceDraft) else "Not read",
            "added": "to check and save below" if isinstance(read, InvoiceDraft) else "the reason is below",
        }
        for _, name, read in unsaved(ctx)
    ]


def _put_known_aside(ctx: Context) -> None:
    """Take from what is to be checked each bill that is stored already, or waits from another file; note which."""
    drafts, known = unsaved(ctx), []
    left: list[Draft] = []
    for each in drafts:
        reason = _why_known(ctx, each[2], left)
        if reason is None:
            left.append(each)
        else:
            known.append(f"{each[1]}: {reason}")
    if known:
        _keep(ctx, left)
        st.session_state[KNOWN] = [*st.session_state.get(KNOWN, ()), *known]


def _why_known(ctx: Context, read: InvoiceDraft | str, waiting: Sequence[Draft]) -> str | None:
    """Say that a bill is stored already, or is one of those that wait; None where it is new."""
    if isinstance(read, str):
        return None
    if stored := kept_bills.already_stored(ctx, read):
        return stored
    for _, name, other in waiting:
        if isinstance(other, InvoiceDraft) and is_same_bill(read, other):
            return f"the same bill as {name}, which is below."
    return None


def _kept(ctx: Context) -> list[Draft] | None:
    """Return what is kept for the household; None where nothing was read.

    A bill read before anything was stored belongs to the first household that looks, which was made since: to no other.
    """
    own, first = _key_of(ctx), _key_of(replace(ctx, household=None))
    if background.job(own) is None and (read_first := background.job(first)) is not None:
        background.keep(own, read_first.answer)
        background.clear(first)
    kept = background.job(own)
    return None if kept is None else list(cast(list[Draft], kept.answer))


def _keep(ctx: Context, drafts: Sequence[Draft]) -> None:
    background.keep(_key_of(ctx), list(drafts))
    st.session_state[DRAFTS] = list(drafts)


def _key_of(ctx: Context) -> str:
    return f"bill drafts {ctx.db} {ctx.household}"


def render(ctx: Context) -> bool:
    """Show the form of each bill that was read and is not saved yet; return whether one was just saved."""
    saved = widgets.confirm(SAVED)
    _put_known_aside(ctx)
    for known in st.session_state.get(KNOWN, ()):
        st.info(plain(known))
    drafts = unsaved(ctx)
    for key, name, read in drafts:
        with st.container(border=True):
            st.markdown(f"**{plain(name)}**")
            if isinstance(read, str):
                st.warning(sentence(f"This file {read}"))
                bill, source = InvoiceDraft(), "typed"
            else:
                bill, source = read, "pdf"
            for note in bill.notes:
                st.info(sentence(note))
            postcode = _postcode(ctx, bill, key)
            done = kept_bills.add(ctx, bill, key=key, source=source)
            if done and postcode:
                done += _keep_postcode(ctx, postcode)
            if st.button("Don't save this bill", key=f"discard-{key}"):
                done = f"{name} is dropped: nothing of it is saved."
            if done:
                left = [other for other in drafts if other[0] != key]
                done += _still_to_check(left)
                _keep(ctx, left)
                st.session_state[SAVED] = plain(done)
                st.rerun()
    return saved


def _still_to_check(left: Sequence[Draft]) -> str:
    """Say which bills are still to be saved; empty where none is."""
    names = [name for _, name, read in left if isinstance(read, InvoiceDraft)]
    return f" Still to check and save: {', '.join(names)}." if names else ""


def _postcode(ctx: Context, read: InvoiceDraft, key: str) -> str:
    """Show the postcode that the bill states, to be checked; nothing where the home has one, or the bill does not."""
    stored = homes(ctx).households if ctx.db.exists() else ()
    home = next((home for home in stored if ctx.household in (None, home.id)), None)
    if not read.postcode or (home and home.postcode):
        return ""
    return st.text_input("Postcode of the home", read.postcode, max_chars=4, key=f"{key}-postcode", width=220).strip()


def _keep_postcode(ctx: Context, postcode: str) -> str:
    """Make it the home's postcode; return a sentence that confirms it, or why not."""
    try:
        set_home(ctx, postcode=postcode)
    except UsageError as error:
        return f" {message(error)}"
    return f" {postcode} is saved as the postcode of the home."
