"""What the tests of this folder share: children to be harmed, and what is stored afterwards."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolkit.store import open_store
from toolkit.tables.schema import STORED

MOST_TRIES = 50
_OF_THE_RUN = {"runs", "receipts", "positions"}
_TIMES = {"as_of", "sequence", "seen_at"}


class Victims:
    """Children that run a task and are killed at a moment drawn from the time that the task takes undisturbed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process, self.chance = process, random.Random(4)
        self.usual: dict[str, float] = {}
        self.killed = 0

    def run(self, **asked: Any) -> None:
        """Let a task end, and remember how long it took."""
        started = time.perf_counter()
        assert self._told(asked) == "0"
        self.usual[asked["task"]] = time.perf_counter() - started

    def kill(self, prepare: Callable[[], object] = lambda: None, **asked: Any) -> None:
        """Start a task and kill it before its end; tried again, from `prepare` on, where it was quicker."""
        for _ in range(MOST_TRIES):
            prepare()
            seconds = self.chance.uniform(0, self.usual[asked["task"]])
            started = time.perf_counter()
            if self._told({**asked, "seconds": seconds}) == str(-signal.SIGKILL):
                self.killed += 1
                return
            self.usual[asked["task"]] = time.perf_counter() - started  # the machine is quicker than it was
        raise AssertionError(f"{asked['task']} is too quick to be killed")

    def told(self, **asked: Any) -> list[int]:
        """Let one task, or several `together`, go on to the end; their exit statuses."""
        return [int(status) for status in self._told(asked).split()]

    def _told(self, asked: dict[str, Any]) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


def contents(db: Path) -> dict[str, list[dict[str, Any]]]:
    """Everything stored, but for run ids and times of this machine; the file is whole."""
    with open_store(db) as store:
        assert store.damage() == []
        tables = [table.name for table in STORED if table.name not in _OF_THE_RUN]
        rows = {name: store.rows(name) for name in tables}
    return {name: [{k: v for k, v in row.items() if k not in _TIMES} for row in found] for name, found in rows.items()}
