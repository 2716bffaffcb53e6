"""Open SQLite as this project needs it, copy databases in use, and word SQLite's errors; and the files of a database.

The files (its own, its log and its copies) are readable by their owner only, and written whole or not at all. Names are
matched whole: several databases may lie in one folder, and one's name may begin with another's.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import quote

from toolkit.errors import StoreBusyError, StoreDamagedError, StoreError, StoreMissingError
from toolkit.remedies import Message, Remedy

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_MAKING = threading.Lock()

FOLDER = "backups"
_STAMP = "[0-9]{8}T[0-9]{12}Z"
_ASIDE = rf"\.before-restore-{_STAMP}\.bak"
_UPGRADED = r"\.format[0-9]+-[0-9a-f]{8}\.bak"
_PART, _UNVERIFIED, _RESTORING = ".part", ".unverified", ".restoring"
_UNFINISHED = "|".join(map(re.escape, (_PART, _UNVERIFIED, _RESTORING)))


def private_folder(folder: Path) -> Path:
    """Make `folder` with mode 0700, its missing parents too. A folder that exists is left as it is."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=FOLDER_MODE, exist_ok=True)
        place.chmod(FOLDER_MODE)
    return folder


def private_file(path: Path) -> Path:
    """Make an empty file with mode 0600 before anything is written to it; one that exists only gets the mode.

    SQLite gives its `-wal` and `-shm` files the mode of the database file. A file that exists is never opened here:
    closing it would end every POSIX lock that this process has on it, those of SQLite in other threads too, and
    whoever closes the database next would take away the log that they write to.
    """
    private_folder(path.parent)
    with _MAKING, suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE))
    if path.is_dir():
        raise StoreError(f"{path} is a folder: name a file in it.")
    if path.stat().st_mode & 0o777 != FILE_MODE:
        with suppress(PermissionError):  # somebody else's file: `doctor` reports it
            path.chmod(FILE_MODE)
    return path


def replace_private(target: Path, write: Callable[[Path], object]) -> None:
    """Write to a temporary file, then rename it to `target`, so that a reader sees the old or the new file, complete.

    Raises StoreError if the disk is full or not writable.
    """
    unfinished = private_file(target.with_name(f".{target.name}.part"))
    try:
        write(unfinished)
        unfinished.replace(target)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise StoreError(
                f"{target} cannot be written ({error.strerror or error}): make room and repeat."
            ) from error
        raise


# ---- names of copies


def new_backup(path: Path) -> Path:
    """Return the path of a backup made now. One of `home.db` differs in name from one of `home.sqlite`."""
    return path.parent / FOLDER / f"{path.stem}-{_now()}{path.suffix}"


def new_aside(path: Path) -> Path:
    """Return the path that keeps the present database when another is restored now."""
    return path.with_name(f"{path.name}.before-restore-{_now()}.bak")


def new_log(path: Path) -> Path:
    """Return the path for a log set aside now."""
    return path.with_name(f"{path.name}.{_now()}.wal.bak")


def before_upgrade(path: Path, version: int, fingerprint: int) -> Path:
    """Return the path of the copy made before an upgrade to the schema of that fingerprint."""
    return path.with_name(f"{path.name}.format{version}-{fingerprint:08x}.bak")


def unfinished(path: Path) -> Path:
    """Return the path of a copy until it is complete."""
    return path.with_name(path.name + _PART)


def unverified(path: Path) -> Path:
    """Return the path of a backup until it was checked."""
    return path.with_name(path.name + _UNVERIFIED)


def restoring(path: Path) -> Path:
    """Return the path of what is to be restored until it was checked."""
    return path.with_name(path.name + _RESTORING)


def backups_of(path: Path) -> list[Path]:
    """List backups in the usual place, oldest first."""
    return _called(path.parent / FOLDER, _backup(path))


def set_aside_of(path: Path) -> list[Path]:
    """List what restores have kept, oldest first."""
    return _called(path.parent, re.escape(path.name) + _ASIDE)


def upgraded_of(path: Path) -> list[Path]:
    """List what upgrades have kept."""
    return _called(path.parent, re.escape(path.name) + _UPGRADED)


def logs_of(path: Path) -> list[Path]:
    """List logs that were set aside: of a database that was lost or damaged, or with an end that cannot be read."""
    return _called(path.parent, rf"{re.escape(path.name)}\.{_STAMP}\.wal\.bak")


def copies_of(path: Path) -> list[Path]:
    """List what upgrades, restores and backups have kept of the database, the likeliest to be wanted last."""
    return [*upgraded_of(path), *set_aside_of(path), *backups_of(path)]


def remains_of(path: Path) -> list[Path]:
    """List what nobody restores: kept by upgrades, of backups too; backups and restores cut short; logs set aside."""
    rest = rf"({_UPGRADED}|{_UNFINISHED})+(-wal|-shm|-journal)?"
    own = _called(path.parent, rf"{re.escape(path.name)}({_ASIDE})?{rest}")
    return [*own, *_called(path.parent / FOLDER, _backup(path) + rest), *logs_of(path)]


def _backup(path: Path) -> str:
    return f"{re.escape(path.stem)}-{_STAMP}{re.escape(path.suffix)}"


def _called(folder: Path, form: str) -> list[Path]:
    return sorted(path for path in folder.glob("*") if re.fullmatch(form, path.name) and path.is_file())


def _now() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"


# ---- whether the database and its log are where they were

Identity = tuple[tuple[int, int] | None, ...]
"""Device and number of the database file and of its log; None where there is none."""


def is_stored(path: Path) -> bool:
    """Whether there is a database at `path`. Raises StoreError where it is missing but its copies or its log remain."""
    if path.exists():
        return True
    if copies := copies_of(path):
        raise StoreMissingError(
            Message(
                f"{path} is missing, but a copy of it is there: it was moved or deleted. Put it back, or ",
                Remedy.RESTORE_COPY.with_(copy=copies[-1]),
                ". To begin anew, move the copies elsewhere.",
            )
        )
    if _size(log := log_of(path)):
        raise StoreMissingError(
            f"{path} is missing, but its log {log.name} is there: it was moved or deleted. Put it back. To begin anew, "
            "delete the log."
        )
    return False


def log_of(path: Path) -> Path:
    """Return the path of the write-ahead log of a database."""
    return path.with_name(path.name + "-wal")


def _index_of(path: Path) -> Path:
    return path.with_name(path.name + "-shm")


def identity(path: Path) -> Identity:
    """Return device and inode number of the database file and its log."""
    return tuple(_number(place) for place in (path, log_of(path)))


def refuse_replaced(path: Path, opened: Identity) -> None:
    """Raise StoreError if the opened files are no longer at their paths.

    SQLite would continue to write to files that have no name any more. A log created later is not a replacement.
    """
    present = identity(path)
    if any(then not in (None, now) for then, now in zip(opened, present, strict=True)):
        raise StoreMissingError(
            Message(
                f"{path} was moved, deleted or replaced while it was in use: nothing was stored in it since. Put it "
                "back, or ",
                Remedy.SEE_DOCTOR_AND_REPEAT,
                ".",
            )
        )


def is_without_its_log(path: Path) -> bool:
    """Whether the log was taken away after a crash: SQLite makes the log before its index and deletes it after it."""
    log, index = log_of(path), _index_of(path)
    return all(_size(index) and not log.exists() for _ in range(2))  # twice: somebody may just be closing it


def refuse_without_its_log(path: Path) -> None:
    """Raise StoreError if the log was taken away after a crash."""
    if is_without_its_log(path):
        raise StoreMissingError(
            Message(
                f"{path}: its log was taken away after a crash, and what was stored last may be missing: ",
                Remedy.RUN_DOCTOR,
                ".",
            )
        )


def go_on_without_log(path: Path) -> None:
    """Accept the loss of the log, once it has been reported."""
    _index_of(path).unlink(missing_ok=True)


def _size(path: Path) -> int:
    """Return the size of a file in bytes; 0 where there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _number(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


BUSY_SECONDS = 15.0
APPLICATION_ID = 0x464E454B  # "FNEK": distinguishes our files from other SQLite databases

# NORMAL in WAL mode never corrupts; only the last commits may roll back on power loss, and sync fetches those again.
# secure_delete overwrites what is deleted, so that forgetting leaves no bytes behind.
# 16 MB of pages (SQLite's own: 2 MB) hold the keys of some 200,000 rows, which come in no order.
_PRAGMAS = (
    "PRAGMA synchronous = NORMAL",
    "PRAGMA secure_delete = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -16000",
    "PRAGMA wal_autocheckpoint = 4000",  # pages, 32 MB: a sync of many pages copies the log into the file less often
)


def connect(path: Path, *, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """Open a connection in autocommit mode (transactions begin with an explicit BEGIN), with a busy timeout."""
    with failures(path):
        connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
        for pragma in _PRAGMAS:
            connection.execute(pragma)
    return connection


def use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch the database to WAL, as long as the busy timeout lasts: SQLite itself does not wait for this."""
    ends_at = monotonic() + connection.execute("PRAGMA busy_timeout").fetchone()[0] / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() >= ends_at:
                raise
        sleep(0.01)


@contextmanager
def failures(path: Path) -> Iterator[None]:
    """Turn sqlite3's exceptions into StoreBusyError, StoreDamagedError or StoreError with a remedy in the message."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise StoreError(f"{path}: a row breaks the table's rules ({error}).") from error
    except sqlite3.DatabaseError as error:
        raise _in_words(path, error) from error


def _in_words(path: Path, error: sqlite3.DatabaseError) -> StoreError:
    text = str(error)
    if "locked" in text or "busy" in text:
        return StoreBusyError(f"{path} is being written by another process: try again when it has finished.")
    if any(sign in text for sign in ("malformed", "not a database", "disk image", "decode to UTF-8")):
        latest = backups_of(path)[-1:]
        advice = Remedy.RESTORE_BACKUP.with_(backup=latest[0]) if latest else Remedy.ASK_DOCTOR
        return StoreDamagedError(Message(f"{path} is not a whole database ({text}). Keep it, and ", advice, "."))
    if "disk is full" in text or "disk I/O error" in text:
        return StoreError(f"{path}: {text}: nothing was half stored. Make room on the disk, or see to it, and repeat.")
    if "readonly" in text or "unable to open" in text:
        return StoreError(f"{path} cannot be opened or written ({text}): check the folder and its permissions.")
    return StoreError(f"{path}: {text}.")


def copy_database(connection: sqlite3.Connection, target: Path) -> Path:
    """Copy the database as of one commit to `target` (0600), by SQLite's online backup; replaces what is there.

    The copy is finished under another name, so that `target` is whole whenever it exists.
    """
    part = private_file(unfinished(target))
    copy = connect(part)
    try:
        with failures(target):
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    finally:
        copy.close()
    return part.replace(target)


def discard_unfinished(target: Path) -> None:
    """Delete what is left of a copy that was cut short, whatever is in it; only where nobody else makes that copy."""
    for rest in ("", "-journal", "-wal", "-shm"):
        part = unfinished(target)
        part.with_name(part.name + rest).unlink(missing_ok=True)


def copy_file(source: Path, target: Path) -> Path:
    """Copy a database without changing it, its mode and version included: it may be on a read-only disk."""
    with failures(source), closing(sqlite3.connect(f"file:{quote(str(source.absolute()))}?mode=ro", uri=True)) as read:
        read.execute("PRAGMA schema_version")
        return copy_database(read, target)


def empty_log(path: Path) -> None:
    """Move the log into the database, so that it is one file. Raises StoreBusyError where it is open elsewhere."""
    with closing(connect(path)) as connection, failures(path):
        if connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete":
            raise StoreBusyError(f"{path} is open elsewhere: close the app and other commands, then repeat.")


VERSION = 3
"""The number of steps of `schema`."""
FINGERPRINT = 0xF2129063
"""Of the tables and views that `schema` makes, so that one that they were changed for is upgraded. A test names it."""
SCHEMA_TABLE = "_schema"
"""Has the fingerprint of the tables that the database was made with."""


def is_current(connection: sqlite3.Connection) -> bool:
    """Whether a database has the tables of this program."""
    return version_of(connection) == VERSION and fingerprint_of(connection) == FINGERPRINT


def version_of(connection: sqlite3.Connection) -> int:
    """Return the number of steps of `schema` that a database has reached; 0 of a new one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def is_of_another_program(path: Path) -> bool:
    """Whether a SQLite file is not of this program, by the two numbers in its header (bytes 60 and 68)."""
    with path.open("rb") as file:
        header = file.read(72)
    version, program = (int.from_bytes(header[start : start + 4], "big") for start in (60, 68))
    return program not in (APPLICATION_ID, 0) or version == 0


def fingerprint_of(connection: sqlite3.Connection) -> int | None:
    """Return the fingerprint of a database's tables; None of a new one."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (SCHEMA_TABLE,)).fetchone() is None:
        return None
    row = connection.execute(f"SELECT fingerprint FROM {SCHEMA_TABLE}").fetchone()  # noqa: S608 a constant
    if row is None or not isinstance(row[0], int):
        raise sqlite3.DatabaseError("database disk image is malformed: it does not say which tables it has")
    return row[0]
