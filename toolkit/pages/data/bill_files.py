"""Energy bills dropped as PDF: what was read of each, as a form to be checked before anything is saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from toolkit.answers.energy.invoice_list import InvoiceDraft
from toolkit.errors import ImportFailedError
from toolkit.flows.household.context import Context
from toolkit.flows.invoices.draft import read_pdf
from toolkit.pages.energy import kept_bills
from toolkit.pages.text import plain, sentence

DRAFTS, READ, SAVED = "bill-drafts", "bills-read", "bill-saved"
Draft = tuple[str, str, InvoiceDraft | str]
"""Key of the form, the file's name, and what was read or why nothing was."""


def is_pdf(upload: UploadedFile) -> bool:
    """Return whether an uploaded file is a PDF, by its content."""
    return bytes(upload.getbuffer()[:5]) == b"%PDF-"


def read_drafts(paths: Sequence[Path]) -> list[Draft]:
    """Read PDFs."""
    drafts: list[Draft] = []
    for path in paths:
        number = st.session_state[READ] = st.session_state.get(READ, 0) + 1
        try:
            drafts.append((f"pdf-bill-{number}", path.name, read_pdf(path)))
        except ImportFailedError as error:
            drafts.append((f"pdf-bill-{number}", path.name, error.reason))
    return drafts


def keep_drafts(drafts: Sequence[Draft]) -> None:
    """Keep what was read of bills until the person has checked it."""
    st.session_state[DRAFTS] = list(drafts)


def render(ctx: Context) -> bool:
    """Show the form of each bill that was read and is not saved yet; return whether one was just saved."""
    if saved := st.session_state.pop(SAVED, None):
        st.success(plain(saved))
    drafts: list[Draft] = st.session_state.get(DRAFTS, [])
    for key, name, read in drafts:
        with st.container(border=True):
            st.markdown(f"**{plain(name)}**")
            if isinstance(read, str):
                st.warning(sentence(f"This file {read}"))
                continue
            for note in read.notes:
                st.info(sentence(note))
            done = kept_bills.add(ctx, read, key=key, source="pdf")
            if st.button("Don't save this bill", key=f"discard-{key}"):
                done = "The bill was not saved."
            if done:
                st.session_state[DRAFTS] = [draft for draft in drafts if draft[0] != key]
                st.session_state[SAVED] = done
                st.rerun()
    return saved is not None
