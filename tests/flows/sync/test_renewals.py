"""A renewed consent, and two that overlap: everything counts once, and comes back when the later one is forgotten."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.flows.sync.written import WrittenService, purchase, register_day
from tests.json_answers import forget
from tests.problems import names
from toolkit.flows.consent.consents import unlisted_consent
from toolkit.flows.household.context import Context
from toolkit.flows.sync.duplicates import COUNTED_ONCE
from toolkit.store import open_store
from toolkit.sync.list_sync import ranked, superseded

Run = Callable[..., dict[str, Any]]


def account(arrangement: str, account_id: str) -> dict[str, Any]:
    number = {"bsb": "000-111", "account_number": "12345678"}
    return {"platform_id": f"p-{arrangement}", "account_id": account_id, "arrangement_id": arrangement,
            "institution_id": "bank", **number}  # fmt: skip


def under(arrangement: str, account_id: str, record: dict[str, Any]) -> dict[str, Any]:
    name = f"{arrangement}-{record['platform_id']}"
    return {**record, "platform_id": name, "arrangement_id": arrangement, "account_id": account_id}


def counting(ctx: Context) -> list[str]:
    with open_store(ctx.db) as store:
        return [row["id"] for row in store.rows("transactions", where={"vanished_at": None})]


OLD = purchase(0, "-99.00", posting_date_time="2025-01-05T00:00:00Z")
TWINS = [purchase(1), purchase(2)]


def two_consents(service: WrittenService, *, first_in_force: bool) -> None:
    """The later consent gives the account under another id, and no longer the oldest purchase."""
    service.consent_records = [
        {"arrangement_id": "arr", "institution_id": "bank", "active": first_in_force,
         "granted_at": "2025-01-01T00:00:00Z"},
        {"arrangement_id": "new", "institution_id": "bank", "active": True, "granted_at": "2026-01-01T00:00:00Z"},
    ]  # fmt: skip
    first = [under("arr", "a1", record) for record in (OLD, *TWINS)] if first_in_force else []
    service.lists["banking.transactions"] = [*first, *(under("new", "a9", record) for record in TWINS)]
    accounts = [account("arr", "a1")] if first_in_force else []
    service.lists["banking.accounts"] = [*accounts, account("new", "a9")]
    balance = {"current_balance": "10.00", "institution_id": "bank"}
    service.lists["banking.balances"] = [
        {**balance, "platform_id": f"b-{one['account_id']}", "account_id": one["account_id"],
         "arrangement_id": one["arrangement_id"]}
        for one in service.lists["banking.accounts"]
    ]  # fmt: skip


def first_consent(service: WrittenService) -> None:
    two_consents(service, first_in_force=True)
    service.consent_records = service.consent_records[:1]
    for name in ("banking.transactions", "banking.accounts", "banking.balances"):
        service.lists[name] = [record for record in service.lists[name] if record["arrangement_id"] == "arr"]


def test_a_renewed_consent_doubles_nothing_and_keeps_what_it_no_longer_gives(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    first_consent(service)
    run()
    assert counting(home_context) == ["arr-t0", "arr-t1", "arr-t2"]
    two_consents(service, first_in_force=False)
    answer = run()
    assert counting(home_context) == ["arr-t0", "new-t1", "new-t2"]
    assert any(names(problem["reason"], COUNTED_ONCE) for problem in answer["problems"])
    with open_store(home_context.db) as store:
        assert [row["id"] for row in store.rows("accounts", where={"vanished_at": None})] == ["p-new"]
        assert [row["id"] for row in store.rows("balances")] == ["b-a9"]
        sums = {row["amount_minor"] for row in store.rows("spending_months")}
        assert sums == {-9900, -900}
    again = run()
    assert all(entry["added"] == entry["updated"] == entry["removed"] == 0 for entry in again["resources"].values())
    assert counting(home_context) == ["arr-t0", "new-t1", "new-t2"]


def test_overlapping_consents_settle_and_stay_settled(service: WrittenService, run: Run, home_context: Context) -> None:
    two_consents(service, first_in_force=True)
    run()
    assert counting(home_context) == ["arr-t0", "new-t1", "new-t2"]
    for full in (False, True):
        again = run(full=full)
        for resource, entry in again["resources"].items():
            assert (entry["added"], entry["updated"], entry["removed"]) == (0, 0, 0), resource
        assert again["problems"] == []
        assert counting(home_context) == ["arr-t0", "new-t1", "new-t2"]
    forget(home_context, consent="new")
    assert counting(home_context) == ["arr-t0", "arr-t1", "arr-t2"]


def test_reads_given_twice_stay_with_one_consent(service: WrittenService, run: Run, home_context: Context) -> None:
    two_consents(service, first_in_force=True)
    for arrangement in ("arr", "new"):
        point = {"service_point_id": "sp", "national_metering_id": "61", "institution_id": "bank"}
        of = {"arrangement_id": arrangement}
        service.lists["energy.service_points"] = [
            *(
                p
                for p in service.lists["energy.service_points"]
                if p["platform_id"] not in ("psp", f"{arrangement}-sp")
            ),
            {**point, **of, "platform_id": f"{arrangement}-sp"},
        ]
        service.lists["energy.usage"].append(register_day("2026-03-09", **of))
    run()
    run()
    entry = run()["resources"]["energy.usage"]
    assert (entry["added"], entry["updated"]) == (0, 0)
    assert entry["fetched"] == entry["unchanged"] > 0
    with open_store(home_context.db) as store:
        assert [row["arrangement_id"] for row in store.rows("register_days")] == ["new"]


def test_consents_in_force_come_first_then_the_latest() -> None:
    consents = [
        replace(unlisted_consent("h", name, "eu", "bank"), granted_at=datetime(year, 1, 1, tzinfo=UTC), state=state)
        for name, year, state in (("a", 2026, "revoked"), ("b", 2024, "active"), ("c", 2025, "active"))
    ]
    assert ranked(consents) == ["c", "b", "a"]


@given(st.lists(st.lists(st.integers(0, 3), max_size=8), max_size=4))
def test_each_key_counts_as_often_as_the_fullest_consent_gives_it(groups: list[list[int]]) -> None:
    given_rows = [(f"arr{n}", [(f"{n}-{m}", key) for m, key in enumerate(keys)]) for n, keys in enumerate(groups)]
    gone = superseded(given_rows)
    left = [key for _, rows in given_rows for row_id, key in rows if row_id not in gone]
    for key in range(4):
        assert left.count(key) == max((keys.count(key) for keys in groups), default=0)


def test_transactions_of_different_value_dates_both_count(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    """The earlier consent gave 5 January; the later one gives 5 February. Neither row has another date-time."""
    two_consents(service, first_in_force=True)
    dated = {"posting_date_time": None, "execution_date_time": None}
    january, february = (purchase(7, "-9.00", value_date_time=f"2026-0{month}-05", **dated) for month in (1, 2))
    service.lists["banking.transactions"] = [under("arr", "a1", january), under("new", "a9", february)]
    run()
    assert counting(home_context) == ["arr-t7", "new-t7"]
    service.lists["banking.transactions"] = [under("arr", "a1", january), under("new", "a9", january)]
    run(full=True)
    assert counting(home_context) == ["new-t7"]
