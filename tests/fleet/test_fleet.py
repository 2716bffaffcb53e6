"""Many households on Dask answer what each answers alone."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from functools import partial, reduce
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from distributed import LocalCluster

import toolkit
from tests.command_line import Run
from tests.meters import day, days, flat_plan, nem12, register
from tests.problems import names, places
from toolkit.answers.base import to_json
from toolkit.answers.data import Fleet
from toolkit.errors import FleetError, FrameError, UsageError
from toolkit.fleet import Cluster, run_all
from toolkit.flows.fleet.kernels import Analysis, analyse
from toolkit.flows.fleet.partitions import write_partitions
from toolkit.flows.household.context import Context
from toolkit.settings import load

TODAY = ("--today", "2026-03-05")
ROWS = {"Ours": "-45.60", "Theirs": "-4.50"}

pytestmark = [pytest.mark.filterwarnings("ignore")]  # Dask's own, of its workers' coming and going


@pytest.fixture
def homes(run: Run, tmp_path: Path) -> Run:
    """Three homes: Sydney's with solar, Brisbane's, whose clocks differ in summer, and one without any data."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "plan.json").write_text(flat_plan())
    for place, (name, postcode, nmi) in enumerate((("Ours", "2000", "4103000001"), ("Theirs", "4000", "3100000001"))):
        (folder / "bank.csv").write_text(f'01/02/2026,"{ROWS[name]}","SHOP","+1954.40"\n')
        bought = [0.25 if half < 20 else 0.5 + place for half in range(48)]
        sold = [0.0 if half < 18 or half > 30 else 1.5 for half in range(48)]
        reads = [*(day(when, bought) for when in days("2026-01-01", 59))]
        sent = [*(day(when, sold) for when in days("2026-01-01", 59))] if name == "Ours" else []
        export = [register("B1", nmi=nmi), *sent] if sent else []
        (folder / "meter.csv").write_text(nem12(register("E1", nmi=nmi), *reads, *export))
        assert run("import", folder, "--household", name).code == 0
        facts = ("--postcode", postcode, "--plan", "FLAT@EME", "--since", "2025-12-01")
        assert run("household", "set", "--household", name, *facts).code == 0
    assert run("household", "add", "Nobody").code == 0
    return run


FIGURES: dict[Analysis, tuple[str, ...]] = {
    "spending": ("spent", "income"),
    "usage": ("import_kwh", "export_kwh", "base_load_kw", "coverage"),
    "bill": ("from", "to", "plan_id", "total", "gst"),
    "compare": ("from", "to", "current.total", "headline.plan_id", "headline.saving", "priced"),
    "forecast": ("certain", "p10", "p50", "p90"),
    "solar": ("export_kwh", "generation_kwh.low", "generation_kwh.mid", "feed_in_value", "avoided_import_value"),
}
"""Figures of the single command's JSON; the fleet's columns in the same order are those below."""
COLUMNS: dict[Analysis, tuple[str, ...]] = {
    **FIGURES,
    "compare": ("from", "to", "total", "best_plan_id", "saving", "priced"),
    "solar": ("export_kwh", "generation_low_kwh", "generation_kwh", "feed_in_value", "avoided_import_value"),
}


def alone(run: Run, analysis: Analysis, home: str) -> list[Any]:
    """Return the figures that the single command answers for a household with one meter."""
    answer = run(analysis, "--household", home, *TODAY, "--json").json
    point = answer["service_points"][0] if "service_points" in answer else answer
    return [reduce(lambda part, key: part and part[key], name.split("."), point) for name in FIGURES[analysis]]


@pytest.mark.parametrize("analysis", FIGURES)
def test_a_partition_gives_what_the_single_command_gives(homes: Run, tmp_path: Path, analysis: Analysis) -> None:
    folders = write_partitions(Context(load({}).db, date(2026, 3, 5)), tmp_path / "parts")
    rows = {row.household: row for folder in folders for row in analyse(folder, analysis, date(2026, 3, 5))}
    listed = json.loads(to_json(Fleet(analysis=analysis, households=tuple(rows.values()))))["households"]
    fleet = {row["household"]: [row[name] for name in COLUMNS[analysis]] for row in listed}
    assert {home: fleet[home] for home in ROWS} == {home: alone(homes, analysis, home) for home in ROWS}
    assert rows["Nobody"].failed == (analysis != "spending")
    assert bool(rows["Nobody"].reason) == (analysis != "spending")


def test_the_command_lists_what_failed(homes: Run, tmp_path: Path) -> None:
    ended = homes("fleet", "--analysis", "bill", "--workers", 1, *TODAY, "--json")
    assert ended.code == 3
    assert places(ended.json["problems"]) == [("Nobody", "rejected")]
    totals = {row["household"]: row["total"] for row in ended.json["households"]}
    assert totals == {"Nobody": None, **{home: alone(homes, "bill", home)[3] for home in ROWS}}


def test_rows_as_parquet_and_as_a_frame(homes: Run, tmp_path: Path) -> None:
    out = tmp_path / "rows.parquet"
    assert homes("fleet", "--analysis", "usage", "--workers", 1, "--out", out, *TODAY).code == 3
    written = pl.read_parquet(out)
    assert written["household"].to_list() == ["Nobody", "Ours", "Theirs"]
    assert written["import_kwh"].to_list() == [None, 59 * 19.0, 59 * 47.0]  # 20 × 0.25 + 28 × 0.5, and + 28
    db = load({}).db
    assert toolkit.over_households(db=db, analysis="usage", workers=1).equals(written)


def test_partitions_that_were_kept_are_read_in_place_of_the_database(homes: Run, tmp_path: Path) -> None:
    kept = tmp_path / "parts"
    asked = ("fleet", "--analysis", "compare", "--workers", 1, *TODAY, "--json")
    first = homes(*asked, "--keep", kept)
    assert homes(*asked, "--input", kept).json == first.json
    assert homes(*asked, "--keep", kept).code == 2  # not empty
    assert homes(*asked, "--keep", tmp_path / "new", "--input", kept).code == 2


def test_a_frame_of_many_meters_needs_no_database() -> None:
    half_hours = pl.datetime_range(
        pl.datetime(2026, 1, 1), pl.datetime(2026, 1, 7, 23, 30), "30m", time_zone="Australia/Brisbane", eager=True
    )
    frame = pl.DataFrame(
        {
            "home": ["a"] * 336 + ["b"] * 336,
            "time": pl.concat([half_hours, half_hours]),
            "kwh": [0.5] * 336 + [1.0] * 336,
        }
    )
    reads = toolkit.reads(frame, time="time", energy="kwh", home="home")
    rows = toolkit.over_households(frame=reads, analysis="usage", zone="Australia/Brisbane", workers=1)
    assert rows.select("household", "import_kwh", "coverage", "failed").rows() == [
        ("a", 168.0, 1.0, False),
        ("b", 336.0, 1.0, False),
    ]
    one = toolkit.usage(reads.filter(pl.col("service_point_id") == "a"), zone="Australia/Brisbane")
    assert rows["base_load_kw"][0] == one.base_load_kw


def test_a_frame_of_many_households_is_summed_by_household() -> None:
    """Two purchases and a pay of one, a refund of the other; a transfer between accounts of one is not spending."""
    rows = [
        ("a", "everyday", date(2026, 1, 5), -40.0, "SHOP"),
        ("a", "everyday", date(2026, 1, 6), -10.5, "CAFE"),
        ("a", "everyday", date(2026, 1, 7), -200.0, "TRANSFER TO SAVINGS"),
        ("a", "savings", date(2026, 1, 7), 200.0, "TRANSFER FROM EVERYDAY"),
        ("b", "everyday", date(2026, 1, 8), -8.0, "SHOP"),
        ("b", "everyday", date(2026, 1, 9), 3.0, "SHOP REFUND"),
    ]
    frame = pl.DataFrame(rows, schema=["home", "account", "day", "amount", "words"], orient="row")
    columns = {"date": "day", "amount": "amount", "description": "words", "account": "account"}
    transactions, _ = toolkit.transactions(frame, **columns)
    many = toolkit.over_households(
        frame=transactions.with_columns(home=frame["home"]), home="home", today=date(2026, 2, 1), workers=1
    )
    alone = [toolkit.spending(*toolkit.transactions(own, **columns)).spent for own in frame.partition_by("home")]
    assert many.select("household", "spent", "failed").rows() == [
        ("a", alone[0], False),
        ("b", alone[1], False),
    ]
    assert [str(spent) for spent in alone] == ["50.50", "5.00"]


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({}, UsageError),
        ({"db": "a.db", "folder": "b"}, UsageError),
        ({"frame": pl.DataFrame({"a": [1]}), "analysis": "usage"}, FrameError),
        ({"frame": pl.DataFrame({"a": [1]})}, FrameError),
        ({"frame": pl.DataFrame({"a": [1]}), "analysis": "bill"}, UsageError),
        ({"folder": "."}, UsageError),
    ],
)
def test_what_cannot_be_worked_out_is_refused(asked: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        toolkit.over_households(**asked)


def test_a_scheduler_that_does_not_answer_ends_the_command(homes: Run) -> None:
    dask = pytest.importorskip("dask")
    with socket.socket() as free, dask.config.set({"distributed.comm.timeouts.connect": "300ms"}):
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        ended = homes("fleet", "--scheduler", address)
    assert (ended.code, ended.out) == (1, "")
    assert names(ended.err, "error: ", address)


def test_without_dask_the_command_ends_with_one_sentence(homes: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    ended = homes("fleet")
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert names(ended.err, "error: ", "fleet")


def test_a_scheduler_without_workers_is_not_waited_for_without_end() -> None:
    with LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1", processes=True) as cluster:
        one = Cluster(scheduler=cluster.scheduler_address)
        with pytest.raises(FleetError, match="worker"):
            run_all(str, [1], one, lost=lambda _, reason: reason, wait_seconds=0.5)


@contextmanager
def dask_process(*arguments: str) -> Iterator[int]:
    """Run a scheduler or worker as the reference page says; give its process id."""
    with subprocess.Popen([sys.executable, "-m", "dask", *arguments], stderr=subprocess.DEVNULL) as process:
        try:
            yield process.pid
        finally:
            process.kill()


@pytest.mark.slow
def test_a_scheduler_that_goes_ends_the_run() -> None:
    dask = pytest.importorskip("dask")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    address, quiet = f"tcp://127.0.0.1:{port}", "--no-dashboard"
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "3s"}),
        dask_process("scheduler", "--host", "127.0.0.1", "--port", port, quiet) as scheduler,
        dask_process("worker", address, "--nthreads", "1", "--no-nanny", quiet),
    ):
        one = Cluster(scheduler=address)
        _until_it_answers(int(port))
        with pytest.raises(FleetError):
            run_all(partial(_kills, scheduler), [1], one, lost=lambda _, reason: reason, wait_seconds=60)


def _until_it_answers(port: int) -> None:
    for _ in range(600):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)


def _kills(process: int, _item: int) -> str:
    os.kill(process, signal.SIGKILL)
    time.sleep(120)
    return "not reached"


@pytest.mark.slow
def test_a_worker_that_dies_costs_its_own_household_only() -> None:
    results = run_all(
        _dies_at_two, [1, 2, 3], Cluster(workers=1), lost=lambda item, _: f"lost {item}", wait_seconds=200
    )
    assert results == ["1", "lost 2", "3"]


def _dies_at_two(item: int) -> str:
    if item == 2:
        os._exit(1)
    return str(item)


@pytest.mark.parametrize("given", ["nonsense", "tcp://somewhere", "http://127.0.0.1:8786", ""])
def test_an_invalid_address_is_wrong_usage(homes: Run, given: str) -> None:
    ended = homes("fleet", "--scheduler", given)
    assert ended.code == 2
    assert names(ended.err, "--scheduler", repr(given))
