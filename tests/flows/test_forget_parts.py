"""One import, one account or one service point taken back alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.sync.written import WrittenService, purchase, register_day
from toolkit.errors import ChoiceNeeded, ConsentNeeded, StoreError
from toolkit.flows.backup import backup
from toolkit.flows.context import Context
from toolkit.flows.forget import allow_again, forget
from toolkit.flows.load import load
from toolkit.flows.sync import sync
from toolkit.store import open_store

BANK = "Date,Description,Amount\n2026-03-01,{word} SHOP,-4.50\n2026-03-02,{word} CAFE,-3.00\n"


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "data" / "home.db", date(2026, 3, 15))


def ids(ctx: Context, table: str) -> list[str]:
    with open_store(ctx.db) as store:
        assert store.damage() == []
        return [row["id"] for row in store.rows(table)]


def holding(folder: Path, word: str) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def test_an_import_goes_and_may_be_imported_again(ctx: Context, tmp_path: Path) -> None:
    for name, word in (("first.csv", "SENTINEL"), ("second.csv", "OTHER")):
        (tmp_path / name).write_text(BANK.format(word=word))
        load(ctx, [tmp_path / name], account=name.removesuffix(".csv"))
    backup(ctx)
    kept = set(ids(ctx, "transactions"))
    answer = forget(ctx, file="first.csv")
    assert answer["deleted"]["transactions"] == 2
    assert (answer["deleted"]["files"], answer["deleted"]["accounts"], answer["left"]) == (1, 1, [])
    assert holding(ctx.db.parent, "SENTINEL") == []
    with open_store(ctx.db) as store:
        assert {row["description"] for row in store.rows("transactions")} == {"OTHER SHOP", "OTHER CAFE"}
        assert sum(row["count"] for row in store.rows("spending_months")) == 2
    assert load(ctx, [tmp_path / "first.csv"], account="first")["files"][0]["added"] == 2
    assert set(ids(ctx, "transactions")) == kept


def home() -> WrittenService:
    """Two accounts and two service points under one consent."""
    service = WrittenService()
    of = {"arrangement_id": "arr", "institution_id": "bank"}
    service.lists["banking.accounts"] = [
        {"platform_id": f"p{n}", "account_id": f"a{n}", "display_name": f"Account {n}", **of} for n in (1, 2)
    ]
    service.lists["energy.service_points"] = [
        {"platform_id": f"psp{n}", "service_point_id": f"sp{n}", "national_metering_id": f"410400000{n}", **of}
        for n in (1, 2)
    ]
    service.lists["banking.transactions"] = [
        purchase(n, account_id="a1" if n % 2 else "a2", description=f"{'SENTINEL' if n % 2 else 'OTHER'} {n}")
        for n in range(6)
    ]
    service.lists["banking.transactions"].append(purchase(9, "1,0,0", account_id="a1", description="SENTINEL odd"))
    service.lists["energy.usage"] = [
        register_day("2026-03-01", platform_id=f"u{n}", service_point_id=f"sp{n}") for n in (1, 2)
    ]
    return service


@pytest.mark.parametrize("called", ["a1", "Account 1"])
def test_an_account_goes_and_does_not_come_back(ctx: Context, called: str) -> None:
    service = home()
    sync(ctx, service, end_user="eu")
    answer = forget(ctx, account=called)
    assert answer["forgotten"] == {"account": "a1"}
    assert (answer["deleted"]["transactions"], answer["deleted"]["quarantine"]) == (3, 1)
    assert holding(ctx.db.parent, "SENTINEL") == []
    for full in (False, True):
        sync(ctx, service, full=full)
        assert ids(ctx, "transactions") == ["t0", "t2", "t4"]
        assert ids(ctx, "accounts") == ["p2"]
    assert ids(ctx, "service_points") == ["psp1", "psp2"]


@pytest.mark.parametrize("called", ["sp1", "4104000001"])
def test_a_service_point_goes_and_does_not_come_back(ctx: Context, called: str) -> None:
    service = home()
    sync(ctx, service, end_user="eu")
    assert forget(ctx, service_point=called)["deleted"]["register_days"] == 1
    sync(ctx, service, full=True)
    assert (ids(ctx, "service_points"), ids(ctx, "register_days")) == (["psp2"], ["u2"])
    assert len(ids(ctx, "transactions")) == 6


def contents(ctx: Context) -> dict[str, list[dict[str, Any]]]:
    with open_store(ctx.db) as store:
        names = ("accounts", "transactions", "spending_months", "service_points", "register_days")
        found = {name: store.rows(name) for name in names}
        waiting = store.rows("quarantine")
    return {**found, "quarantine": [{**row, "seen_at": None} for row in waiting]}


@pytest.mark.parametrize("asked", [{"account": "Account 1"}, {"service_point": "4104000001"}])
def test_what_is_allowed_again_comes_back_whole(ctx: Context, asked: dict[str, Any]) -> None:
    service = home()
    sync(ctx, service, end_user="eu")
    before = contents(ctx)
    answer = forget(ctx, **asked)
    sync(ctx, service)
    assert contents(ctx) != before
    (kind, identity), *_ = answer["forgotten"].items()
    assert answer["way_back"].startswith(f"toolkit forget --allow-again {identity}, then toolkit sync")
    assert allow_again(ctx, identity)["allowed_again"] == {kind: identity}
    sync(ctx, service)
    assert contents(ctx) == before


def test_a_consent_that_could_not_be_ended_may_be_allowed_again(ctx: Context) -> None:
    service = home()
    sync(ctx, service, end_user="eu")
    before = contents(ctx)
    forget(ctx, consent="arr")
    with pytest.raises(ConsentNeeded):
        sync(ctx, service)
    allow_again(ctx, "arr")
    sync(ctx, service)
    assert contents(ctx) == before


def test_only_what_was_forgotten_can_be_allowed_again(ctx: Context) -> None:
    with pytest.raises(StoreError, match="nothing is stored yet"):
        allow_again(ctx, "a1")
    sync(ctx, home(), end_user="eu")
    with pytest.raises(ChoiceNeeded, match="'a1' was forgotten here"):
        allow_again(ctx, "a1")
    forget(ctx, account="a1")
    allow_again(ctx, "a1")
    with pytest.raises(ChoiceNeeded, match="No single account is called 'a1'"):
        forget(ctx, account="a1")


@pytest.mark.parametrize("kind", ["file", "account", "service_point"])
def test_what_is_called_so_must_be_there(ctx: Context, kind: str) -> None:
    sync(ctx, home(), end_user="eu")
    asked: Callable[..., dict[str, Any]] = forget
    with pytest.raises(ChoiceNeeded, match=f"No single {kind.replace('_', ' ')} is called 'nothing'"):
        asked(ctx, **{kind: "nothing"})
