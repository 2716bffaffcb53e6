"""Many households: one worker and two over 1,000 partitions, the memory of a worker, and a plain loop in one process.

`python -m tests.benchmarks.bench_fleet FOLDER` prints how many seconds a plain loop takes over a folder of partitions.
"""

from __future__ import annotations

import logging
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path
from time import perf_counter

from distributed import Client, LocalCluster

from tests.benchmarks.harness import Result, exactly
from tests.benchmarks.homes import ZONE, half_hours
from toolkit.fleet import Cluster, run_all
from toolkit.flows.fleet.kernels import analyse
from toolkit.flows.fleet.partitions import partition_reads, partitions_in

HOMES, AT_A_TIME = 1_000, 50
TODAY = date(2026, 1, 15)
FASTER, MOST_MEMORY = 1.6, 1_000.0
"""Work per second of two workers beside one's; MB of a worker."""
ONE_THREAD = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def results(_repeats: int) -> Iterator[Result]:
    what = f"usage of {HOMES:,} households, a year of half-hours each"
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "parts"
        generate(root)
        loop = plain_loop(root)
        one, _ = by_workers(root, 1)
        two, memory = by_workers(root, 2)
    yield Result(f"{what}: two workers", exactly(two), exactly(one), "one worker", 1 / FASTER)
    yield Result(f"{what}: one worker", exactly(one), exactly(loop), "a plain loop in one process")
    yield Result(f"{what}: peak of a worker", exactly(memory), exactly(MOST_MEMORY), "the goal", 1.0, unit="MB")


def generate(root: Path) -> None:
    """Write a partition for each home, some at a time; each of a group has reads of its own, groups are alike."""
    reads = half_hours(AT_A_TIME)
    for group in range(HOMES // AT_A_TIME):
        for folder in partition_reads(reads, root.with_name("group"), zone=ZONE):
            root.mkdir(exist_ok=True)
            folder.rename(root / f"{group:03}-{folder.name}")


def by_workers(root: Path, workers: int) -> tuple[float, float]:
    """Return the seconds that workers of one thread each take once they are up, and the peak of one in MB."""
    local = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    folders = partitions_in(root)
    work = partial(analyse, analysis="usage", today=TODAY)
    with LocalCluster(**local, env=ONE_THREAD, silence_logs=logging.CRITICAL) as cluster, Client(cluster) as client:
        for worker in cluster.scheduler_info["workers"]:
            client.submit(work, folders[0], workers=[worker], pure=False).result()  # each has imported what it needs
        started = perf_counter()
        rows = run_all(work, folders, Cluster(scheduler=cluster.scheduler_address), lost=lambda _, why: [why])
        took = perf_counter() - started
        assert [row.failed for of_home in rows for row in of_home] == [False] * HOMES
        peaks = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return took, max(peaks.values()) / 1024


def plain_loop(root: Path) -> float:
    """Return the seconds of a process with one thread that works the partitions out one after the other."""
    command = [sys.executable, "-m", "tests.benchmarks.bench_fleet", str(root)]
    done = subprocess.run(command, env={**os.environ, **ONE_THREAD}, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    folders = partitions_in(Path(sys.argv[1]))
    analyse(folders[0], "usage", TODAY)
    started = perf_counter()
    for folder in folders:
        analyse(folder, "usage", TODAY)
    print(perf_counter() - started)


if __name__ == "__main__":
    main()
