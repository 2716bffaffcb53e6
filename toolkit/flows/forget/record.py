"""An HTML record of what was deleted and when, without any of the household's data."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from toolkit.errors import UsageError
from toolkit.flows.data.output_files import refuse_to_replace
from toolkit.report import Section, render
from toolkit.store.files import private_file, replace_private

TITLE = "Record of deletion"


def prepare(path: Path, db: Path) -> None:
    """Create the empty file first, so that nothing is deleted if the record cannot be written.

    Raises UsageError if the file exists, StoreError or OSError if it cannot be created.
    """
    refuse_to_replace(path, db, earlier="an empty file", is_earlier=lambda _path: False, option="--record")
    try:
        private_file(path)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written ({error.strerror or error}): name another with --record."
        ) from error


def write_record(path: Path, kind: str, answer: dict[str, Any], reference: str | None) -> None:
    """Write the page, readable by its owner only. kind: what was deleted. answer: the answer of `forget`."""
    at = datetime.now(UTC).replace(microsecond=0)
    page = render(TITLE, f"{at:%d %B %Y, %H:%M:%S} UTC", [_summary(kind, answer, reference), _rows(answer)])
    replace_private(path, lambda unfinished: unfinished.write_text(page, encoding="utf-8"))


def _summary(kind: str, answer: dict[str, Any], reference: str | None) -> Section:
    facts = [
        ("Deleted", kind.replace("_", " ").capitalize()),
        ("Rows deleted", f"{sum(answer['deleted'].values()):,}"),
        ("Backups and copies cleaned", str(len(answer["copies"]))),
        ("Consents ended at the service", str(len(answer["withdrawn"]))),
        ("Consents not ended at the service", str(len(answer["not_withdrawn"]))),
        ("Other files to check", str(len(answer["left"]))),
    ]
    return Section("Summary", facts=[*([("Reference", reference)] if reference else []), *facts])


def _rows(answer: dict[str, Any]) -> Section:
    if not answer["deleted"]:
        return Section("Rows by kind", notes=["No rows were left to delete; an earlier run had deleted them."])
    rows = [[name.replace("_", " ").capitalize(), f"{count:,}"] for name, count in answer["deleted"].items()]
    return Section("Rows by kind", rows=[["Kind", "Rows"], *rows], numbers=frozenset({1}))
