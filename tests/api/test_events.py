"""Webhooks over a real socket: genuine, fresh and new ones are heard; all others change nothing."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from toolkit.api.listener import LARGEST_BODY, REMEMBERED_MESSAGES, WAITING_EVENTS, EventListener
from toolkit.errors import UsageError
from toolkit.wire.decoding.lenient import Spelling
from toolkit.wire.events import signature

SECRET = "dGhpcnR5LXR3byBieXRlcyBvZiB3ZWJob29rIGtleSE="
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
def listener() -> Iterator[EventListener]:
    with EventListener(SECRET, now=lambda: NOW) as heard:
        yield heard


def message(message_id: str = "m1", published: str | None = "2026-11-21T11:59:00Z", attempt: int = 1) -> bytes:
    data = {"event": "energy.usage.sync.completed", "end_user_id": "eu_1"}
    body = {"delivery_attempt": attempt, "publish_time": published, "message_id": message_id, "data": data}
    return json.dumps(body).encode()


def post(
    listener: EventListener, body: bytes, *, signed: str | None = "", header: str = "X-Platform-Signature"
) -> tuple[int, dict[str, str]]:
    """signed: None for no signature, else what it says; empty is the right one."""
    connection = http.client.HTTPConnection(listener.url.split("/")[2], timeout=120)
    headers = {} if signed is None else {header: signed or signature(SECRET, body)}
    connection.request("POST", "/events", body, headers)
    answer = connection.getresponse()
    found = answer.status, json.loads(answer.read())
    connection.close()
    return found


def test_a_genuine_message_is_heard_once(listener: EventListener) -> None:
    assert post(listener, message()) == (200, {})
    event = listener.next(1)
    assert event is not None
    assert (event.message_id, event.data.end_user_id, event.resources()) == ("m1", "eu_1", ("energy.usage",))
    assert listener.next(0.01) is None


def test_a_message_that_comes_again_is_taken_without_effect(listener: EventListener) -> None:
    for attempt in (1, 2, 3):
        assert post(listener, message(attempt=attempt))[0] == 200
    assert post(listener, message("m2"))[0] == 200
    assert [event.message_id for event in (listener.next(1), listener.next(1)) if event] == ["m1", "m2"]
    assert listener.next(0.01) is None
    assert (listener.counts["accepted"], listener.counts["doubled"]) == (2, 2)


@pytest.mark.parametrize("signed", [None, "forged", signature(SECRET, b"another body")])
def test_a_forged_message_is_refused(listener: EventListener, signed: str | None) -> None:
    status, body = post(listener, message(), signed=signed)
    assert (status, body["name"]) == (401, "unauthorized")
    assert set(body) == {"id", "name", "message"}
    assert listener.next(0.01) is None
    assert post(listener, message())[0] == 200, "a forgery does not use up the message's id"


@pytest.mark.parametrize("published", ["2026-11-20T11:00:00Z", "2020-01-01T00:00:00Z", "yesterday", "", None])
def test_a_stale_message_is_refused(listener: EventListener, published: str | None) -> None:
    status, body = post(listener, message(published=published))
    assert (status, body["name"]) == (400, "bad_request")
    assert listener.next(0.01) is None


@pytest.mark.parametrize("length", [str(LARGEST_BODY + 1), "0" * 12 + "1", "-1", "1e2", "", "٣", "9" * 5000])
def test_a_body_of_no_usable_length_is_not_read(listener: EventListener, length: str) -> None:
    connection = http.client.HTTPConnection(listener.url.split("/")[2], timeout=120)
    connection.putrequest("POST", "/events")
    connection.putheader("content-length", length.encode())
    connection.endheaders()
    assert connection.getresponse().status == 400
    connection.close()
    assert listener.next(0.01) is None


def test_too_many_waiting_messages_are_to_be_sent_again(listener: EventListener) -> None:
    for number in range(WAITING_EVENTS):
        hear(listener, f"waiting-{number}")
    assert post(listener, message("one more"))[0] == 503
    assert listener.next(1) is not None
    assert post(listener, message("one more"))[0] == 200


def test_what_was_heard_is_not_remembered_for_ever(listener: EventListener) -> None:
    for number in range(REMEMBERED_MESSAGES + 1):
        assert hear(listener, f"m{number}") == "accepted"
        assert listener.next(1) is not None
    assert hear(listener, f"m{REMEMBERED_MESSAGES}") == "doubled"
    assert hear(listener, "m0") == "accepted"


def hear(listener: EventListener, name: str) -> str:
    return listener.hear(signature(SECRET, message(name)), message(name))


def test_the_header_in_the_deployments_own_word() -> None:
    with EventListener(SECRET, spelling=Spelling("acme"), now=lambda: NOW) as listener:
        assert post(listener, message(), header="X-Acme-Signature")[0] == 200
        assert post(listener, message("m2"))[0] == 401


def test_only_posts_are_answered(listener: EventListener) -> None:
    connection = http.client.HTTPConnection(listener.url.split("/")[2], timeout=120)
    connection.request("GET", "/events")
    assert connection.getresponse().status == 501
    connection.close()


def test_it_listens_on_this_machine_only(listener: EventListener) -> None:
    assert listener.url.startswith("http://127.0.0.1:")


def test_a_port_that_is_taken_is_told(listener: EventListener) -> None:
    port = int(listener.url.split(":")[2].split("/")[0])
    with pytest.raises(UsageError, match=str(port)):
        EventListener(SECRET, port=port)


@pytest.mark.parametrize("port", [-1, 65536, 70_000])
def test_a_port_that_is_none_is_told(port: int) -> None:
    with pytest.raises(UsageError, match=f"{port}.* 65535"):
        EventListener(SECRET, port=port)


def test_a_secret_that_is_not_base64_is_told() -> None:
    with pytest.raises(ValueError, match="base64"):
        EventListener("not base64!")


@pytest.mark.parametrize("published", ["2026-11-21T12:04:59Z", "2026-11-21T23:04:00+11:00"])
def test_clocks_may_differ_by_minutes(listener: EventListener, published: str) -> None:
    assert post(listener, message(published=published))[0] == 200


@pytest.mark.parametrize("published", ["2026-11-21T12:05:01Z", "2026-11-22T12:00:00Z", "9999-12-31T23:59:59Z"])
def test_a_message_dated_in_the_future_is_refused(listener: EventListener, published: str) -> None:
    status, body = post(listener, message(published=published))
    assert (status, body["name"]) == (400, "bad_request")
    assert listener.next(0.01) is None
    assert (listener.counts["future"], listener.counts["stale"]) == (1, 0)


def test_a_signed_message_with_a_number_as_id_is_heard_once(listener: EventListener) -> None:
    body = message().replace(b'"m1"', b"17")
    assert [post(listener, body)[0] for _ in range(2)] == [200, 200]
    event = listener.next(1)
    assert event is not None
    assert (event.message_id, event.resources()) == ("17", ("energy.usage",))
    assert (listener.counts["accepted"], listener.counts["doubled"], listener.counts["forged"]) == (1, 1, 0)


@pytest.mark.parametrize("body", [b"", b"[]", b'{"data":{}}', b'{"message_id":null,"data":{}}'])
def test_a_signed_body_that_is_no_event_is_not_called_forged(listener: EventListener, body: bytes) -> None:
    assert post(listener, body)[0] == 400
    assert (listener.counts["unreadable"], listener.counts["forged"]) == (1, 0)
