"""The result of an importer: rows, problems and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from toolkit.errors import Problem
from toolkit.tables.schema import Row
from toolkit.units import DEFAULT_ZONE


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the person for reading files.

    kind: read the file as this kind, whatever its content. account: for bank files that name no account.
    continues: `account` was not given by the person but created by earlier files of the same layout.
    timezone: IANA zone of the service point or account. controlled_load: register suffixes that are controlled load.
    """

    kind: str | None = None
    account: str | None = None
    timezone: str = DEFAULT_ZONE
    controlled_load: Sequence[str] = ()
    continues: bool = False


@dataclass(slots=True)
class Imported:
    """One file's contents.

    tables: table name → rows. counts: table with the rows that are counted. rejected: how many of these were left out.
    counts_reads: a row of `register_days` counts as many as it has reads. partial_days: the file may know only a part
    of a meter day, so a stored one is filled up and not replaced. places: key of a meter row → `file:line`.
    """

    kind: str
    counts: str
    tables: dict[str, list[Row]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    rejected: int = 0
    counts_reads: bool = False
    partial_days: bool = False
    places: dict[tuple[object, ...], str] = field(default_factory=dict)

    def reject(self, where: str, reason: str, *, rows: int = 1) -> None:
        """Record that `rows` rows are left out, and why."""
        self.problems.append(Problem(where, reason))
        self.rejected += rows

    def warn(self, where: str, reason: str) -> None:
        """Record a warning about data that is accepted."""
        self.problems.append(Problem(where, reason, "warning"))
