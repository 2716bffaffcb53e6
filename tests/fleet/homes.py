"""Whether the fleet answers what the single commands answer, over homes of the embedded service.

`python -m tests.fleet.homes [--homes N] [--today DATE] [--seed N] [--keep DATABASE]` pulls N invented homes from the
service: three states, electricity and gas, solar with and without a battery, monthly and quarterly bills; every sixth
household is a couple with two people's accounts. It runs each analysis over all of them on Dask and each household's
single command, and lists the rows that differ.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping
from datetime import date
from functools import reduce
from pathlib import Path
from typing import Any, get_args

from msgspec.structs import replace

from toolkit.answers.base import to_json
from toolkit.api.client import Client
from toolkit.api.plan_register import Register
from toolkit.errors import ToolkitError
from toolkit.fleet import Cluster
from toolkit.flows.demo import SandboxAccess
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.compare import compare
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.energy.solar import solar
from toolkit.flows.energy.usage import usage
from toolkit.flows.fleet.kernels import Analysis
from toolkit.flows.fleet.run import FleetQuestion, fleet
from toolkit.flows.household.context import Context
from toolkit.flows.money.summary import spending
from toolkit.flows.plans.fetch import fetch
from toolkit.flows.sync.end_users import adopt
from toolkit.flows.sync.run import sync
from toolkit.sandbox.serve import running
from toolkit.sandbox.world.people import seeded_people
from toolkit.store import open_store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.meters import ServicePointRow

COUPLE_EVERY = 6
FLOWS: Mapping[Analysis, Any] = {
    "spending": spending,
    "usage": usage,
    "bill": bill,
    "compare": compare,
    "forecast": forecast,
    "solar": solar,
}
FIGURES: dict[Analysis, dict[str, str]] = {
    "spending": dict.fromkeys(("spent", "income"), ""),
    "usage": dict.fromkeys(
        ("from", "to", "import_kwh", "import_mj", "export_kwh", "controlled_load_kwh", "base_load_kw", "coverage"), ""
    ),
    "bill": dict.fromkeys(("from", "to", "plan_id", "total", "gst"), ""),
    "compare": {
        **dict.fromkeys(("from", "to", "priced"), ""),
        "plan_id": "current.plan_id",
        "total": "current.total",
        "best_plan_id": "headline.plan_id",
        "best_total": "headline.total",
        "saving": "headline.saving",
        "saving_days": "headline.saving_days",
    },
    "forecast": {
        **dict.fromkeys(("plan_id", "certain", "p10", "p50", "p90", "reason"), ""),
        "from": "period.from",
        "to": "period.to",
    },
    "solar": {
        **dict.fromkeys(("panels_kw", "export_kwh", "feed_in_value", "avoided_import_value", "reason"), ""),
        "generation_low_kwh": "generation_kwh.low",
        "generation_kwh": "generation_kwh.mid",
        "generation_high_kwh": "generation_kwh.high",
    },
}
"""Column of the fleet → place in the JSON of the single command; empty where both have one name."""

Figures = dict[str, Any]


def pull(ctx: Context, homes: int, seed: int) -> None:
    """Fill the database with homes of the embedded service; `ctx.today` ends their invented lives."""
    people = seeded_people(seed, homes)
    with running(seed=seed, today=ctx.today, households=homes) as sandbox:
        with Client(SandboxAccess.to(sandbox)) as client:
            with open_store(ctx.db) as store:
                for number, person in enumerate(people):
                    couple = number - 1 if number % COUPLE_EVERY == COUPLE_EVERY - 1 else number
                    adopt(store, client, person.end_user_id(seed), f"Home {couple:03}")
            sync(ctx, client)
        with Register(sandbox.register_url) as source:
            fetch(ctx, source, retailers=("lyrebird", "quoll"))


def figures(answer: Any, analysis: Analysis) -> Figures:
    """Return the figures of a single command's answer by the fleet's columns."""
    part = json.loads(to_json(answer))
    if "service_points" in part:
        [part] = part["service_points"]
    return {
        column: reduce(lambda value, key: value and value[key], (place or column).split("."), part)
        for column, place in FIGURES[analysis].items()
    }


def alone(ctx: Context, analysis: Analysis) -> Figures:
    """Return what the single command answers for one household or service point, its refusal included."""
    try:
        return figures(FLOWS[analysis](ctx), analysis)
    except ToolkitError as error:
        return {"refused": str(error)}


def one_by_one(ctx: Context, analysis: Analysis) -> Iterator[tuple[str, str | None, Figures]]:
    """Yield household, service point and figures of each single command."""
    with open_store(ctx.db) as store:
        homes = sorted(store.load(HouseholdRow), key=lambda home: home.name)
        points = {home.name: store.load(ServicePointRow, home.household_id) for home in homes}
    for home in homes:
        own = replace(ctx, household=home.name)
        if analysis == "spending":
            yield home.name, None, alone(own, analysis)
            continue
        for point in points[home.name]:
            if analysis != "solar" or point.fuel == "ELECTRICITY":
                point_id = point.service_point_id
                yield home.name, point_id, alone(replace(own, service_point=point_id), analysis)


def of_fleet(ctx: Context, analysis: Analysis, cluster: Cluster) -> dict[tuple[str, str | None], Figures]:
    """Return the fleet's figures by household and service point, in the same columns."""
    rows = json.loads(to_json(fleet(ctx, FleetQuestion(analysis), cluster)))["households"]
    return {
        (row["household"], row["service_point_id"]): (
            {"refused": row["reason"]} if row["failed"] else {name: row[name] for name in FIGURES[analysis]}
        )
        for row in rows
    }


def differences(ctx: Context, analysis: Analysis, cluster: Cluster) -> tuple[int, list[str]]:
    """Return how many rows were compared, and a sentence on each that differs or that only one of the two has."""
    together = of_fleet(ctx, analysis, cluster)
    single = {(home, point): answer for home, point, answer in one_by_one(ctx, analysis)}
    return len(single), [
        f"{analysis} {place}: fleet {together.get(place)}, alone {single.get(place)}"
        for place in sorted(together.keys() | single.keys(), key=str)
        if together.get(place) != single.get(place)
    ]


def main() -> None:
    """Compare all analyses; exit 1 where a row differs."""
    reader = argparse.ArgumentParser(prog="python -m tests.fleet.homes")
    reader.add_argument("--homes", type=int, default=36)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--today", type=date.fromisoformat, default=date(2026, 7, 15))
    reader.add_argument("--keep", type=Path, help="database to fill, or to use where it exists")
    asked = reader.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ctx = Context(asked.keep or Path(folder) / "homes.db", asked.today)
        if not ctx.db.exists():
            pull(ctx, asked.homes, asked.seed)
        found = []
        for analysis in get_args(Analysis):
            rows, differing = differences(ctx, analysis, Cluster(workers=2))
            print(f"{analysis}: {rows} rows, {len(differing)} differ", flush=True)
            found += differing
    print(*found, sep="\n")
    raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
