"""Run one Dask task for each household; `kernels` has the functions."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from toolkit.errors import ConnectionFailedError, SettingsError, UsageError
from toolkit.fleet.kernels import KERNELS

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
