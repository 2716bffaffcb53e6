"""Whole copies of a database that may be in use."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from toolkit.store.connection import connect, failures
from toolkit.store.private import private_file


def copy_database(connection: sqlite3.Connection, target: Path) -> Path:
    """Copy the database as of one commit to `target` (0600), by SQLite's online backup; replaces what is there.

    The copy is finished under another name, so that `target` is whole whenever it exists.
    """
    unfinished = private_file(target.with_name(target.name + ".part"))
    copy = connect(unfinished)
    try:
        with failures(target):
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    finally:
        copy.close()
    return unfinished.replace(target)
