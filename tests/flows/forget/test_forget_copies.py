"""Backups lose what was forgotten, whatever it was called when they were made; one that does not is named."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.flows.sync.written import WrittenService, purchase
from tests.json_answers import allow_again, forget, sync
from toolkit.errors import ChoiceRequiredError, StoreBusyError
from toolkit.flows.data.backup import backup
from toolkit.flows.forget.copies import NO_MATCH
from toolkit.flows.household.context import Context
from toolkit.store import Store, open_store

Asked = dict[str, Any]
RENAMED: list[Asked] = [
    {"account": "Spending"}, {"service_point": "4104000009"}, {"consent": "consent-new"}, {"household": "New name"},
]  # fmt: skip


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Context, Path]:
    """A database, and a backup of it in which everything went by another name."""
    ctx = Context(tmp_path / "data" / "home.db", date(2026, 3, 15))
    of = {"arrangement_id": "arr-7391", "institution_id": "bank"}
    service = WrittenService()
    service.people[0]["id"] = "user-7391"
    service.consent_records = [{**of, "consent_id": "consent-old", "active": True}]
    service.lists["banking.accounts"] = [{"platform_id": "pa", "account_id": "acc-7391", "nickname": "Everyday", **of}]
    service.lists["banking.transactions"] = [purchase(1, account_id="acc-7391", arrangement_id="arr-7391")]
    service.lists["energy.service_points"] = [
        {"platform_id": "ps", "service_point_id": "sp-7391", "national_metering_id": "4104000001", **of}
    ]
    sync(ctx, service, end_user="user-7391")
    made = Path(backup(ctx).backup)
    with open_store(ctx.db) as store:
        store.update("accounts", {"nickname": "Spending"}, {})
        store.update("service_points", {"national_metering_id": "4104000009"}, {})
        store.update("consents", {"consent_id": "consent-new"}, {})
        store.update("households", {"name": "New name"}, {})
    return ctx, made


def left_in(db: Path, asked: Asked) -> int:
    tables = {"account": "transactions", "service_point": "service_points", "consent": "consents"}
    with open_store(db) as store:
        assert store.damage() == []
        return store.count(tables.get(next(iter(asked)), "households"))


@pytest.mark.parametrize("asked", RENAMED)
def test_what_was_called_otherwise_goes_from_the_backup(saved: tuple[Context, Path], asked: Asked) -> None:
    ctx, copy = saved
    assert left_in(copy, asked) == 1
    answer = forget(ctx, **asked)
    assert answer["copies"] == [{"path": str(copy), "done": "rows deleted"}]
    assert answer["left"] == []
    assert left_in(copy, asked) == 0


@pytest.mark.parametrize("asked", RENAMED)
def test_it_also_goes_when_one_that_was_cut_short_is_repeated(
    saved: tuple[Context, Path], monkeypatch: pytest.MonkeyPatch, asked: Asked
) -> None:
    ctx, copy = saved
    with monkeypatch.context() as broken:
        broken.setattr(Store, "scrub", lambda _: (_ for _ in ()).throw(StoreBusyError("open elsewhere")))
        with pytest.raises(StoreBusyError):
            forget(ctx, **asked)
    assert (left_in(ctx.db, asked), left_in(copy, asked)) == (0, 1)
    for _ in range(2):
        assert forget(ctx, **asked)["copies"] == [{"path": str(copy), "done": "rows deleted"}]
        assert left_in(copy, asked) == 0


def test_a_backup_whose_rows_stay_is_named(saved: tuple[Context, Path]) -> None:
    """There the account is another household's, of which nobody spoke."""
    ctx, copy = saved
    with open_store(copy) as store:
        store.update("accounts", {"household_id": "theirs"}, {})
    answer = forget(ctx, account="Spending")
    assert answer["copies"] == [{"path": str(copy), "done": NO_MATCH}]
    assert answer["left"] == [str(copy)]


def test_a_name_is_forgotten_no_more_once_the_account_is_allowed_again(saved: tuple[Context, Path]) -> None:
    ctx, _ = saved

    def again() -> Asked:
        return forget(ctx, account="Spending")

    assert again()["deleted"]["transactions"] == 1
    assert again()["deleted"] == {}
    allow_again(ctx, "acc-7391")
    with pytest.raises(ChoiceRequiredError, match=r"account .*'Spending'"):
        again()
