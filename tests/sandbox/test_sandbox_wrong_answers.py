"""Answers, pages and rows gone wrong, met by the toolkit's own client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.keys import keys_of
from tests.sandbox.stranger import TODAY, Caller
from toolkit.api.client import Client
from toolkit.api.transport import RetryPolicy
from toolkit.errors import ConnectionFailedError, InvalidResponseError, RateLimitError, ServerError, UsageError
from toolkit.sandbox.faults import KINDS, LASTING, Fault, Schedule, schedule
from toolkit.sandbox.serve import Running, running
from toolkit.settings import load

PAYEES, TRANSACTIONS = "/v1/banking/payees", "/v1/banking/transactions"


def client_of(sandbox: Running, **more: str) -> Client:
    return Client(load({**keys_of(sandbox), **more}, {}), retry_policy=RetryPolicy(sleep=lambda _: None))


@pytest.fixture
def client(caller: Caller) -> Iterator[Client]:
    with client_of(caller.sandbox) as client:
        yield client


@pytest.fixture
def faulty(caller: Caller) -> Iterator[Callable[..., None]]:
    """Sets faults for a test, and none after it."""

    def order(*faults: dict[str, Any]) -> None:
        answer = httpx.post(caller.sandbox.control_url or "", json={"faults": list(faults)}, trust_env=False)
        assert answer.status_code == 200, answer.text

    yield order
    order()


def ids(client: Client, resource: str, user: str, **more: Any) -> list[str]:
    return [record.platform_id for page in client.pages(resource, end_user_id=user, **more) for record in page.records]


@pytest.mark.parametrize(
    "fault",
    [
        {"change": ["malformed"]},
        {"change": ["html"]},
        {"headers": {"content-encoding": "gzip"}},
        {"truncate": 30},
        {"reset": True},
        {"status": 503},
        {"status": 429, "retry_after": 1},
        {"status": 429, "retry_after": 1, "retry_after_as": "date"},
        {"delay": 0.01},
    ],
)
def test_what_passes_is_tried_again(caller: Caller, client: Client, faulty: Any, fault: dict[str, Any]) -> None:
    user = caller.user("family")
    whole = ids(client, "banking.payees", user)
    faulty({"path": PAYEES, "times": 2, **fault})
    assert ids(client, "banking.payees", user) == whole
    faulty({"path": PAYEES, **fault})
    if "delay" not in fault:
        with pytest.raises((InvalidResponseError, RateLimitError, ServerError, ConnectionFailedError)):
            ids(client, "banking.payees", user)


def test_when_to_come_again_is_said_in_seconds_or_as_a_date(caller: Caller, faulty: Any) -> None:
    faulty(
        {"path": "/end-users", "status": 429, "retry_after": 9, "times": 1},
        {"path": "/institutions/*", "status": 429, "retry_after": 9, "retry_after_as": "date"},
    )
    assert caller.get("/v1/end-users").headers["retry-after"] == "9"
    before = datetime.now(UTC).replace(microsecond=0)
    stated = parsedate_to_datetime(caller.get("/institutions/70001").headers["retry-after"])
    assert before <= stated - timedelta(seconds=9) <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("change", "pages"),
    [(["looping"], 3), (["self_link"], 2), (["endless", "empty"], 51), (["foreign_next"], 1)],
)
def test_pages_that_lead_nowhere_end_in_an_error(
    caller: Caller, client: Client, faulty: Any, change: list[str], pages: int
) -> None:
    faulty({"path": TRANSACTIONS, "change": change, "page_size": 40})
    seen: list[object] = []
    with pytest.raises(InvalidResponseError):
        seen.extend(client.pages("banking.transactions", end_user_id=caller.user("family")))
    assert len(seen) == pages
    assert ids(client, "banking.payees", caller.user("family"))


def test_pages_without_end_have_new_cursors_and_the_same_rows(caller: Caller, faulty: Any) -> None:
    faulty({"path": PAYEES, "change": ["endless"]})
    first = caller.get(PAYEES, end_user_id=caller.user("family")).json()
    second = caller.http.get(first["links"]["next"]).json()
    assert second["payees"] == first["payees"]
    assert second["links"]["next"] != first["links"]["next"]


def test_a_page_size_can_be_ignored_and_pages_can_be_hollow(caller: Caller, client: Client, faulty: Any) -> None:
    user = caller.user("family")
    whole = ids(client, "banking.transactions", user)
    faulty({"path": TRANSACTIONS, "page_size": 37, "change": ["hollow"]})
    pages = list(client.pages("banking.transactions", end_user_id=user))
    assert [len(page.records) for page in pages[:3]] == [0, 37, 37]
    assert [record.platform_id for page in pages for record in page.records] == whole


def test_rows_that_come_in_while_paging_repeat_one_and_miss_one(caller: Caller, client: Client, faulty: Any) -> None:
    user = caller.user("family")
    whole = ids(client, "banking.payees", user)
    faulty({"path": PAYEES, "page_size": 2, "change": ["moving"]})
    assert ids(client, "banking.payees", user)[:4] == [whole[1], whole[1], whole[2], whole[3]]
    faulty()
    assert ids(client, "banking.payees", user) == whole


def test_rows_that_go_while_paging_hide_others(caller: Caller, client: Client, faulty: Any) -> None:
    user = caller.user("family")
    whole = ids(client, "banking.payees", user)
    faulty({"path": PAYEES, "page_size": 2, "change": ["vanishing"]})
    assert ids(client, "banking.payees", user)[:3] == [whole[0], whole[1], whole[3]]


def test_every_row_can_come_twice(caller: Caller, client: Client, faulty: Any) -> None:
    user = caller.user("family")
    whole = ids(client, "banking.payees", user)
    faulty({"path": PAYEES, "change": ["doubled"]})
    assert ids(client, "banking.payees", user) == [name for name in whole for _ in range(2)]


def test_a_link_to_another_origin_goes_there(caller: Caller, faulty: Any) -> None:
    faulty({"path": PAYEES, "change": ["foreign_next"]})
    answer = caller.get(PAYEES, end_user_id=caller.user("family")).json()
    assert answer["links"]["next"].startswith("https://other.example/v1/banking/payees?")


ROWS = ("unknown_values", "unknown_fields", "missing_optionals", "null_lists", "camel_case", "wrong_types")


@pytest.mark.parametrize("change", ROWS)
@pytest.mark.parametrize("resource", ["banking.transactions", "banking.accounts", "energy.accounts", "energy.usage"])
def test_odd_rows_are_read_where_their_meaning_is_plain(
    caller: Caller, client: Client, faulty: Any, change: str, resource: str
) -> None:
    user = caller.user("family")
    whole = ids(client, resource, user)
    faulty({"path": "/v1/" + resource.replace(".", "/"), "change": [change]})
    pages = list(client.pages(resource, end_user_id=user))
    assert [record.platform_id for page in pages for record in page.records] == whole
    assert not [page.rejected for page in pages if page.rejected]


def test_odd_rows_look_as_they_are_named(caller: Caller, faulty: Any) -> None:
    user = caller.user("family")

    def first(change: str) -> dict[str, Any]:
        faulty({"path": "/v1/energy/usage", "change": [change]})
        return dict(caller.get("/v1/energy/usage", end_user_id=user).json()["usage"][0])

    assert first("unknown_values")["read_u_type"] == "intervalRead_OF_TOMORROW"
    assert "a_field_of_tomorrow" in first("unknown_fields")
    assert "unit_of_measure" not in first("missing_optionals")
    assert "intervalReads" in first("camel_case")["intervalRead"]
    assert first("wrong_types")["interval_read"]["read_interval_length"] == "30"


def test_unreadable_rows_leave_the_others_of_their_page(caller: Caller, client: Client, faulty: Any) -> None:
    user = caller.user("family")
    faulty({"path": PAYEES, "change": ["unreadable"]})
    page = next(client.pages("banking.payees", end_user_id=user))
    assert len(page.rejected) >= len(page.records) > 0


def test_a_seed_draws_the_same_faults_again() -> None:
    drawn = schedule(7)
    assert drawn == schedule(7) != schedule(8)
    assert schedule(7, 0.0) == []
    every = [fault for seed in range(40) for fault in schedule(seed, 0.9)]
    assert len({str((fault.change, fault.status, fault.reset)) for fault in every}) > len(LASTING)
    assert {fault.path for fault in schedule(3, 1.0, paths=[PAYEES], kinds=["reset"])} == {PAYEES}
    assert {"reset", "looping", "late"} <= set(KINDS)


def test_faults_come_as_a_list_a_seed_or_a_file(tmp_path: Path) -> None:
    fault_file = tmp_path / "faults.json"
    fault_file.write_text('{"seed": 5, "rate": 0.5}')
    for faults in ([Fault(path="/end-users", status=500)], Schedule(5, 0.5), fault_file):
        with running(today=TODAY, years=1, households=1, faults=faults) as sandbox:
            assert sandbox.base_url
    fault_file.write_text('{"seed": "x"}')
    with pytest.raises(UsageError), running(today=TODAY, faults=fault_file):
        pass


def test_a_deployment_has_a_word_and_a_prefix_of_its_own() -> None:
    with running(today=TODAY, years=1, households=1, platform="acme", core_prefix="/v1") as sandbox:
        with client_of(sandbox, TOOLKIT_PLATFORM="acme", TOOLKIT_CORE_PREFIX="/v1") as client:
            assert [user.email for user in client.end_users().records] == [sandbox.people[0][0]]
            assert all(ids(client, "banking.accounts", sandbox.people[0][1]))
            page = next(client.pages("banking.accounts", end_user_id=sandbox.people[0][1]))
            assert b'"acme_id"' in page.raws[0]
            assert b"platform_id" not in page.raws[0]
        assert httpx.get(f"{sandbox.base_url}/end-users", trust_env=False).status_code == 404


def test_major_versions_have_their_shapes(caller: Caller) -> None:
    def asked(version: str) -> httpx.Response:
        return caller.http.get("/end-users", headers={"X-Platform-Version": version})

    assert isinstance(asked("v2").json(), list)
    assert (set(asked("v3").json()), asked("v3").headers["x-platform-version"]) == ({"end_users", "links"}, "v3")
    assert caller.get("/end-users").headers["x-platform-version"] == "v3"
    assert asked("v3.1.0").status_code == 400
