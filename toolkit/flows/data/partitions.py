"""Households as folders of Parquet files, for analyses that run elsewhere."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from toolkit.errors import NothingStoredError
from toolkit.flows.household.context import Context, choose_household, nothing_stored
from toolkit.flows.household.service_points import all_reads, service_points
from toolkit.flows.money.spending import own_people, zone_of
from toolkit.store import Store, open_store
from toolkit.tables.schema.identity import HouseholdRow


@contextmanager
def partitions(ctx: Context) -> Iterator[list[Path]]:
    """A temporary folder a household (all in order of name, or the one named), for its owner alone, gone afterwards.

    Each holds `home.json` (name, timezone, people), `transactions`, `accounts`, `choices` and `reads` as Parquet.
    """
    if not ctx.db.exists():
        raise NothingStoredError(nothing_stored(ctx.db), "data")
    with tempfile.TemporaryDirectory(prefix="toolkit-fleet-") as root:
        with open_store(ctx.db) as store:
            homes = [choose_household(store, ctx)] if ctx.household else store.load(HouseholdRow)
            homes.sort(key=lambda home: home.name)
            folders = [_write(store, home, Path(root) / str(number)) for number, home in enumerate(homes)]
        yield folders


def _write(store: Store, home: HouseholdRow, folder: Path) -> Path:
    household = home.household_id
    folder.mkdir()
    facts = {"name": home.name, "timezone": zone_of(home), "people": own_people(store, household)}
    (folder / "home.json").write_text(json.dumps(facts), "utf-8")
    for table in ("transactions", "accounts", "choices"):
        store.read(table, household).write_parquet(folder / f"{table}.parquet")
    reads = [all_reads(store, household, point)[0] for point in service_points(store, home)]
    pl.concat([store.reads(household, service_points=[]), *reads]).write_parquet(folder / "reads.parquet")
    return folder
