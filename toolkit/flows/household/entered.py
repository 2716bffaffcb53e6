"""When something was typed: a row that is typed again keeps its first time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from toolkit.store import Store
from toolkit.tables.schema import table


def upsert_typed(store: Store, name: str, row: Mapping[str, Any]) -> None:
    """Store a row that a person typed, with the time of its first entry. Use inside a transaction of the store."""
    stored = store.rows(name, where={column: row[column] for column in table(name).key})
    entered_at = stored[0]["entered_at"] if stored else datetime.now(UTC)
    store.upsert(name, [{**row, "entered_at": entered_at}])
