"""Run a function over many partitions on Dask: processes of this machine, or a cluster by its scheduler's address."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from toolkit.errors import FleetError, SettingsError, UsageError

Item = TypeVar("Item")
Result = TypeVar("Result")

NO_WORKER_SECONDS = 30.0
"""How long to wait for a worker, at the start and whenever the last one has gone."""
_LOOK_EVERY = 1.0
GONE = "The Dask scheduler has gone. The households were not all worked out."
_ADDRESS = re.compile(r"((tcp|tls|ucx|ws|wss)://)?([^\s/:]+|\[[0-9A-Fa-f:]+\]):[0-9]{1,5}")
_ONE_THREAD = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""A worker of this machine uses one thread: as many workers as processors, and none gets in another's way."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the work is done. workers: processes of this machine; scheduler: address of a Dask scheduler instead.

    tls_ca, tls_cert, tls_key: PEM files for a scheduler at a `tls://` address.
    """

    workers: int = 2
    scheduler: str | None = None
    tls_ca: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None


def run_all(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    cluster: Cluster,
    *,
    lost: Callable[[Item, str], Result],
    wait_seconds: float = NO_WORKER_SECONDS,
) -> list[Result]:
    """Return the result of each item, in order; of one that took its worker down with it, what `lost` makes.

    Raises SettingsError without Dask, UsageError where `scheduler` is not an address, FleetError where no scheduler
    answers or there is no worker for `wait_seconds` seconds.
    """
    try:
        from distributed import KilledWorker
    except ImportError as missing:
        raise SettingsError("The fleet needs Dask: pip install 'finance-energy-toolkit[fleet]'.") from missing
    with _client(cluster) as client:
        try:
            _wait_for_worker(client, wait_seconds)
            futures = client.map(function, list(items), pure=False)
            _wait_for(futures, client, wait_seconds)
            results = []
            for item, future in zip(items, futures, strict=True):
                last = future
                if isinstance(future.exception(), KilledWorker):
                    # Dask blames every task that the worker had in hand: each is tried again, alone.
                    last = client.submit(function, item, pure=False)
                    _wait_for([last], client, wait_seconds)
                failure = last.exception()
                if failure is not None and not isinstance(failure, (KilledWorker, OSError)):
                    raise failure
                results.append(last.result() if failure is None else lost(item, "Its worker process ended early."))
        except CancelledError as cancelled:  # Dask cancels what it cannot ask the scheduler about any more
            raise FleetError(GONE) from cancelled
        return results


def _wait_for(futures: Sequence[Any], client: Any, wait_seconds: float) -> None:
    """Return once all are done. Raises FleetError where the scheduler has gone, or the workers for too long."""
    from distributed import wait

    while not all(future.done() for future in futures):
        _wait_for_worker(client, wait_seconds)
        try:
            wait(futures, timeout=_LOOK_EVERY)
        except (TimeoutError, OSError):
            continue  # of a connection that was lost the next look shows whether the scheduler is still there


def _wait_for_worker(client: Any, wait_seconds: float) -> None:
    """Return once a worker is there. Raises FleetError after `wait_seconds`, or where the scheduler has gone."""
    until = time.monotonic() + wait_seconds
    while True:
        if client.status in ("closed", "closing"):
            raise FleetError(GONE)
        with suppress(OSError):
            if client.scheduler_info(n_workers=-1).get("workers"):  # a client that is closing gives an empty answer
                return
        if time.monotonic() >= until:
            raise FleetError(f"No Dask worker was there for {wait_seconds:.0f} seconds. Start workers, then try again.")
        time.sleep(min(_LOOK_EVERY, wait_seconds / 4))


@contextmanager
def _client(cluster: Cluster) -> Iterator[Any]:
    import dask
    from distributed import Client, LocalCluster

    if cluster.scheduler is not None:
        with _remote(cluster) as client:
            yield client
        return
    here = "127.0.0.1"
    # Any free port: without an address Dask takes 8787, and warns where another cluster has it.
    local = {"n_workers": cluster.workers, "threads_per_worker": 1, "dashboard_address": f"{here}:0", "host": here}
    # What takes its worker down is tried again by `run_all`. Workers closed while they send a heartbeat would log a
    # traceback each.
    dask.config.set({"distributed.scheduler.allowed-failures": 0})
    with LocalCluster(**local, env=_ONE_THREAD, silence_logs=logging.CRITICAL) as made, Client(made) as client:
        yield client


def _remote(cluster: Cluster) -> Any:
    from distributed import Client
    from distributed.security import Security

    address = cluster.scheduler or ""
    if not _ADDRESS.fullmatch(address):
        raise UsageError(f"--scheduler: {address!r} is not a Dask scheduler address such as tcp://192.0.2.1:8786.")
    files = {"tls_ca_file": cluster.tls_ca, "tls_client_cert": cluster.tls_cert, "tls_client_key": cluster.tls_key}
    given = {name: str(path) for name, path in files.items() if path is not None}
    if given and len(given) < len(files):
        raise UsageError("A scheduler with TLS needs all of --tls-ca, --tls-cert and --tls-key.")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # a lost connection is reported in one sentence
    try:
        return Client(address, security=Security(require_encryption=True, **given) if given else None)
    except (OSError, ValueError) as error:
        remedy = "Check that it is running and that the address is right."
        raise FleetError(f"No Dask scheduler answers at {address}. {remedy}") from error
