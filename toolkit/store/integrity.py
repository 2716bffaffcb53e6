"""Whether a database is intact: its pages, its interval reads and its search indexes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from toolkit.store.views import wrong_indexes

_MOST_NAMED = 3


def damage(connection: sqlite3.Connection) -> list[str]:
    """Return sentences on what is wrong; empty if nothing is found.

    SQLite checks the structure of its pages, not the values in them: reads have a digest of their own, and the search
    indexes are compared with what they index.
    """
    looks: tuple[Callable[[sqlite3.Connection], list[str]], ...] = (_unsound_pages, _changed_reads, wrong_indexes)
    return list(dict.fromkeys(problem for look in looks for problem in _messages(look, connection)))


def _messages(look: Callable[[sqlite3.Connection], list[str]], connection: sqlite3.Connection) -> list[str]:
    """Run one check; a file too damaged to be read is a message as well."""
    try:
        return look(connection)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return [f"It cannot be read ({error})."]


def _unsound_pages(connection: sqlite3.Connection) -> list[str]:
    messages = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
    return [] if messages == ["ok"] else messages


def _changed_reads(connection: sqlite3.Connection) -> list[str]:
    from toolkit.tables.registers import digest  # loads numpy, which opening a store does not need

    days = connection.execute("SELECT service_point_id, register_suffix, date, reads, digest FROM register_days")
    wrong = [f"{point} {suffix} {day}" for point, suffix, day, reads, kept in days if kept and digest(reads) != kept]
    if not wrong:
        return []
    more = f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
    days_are = "1 day of reads is" if len(wrong) == 1 else f"{len(wrong)} days of reads are"
    return [f"{days_are} not what was stored: {'; '.join(wrong[:_MOST_NAMED])}{more}."]
