"""Run one Dask task for each household."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from toolkit.analytics.energy.usage import service_point_usage
from toolkit.analytics.money import spending as work_out
from toolkit.errors import ConnectionFailedError, SettingsError, UsageError

_ADDRESS = re.compile(r"((tcp|tls|ucx|ws|wss)://)?([^\s/:]+|\[[0-9A-Fa-f:]+\]):[0-9]{1,5}")


def over_households(
    folders: Sequence[Path], analysis: str, *, workers: int = 2, scheduler: str | None = None
) -> dict[str, Any]:
    """Return `{"analysis", "households": [one row each]}` in the order of `folders`.

    folders: one per household, as `flows.partitions` writes them, readable by every worker. scheduler: address of a
    Dask scheduler; default: `workers` processes on this machine, gone afterwards. Raises SettingsError without Dask,
    UsageError if `scheduler` is not an address, ConnectionFailedError if nobody answers there within Dask's setting
    `distributed.comm.timeouts.connect`.
    """
    with _client(workers, scheduler) as client:
        rows = client.gather(client.map(KERNELS[analysis], list(folders), pure=False))
    return {"analysis": analysis, "households": rows}


@contextmanager
def _client(workers: int, scheduler: str | None) -> Iterator[Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError as missing:
        raise SettingsError("The fleet needs Dask: pip install 'finance-energy-toolkit[fleet]'.") from missing
    if scheduler is not None:
        with _remote(Client, scheduler) as client:
            yield client
        return
    # Workers closed while they send a heartbeat would log a traceback each.
    local = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with LocalCluster(**local, silence_logs=logging.CRITICAL) as cluster, Client(cluster) as client:
        yield client


def _remote(client: Any, scheduler: str) -> Any:
    if not _ADDRESS.fullmatch(scheduler):
        raise UsageError(f"--scheduler: {scheduler!r} is not a Dask scheduler address such as tcp://192.0.2.1:8786.")
    try:
        return client(scheduler)
    except (OSError, ValueError) as error:
        remedy = "Check that it is running and that the address is right."
        raise ConnectionFailedError(f"No Dask scheduler answers at {scheduler}. {remedy}") from error


Row = dict[str, Any]


def spending(folder: Path) -> Row:
    """Return household, from, to [days], spent, income [AUD as text] of one household."""
    home = _home(folder)
    names = ("transactions", "accounts", "choices")
    transactions, accounts, overrides = (pl.read_parquet(folder / f"{name}.parquet") for name in names)
    answer = work_out(transactions, accounts, zone=home["timezone"], overrides=overrides, people=home["people"])
    money = {"spent": str(answer.spent), "income": str(answer.income)}
    return {"household": home["name"], "from": _day(answer.from_), "to": _day(answer.to), **money}


def usage(folder: Path) -> Row:
    """Return household, from, to [meter days], import_kwh, export_kwh, base_load_kw, coverage of one household."""
    home = _home(folder)
    facts = service_point_usage(pl.read_parquet(folder / "reads.parquet"), zone=home["timezone"])
    return {
        "household": home["name"],
        "from": _day(facts.from_),
        "to": _day(facts.to),
        "import_kwh": facts.import_kwh,
        "export_kwh": facts.export_kwh,
        "base_load_kw": facts.base_load_kw,
        "coverage": facts.coverage,
    }


KERNELS: dict[str, Callable[[Path], Row]] = {"spending": spending, "usage": usage}


def _home(folder: Path) -> Row:
    home: Row = json.loads((folder / "home.json").read_text("utf-8"))
    return home


def _day(day: object) -> str | None:
    return None if day is None else str(day)
