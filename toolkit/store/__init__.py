"""The database, and the only folder with SQL: one SQLite file, private to its owner.

A connection belongs to the thread that opened it: open a store per thread (it is cheap). Any number may read while
one writes; a second writer waits, and raises `StoreBusyError` if it waited too long.
"""

from __future__ import annotations

from toolkit.store.database import Store, open_store
from toolkit.store.statements import Aggregate, Condition, Counts, Where
from toolkit.tables.schema import Record

__all__ = ["Aggregate", "Condition", "Counts", "Record", "Store", "Where", "open_store"]
