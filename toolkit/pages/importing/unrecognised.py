"""Files that were not recognised and may be a bank's: they wait until a person has named their columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import streamlit as st

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


class GivenFile(Protocol):
    """A file that somebody dropped on a page, or that a folder holds."""

    @property
    def name(self) -> str:
        """Its name, without a folder."""
        ...

    @property
    def file_id(self) -> str:
        """What tells it from others of its name."""
        ...

    def getbuffer(self) -> memoryview | bytes:
        """Return its contents."""
        ...


@dataclass(frozen=True, slots=True)
class FileInFolder:
    """A file of a folder that was chosen; read where its contents are needed."""

    place: Path

    @property
    def name(self) -> str:
        """Its name."""
        return self.place.name

    @property
    def file_id(self) -> str:
        """Its place."""
        return str(self.place)

    def getbuffer(self) -> bytes:
        """Return its contents."""
        return self.place.read_bytes()


def wait(given: Iterable[GivenFile]) -> None:
    """Keep those of the files that are tables, in place of those that waited before."""
    st.session_state[_WAITING] = [file for file in given if file.name.lower().endswith(_TABLES)]


def waiting() -> Sequence[GivenFile]:
    """Return the files that wait for their columns; those that are gone from their folder do not."""
    found: Sequence[GivenFile] = st.session_state.get(_WAITING, ())
    return [file for file in found if not isinstance(file, FileInFolder) or file.place.is_file()]
