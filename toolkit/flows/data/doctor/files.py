"""Check that only the owner can read the files, and that the database is intact."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from toolkit.answers.data import Check
from toolkit.flows.data.backup import latest_whole
from toolkit.store import Store
from toolkit.store.connection import copies_of, go_on_without_log, is_without_its_log, logs_of

FOLDER_MODE, FILE_MODE = 0o700, 0o600
_OTHERS = 0o077


def permissions(db: Path, data_dir: Path) -> Iterator[Check]:
    """Check permissions of the data folder, the database and its side files; correct modes that others can read."""
    if os.name != "posix" or not db.exists():
        return
    paths = sorted({path for path in (*_own(db), *_inside(data_dir)) if not path.is_symlink()})
    strange = [path for path in paths if path.stat().st_uid != os.getuid()]
    loose = [path for path in paths if path not in strange and path.stat().st_mode & _OTHERS]
    if strange:
        yield Check("permissions", "error", f"{_some(strange)} belongs to another user. Change its owner (chown).")
    if loose:
        yield _with_private_modes(loose)
    if db.parent.stat().st_mode & _OTHERS and db.parent not in loose:
        seen = f"Others can see which files are in {db.parent}, but not read the toolkit's files"
        text = f"{seen}. Use a folder of its own with mode 700."
        yield Check("permissions", "warning", text)
    if not strange and not loose:
        yield Check("permissions", "ok", f"{db} can be read by you alone.")


def _own(db: Path) -> Iterator[Path]:
    """Yield the database, its logs and copies; a database outside the data folder may be among other files."""
    sidecars = [db.with_name(db.name + ending) for ending in ("-wal", "-shm")]
    yield from (db, *(path for path in sidecars if path.exists()), *copies_of(db), *logs_of(db))


def _inside(data_dir: Path) -> Iterator[Path]:
    if data_dir.is_dir():
        yield from (data_dir, *data_dir.rglob("*"))


def _with_private_modes(loose: list[Path]) -> Check:
    """Make the paths private; report those that cannot be changed, such as on a memory stick, with the reason."""
    modes = ", ".join(sorted({f"{stat.S_IMODE(path.stat().st_mode):o}" for path in loose}))
    try:
        for path in loose:
            path.chmod(FOLDER_MODE if path.is_dir() else FILE_MODE)
    except OSError as error:
        text = f"{error.filename} can be read by others ({modes}), and this cannot be changed: {error.strerror}."
        return Check("permissions", "error", text)
    return Check("permissions", "warning", f"{_some(loose)} could be read by others ({modes}); only you can now.")


def _some(paths: list[Path]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{paths[0]}{more}"


def lost_log(db: Path) -> Iterator[Check]:
    """Report a lost log once; the rest of the database can be used afterwards."""
    if is_without_its_log(db):
        go_on_without_log(db)
        text = f"The log of {db} was removed after a crash, so the latest changes may be missing. "
        yield Check("log", "warning", f"{text}Run `toolkit sync --full`, and import again what you imported last.")


def integrity(store: Store) -> Check:
    """Check the database; rebuild a wrong search index, and advise on backups for other damage."""
    if not (damage := store.damage()):
        return Check("database", "ok", f"{store.path} is whole.")
    if damage == store.remade_indexes():
        return Check("database", "warning", f"{' '.join(damage)} It was rebuilt.")
    return Check("database", "error", f"{store.path} is not whole: {' '.join(damage)} {advice(store.path)}")


def advice(db: Path) -> str:
    """Advise on a damaged database: restore the newest intact backup, if there is one."""
    if latest := latest_whole(db):
        return f"Restore the latest whole backup: toolkit restore {latest} (the present database is kept next to it)."
    return (
        "There is no whole backup in its folder. Keep the file; `toolkit sync --full` into another one (--db) reads "
        "again what the service still provides, and `toolkit import` your files."
    )
