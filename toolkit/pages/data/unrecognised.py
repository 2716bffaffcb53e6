"""Files that were not recognised and may be a bank's: they wait until a person has named their columns."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from toolkit.answers.data import ImportedFile
from toolkit.remedies import Remedy, page_wording

LABEL = "A bank's CSV that is not recognised"
_WAITING = "import-unread"
_MAY_BE = tuple(map(page_wording, (Remedy.NAME_COLUMNS, Remedy.AS_INVERTER)))
"""What is said of a table that is not recognised."""
_TABLES = (".csv", ".txt")


def may_be_a_banks(reason: object) -> bool:
    """Return whether a file that was refused for this reason may be a bank's, whose columns a person can name."""
    return any(remedy in page_wording(reason) for remedy in _MAY_BE)


def lacks_columns(file: ImportedFile) -> bool:
    """Return whether a file was not recognised, and may be a bank's."""
    return file.kind is None and any(may_be_a_banks(problem.reason) for problem in file.problems)


def wait(uploaded: Sequence[UploadedFile]) -> None:
    """Keep those of the files that are tables, in place of those that waited before."""
    st.session_state[_WAITING] = [upload for upload in uploaded if upload.name.lower().endswith(_TABLES)]


def waiting() -> Sequence[UploadedFile]:
    """Return the files that wait for their columns."""
    found: Sequence[UploadedFile] = st.session_state.get(_WAITING, ())
    return found
