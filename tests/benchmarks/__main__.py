"""`python -m tests.benchmarks [NAME…]`: every `bench_NAME.py` here, or those named; all together fill the reference.

A file has `results(repeats) -> Iterator[Result]`.
"""

from __future__ import annotations

import importlib
import platform
import re
import sys
from collections.abc import Iterator
from os import cpu_count
from pathlib import Path

from tests.benchmarks.harness import REPEATS, Result, table

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "toolkit" / "docs" / "benchmarks.md"
MARKED = re.compile(r"<!-- benchmarks -->.*?<!-- /benchmarks -->", re.DOTALL)


def main(names: list[str]) -> None:
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    found: list[Result] = []
    for name in names or known:
        for result in importlib.import_module(f"tests.benchmarks.bench_{name}").results(REPEATS):
            found.append(result)
            print(*list(table([result]))[2:], flush=True)
    if not names:
        write(found)


def write(found: list[Result]) -> None:
    body = "\n".join(["<!-- benchmarks -->", *lines(found), "<!-- /benchmarks -->"])
    PAGE.write_text(MARKED.sub(lambda _: body, PAGE.read_text()))


def lines(found: list[Result]) -> Iterator[str]:
    yield f"Measured with Python {platform.python_version()} on {cpu_count()} cores, at least {REPEATS} times each."
    yield ""
    yield from table(found)


if __name__ == "__main__":
    main(sys.argv[1:])
