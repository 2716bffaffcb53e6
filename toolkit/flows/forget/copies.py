"""Delete the same rows from copies of the database, and find other files that still name a deleted id."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from toolkit.answers.forget import CleanedCopy, RemainingFile
from toolkit.errors import StoreError
from toolkit.flows.forget import search_files
from toolkit.flows.forget.rows import delete
from toolkit.flows.forget.target import Target, find_by_tombstone, shared_arrangements
from toolkit.flows.household.context import Progress
from toolkit.store import Store, open_store
from toolkit.store.connection import backups_of, remains_of, set_aside_of
from toolkit.tables.schema import STORED

CLEAN = "rows deleted"
NO_MATCH = "contained no matching rows"
"""What became of a backup."""


def forget_copies(db: Path, targets: Sequence[Target], progress: Progress) -> list[CleanedCopy]:
    """Delete the targets' rows from every backup; remove backups that cannot be opened, and copies kept by upgrades."""
    done: list[CleanedCopy] = []
    for path in [*set_aside_of(db), *backups_of(db)]:  # what `backup` and `restore` keep in their usual folders
        progress(f"deleting from {path.name}")
        done.append(CleanedCopy(str(path), _delete_in_backup(path, targets)))
    for path in remains_of(db):
        path.unlink()
        done.append(CleanedCopy(str(path), "removed"))
    return done


def _delete_in_backup(path: Path, targets: Sequence[Target]) -> str:
    try:
        with open_store(path, create=False) as copy:
            try:
                done = {_delete_rows(copy, target) for target in targets}
                return CLEAN if CLEAN in done else NO_MATCH
            finally:
                copy.scrub()  # also where an earlier attempt had deleted the rows only
    except StoreError:
        path.unlink(missing_ok=True)
        return "removed: it could not be opened"


def _delete_rows(copy: Store, target: Target) -> str:
    matches = find_by_tombstone(copy, target)
    for match in matches:
        delete(copy, match, shared_arrangements(copy, match))
    if matches or copy.count("tombstones", where={"of": target.tombstone}):
        return CLEAN
    return NO_MATCH


_SIDE_FILES = ("", "-wal", "-shm", "-journal")


def remains(db: Path, target: Target, copies: list[Path]) -> list[RemainingFile]:
    """Search the data folder after `forget` has deleted the rows from the database and its copies.

    A backup is searched by its rows, except those of households that have the same id in the database. Another
    database is searched for ids, any other file for ids and for the given name as whole words.
    """
    backups = [path for path in copies if path.exists()]
    own = {path.with_name(path.name + end).resolve() for path in (db, *backups) for end in _SIDE_FILES}
    files = [path for path in sorted(db.parent.rglob("*")) if path.is_file() and path.resolve() not in own]
    return sorted([*_backups(db, target, backups), *_files(files, target)], key=lambda file: Path(file.path))


def _backups(db: Path, target: Target, backups: list[Path]) -> Iterator[RemainingFile]:
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
            yield RemainingFile(str(path), "backup", tuple(sorted({identity for _, identity in owners})))


def _owners(store: Store, target: Target) -> set[tuple[str, str]]:
    """Return (household, id) of all rows with one of the target's ids."""
    owners: set[tuple[str, str]] = set()
    for column, ids in target.ids().items():
        for table in STORED:
            if ids and {"household_id", column} <= set(table.names):
                owners |= set(store.tuples(table.name, ("household_id", column), where={column: ids}))
    return owners


def _files(files: list[Path], target: Target) -> Iterator[RemainingFile]:
    ids = sorted({identity for ids in target.ids().values() for identity in ids})
    question = {"paths": [str(path) for path in files], "ids": ids, "words": sorted(target.names)}
    # without the packages installed, which take longer to find than the files to search
    command = [sys.executable, "-I", "-S", search_files.__file__]
    result = subprocess.run(  # noqa: S603 our own file
        command, input=json.dumps(question), capture_output=True, text=True, check=True, encoding="utf-8"
    )
    for entry in json.loads(result.stdout):
        yield RemainingFile(entry["path"], "database" if entry["database"] else "file", tuple(entry["names"]))
