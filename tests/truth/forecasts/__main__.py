"""Table of how near forecasts come to the bill: `python -m tests.truth.forecasts [--seeds N] [--homes FOLDER]`.

Judged on seeds that were never used in tuning (`--tuning` uses those that were).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from tests.truth.forecasts.homes import KINDS, Home, home, step_home
from tests.truth.forecasts.measured import measured_homes
from tests.truth.forecasts.score import Origin, Row, named_on, origins, plans, ratio_interval, table

TUNING, JUDGING = 1000, 7000
"""First seeds."""
NAMED = ((2.0, 21), (1.5, 45), (0.5, 90), (1.3, 90), (0.7, 90))
"""Use times so much, named within so many days."""


def main() -> None:
    """Print the tables."""
    reader = argparse.ArgumentParser(prog="python -m tests.truth.forecasts", description=__doc__)
    reader.add_argument("--seeds", type=int, default=6, metavar="N", help="homes of each kind")
    reader.add_argument("--homes", type=Path, metavar="FOLDER", help="measured homes: index.json and CSV files")
    reader.add_argument("--count", type=int, default=None, metavar="N", help="measured homes at most")
    reader.add_argument("--steps", type=int, default=20, metavar="N", help="homes for each size of change; 0: none")
    reader.add_argument("--kinds", nargs="*", choices=[*KINDS, []], help="default: all")
    reader.add_argument("--days", type=int, nargs="*", default=[0, 12], help="days of a period already read")
    reader.add_argument("--stride", type=int, default=1, metavar="N", help="only every Nth period of a home")
    reader.add_argument("--tuning", action="store_true", help="the seeds used in tuning")
    asked = reader.parse_args()
    first = TUNING if asked.tuning else JUDGING
    if asked.seeds:
        seeds = range(first, first + asked.seeds)
        made = [home(kind, seed) for kind in asked.kinds or KINDS for seed in seeds]
        report("Generated homes", score(made, asked))
    if asked.steps:
        print_named(range(first, first + asked.steps))
    if asked.homes:
        report("Measured homes", score(list(measured_homes(asked.homes, asked.count)), asked, least=240))


def score(homes: Sequence[Home], asked: argparse.Namespace, least: int = 265) -> list[Origin]:
    """Forecast from each origin of each home, on three plans by turns."""
    offered = plans()
    return [
        origin
        for number, each in enumerate(homes)
        for origin in origins(each, number, offered[number % len(offered)], asked.days, least, asked.stride)
    ]


def report(title: str, results: Sequence[Origin]) -> None:
    """Print one table as Markdown."""
    low, high = ratio_interval(results)
    homes = len({(each.kind, each.home) for each in results})
    print(f"\n{title}: {homes} homes, {len(results)} forecasts; error ÷ better baseline {low:.2f} to {high:.2f}\n")
    print("| homes | forecasts | error | run rate | last year | ÷ better | inside p10–p90 |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for row in table(results):
        print(f"| {' | '.join(cells(row))} |", flush=True)


def cells(row: Row) -> list[str]:
    """Return a row's cells."""
    shares = (row.error, row.run_rate, row.last_year)
    percents = ["–" if share is None else f"{100 * share:.1f} %" for share in shares]
    held = "–" if row.held is None else f"{100 * row.held:.0f} %"
    return [row.kind, str(row.origins), *percents, f"{row.ratio:.2f}", held]


def print_named(seeds: Sequence[int]) -> None:
    """Print how soon changes of a size are named, and how often one is that did not happen."""
    plan = plans()[0]
    print("\n| use times | within days | homes | named |\n|---|--:|--:|--:|")
    for ratio, within in NAMED:
        named = 0
        for seed in seeds:
            made = step_home(ratio, seed)
            assert made.change is not None
            at = (made.change - made.first).days
            found = named_on(made, plan, range(at + within - 6, at + within + 1, 3))
            named += any(each and abs(each.row - at) <= 21 and (each.ratio > 1) == (ratio > 1) for each in found)
        print(f"| {ratio:g} | {within} | {len(seeds)} | {100 * named / len(seeds):.0f} % |", flush=True)
    falsely, years = 0, 0.0
    for kind in ("plain", "holidays", "solar"):
        for seed in seeds[: len(seeds) // 2]:
            made = home(kind, seed)
            found = named_on(made, plan, range(300, made.days, 21))
            falsely += len({each.row // 45 for each in found if each})
            years += (made.days - 300) / 365
    print(f"\nNamed falsely: {falsely} in {years:.0f} home-years without a change (plain, holidays, solar).")


if __name__ == "__main__":
    main()
