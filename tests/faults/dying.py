"""The victim, but for where it dies: at a labelled step of a sync, by a real SIGKILL.

`{"task": "sync", …, "log": path}` writes each request to the log, and at the end how often each step was passed;
with `{"dies": ["commit", "before", 7]}` it is killed before the seventh commit.
"""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from tests.faults import victim
from toolkit.api import client as api
from toolkit.api.transport import Transport
from toolkit.flows.household.context import Context
from toolkit.store import database


class Steps:
    """Passed steps by label, counted, until one is deadly."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.deadly = tuple(asked.get("dies", ()))
        self.passed: Counter[str] = Counter()
        self.lock = Lock()

    def at(self, label: str, action: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **named: Any) -> Any:
            with self.lock:
                self.passed[label] += 1
                number = self.passed[label]
            self._die((label, "before", number))
            result = action(*args, **named)
            self._die((label, "after", number))
            return result

        return step

    def _die(self, here: tuple[str, str, int]) -> None:
        if here == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)


def dying_sync(ctx: Context, asked: dict[str, Any]) -> None:
    steps, log = Steps(asked), Path(asked["log"])
    run, begin, commit = database.Store._run, "BEGIN IMMEDIATE", "COMMIT"
    labelled = {begin: steps.at("begin", run), commit: steps.at("commit", run)}

    def statement_run(store: database.Store, statement: str, *more: Any) -> Any:
        return labelled.get(statement, run)(store, statement, *more)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(database.Store, "_run", statement_run)
        patched.setattr(database, "upsert", steps.at("insert", database.upsert))
        patched.setattr(api, "read_page", steps.at("decode", api.read_page))
        patched.setattr(Transport, "send", steps.at("request", _logged(Transport.send, log)))
        victim.run_sync(ctx, asked)
    log.with_suffix(".steps").write_text(json.dumps(steps.passed))


def _logged(send: Callable[..., Any], log: Path) -> Callable[..., Any]:
    """Each request as one line: its address and its query."""

    def logged(transport: Transport, method: str, url: str, **more: Any) -> Any:
        with log.open("a") as file:
            file.write(json.dumps([url, dict(more.get("query") or ())]) + "\n")
        return send(transport, method, url, **more)

    return logged


victim.TASKS["sync"] = dying_sync

if __name__ == "__main__":
    victim.main()
