"""Whole runs of `sync` into a real database, from lists written in the test."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from tests.flows.sync.written import WrittenService, listing, purchase, register_day
from tests.json_answers import status
from toolkit.errors import (
    AuthenticationError,
    ConnectionFailedError,
    ConsentRequiredError,
    InvalidResponseError,
    RequestRejectedError,
    ServerError,
)
from toolkit.flows.household.context import Context
from toolkit.store import open_store
from toolkit.store.sync_state import add_tombstones

Run = Callable[..., dict[str, Any]]


def stored(ctx: Context, table: str, **where: object) -> list[dict[str, Any]]:
    with open_store(ctx.db) as store:
        return store.rows(table, where=where)


def counts(entry: dict[str, int]) -> tuple[int, ...]:
    return tuple(entry[name] for name in ("fetched", "added", "updated", "unchanged", "removed", "rejected"))


def test_two_identical_purchases_stay_two_and_a_second_sync_adds_nothing(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.lists["banking.transactions"] = [purchase(1), purchase(2)]
    service.lists["energy.usage"] = [register_day("2026-03-09"), register_day("2026-03-10")]
    first = run()
    assert counts(first["resources"]["banking.transactions"]) == (2, 2, 0, 0, 0, 0)
    assert counts(first["resources"]["energy.usage"]) == (2, 2, 0, 0, 0, 0)
    again = run()
    for resource, entry in again["resources"].items():
        assert (entry["added"], entry["updated"], entry["removed"]) == (0, 0, 0), resource
        assert entry["fetched"] == entry["unchanged"], resource
    assert len(stored(home_context, "transactions")) == 2
    assert len(stored(home_context, "rollups")) == 1
    assert (again["problems"], again["failed"]) == ([], [])


def test_a_later_sync_asks_only_for_what_is_new_with_an_overlap(service: WrittenService, run: Run) -> None:
    service.lists["banking.transactions"] = [purchase(1)]
    service.lists["energy.usage"] = [register_day("2026-03-10")]
    run()
    service.asked.clear()
    run()
    asked = [parameters for resource, parameters in service.asked if resource == "banking.transactions"]
    assert {"end_user_id": "eu", "account_id": "a1", "status": "POSTED", "from_": "2026-01-24T00:00:00Z"} in asked
    assert {"end_user_id": "eu", "account_id": "a1", "status": "PENDING"} in asked
    usage = [parameters for resource, parameters in service.asked if resource == "energy.usage"]
    assert usage == [{"end_user_id": "eu", "service_point_id": "sp", "read_start_date_oldest": "2026-02-03"}]
    service.asked.clear()
    run(full=True)
    assert ("banking.transactions", {"end_user_id": "eu", "account_id": "a1"}) in service.asked


def test_pending_rows_are_a_snapshot(service: WrittenService, run: Run, home_context: Context) -> None:
    pending = {"status": "PENDING", "posting_date_time": None}
    service.lists["banking.transactions"] = [
        purchase(1),
        purchase(2, **pending),
        purchase(3, **pending),
    ]
    run()
    service.lists["banking.transactions"] = [
        purchase(1),
        purchase(3, **pending),
        purchase(4, "-9.00"),
    ]
    entry = run()["resources"]["banking.transactions"]
    assert counts(entry) == (3, 1, 0, 2, 1, 0)
    rows = stored(home_context, "transactions")
    assert [(row["id"], row["status"]) for row in rows] == [("t1", "POSTED"), ("t3", "PENDING"), ("t4", "POSTED")]


def test_a_row_that_a_full_walk_misses_is_kept_marked_and_listed_and_may_come_back(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.lists["banking.transactions"] = [purchase(1), purchase(2)]
    run()
    service.lists["banking.transactions"] = [purchase(1)]
    assert run()["resources"]["banking.transactions"]["removed"] == 0, "a window says nothing about what it left out"
    answer = run(full=True)
    assert answer["resources"]["banking.transactions"]["removed"] == 1
    assert [(p["where"], p["severity"]) for p in answer["problems"]] == [("t2", "warning")]
    assert [row["vanished_at"] is None for row in stored(home_context, "transactions")] == [True, False]
    assert run(full=True)["resources"]["banking.transactions"]["removed"] == 0
    service.lists["banking.transactions"] = [purchase(1), purchase(2)]
    assert counts(run(full=True)["resources"]["banking.transactions"]) == (2, 0, 1, 1, 0, 0)
    assert [row["vanished_at"] for row in stored(home_context, "transactions")] == [None, None]


def test_everything_is_read_again_from_time_to_time(service: WrittenService, run: Run, home_context: Context) -> None:
    service.lists["banking.transactions"] = [purchase(1)]
    run()
    with open_store(home_context.db) as store:
        long_ago = datetime.now(UTC) - timedelta(days=31)
        store.update("positions", {"full_walk_at": long_ago}, {"resource": "banking.transactions"})
    service.asked.clear()
    run()
    assert ("banking.transactions", {"end_user_id": "eu", "account_id": "a1"}) in service.asked


def test_a_list_that_breaks_off_keeps_its_earlier_pages_and_the_rest_goes_on(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.page_size = 2
    service.lists["banking.transactions"] = [purchase(number) for number in range(5)]
    service.lists["energy.usage"] = [register_day("2026-03-10")]
    service.breaks["banking.transactions"] = (1, InvalidResponseError("page[after] repeats"))
    answer = run()
    assert [(entry["resource"], entry["error"]) for entry in answer["failed"]] == [
        ("banking.transactions", "page[after] repeats")
    ]
    assert len(stored(home_context, "transactions")) == 2
    assert len(stored(home_context, "register_days")) == 1
    assert "banking.transactions" not in status(home_context)["households"][0]["freshness"]
    service.breaks.clear()
    assert counts(run()["resources"]["banking.transactions"]) == (5, 3, 0, 2, 0, 0)


def test_an_interrupted_run_is_repeated_safely(service: WrittenService, run: Run, home_context: Context) -> None:
    service.page_size = 1
    service.lists["banking.transactions"] = [purchase(number) for number in range(4)]
    service.breaks["banking.transactions"] = (2, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run()
    assert [row["state"] for row in stored(home_context, "runs")] == ["failed"]
    service.breaks.clear()
    run()
    assert [row["id"] for row in stored(home_context, "transactions")] == ["t0", "t1", "t2", "t3"]


def test_unreadable_records_wait_in_quarantine_and_go_in_when_readable(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.lists["banking.transactions"] = [
        purchase(1),
        purchase(2, "1,000.00"),
        purchase(3, {"odd": 1}),
    ]
    answer = run()
    assert counts(answer["resources"]["banking.transactions"]) == (3, 1, 0, 0, 0, 2)
    assert [p["where"] for p in answer["problems"] if p["severity"] == "rejected"] == ["t2", "t3"]
    assert [row["id"] for row in stored(home_context, "quarantine")] == ["t2", "t3"]
    assert len(status(home_context)["problems"]) == 2
    service.lists["banking.transactions"] = [
        purchase(1),
        purchase(2, "-1000.00"),
        purchase(3, {"odd": 1}),
    ]
    run()
    assert [row["id"] for row in stored(home_context, "quarantine")] == ["t3"]
    assert len(stored(home_context, "transactions")) == 2


def test_what_an_earlier_version_could_not_read_goes_in(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    run()
    with open_store(home_context.db) as store:
        row = {"household_id": store.rows("households")[0]["household_id"], "resource": "banking.transactions"}
        raw = '{"platform_id":"t9","account_id":"a1","amount":"-1.00","status":"POSTED","arrangement_id":"arr"}'
        store.upsert("quarantine", [{**row, "id": "t9", "reason": "?", "raw": raw, "seen_at": datetime.now(UTC)}])
    run()
    assert stored(home_context, "quarantine") == []
    assert [row["amount_minor"] for row in stored(home_context, "transactions")] == [-100]


def test_an_ended_consent_is_a_problem_and_is_not_pulled(service: WrittenService, run: Run) -> None:
    service.consent_records.append({"arrangement_id": "old", "institution_id": "power", "active": False,
                                    "termination_reason": "CONSENT_EXPIRED"})  # fmt: skip
    answer = run()
    assert [(p["where"], p["severity"]) for p in answer["problems"]] == [("old", "rejected")]
    assert "toolkit connect" in answer["problems"][0]["reason"]
    service.consent_records = [service.consent_records[1]]
    service.asked.clear()
    with pytest.raises(ConsentRequiredError):
        run()
    assert service.asked == []


EXPIRED = ConsentRequiredError("GET /v1/banking: the service answered 403 (consent_expired)", name="consent_expired")
BANKING = [f"banking.{name}" for name in ("accounts", "balances", "payees", "scheduled_payments", "direct_debits")]


@pytest.mark.parametrize("while_pulling", [False, True])
def test_an_ended_consent_is_told_once_however_many_lists_it_closes(
    service: WrittenService, run: Run, monkeypatch: pytest.MonkeyPatch, while_pulling: bool
) -> None:
    """The bank's consent has ended, at once or while it was pulled; the retailer's goes on."""
    of_bank = {"arrangement_id": "arr", "institution_id": "bank"}
    other = {"arrangement_id": "other", "institution_id": "power", "active": True}
    both, over = [{**of_bank, "active": True}, other], [{**of_bank, "active": False}, other]
    answers = iter([both, over] if while_pulling else [over, over])
    monkeypatch.setattr(service, "consents", lambda _: listing("consents.list", {"consents": next(answers)}))
    service.breaks = dict.fromkeys(BANKING, (0, EXPIRED))
    answer = run()
    assert [(p["where"], p["severity"]) for p in answer["problems"]] == [("arr", "rejected")]
    assert answer["failed"] == []
    assert {resource for resource, _ in service.asked if resource.startswith("banking")} == set(BANKING)


def test_lists_closed_for_no_known_reason_are_one_problem(
    service: WrittenService, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "consents", Mock(side_effect=RequestRejectedError("404")))
    service.breaks = dict.fromkeys(BANKING, (0, EXPIRED))
    [problem] = run()["problems"]
    assert problem["where"] == "eu"
    assert problem["reason"] == f"{EXPIRED} ({', '.join(sorted(BANKING))})"


def test_a_renewed_consent_is_no_problem(service: WrittenService, run: Run) -> None:
    service.consent_records.append({"arrangement_id": "old", "institution_id": "bank", "active": False})
    assert run()["problems"] == []


@pytest.mark.parametrize("error", [AuthenticationError("wrong secret"), ConnectionFailedError("no answer")])
def test_where_nothing_could_be_pulled_the_reason_is_raised(
    service: WrittenService, run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    service.breaks = dict.fromkeys(["banking.accounts", "banking.balances", "energy.accounts"], (0, error))
    assert {entry["error"] for entry in run()["failed"]} == {str(error)}
    monkeypatch.setattr(service, "pages", Mock(side_effect=error))
    with pytest.raises(type(error)):
        run()


def test_what_was_forgotten_does_not_come_back(service: WrittenService, run: Run, home_context: Context) -> None:
    with open_store(home_context.db) as store:
        add_tombstones(store, "arrangement", ["gone"], datetime.now(UTC))
    service.lists["banking.transactions"] = [purchase(1), purchase(2, arrangement_id="gone")]
    assert counts(run()["resources"]["banking.transactions"]) == (1, 1, 0, 0, 0, 0)


def test_only_one_half(service: WrittenService, run: Run) -> None:
    assert {name.split(".")[0] for name in run(only="energy")["resources"]} == {"energy"}
    assert {name.split(".")[0] for name in run(only="banking")["resources"]} == {"banking"}


def test_a_changed_plan_is_a_new_version_and_the_old_one_is_kept(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    def account(price: str) -> dict[str, Any]:
        period = {"start_date": "01-01", "end_date": "31-12", "daily_supply_charge": price}
        detail = {"fuel_type": "ELECTRICITY", "electricity_contract": {"tariff_period": [period]}}
        plan = {"plan_overview": {"display_name": "Saver", "start_date": "2025-07-01"}, "plan_detail": detail}
        return {"platform_id": "ea", "account_id": "e1", "arrangement_id": "arr", "plans": [plan]}

    service.lists["energy.accounts"] = [account("1.00")]
    run()
    service.lists["energy.accounts"] = [account("1.20")]
    assert run()["resources"]["energy.accounts"]["updated"] == 1
    links = stored(home_context, "account_plans")
    assert sorted(row["is_current"] for row in links) == [False, True]
    assert len({row["plan_id"] for row in links}) == 1
    assert len(stored(home_context, "plans")) == 2


def test_status_tells_consents_freshness_and_meter_coverage(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.consent_records[0]["expires_at"] = "2026-12-31T00:00:00Z"
    service.lists["energy.usage"] = [register_day("2026-03-07"), register_day("2026-03-10")]
    run()
    home = status(home_context)["households"][0]
    assert home["name"] == "Alex"
    assert home["consents"][0]["institution"] == "Example Bank"
    assert home["consents"][0]["state"] == "active"
    assert home["meter_coverage"][0]["coverage"] == 0.5
    assert home["freshness"].keys() >= {"banking.transactions", "energy.usage"}
    assert home["last_run"]["state"] == "done"
    later = replace(home_context, today=home_context.today.replace(year=2027))
    assert status(later)["households"][0]["consents"][0]["state"] == "expired"


def test_status_without_a_database(home_context: Context) -> None:
    assert status(home_context)["households"] == []


@pytest.mark.parametrize(("error", "warnings"), [(RequestRejectedError("404"), 0), (ServerError("500"), 1)])
def test_data_is_pulled_also_where_consents_cannot_be_listed(
    service: WrittenService,
    run: Run,
    home_context: Context,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    warnings: int,
) -> None:
    service.lists["banking.transactions"] = [purchase(1)]
    monkeypatch.setattr(service, "consents", Mock(side_effect=error))
    answer = run()
    assert len(answer["problems"]) == warnings
    assert len(stored(home_context, "transactions")) == 1
    service.lists["banking.transactions"] = []
    assert run(full=True)["resources"]["banking.transactions"]["removed"] == 1, "the account still comes under it"


def test_somebody_invited_holds_up_nobody(service: WrittenService, run: Run, home_context: Context) -> None:
    service.consent_records = []
    with pytest.raises(ConsentRequiredError):
        run()


def test_resources_by_name_bring_the_lists_they_depend_on_and_no_other(service: WrittenService, run: Run) -> None:
    assert set(run(only={"energy.usage"})["resources"]) == {"energy.service_points", "energy.usage"}
    assert set(run(only={"banking.balances"})["resources"]) == {"banking.balances"}
