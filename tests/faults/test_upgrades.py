"""Stores of every earlier schema open, are migrated with a backup, and answer as the program that made them did."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run
from tests.faults.earlier import ASKED, END_USER, STORES, files, options, served
from tests.faults.settings import count
from tests.faults.victims import Victims, contents
from tests.references import broken_references, declared_references
from toolkit.errors import StoreTooNewError
from toolkit.store import open_store
from toolkit.store.connection import (
    FINGERPRINT,
    VERSION,
    before_upgrade,
    fingerprint_of,
    unfinished,
    upgraded_of,
    version_of,
)
from toolkit.tables.schema import STORED

EARLIER = sorted(path.name.removesuffix(".db.gz") for path in STORES.glob("*.db.gz"))
REWORDED = [name for name in EARLIER if name >= "17"]
KILLS = count("UPGRADE_KILLS", 5)
CHANGED = {
    # wrong before the corrections of November 2026 (toolkit/docs/changes.md)
    r"status.households.0.consents": EARLIER[:9],  # consents are known from their records
    r"usage.service_points.0.by_month.0.export_kwh": EARLIER[:4],  # 0 without export, was unknown
    r"bill.lines.0.label": EARLIER[:2],  # the dates of a component are left out
    r"bill.lines.1.label": EARLIER[:2],
    # says why there is no comparison with the year before
    r"usage.service_points.0.notes": EARLIER,
    r"usage.service_points.0.note_codes": EARLIER,
    # sentences were worded more plainly on 24 November 2026; `note_codes` stayed
    r"usage.service_points.0.notes.0": REWORDED,
    **{f"usage.service_points.0.basis.{number}.reason": REWORDED for number in range(4)},
}
"""Place of an answer → stores whose program answered otherwise."""


def unpacked(name: str, folder: Path) -> Path:
    """Put a store of an earlier schema into a new folder of its own."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    db = folder / "household.db"
    db.write_bytes(gzip.decompress((STORES / f"{name}.db.gz").read_bytes()))
    return db


def differences(before: Any, now: Any, place: str) -> Iterator[str]:
    """Yield the places where `now` lacks or contradicts something of `before`; new keys are allowed."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key, value in before.items():
            yield from differences(value, now.get(key, "missing"), f"{place}.{key}")
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, pair in enumerate(zip(before, now, strict=True)):
            yield from differences(*pair, f"{place}.{number}")
    elif before != now:
        yield place


def dump(database: bytes) -> list[str]:
    """Return what a database file contains, as SQL."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(database)
        return list(connection.iterdump())


def stored_schema(name: str) -> tuple[int, int | None]:
    """Return the format and the fingerprint of a store."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(gzip.decompress((STORES / f"{name}.db.gz").read_bytes()))
        return version_of(connection), fingerprint_of(connection)


PRESENT = next((name for name in EARLIER[-1:] if stored_schema(name) == (VERSION, FINGERPRINT)), None)
"""The store that the present program could have made, which it does not migrate; none after a change of the schema."""
MIGRATED = [name for name in EARLIER if name != PRESENT]


@pytest.mark.parametrize("name", EARLIER)
def test_answers_are_the_same_after_an_upgrade(name: str, tmp_path: Path, run: Run) -> None:
    db = unpacked(name, tmp_path / "data")
    original = db.read_bytes()
    answers = json.loads((STORES / f"{name}.json").read_text())
    for command in ASKED:
        now = run(*command.split(), "--db", db, *options(command), "--json").json
        allowed = {place for place, stores in CHANGED.items() if name in stores}
        assert set(differences(answers[command], now, command)) <= allowed
    copies = [dump(path.read_bytes()) for path in upgraded_of(db)]
    assert copies == ([] if name == PRESENT else [dump(original)])
    with open_store(db) as store:
        assert store.damage() == []
    assert broken_references(db) == []
    assert declared_references(db) == {table.name: set(table.references) for table in STORED}


def test_the_newest_format_has_its_store() -> None:
    """Without one, what comes after this release would be tried on none of its stores."""
    version, _ = stored_schema(EARLIER[-1])
    assert version == VERSION


@pytest.mark.parametrize("name", EARLIER)
def test_nothing_comes_twice_after_an_upgrade(
    name: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same files and the same service again add no row."""
    db = unpacked(name, tmp_path / "data")
    again = run("import", *files(tmp_path), "--db", db, "--json").json
    assert [entry["added"] for entry in again["files"]] == [0, 0, 0]
    with served() as url:
        service = {"BASE_URL": url, "CLIENT_ID": "id", "CLIENT_SECRET": "secret", "END_USER": END_USER}
        for setting, value in service.items():
            monkeypatch.setenv(f"TOOLKIT_{setting}", value)
        receipt = run("sync", "--full", "--db", db, "--json").json
    assert {entry["resource"]: entry["added"] for entry in receipt["resources"] if entry["added"]} == {}


def test_a_store_of_a_later_schema_is_refused_in_one_sentence(tmp_path: Path, run: Run) -> None:
    db = tmp_path / "household.db"
    open_store(db).close()
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("PRAGMA user_version = 1000")
    before = db.read_bytes()
    with pytest.raises(StoreTooNewError):
        open_store(db)
    ended = run("status", "--db", db)
    assert (ended.code, ended.err.count("\n"), ended.out) == (1, 1, "")
    assert db.read_bytes() == before


def test_a_copy_that_was_cut_short_is_made_again(tmp_path: Path) -> None:
    """After a power failure the unfinished copy may hold anything."""
    db = unpacked(MIGRATED[0], tmp_path / "data")
    original = db.read_bytes()
    part = unfinished(before_upgrade(db, stored_schema(MIGRATED[0])[0], FINGERPRINT))
    part.write_bytes(b"half a page")
    with open_store(db) as store:
        assert store.damage() == []
    assert [dump(path.read_bytes()) for path in upgraded_of(db)] == [dump(original)]
    assert not part.exists()


@pytest.mark.parametrize("name", [MIGRATED[0], MIGRATED[-1]])
def test_a_killed_migration_resumes(name: str, tmp_path: Path, victims: Victims) -> None:
    undisturbed = unpacked(name, tmp_path / "undisturbed")
    original = undisturbed.read_bytes()
    victims.run(task="migration", db=str(undisturbed))
    expected = contents(undisturbed)
    for number in range(KILLS):
        db = tmp_path / f"killed{number}" / "household.db"
        victims.kill(partial(unpacked, name, db.parent), task="migration", db=str(db))
        assert contents(db) == expected
        copies = [dump(path.read_bytes()) for path in upgraded_of(db)]
        assert all(copy == dump(original) for copy in copies)
