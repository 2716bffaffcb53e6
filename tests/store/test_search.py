from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from toolkit.store import Store, open_store


def a_transaction(number: int, description: str, household: str = "h1") -> dict[str, Any]:
    return {
        "household_id": household, "id": f"t{number}", "source": "service", "account_id": "a", "status": "POSTED",
        "amount": "-4.50", "amount_minor": -450, "currency": "AUD", "description": description,
        "posting_date_time": "2026-03-01T00:00:00Z",
    }  # fmt: skip


def found(store: Store, text: str, household: str | None = None) -> list[str]:
    return sorted(row["description"] for row in store.search("transactions", text, household))


def test_search_follows_what_is_added_changed_and_deleted(tmp_path: Path) -> None:
    with open_store(tmp_path / "a.db") as store:
        store.upsert("transactions", [a_transaction(1, "WOOLWORTHS METRO"), a_transaction(2, "Coles Express")])
        assert found(store, "wool") == ["WOOLWORTHS METRO"]
        store.upsert("transactions", [a_transaction(3, "Woolly Socks"), a_transaction(4, "Woolworths", "h2")])
        assert found(store, "wool") == ["WOOLWORTHS METRO", "Woolly Socks", "Woolworths"]
        assert found(store, "wool metro") == ["WOOLWORTHS METRO"]
        assert found(store, "woolworths", "h2") == ["Woolworths"]
        store.upsert("transactions", [a_transaction(1, "ALDI")])
        store.delete("transactions", {"id": "t3"})
        assert found(store, "wool") == ["Woolworths"]
        assert found(store, "aldi") == ["ALDI"]


@pytest.mark.parametrize("text", ['"', 'a" OR b', "NEAR(", "*", "", "-", "col:x", "'; DROP TABLE transactions"])
def test_no_text_is_a_query_language(tmp_path: Path, text: str) -> None:
    with open_store(tmp_path / "a.db") as store:
        store.upsert("transactions", [a_transaction(1, "COLES")])
        assert found(store, text) == []
        with pytest.raises(KeyError, match="households"):
            store.search("households", text)
