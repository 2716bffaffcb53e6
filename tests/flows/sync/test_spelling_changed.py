"""The deployment's own word set late, missing for one run, or set otherwise: every record is known all the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.flows.sync.written import WrittenService, purchase, register_day
from tests.problems import names, places
from toolkit.flows.household.context import Context
from toolkit.store import open_store
from toolkit.wire.decoding.lenient import Spelling
from toolkit.wire.decoding.pages import read_page
from toolkit.wire.endpoints import endpoint

Run = Callable[..., dict[str, Any]]
Record = dict[str, Any]

OF = {"arrangement_id": "arr", "institution_id": "bank"}
OWN = {
    "banking.accounts": ("accounts", {"account_id": "a1", "display_name": "Everyday"}),
    "banking.balances": ("balances", {"account_id": "a1", "current_balance": "12.30", "currency": "AUD"}),
    "banking.payees": ("payees", {"payee_id": "py", "nickname": "Mum"}),
    "banking.scheduled_payments": ("scheduled_payments", {"scheduled_payment_id": "sched"}),
    "energy.accounts": ("energy_accounts", {"account_id": "e1"}),
    "energy.invoices": ("invoices", {"account_id": "e1", "invoice_number": "7"}),
    "energy.service_points": ("service_points", {"service_point_id": "sp"}),
    "energy.der_records": ("der_records", {"service_point_id": "sp"}),
}
"""Resource → its table, and a record with an id of its own."""
DEBITS = [
    {"account_id": "a1", "authorised_entity": {"description": name, "abn": abn}, "last_debit_amount": "5.00"}
    for name, abn in [("GYM", "1"), ("GYM", "1"), ("PAPER", None), (None, "2"), (None, None)]
]
CONCESSIONS = [
    {"account_id": "e1", "display_name": name, "type": "FIXED_AMOUNT", "amount": f"{n}.00"}
    for n, name in enumerate(["Rebate"] * 8 + ["Seniors", "Life support", "Gas"], 1)
]


@pytest.fixture
def service() -> WrittenService:
    """A deployment whose word is acme: 50 purchases, one record of each kind with an own id, and kinds without."""
    written = WrittenService()
    written.spelling = Spelling("acme")
    written.lists |= {resource: [{"acme_id": f"p-{resource}", **OF, **own}] for resource, (_, own) in OWN.items()}
    written.lists["banking.transactions"] = [bought(n) for n in range(50)]
    written.lists["banking.direct_debits"] = [{"acme_id": f"d{n}", **OF, **debit} for n, debit in enumerate(DEBITS)]
    written.lists["energy.concessions"] = [{"acme_id": f"c{n}", **OF, **found} for n, found in enumerate(CONCESSIONS)]
    return written


def bought(number: int, **changes: Any) -> Record:
    """10.00 on a day of its own, from 12 March back."""
    found = purchase(
        number, "-10.00", posting_date_time=f"202{6 - number // 12}-0{1 + number % 3}-1{number % 3}T00:00:00Z"
    )
    return {"acme_id": found.pop("platform_id"), **found, **changes}


def ids(ctx: Context, table: str) -> list[str]:
    """Of rows that count."""
    with open_store(ctx.db) as store:
        assert store.damage() == []
        where = {"vanished_at": None} if table != "balances" else {}
        return [id_ for (id_,) in store.tuples(table, ("id",), where=where)]


def spent(ctx: Context) -> int:
    with open_store(ctx.db) as store:
        return sum(row["amount_minor"] for row in store.rows("spending_months"))


def added(answer: Record, resources: Iterable[str]) -> list[tuple[int, int]]:
    return [(answer["resources"][name]["added"], answer["resources"][name]["removed"]) for name in resources]


@pytest.mark.parametrize("words", [("platform", "acme"), ("acme", "platform", "acme"), ("acme", "other", "acme")])
def test_nothing_is_doubled_whenever_the_word_is_set(
    service: WrittenService, run: Run, home_context: Context, words: tuple[str, ...]
) -> None:
    for word in words:
        service.spelling = Spelling(word)
        run()
        assert len(ids(home_context, "transactions")) == 50
        assert spent(home_context) == -50_000
        for table, _ in OWN.values():
            assert len(ids(home_context, table)) == 1, table
    assert sorted(ids(home_context, "transactions")) == sorted(f"t{n}" for n in range(50))
    for resource, (table, _) in OWN.items():
        assert ids(home_context, table) == [f"p-{resource}"]
    last = run(full=True)
    assert [(entry["added"], entry["updated"], entry["removed"]) for entry in last["resources"].values()] == [
        (0, 0, 0) for _ in last["resources"]
    ]
    assert last["problems"] == []


def test_a_store_that_has_doubled_is_healed_by_the_next_sync(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    """As an earlier version left it: rows under their own ids beside those under the deployment's."""
    run()
    with open_store(home_context.db) as store:
        home = store.rows("households")[0]["household_id"]
        for row in store.rows("transactions")[:14]:
            store.upsert("transactions", [{**row, "id": row["transaction_id"]}])
        for table, own in (("balances", "a1"), ("payees", "py"), ("service_points", "sp")):
            store.upsert(table, [{**store.rows(table)[0], "id": own}])
        store.upsert("choices", [
            {"household_id": home, "number": 1, "kind": "category", "subject": "bank-0", "value": "X", "active": True},
            {"household_id": home, "number": 2, "kind": "transfer", "subject": "t1", "value": "bank-0", "active": True},
            {"household_id": home, "number": 3, "kind": "rule", "subject": "bank-0", "value": "Y", "active": True},
        ])  # fmt: skip
        store.update("positions", {"platform": None}, {})
    assert len(ids(home_context, "transactions")) == 64
    answer = run()
    assert sorted(ids(home_context, "transactions")) == sorted(f"t{n}" for n in range(50))
    assert answer["resources"]["banking.transactions"]["removed"] == 14
    assert spent(home_context) == -50_000
    assert [len(ids(home_context, table)) for table in ("balances", "payees", "service_points")] == [1, 1, 1]
    assert answer["problems"] == []
    with open_store(home_context.db) as store:
        chosen = [(row["subject"], row["value"]) for row in store.rows("choices")]
    assert chosen == [("t0", "X"), ("t1", "t0"), ("bank-0", "Y")]


def test_a_changed_word_makes_the_next_sync_a_full_one(service: WrittenService, run: Run) -> None:
    def is_full() -> bool:
        service.asked.clear()
        run()
        return not any("from_" in asked or "read_start_date_oldest" in asked for _, asked in service.asked)

    service.lists["energy.usage"] = [register_day("2026-03-01")]
    assert [is_full(), is_full()] == [True, False]
    service.spelling = Spelling()
    assert [is_full(), is_full()] == [True, False]


def test_records_without_an_identity_are_set_aside_one_by_one(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.spelling = Spelling()
    first = run()
    for resource, table, count in (
        ("banking.direct_debits", "direct_debits", 5),
        ("energy.concessions", "concessions", 11),
    ):
        entry = first["resources"][resource]
        assert (entry["fetched"], entry["rejected"], entry["updated"]) == (count, count, 0)
        assert ids(home_context, table) == []
        assert sum(resource in problem["reason"] for problem in first["problems"]) == count
    assert any(
        names(problem["reason"], "banking.direct_debits", "PAPER", "platform_id") for problem in first["problems"]
    )
    service.spelling = Spelling("acme")
    assert run()["problems"] == []
    service.spelling = Spelling()
    later = [problem["reason"] for problem in run()["problems"] if problem["severity"] == "rejected"]
    assert len(later) == 16
    service.spelling = Spelling("acme")
    assert run()["problems"] == []
    assert sorted(ids(home_context, "direct_debits")) == ["d0", "d1", "d2", "d3", "d4"]
    assert len(ids(home_context, "concessions")) == 11
    with open_store(home_context.db) as store:
        assert store.rows("quarantine") == []


def test_two_records_that_share_an_own_id_are_never_written_over_each_other(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    """A transaction id says which one it is within its account only; a placeholder for all says nothing."""
    service.lists["banking.accounts"].append({"acme_id": "p2", **OF, "account_id": "a2"})
    service.lists["banking.transactions"] = [
        bought(1, transaction_id="0", acme_id=None),
        bought(2, transaction_id="0", acme_id=None, amount="-7.00"),
        bought(3, transaction_id="0", acme_id=None, amount="-1.00", account_id="a2"),
    ]
    for _ in range(2):
        answer = run(full=True)
        entry = answer["resources"]["banking.transactions"]
        assert (entry["fetched"], entry["updated"], entry["rejected"], entry["removed"]) == (3, 0, 1, 0)
        assert "transaction_id" in answer["problems"][0]["reason"]
        assert spent(home_context) == -1100
    for n, record in enumerate(service.lists["banking.transactions"]):
        record["acme_id"] = f"own{n}"
    run()
    assert sorted(ids(home_context, "transactions")) == ["own0", "own1", "own2"]
    assert spent(home_context) == -1800


def test_one_record_under_two_consents_is_not_refused(service: WrittenService, run: Run, home_context: Context) -> None:
    service.consent_records.append({"arrangement_id": "new", "institution_id": "bank", "active": True})
    service.lists["banking.transactions"] = [
        bought(1, acme_id=None, arrangement_id=arrangement) for arrangement in ("arr", "new")
    ]
    entry = run()["resources"]["banking.transactions"]
    assert (entry["fetched"], entry["rejected"]) == (2, 0)
    assert spent(home_context) == -1000


def test_the_same_own_id_with_two_ids_of_the_deployment_is_two_records(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.lists["banking.transactions"] = [bought(1, transaction_id="0"), bought(2, transaction_id="0")]
    for _ in range(2):
        run(full=True)
        assert ids(home_context, "transactions") == ["t1", "t2"]


def test_another_word_on_a_page_names_the_setting(service: WrittenService, run: Run) -> None:
    service.spelling = Spelling()
    said = [problem for problem in run()["problems"] if "TOOLKIT_PLATFORM" in problem["reason"]]
    assert places(said) == [("eu", "warning")]
    assert names(said[0]["reason"], "acme_id", "TOOLKIT_PLATFORM=acme")
    service.spelling = Spelling("acme")
    assert [problem for problem in run()["problems"] if "TOOLKIT_PLATFORM" in problem["reason"]] == []


def test_two_other_words_leave_the_choice(service: WrittenService, run: Run) -> None:
    service.spelling = Spelling()
    service.lists["banking.payees"][0]["tribe_id"] = "x"
    said = [problem["reason"] for problem in run()["problems"] if "TOOLKIT_PLATFORM" in problem["reason"]]
    assert any(names(reason, "acme_id", "tribe_id", "platform_id") for reason in said)


@pytest.mark.parametrize("name", ["other_id", "otherId", "OtherId"])
@pytest.mark.parametrize("page", [1, 2])
def test_another_word_in_camel_case_is_read_likewise(name: str, page: int) -> None:
    row = endpoint("banking.transactions")
    records = [{name: f"p{n}", "transactionId": f"t{n}", "account_id": "a1", "amount": "-1.00"} for n in range(page)]
    found = read_page(row, json.dumps({"transactions": records, "links": {}}).encode(), Spelling("other"))
    assert [(record.platform_id, record.transaction_id) for record in found.records] == [
        (f"p{n}", f"t{n}") for n in range(page)
    ]
