"""Time and memory of importing a large table: `python -m tests.benchmarks.large_file [--megabytes N] [--order ORDER]`.

A row a read of five minutes, of thirteen meters over the same years, by meter, by time or with the newest read first.
The goal is 500 MB within 1 GB of memory. Linux and macOS.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

HEAD = "NMI,Register,Start,Usage (kWh)\n"
START = datetime.fromisoformat("2016-01-01T00:00")
METERS = 13
ROW_BYTES = 40
ORDERS = ("meter", "time", "newest")


def main() -> None:
    """Write the file, import it in a process of its own, and print what that took."""
    reader = argparse.ArgumentParser(prog="python -m tests.benchmarks.large_file", description=__doc__)
    reader.add_argument("--megabytes", type=int, default=500, metavar="N")
    reader.add_argument("--order", choices=ORDERS, default=ORDERS[0])
    asked = reader.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.csv"
        with path.open("w") as file:
            file.write(HEAD)
            file.writelines(rows(asked.megabytes * 2**20 // ROW_BYTES // METERS, asked.order))
        began = time.perf_counter()
        command = [sys.executable, "-m", "toolkit", "import", str(path), "--db", str(Path(folder) / "home.db")]
        status, peak = most_memory(command)
        took = time.perf_counter() - began
        size = path.stat().st_size / 2**20
    print(f"{size:.0f} MB by {asked.order}: exit {status}, {took:.0f} s, at most {peak:,.0f} MB of memory")


def rows(of_each: int, order: str) -> Iterator[str]:
    """Yield the rows of all meters in an order."""
    if order == "meter":
        return (row(meter, number) for meter in range(METERS) for number in range(of_each))
    numbers = range(of_each) if order == "time" else range(of_each - 1, -1, -1)
    return (row(meter, number) for number in numbers for meter in range(METERS))


def row(meter: int, number: int) -> str:
    return f"41030000{meter:02},E1,{START + timedelta(minutes=5 * number)},0.{number % 500:03d}\n"


def most_memory(command: list[str]) -> tuple[int, float]:
    """Run a command; return its exit code and the most memory that it held [MB]."""
    _, status, used = os.wait4(subprocess.Popen(command).pid, 0)
    return os.waitstatus_to_exitcode(status), used.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


if __name__ == "__main__":
    main()
