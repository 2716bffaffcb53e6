"""The desk with 300 households: its table from stored figures, and which of these are out of date."""

from __future__ import annotations

import csv
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

from msgspec.structs import replace

from tests.benchmarks.harness import Result, exactly, seconds, summary
from tests.meters import day, days, nem12, register
from toolkit.flows.desk.desk import desk, out_of_date
from toolkit.flows.desk.figures import current_figures, is_current
from toolkit.flows.desk.stored import basis_of
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.store import open_store
from toolkit.tables.schema import STORED
from toolkit.tables.schema.desk import HouseholdFiguresRow

HOUSEHOLDS, ROWS, DAYS = 300, 1_200, 365
TODAY = date(2026, 6, 20)
GOAL = 1.0
"""Seconds in which the desk is meant to open; the page itself is Streamlit's on top."""


def results(repeats: int) -> Iterator[Result]:
    with tempfile.TemporaryDirectory(prefix="toolkit-bench-") as folder:
        ctx, home = _made(Path(folder))
        assert len(desk(ctx).households) == HOUSEHOLDS
        assert out_of_date(ctx) == []
        one = replace(ctx, household=home)
        actions = {
            f"the desk of {HOUSEHOLDS} households": lambda: (desk(ctx), out_of_date(ctx)),
            "whether one household's figures stand": lambda: is_current(one),
        }
        for what, action in actions.items():
            action()
            ours = summary([seconds(action) for _ in range(repeats)])
            yield Result(what, ours, exactly(GOAL), "a second", goal=1)


def _made(folder: Path) -> tuple[Context, str]:
    """Store a household with a year of reads and bank rows and its figures, and as many copies of it as are wanted."""
    ctx = Context(folder / "home.db", TODAY)
    first = TODAY - timedelta(DAYS)
    (folder / "meter.csv").write_text(nem12(register(), *(day(when, [0.25] * 48) for when in days(str(first), DAYS))))
    with (folder / "bank.csv").open("w", newline="") as file:
        for nth in range(ROWS):
            when = first + timedelta(nth * DAYS // ROWS)
            csv.writer(file).writerow([f"{when:%d/%m/%Y}", f"-{5 + nth % 90}.00", f"WOOLWORTHS {nth % 40} NEWTOWN", ""])
    load(ctx, [folder / "meter.csv", folder / "bank.csv"])
    current_figures(ctx)
    copies = [f"home_{number:012}" for number in range(1, HOUSEHOLDS)]
    with closing(sqlite3.connect(ctx.db)) as connection, connection:
        (home,) = connection.execute("SELECT household_id FROM households").fetchone()
        for each in STORED:
            if "household_id" in each.names:
                own = ", ".join(f'"{name}"' for name in each.names if name != "household_id")
                statement = f"INSERT INTO {each.name} (household_id, {own}) SELECT ?, {own} FROM {each.name}"
                connection.executemany(f"{statement} WHERE household_id = ?", [(copy, home) for copy in copies])
    with open_store(ctx.db) as store, store.transaction():
        basis = basis_of(store, [home, *copies])
        for row in store.load(HouseholdFiguresRow):
            store.update("household_figures", {"basis": basis[row.household_id]}, {"household_id": row.household_id})
    return ctx, home
