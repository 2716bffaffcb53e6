"""Files of the data folder that still name what was forgotten; the database itself is never among them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from toolkit.errors import StoreError
from toolkit.flows.forget import search_files as forget_look
from toolkit.flows.forget.target import Target
from toolkit.store import Store, open_store
from toolkit.tables.schema import STORED

_SIDE_FILES = ("", "-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class Remainder:
    """One file that still names it. names: as they stand there.

    kind: `backup` (it has such rows under another household), `database` (a store of its own), else `file`.
    """

    path: Path
    kind: Literal["backup", "database", "file"]
    names: tuple[str, ...]


def remains(db: Path, target: Target, copies: list[Path]) -> list[Remainder]:
    """What is left after `forget` has deleted the rows from the database and its copies.

    A backup is looked through by its rows: those of households that have the same in the database are their own.
    Another database is looked through for ids, any other file for ids and for the name that was said, as whole words.
    """
    backups = [path for path in copies if path.exists()]
    own = {path.with_name(path.name + end).resolve() for path in (db, *backups) for end in _SIDE_FILES}
    files = [path for path in sorted(db.parent.rglob("*")) if path.is_file() and path.resolve() not in own]
    return sorted([*_backups(db, target, backups), *_files(files, target)], key=lambda found: found.path)


def _backups(db: Path, target: Target, backups: list[Path]) -> Iterator[Remainder]:
    if not backups:
        return
    with open_store(db) as store:
        theirs = _owners(store, target)
    for path in backups:
        try:
            with open_store(path, create=False) as copy:
                found = _owners(copy, target) - theirs
        except StoreError:  # taken away in the meantime
            continue
        if found:
            yield Remainder(path, "backup", tuple(sorted({identity for _, identity in found})))


def _owners(store: Store, target: Target) -> set[tuple[str, str]]:
    """Households with rows of the target's ids, and the id."""
    found: set[tuple[str, str]] = set()
    for column, ids in target.ids().items():
        for table in STORED:
            if ids and {"household_id", column} <= set(table.names):
                found |= set(store.tuples(table.name, ("household_id", column), where={column: ids}))
    return found


def _files(files: list[Path], target: Target) -> Iterator[Remainder]:
    ids = sorted({identity for ids in target.ids().values() for identity in ids})
    asked = {"paths": [str(path) for path in files], "ids": ids, "words": sorted(target.names)}
    look = [sys.executable, "-I", forget_look.__file__]
    result = subprocess.run(  # noqa: S603 our own file
        look, input=json.dumps(asked), capture_output=True, text=True, check=True, encoding="utf-8"
    )
    for found in json.loads(result.stdout):
        yield Remainder(Path(found["path"]), "database" if found["database"] else "file", tuple(found["names"]))
