"""Whole copies of a database that may be in use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from toolkit.errors import StoreBusyError
from toolkit.store.backups.names import unfinished
from toolkit.store.connection import connect, failures
from toolkit.store.private import private_file


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
