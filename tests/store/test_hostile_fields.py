"""Which fields of the store take a text from outside: the tests of texts that would do something fill all of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import date
from itertools import chain
from pathlib import Path

import pytest

from tests.hostile import marks, texts
from tests.hostile_home import (
    CHECKED,
    CODES,
    CODES_IN_JSON,
    DERIVED,
    IDS,
    IN_JSON,
    KEPT,
    OURS,
    PATTERNS,
    WORDS,
    fields_of,
    filled,
    infest,
)
from toolkit.tables.schema import STORED

FILLED = (WORDS, CODES, IN_JSON, CODES_IN_JSON, PATTERNS)


@pytest.fixture(scope="module")
def infested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = filled(tmp_path_factory.mktemp("fields") / "demo.db", date(2026, 6, 20))
    infest(db, texts(), odd=True)
    return db


def test_each_column_of_text_is_filled_or_takes_no_text_from_outside() -> None:
    """A new column is named in one of the lists of tests/hostile_home.py."""
    others = {*IDS, *OURS, *CHECKED, *KEPT}
    left = [f"{table}.{column}" for table, column in _columns_of_text() if not _is_filled(table, column, others)]
    assert left == []


def test_each_such_field_holds_a_text(infested: Path) -> None:
    with sqlite3.connect(infested) as connection:
        empty = [
            f"{table}.{column}"
            for table, column in chain(*map(fields_of, FILLED))
            if not marks([str(cell) for (cell,) in connection.execute(f"SELECT {column} FROM {table}")])
        ]
    assert empty == []


def _columns_of_text() -> Iterator[tuple[str, str]]:
    for table in STORED:
        if not table.internal and table.name not in DERIVED:
            yield from ((table.name, column.name) for column in table.columns if column.kind in ("text", "json"))


def _is_filled(table: str, column: str, others: set[str]) -> bool:
    return column in others or any(column in each.get(table, ()) for each in FILLED)
