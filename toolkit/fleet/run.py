"""One task a household; the engine is Dask's, the work is `kernels`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from toolkit.errors import SettingsError
from toolkit.fleet.kernels import KERNELS


def over_households(
    folders: Sequence[Path], analysis: str, *, workers: int = 2, scheduler: str | None = None
) -> dict[str, Any]:
    """`{"analysis", "households": [one row each]}` in the order of `folders`, whichever finishes first.

    folders: one per household, as `flows.partitions` writes them, readable by every worker. scheduler: address of a
    Dask scheduler; default: `workers` processes on this machine, gone afterwards. Raises SettingsError without Dask.
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
        with Client(scheduler) as client:
            yield client
        return
    local = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with LocalCluster(**local) as cluster, Client(cluster) as client:
        yield client
