"""Find files of the data folder that still name a deleted id; the database itself is never among them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from toolkit.errors import StoreError
from toolkit.flows.forget import search_files
from toolkit.flows.forget.target import Target
from toolkit.store import Store, open_store
from toolkit.tables.schema import STORED

_SIDE_FILES = ("", "-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class Remainder:
    """A file that still names a deleted id. names: as spelled there.

    kind: `backup` (another household in it has such rows), `database` (a separate store), else `file`.
    """

    path: Path
    kind: Literal["backup", "database", "file"]
    names: tuple[str, ...]


def remains(db: Path, target: Target, copies: list[Path]) -> list[Remainder]:
    """Search the data folder after `forget` has deleted the rows from the database and its copies.

    A backup is searched by its rows, except those of households that have the same id in the database. Another
    database is searched for ids, any other file for ids and for the given name as whole words.
    """
    backups = [path for path in copies if path.exists()]
    own = {path.with_name(path.name + end).resolve() for path in (db, *backups) for end in _SIDE_FILES}
    files = [path for path in sorted(db.parent.rglob("*")) if path.is_file() and path.resolve() not in own]
    return sorted([*_backups(db, target, backups), *_files(files, target)], key=lambda remainder: remainder.path)


def _backups(db: Path, target: Target, backups: list[Path]) -> Iterator[Remainder]:
    if not backups:
        return
    with open_store(db) as store:
        theirs = _owners(store, target)
    for path in backups:
        try:
            with open_store(path, create=False) as copy:
                owners = _owners(copy, target) - theirs
        except StoreError:  # taken away in the meantime
            continue
        if owners:
            yield Remainder(path, "backup", tuple(sorted({identity for _, identity in owners})))


def _owners(store: Store, target: Target) -> set[tuple[str, str]]:
    """Return (household, id) of all rows with one of the target's ids."""
    owners: set[tuple[str, str]] = set()
    for column, ids in target.ids().items():
        for table in STORED:
            if ids and {"household_id", column} <= set(table.names):
                owners |= set(store.tuples(table.name, ("household_id", column), where={column: ids}))
    return owners


def _files(files: list[Path], target: Target) -> Iterator[Remainder]:
    ids = sorted({identity for ids in target.ids().values() for identity in ids})
    question = {"paths": [str(path) for path in files], "ids": ids, "words": sorted(target.names)}
    command = [sys.executable, "-I", search_files.__file__]
    result = subprocess.run(  # noqa: S603 our own file
        command, input=json.dumps(question), capture_output=True, text=True, check=True, encoding="utf-8"
    )
    for entry in json.loads(result.stdout):
        yield Remainder(Path(entry["path"]), "database" if entry["database"] else "file", tuple(entry["names"]))
