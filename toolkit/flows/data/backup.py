"""Copies of the database: made while it is in use, verified, put back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from toolkit.answers.data import Backup, Restored
from toolkit.errors import StoreDamagedError, StoreError
from toolkit.flows.data.output_files import refuse_to_replace
from toolkit.flows.household.context import Context
from toolkit.remedies import Message
from toolkit.store import open_store
from toolkit.store.connection import (
    backups_of,
    copy_file,
    empty_log,
    is_of_another_program,
    new_aside,
    new_backup,
    new_log,
    restoring,
    unverified,
    upgraded_of,
)
from toolkit.tables.schema import STORED


def backup(ctx: Context, *, out: Path | None = None) -> Backup:
    """Make a verified copy of the database as of one commit, by default in folder `backups` next to the database.

    It replaces no file. Raises StoreError where there is no database, UsageError where `out` is a file that is there
    already, StoreDamagedError where the copy is not whole (it is then not kept).
    """
    with open_store(ctx.db, create=False) as store:
        target = out or new_backup(ctx.db)
        if target.is_dir():
            target = target / new_backup(ctx.db).name
        refuse_to_replace(target, ctx.db, earlier="empty", is_earlier=lambda _: False)
        made = store.copy_to(unverified(target))
    try:
        rows = _verified(made)
    except StoreError:
        made.unlink(missing_ok=True)
        raise
    made.replace(target)
    return Backup(db=str(ctx.db), backup=str(target), bytes=target.stat().st_size, rows=rows)


def restore(ctx: Context, source: Path) -> Restored:
    """Replace the database with a verified copy; the previous database is kept next to it (`kept`).

    `source` is only read. Raises StoreError where it is not there, StoreDamagedError where it is not whole,
    StoreBusyError where the database is in use; nothing is changed then.
    """
    if not source.is_file():
        raise StoreError(f"{source}: there is no such backup.")
    arriving = copy_file(source, restoring(ctx.db))
    try:
        rows = _verified(arriving, source)
        if is_of_another_program(source):  # opening it made our tables beside its own, in the copy
            raise StoreDamagedError(f"{source} is a database of another program.")
        kept = _kept(ctx.db)
    except StoreError:
        arriving.unlink(missing_ok=True)
        raise
    arriving.replace(ctx.db)
    return Restored(db=str(ctx.db), restored=str(source), kept=str(kept) if kept else None, rows=rows)


def latest_whole(db: Path, copies: Sequence[Path] | None = None) -> Path | None:
    """Return the last copy that can be restored, by default of the backups in the usual folder; None without one."""
    looked_at = restoring(db)
    for saved in reversed(backups_of(db) if copies is None else copies):
        with suppress(StoreError):
            _verified(copy_file(saved, looked_at), saved)
            looked_at.unlink()
            return saved
        looked_at.unlink(missing_ok=True)
    return None


def _verified(path: Path, source: Path | None = None) -> int:
    """Count the rows in all tables of an intact copy. source: what it is a copy of, for the error message."""
    try:
        with open_store(path, create=False) as store:
            if damage := store.damage():
                raise StoreDamagedError(damage[0])
            rows = sum(store.count(table.name) for table in STORED)
    except StoreDamagedError as error:
        raise StoreDamagedError(Message(f"{source or path} is not whole: ", error)) from error
    for upgraded in upgraded_of(path):
        upgraded.unlink()
    return rows


def _kept(db: Path) -> Path | None:
    """Keep the present database under a second name, its log written into it; a database exists at all times."""
    kept = new_aside(db)
    if db.exists():
        with suppress(StoreDamagedError):
            empty_log(db)
        try:
            os.link(db, kept)
        except OSError:  # a disk without links
            shutil.copy2(db, kept)
    log = db.with_name(db.name + "-wal")
    if log.exists():  # of a damaged or missing database: it may help to recover data, and would corrupt another one
        log.replace(new_log(db))
    db.with_name(db.name + "-shm").unlink(missing_ok=True)
    return kept if kept.exists() else None
