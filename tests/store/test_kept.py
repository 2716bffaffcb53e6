"""Copies are known by their whole names: databases whose names begin alike may lie in one folder."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from tests.json_answers import forget
from tests.many_cases import rest_slow
from toolkit.errors import StoreMissingError
from toolkit.flows.data.backup import backup, latest_whole, restore
from toolkit.flows.household.context import Context
from toolkit.store import open_store
from toolkit.store.connection import before_upgrade, copies_of, logs_of, new_log, remains_of, unfinished, unverified

ALIKE = [
    "home-2.db",
    "home.db.db",
    "home.sqlite",
    "home",
    "home.db.format1",
    "home-20260315T101112123456Z.db",
    "hom?.db",
]


def filled(db: Path) -> Context:
    with open_store(db) as store:
        store.upsert("households", [{"household_id": "h", "name": "Home"}])
    return Context(db, date(2026, 3, 15))


def with_copies(db: Path) -> Context:
    """A database with a copy of every kind."""
    ctx = filled(db)
    saved = Path(backup(ctx).backup)
    restore(ctx, saved)
    left = [
        before_upgrade(db, 1, 2),
        before_upgrade(saved, 1, 2),
        unfinished(db),
        unfinished(unverified(saved)),
        new_log(db),
    ]
    for path in left:
        path.write_text("h")
    return ctx


def files_of(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("other", rest_slow(ALIKE, quick=2))
@pytest.mark.parametrize("turned", [False, True])
def test_what_is_forgotten_in_one_database_stays_in_another_and_its_copies(
    tmp_path: Path, other: str, turned: bool
) -> None:
    ours, theirs = (other, "home.db") if turned else ("home.db", other)
    with_copies(tmp_path / theirs)
    before = files_of(tmp_path)
    ctx = with_copies(tmp_path / ours)
    asked = forget(ctx, household="Home")
    after = files_of(tmp_path)
    assert {path: after[path] for path in before} == before
    assert [entry["done"] for entry in asked["copies"]] == ["rows deleted"] * 2 + ["removed"] * 5
    assert after.keys() - before.keys() == {tmp_path / ours, *copies_of(tmp_path / ours)}


@pytest.mark.parametrize("other", ALIKE)
def test_the_copies_of_another_database_are_none_of_this_one(tmp_path: Path, other: str) -> None:
    with_copies(tmp_path / other)
    db = tmp_path / "home.db"
    assert (copies_of(db), logs_of(db), remains_of(db), latest_whole(db)) == ([], [], [], None)
    assert filled(db).db.exists()


def test_copies_that_are_ones_own_are_found(tmp_path: Path) -> None:
    db = with_copies(tmp_path / "my [home] 2.db").db
    kept = copies_of(db)
    assert [path.parent.name for path in kept] == [tmp_path.name, tmp_path.name, "backups"]
    assert latest_whole(db) == kept[-1]
    assert (len(logs_of(db)), len(remains_of(db))) == (1, 5)
    db.unlink()
    with pytest.raises(StoreMissingError, match=re.escape(str(kept[-1]))):
        open_store(db)
