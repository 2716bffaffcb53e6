"""What two households have under one name or id goes from the one that is meant, and from it alone."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.flows.sync.written import WrittenService, purchase
from tests.json_answers import allow_again, forget, sync
from tests.problems import names
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.data.backup import backup
from toolkit.flows.forget.forget import forget as forget_flow
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice, edit_invoice, remove_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.store import open_store

TODAY = date(2026, 3, 15)
OF = {"arrangement_id": "arr", "institution_id": "bank"}
TABLES = {
    "account": "transactions",
    "service_point": "service_points",
    "consent": "transactions",
    "file": "transactions",
}
Asked = dict[str, Any]
PULLED: list[Asked] = [
    {"account": "a1"}, {"account": "Everyday"}, {"service_point": "sp"}, {"service_point": "4104000001"},
    {"consent": "arr"}, {"consent": "consent-7"},
]  # fmt: skip


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "data" / "home.db", TODAY)


@pytest.fixture
def service() -> WrittenService:
    """Two people, to whom the service gives the same."""
    service = WrittenService()
    service.people.append({"id": "eu2", "name": "Robin", "email": "robin@example.com"})
    service.consent_records = [{**OF, "consent_id": "consent-7", "active": True}]
    service.lists["banking.accounts"] = [{"platform_id": "pa", "account_id": "a1", "nickname": "Everyday", **OF}]
    service.lists["banking.transactions"] = [purchase(1)]
    service.lists["energy.service_points"] = [
        {"platform_id": "ps", "service_point_id": "sp", "national_metering_id": "4104000001", **OF}
    ]
    return service


@pytest.fixture
def shared(ctx: Context, service: WrittenService) -> Context:
    for end_user in ("eu", "eu2"):
        sync(ctx, service, end_user=end_user)
    return ctx


def homes_with(db: Path, table: str) -> list[str]:
    """Names of the households that have rows of a table."""
    with open_store(db) as store:
        assert store.damage() == []
        names = {row["household_id"]: row["name"] for row in store.rows("households")}
        return sorted({names[row["household_id"]] for row in store.rows(table)})


@pytest.mark.parametrize("asked", PULLED)
def test_which_household_is_asked_for(shared: Context, asked: Asked) -> None:
    ((kind, wanted),) = asked.items()
    with pytest.raises(ChoiceRequiredError) as told:
        forget(shared, **asked)
    assert told.value.choices == ["Alex", "Robin"]
    assert names(told.value, kind.replace("_", " "), repr(wanted), "--household")
    with pytest.raises(ChoiceRequiredError, match=r"household .*'Nobody'"):
        forget(shared, **asked, household="Nobody")


@pytest.mark.parametrize("asked", PULLED)
@pytest.mark.parametrize("by", ["option", "context"])
def test_it_goes_from_one_household_and_is_pulled_for_the_other(
    shared: Context, service: WrittenService, asked: Asked, by: str
) -> None:
    table = TABLES[next(iter(asked))]
    saved = Path(backup(shared).backup)
    if by == "option":
        answer = forget(shared, **asked, household="alex@example.com")
    else:
        answer = forget(Context(shared.db, TODAY, "Alex"), **asked)
    assert [entry["done"] for entry in answer["copies"]] == ["rows deleted"]
    assert answer["left"] == []
    assert homes_with(shared.db, table) == homes_with(saved, table) == ["Robin"]
    sync(shared, service, full=True)
    assert homes_with(shared.db, table) == ["Robin"]
    (identity,) = answer["forgotten"].values()
    allow_again(shared, identity)
    sync(shared, service, full=True)
    assert homes_with(shared.db, table) == ["Alex", "Robin"]


@pytest.mark.parametrize("asked", PULLED)
def test_once_one_household_has_it_no_more_the_other_need_not_be_named(shared: Context, asked: Asked) -> None:
    forget(shared, **asked, household="Alex")
    assert forget(shared, **asked, household="Alex")["deleted"] == {}
    assert sum(forget(shared, **asked)["deleted"].values()) > 0
    assert homes_with(shared.db, TABLES[next(iter(asked))]) == []


@pytest.mark.parametrize("asked", [{"file": "bank.csv"}, {"account": "bank"}])
def test_a_file_in_two_households(ctx: Context, tmp_path: Path, asked: Asked) -> None:
    (tmp_path / "bank.csv").write_text("Date,Amount,Description\n01/03/2026,-5.00,COFFEE\n")
    for household in ("A", "B"):
        load(Context(ctx.db, TODAY, household), [tmp_path / "bank.csv"], account="bank")
    with pytest.raises(ChoiceRequiredError, match="--household") as refused:
        forget(ctx, **asked)
    assert refused.value.choices == ["A", "B"]
    assert forget(ctx, **asked, household="A")["deleted"]["transactions"] == 1
    assert homes_with(ctx.db, "transactions") == ["B"]
    assert load(Context(ctx.db, TODAY, "A"), [tmp_path / "bank.csv"]).files[0].added == 1


def test_published_plans_stay_while_another_household_has_their_file(ctx: Context, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(json.dumps({"planId": "P1", "electricityContract": {"tariffPeriod": []}}))
    left = []
    for household in ("A", "B"):
        load(Context(ctx.db, TODAY, household), [tmp_path / "p.json"])
    for household in ("A", "B"):
        forget(ctx, file="p.json", household=household)
        with open_store(ctx.db) as store:
            left.append(store.count("plans"))
    assert left == [1, 0]


def test_the_arrangements_of_a_household_that_goes_are_pulled_for_the_other(
    shared: Context, service: WrittenService
) -> None:
    forget(shared, household="Alex")
    service.lists["banking.transactions"].append(purchase(2))
    sync(shared, service)
    with open_store(shared.db) as store:
        assert [row["id"] for row in store.rows("transactions")] == ["t1", "t2"]


@pytest.mark.parametrize("asked", [{"household": "Alex"}, {"household": "Alex", "consent": "arr"}])
def test_a_consent_that_another_household_has_is_not_ended_at_the_service(
    shared: Context, service: WrittenService, asked: Asked
) -> None:
    answer = forget(shared, **asked, withdraw=service.withdraw)
    assert (answer["withdrawn"], [entry["consent"] for entry in answer["not_withdrawn"]]) == ([], ["arr"])
    assert forget(shared, household="Robin", withdraw=service.withdraw)["withdrawn"] == ["arr"]


def test_of_one_household_an_id_goes_before_a_name(ctx: Context, service: WrittenService) -> None:
    service.lists["banking.accounts"] = [
        {"platform_id": f"pa{n}", "account_id": id_, "nickname": name, **OF}
        for n, (id_, name) in enumerate([("a1", "Joint"), ("Joint", "Own"), ("a2", "Twice"), ("a3", "Twice")])
    ]
    sync(ctx, service, end_user="eu")
    assert forget(ctx, account="Joint")["forgotten"] == {"account": "Joint"}
    assert forget(ctx, account="Joint", household="Alex")["forgotten"] == {"account": "a1"}
    with pytest.raises(ChoiceRequiredError) as told:
        forget(ctx, account="Twice")
    assert told.value.choices == ["a2", "a3"]


def test_one_thing_is_forgotten_at_a_time(ctx: Context) -> None:
    with pytest.raises(UsageError):
        forget(ctx, account="a", consent="c", household="Alex")


def test_records_of_another_household_keep_the_name_of_what_was_forgotten(
    ctx: Context, service: WrittenService
) -> None:
    """An invoice of Robin's names the service point that only Alex has."""
    sync(ctx, service, end_user="eu")
    invoice = {"platform_id": "i", "account_id": "ea", "invoice_number": "1", "service_points": ["sp", "sp2"], **OF}
    for resource in ("banking.accounts", "banking.transactions", "energy.service_points"):
        service.lists[resource].clear()
    service.lists["energy.invoices"] = [invoice]
    sync(ctx, service, end_user="eu2")
    with open_store(ctx.db) as store:
        before = store.rows("invoices")
    assert json.loads(before[0]["service_points"]) == ["sp", "sp2"]
    forget(ctx, service_point="sp")
    with open_store(ctx.db) as store:
        assert store.rows("invoices") == before


def test_the_record_counts_bills_that_counted_apart_from_those_that_had_been_removed(ctx: Context) -> None:
    """A bill of another home was saved here and removed; one was corrected, which keeps what it was before."""
    june, july = (
        InvoiceForm("ELECTRICITY", date(2025, month, 1), date(2025, month, 30), "120.00", number=f"ABERNATHY-{month}")
        for month in (6, 7)
    )
    kept = add_invoice(ctx, june).changed
    edit_invoice(ctx, str(kept), replace(june, billed="125.00"))
    remove_invoice(ctx, str(add_invoice(ctx, july).changed))
    record = ctx.db.parent / "record.html"
    answer = forget_flow(ctx, household="Home", record=record)
    assert (answer.deleted["typed_invoices"], answer.removed_bills, answer.earlier_bills) == (3, 1, 1)
    rows = dict(re.findall(r'<tr><th scope="row">(.*?)</th><td class="number">(.*?)</td>', record.read_text()))
    assert rows["Energy bills that were entered"] == "1"
    assert rows["Energy bills that had been removed before"] == "1"
    assert not [path for path in ctx.db.parent.rglob("*") if path.is_file() and b"ABERNATHY-" in path.read_bytes()]
