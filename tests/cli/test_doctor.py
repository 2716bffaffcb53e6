"""`toolkit doctor` on a database harmed in each way: it finds, explains, and mends where that is possible."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from tests.command_line import Run
from tests.flows.sync.written import WrittenService, purchase, register_day
from tests.json_answers import sync
from tests.problems import names
from toolkit.flows.data.doctor import run as checkup
from toolkit.flows.household.context import Context
from toolkit.store import open_store

TODAY = date(2026, 3, 15)
Told = Callable[..., list[tuple[str, str, str]]]


@pytest.fixture
def service() -> WrittenService:
    """One person with a bank account, one purchase and one day of reads."""
    written = WrittenService()
    of = {"arrangement_id": "arr", "institution_id": "bank"}
    written.lists["banking.accounts"] = [{"platform_id": "pa1", "account_id": "a1", **of}]
    written.lists["banking.transactions"] = [purchase(1)]
    written.lists["energy.service_points"] = [{"platform_id": "psp", "service_point_id": "sp", **of}]
    written.lists["energy.usage"] = [register_day("2026-03-10", 0.25)]
    return written


@pytest.fixture
def db(home: Path, service: WrittenService) -> Path:
    """The default database after a sync."""
    path = home / "household.db"
    sync(Context(path, TODAY), service, end_user="eu")
    return path


@pytest.fixture
def told(run: Run) -> Told:
    """What the doctor says, but for the service: name, state and words of each check; the exit code fits them."""

    def examine(today: date = TODAY) -> list[tuple[str, str, str]]:
        ended = run("doctor", "--today", today, "--json")
        checks = [(check["name"], check["state"], check["message"]) for check in ended.json["checks"]]
        failed = [name for name, state, _ in checks if state == "error"]
        assert (ended.json["failed"], ended.code) == (failed, 1 if failed else 0)
        return [check for check in checks if check[0] not in ("service", "disk")]

    return examine


def amiss(checks: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [check for check in checks if check[1] != "ok"]


def raw(db: Path, *statements: str) -> None:
    connection = sqlite3.connect(db)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_sound_database(db: Path, told: Told) -> None:
    assert [(name, state) for name, state, _ in told()] == [
        ("permissions", "ok"),
        ("database", "ok"),
    ]
    assert all(names(message, db) for _, _, message in told())


@pytest.mark.parametrize(("encrypted", "state"), [(True, "ok"), (False, "warning"), (None, "warning")])
def test_a_disk_that_is_not_known_to_be_encrypted_is_warned_of(
    encrypted: bool | None, state: str, db: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkup, "is_encrypted", lambda path: encrypted if path == db else None)
    ended = run("doctor", "--today", TODAY, "--json")
    (disk,) = [check for check in ended.json["checks"] if check["name"] == "disk"]
    assert (disk["state"], ended.code) == (state, 0)


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_bad_permissions_are_mended(db: Path, told: Told, run: Run) -> None:
    saved = Path(run("backup", "--json").json["backup"])
    for path, mode in ((db, 0o644), (saved, 0o640), (saved.parent, 0o755), (db.parent, 0o755)):
        path.chmod(mode)
    words = f"{db.parent} and 3 more could be read by others (640, 644, 755); only you can now."
    assert amiss(told()) == [("permissions", "warning", words)]
    assert amiss(told()) == []
    modes = [oct(path.stat().st_mode & 0o777) for path in (db.parent, db, saved.parent, saved)]
    assert modes == ["0o700", "0o600", "0o700", "0o600"]


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_the_folder_of_a_database_elsewhere_is_the_persons_affair(db: Path, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o755)
    db.rename(folder / "home.db")
    checks = run("doctor", "--db", folder / "home.db", "--json").json["checks"]
    (said,) = [check["message"] for check in checks if check["state"] != "ok" and check["name"] == "permissions"]
    assert names(said, folder, 700)
    assert folder.stat().st_mode & 0o777 == 0o755


def test_an_unfinished_run(db: Path, told: Told, service: WrittenService) -> None:
    raw(db, "UPDATE runs SET state = 'running', finished_at = NULL, started_at = '2026-03-14T09:30:00.000000Z'")
    with open_store(db) as store:
        store.update("runs", {"state": "running"}, {})
    ((name, state, words),) = amiss(told())
    assert (name, state) == ("sync", "warning")
    assert names(words, "2026-03-14 09:30", "toolkit sync")
    sync(Context(db, TODAY), service)
    assert amiss(told()) == []


def test_quarantine(db: Path, told: Told, service: WrittenService) -> None:
    service.lists["banking.transactions"] += [purchase(2, "many"), purchase(3, "a lot")]
    sync(Context(db, TODAY), service)
    ((name, state, words),) = amiss(told())
    assert (name, state) == ("quarantine", "warning")
    assert names(words, "2 records", "banking.transactions", "toolkit status")


def test_rot_names_the_newest_backup_that_is_whole(db: Path, told: Told, run: Run) -> None:
    whole = run("backup", "--json").json["backup"]
    rotten = Path(run("backup", "--json").json["backup"])
    for path in (db, rotten):
        raw(path, "UPDATE register_days SET reads = zeroblob(length(reads))")
    ((name, state, words),) = amiss(told())
    assert (name, state) == ("database", "error")
    assert whole in words
    assert run("restore", rotten).code == 1
    assert run("restore", whole).code == 0
    assert amiss(told()) == []
    Path(whole).unlink()
    rotten.unlink()
    raw(db, "UPDATE register_days SET reads = zeroblob(length(reads))")
    assert amiss(told())[0][:2] == ("database", "error")
    assert not names(amiss(told())[0][2], "toolkit restore")


def test_a_file_that_is_no_database_any_more(db: Path, told: Told, run: Run) -> None:
    saved = run("backup", "--json").json["backup"]
    db.write_bytes(b"\0" * db.stat().st_size)
    ((name, state, words),) = amiss(told())
    assert (name, state) == ("database", "error")
    assert names(words, db, f"toolkit restore {saved}")
    asked = run("spending")
    assert asked.code == 1
    assert asked.err.count("\n") == 1
    assert names(asked.err, db, f"toolkit restore {saved}")
    assert run("restore", saved).code == 0
    assert run("spending", "--json").json["spent"] == "4.50"


def test_a_consent_that_ended_is_offered_for_deletion(db: Path, told: Told) -> None:
    with open_store(db) as store:
        home = store.rows("households")[0]
        same = {"household_id": home["household_id"], "end_user_id": "eu", "institution_id": "bank"}
        store.upsert(
            "consents", [{**same, "arrangement_id": "arr", "state": "active", "ends_at": "2026-03-20T00:00:00Z"}]
        )
    assert amiss(told()) == []
    for today in (date(2026, 3, 21), date(2027, 3, 21)):  # old data of it is not a fault
        ((state, text),) = [(state, text) for name, state, text in amiss(told(today)) if name == "consent"]
        assert state == "warning"
        assert "2026-03-20" in text
        assert "toolkit forget --consent arr" in text


def test_stale_data(db: Path, told: Told) -> None:
    with open_store(db) as store:
        name = store.rows("households")[0]["name"]
        store.update("positions", {"fresh_at": "2026-03-01T12:00:00.000000Z"}, {"resource": "banking.transactions"})
        store.update("positions", {"fresh_at": "2026-03-15T12:00:00.000000Z"}, {"resource": "banking.accounts"})
    assert amiss(told(date(2026, 3, 15))) == []
    words = f"{name}: banking.transactions was last read to its end 15 days ago. Run `toolkit sync`."
    assert ("freshness", "warning", words) in amiss(told(date(2026, 3, 17)))


def test_facts_past_their_validity(run: Run) -> None:
    def titles(today: str) -> list[str]:
        checks = run("doctor", "--today", today, "--json").json["checks"]
        stale = [check for check in checks if check["name"] == "reference"]
        assert {check["state"] for check in stale} <= {"warning"}
        return [check["message"].partition(":")[0] for check in stale]

    assert titles("2026-12-31") == []
    carbon = "Greenhouse gas factors of electricity and gas"
    assert titles("2027-06-30") == [carbon]
    concessions = "Energy concessions of states and territories"
    assert sorted(titles("2027-07-01")) == [concessions, carbon]
    assert sorted(titles("2027-11-22")) == [
        "Electricity and gas retailers in the public plan register",
        "Electricity distribution networks by state, and the NMIs that they allocated",
        concessions,
        carbon,
    ]


def test_a_log_that_was_taken_away(db: Path, told: Told, run: Run) -> None:
    """As a crash leaves it, and somebody who tidies up: the index of the log is there, the log is not."""
    index = db.with_name(db.name + "-shm")
    index.write_bytes(b"\0" * 32768)
    index.chmod(0o600)
    asked = run("spending")
    assert asked.code == 1
    assert names(asked.err, db, "toolkit doctor")
    ((name, state, words),) = amiss(told())
    assert (name, state) == ("log", "warning")
    assert names(words, db, "toolkit sync --full")
    assert amiss(told()) == []
    assert run("spending", "--json").json["spent"] == "4.50"
