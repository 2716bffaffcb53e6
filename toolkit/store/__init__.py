"""The only folder that speaks SQLite: one file, private to its owner, that loses nothing.

A connection belongs to the thread that opened it: open a store per thread, they are cheap. Any number may read while
one writes; a second writer waits, and says so (`StoreBusyError`) when it waited too long.
"""

from __future__ import annotations

from toolkit.store.database import Store, open_store
from toolkit.store.upserts import Counts

__all__ = ["Counts", "Store", "open_store"]
