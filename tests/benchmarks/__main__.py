"""`python -m tests.benchmarks [--write] [NAME…]`: every `bench_NAME.py` here, or those named.

A file has `results(repeats) -> Iterator[Result]`. `--write` puts its table into the reference, with the day and
the load that the machine had from other work; the tables of files that were not run stay.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.harness import REPEATS, table

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "toolkit" / "docs" / "benchmarks.md"
MARKED = re.compile(r"(?<=<!-- benchmarks -->\n).*?(?=<!-- /benchmarks -->)", re.DOTALL)
SECTION = re.compile(r"^## (\w+)\n\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
KNOWN = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def measured(name: str) -> str:
    """Run one file; return its table."""
    load = os.getloadavg()[0]
    results = []
    for result in importlib.import_module(f"tests.benchmarks.bench_{name}").results(REPEATS):
        results.append(result)
        print(*list(table([result]))[2:], flush=True)
    when = (
        f"{datetime.now(UTC):%-d %b %Y}, load {load:.1f}, Python {platform.python_version()}, {os.cpu_count()} cores:"
    )
    return "\n".join([when, "", *table(results), "", ""])


def written(page: str, tables: dict[str, str]) -> str:
    """The page with these tables in place of earlier ones of the same files."""
    (block,) = MARKED.findall(page)
    known = {**dict(SECTION.findall(block)), **tables}
    body = "".join(f"## {name}\n\n{known[name]}" for name in KNOWN if name in known)
    return MARKED.sub(lambda _: f"\n{body}", page)


def main() -> None:
    reader = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    reader.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(KNOWN)} (default: all)")
    reader.add_argument("--write", action="store_true", help="write the tables into the reference")
    asked = reader.parse_args()
    for name in asked.names or KNOWN:
        found = measured(name)
        if asked.write:
            PAGE.write_text(written(PAGE.read_text(), {name: found}))


if __name__ == "__main__":
    main()
