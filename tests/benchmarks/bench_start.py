"""Starting: what a person waits for before anything happens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from tests.benchmarks.harness import Result, side_by_side


def run(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def results(repeats: int) -> Iterator[Result]:
    ours, bare = side_by_side(lambda: run("-m", "toolkit", "--help"), lambda: run("-c", "pass"), repeats)
    yield Result("`toolkit --help`", ours, bare, "`python -c pass`", 3.5)
