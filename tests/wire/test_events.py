"""Webhook signatures against OpenSSL's own (`openssl dgst -sha256 -hmac KEY -binary | base64`), and what events say."""

from __future__ import annotations

import pytest

from toolkit.wire.events import Event, EventData, is_signed, read_event, signature

SECRET = "dGhpcnR5LXR3byBieXRlcyBvZiB3ZWJob29rIGtleSE="
BODY = (
    b'{"delivery_attempt":1,"publish_time":"2026-11-21T00:00:00Z","message_id":"m1",'
    b'"data":{"event":"energy.usage.sync.completed","end_user_id":"eu_1"}}'
)
SIGNED = "hQ87NMWE8nIEIYQ7agHUiGiu5fxeNKDANgiU7iGNWFs="


def test_the_signature_is_that_of_openssl():
    assert signature(SECRET, BODY) == SIGNED


def test_a_signed_event_is_read():
    assert is_signed(SECRET, f" {SIGNED}", BODY)
    event = read_event(BODY)
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
def test_another_signature_or_body_is_forged(stated, body):
    assert not is_signed(SECRET, stated, body)


def test_a_body_that_is_not_an_event_is_none():
    for body in (b"", b"[]", b'{"data":{}}', b"[" * 100_000, b'{"message_id":"\xff","data":{}}'):
        assert read_event(body) is None


def test_unknown_events_name_nothing_to_pull():
    assert Event(message_id="m", data=EventData(event="consent.revoked")).resources() == ()


def test_a_secret_that_is_not_base64_is_told():
    with pytest.raises(ValueError, match="base64"):
        signature("not base64!", BODY)


def read(message_id: str, data: str, more: str = "") -> Event | None:
    body = f'{{"message_id":{message_id},"data":{data}{more}}}'.encode()
    return read_event(body)


@pytest.mark.parametrize(
    ("written", "message_id"),
    [("7", "7"), ("12345678901234567890123", "12345678901234567890123"), ("1.50", "1.50"), ("true", "true"),
     ('["a"]', '["a"]'), ('"7"', "7")],
)  # fmt: skip
def test_a_message_id_of_another_type_is_its_json_text(written, message_id):
    assert read(written, "{}").message_id == message_id


@pytest.mark.parametrize("odd", ["7", "null", "[]", '{"a":1}', "true"])
def test_a_field_of_an_odd_type_costs_no_message(odd):
    usage = f'{{"event":"energy.usage.sync.completed","end_user_id":"eu_1","account_ids":{odd},"payee_ids":{odd}}}'
    event = read('"m"', usage, f',"delivery_attempt":{odd},"new":{odd}')
    assert (event.data.end_user_id, event.resources()) == ("eu_1", ("energy.usage",))
    assert read('"m"', odd).resources() == ()
    assert read('"m"', f'{{"event":{odd},"end_user_id":{odd}}}').resources() == ()


@pytest.mark.parametrize(
    ("written", "published"),
    [('"2026-11-21T00:00:00Z"', "2026-11-21T00:00:00Z"), ("1795219200", "2026-11-21T00:00:00+00:00"),
     ("1795219200000", "2026-11-21T00:00:00+00:00"), ("null", None), ("1e999", "1e999"), ("[]", "[]")],
)  # fmt: skip
def test_a_time_may_be_a_number_of_seconds_or_milliseconds(written, published):
    assert read('"m"', "{}", f',"publish_time":{written}').publish_time == published
