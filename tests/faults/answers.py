"""Answers of a damaged database."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from toolkit.errors import StoreError
from toolkit.store import open_store
from toolkit.store.views import VIEWS
from toolkit.tables.schema import STORED


def answers(path: Path) -> list[Any]:
    """Everything that anybody can ask of the file: tables, views, search."""
    with open_store(path, create=False) as store:
        found: list[Any] = [store.rows(table.name) for table in STORED]
        found += [[row["id"] for row in store.search("transactions", word)] for word in ("coffee", "17", "cafe")]
    raw = sqlite3.connect(path)
    try:
        return [*found, *(raw.execute(f"SELECT * FROM {view}").fetchall() for view in VIEWS)]
    finally:
        raw.close()


def seen(path: Path) -> list[str]:
    """What is said about the file."""
    try:
        with open_store(path, create=False) as store:
            return store.damage()
    except StoreError as error:
        return [str(error)]
