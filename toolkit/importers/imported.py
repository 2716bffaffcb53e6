"""The result of an importer: rows, problems and notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from toolkit.answers.base import Note
from toolkit.importers.banks.columns import Columns
from toolkit.problems import Problem
from toolkit.tables.schema import Row
from toolkit.units import DEFAULT_ZONE


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the person for reading files."""

    kind: str | None = None
    """Read the file as this kind, whatever its content."""
    account: str | None = None
    """Account of bank files that name none."""
    timezone: str = DEFAULT_ZONE
    """IANA zone of the service point or account."""
    controlled_load: Sequence[str] = ()
    """Register suffixes that are controlled load."""
    columns: Columns | None = None
    """Columns of a bank's CSV as a person named them; files of other kinds do not need them."""
    kept_columns: Callable[[], Columns | None] = lambda: None
    """Looks up the columns kept for files with the header of this one, where no `columns` are given."""
    continues: bool = False
    """`account` was not given by the person but created by earlier files of the same layout."""


@dataclass(slots=True)
class Imported:
    """One file's contents."""

    kind: str
    counts: str
    """Table with the rows that are counted."""
    tables: dict[str, list[Row]] = field(default_factory=dict)
    """Table name → rows, without household_id and file_id, which only the flow knows."""
    problems: list[Problem] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    rejected: int = 0
    """Number of rows of table `counts` that were left out."""
    counts_reads: bool = False
    """A row of `register_days` counts as many as it has reads."""
    partial_days: bool = False
    """The file may know only a part of a meter day, so a stored one is filled up and not replaced."""
    places: dict[tuple[object, ...], str] = field(default_factory=dict)
    """Key of a meter row → `file:line`."""

    def reject(self, where: str, reason: str, *, rows: int = 1) -> None:
        """Record that `rows` rows are left out, and why."""
        self.problems.append(Problem(where, reason))
        self.rejected += rows

    def warn(self, where: str, reason: str) -> None:
        """Record a warning about data that is accepted."""
        self.problems.append(Problem(where, reason, "warning"))

    def forget_problems(self) -> None:
        """Drop what was recorded, so that the file can be read again in another way."""
        self.problems.clear()
        self.notes.clear()
        self.rejected = 0
