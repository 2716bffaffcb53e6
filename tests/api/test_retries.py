"""What is tried again, when, and how long at most; with a clock that only sleeping moves."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.api.conftest import Clock, access, reply
from toolkit.api.client import Client
from toolkit.api.plan_register import Register
from toolkit.api.transport import LONGEST_BODY, RequestFailedError, RetryPolicy, with_retries
from toolkit.errors import (
    ConnectionFailedError,
    InvalidResponseError,
    RateLimitError,
    RequestRejectedError,
    ServerError,
)

USERS = {"end_users": [{"id": "eu_1"}], "links": {}}


def failing(times, failure):
    """An answer that fails so many times before it succeeds."""
    left = [failure] * times
    return lambda _: left.pop() if left else reply(USERS)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_passing_failures_are_waited_out(service, client, clock, status):
    service.answer = failing(2, reply({}, status))
    assert [user.id for user in client.end_users().records] == ["eu_1"]
    assert clock.slept == [0.5, 1.0]


@pytest.mark.parametrize("status", [400, 404, 409, 422])
def test_refusals_are_not_repeated(service, client, clock, status):
    service.answer = failing(9, reply({"name": "bad_request", "message": "no", "id": "err_9"}, status))
    with pytest.raises(RequestRejectedError) as refused:
        client.end_users()
    assert (refused.value.status, refused.value.name, refused.value.reference) == (status, "bad_request", "err_9")
    assert (service.count("/end-users"), clock.slept) == (1, [])


def test_five_tries_are_the_most(service, client, clock):
    service.answer = failing(9, reply({}, 500))
    with pytest.raises(ServerError):
        client.end_users()
    assert service.count("/end-users") == 5
    assert clock.slept == [0.5, 1.0, 2.0, 4.0]


def test_retry_after_in_seconds_is_kept_to(service, client, clock):
    service.answer = failing(2, reply({}, 429, retry_after="7"))
    client.end_users()
    assert clock.slept == [7.0, 7.0]


def test_retry_after_as_a_date_is_kept_to(service, clock):
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    when = format_datetime(now + timedelta(seconds=12), usegmt=True)
    service.answer = failing(1, reply({}, 429, retry_after=when))
    retry_policy = RetryPolicy(sleep=clock.sleep)
    with Client(access(service.url), retry_policy=retry_policy, clock=clock, now=lambda: now) as client:
        client.end_users()
    assert clock.slept == [12.0]


@pytest.mark.parametrize("asked", ["1000000000", "61"])
def test_longer_waits_than_patience_are_the_callers_to_decide(service, client, clock, asked):
    service.answer = failing(1, reply({}, 429, retry_after=asked))
    with pytest.raises(RateLimitError) as caught:
        client.end_users()
    assert caught.value.retry_after == float(asked)
    assert clock.slept == []


@pytest.mark.parametrize("asked", ["-5", "soon", ""])
def test_senseless_waits_leave_the_usual_one(service, client, clock, asked):
    service.answer = failing(1, reply({}, 429, retry_after=asked))
    client.end_users()
    assert clock.slept == [0.5]


def test_a_connection_that_breaks_off_is_tried_again(service, client):
    service.answer = failing(2, reply(b"", 0))
    assert len(client.end_users().records) == 1


@pytest.mark.parametrize(
    "broken",
    [
        reply(b'{"end_users": [', content_type="application/json"),
        reply(b"{}", content_length="99", connection="close"),
        reply(b"not gzip", content_encoding="gzip"),
    ],
)
def test_half_an_answer_is_tried_again(service, client, broken):
    service.answer = failing(1, broken)
    assert len(client.end_users().records) == 1


def test_closing_the_client_ends_the_wait_of_another_thread(service):
    service.answer = failing(9, reply({}, 429, retry_after="50"))
    waits = Event()
    made = Client(access(service.url), retry_policy=RetryPolicy(back_off=lambda _: waits.set() or 1.0))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(made.end_users)
        assert waits.wait(30)
        made.close()
        with pytest.raises(ConnectionFailedError):
            asked.result(timeout=30)
    assert service.count("/end-users") == 1


def test_creations_are_sent_once(service, client):
    service.answer = lambda _: reply({}, 500)
    with pytest.raises(ServerError):
        client.create_end_user("a@example.com", "A")
    with pytest.raises(ServerError):
        client.start_session("eu_1")
    assert service.count("/v1/end-users") == service.count("/v1/auth/session") == 1
    service.answer = lambda _: reply(b"", 0)
    with pytest.raises(RequestFailedError) as caught:
        client.create_end_user("a@example.com", "A")
    assert caught.value.sent
    assert service.count("/v1/end-users") == 2


def test_an_answer_without_end_is_refused(service, client):
    service.answer = lambda _: reply(b" " * (LONGEST_BODY + 1))
    with pytest.raises(InvalidResponseError) as refused:
        client.end_users()
    assert refused.value.name == "too_large"


def test_a_dead_port_is_told_in_words_without_waiting(clock):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        dead = Client(access(f"http://127.0.0.1:{port}"), retry_policy=RetryPolicy(sleep=clock.sleep))
        with dead as client, pytest.raises(ConnectionFailedError, match=str(port)):
            client.end_users()
    assert clock.slept == []


def test_an_unknown_host_is_told_in_words(clock):
    retry_policy = RetryPolicy(sleep=clock.sleep)
    with (
        Client(access("https://nowhere.invalid"), retry_policy=retry_policy) as client,
        pytest.raises(ConnectionFailedError) as caught,
    ):
        client.end_users()
    assert "nowhere.invalid" in str(caught.value)


def test_redirects_are_not_followed(service, client):
    service.answer = lambda _: reply(b"", 302, location=f"{service.url}/elsewhere")
    with pytest.raises(InvalidResponseError) as refused:
        client.end_users()
    assert refused.value.status == 302
    assert service.count("/elsewhere") == 0


FAILURES = st.sampled_from(["fault", "limit", "limit-long", "reset", "refused"])


@given(st.lists(FAILURES, max_size=8))
def test_tries_and_waits_are_bounded_whatever_comes(failures):
    kinds = {
        "fault": ServerError("x", status=500),
        "limit": RateLimitError("x", retry_after=3.0),
        "limit-long": RateLimitError("x", retry_after=1e9),
        "reset": RequestFailedError("x", transient=True, sent=True),
        "refused": RequestRejectedError("x", status=404),
    }
    clock, left, tries = Clock(), list(failures), []

    def action() -> str:
        tries.append(clock.seconds)
        if left:
            raise kinds[left.pop(0)]
        return "done"

    try:
        with_retries(action, RetryPolicy(sleep=clock.sleep))
    except (ServerError, RateLimitError, RequestFailedError, RequestRejectedError):
        assert len(failures) >= len(tries)
    assert len(tries) <= 5
    assert sum(clock.slept) <= 60
    for number, (waited, failure) in enumerate(zip(clock.slept, failures, strict=False)):
        asked = 3.0 if failure == "limit" else 0.0
        assert asked <= waited <= max(asked, 0.5 * 2**number)


def test_a_register_that_was_closed_asks_nothing_more(service):
    shut = Register(service.url, retry_policy=RetryPolicy(tries=1))
    shut.close()
    with pytest.raises(RuntimeError):
        shut.page("retailer", 1)
    assert service.asked == []
