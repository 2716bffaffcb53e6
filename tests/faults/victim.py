"""A process that forks a child for each task, so that children are killed and not the time it takes to start them.

Reads one JSON object a line, `{"task", "seconds", "together", …}`: seconds after which it is killed, how many at once.
Answers with the exit status of each.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl  # noqa: F401  what a child needs is loaded before it is made
import sqlite_utils  # noqa: F401  likewise

import toolkit.analytics.money.classify
import toolkit.flows.money.spending
import toolkit.flows.sync.duplicates
import toolkit.store.frames  # noqa: F401  likewise
from toolkit.api.client import Client
from toolkit.errors import ToolkitError
from toolkit.flows.data.backup import backup, restore
from toolkit.flows.data.export import export
from toolkit.flows.forget.forget import forget
from toolkit.flows.household.context import Context
from toolkit.flows.sync.run import sync
from toolkit.settings import load
from toolkit.store import open_store

TODAY = date(2026, 3, 15)


def run_sync(ctx: Context, asked: dict[str, Any]) -> None:
    with Client(load({}, asked["settings"])) as client:
        sync(ctx, client, end_user=asked["end_user"])


def run_migration(ctx: Context, asked: dict[str, Any]) -> None:
    open_store(ctx.db).close()


def counted(db: Path, times: int) -> None:
    """Read a number and write the next, each time as a command of its own."""
    for _ in range(times):
        with open_store(db) as store, store.transaction():
            found = store.rows("households", "h")
            store.upsert("households", [{"household_id": "h", "name": "H", "panels_kw": _next(found)}])


def _next(found: list[dict[str, Any]]) -> float:
    return float(found[0]["panels_kw"]) + 1 if found else 1.0


def crash(db: Path, commits: int = 1) -> None:
    """Store something, and end without closing: the log is left."""
    store = open_store(db)
    for number in range(commits):
        store.upsert("households", [{"household_id": f"c{number:03}", "name": f"Crashed {number:03}"}])
    os._exit(1)


TASKS: dict[str, Callable[[Context, dict[str, Any]], object]] = {
    "sync": run_sync,
    "migration": run_migration,
    "backup": lambda ctx, _: backup(ctx),
    "export": lambda ctx, asked: export(ctx, Path(asked["out"])),
    "restore": lambda ctx, asked: restore(ctx, Path(asked["out"])),
    "crash": lambda ctx, asked: crash(ctx.db, asked.get("commits", 1)),
    "count": lambda ctx, asked: counted(ctx.db, asked["writes"]),
    "forget": lambda ctx, asked: forget(ctx, household=asked["household"]),
}


def child(asked: dict[str, Any]) -> int:
    """0 done, 5 a failure in words, 1 a crash. limit: bytes beyond which no file may grow, as on a full disk."""
    if "limit" in asked:
        resource.setrlimit(resource.RLIMIT_FSIZE, (asked["limit"], resource.RLIM_INFINITY))
    try:
        TASKS[asked["task"]](Context(Path(asked["db"]), TODAY), asked)
    except ToolkitError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 5
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def main() -> None:
    faulthandler.enable()
    print("ready", flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        numbers = [started(asked) for _ in range(asked.get("together", 1))]
        if "seconds" in asked:
            time.sleep(asked["seconds"])
            os.kill(numbers[0], signal.SIGKILL)  # the child is not waited for yet, so its number is still its own
        print(*[os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) for number in numbers], flush=True)


def started(asked: dict[str, Any]) -> int:
    number = os.fork()
    if number == 0:
        os._exit(child(asked))
    return number


if __name__ == "__main__":
    main()
