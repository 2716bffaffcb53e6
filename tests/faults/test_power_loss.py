"""Power loss: the log is cut at every kind of place. What is stored is whole; only the last commits may be missing."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

from tests.faults.conftest import TODAY, a_service
from tests.faults.settings import count
from tests.faults.victims import Victims, contents
from tests.json_answers import sync
from toolkit.flows.household.context import Context
from toolkit.store import open_store

POWER_CUTS = count("POWER_CUTS", 10)
LOG_FLIPS = count("LOG_FLIPS", 20)
COMMITS = 40
HEADER, FRAME = 32, 24
"""Sizes of the log's header and of a frame's, which a page follows (https://sqlite.org/fileformat2.html#walformat)."""


def as_it_stands_before_closing(folder: Path) -> Path:
    """The database and the log of a sync, as they are on the disk while it runs its last steps."""
    db, left = folder / "running" / "home.db", folder / "left"

    def copied(_message: str) -> None:
        shutil.rmtree(left, ignore_errors=True)
        shutil.copytree(db.parent, left)

    sync(Context(db, TODAY), a_service(300, 10), end_user="eu", progress=copied)
    return left / "home.db"


def places(log: bytes, chance: random.Random) -> list[tuple[str, int]]:
    """One place of each kind, anew at every call."""
    page = int.from_bytes(log[8:12])
    frame = HEADER + chance.randrange((len(log) - HEADER) // (FRAME + page)) * (FRAME + page)
    return [
        ("nothing", 0),
        ("inside the log's header", chance.randrange(1, HEADER)),
        ("after the log's header", HEADER),
        ("between frames", frame),
        ("inside a frame's header", frame + chance.randrange(1, FRAME)),
        ("after a frame's header", frame + FRAME),
        ("inside a page", frame + FRAME + chance.randrange(1, page)),
        ("anywhere", chance.randrange(len(log))),
    ]


def test_a_log_cut_anywhere(tmp_path: Path) -> None:
    """What follows is gone, or zeros as some file systems leave; the next sync ends where an undisturbed one does."""
    left, chance = as_it_stands_before_closing(tmp_path), random.Random(3)
    expected = alike(contents(tmp_path / "running" / "home.db"))
    log = left.with_name("home.db-wal").read_bytes()
    assert len(log) > 200_000
    for number in range(POWER_CUTS):
        kinds = places(log, chance)
        kind, place = kinds[number % len(kinds)]
        zeros = bytes(len(log) - place) if chance.random() < 0.5 else b""
        db = crashed(left, tmp_path / f"cut{number}", log[:place] + zeros)
        sync(Context(db, TODAY), a_service(300, 10), end_user="eu")
        assert alike(contents(db)) == expected, (kind, place)
        shutil.rmtree(db.parent)


def crashed(left: Path, folder: Path, log: bytes) -> Path:
    folder.mkdir()
    shutil.copy(left, folder)
    (folder / "home.db-wal").write_bytes(log)
    return folder / "home.db"


def test_a_flipped_bit_in_a_left_over_log_loses_only_the_last_commits(tmp_path: Path, victims: Victims) -> None:
    """SQLite reads a log up to the first frame whose checksum is wrong; what is before it is whole."""
    left, chance, lost = tmp_path / "left" / "home.db", random.Random(8), 0
    open_store(left).close()
    assert victims.told(task="crash", db=str(left), commits=COMMITS) == [1]
    log = left.with_name("home.db-wal").read_bytes()
    for number in range(LOG_FLIPS):
        place, broken = chance.randrange(len(log) * 8), bytearray(log)
        broken[place // 8] ^= 1 << (place % 8)
        db = crashed(left, tmp_path / f"flip{number}", bytes(broken))
        names = [row["name"] for row in contents(db)["households"]]
        assert names == [f"Crashed {n:03}" for n in range(len(names))]
        lost += len(names) < COMMITS
        shutil.rmtree(db.parent)
    assert lost > LOG_FLIPS / 2


def alike(found: dict[str, Any]) -> dict[str, Any]:
    """Households are named at random."""
    return {name: [{**row, "household_id": ""} for row in rows] for name, rows in found.items()}
