"""What an importer hands back: good rows and problems, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from toolkit.errors import Problem

Row = dict[str, Any]
"""A row of a table of `tables.schema`, without household_id and file_id, which only the flow knows."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the person may say about files.

    kind: read the file as this kind, whatever it looks like. account: for bank files that name no account.
    continues: `account` is not the person's word, but one that earlier files of the same layout made.
    timezone: IANA zone of the service point or account. controlled_load: register suffixes that are controlled load.
    """

    kind: str | None = None
    account: str | None = None
    timezone: str = "Australia/Sydney"
    controlled_load: Sequence[str] = ()
    continues: bool = False


@dataclass(slots=True)
class Imported:
    """One file's contents.

    tables: table name → rows. counts: table whose rows are counted. rejected: how many of these were left out.
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
        """Leave `rows` out, and say why."""
        self.problems.append(Problem(where, reason))
        self.rejected += rows

    def warn(self, where: str, reason: str) -> None:
        """Take it as it is, but say what to look at."""
        self.problems.append(Problem(where, reason, "warning"))
