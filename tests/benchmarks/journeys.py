"""Trace three journeys through the package, file by file: `python -m tests.benchmarks.journeys [--write]`.

- a meter read from a NEM12 file to a bill line
- a bank transaction from the API to the spending chart
- a published plan from a file of the plan register to a row of `compare`

A file counts where a function of it runs, in the order of the first one. `--write` puts them into the reference.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from itertools import groupby
from pathlib import Path
from types import FrameType
from unittest.mock import patch

from tests.benchmarks.record import isolated
from tests.keys import keys_of
from tests.meters import flat_plan, level
from toolkit.charts.spending import by_category
from toolkit.flows.consent.service import service
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.compare import compare
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.money.summary import spending
from toolkit.flows.sync.run import sync
from toolkit.sandbox.serve import running
from toolkit.settings import load as load_settings

PACKAGE = Path(__file__).parents[2] / "toolkit"
REFERENCE = PACKAGE / "docs" / "architecture.md"
TODAY = date(2026, 7, 15)


def main(*, write: bool) -> None:
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, isolated(folder)):
        traces = {title: journey(Path(folder) / title) for title, journey in JOURNEYS.items()}
    text = "\n\n".join(_paragraph(title, files) for title, files in traces.items())
    if write:
        page = REFERENCE.read_text()
        parts = re.sub(
            r"(?<=<!-- journeys -->\n).*?(?=<!-- /journeys -->)", lambda _: text + "\n", page, flags=re.DOTALL
        )
        REFERENCE.write_text(parts)
    else:
        print(text)


def _paragraph(title: str, files: list[str]) -> str:
    """Return the files of a journey in order, those of one folder together while they follow each other."""
    steps = [
        f"`{folder}/` " + ", ".join(f"`{Path(file).name}`" for file in group)
        for folder, group in groupby(files, key=lambda file: str(Path(file).parent))
    ]
    return f"**{title}** ({len(files)} files): " + " → ".join(steps)


@contextmanager
def traced() -> Iterator[list[str]]:
    """Collect the files of the package whose functions run, each once, in order."""
    files: list[str] = []
    seen: set[str] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename not in seen and not code.co_name.startswith("<"):
            seen.add(code.co_filename)
            path = Path(code.co_filename)
            if path.is_relative_to(PACKAGE):
                files.append(str(path.relative_to(PACKAGE)))

    threading.setprofile(note)  # pages are read in threads
    sys.setprofile(note)
    try:
        yield files
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def meter_read(folder: Path) -> list[str]:
    folder.mkdir()
    (folder / "meter.csv").write_text(level("4103000001", date(2026, 6, 1), 30))
    (folder / "plan.json").write_text(flat_plan())
    ctx = Context(folder / "home.db", TODAY)
    load(ctx, [folder / "plan.json"])
    with traced() as files:
        load(ctx, [folder / "meter.csv"])
        bill(ctx, BillingQuestion(plan="FLAT@EME"))
    return files


def transaction(folder: Path) -> list[str]:
    folder.mkdir()
    ctx = Context(folder / "home.db", TODAY, "Home")
    add_home(ctx, "Home")
    with running(today=TODAY, households=1, years=1) as sandbox:
        settings = load_settings(keys_of(sandbox))
        with service(settings) as client, traced() as files:
            sync(ctx, client, only="banking", end_user=sandbox.people[0][1])
            rows = spending(ctx).rows.frame()
            by_category(rows)
    return [file for file in files if not file.startswith("sandbox/")]


def plan(folder: Path) -> list[str]:
    folder.mkdir()
    (folder / "meter.csv").write_text(level("4103000001", date(2025, 7, 1), 375))
    (folder / "plan.json").write_text(flat_plan())
    ctx = Context(folder / "home.db", TODAY)
    load(ctx, [folder / "meter.csv"])
    set_home(ctx, postcode="2000")
    with traced() as files:
        load(ctx, [folder / "plan.json"])
        compare(ctx)
    return files


JOURNEYS: dict[str, Callable[[Path], list[str]]] = {
    "A meter read from a NEM12 file to a bill line": meter_read,
    "A bank transaction from the service to the spending chart": transaction,
    "A published plan to a row of a comparison": plan,
}

if __name__ == "__main__":
    main(write="--write" in sys.argv)
