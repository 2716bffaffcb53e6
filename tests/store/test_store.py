from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest

from toolkit.errors import StoreBusyError, StoreDamagedError, StoreError, StoreMissingError, StoreTooNewError
from toolkit.store import Counts, open_store
from toolkit.tables.schema import STORED
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.journal import RunRow

HOME = {"household_id": "h1", "name": "Home", "panels_kw": 6.6, "plan_since": date(2026, 1, 2)}


def a_transaction(number: int, amount: str = "-4.50") -> dict[str, object]:
    minor = int(amount.replace(".", ""))
    return {
        "household_id": "h1", "id": f"t{number}", "source": "service", "account_id": "a1", "status": "POSTED",
        "amount": amount, "amount_minor": minor, "currency": "AUD", "description": "COFFEE",
    }  # fmt: skip


def test_every_table_of_the_schema_is_there_with_its_columns(tmp_path: Path) -> None:
    with open_store(tmp_path / "new" / "home.db") as store:
        for table in STORED:
            frame = store.read(table.name)
            assert frame.columns == list(table.names)
            assert store.rows(table.name) == []


def test_typed_rows_come_back_as_they_went_in(tmp_path: Path) -> None:
    with open_store(tmp_path / "home.db") as store:
        store.upsert("households", [HOME, {"household_id": "h2", "name": "Beach", "embedded_network": True}])
        started = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        store.upsert("runs", [{"run_id": "r", "started_at": started, "state": "done"}])
        home, beach = store.load(HouseholdRow)
        assert (home.name, home.panels_kw, home.plan_since, home.embedded_network) == (*list(HOME.values())[1:], None)
        assert beach.embedded_network is True
        assert store.load(HouseholdRow, "h2") == [beach]
        assert store.first(HouseholdRow, where={"name": "Beach"}) == beach
        assert store.first(HouseholdRow, "h3") is None
        assert store.load(RunRow) == [RunRow("r", started, None, "done", None)]


def test_rows_come_back_as_they_went_in(tmp_path: Path) -> None:
    with open_store(tmp_path / "home.db") as store:
        store.upsert("households", [HOME])
        store.upsert("runs", [{"run_id": "r", "started_at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "state": "x"}])
        store.upsert("registers", [_a_register()])
        home = store.rows("households", "h1")[0]
        assert (home["name"], home["panels_kw"], home["plan_since"]) == ("Home", 6.6, date(2026, 1, 2))
        assert store.rows("runs")[0]["started_at"] == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        frame = store.read("registers", "h1", columns=["controlled_load", "unit"])
        assert frame.schema == {"controlled_load": pl.Boolean, "unit": pl.String}
        assert frame.rows() == [(True, "KWH")]
        runs = store.read("runs")
        assert runs.schema["started_at"] == pl.Datetime("us", "UTC")
        assert runs["started_at"][0] == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def _a_register() -> dict[str, object]:
    return {
        "household_id": "h1", "service_point_id": "s", "meter_id": "", "register_suffix": "E2", "unit": "KWH",
        "direction": "import", "controlled_load": True, "source": "file",
    }  # fmt: skip


def test_columns_are_summed_by_the_values_of_others(tmp_path: Path) -> None:
    """t1 and t2 of account a1 are -4.50 and -5.00, t3 of account a2 -1.25."""
    with open_store(tmp_path / "home.db") as store:
        others = {**a_transaction(3, "-1.25"), "account_id": "a2"}
        store.upsert("transactions", [others, a_transaction(1), a_transaction(2, "-5.00")])
        keys = ("account_id", "currency")
        assert store.summed("transactions", keys, {"amount_minor": "sum", "id": "max"}, "h1") == [
            ("a1", "AUD", -950, "t2"),
            ("a2", "AUD", -125, "t3"),
        ]
        only = store.summed("transactions", keys, {"amount_minor": "min"}, "h1", where={"account_id": "a1"})
        assert only == [("a1", "AUD", -500)]
        with pytest.raises(KeyError):
            store.summed("transactions", ("no_column",), {}, "h1")


def test_upsert_counts_added_updated_and_unchanged(tmp_path: Path) -> None:
    with open_store(tmp_path / "home.db") as store:
        assert store.upsert("transactions", [a_transaction(1), a_transaction(2)]) == Counts(added=2)
        again = [a_transaction(1), a_transaction(2, "-5.00"), a_transaction(3)]
        assert store.upsert("transactions", again) == Counts(added=1, updated=1, unchanged=1)
        assert store.upsert("transactions", again) == Counts(unchanged=3)
        assert store.read("transactions", "h1")["amount_minor"].to_list() == [-450, -500, -450]


def test_a_value_that_is_no_longer_given_is_gone(tmp_path: Path) -> None:
    with open_store(tmp_path / "home.db") as store:
        store.upsert("transactions", [{**a_transaction(1), "payer": "A"}, {**a_transaction(2), "payee": "B"}])
        changed = [a_transaction(1), {**a_transaction(2), "payee": "B"}, {**a_transaction(3), "payer": "C"}]
        assert store.upsert("transactions", changed) == Counts(added=1, updated=1, unchanged=1)
        assert store.upsert("transactions", [a_transaction(2)]) == Counts(updated=1)
        assert store.tuples("transactions", ("payer", "payee")) == [(None, None), (None, None), ("C", None)]
        assert store.damage() == []


def test_a_balance_read_again_without_change_is_unchanged(tmp_path: Path) -> None:
    balance = {"household_id": "h1", "id": "b", "account_id": "a", "currency": "AUD", "current_balance": "1.00"}
    with open_store(tmp_path / "home.db") as store:
        store.upsert("balances", [{**balance, "as_of": datetime(2026, 1, 1, tzinfo=UTC)}])
        assert store.upsert("balances", [{**balance, "as_of": datetime(2026, 1, 2, tzinfo=UTC)}]) == Counts(unchanged=1)


def test_a_link_made_by_hand_survives_the_next_sync(tmp_path: Path) -> None:
    account = {"household_id": "h1", "id": "a", "source": "service", "account_id": "a", "nickname": "old"}
    with open_store(tmp_path / "home.db") as store:
        store.upsert("accounts", [account])
        store.update("accounts", {"linked_account_id": "file-account"}, {"household_id": "h1", "id": "a"})
        store.upsert("accounts", [{**account, "nickname": "new"}])
        row = store.rows("accounts")[0]
        assert (row["nickname"], row["linked_account_id"]) == ("new", "file-account")


def test_filters(tmp_path: Path) -> None:
    with open_store(tmp_path / "home.db") as store:
        store.upsert("transactions", [a_transaction(number) for number in range(5)])
        ids = [row["id"] for row in store.rows("transactions", "h1", where={"id": ["t1", "t3"]})]
        assert ids == ["t1", "t3"]
        assert store.count("transactions", where={"id": ("between", "t2", "t4")}) == 3
        assert store.count("transactions", "h1", where={"merchant_name": None}) == 5
        assert store.count("transactions", "h2") == 0
        either = [{"id": "t4"}, {"id": ("between", "t1", "t2"), "status": "POSTED"}]
        assert store.read("transactions", "h1", any_of=either, columns=["id"])["id"].to_list() == ["t1", "t2", "t4"]
        assert store.read("transactions", "h1", where={"id": ["t0", "t2"]}, any_of=either)["id"].to_list() == ["t2"]
        assert store.read("transactions", "h2", any_of=either).is_empty()
        assert store.delete("transactions", {"id": "t0"}) == 1
        with pytest.raises(KeyError, match="nonsense"):
            store.rows("transactions", where={"nonsense": 1})
        with pytest.raises(KeyError, match="nonsense"):
            store.upsert("transactions", [{**a_transaction(1), "nonsense": 1}])


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    with open_store(tmp_path / "home.db") as store:
        with pytest.raises(ZeroDivisionError), store.transaction():
            store.update("households", {"panels_kw": store.upsert("households", [HOME]).added / 0}, {})
        assert store.count("households") == 0
        with pytest.raises(StoreError, match="households"):
            store.upsert("households", [HOME, {"household_id": "h2"}])
        assert store.count("households") == 0


def test_files_are_private_under_any_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with open_store(tmp_path / "a" / "b" / "home.db") as store:
            store.upsert("households", [HOME])
            files = list((tmp_path / "a" / "b").iterdir())
            assert {file.name for file in files} >= {"home.db", "home.db-wal", "home.db-shm"}
            assert {oct(file.stat().st_mode & 0o777) for file in files} == {"0o600"}
        assert oct((tmp_path / "a").stat().st_mode & 0o777) == "0o700"
        assert oct((tmp_path / "a" / "b").stat().st_mode & 0o777) == "0o700"
    finally:
        os.umask(before)


def test_four_writers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "home.db"

    def write(writer: int) -> None:
        with open_store(path) as store:
            for _ in range(25):
                with store.transaction():
                    number = store.count("transactions")
                    store.upsert("transactions", [{**a_transaction(number), "description": str(writer)}])

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_store(path) as store:
        assert store.count("transactions") == 100


def test_who_opens_a_database_that_another_is_making_waits(tmp_path: Path) -> None:
    """Whoever comes first makes the tables; SQLite does not wait by itself where the kind of log changes."""
    path = tmp_path / "home.db"
    failed: list[Exception] = []

    def make() -> None:
        try:
            open_store(path, busy_seconds=120).close()
        except Exception as error:
            failed.append(error)

    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    thread = threading.Thread(target=make)
    thread.start()
    thread.join(0.3)
    other.execute("ROLLBACK")
    other.close()
    thread.join()
    assert failed == []
    with open_store(path) as store:
        assert store.damage() == []


def test_a_second_writer_is_told(tmp_path: Path) -> None:
    path = tmp_path / "home.db"
    with open_store(path) as first, first.transaction(), open_store(path, busy_seconds=0.05) as second:
        assert second.count("households") == 0
        with pytest.raises(StoreBusyError):
            second.upsert("households", [HOME])


def test_what_is_no_database_is_said_to_be_none(tmp_path: Path) -> None:
    path = tmp_path / "home.db"
    path.write_bytes(b"this is a diary, not a database" * 100)
    with pytest.raises(StoreDamagedError):
        open_store(path)
    with pytest.raises(StoreMissingError):
        open_store(tmp_path / "none.db", create=False)


def test_a_database_of_a_later_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "home.db"
    open_store(path).close()
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(StoreTooNewError):
        open_store(path)


def test_an_older_database_is_upgraded_and_a_copy_kept(tmp_path: Path) -> None:
    path = tmp_path / "home.db"
    with open_store(path) as store:
        store.upsert("households", [HOME])
    raw = sqlite3.connect(path)
    raw.execute("ALTER TABLE households DROP COLUMN network")
    raw.execute("UPDATE _schema SET fingerprint = 1")
    raw.commit()
    raw.close()
    with open_store(path) as store:
        assert store.rows("households")[0]["name"] == "Home"
        assert store.rows("households")[0]["network"] is None
    copies = [file for file in tmp_path.iterdir() if file.name.endswith(".bak")]
    assert len(copies) == 1
    assert oct(copies[0].stat().st_mode & 0o777) == "0o600"
    kept = sqlite3.connect(copies[0])
    assert kept.execute("SELECT name FROM households").fetchone() == ("Home",)
    assert "network" not in [row[1] for row in kept.execute("PRAGMA table_info(households)")]
    kept.close()


def _make_older(path: Path) -> None:
    """Give a database an index of fewer columns, as an earlier version made it."""
    with closing(sqlite3.connect(path)) as db:
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'idx_spending_months%'").fetchall():
            db.execute(f"DROP INDEX {name}")
        db.execute("CREATE INDEX idx_spending_months_household_id_month ON spending_months (household_id, month)")
        db.execute("UPDATE _schema SET fingerprint = 1")
        db.commit()


@pytest.mark.parametrize("is_older", [False, True])
def test_sums_of_all_accounts_by_month_are_read_from_an_index_alone(tmp_path: Path, *, is_older: bool) -> None:
    path = tmp_path / "home.db"
    open_store(path).close()
    if is_older:
        _make_older(path)
        open_store(path).close()
    keys = "month, kind, primary_category, secondary_category, currency, pending"
    sums = "sum(amount_minor), sum(out_minor), sum(count), min(first_day), max(last_day)"
    query = f"SELECT {keys}, {sums} FROM spending_months WHERE household_id = 'h' AND month BETWEEN '0' AND '9'"
    with closing(sqlite3.connect(path)) as db:
        steps = [step for *_, step in db.execute(f"EXPLAIN QUERY PLAN {query} GROUP BY {keys} ORDER BY {keys}")]
        made = db.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE 'idx_spending_months%'").fetchone()
    assert len(steps) == 1, "a second step would sort the rows"
    assert "USING COVERING INDEX idx_spending_months" in steps[0]
    assert made == (1,), "an index of an earlier version is dropped"
