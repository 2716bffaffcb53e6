"""No byte of what was forgotten is left in the data folder, and nothing of others is touched."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.json_answers import forget
from toolkit.errors import ChoiceRequiredError, RequestRejectedError, StoreBusyError, UsageError
from toolkit.flows.data.backup import backup
from toolkit.flows.household.context import Context
from toolkit.store import Store, open_store
from toolkit.store.sync_state import is_forgotten
from toolkit.tables.schema import STORED

SECRET = "SENTINEL"
OPEN = "openword"


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """Two households; the first has two consents, `arr-gone` and `arr-kept`."""
    made = Context(tmp_path / "data" / "home.db", date(2026, 3, 4))
    with open_store(made.db) as store:
        for household, arrangements in {"h1": ("arr-gone", "arr-kept"), "h2": ("arr-other",)}.items():
            store.upsert("households", [{"household_id": household, "name": f"name-{household}"}])
            person = {"household_id": household, "end_user_id": f"eu-{household}", "state": "connected"}
            store.upsert("end_users", [{**person, "email": f"{household}@example.com"}])
            for arrangement in arrangements:
                _fill(store, household, arrangement)
    return made


def _fill(store: Store, household: str, arrangement: str) -> None:
    word = SECRET if arrangement == "arr-gone" else OPEN
    of = {"household_id": household, "arrangement_id": arrangement}
    consent = {**of, "consent_id": f"c-{arrangement}", "end_user_id": f"eu-{household}", "state": "active"}
    store.upsert("consents", [{**consent, "institution_id": "bank", "raw": f"{word} consent"}])
    store.upsert(
        "accounts", [{**of, "id": f"{word}-a-{household}", "source": "service", "account_id": f"{word}-account"}]
    )
    many = [_transaction(of, word, number) for number in range(300)]
    store.upsert("transactions", many)
    day = {"date": "2026-03-01", "interval_minutes": 720, "intervals": 2, "exponent": 0, "width": 2, "total_nano": 3,
           "reads": b"\x01\x00\x02\x00", "present": 2, "unit": "KWH", "direction": "import", "controlled_load": False,
           "source": "service", "meter_id": "", "register_suffix": "E1", "raw": f"{word} usage"}  # fmt: skip
    store.upsert("register_days", [{**of, **day, "service_point_id": f"{word}-sp"}])
    quarantined = {"resource": "banking.transactions", "id": f"{word}-q", "reason": "?", "raw": f"{word} raw"}
    store.upsert("quarantine", [{**of, **quarantined, "seen_at": datetime.now(UTC)}])
    position = {
        "end_user_id": f"eu-{household}",
        "resource": f"x-{arrangement}",
        "position": f'{{"{word}":"2026-01-01"}}',
    }
    store.upsert("positions", [{"household_id": household, **position}])
    assert store.search("transactions", word)


def _transaction(of: dict[str, Any], word: str, number: int) -> dict[str, Any]:
    return {
        **of, "id": f"{word}-{of['household_id']}-{number}", "source": "service", "account_id": f"{word}-account",
        "status": "POSTED", "amount": "-4.50", "amount_minor": -450, "currency": "AUD",
        "description": f"{word} COFFEE {number}", "posting_date_time": "2026-03-01T00:00:00Z", "raw": f"{word} raw",
    }  # fmt: skip


def files_with(folder: Path, word: str) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def rows_of_others(db: Path, arrangement: str) -> dict[str, list[dict[str, Any]]]:
    with open_store(db) as store:
        names = [table.name for table in STORED if "arrangement_id" in table.names]
        return {name: [row for row in store.rows(name) if row["arrangement_id"] != arrangement] for name in names}


def test_a_consent_and_all_that_came_under_it(ctx: Context) -> None:
    backup(ctx)
    (ctx.db.parent / "home.db.format1-00000000.bak").write_text(SECRET)
    before = rows_of_others(ctx.db, "arr-gone")
    assert len(files_with(ctx.db.parent, SECRET)) >= 3
    ended: list[str] = []
    answer = forget(ctx, consent="c-arr-gone", withdraw=ended.append)
    assert files_with(ctx.db.parent, SECRET) == []
    assert (answer["withdrawn"], ended, answer["left"]) == (["arr-gone"], ["arr-gone"], [])
    assert answer["deleted"]["transactions"] == 300
    assert answer["deleted"].keys() >= {"accounts", "register_days", "quarantine", "consents", "positions"}
    assert rows_of_others(ctx.db, "arr-gone") == before
    with open_store(ctx.db) as store:
        assert is_forgotten(store, "arrangement", "arr-gone")
        assert not is_forgotten(store, "arrangement", "arr-kept")
        assert store.search("transactions", SECRET) == []
        assert len(store.search("transactions", OPEN)) == 600
        assert store.damage() == []
        assert store.count("rollups", "h1") == 1
        assert {row["account_id"] for row in store.rows("spending_months", "h1")} == {f"{OPEN}-account"}


def test_a_household_goes_whole_and_the_others_stay(ctx: Context) -> None:
    backup(ctx)
    with open_store(ctx.db) as store:
        before = {t.name: store.rows(t.name, "h2") for t in STORED if "household_id" in t.names}
    answer = forget(ctx, household="h1@example.com")
    assert files_with(ctx.db.parent, SECRET) == files_with(ctx.db.parent, "h1@example.com") == []
    assert answer["left"] == []
    assert {entry["consent"] for entry in answer["not_withdrawn"]} == {"arr-gone", "arr-kept"}
    with open_store(ctx.db) as store:
        assert {t.name: store.rows(t.name, "h2") for t in STORED if "household_id" in t.names} == before
        assert [row["household_id"] for row in store.rows("households")] == ["h2"]
        assert is_forgotten(store, "end_user", "eu-h1")


def test_a_service_that_refuses_keeps_no_data_here(ctx: Context) -> None:
    def refuse(_arrangement: str) -> None:
        raise RequestRejectedError("unknown arrangement")

    answer = forget(ctx, consent="arr-gone", withdraw=refuse)
    assert answer["not_withdrawn"] == [{"consent": "arr-gone", "reason": "unknown arrangement"}]
    assert files_with(ctx.db.parent, SECRET) == []


def test_files_that_still_name_it_are_named(ctx: Context) -> None:
    note = ctx.db.parent / "export" / "notes.csv"
    note.parent.mkdir()
    note.write_text("my own list: arr-gone")
    assert forget(ctx, consent="arr-gone")["left"] == [str(note)]


def test_a_broken_backup_is_removed(ctx: Context) -> None:
    copy = Path(backup(ctx).backup)
    copy.write_bytes(b"no database " + SECRET.encode())
    assert forget(ctx, consent="arr-gone")["copies"][0]["done"].startswith("removed")
    assert not copy.exists()


def test_what_is_asked_must_be_clear(ctx: Context) -> None:
    with pytest.raises(ChoiceRequiredError) as refused:
        forget(ctx, consent="nothing")
    assert refused.value.choices == ["arr-gone", "arr-kept", "arr-other"]
    with pytest.raises(ChoiceRequiredError) as refused:
        forget(ctx, household="nobody")
    assert refused.value.choices == ["name-h1", "name-h2"]
    with pytest.raises(UsageError):
        forget(ctx)


def test_a_reader_elsewhere_is_told_of(ctx: Context) -> None:
    with open_store(ctx.db) as reader:
        cursor = reader._connection.execute("SELECT * FROM transactions")
        cursor.fetchone()
        with open_store(ctx.db, busy_seconds=0.1) as store, pytest.raises(StoreBusyError):
            store.scrub()
        cursor.close()


@pytest.mark.parametrize("asked", [{"consent": "c-arr-gone"}, {"household": "h1@example.com"}])
def test_one_that_was_cut_short_ends_its_work_when_repeated(
    ctx: Context, monkeypatch: pytest.MonkeyPatch, asked: dict[str, str]
) -> None:
    with open_store(ctx.db) as store:
        plan = {"household_id": "", "plan_id": "p", "version": "1", "sequence": 1, "source": "file", "raw": "{}"}
        store.upsert("plans", [plan])
    backup(ctx)
    with monkeypatch.context() as broken:
        broken.setattr(Store, "scrub", lambda _: (_ for _ in ()).throw(StoreBusyError("open elsewhere")))
        with pytest.raises(StoreBusyError):
            forget(ctx, **asked)
    assert files_with(ctx.db.parent, SECRET) != []
    answer = forget(ctx, **asked)
    assert files_with(ctx.db.parent, SECRET) == []
    assert [entry["done"] for entry in answer["copies"]] == ["rows deleted"]
    with open_store(ctx.db) as store:
        assert store.count("plans") == 1


def test_with_a_consent_go_records_of_it_that_cannot_be_read_at_all(ctx: Context) -> None:
    """Those that do not say whose they are in a way that can be read, and none that are known to be another's."""
    with open_store(ctx.db) as store:
        seen = {"resource": "banking.payees", "reason": "?", "seen_at": datetime(2026, 3, 1, tzinfo=UTC)}
        for id_, arrangement, raw in [
            ("named", None, '{"of": {"arrangementID": "arr-gone"}, "payee": SENTINEL'),
            ("other", None, '{"arrangement_id": "arr-2", '),
            ("known", "arr-kept", '{"arrangement_id": "arr-kept", "renewed": "arr-gone"}'),
        ]:
            row = {"household_id": "h1", "id": id_, "arrangement_id": arrangement, "raw": raw}
            store.upsert("quarantine", [{**seen, **row}])
    assert forget(ctx, consent="arr-gone")["deleted"]["quarantine"] == 2
    assert files_with(ctx.db.parent, SECRET) == []
    with open_store(ctx.db) as store:
        assert {row["id"] for row in store.rows("quarantine", "h1")} == {"known", "other", f"{OPEN}-q"}
