"""Table of how near forecasts come to the bill: `python -m tests.truth.forecasts [--seeds N] [--homes FOLDER]`.

Judged on seeds that were never used in tuning (`--tuning` uses those that were).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests.truth.forecasts.homes import KINDS, Home, home, step_home
from tests.truth.forecasts.measured import measured_homes
from tests.truth.forecasts.score import (
    STEADY,
    Origin,
    Row,
    YearForecast,
    named_on,
    origins,
    plans,
    table,
    year_of,
)

TUNING, JUDGING = 1000, 19000
"""First seeds. Those from 7000, 9000, 11000, 13000 and 17000 on judged earlier rules and were seen then."""
NAMED = ((2.0, 21), (1.5, 45), (0.5, 90), (1.3, 90), (0.7, 90))
"""Use times so much, named within so many days."""
REFERENCE = Path(__file__).parents[3] / "toolkit" / "docs" / "reliability.md"


def main() -> None:
    """Print the tables; with `--write` put them into the reference too."""
    reader = argparse.ArgumentParser(prog="python -m tests.truth.forecasts", description=__doc__)
    reader.add_argument("--seeds", type=int, default=6, metavar="N", help="homes of each kind")
    reader.add_argument("--homes", type=Path, metavar="FOLDER", help="measured homes: index.json and CSV files")
    reader.add_argument("--count", type=int, default=None, metavar="N", help="measured homes at most")
    reader.add_argument("--steps", type=int, default=20, metavar="N", help="homes for each size of change; 0: none")
    reader.add_argument("--years", type=int, default=0, metavar="N", help="homes of each kind whose year is forecast")
    reader.add_argument("--kinds", nargs="*", choices=[*KINDS, []], help="default: all")
    reader.add_argument("--days", type=int, nargs="*", default=[0, 12], help="days of a period already read")
    reader.add_argument("--stride", type=int, default=1, metavar="N", help="only every Nth period of a home")
    reader.add_argument("--tuning", action="store_true", help="the seeds used in tuning")
    reader.add_argument("--write", action="store_true", help=f"put the tables into {REFERENCE.name}")
    asked = reader.parse_args()
    first = TUNING if asked.tuning else JUDGING
    tables: dict[str, str] = {}
    if asked.seeds:
        seeds = range(first, first + asked.seeds)
        made = [home(kind, seed) for kind in asked.kinds or KINDS for seed in seeds]
        tables["generated"] = report("Generated homes", score(made, asked))
    if asked.steps:
        tables["named"] = how_soon_named(range(first, first + asked.steps))
    if asked.years:
        tables["years"] = report_years(range(first, first + asked.years))
    if asked.homes:
        results = score(list(measured_homes(asked.homes, asked.count)), asked, least=240)
        tables["measured"] = report("Measured homes", results)
    for name, text in tables.items():
        print(f"\n{text}", flush=True)
        if asked.write:
            put_into_reference(name, text)


def put_into_reference(name: str, text: str) -> None:
    """Replace the part of the reference between the marks of that name."""
    begin, end = f"<!-- forecasts {name} -->", f"<!-- /forecasts {name} -->"
    before, _, rest = REFERENCE.read_text(encoding="utf-8").partition(begin)
    _, mark, after = rest.partition(end)
    if not mark:
        raise SystemExit(f"{REFERENCE} has no place for {name}: {begin}")
    REFERENCE.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def score(homes: Sequence[Home], asked: argparse.Namespace, least: int = 265) -> list[Origin]:
    """Forecast from each origin of each home, on three plans by turns."""
    offered = plans()
    return [
        origin
        for number, each in enumerate(homes)
        for origin in origins(each, number, offered[number % len(offered)], asked.days, least, asked.stride)
    ]


def report(title: str, results: Sequence[Origin]) -> str:
    """Return one table as Markdown."""
    homes = len({(each.kind, each.home) for each in results})
    head = f"{title}: {homes} homes, {len(results)} forecasts."
    columns = "| homes | forecasts | error | run rate | last year | ÷ better | inside p10–p90 |"
    rows = [f"| {' | '.join(cells(row))} |" for row in table(results)]
    return "\n".join([head, "", columns, "|---|--:|--:|--:|--:|--:|--:|", *rows])


def cells(row: Row) -> list[str]:
    """Return a row's cells."""
    shares = (row.error, row.run_rate, row.last_year)
    percents = ["–" if share is None else f"{100 * share:.1f} %" for share in shares]
    held = "–" if row.held is None else f"{100 * row.held:.0f} % of {row.ranged}"
    ratio = f"{row.ratio:.2f} ({row.interval[0]:.2f} to {row.interval[1]:.2f})"
    return [row.kind, str(row.origins), *percents, ratio, held]


def report_years(seeds: Sequence[int]) -> str:
    """Return how years forecast at the end of the first one compare with the year that came."""
    offered = plans()
    lines = ["| homes | years | error of the year | months inside p10–p90 | years that the p90 payments cover |"]
    lines.append("|---|--:|--:|--:|--:|")
    every: list[YearForecast] = []
    for kind in STEADY:
        these = [made for n, seed in enumerate(seeds) if (made := year_of(home(kind, seed), offered[n % len(offered)]))]
        every += these
        lines.append(year_row(kind, these))
    return "\n".join([*lines, year_row("all", every)])


def year_row(name: str, years: Sequence[YearForecast]) -> str:
    """Return a row of the table of years."""
    months = [inside for year in years for inside in year.inside]
    error = 100 * median(year.error for year in years)
    ranged = f"{100 * sum(months) / len(months):.0f} %" if months else "–"
    covered = 100 * sum(year.covered for year in years) / len(years)
    return f"| {name} | {len(years)} | {error:.1f} % | {ranged} | {covered:.0f} % |"


def how_soon_named(seeds: Sequence[int]) -> str:
    """Return how soon changes of a size are named, and how often one is that did not happen."""
    plan = plans()[0]
    lines = ["| use times | within days | homes | named |", "|---|--:|--:|--:|"]
    for ratio, within in NAMED:
        named = 0
        for seed in seeds:
            made = step_home(ratio, seed)
            assert made.change is not None
            at = (made.change - made.first).days
            found = named_on(made, plan, range(at + within - 6, at + within + 1, 3))
            named += any(each and abs(each.row - at) <= 21 and (each.ratio > 1) == (ratio > 1) for each in found)
        lines.append(f"| {ratio:g} | {within} | {len(seeds)} | {100 * named / len(seeds):.0f} % |")
    falsely, years = 0, 0.0
    for kind in ("plain", "holidays", "solar"):
        for seed in seeds[: len(seeds) // 2]:
            made = home(kind, seed)
            found = named_on(made, plan, range(300, made.days, 21))
            falsely += len({each.row // 45 for each in found if each})
            years += (made.days - 300) / 365
    without = f"Named falsely: {falsely} in {years:.0f} home-years without a change (plain, holidays, solar)."
    return "\n".join([*lines, "", without])


if __name__ == "__main__":
    main()
