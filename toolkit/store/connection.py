"""Open SQLite as this project needs it, copy databases in use, and word SQLite's errors.

Every connection has SQL functions that open interval blobs:

SELECT date, interval_values(reads, exponent, width) FROM register_days     -- JSON list of numbers
SELECT interval_value(reads, exponent, width, 1) FROM register_days         -- the first of the day

A Datasette plugin with the line `from toolkit.store.connection import prepare_connection` adds them there too.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import quote

from toolkit.errors import StoreBusyError, StoreDamagedError, StoreError
from toolkit.remedies import Message, Remedy
from toolkit.store.files import backups_of, private_file, unfinished

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
)


def connect(path: Path, *, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """Open a connection in autocommit mode (transactions begin with an explicit BEGIN), with a busy timeout."""
    with failures(path):
        connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
        for pragma in _PRAGMAS:
            connection.execute(pragma)
        prepare_connection(connection)
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


# ---- SQL functions for interval blobs


def interval_values(blob: bytes | None, exponent: int, width: int) -> str | None:
    """Return the values of a register-day as a JSON list, in the register's unit."""
    if blob is None:
        return None
    return json.dumps([_value(blob, exponent, width, start) for start in range(0, len(blob), width)])


def interval_value(blob: bytes | None, exponent: int, width: int, number: int) -> float | None:
    """Return one value of a register-day; the first is number 1. Null outside the day."""
    if blob is None or not 1 <= number <= len(blob) // width:
        return None
    return _value(blob, exponent, width, (number - 1) * width)


def _value(blob: bytes, exponent: int, width: int, start: int) -> float:
    return float(int.from_bytes(blob[start : start + width], "little", signed=True) / 10**exponent)


def prepare_connection(connection: sqlite3.Connection) -> None:
    """Register the SQL functions on a connection; Datasette calls a plugin's function of this name."""
    connection.create_function("interval_values", 3, interval_values, deterministic=True)
    connection.create_function("interval_value", 4, interval_value, deterministic=True)
