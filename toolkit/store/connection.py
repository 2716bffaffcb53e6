"""Open SQLite as this project needs it, copy databases in use, and word SQLite's errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import quote

from toolkit.errors import StoreBusyError, StoreDamagedError, StoreError
from toolkit.store.files import backups_of, private_file, unfinished
from toolkit.store.functions import prepare_connection
from toolkit.store.statements import add_check_function

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
    """A connection in autocommit mode (transactions are begun in so many words), with a busy timeout."""
    with failures(path):
        connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
        for pragma in _PRAGMAS:
            connection.execute(pragma)
        prepare_connection(connection)
        add_check_function(connection)
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
        advice = f"restore a backup: toolkit restore {latest[0]}" if latest else "ask `toolkit doctor`"
        return StoreDamagedError(f"{path} is not a whole database ({text}). Keep it, and {advice}.")
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
    """Copy a database that nobody may change, its mode and version neither: it may be on a disk that is only read."""
    with failures(source), closing(sqlite3.connect(f"file:{quote(str(source.absolute()))}?mode=ro", uri=True)) as read:
        read.execute("PRAGMA schema_version")
        return copy_database(read, target)


def empty_log(path: Path) -> None:
    """Take the log into the database, so that it is one file. Raises StoreBusyError where anybody else has it open."""
    with closing(connect(path)) as connection, failures(path):
        if connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete":
            raise StoreBusyError(f"{path} is open elsewhere: close the app and other commands, then repeat.")
