"""Whether a database is whole: SQLite's own check, and the digests that SQLite does not keep."""

from __future__ import annotations

import sqlite3
from hashlib import sha256

DIGITS = 16


def damage(connection: sqlite3.Connection) -> list[str]:
    """What is wrong, in words; empty where nothing is found.

    SQLite has no page checksums: about a third of flipped bits pass its check. Reads carry a digest of their own.
    """
    found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
    problems = [] if found == ["ok"] else found
    return [*problems, *_rotten_days(connection)]


def _rotten_days(connection: sqlite3.Connection) -> list[str]:
    days = connection.execute(
        "SELECT service_point_id, register_suffix, date, reads, digest FROM register_days WHERE digest IS NOT NULL"
    )
    return [
        f"The reads of {suffix} at {point} on {day} are not those that were stored."
        for point, suffix, day, reads, digest in days
        if sha256(reads).hexdigest()[:DIGITS] != digest
    ]
