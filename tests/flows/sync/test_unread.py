"""A field that cannot be read costs its record nothing else: stored, warned of in one line, filled once it is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.flows.sync.written import WrittenService, purchase
from tests.json_answers import forget
from tests.problems import names, places
from toolkit.flows.household.context import Context
from toolkit.store import open_store

ODD = {"odd": [1]}
Run = Callable[..., dict[str, Any]]


def counts(answer: dict[str, Any], resource: str) -> tuple[int, ...]:
    entry = answer["resources"][resource]
    return tuple(entry[name] for name in ("fetched", "added", "updated", "unchanged", "rejected"))


def transactions(ctx: Context) -> list[dict[str, Any]]:
    with open_store(ctx.db) as store:
        return sorted(store.rows("transactions"), key=lambda row: str(row["id"]))


def test_the_record_is_stored_and_the_field_warned_of(service: WrittenService, run: Run, home_context: Context) -> None:
    service.lists["banking.transactions"] = [purchase(1), purchase(2, merchant_name=ODD), purchase(3, amount=ODD)]
    answer = run()
    assert counts(answer, "banking.transactions") == (3, 2, 0, 0, 1)
    assert places(answer["problems"]) == [("t3", "rejected"), ("t2", "warning")]
    assert names(answer["problems"][0]["reason"], "banking.transactions", "`amount`")
    assert names(answer["problems"][1]["reason"], "banking.transactions", "`merchant_name`")
    kept = transactions(home_context)[1]
    assert (kept["amount_minor"], kept["merchant_name"]) == (-450, None)
    assert json.loads(kept["raw"])["merchant_name"] == ODD


def test_a_thousand_records_with_the_same_field_are_one_line(service: WrittenService, run: Run) -> None:
    service.page_size = 300
    entry = {"additional_value": "x", "is_activated": ODD}
    service.lists["banking.accounts"][0] |= {"features": [entry, entry], "creation_date": "2026-02-30"}
    service.lists["banking.transactions"] = [purchase(n, crn=[n], reference=[n]) for n in range(1000)]
    answer = run()
    assert counts(answer, "banking.transactions") == (1000, 1000, 0, 0, 0)
    first, second, third, fourth = answer["problems"]
    assert [problem["where"] for problem in answer["problems"]] == ["pa1", "pa1", "t0", "t0"]
    assert names(first["reason"], "banking.accounts", "creation_date", "'2026-02-30'")
    assert names(second["reason"], "banking.accounts", "`features[0].is_activated`")
    assert names(third["reason"], "banking.transactions", "`crn`", 999)
    assert names(fourth["reason"], "banking.transactions", "`reference`", 999)
    assert not names(first["reason"], 999)


def test_a_field_that_a_later_version_reads_is_filled_by_the_next_full_walk(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    """The record as given is the same: what an earlier version left empty stands for what it could not read."""
    service.lists["banking.transactions"] = [purchase(1, merchant_name="Cafe"), purchase(2, merchant_name="Bakery")]
    run()
    with open_store(home_context.db) as store:
        store.update("transactions", {"merchant_name": None}, {"id": "t1"})
    assert counts(run(full=True), "banking.transactions") == (2, 0, 1, 1, 0)
    assert [row["merchant_name"] for row in transactions(home_context)] == ["Cafe", "Bakery"]


def test_what_an_earlier_version_set_aside_goes_in_with_its_odd_field_empty(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    run()
    given = purchase(1, merchant_name=ODD)
    with open_store(home_context.db) as store:
        home = store.rows("households")[0]["household_id"]
        row = {"household_id": home, "resource": "banking.transactions", "id": "t1", "reason": "of old"}
        store.upsert("quarantine", [{**row, "raw": json.dumps(given), "seen_at": "2026-03-01T00:00:00Z"}])
    answer = run(only="energy")
    assert [(row["id"], row["merchant_name"]) for row in transactions(home_context)] == [("t1", None)]
    assert [problem["where"] for problem in answer["problems"]] == ["t1"]
    with open_store(home_context.db) as store:
        assert store.rows("quarantine") == []


def test_what_was_forgotten_is_neither_named_nor_set_aside(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    run()
    forget(home_context, account="a1")
    of = {"arrangement_id": "arr", "account_id": "a1"}
    service.lists["banking.balances"] = [
        {"platform_id": "b1", **of, "current_balance": "1.00", "purses": 3},
        {"platform_id": "b2", **of, "current_balance": ODD},
    ]
    assert run()["problems"] == []
    with open_store(home_context.db) as store:
        assert store.rows("quarantine") == []
