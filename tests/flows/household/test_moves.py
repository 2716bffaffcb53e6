"""`household merge`: what went into the wrong household is moved, all of it, and brought back until the next sync."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run
from tests.flows.sync.written import WrittenService, purchase
from tests.json_answers import forget, sync
from tests.meters import level
from tests.problems import names
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.household.merge import merge, undo_move
from toolkit.flows.money.accounts import list_accounts, set_account
from toolkit.store import open_store
from toolkit.tables.schema import STORED

TODAY = date(2026, 3, 15)
HEAD = "Date,Amount,Description\n"
JANUARY, FEBRUARY = "10/01/2026,-10.00,CORNER SHOP\n", "10/02/2026,-20.00,CORNER SHOP\n11/02/2026,-5.00,KIOSK\n"
DERIVED = ("spending_months", "rollups", "frame_columns")


@pytest.fixture
def db(run: Run, home: Path, tmp_path: Path) -> Path:
    """January under Smith and, by a slip, February with a meter under Jones; one row of January is in both."""
    files = {"jan": HEAD + JANUARY, "feb": HEAD + JANUARY + FEBRUARY, "meter": level("4103000001", date(2026, 2, 1), 2)}
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    bank = ("--account", "Everyday", "--household")
    assert run("import", tmp_path / "jan.csv", *bank, "Smith").code == 0
    assert run("import", tmp_path / "feb.csv", *bank, "Jones").code == 0
    assert run("import", tmp_path / "meter.csv", "--household", "Jones").code == 0
    run("rules", "add", "kiosk", "TRAVEL", "--household", "Smith")
    for category in ("MEDICAL", "TRAVEL"):
        run("rules", "add", "corner shop", category, "--household", "Jones")
    run("rules", "remove", "1", "--household", "Jones")
    run("household", "set", "--postcode", "2000", "--household", "Smith")
    run("household", "set", "--postcode", "3000", "--network", "CitiPower", "--household", "Jones")
    run("household", "set", "--panels-kw", "5", "--person", "K Jones", "--household", "Jones")
    return home / "household.db"


def contents(db: Path) -> dict[str, list[Any]]:
    with open_store(db) as store:
        return {table.name: store.tuples(table.name, table.names) for table in STORED if table.name not in DERIVED}


def test_everything_of_one_household_goes_into_the_other(run: Run, db: Path) -> None:
    answer = run("household", "merge", "Smith", "Jones", "--json").json
    [smith] = answer["households"]
    assert (smith["name"], smith["postcode"], smith["network"]) == ("Smith", "2000", None)  # one home's, not a mixture
    assert (smith["panels_kw"], smith["persons"]) == (5.0, ["K Jones"])
    assert answer["moved"]["transactions"] == 2
    assert any(names(note, 1, "transactions", "Smith") for note in answer["notes"])
    spending = run("spending", "--json").json
    assert spending["spent"] == "35.00"  # 10 in January once, 20 and 5 in February
    assert {row["primary_category"]: row["spent"] for row in spending["rows"]} == {"TRAVEL": "35.00"}
    assert run("usage", "--json").json["service_points"][0]["service_point_id"] == "4103000001"
    assert [rule["number"] for rule in run("rules", "list", "--json").json["rules"]] == [1, 3]
    run("rules", "undo")  # the latest of Jones's: taking MEDICAL back
    assert [rule["value"] for rule in run("rules", "list", "--json").json["rules"]] == ["TRAVEL", "MEDICAL", "TRAVEL"]


def test_a_merge_is_undone_whole(run: Run, db: Path) -> None:
    before = contents(db)
    spent = {name: run("spending", "--household", name, "--json").json["spent"] for name in ("Smith", "Jones")}
    assert spent == {"Smith": "10.00", "Jones": "35.00"}
    run("household", "merge", "Smith", "Jones")
    assert contents(db) != before
    undone = run("household", "merge", "--undo", "--json")
    assert [home["name"] for home in undone.json["households"]] == ["Jones", "Smith"]
    assert contents(db) == before
    assert {name: run("spending", "--household", name, "--json").json["spent"] for name in spent} == spent
    again = run("household", "merge", "--undo")
    assert (again.code, again.err.count("\n")) == (2, 1)


def test_what_came_after_the_merge_stays_where_it_was_put(run: Run, db: Path, tmp_path: Path) -> None:
    run("household", "merge", "Smith", "Jones")
    (tmp_path / "march.csv").write_text(HEAD + "10/03/2026,-1.00,KIOSK\n")
    run("import", tmp_path / "march.csv", "--account", "Everyday")
    run("household", "set", "--panels-kw", "6.6")
    run("household", "merge", "--undo")
    assert run("spending", "--household", "Smith", "--json").json["spent"] == "11.00"
    assert run("spending", "--household", "Jones", "--json").json["spent"] == "35.00"
    homes = {home["name"]: home for home in run("household", "list", "--json").json["households"]}
    assert (homes["Smith"]["panels_kw"], homes["Jones"]["panels_kw"]) == (6.6, 5.0)


def test_two_merges_are_undone_one_after_the_other(run: Run, db: Path) -> None:
    run("household", "add", "Miller")
    before = contents(db)
    run("household", "merge", "Jones", "Miller")
    between = {name: rows for name, rows in contents(db).items() if name != "moves"}
    run("household", "merge", "Smith", "Jones")
    run("household", "merge", "--undo")
    assert {name: rows for name, rows in contents(db).items() if name != "moves"} == between
    run("household", "merge", "--undo")
    assert contents(db) == before


def test_what_cannot_be_merged_is_refused(run: Run, db: Path) -> None:
    before = contents(db)
    for words in (("Smith", "Smith"), ("Smith", "Nobody"), ("Smith",), (), ("Smith", "Jones", "--undo")):
        assert run("household", "merge", *words).code == 2
    assert contents(db) == before
    run("household", "merge", "Smith", "Jones")
    run("household", "add", "Jones")
    taken = run("household", "merge", "--undo")
    assert (taken.code, "Jones" in taken.err) == (2, True)


def test_what_is_forgotten_after_a_merge_does_not_stay_to_be_brought_back(run: Run, db: Path) -> None:
    run("household", "merge", "Smith", "Jones")
    forget(Context(db, TODAY), account="Everyday")
    assert run("household", "merge", "--undo").code == 2
    assert b"KIOSK" not in b"".join(path.read_bytes() for path in db.parent.rglob("*") if path.is_file())


def test_a_sync_goes_on_in_the_merged_household_and_ends_undoing(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "data" / "home.db", TODAY)
    service = WrittenService()
    service.people.append({"id": "eu2", "name": "Robin", "email": "robin@example.com"})
    of = {"arrangement_id": "arr", "institution_id": "bank"}
    service.lists["banking.accounts"] = [{"platform_id": "pa", "account_id": "a1", "nickname": "Everyday", **of}]
    service.lists["banking.transactions"] = [purchase(1)]
    for end_user in ("eu", "eu2"):
        sync(ctx, service, end_user=end_user)
    merge(ctx, "Alex", "Robin")
    assert [home.name for home in undo_move(ctx).households] == ["Alex", "Robin"]
    merge(ctx, "Alex", "robin@example.com")
    service.lists["banking.transactions"].append(purchase(2))
    sync(ctx, service)
    with open_store(ctx.db) as store:
        assert [row["name"] for row in store.rows("households")] == ["Alex"]
        assert store.count("transactions") == 2
    with pytest.raises(UsageError):
        undo_move(ctx)


def spent(run: Run, *names: str) -> list[str]:
    return [run("spending", "--household", name, "--json").json["spent"] for name in names]


def test_an_account_put_into_the_wrong_household_is_moved_and_brought_back(
    run: Run, home: Path, tmp_path: Path
) -> None:
    for name, household, text in (("everyday", "Smith", JANUARY), ("saver", "Smith", FEBRUARY), ("card", "Jones", "")):
        (tmp_path / f"{name}.csv").write_text(HEAD + (text or "12/02/2026,-7.00,KIOSK\n"))
        bank = ("--account", name.capitalize(), "--household", household)
        assert run("import", tmp_path / f"{name}.csv", *bank).code == 0
    kiosk = run("transactions", "--search", "kiosk", "--household", "Smith", "--json").json["transactions"][0]["id"]
    run("rules", "category", kiosk, "TRAVEL", "--household", "Smith")
    db = home / "household.db"
    before = contents(db)
    assert spent(run, "Smith", "Jones") == ["35.00", "7.00"]
    moved = run("accounts", "set", "saver", "--household", "Jones", "--json")
    assert sorted(account["id"] for account in moved.json["accounts"]) == ["Card", "Saver"]
    assert spent(run, "Smith", "Jones") == ["10.00", "32.00"]
    search = ("--search", "kiosk", "--account", "Saver", "--household", "Jones")
    [row] = run("transactions", *search, "--json").json["transactions"]
    assert (row["amount"], row["primary_category"]) == ("-5.00", "TRAVEL")
    with open_store(db) as store:
        files = {
            home["name"]: store.tuples("files", ("name",), home["household_id"]) for home in store.rows("households")
        }
    assert {name: sorted(stored) for name, stored in files.items()} == {
        "Jones": [("card.csv",), ("saver.csv",)],
        "Smith": [("everyday.csv",)],
    }
    assert run("household", "merge", "--undo").code == 0
    after = contents(db)
    assert {name for name in before if after[name] != before[name]} == set()
    assert spent(run, "Smith", "Jones") == ["35.00", "7.00"]


def test_an_account_that_cannot_be_moved_is_refused_in_one_sentence(run: Run, db: Path) -> None:
    unknown = run("accounts", "set", "Holiday", "--household", "Smith")
    assert (unknown.code, unknown.err.count("\n")) == (2, 1)
    assert "Everyday of Jones" in unknown.err
    with open_store(db) as store:
        store.update("accounts", {"source": "service"}, {"account_id": "Everyday"})
    service = run("accounts", "set", "Everyday", "--household", "Smith")
    assert (service.code, service.err.count("\n")) == (2, 1)
    assert run("accounts", "set", "Everyday", "--name", "Daily", "--household", "Smith").code == 0  # its own


def test_a_form_of_an_account_that_another_household_has_by_now_does_not_move_it_back(
    run: Run, db: Path, tmp_path: Path
) -> None:
    (tmp_path / "saver.csv").write_text(HEAD + "12/02/2026,-7.00,BAKERY\n")
    assert run("import", tmp_path / "saver.csv", "--account", "Saver", "--household", "Smith").code == 0
    smith = Context(db, TODAY, "Smith")
    [shown] = [account for account in list_accounts(smith).accounts if account.id == "Saver"]
    assert run("accounts", "set", "Saver", "--household", "Jones").code == 0
    with pytest.raises(UsageError) as refused:
        set_account(smith, "Saver", name="Holidays", shown=shown)
    assert "no longer in this household" in refused.value.page
    assert "Saver" in {account.id for account in list_accounts(Context(db, TODAY, "Jones")).accounts}
