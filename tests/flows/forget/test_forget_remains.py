"""What `forget` leaves: the database itself is never named, names match whole, and each file is said for what it is."""

from __future__ import annotations

import re
import shutil
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.flows.sync.written import WrittenService, purchase
from tests.json_answers import forget, sync
from tests.meters import level
from toolkit.errors import UsageError
from toolkit.flows.data.backup import backup
from toolkit.flows.data.export import export
from toolkit.flows.forget.copies import NO_MATCH
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.money.rules import add_rule
from toolkit.store import open_store
from toolkit.tables.schema import STORED

TODAY = date(2026, 3, 15)
BANK = "Date,Description,Amount\n2026-03-01,{shop},-4.50\n2026-03-02,Smith,-3.00\n"
NEM12 = "100,NEM12,202602020000,MDP,RET\n200,6001234567,E1,1,E1,N1,M1,kWh,480,\n300,20260101,{v},{v},{v},A,,,,\n900\n"
CHUNK = 1 << 20
"""Characters that are looked through at once."""


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """Two households, Smith and Smithson; both bought at a shop called Smith."""
    db = tmp_path / "data" / "home.db"
    with open_store(db) as store:
        store.upsert("households", [{"household_id": f"id-of-{name}", "name": name} for name in ("Smith", "Smithson")])
    for name, shop in (("Smith", "SENTINEL"), ("Smithson", "Smithsonian")):
        (tmp_path / f"{name}.csv").write_text(BANK.format(shop=shop))
        load(Context(db, TODAY, name), [tmp_path / f"{name}.csv"])
    return Context(db, TODAY)


def rows_of(ctx: Context) -> dict[str, list[dict[str, Any]]]:
    with open_store(ctx.db) as store:
        return {table.name: store.rows(table.name) for table in STORED}


def test_the_database_is_not_named_where_others_are_called_alike(ctx: Context) -> None:
    backup(ctx)
    theirs = [row for row in rows_of(ctx)["transactions"] if row["household_id"] == "id-of-Smithson"]
    answer = forget(ctx, household="Smith")
    assert (answer["left"], answer["remains"]) == ([], [])
    assert rows_of(ctx)["transactions"] == theirs
    assert {row["description"] for row in theirs} == {"Smithsonian", "Smith"}


def test_a_backup_from_before_the_household_is_not_named(ctx: Context, tmp_path: Path) -> None:
    """It has a shop of that name among the rows of another household."""
    copy = Path(backup(ctx).backup)
    with open_store(copy) as store:
        for table in STORED:
            if "household_id" in table.names:
                store.delete(table.name, {"household_id": "id-of-Smith"})
    answer = forget(ctx, household="Smith")
    assert [entry["done"] for entry in answer["copies"]] == [NO_MATCH]
    assert answer["left"] == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Smithson, Smiths, Goldsmith-Smith, SmithA, o'Smith, Smith's, smith, Smith@example.com, Smith.csv", []),
        ("seen by Smith.", ["Smith"]),
        ("Smith", ["Smith"]),
        ('{"name":"Smith"}', ["Smith"]),
        ("a,Smith,id-of-Smith\n", ["Smith", "id-of-Smith"]),
        ("id-of-Smithson", []),
    ],
)
def test_names_in_files_match_whole(ctx: Context, text: str, names: list[str]) -> None:
    note = ctx.db.parent / "export" / "notes.csv"
    note.parent.mkdir()
    note.write_text(text)
    answer = forget(ctx, household="Smith")
    expected = [{"path": str(note), "kind": "file", "names": names}] if names else []
    assert answer["remains"] == expected
    assert answer["left"] == [entry["path"] for entry in expected]


@pytest.mark.parametrize("place", range(CHUNK - 8, CHUNK + 3))
@pytest.mark.parametrize(("word", "is_named"), [("Smith", True), ("Smithson", False), ("GoldSmith", False)])
def test_names_match_whole_wherever_in_a_long_file_they_stand(
    ctx: Context, place: int, word: str, is_named: bool
) -> None:
    (ctx.db.parent / "long.txt").write_text("." * (place - 1) + f" {word} " + "." * 20)
    assert bool(forget(ctx, household="Smith")["left"]) == is_named


def test_another_database_is_named_as_one(ctx: Context) -> None:
    other = ctx.db.parent / "other.db"
    with open_store(other) as store:
        store.upsert("households", [{"household_id": "id-of-Smith", "name": "Smith"}])
    answer = forget(ctx, household="Smith")
    assert answer["remains"] == [{"path": str(other), "kind": "database", "names": ["id-of-Smith"]}]


def test_an_export_of_all_households_is_named(ctx: Context) -> None:
    out = ctx.db.parent / "taken"
    export(ctx, out)
    left = {entry["path"]: entry["names"] for entry in forget(ctx, household="Smith")["remains"]}
    assert left[str(out / "households.csv")] == ["Smith", "id-of-Smith"]


KINDS: list[dict[str, str]] = [
    {"household": "Smith"}, {"file": "Smith.csv"}, {"account": "Smith"}, {"file": "second.csv"},
    {"service_point": "6001234567"}, {"consent": "arr"}, {"account": "a1"},
]  # fmt: skip


@pytest.mark.parametrize("asked", KINDS)
def test_what_is_counted_is_what_went(ctx: Context, tmp_path: Path, asked: dict[str, str]) -> None:
    """Also where two files gave the same meter day, and where totals of a month are worked out again."""
    service = WrittenService()
    of = {"arrangement_id": "arr", "institution_id": "bank"}
    service.lists["banking.accounts"] = [{"platform_id": "pa", "account_id": "a1", "display_name": "A", **of}]
    service.lists["banking.transactions"] = [purchase(1)]
    smith = Context(ctx.db, TODAY, "Smith")
    sync(ctx, service, end_user="eu")
    (tmp_path / "first.csv").write_text(NEM12.format(v=1))
    (tmp_path / "second.csv").write_text(NEM12.format(v=2))
    load(smith, [tmp_path / "first.csv", tmp_path / "second.csv"])
    if asked.get("account") == "Smith":
        asked = {"account": account_of(ctx, "id-of-Smith"), "household": "Smith"}
    before = {name: len(rows) for name, rows in rows_of(ctx).items()}
    answer = forget(ctx, **asked)
    after = {name: len(rows) for name, rows in rows_of(ctx).items()}
    assert answer["deleted"] == {
        name: before[name] - after[name] for name in sorted(before) if before[name] > after[name]
    }
    assert answer["deleted"]


def account_of(ctx: Context, household_id: str) -> str:
    with open_store(ctx.db) as store:
        [account] = [row["account_id"] for row in store.rows("accounts", household_id) if row["source"] == "file"]
    return str(account)


def test_a_record_says_what_went_and_nothing_of_the_household(ctx: Context, tmp_path: Path) -> None:
    record = tmp_path / "record.html"
    answer = forget(ctx, household="Smith", record=record, reference="Case 7 <b>")
    page = record.read_text()
    assert answer["record"] == str(record)
    assert record.stat().st_mode & 0o777 == 0o600
    counted = '<th scope="row">Transactions</th><td class="number">2</td>'
    for text in ("Household", counted, "Case 7 &lt;b&gt;"):
        assert text in page
    for text in ("Smith", "SENTINEL", "id-of", "home.db", str(tmp_path), "Rollups", "Frame columns", "Choices"):
        assert text not in page
    numbers = [int(number) for number in re.findall(r'<td class="number">(\d+)</td>', page)]
    assert sum(numbers) == sum(answer["deleted"].values())


@pytest.mark.parametrize(("postcode", "zone"), [("5000", "AC[SD]T"), ("6000", "AWST"), (None, "AE[SD]T")])
def test_the_time_of_a_record_is_the_households_own(
    ctx: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postcode: str | None, zone: str
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    if postcode:
        set_home(Context(ctx.db, TODAY, "Smith"), postcode=postcode)
    forget(ctx, household="Smith", record=tmp_path / "record.html")
    monkeypatch.undo()
    time.tzset()
    when = rf'<p class="when">\d\d \w+ \d{{4}}, \d\d:\d\d {zone}</p>'
    assert re.search(when, (tmp_path / "record.html").read_text())


def test_a_record_calls_what_went_as_a_client_would(tmp_path: Path) -> None:
    """A meter's three days, and a category that was chosen for a payee; without backups."""
    ctx = Context(tmp_path / "home.db", TODAY)
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2026, 3, 1), 3))
    load(ctx, [tmp_path / "meter.csv"])
    add_rule(ctx, "WOOLWORTHS", "Groceries")
    [home] = homes(ctx).households
    forget(ctx, household=home.name, record=tmp_path / "record.html")
    page = (tmp_path / "record.html").read_text()
    assert "<dt>Backups and copies</dt><dd>There were none</dd>" in page
    kinds = re.findall(r'<th scope="row">(.*?)</th>', page)
    assert kinds[:-1] == [
        "Categories and other decisions",
        "Days of meter reads",
        "Files",
        "Households",
        "Meter registers",
        "Meters",
    ]


def test_nothing_is_deleted_where_the_record_cannot_be_written(ctx: Context, tmp_path: Path) -> None:
    taken = tmp_path / "taken.html"
    taken.write_text("mine")
    (tmp_path / "folder").mkdir()
    before = rows_of(ctx)
    for path in (taken, ctx.db, tmp_path / "folder", taken / "below.html"):
        with pytest.raises(UsageError, match=r"--record|folder"):
            forget(ctx, household="Smith", record=path)
    assert rows_of(ctx) == before
    assert taken.read_text() == "mine"


def test_a_database_is_not_named_by_another_of_its_paths(ctx: Context, tmp_path: Path) -> None:
    linked = tmp_path / "data" / "linked.db"
    linked.symlink_to(ctx.db)
    shutil.copy(ctx.db, tmp_path / "elsewhere.db")
    assert forget(Context(linked, TODAY), household="Smith")["left"] == []
