from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from toolkit.store import Store, open_store
from toolkit.store.connection import prepare_connection
from toolkit.store.schema import VIEWS, datasette_metadata
from toolkit.tables.registers import pack
from toolkit.tables.schema import STORED


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


def test_views_and_functions_answer_for_people_who_query(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    packed = pack(["0.5"] * 47 + ["1.25"])
    day = {
        "household_id": "h1", "service_point_id": "sp", "meter_id": "m", "register_suffix": "E1", "date": "2026-03-01",
        "interval_minutes": 30, "intervals": 48, "exponent": packed.exponent, "width": packed.width,
        "reads": packed.blob, "total_nano": packed.total_nano, "present": 48, "unit": "KWH", "direction": "import",
        "controlled_load": False, "source": "file",
    }  # fmt: skip
    with open_store(path) as store:
        store.upsert("register_days", [day, {**day, "register_suffix": "B1", "direction": "export"}])
        store.upsert("transactions", [a_transaction(1, "COLES"), {**a_transaction(2, "X"), "status": "PENDING"}])
    reader = sqlite3.connect(path)
    prepare_connection(reader)
    assert reader.execute("SELECT date, energy, coverage FROM daily_energy").fetchall()[0] == ("2026-03-01", 24.75, 1.0)
    assert reader.execute("SELECT import, export FROM daily_energy_by_service_point").fetchall() == [(24.75, 24.75)]
    assert reader.execute("SELECT day_written, amount FROM posted_transactions").fetchall() == [("2026-03-01", -4.5)]
    values = reader.execute("SELECT interval_values(reads, exponent, width) FROM register_days").fetchone()[0]
    assert json.loads(values) == [0.5] * 47 + [1.25]
    asked = "SELECT interval_value(reads, exponent, width, ?) FROM register_days"
    assert [reader.execute(asked, (number,)).fetchone()[0] for number in (1, 48, 49)] == [0.5, 1.25, None]
    for view in VIEWS:
        reader.execute(f"SELECT * FROM {view}").fetchall()
    reader.close()


def test_datasette_is_told_about_every_table_and_column() -> None:
    tables = datasette_metadata("household")["databases"]["household"]["tables"]
    for table in STORED:
        assert tables[table.name]["columns"].keys() == set(table.names)
    assert tables.keys() >= VIEWS.keys()
