"""Partitions: a folder of Parquet files for each household, which workers read without the database.

The folder has `published/plans.db`, a database with the published plans, and a folder a household with `home.json` and
a file for each of its tables, rows as they are stored: reads packed, decisions, own plans and their validity included.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import msgspec
import numpy as np
import polars as pl

from toolkit.errors import FrameError, NothingStoredError, UsageError
from toolkit.flows.household.context import Context, choose_household, nothing_stored
from toolkit.frames.checks import FrameLike, checked_reads
from toolkit.store import Store, open_store
from toolkit.store.connection import private_folder
from toolkit.tables.registers import MISSING, missing_mask, pack_integers, quality_runs
from toolkit.tables.schema import STORED, Cell, Record, Row, table
from toolkit.tables.schema.energy import PUBLISHED
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import AEST_OFFSET, DAY_MINUTES, DEFAULT_ZONE, NANO_DECIMALS

HOME, PLANS = "home.json", "published/plans.db"
_OWN = ("note", "purpose", "follow_up")
"""Columns of a household that are the adviser's own and stay behind."""
_LEFT_BEHIND = {
    *("files", "claims", "receipts", "positions", "walks", "quarantine", "moves"),
    *("household_figures", "insight_decisions", "visits", "as_told", "consents"),
}
"""Tables that no analysis reads."""


class Home(msgspec.Struct, frozen=True):
    """`home.json` of a partition."""

    household_id: str
    name: str


def write_partitions(ctx: Context, root: Path) -> list[Path]:
    """Write a partition for each household, or for the one named, in order of name; archived ones are left out.

    The folder is readable by its owner alone. Raises NothingStoredError where nothing is stored, UsageError where the
    folder has something in it.
    """
    if root.exists() and any(root.iterdir()):
        raise UsageError(f"{root} is not empty: name a new folder for the partitions.")
    if not ctx.db.exists():
        raise NothingStoredError(nothing_stored(ctx.db), "data")
    with open_store(ctx.db) as store:
        homes = [choose_household(store, ctx)] if ctx.household else _active(store)
        _write_plans(store, root / PLANS)
        folders = [root / f"{number:06d}" for number in range(len(homes))]
        for home, folder in zip(homes, folders, strict=True):
            _write_home(store, home, folder)
    return folders


def partitions_in(root: Path) -> list[Path]:
    """Return the partitions of a folder, in order. Raises UsageError where it has none."""
    folders = sorted(path.parent for path in root.glob(f"*/{HOME}"))
    if not folders:
        raise UsageError(f"{root} has no partitions: they are folders with {HOME} and Parquet files.")
    return folders


def home_of(folder: Path) -> Home:
    """Read which household a partition is of."""
    return msgspec.json.decode((folder / HOME).read_bytes(), type=Home)


def rows_of(path: Path) -> list[tuple[Cell, ...]]:
    """Read the rows of a table of a partition, as they are stored."""
    return pl.read_parquet(path).rows()


def partition_reads(reads: FrameLike, root: Path, *, zone: str = DEFAULT_ZONE) -> list[Path]:
    """Write a partition for each service point of a frame `reads`, as a household of that name.

    zone: IANA, of the homes. Raises FrameError where the frame is not what `toolkit.reads` makes.
    """
    frame = checked_reads(reads, one_home=False)
    folders = []
    for number, ((point,), own) in enumerate(frame.group_by("service_point_id", maintain_order=True)):
        name = str(point)
        folder = _new_home(root / f"{number:06d}", name, zone)
        fuel = "GAS" if own["unit"].str.to_uppercase().eq("MJ").any() else "ELECTRICITY"
        meter = {"id": name, "service_point_id": name, "fuel": fuel, "timezone": zone, "source": "frame"}
        _write_rows(folder, "service_points", [meter])
        registers = own.select(
            pl.lit(name).alias("service_point_id"),
            pl.lit("frame").alias("source"),
            "meter_id",
            "register_suffix",
            "unit",
            "direction",
            "controlled_load",
        ).unique(["meter_id", "register_suffix"], maintain_order=True)
        _write_rows(folder, "registers", registers.to_dicts())
        _write_rows(folder, "register_days", list(_register_days(own)))
        folders.append(folder)
    return folders


def partition_transactions(
    transactions: pl.DataFrame, root: Path, *, home: str | None, zone: str = DEFAULT_ZONE
) -> list[Path]:
    """Write a partition for each home of a frame `transactions`. home: column that names it; None: one home.

    Raises FrameError where the frame has no such column, or lacks those that spending reads.
    """
    needed = {"id", "account_id", "amount_minor", "currency", "status", *([home] if home else [])}
    if missing := sorted(needed - set(transactions.columns)):
        raise FrameError(f"The frame has no column {', '.join(missing)}. Make it with toolkit.transactions.")
    groups = (
        [("home", transactions)]
        if home is None
        else [(str(name), own) for (name,), own in transactions.group_by(home, maintain_order=True)]
    )
    names = table("transactions").names
    folders = []
    for number, (name, own) in enumerate(groups):
        folder = _new_home(root / f"{number:06d}", name, zone)
        _write_rows(folder, "transactions", own.select(column for column in own.columns if column in names).to_dicts())
        accounts = own["account_id"].unique(maintain_order=True).to_list()
        _write_rows(folder, "accounts", [{"id": id_, "account_id": id_, "source": "frame"} for id_ in accounts])
        folders.append(folder)
    return folders


def _write_plans(store: Store, db: Path) -> None:
    """Write the published plans as one file, without a write-ahead log, that a worker copies."""
    private_folder(db.parent)
    with tempfile.TemporaryDirectory(prefix="toolkit-fleet-") as folder, open_store(Path(folder) / "plans.db") as own:
        with own.transaction():
            own.upsert("plans", store.tuples("plans", table("plans").names, PUBLISHED))
        own.copy_to(db)


def _active(store: Store) -> list[HouseholdRow]:
    homes = [home for home in store.load(HouseholdRow) if home.archived_on is None]
    return sorted(homes, key=lambda home: (home.name, home.household_id))


def _write_home(store: Store, home: HouseholdRow, folder: Path) -> None:
    household = home.household_id
    private_folder(folder)
    for stored in STORED:
        if "household_id" not in stored.names or stored.name in _LEFT_BEHIND:
            continue
        rows = store.tuples(stored.name, stored.names, household)
        if stored.name == "households":
            rows = [tuple(None if name in _OWN else value for name, value in zip(stored.names, rows[0], strict=True))]
        if rows:
            _write(folder / f"{stored.name}.parquet", stored.name, rows)
    (folder / HOME).write_bytes(msgspec.json.encode(Home(household, home.name)))


def _write(path: Path, name: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Write rows as they are stored. A column without a value in any row is left untyped."""
    private_folder(path.parent)
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(table(name).names)
    series = [
        pl.Series(column, values, strict=False) for column, values in zip(table(name).names, columns, strict=True)
    ]
    pl.DataFrame(series).write_parquet(path)


def _new_home(folder: Path, name: str, zone: str) -> Path:
    private_folder(folder)
    _write_rows(folder, "households", [{"name": name, "timezone": zone}], household=name)
    (folder / HOME).write_bytes(msgspec.json.encode(Home(name, name)))
    return folder


def _write_rows(folder: Path, name: str, rows: Sequence[Record], *, household: str | None = None) -> None:
    """Write rows given by column; what is not given is null."""
    home = household or home_of(folder).household_id
    given = [{**row, "household_id": home} for row in rows]
    _write(
        folder / f"{name}.parquet",
        name,
        [tuple(_stored(row.get(column)) for column in table(name).names) for row in given],
    )


def _stored(value: object) -> object:
    """Return a value as SQLite stores it."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return value.isoformat() if isinstance(value, date) else value


def _register_days(reads: pl.DataFrame) -> Iterator[Row]:
    """Yield the row of each register and day; an interval without a row is flagged missing."""
    keys = ["service_point_id", "meter_id", "register_suffix", "date"]
    midnight = pl.col("date").cast(pl.Datetime("us")) - AEST_OFFSET
    minutes = (pl.col("starts_at").dt.replace_time_zone(None) - midnight).dt.total_minutes()
    placed = reads.with_columns((minutes // pl.col("interval_minutes")).alias("place"))
    for _, own in placed.group_by(keys, maintain_order=True):
        first = own.row(0, named=True)
        count = DAY_MINUTES // first["interval_minutes"]
        energy, qualities = np.zeros(count, dtype=np.int64), [MISSING] * count
        for place, value, quality in own.select("place", "energy_nano", "quality").iter_rows():
            if value is not None:
                energy[place], qualities[place] = value, quality
        runs = quality_runs(qualities)
        described = ("unit", "direction", "controlled_load", "interval_minutes", *keys)
        yield {
            **{name: first[name] for name in described},
            **pack_integers(energy, NANO_DECIMALS, missing_mask(count, runs)).columns(runs),
            "source": "frame",
        }
