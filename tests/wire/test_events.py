"""Webhook signatures against OpenSSL's own (`openssl dgst -sha256 -hmac KEY -binary | base64`), and what events say."""

from __future__ import annotations

import pytest

from toolkit.wire.events import Event, EventData, signature, verified

SECRET = "dGhpcnR5LXR3byBieXRlcyBvZiB3ZWJob29rIGtleSE="
BODY = (
    b'{"delivery_attempt":1,"publish_time":"2026-11-21T00:00:00Z","message_id":"m1",'
    b'"data":{"event":"energy.usage.sync.completed","end_user_id":"eu_1"}}'
)
SIGNED = "hQ87NMWE8nIEIYQ7agHUiGiu5fxeNKDANgiU7iGNWFs="


def test_the_signature_is_that_of_openssl():
    assert signature(SECRET, BODY) == SIGNED


def test_a_signed_event_is_read():
    event = verified(SECRET, SIGNED, BODY)
    assert (event.message_id, event.data.end_user_id, event.resources()) == ("m1", "eu_1", ("energy.usage",))


@pytest.mark.parametrize(
    ("stated", "body"),
    [
        (None, BODY),
        ("", BODY),
        (SIGNED[:-4], BODY),
        ("é", BODY),
        (SIGNED, BODY + b" "),
        (SIGNED, BODY.replace(b"eu_1", b"eu_2")),
    ],
)
def test_forged_events_are_none(stated, body):
    assert verified(SECRET, stated, body) is None


def test_what_is_signed_but_no_event_is_none():
    for body in (b"", b"[]", b'{"data":{}}', b"[" * 100_000, b'{"message_id":"\xff","data":{}}'):
        assert verified(SECRET, signature(SECRET, body), body) is None


def test_unknown_events_name_nothing_to_pull():
    assert Event(message_id="m", data=EventData(event="consent.revoked")).resources() == ()


def test_a_secret_that_is_not_base64_is_told():
    with pytest.raises(ValueError, match="base64"):
        signature("not base64!", BODY)
