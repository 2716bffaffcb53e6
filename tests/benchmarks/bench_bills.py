"""Bills: a whole market on one home, beside one pass of numpy a plan and, where it is installed, NREL's engine.

Cached, as in a running program: plans compiled, the home's energy summed by the windows that plans share. Not cached:
blocks, demand, caps, discounts, GST and rounding of every line. PUBLISHED_PLANS may name a file or folder of published
plans; without it the sandbox's market stands for them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

import polars as pl

from tests.benchmarks.harness import Action, Result, Times, exactly, seconds, side_by_side, summary
from tests.benchmarks.homes import FIRST, LAST, NMI, ZONE, home_year, nem12
from tests.benchmarks.one_pass import YearOfReads
from toolkit.analytics.energy.bills import Options, Period, Usage, prepare
from toolkit.analytics.energy.pricing import Market, price_market
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.flows.plans.choice import latest, plans_at
from toolkit.sandbox.register.market import RETAILERS
from toolkit.sandbox.register.market import Market as Invented
from toolkit.tables.rows.plans import Plan, read_plan

MONTHS = [
    Period(date(FIRST.year, month, 1), (date(FIRST.year, month, 28) + timedelta(4)).replace(day=1) - timedelta(1))
    for month in range(1, 13)
]
HOUSEHOLDS = 50
PLANS = 1000
ONE_PASS_PLANS = PLANS // 200


def results(repeats: int) -> Iterator[Result]:
    invented = [read_plan(plan) for plan in generated()]
    thousand = Market.of(compiled(invented)[:PLANS])
    reads = home_year(1)
    usage = prepare(reads, zone=ZONE)
    yield from _thousand(thousand, usage, reads, repeats)
    yield from _published(invented, usage, repeats)
    yield _fifty(thousand, repeats)
    yield from _other_engine(thousand, usage, reads, repeats)
    yield _command(invented, repeats)


def generated(seed: int = 1) -> list[dict[str, object]]:
    market = Invented(seed, FIRST)
    return [plan for retailer in RETAILERS for plan in market.retailer_plans(retailer.slug).plans.values()]


def compiled(plans: Sequence[Plan]) -> list[Rates]:
    return [compile_plan(plan, "ELECTRICITY") for plan in plans if "ELECTRICITY" in plan.fuels]


def priced(market: Market, usage: Usage) -> int:
    return int(price_market(market, usage, MONTHS, Options()).totals.sum())


def _thousand(market: Market, usage: Usage, reads: pl.DataFrame, repeats: int) -> Iterator[Result]:
    one_pass = YearOfReads.of(reads, MONTHS)
    some = market.plans[:: PLANS // ONE_PASS_PLANS][:ONE_PASS_PLANS]
    ours, passes = side_by_side(
        lambda: priced(market, usage), lambda: [one_pass.cost(rates) for rates in some], max(repeats, 20)
    )
    what = f"{PLANS:,} plans on a home's year of 5-minute reads"
    yield Result(what, ours, exactly(0.005), "5 ms", 1)
    yield Result(what, ours, passes, f"{ONE_PASS_PLANS} plans, one numpy pass each (1 is 200 times faster a plan)", 1)


def _published(invented: Sequence[Plan], usage: Usage, repeats: int) -> Iterator[Result]:
    path = os.environ.get("PUBLISHED_PLANS")
    plans = latest(plans_at(Path(path))[0]) if path else invented
    market = Market.of(compiled(plans))
    ours = repeated(lambda: priced(market, usage), max(repeats, 10))
    kind = "published" if path else "generated"
    yield Result(f"all {len(market.plans):,} {kind} electricity plans on that year", ours, exactly(0.06), "60 ms", 1)


def _fifty(market: Market, repeats: int) -> Result:
    homes = [prepare(home_year(seed), zone=ZONE) for seed in range(HOUSEHOLDS)]
    ours = repeated(lambda: [priced(market, usage) for usage in homes], repeats)
    return Result(f"{HOUSEHOLDS} homes on {PLANS:,} plans", ours, exactly(0.15), "150 ms", 1)


def _other_engine(market: Market, usage: Usage, reads: pl.DataFrame, repeats: int) -> Iterator[Result]:
    try:
        from tests.benchmarks.sam import one_rate
    except ImportError:
        return
    ours, theirs = side_by_side(lambda: [priced(market, usage) for _ in range(4)], one_rate(reads), repeats)
    yield Result(f"{4 * PLANS:,} plans on that year", ours, theirs, "one rate by PySAM Utilityrate5", 1)


def _command(plans: Sequence[Plan], repeats: int) -> Result:
    """The whole command in a process of its own, plans and reads stored."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "meter.csv").write_text(nem12(home_year(1)))
        (folder / "plans.ndjson").write_text("".join(json.dumps(plan.given) + "\n" for plan in plans))
        environ = {**os.environ, "TOOLKIT_DATA_DIR": str(folder / "data")}

        def run(*arguments: object) -> None:
            command = [sys.executable, "-m", "toolkit", *map(str, arguments)]
            subprocess.run(command, check=True, env=environ, capture_output=True)

        run("import", folder / "meter.csv", folder / "plans.ndjson")
        asked = ("compare", "--from", FIRST, "--to", LAST, "--service-point", NMI, "--json")
        ours = repeated(lambda: run(*asked), repeats)
    return Result(f"`toolkit compare`, cold, {len(plans):,} plans stored", ours, exactly(3), "3 s", 1)


def repeated(action: Action, repeats: int) -> Times:
    """Ours alone, where the yardstick is a figure."""
    action()
    return summary([seconds(action) for _ in range(repeats)])
