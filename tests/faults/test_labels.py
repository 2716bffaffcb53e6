"""SIGKILL at each labelled step of a sync: nothing is lost, and the next sync goes on where this one was."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.faults.settings import count
from tests.faults.victims import Victims, contents
from tests.keys import keys_of
from toolkit.sandbox.serve import Running
from toolkit.store import open_store
from toolkit.wire.endpoints import endpoint
from toolkit.wire.parameters import MAX_PAGE_SIZE

LABELLED_KILLS = count("LABELLED_KILLS", 1)
LABELS = ("request", "decode", "begin", "insert", "commit")
PAGE_SIZE = 40
KILLED, DONE = -9, 0


@pytest.fixture(scope="module")
def dying() -> Iterator[Victims]:
    root = Path(__file__).parent.parent.parent
    script = [sys.executable, str(Path(__file__).parent / "dying.py")]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    with subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield Victims(process)
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture(scope="module")
def short_pages(sandbox: Running) -> Iterator[Running]:
    assert sandbox.control_url is not None
    faults = [{"path": "*", "page_size": PAGE_SIZE}]
    httpx.post(sandbox.control_url, json={"faults": faults}).raise_for_status()
    yield sandbox
    httpx.post(sandbox.control_url, json={"faults": []}).raise_for_status()


def task(sandbox: Running, db: Path, **more: Any) -> dict[str, Any]:
    log = db.with_suffix(f".{'killed' if more else 'log'}")
    asked = {"task": "sync", "settings": keys_of(sandbox), "end_user": sandbox.people[0][1]}
    return {**asked, "db": str(db), "log": str(log), **more}


def asked_for(log: str, walk: dict[str, Any]) -> list[str]:
    """The cursors of the pages of a walk that were asked for, in order; empty for the first page."""
    question = {**json.loads(walk["asked"])["parameters"], "page[size]": str(MAX_PAGE_SIZE)}
    requests = [json.loads(line) for line in Path(log).read_text().splitlines()]
    of_the_list = [query for url, query in requests if url.endswith(endpoint(walk["resource"]).path)]
    cursors = [(query.pop("page[after]", ""), query) for query in of_the_list]
    return [cursor for cursor, query in cursors if query == question]


def under_way(db: Path) -> list[dict[str, Any]]:
    with open_store(db) as store:
        assert store.damage() == []
        return store.rows("walks")


@pytest.fixture(scope="module")
def undisturbed(short_pages: Running, dying: Victims, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """What is stored, and how often each step was passed."""
    db = tmp_path_factory.mktemp("undisturbed") / "home.db"
    asked = task(short_pages, db)
    assert dying.told(**asked) == [DONE]
    return contents(db), json.loads(Path(asked["log"]).with_suffix(".steps").read_text())


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("label", LABELS)
def test_a_kill_at_a_labelled_step(
    short_pages: Running, dying: Victims, undisturbed: tuple[Any, Any], tmp_path: Path, label: str, when: str
) -> None:
    expected, passed = undisturbed
    chance, resumed = random.Random(f"{label} {when}"), 0
    for nth in range(LABELLED_KILLS):
        db = tmp_path / f"{nth}.db"
        killed = task(short_pages, db, dies=[label, when, chance.randint(1, passed[label])])
        assert dying.told(**killed) == [KILLED]
        left = under_way(db)
        again = task(short_pages, db)
        assert dying.told(**again) == [DONE]
        assert contents(db) == expected
        for walk in left:
            resumed_as_promised(walk, killed["log"], again["log"])
        resumed += len(left)
        db.unlink()
    print(f"{LABELLED_KILLS} killed {when} {label}, 0 rows lost or doubled; {resumed} walks went on, 1 page read twice")


def resumed_as_promised(walk: dict[str, Any], killed: str, again: str) -> None:
    """One stored page is read twice. Unstored, one page waited and one was on its way."""
    before, after = asked_for(killed, walk), asked_for(again, walk)
    stored = before[: before.index(walk["cursor"]) + 1]
    assert set(stored) & set(after) == {walk["cursor"]}
    assert len(before) - len(stored) <= 2
    assert len(after) == len(set(after))
