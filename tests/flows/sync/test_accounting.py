"""No record is lost in silence: what cannot be read waits under its own name; what registers say holds for reads."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.flows.sync.written import WrittenService, purchase, register_day
from tests.json_answers import status
from tests.problems import names, places
from toolkit.errors import ConsentRequiredError
from toolkit.flows.household.context import Context
from toolkit.store import open_store
from toolkit.wire.decoding.lenient import Spelling

Run = Callable[..., dict[str, Any]]


def stored(ctx: Context, table: str) -> list[dict[str, Any]]:
    with open_store(ctx.db) as store:
        return store.rows(table)


def set_aside(ctx: Context, id_: str, raw: str) -> None:
    """What a version that could not read the record has left."""
    with open_store(ctx.db) as store:
        whose = {"household_id": store.rows("households")[0]["household_id"], "resource": "banking.transactions"}
        store.upsert("quarantine", [{**whose, "id": id_, "reason": "?", "raw": raw, "seen_at": datetime.now(UTC)}])


@pytest.mark.parametrize(
    ("raw", "id_"),
    [
        ('{"transaction_id":"own","account_id":"a1","amount":"-1.00","status":"POSTED"}', "a1:own"),
        ('{"acme_id":"p9","transaction_id":"own","account_id":"a1","amount":"-1.00","status":"POSTED"}', "p9"),
    ],
)
def test_records_without_the_usual_identity_go_in_once_readable(
    service: WrittenService, run: Run, home_context: Context, raw: str, id_: str
) -> None:
    service.spelling = Spelling("acme")
    run()
    set_aside(home_context, "hash of the record", raw)
    run()
    assert stored(home_context, "quarantine") == []
    assert [row["id"] for row in stored(home_context, "transactions")] == [id_]


def test_what_stays_unreadable_stays_in_quarantine_until_a_whole_walk_no_longer_meets_it(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.lists["banking.transactions"] = [purchase(1)]
    run()
    set_aside(home_context, "hash", '{"no":"identity"')
    assert run()["problems"] == []
    assert [row["id"] for row in stored(home_context, "quarantine")] == ["hash"]
    assert [(p["where"], p["severity"]) for p in run(full=True)["problems"]] == [("hash", "warning")]
    assert stored(home_context, "quarantine") == []


def test_unreadable_records_of_one_account_are_told_apart(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.lists["banking.transactions"] = [
        {"account_id": "a1", "amount": "1,0,0", "status": "POSTED"},
        {"account_id": "a1", "amount": "2,0,0", "status": "POSTED"},
    ]
    answer = run()
    assert answer["resources"]["banking.transactions"]["rejected"] == 2
    assert len(stored(home_context, "quarantine")) == 2


def test_reads_that_do_not_say_are_of_what_their_register_is(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    registers = [{"register_suffix": "E2", "unit_of_measure": "KWH", "controlled_load": True}]
    service.lists["energy.service_points"][0]["meters"] = [{"meter_id": "m", "registers": registers}]
    service.lists["energy.usage"] = [
        register_day("2026-03-01"),
        register_day("2026-03-01", platform_id="u2", register_suffix="E2"),
        register_day("2026-03-02", platform_id="u3", register_suffix="E2", controlled_load=False),
    ]
    run()
    found = {(row["register_suffix"], str(row["date"])): row["controlled_load"]
             for row in stored(home_context, "register_days")}  # fmt: skip
    assert found == {("E1", "2026-03-01"): False, ("E2", "2026-03-01"): True, ("E2", "2026-03-02"): False}


def test_the_data_of_an_ended_consent_is_offered_for_deletion(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    run()
    assert status(home_context)["problems"] == []
    service.consent_records = [{"arrangement_id": "arr", "institution_id": "bank", "active": False}]
    with pytest.raises(ConsentRequiredError):
        run()
    told = status(home_context)["problems"]
    assert [(problem["where"], problem["severity"]) for problem in told] == [("arr", "warning")]
    assert "toolkit forget --consent arr" in told[0]["reason"]


def test_a_corrected_usage_record_replaces_what_it_held(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    basic = {"platform_id": "b1", "arrangement_id": "arr", "service_point_id": "sp", "register_suffix": "E1",
             "unit_of_measure": "KWH", "read_start_date": "2026-01-01", "basic_read": {"value": 12.5}}  # fmt: skip
    service.lists["energy.usage"] = [basic, register_day("2026-03-01", platform_id="u1")]
    run()
    service.lists["energy.usage"] = [
        {**basic, "read_end_date": "2026-01-31"},
        register_day("2026-03-02", platform_id="u1"),
    ]
    assert run(full=True)["resources"]["energy.usage"]["removed"] == 2
    assert [str(row["end_date"]) for row in stored(home_context, "meter_reads")] == ["2026-01-31"]
    assert [str(row["date"]) for row in stored(home_context, "register_days")] == ["2026-03-02"]


def test_a_sync_that_finds_nothing_new_writes_only_its_receipt_and_position(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.lists["banking.transactions"] = [purchase(number) for number in range(300)]
    service.lists["energy.usage"] = [register_day("2026-03-01")]
    run()
    before = as_on_disk(home_context)
    run(full=True)
    after = as_on_disk(home_context)
    assert {name for name in before if before[name] != after[name]} == {"runs", "receipts", "positions"}


def as_on_disk(ctx: Context) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table with its row id, what people do not see included."""
    with closing(sqlite3.connect(ctx.db)) as raw:
        names = [name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: raw.execute(f'SELECT rowid, * FROM "{name}"').fetchall() for name in names}


def test_a_register_day_that_two_records_give_is_told_and_the_later_one_counts(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.page_size = 2
    days = [register_day("2026-03-01"), register_day("2026-03-02"), register_day("2026-03-03")]
    service.lists["energy.usage"] = [*days, register_day("2026-03-01", 1.0, platform_id="again"), days[1]]
    answer = run()
    assert places(answer["problems"]) == [("sp", "warning")]
    assert names(answer["problems"][0]["reason"], "energy.usage", "E1", "2026-03-01")
    with open_store(home_context.db) as store:
        days_of = {row["date"].day: row["total_nano"] for row in store.rows("register_days")}
    assert days_of == {1: 48 * 10**9, 2: 24 * 10**9, 3: 24 * 10**9}


ODD = "12.345"
"""No whole number of cents."""


def statuses(context: Context) -> list[tuple[Any, ...]]:
    with open_store(context.db) as store:
        rows = store.tuples("transactions", ("id", "amount", "vanished_at"))
        assert sum(row["amount_minor"] for row in store.rows("spending_months")) == 100 * sum(
            float(amount) for _, amount, vanished in rows if vanished is None
        )
        return sorted(rows)


@pytest.mark.parametrize("name", ["platform_id", "transaction_id"])
def test_a_stored_row_stays_where_its_newer_version_cannot_be_read(
    service: WrittenService, run: Run, home_context: Context, name: str
) -> None:
    """name: by which the service knows its records."""

    def known(number: int, amount: str = "-4.50") -> dict[str, Any]:
        given = purchase(number, amount)
        return {**given, "platform_id": None, name: f"t{number}"}

    service.lists["banking.transactions"] = [known(1), known(2)]
    run()
    service.lists["banking.transactions"] = [known(1), known(2, ODD)]
    answer = run(full=True)
    ids = ["t1", "t2"] if name == "platform_id" else ["a1:t1", "a1:t2"]
    assert statuses(home_context) == [(id_, "-4.50", None) for id_ in ids]
    entry = answer["resources"]["banking.transactions"]
    assert (entry["fetched"], entry["unchanged"], entry["rejected"], entry["removed"]) == (2, 1, 1, 0)
    [problem] = answer["problems"]
    assert problem["severity"] == "rejected"
    service.lists["banking.transactions"] = [known(1)]
    answer = run(full=True)
    assert answer["resources"]["banking.transactions"]["removed"] == 1
    assert [row[2] is None for row in statuses(home_context)] == [True, False]


def test_a_pending_row_stays_where_its_newer_version_cannot_be_read(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.lists["banking.transactions"] = [purchase(1), purchase(2, status="PENDING")]
    run()
    service.lists["banking.transactions"] = [purchase(1), purchase(2, ODD, status="PENDING")]
    assert run()["resources"]["banking.transactions"]["removed"] == 0
    assert statuses(home_context) == [("t1", "-4.50", None), ("t2", "-4.50", None)]
    service.lists["banking.transactions"] = [purchase(1)]
    assert run()["resources"]["banking.transactions"]["removed"] == 1
    assert statuses(home_context) == [("t1", "-4.50", None)]


def test_an_account_that_can_no_longer_be_read_stays_and_is_read_on(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.lists["banking.transactions"] = [purchase(1)]
    run()
    service.lists["banking.accounts"] = [{"platform_id": "pa1", "arrangement_id": "arr", "institution_id": "bank"}]
    service.lists["banking.transactions"].append(purchase(2))
    answer = run(full=True)
    [problem] = answer["problems"]
    assert names(problem["reason"], "banking.accounts", "`account_id`")
    assert [row[0] for row in statuses(home_context)] == ["t1", "t2"]
