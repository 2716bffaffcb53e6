"""Usage: profiles and solar of a year of 5-minute reads; reading meter files beside nemreader and a plain loop."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
from nemreader import NEMFile

from tests.benchmarks.harness import Result, exactly, seconds, side_by_side, summary
from tests.benchmarks.homes import home_year, nem12
from toolkit.analytics.energy.solar import Panels, service_point_solar
from toolkit.analytics.energy.solar.climate import CITIES
from toolkit.analytics.energy.usage import service_point_usage
from toolkit.importers.imported import Imported, Options
from toolkit.importers.meters.usage_bulk import read_in_bulk
from toolkit.importers.meters.usage_table import UsageTable, columns_of
from toolkit.importers.read import read
from toolkit.importers.source import Source, records

ROWS = 1_000_000
PROFILES_GOAL, SOLAR_GOAL, ROWS_A_SECOND = 0.050, 0.250, 1_000_000


def results(repeats: int) -> Iterator[Result]:
    reads = home_year(1).filter(pl.col("register_suffix") != "E2")
    service_point_usage(reads, zone="Australia/Sydney")
    profiles = summary(
        [seconds(lambda: service_point_usage(reads, zone="Australia/Sydney")) for _ in range(4 * repeats)]
    )
    what = "profiles of a year of 5-minute reads, two registers"
    yield Result(what, profiles, exactly(PROFILES_GOAL), "the goal", 1.0)
    yield _solar(reads, repeats)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "meter.csv"
        path.write_text(nem12(home_year(1)))
        ours, theirs = side_by_side(lambda: read(path), lambda: NEMFile(str(path)).get_data_frame(), repeats)
        yield Result("a NEM12 year of 5-minute reads, three registers, read", ours, theirs, "nemreader's frame", 0.5)
    yield from _long_table(repeats)


def _solar(reads: pl.DataFrame, repeats: int) -> Result:
    def inferred() -> None:
        made = service_point_solar(reads, city=CITIES[0], panels=Panels()).answer
        assert made.generation_kwh.values is not None

    inferred()
    ours = summary([seconds(inferred) for _ in range(4 * repeats)])
    return Result("solar inferred from such a year", ours, exactly(SOLAR_GOAL), "the goal", 1.0)


def _long_table(repeats: int) -> Iterator[Result]:
    source = Source("long.csv", long_table(ROWS).encode())
    columns = columns_of(list(records(source.head, most=25)))
    assert columns is not None

    def parsed() -> object:
        found = read_in_bulk(source, UsageTable(columns, Options()), 1, Imported("usage-csv", "register_days"))
        assert found is not None
        return found

    parsed()
    ours = summary([seconds(parsed) for _ in range(repeats)])
    yield Result(f"{ROWS:,} rows of a long table, parsed", ours, exactly(ROWS / ROWS_A_SECOND), "the goal", 1.0)
    loop = summary([seconds(lambda: plain_loop(source.text)) for _ in range(2)])
    yield Result(f"{ROWS:,} rows of a long table, parsed", ours, loop, "csv.reader, a date and a float a row", 1.0)


def long_table(rows: int) -> str:
    start = datetime.fromisoformat("2016-01-01T00:00")
    return "NMI,Register,Start,Usage (kWh)\n" + "".join(
        f"4103000001,E1,{start + timedelta(minutes=5 * n)},0.{n % 500:03d}\n" for n in range(rows)
    )


def plain_loop(text: str) -> list[tuple[datetime, float]]:
    rows = csv.reader(text.splitlines())
    next(rows)
    return [(datetime.fromisoformat(start), float(kwh)) for _, _, start, kwh in rows]
