"""Read files, folders or a database as frames and plans, for notebooks.

Frames have the columns of `tables.schema`. What of the files could not be read is warned about (`InputWarning`).
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import polars as pl

from toolkit.errors import InputWarning, Problem
from toolkit.flows.data.output_files import is_database
from toolkit.flows.demo import demo
from toolkit.flows.household.context import Context, choose_household
from toolkit.flows.household.service_points import all_reads, service_points
from toolkit.flows.imports.load import load
from toolkit.flows.money.cashflow import balances_of, movements_in
from toolkit.flows.plans.choice import latest, plans_at, stored_plans
from toolkit.store import Store, open_store
from toolkit.tables.money import amount
from toolkit.tables.rows.plans import Plan
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.meters import ReadRow


def demo_database(folder: str | Path | None = None, *, today: date, seed: int = 1) -> Path:
    """Make a database with an invented family, pulled from the embedded service, and return its path.

    folder: where; a temporary one by default. today: the last day of the family's data.
    """
    home = Path(folder) if folder else Path(tempfile.mkdtemp(prefix="toolkit-"))
    return Path(demo(Context(home / "demo.db", today), seed=seed).db)


def read_transactions(
    *sources: str | Path, account: str | None = None, household: str | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read tables `transactions` and `accounts` of one household from bank files or one database.

    account: for bank files that name none. household: id or name, where a database holds several.
    """
    with _opened(sources, household, account=account) as (store, home):
        return store.read("transactions", home.household_id), store.read("accounts", home.household_id)


def read_balances(*sources: str | Path, account: str | None = None, household: str | None = None) -> pl.DataFrame:
    """Read known balances of one household from bank files or one database, oldest first.

    Columns: `account_id`, `date` (local), `balance` [AUD at the end of that day, owed is negative]. They come from the
    service, from running and ledger balances of files, and from what people typed. Options as in `read_transactions`.
    """
    with _opened(sources, household, account=account) as (store, home):
        known = balances_of(store, home, {}, movements_in(store, home))
    rows = [(balance.account_id, balance.at, amount(balance.minor)) for balance in known]
    schema = {"account_id": pl.String(), "date": pl.Date(), "balance": pl.Decimal(38, 2)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def read_usage(
    *sources: str | Path,
    service_point: str | None = None,
    household: str | None = None,
    timezone: str | None = None,
    controlled_load: Sequence[str] = (),
) -> pl.DataFrame:
    """Read frame `reads` from meter files or one database: one row per interval and register.

    service_point: the one of that id or meter number; all of them by default. timezone: IANA, of the home.
    controlled_load: register suffixes that are controlled load (meter files do not say).
    """
    with _opened(sources, household, timezone=timezone, controlled_load=controlled_load) as (store, home):
        points = service_points(store, home, service_point)
        frames = [all_reads(store, home.household_id, point)[0] for point in points]
    return pl.concat(frames) if frames else pl.DataFrame(schema=list(ReadRow.table.names))


def read_plans(*sources: str | Path, household: str | None = None) -> list[Plan]:
    """Read energy plans, of each id the latest version, from a database or JSON files (NDJSON, gzipped, folders)."""
    if len(sources) == 1 and is_database(Path(sources[0])):
        with _opened(sources, household) as (store, home):
            return list({plan.plan_id: plan for plan in stored_plans(store, home.household_id)}.values())
    read = [plans_at(Path(source)) for source in sources]
    _warn([problem for _, problems in read for problem in problems])
    return latest([plan for plans, _ in read for plan in plans])


@contextmanager
def _opened(
    sources: Sequence[str | Path],
    household: str | None,
    *,
    account: str | None = None,
    timezone: str | None = None,
    controlled_load: Sequence[str] = (),
) -> Iterator[tuple[Store, HouseholdRow]]:
    """Open the store that the sources are, or a temporary one made of them."""
    paths = [Path(source) for source in sources]
    if len(paths) == 1 and is_database(paths[0]):
        with open_store(paths[0], create=False) as store:
            yield store, choose_household(store, Context(paths[0], date.min, household))
        return
    with tempfile.TemporaryDirectory() as folder:
        ctx = Context(Path(folder) / "files.db", date.min)
        loaded = load(ctx, paths, account=account, timezone=timezone, controlled_load=controlled_load)
        _warn([problem for file in loaded.files for problem in file.problems])
        with open_store(ctx.db, create=False) as store:
            yield store, choose_household(store, ctx)


_SHOWN = 10
"""Warnings shown one by one; a file of another kind has a problem in every line."""


def _warn(problems: Sequence[Problem]) -> None:
    """Warn of the first problems one by one, then of how many more there are; that warning carries all of them."""
    for problem in problems[:_SHOWN]:
        warning = InputWarning(f"{problem.where}: {problem.reason} ({problem.severity})", (problem,))
        warnings.warn(warning, stacklevel=4)
    if len(problems) > _SHOWN:
        rest = f"{len(problems) - _SHOWN:,} more problems (all of them are in `problems` of this warning)"
        warnings.warn(InputWarning(rest, tuple(problems)), stacklevel=4)
