"""Every foreign key that the database declares holds, whatever is stored, moved and forgotten."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from tests.command_line import Run, filled_once
from tests.many_cases import rest_slow
from tests.meters import flat_plan, level
from tests.references import broken_references, declared_references
from toolkit.settings import load
from toolkit.store import open_store
from toolkit.tables.schema import STORED


def test_a_new_database_declares_the_keys_of_the_schema(tmp_path: Path) -> None:
    open_store(tmp_path / "a.db").close()
    assert declared_references(tmp_path / "a.db") == {table.name: set(table.references) for table in STORED}


def test_a_row_without_its_household_breaks_one(tmp_path: Path) -> None:
    with open_store(tmp_path / "a.db") as store:
        store.upsert("persons", [{"household_id": "nobody", "name": "A"}])
    assert broken_references(tmp_path / "a.db") == [("persons", "households")]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("two-homes") / "household.db"


@pytest.fixture
def two_homes(run: Run, tmp_path: Path, kept: Path) -> Run:
    """Two homes that imported some of the same files, with overlapping days; a plan and decisions."""
    filled_once(kept, lambda: _fill(run, tmp_path))
    return run


def _fill(run: Run, tmp_path: Path) -> None:
    days = {"first": (date(2026, 1, 1), 40), "second": (date(2026, 1, 20), 40)}
    for name, (start, count) in days.items():
        (tmp_path / f"{name}.csv").write_text(level("4103000001", start, count))
        (tmp_path / f"bank-{name}.csv").write_text(f'{start:%d/%m/%Y},"-45.60","SHOP","+1954.40"\n')
    (tmp_path / "plan.json").write_text(flat_plan())
    for home in ("Ours", "Theirs"):
        files = [*sorted(tmp_path.glob("*.csv")), tmp_path / "plan.json"]
        assert run("import", *files, "--household", home, "--new").code == 0
        assert run("household", "set", "--household", home, "--plan", "FLAT@EME", "--since", "2026-01-01").code == 0
        assert run("rules", "add", "SHOP", "FOOD_AND_DRINK", "--household", home).code == 0


def _forget_a_file(run: Run) -> int:
    files = run("status", "--json").json["households"][0]["files"]
    assert len(files) > 1
    return max(run("forget", "--file", file["id"], "--household", "Ours", "--yes").code for file in files[:-1])


DEEDS: dict[str, Callable[[Run], int]] = {
    "imported": lambda run: run("status").code,
    "merged": lambda run: run("household", "merge", "Ours", "Theirs").code,
    "merged and undone": lambda run: (
        run("household", "merge", "Ours", "Theirs").code + run("household", "merge", "--undo").code
    ),
    "merged twice": lambda run: (
        run("household", "add", "Third").code
        + run("household", "merge", "Ours", "Theirs").code
        + run("household", "merge", "Third", "Ours").code
    ),
    "files forgotten": _forget_a_file,
    "household forgotten": lambda run: run("forget", "--household", "Ours", "--yes").code,
}


@pytest.mark.parametrize("deed", rest_slow(DEEDS, quick=2))
def test_no_deed_breaks_one(two_homes: Run, deed: str) -> None:
    assert DEEDS[deed](two_homes) == 0
    assert broken_references(load({}).db) == []
