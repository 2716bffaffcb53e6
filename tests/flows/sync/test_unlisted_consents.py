"""A consent that the service's list no longer holds counts as ended; a list that was not read whole ends nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from unittest.mock import Mock

import pytest

from tests.flows.sync.written import WrittenService, purchase
from tests.json_answers import end_consent, status
from toolkit.errors import ConsentRequiredError, InvalidResponseError, RateLimitError, RequestRejectedError, ServerError
from toolkit.flows.household.context import Context
from toolkit.store import open_store

Run = Callable[..., dict[str, Any]]

OTHER = {"arrangement_id": "arr2", "institution_id": "power", "active": True}
LAST_SEEN = "2026-03-14"
DELETE = "toolkit forget --consent arr"


@pytest.fixture
def synced(service: WrittenService, run: Run, home_context: Context) -> WrittenService:
    """The person's two consents were last pulled on 14 March 2026."""
    service.consent_records.append(OTHER)
    service.lists["banking.transactions"] = [purchase(1)]
    run()
    with open_store(home_context.db) as store:
        store.update("runs", {"started_at": datetime(2026, 3, 14, 9, tzinfo=UTC)}, {})
    return service


def states(ctx: Context) -> dict[str, str]:
    with open_store(ctx.db) as store:
        return {row["arrangement_id"]: row["state"] for row in store.rows("consents")}


def test_a_consent_that_disappears_has_ended_and_is_told_until_its_data_is_deleted(
    synced: WrittenService, run: Run, home_context: Context
) -> None:
    synced.consent_records = [OTHER]
    for answer in (run(), run()):
        (problem,) = answer["problems"]
        assert (problem["where"], problem["severity"]) == ("arr", "rejected")
        assert LAST_SEEN in problem["reason"]
        assert DELETE in problem["reason"]
        assert answer["failed"] == []
    assert states(home_context) == {"arr": "ended", "arr2": "active"}
    (problem,) = status(home_context)["problems"]
    assert DELETE in problem["reason"]
    with open_store(home_context.db) as store:
        assert [row["vanished_at"] for row in store.rows("transactions")] == [None]


def test_whose_consents_have_all_disappeared_is_not_pulled(
    synced: WrittenService, run: Run, home_context: Context
) -> None:
    synced.consent_records = []
    synced.asked.clear()
    with pytest.raises(ConsentRequiredError, match="2026-03-14"):
        run()
    assert synced.asked == []
    assert set(states(home_context).values()) == {"ended"}
    with open_store(home_context.db) as store:
        assert [row["state"] for row in store.rows("end_users")] == ["ended"]


def test_a_consent_that_is_listed_again_is_in_force_again(
    synced: WrittenService, run: Run, home_context: Context
) -> None:
    both = synced.consent_records
    synced.consent_records = [OTHER]
    run()
    synced.consent_records = both
    assert run()["problems"] == []
    assert states(home_context) == {"arr": "active", "arr2": "active"}


def test_one_that_was_renewed_with_its_institution_is_no_problem(
    synced: WrittenService, run: Run, home_context: Context
) -> None:
    synced.consent_records = [OTHER, {"arrangement_id": "new", "institution_id": "bank", "active": True}]
    assert run()["problems"] == []
    assert states(home_context) == {"arr": "ended", "arr2": "active", "new": "active"}


@pytest.mark.parametrize(
    "error", [RequestRejectedError("404"), ServerError("500"), InvalidResponseError("no list"), RateLimitError("429")]
)
def test_a_list_that_cannot_be_read_ends_nothing(
    synced: WrittenService, run: Run, home_context: Context, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(synced, "consents", Mock(side_effect=error))
    assert not {"arr", "arr2"} & {problem["where"] for problem in run()["problems"]}
    assert states(home_context) == {"arr": "active", "arr2": "active"}


@pytest.mark.parametrize("unreadable", [["no", "object"], {"arrangement_id": "arr3", "active": "perhaps"}])
def test_a_list_that_is_not_read_whole_ends_nothing(
    synced: WrittenService, run: Run, home_context: Context, unreadable: Any
) -> None:
    synced.consent_records = [OTHER, unreadable]
    assert not {"arr", "arr2"} & {problem["where"] for problem in run()["problems"]}
    assert states(home_context) == {"arr": "active", "arr2": "active"}


def test_one_that_the_person_ended_is_revoked_although_the_service_lists_it_no_more(
    synced: WrittenService, home_context: Context
) -> None:
    answer = end_consent(home_context, synced, "arr")
    assert (answer["state"], answer["problems"]) == ("revoked", [])
    assert states(home_context) == {"arr": "revoked", "arr2": "active"}
