"""A service that lists no consents, always or for one run: an arrangement is in force while records come under it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from unittest.mock import Mock

import pytest

from tests.flows.sync.written import WrittenService, purchase
from tests.json_answers import forget, status
from toolkit.errors import ConsentRequiredError, RateLimitError, RequestRejectedError, ServerError
from toolkit.flows.consent.consents import EndedFlow, keep_flow
from toolkit.flows.household.context import Context
from toolkit.flows.money.summary import spending
from toolkit.store import open_store
from toolkit.sync.list_sync import Person

Run = Callable[..., dict[str, Any]]
FAILURES = [
    RequestRejectedError("404", status=404),
    ServerError("500", status=500),
    RateLimitError("429"),
]


@pytest.fixture(params=FAILURES, ids=["404", "500", "429"])
def bare(request: pytest.FixtureRequest, service: WrittenService, monkeypatch: pytest.MonkeyPatch) -> WrittenService:
    """One person with two purchases of 30.00 and 20.10 in one account, of a bank that the service lists nowhere."""
    monkeypatch.setattr(service, "consents", Mock(side_effect=request.param))
    service.lists["energy.service_points"] = []
    give(service, "arr")
    return service


def give(service: WrittenService, *arrangements: str) -> None:
    """The one account and its two purchases, under each arrangement anew: every id is another."""
    number = {"bsb": "000-111", "account_number": "12345678", "institution_id": "bank"}
    service.lists["banking.accounts"] = [
        {"platform_id": f"p-{name}", "account_id": f"a-{name}", "arrangement_id": name, **number}
        for name in arrangements
    ]
    service.lists["banking.transactions"] = [
        purchase(nth, amount, platform_id=f"{name}-t{nth}", arrangement_id=name, account_id=f"a-{name}")
        for name in arrangements
        for nth, amount in ((1, "-30.00"), (2, "-20.10"))
    ]


def payee(name: str, arrangement: str = "arr") -> dict[str, Any]:
    of = {"arrangement_id": arrangement, "institution_id": "bank"}
    return {"platform_id": name, "payee_id": name, "nickname": name, "type": "DOMESTIC", **of}


def spent(ctx: Context) -> Decimal:
    return Decimal(str(spending(ctx).spent))


def counted_rows(ctx: Context) -> int:
    """Stored transactions that no other consent's row outranks."""
    with open_store(ctx.db) as store:
        return len(store.rows("transactions", where={"superseded_by": None}))


def states(ctx: Context) -> dict[str, str]:
    (home,) = status(ctx)["households"]
    return {consent["arrangement_id"]: consent["state"] for consent in home["consents"]}


def removed(answer: dict[str, Any]) -> dict[str, int]:
    return {name: entry["removed"] for name, entry in answer["resources"].items() if entry["removed"]}


def told_rejected(answer: dict[str, Any]) -> list[str]:
    return [problem["where"] for problem in answer["problems"] if problem["severity"] == "rejected"]


def test_records_tell_of_the_consent_that_they_came_under(
    bare: WrittenService, run: Run, home_context: Context
) -> None:
    run()
    (home,) = status(home_context)["households"]
    (consent,) = home["consents"]
    assert (consent["id"], consent["state"], consent["end_user_id"]) == ("arr", "active", "eu")
    assert (consent["institution"], consent["ends_at"]) == ("Example Bank", None)
    again = run()
    assert told_rejected(again) == []
    assert all(entry["added"] == entry["updated"] == entry["removed"] == 0 for entry in again["resources"].values())


def test_pending_rows_go_when_an_account_has_none_any_more(
    bare: WrittenService, run: Run, home_context: Context
) -> None:
    waiting = purchase(9, "-5.00", status="PENDING", platform_id="wait", account_id="a-arr")
    bare.lists["banking.transactions"].append(waiting)
    run()
    assert spending(home_context).pending == Decimal("5.00")
    bare.lists["banking.transactions"].remove(waiting)
    assert removed(run()) == {"banking.transactions": 1}
    assert spending(home_context).pending == 0
    assert spent(home_context) == Decimal("50.10")


@pytest.mark.parametrize("emptied", ["banking.payees", "banking.transactions"])
def test_rows_of_a_list_that_has_become_empty_are_marked(
    bare: WrittenService, run: Run, home_context: Context, emptied: str
) -> None:
    bare.lists["banking.payees"] = [payee("p1"), payee("p2")]
    run()
    bare.lists[emptied] = []
    assert removed(run(full=True)) == {emptied: 2}
    assert states(home_context) == {"arr": "active"}
    assert spent(home_context) == (Decimal("50.10") if emptied == "banking.payees" else 0)


def test_a_list_that_ends_before_the_only_one_with_records_is_looked_at_again(
    bare: WrittenService, run: Run, home_context: Context
) -> None:
    """Nothing but a concession comes, in the list that is asked for last."""
    bare.lists["banking.payees"] = [payee("p1")]
    run()
    for name in ("banking.accounts", "banking.transactions", "banking.payees"):
        bare.lists[name] = []
    bare.lists["energy.concessions"] = [
        {"platform_id": "c1", "account_id": "e1", "arrangement_id": "arr", "institution_id": "bank",
         "display_name": "Rebate", "type": "FIXED_AMOUNT", "amount": "1.00"},
    ]  # fmt: skip
    assert removed(run()) == {"banking.accounts": 1, "banking.payees": 1}
    assert states(home_context) == {"arr": "active"}


def test_where_nothing_comes_any_more_the_consent_has_ended_and_its_rows_count(
    bare: WrittenService, run: Run, home_context: Context
) -> None:
    run()
    give(bare)
    for answer in (run(), run(full=True)):
        assert removed(answer) == {}
        assert told_rejected(answer) == ["arr"]
    assert states(home_context) == {"arr": "ended"}
    assert spent(home_context) == Decimal("50.10")
    give(bare, "arr")
    assert told_rejected(run()) == []
    assert states(home_context) == {"arr": "active"}


def test_a_run_that_asks_for_one_half_ends_nothing_of_the_other(
    bare: WrittenService, run: Run, home_context: Context
) -> None:
    run()
    give(bare)
    run(only="energy")
    assert states(home_context) == {"arr": "active"}


@pytest.mark.parametrize("broken", ["banking.accounts", "banking.payees"])
def test_a_run_in_which_a_list_failed_ends_no_consent(
    bare: WrittenService, run: Run, home_context: Context, broken: str
) -> None:
    bare.lists["banking.payees"] = [payee("p1")]
    run()
    give(bare)
    bare.lists["banking.payees"] = []
    bare.breaks[broken] = (0, ServerError("502"))
    assert removed(run()) == {}
    assert states(home_context) == {"arr": "active"}
    assert spent(home_context) == Decimal("50.10")


def test_lists_that_are_closed_for_want_of_consent_end_it(
    bare: WrittenService, run: Run, home_context: Context
) -> None:
    run()
    for name in ("banking.accounts", "banking.balances", "banking.payees", "banking.scheduled_payments"):
        bare.breaks[name] = (0, ConsentRequiredError("consent_revoked", status=403))
    assert removed(run()) == {}
    assert states(home_context) == {"arr": "ended"}
    assert spent(home_context) == Decimal("50.10")


def test_an_account_under_a_renewed_consent_counts_once(bare: WrittenService, run: Run, home_context: Context) -> None:
    run()
    give(bare, "new")
    assert told_rejected(run()) == []
    assert spent(home_context) == Decimal("50.10")
    assert states(home_context) == {"arr": "ended", "new": "active"}
    with open_store(home_context.db) as store:
        assert [row["id"] for row in store.rows("accounts", where={"vanished_at": None})] == ["p-new"]


def test_an_account_under_two_consents_counts_once(bare: WrittenService, run: Run, home_context: Context) -> None:
    run()
    give(bare, "arr", "second")
    for full in (False, True, False):
        run(full=full)
        assert spent(home_context) == Decimal("50.10")
    assert states(home_context) == {"arr": "active", "second": "active"}
    forget(home_context, consent="second")
    assert spent(home_context) == Decimal("50.10")


def test_a_renewal_is_followed_also_where_another_list_always_fails(
    bare: WrittenService, run: Run, home_context: Context
) -> None:
    """The older consent may be in force still, but the records, and so the balance, come under the later one."""
    bare.lists["banking.payees"] = [payee("p1")]
    run()
    give(bare, "late")
    bare.lists["banking.balances"] = [
        {"platform_id": "b", "account_id": "a-late", "arrangement_id": "late", "institution_id": "bank",
         "current_balance": "10.00"}
    ]  # fmt: skip
    bare.breaks["banking.payees"] = (0, ServerError("502"))
    for _ in range(2):
        run()
        assert spent(home_context) == Decimal("50.10")
    with open_store(home_context.db) as store:
        assert [row["account_id"] for row in store.rows("balances")] == ["a-late"]


def test_a_store_that_had_doubled_is_mended_by_the_next_sync(
    bare: WrittenService, run: Run, home_context: Context
) -> None:
    """As earlier versions left it: rows under both arrangements, none marked, and no consent stored."""
    run()
    give(bare, "new")
    run()
    with open_store(home_context.db) as store:
        store.delete("consents", {})
        for table in ("accounts", "transactions"):
            store.update(table, {"superseded_by": None, "vanished_at": None}, {})
        store.delete("rollups", {})
    assert counted_rows(home_context) == 4
    run()
    assert counted_rows(home_context) == 2
    assert spent(home_context) == Decimal("50.10")
    assert states(home_context) == {"arr": "ended", "new": "active"}


def test_records_without_a_stored_consent_can_be_forgotten_by_their_arrangement(
    bare: WrittenService, run: Run, home_context: Context
) -> None:
    run()
    with open_store(home_context.db) as store:
        store.delete("consents", {})
    assert forget(home_context, consent="arr")["deleted"]["transactions"] == 2
    answer = run()
    assert spent(home_context) == 0
    assert sum(entry["added"] for entry in answer["resources"].values()) == 0
    assert states(home_context) == {}


def flow(ctx: Context, **about: Any) -> None:
    with open_store(ctx.db) as store:
        (row,) = store.rows("end_users")
        keep_flow(store, Person(row["household_id"], "eu"), EndedFlow(**about), datetime.now(UTC))


def test_a_consent_of_a_flow_gets_the_arrangement_of_its_first_records(
    bare: WrittenService, run: Run, home_context: Context
) -> None:
    run()
    flow(home_context, consent_id="c2", institution_id="power")
    assert states(home_context) == {"arr": "active", "c2": "active"}
    run()
    assert states(home_context) == {"arr": "active", "c2": "active"}, "nothing of that institution came yet"
    bare.lists["energy.accounts"] = [
        {"platform_id": "e1", "account_id": "e1", "arrangement_id": "arr-e", "institution_id": "power"}
    ]
    run()
    (home,) = status(home_context)["households"]
    assert {(c["id"], c["arrangement_id"], c["state"]) for c in home["consents"]} == {
        ("arr", "arr", "active"),
        ("c2", "arr-e", "active"),
    }


def test_a_flow_that_renewed_an_arrangement_is_joined_with_it(
    bare: WrittenService, run: Run, home_context: Context
) -> None:
    run()
    flow(home_context, consent_id="c2", institution_id="bank", renews="arr")
    run()
    (home,) = status(home_context)["households"]
    assert [(c["id"], c["arrangement_id"]) for c in home["consents"]] == [("c2", "arr")]
    flow(home_context, consent_id="c3", institution_id="bank", renews="arr")
    give(bare, "new")
    run()
    assert states(home_context) == {"arr": "ended", "new": "active"}
    assert spent(home_context) == Decimal("50.10")
    assert forget(home_context, consent="c3")["forgotten"] == {"consent": "new"}
    assert spent(home_context) == Decimal("50.10")


def test_the_list_takes_over_when_it_answers_again(
    bare: WrittenService, run: Run, home_context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    run()
    flow(home_context, consent_id="c1", institution_id="bank")
    monkeypatch.undo()
    bare.consent_records = [
        {"arrangement_id": "arr", "consent_id": "c1", "institution_id": "bank", "active": True,
         "expires_at": "2030-01-01T00:00:00Z"}
    ]  # fmt: skip
    run()
    (home,) = status(home_context)["households"]
    (consent,) = home["consents"]
    assert (consent["id"], consent["arrangement_id"], consent["state"]) == ("c1", "arr", "active")
    assert consent["ends_at"].year == 2030


def test_a_list_that_lags_behind_a_flow_takes_nothing_away(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    """The list answers, but does not name the new consent yet, nor does anything come under it."""
    run()
    flow(home_context, consent_id="c2", institution_id="power")
    assert told_rejected(run()) == []
    assert states(home_context) == {"arr": "active", "c2": "active"}


def test_an_arrangement_that_the_list_never_named_is_known_from_its_records(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.lists["banking.payees"] = [payee("p1", "unlisted")]
    for _ in range(2):
        assert told_rejected(run()) == []
        assert states(home_context) == {"arr": "active", "unlisted": "active"}
    service.lists["banking.payees"] = []
    run()
    assert states(home_context) == {"arr": "active", "unlisted": "ended"}


def test_a_platform_id_that_moves_to_another_arrangement_leaves_none_behind(
    bare: WrittenService, run: Run, home_context: Context
) -> None:
    """The records are the same ones, under a new consent: nothing is stored under the earlier one any more."""
    run()
    for name in ("banking.accounts", "banking.transactions"):
        bare.lists[name] = [{**record, "arrangement_id": "new"} for record in bare.lists[name]]
    run()
    assert states(home_context) == {"arr": "ended", "new": "active"}
    assert spent(home_context) == Decimal("50.10")
