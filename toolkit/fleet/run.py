"""Run one Dask task for each household."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from toolkit.analytics.energy.usage import service_point_usage
from toolkit.analytics.money import spending as work_out
from toolkit.answers.data import Fleet, FleetRow
from toolkit.errors import ConnectionFailedError, SettingsError, UsageError

_ADDRESS = re.compile(r"((tcp|tls|ucx|ws|wss)://)?([^\s/:]+|\[[0-9A-Fa-f:]+\]):[0-9]{1,5}")


def over_households(folders: Sequence[Path], analysis: str, *, workers: int = 2, scheduler: str | None = None) -> Fleet:
    """Run an analysis (`spending` or `usage`) of each household; rows in the order of `folders`.

    folders: one per household, as `flows.partitions` writes them, readable by every worker. scheduler: address of a
    Dask scheduler; default: `workers` processes on this machine, gone afterwards. Raises SettingsError without Dask,
    UsageError if `scheduler` is not an address, ConnectionFailedError if nobody answers there within Dask's setting
    `distributed.comm.timeouts.connect`.
    """
    with _client(workers, scheduler) as client:
        rows = client.gather(client.map(KERNELS[analysis], list(folders), pure=False))
    return Fleet(analysis=analysis, households=tuple(rows))


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


class _Home(msgspec.Struct):
    """`home.json` of a household's folder."""

    name: str
    timezone: str
    people: list[str]


def spending(folder: Path) -> FleetRow:
    """Return spending and income of one household [AUD], from its first to its last transaction."""
    home = _home(folder)
    names = ("transactions", "accounts", "choices")
    transactions, accounts, overrides = (pl.read_parquet(folder / f"{name}.parquet") for name in names)
    answer = work_out(transactions, accounts, zone=home.timezone, overrides=overrides, people=home.people)
    return FleetRow(household=home.name, from_=answer.from_, to=answer.to, spent=answer.spent, income=answer.income)


def usage(folder: Path) -> FleetRow:
    """Return energy, base load and coverage of one household, from its first to its last meter day."""
    home = _home(folder)
    facts = service_point_usage(pl.read_parquet(folder / "reads.parquet"), zone=home.timezone)
    return FleetRow(
        household=home.name,
        from_=facts.from_,
        to=facts.to,
        import_kwh=facts.import_kwh,
        export_kwh=facts.export_kwh,
        base_load_kw=facts.base_load_kw,
        coverage=facts.coverage,
    )


KERNELS: dict[str, Callable[[Path], FleetRow]] = {"spending": spending, "usage": usage}


def _home(folder: Path) -> _Home:
    return msgspec.json.decode((folder / "home.json").read_bytes(), type=_Home)
