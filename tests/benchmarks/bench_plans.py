"""Thousands of published plans: stored ones behind a command, and as frames against a hundred homes.

Each runs in a process of its own, as a user's does: the time of a command is that of the whole command.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

from tests.benchmarks.bench_bills import generated
from tests.benchmarks.harness import Result, exactly, seconds, side_by_side, summary
from tests.benchmarks.homes import FIRST, LAST, half_hours, home_year, nem12
from toolkit.frames.bills import price_all
from toolkit.tables.rows.plans import read_plan

STORED = 5000
HOMES, PLANS = 100, 2500


def results(repeats: int) -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        yield _commands(Path(folder), repeats)
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as fresh:
        runs = fresh.map(_homes_on_plans, range(repeats), chunksize=1)
    what = f"`price_all`: {HOMES} homes of half-hourly reads on {PLANS:,} plans"
    yield Result(what, summary([took for took, _ in runs]), exactly(3), "3 s", 1)
    yield Result(f"{what}, memory", summary([size for _, size in runs]), exactly(600), "600 MB", 1, "MB")


def invented(wanted: int, fuel: str | None = None) -> list[dict[str, Any]]:
    """Return plans of generated markets, each with an id of its own. fuel: only plans of that fuel."""
    markets = (plan for seed in count(1) for plan in generated(seed))
    given = islice((plan for plan in markets if fuel in (None, plan["fuelType"])), wanted)
    return [{**plan, "planId": f"{number:05}-{plan['planId']}"} for number, plan in enumerate(given)]


def _commands(folder: Path, repeats: int) -> Result:
    """`compare` over all stored plans, next to `bill` on one of them."""
    plans = invented(STORED)
    (folder / "meter.csv").write_text(nem12(home_year(1)))
    (folder / "plans.ndjson").write_text("".join(json.dumps(plan) + "\n" for plan in plans))
    environ = {**os.environ, "TOOLKIT_DATA_DIR": str(folder / "data")}

    def run(*arguments: object) -> str:
        command = [sys.executable, "-m", "toolkit", *map(str, arguments)]
        return subprocess.run(command, check=True, env=environ, capture_output=True, text=True).stdout

    run("import", folder / "meter.csv", folder / "plans.ndjson")
    days = ("--from", FIRST, "--to", LAST)
    cheapest = json.loads(run("compare", "--top", 1, *days, "--json"))["plans"][0]["plan_id"]
    compare, bill = side_by_side(
        lambda: run("compare", "--top", 10, *days), lambda: run("bill", "--plan", cheapest, *days), repeats
    )
    what = f"`toolkit compare --top 10`, cold, {STORED:,} plans stored"
    return Result(what, compare, bill, "`toolkit bill` on one of them", 1.8)


def _homes_on_plans(_run: int) -> tuple[float, float]:
    """Return the seconds that `price_all` takes, and the most memory in MB that this process ever had."""
    plans = [read_plan(plan) for plan in invented(PLANS, "ELECTRICITY")]
    reads = half_hours(HOMES)
    took = seconds(lambda: price_all(reads, plans, FIRST, LAST))
    return took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
