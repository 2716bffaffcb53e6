"""The store: pages of transactions, register-days, a year of reads, and a sync that finds nothing new."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import sqlite_utils

from tests.benchmarks.harness import Result, exactly, side_by_side
from toolkit.store import open_store
from toolkit.tables.registers import pack, unpack
from toolkit.tables.schema import table

ROWS, PAGE = 50_000, 1_000
FEWER_ROWS = 10_000
DAYS, VALUES = 2_000, 288
YEAR = 365
TWO_YEARS = 4 * YEAR
"""Register-days of a first sync: use and export of two years."""
HOME = "home_0123456789ab"

Rows = list[dict[str, Any]]


def transactions(number: int) -> Rows:
    """Transactions with a raw record and all keys, in the order of the table's columns."""
    return [_transaction(nth) for nth in range(number)]


def _transaction(nth: int) -> dict[str, Any]:
    category = "FOOD_AND_DRINK"
    given = {
        "arrangement_id": "arr_0001", "institution_id": "inst_01", "account_id": f"acc-{nth % 10}",
        "transaction_id": f"tx-{nth:012}",
        "status": "POSTED", "amount": f"-{nth % 9000}.50", "currency": "AUD", "type": "PAYMENT",
        "posting_date_time": "2026-03-10T00:00:00Z", "description": f"Merchant Pty Ltd {nth % 5000:05}",
        "merchant_name": f"Merchant {nth % 5000}", "merchant_category_code": "5411",
        "primary_category": category, "secondary_category": f"{category}_GROCERIES",
    }  # fmt: skip
    own = {"household_id": HOME, "id": f"banking_transaction_{nth:024x}", "source": "service"}
    minor = {"amount_minor": -100 * (nth % 9000) - 50, "raw": json.dumps(given)}
    return {name: {**given, **own, **minor}.get(name) for name in table("transactions").names}


def register_days(number: int) -> Rows:
    """Days of 288 values, packed, without the raw record."""
    chance = np.random.default_rng(2)
    return [_register_day(nth, chance.gamma(2, 40, VALUES).astype(int) / 1000) for nth in range(number)]


def _register_day(nth: int, values: np.ndarray[Any, Any]) -> dict[str, Any]:
    packed = pack(values)
    day = date(2020, 1, 1) + timedelta(nth % 1000)
    row = {
        "household_id": HOME, "service_point_id": f"sp{nth // 1000}", "meter_id": "", "register_suffix": "E1",
        "date": day.isoformat(), "interval_minutes": 5, "intervals": VALUES, "exponent": packed.exponent,
        "width": packed.width, "reads": packed.blob, "total_nano": packed.total_nano, "present": VALUES, "unit": "KWH",
        "direction": "import", "controlled_load": 0, "source": "service", "id": f"energy_usage_{nth:024x}",
        "arrangement_id": "arr_0001", "digest": "0123456789abcdef",
    }  # fmt: skip
    return {name: row.get(name) for name in table("register_days").names}


def stored(path: Path, name: str, rows: Rows, page: int = PAGE) -> None:
    """As a sync does it: a transaction for each page."""
    with open_store(path) as store:
        for start in range(0, len(rows), page):
            store.upsert(name, rows[start : start + page])


def plainly(path: Path, rows: list[tuple[Any, ...]], names: tuple[str, ...]) -> None:
    """One `executemany` of the same values in one transaction, with the same key."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"CREATE TABLE t ({', '.join(names)}, PRIMARY KEY (household_id, id))")
        connection.execute("BEGIN")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", rows)
        connection.execute("COMMIT")


def by_sqlite_utils(path: Path, rows: Rows) -> None:
    with closing(sqlite3.connect(path)) as connection:
        sqlite_utils.Database(connection).table("t").insert_all(rows, pk=("household_id", "id"), batch_size=PAGE)


def a_row_each(path: Path, days: Rows) -> None:
    """The usual way: one row per interval."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("CREATE TABLE t (sp, register, starts_at, kwh, PRIMARY KEY (sp, register, starts_at))")
        connection.execute("BEGIN")
        for day in days:
            connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", _intervals(day))
        connection.execute("COMMIT")


def _intervals(day: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    values = unpack(day["reads"], exponent=day["exponent"], width=day["width"]) / 1e9
    for nth, value in enumerate(values.tolist()):
        starts_at = f"{day['date']}T{nth // 12:02}:{nth % 12 * 5:02}+10:00"
        yield day["service_point_id"], day["register_suffix"], starts_at, value


def a_year(path: Path) -> Any:
    """A register's year as one array of exact integers."""
    with open_store(path, create=False) as store:
        where = {"service_point_id": "sp0", "date": ("between", date(2020, 1, 1), date(2020, 12, 30))}
        found = store.tuples("register_days", ("reads", "exponent", "width"), HOME, where=where)
        assert len(found) == YEAR
        assert len({row[1:] for row in found}) == 1
        return unpack(b"".join([row[0] for row in found]), exponent=found[0][1], width=found[0][2])


def bare_year(path: Path) -> Any:
    """The same bytes by the same query, through `frombuffer` alone."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(
            "SELECT reads FROM register_days WHERE household_id = ? AND service_point_id = 'sp0' "
            "AND date BETWEEN '2020-01-01' AND '2020-12-30' ORDER BY date",
            (HOME,),
        ).fetchall()
        return np.frombuffer(b"".join([row[0] for row in found]), dtype="<i2")


def results(repeats: int) -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        fresh = Fresh(Path(folder))
        yield from _pages(fresh, repeats)
        yield from _meters(fresh, repeats)
        yield from _again(fresh.store())


class Fresh:
    """Files nobody has written to yet; a store's tables are made once and copied, for making them is not measured."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._numbers = folder, count()
        self._empty = self.file()
        open_store(self._empty).close()

    def file(self) -> Path:
        return self._folder / f"{next(self._numbers)}.db"

    def store(self) -> Path:
        return Path(shutil.copy(self._empty, self.file()))


def _pages(fresh: Fresh, repeats: int) -> Iterator[Result]:
    rows, names = transactions(ROWS), table("transactions").names
    tuples = [tuple(row.values()) for row in rows]
    ours, plain = side_by_side(
        lambda: stored(fresh.store(), "transactions", rows), lambda: plainly(fresh.file(), tuples, names), repeats
    )
    yield Result(f"{ROWS:,} transactions, a commit per page", ours, plain, "one plain executemany", 1 / 0.6)
    few = rows[:FEWER_ROWS]
    ours, theirs = side_by_side(
        lambda: stored(fresh.store(), "transactions", few), lambda: by_sqlite_utils(fresh.file(), few), repeats
    )
    yield Result(f"{FEWER_ROWS:,} transactions, a commit per page", ours, theirs, "sqlite-utils insert_all", 1 / 5)


def _meters(fresh: Fresh, repeats: int) -> Iterator[Result]:
    days, filled = register_days(DAYS), fresh.store()
    few = days[:TWO_YEARS]
    ours, rows = side_by_side(
        lambda: stored(fresh.store(), "register_days", few), lambda: a_row_each(fresh.file(), few), repeats
    )
    yield Result(f"{TWO_YEARS:,} register-days of {VALUES} values", ours, rows, "a row per interval", 1 / 60)
    stored(filled, "register_days", days)
    with closing(sqlite3.connect(filled)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    yield Result("a register-day, all but raw", exactly(filled.stat().st_size / DAYS), exactly(1), "–", 1500, "bytes")
    year, bare = side_by_side(lambda: a_year(filled), lambda: bare_year(filled), repeats)
    yield Result("a register's year into an array", year, bare, "query and frombuffer", 5)


def _again(path: Path) -> Iterator[Result]:
    """A re-sync of unchanged rows: pages of the file that are written."""
    rows = transactions(ROWS)
    stored(path, "transactions", rows)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stored(path, "transactions", rows)
    log = path.with_name(path.name + "-wal")
    written = log.stat().st_size if log.exists() else 0
    yield Result(f"{ROWS:,} unchanged transactions again", exactly(written), exactly(1), "–", None, "bytes written")
