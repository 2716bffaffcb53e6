"""Copies of the database: made while it is in use, verified, put back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.errors import StoreDamaged, StoreError
from toolkit.flows.context import Context

if TYPE_CHECKING:
    from toolkit.store import Store

FOLDER = "backups"


def backup(ctx: Context, *, out: Path | None = None) -> dict[str, Any]:
    """`backup`: a verified copy as of one commit, by default in folder `backups` beside the database.

    Raises StoreError where there is no database, StoreDamaged where the copy is not whole (it is then not kept).
    """
    from toolkit.store import open_store

    with open_store(ctx.db, create=False) as store:
        target = out or _default_target(ctx.db)
        if target.is_dir():
            target = target / _default_target(ctx.db).name
        unfinished = store.copy_to(target.with_name(target.name + ".unverified"))
    try:
        rows = _verified(unfinished)
    except StoreError:
        unfinished.unlink(missing_ok=True)
        raise
    unfinished.replace(target)
    return {"db": str(ctx.db), "backup": str(target), "bytes": target.stat().st_size, "rows": rows}


def restore(ctx: Context, source: Path) -> dict[str, Any]:
    """`restore`: put a verified copy in the database's place; what was there is kept beside it, under `kept`.

    Raises StoreError where `source` is not there, StoreDamaged where it is not whole; nothing is changed then.
    """
    from toolkit.store import open_store

    if not source.is_file():
        raise StoreError(f"{source}: there is no such backup.")
    with open_store(source, create=False) as copy:
        _refuse_damaged(copy, source)
        arriving = copy.copy_to(ctx.db.with_name(ctx.db.name + ".restoring"))
    rows = _verified(arriving)
    kept = _set_aside(ctx.db) if ctx.db.exists() else None
    arriving.replace(ctx.db)
    return {"db": str(ctx.db), "restored": str(source), "kept": str(kept) if kept else None, "rows": rows}


def backups_of(db: Path) -> list[Path]:
    """Backups in the usual place, oldest first."""
    return sorted((db.parent / FOLDER).glob(f"{db.stem}-*.db"))


def _default_target(db: Path) -> Path:
    return db.parent / FOLDER / f"{db.stem}-{_stamp()}.db"


def _stamp() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")


def _verified(path: Path) -> int:
    """Rows in all tables of a copy that is whole."""
    from toolkit.store import open_store
    from toolkit.tables.schema import STORED

    with open_store(path, create=False) as store:
        _refuse_damaged(store, path)
        rows = sum(store.count(table.name) for table in STORED)
    _drop_log(path)
    return rows


def _refuse_damaged(store: Store, path: Path) -> None:
    damage = store.damage()
    if damage:
        raise StoreDamaged(f"{path} is not whole: {damage[0]}")


def _set_aside(db: Path) -> Path:
    """The present database, moved out of the way; its log is emptied into it first where it can be read."""
    from toolkit.store import open_store

    try:
        with open_store(db, create=False) as store:
            store.scrub()
    except StoreDamaged:
        _move_log_aside(db)
    kept = db.with_name(f"{db.name}.before-restore-{_stamp()}.bak")
    db.replace(kept)
    _drop_log(db)
    return kept


def _drop_log(db: Path) -> None:
    for suffix in ("-wal", "-shm"):
        db.with_name(db.name + suffix).unlink(missing_ok=True)


def _move_log_aside(db: Path) -> None:
    """A damaged database's log may hold what a specialist can still save."""
    log = db.with_name(db.name + "-wal")
    if log.exists():
        log.replace(db.with_name(f"{db.name}.before-restore-{_stamp()}.wal.bak"))
