"""Four bodies, one table of statuses, typed errors, `Retry-After` in both forms."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from toolkit.errors import (
    AuthenticationError,
    ConsentRequiredError,
    InvalidResponseError,
    RateLimitError,
    RequestRejectedError,
    ServerError,
)
from toolkit.wire.errors import GOA, JSON, STATUSES, error_for, read_error, retry_after, write_error

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.mark.parametrize(
    ("sample", "name", "reference"),
    [
        ("token/401", "invalid_client", ""),
        ("token/403", "insufficient_scope", ""),
        ("banking.accounts/400", "bad_request", "err_5f1c0e6e-2f0a-4a55-9f4b-9b1d4e1c2a77"),
        ("end_users.get/404", "end_user_not_found", "err_0b9e8a52"),
        ("consents.get/404", "consent_not_found", ""),
    ],
)
def test_each_shape_of_body_is_read(sample, name, reference):
    found = read_error((SAMPLES / f"{sample}.json").read_bytes())
    assert (found.name, found.reference) == (name, reference)
    assert found.message


@pytest.mark.parametrize("shape", ["token", "data", "goa", "consent"])
def test_what_one_side_writes_the_other_reads(shape):
    content_type, body = write_error(shape, "not_found", "No such thing", "err_1")
    found = read_error(msgspec.json.encode(body))
    assert (found.name, found.message) == ("not_found", "No such thing")
    assert content_type == (GOA if shape == "goa" else JSON)


def test_the_fields_of_each_body_are_those_of_the_specification():
    assert set(write_error("token", "a", "b", "c")[1]) == {"error", "error_description"}
    assert set(write_error("data", "a", "b", "c")[1]) == {"id", "message", "name"}
    assert set(write_error("goa", "a", "b", "c")[1]) == {"fault", "id", "message", "name", "temporary", "timeout"}
    assert set(write_error("consent", "a", "b", "c")[1]) == {"code", "message"}


@pytest.mark.parametrize(
    ("status", "name", "kind"),
    [
        (401, "invalid_client", AuthenticationError),
        (403, "insufficient_scope", AuthenticationError),
        (403, "consent_expired", ConsentRequiredError),
        (400, "bad_request", RequestRejectedError),
        (404, "end_user_not_found", RequestRejectedError),
        (429, "rate_limit_exceeded", RateLimitError),
        (500, "internal_error", ServerError),
        (502, "", ServerError),
        (302, "", InvalidResponseError),
    ],
)
def test_each_failure_becomes_what_a_caller_can_do(status, name, kind):
    body = msgspec.json.encode({"id": "err_1", "name": name, "message": "m"})
    error = error_for("GET /v1/x", status, {"retry-after": "7"}, body, NOW)
    assert type(error) is kind
    assert (error.status, error.name, error.reference) == (status, name, "err_1")
    assert {"GET", "/v1/x:", str(status)} <= set(str(error).replace("(", " ").split())


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_by_the_consent_api_advises_the_certificate(status):
    error = error_for(
        "GET /consents/{consent_id}", status, {}, b'{"code":"unauthorized","message":"m"}', NOW, bound=True
    )
    assert type(error) is AuthenticationError
    assert "TOOLKIT_CLIENT_CERT" in str(error)
    assert "secret" not in str(error)


def test_foreign_text_comes_out_as_one_harmless_line():
    body = msgspec.json.encode({"name": "n", "message": "a\x1b[31m\nb" + "c" * 5000})
    text = str(error_for("GET /x", 500, {}, body, NOW))
    assert "\x1b" not in text
    assert "\n" not in text
    assert len(text) < 600


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[1]", b"\xff", b"[" * 100_000, b'{"message":3}', b'{"name":"\xff"}']
)
def test_a_body_of_no_known_shape_is_no_trouble(body):
    assert error_for("GET /x", 500, {}, body, NOW).name == ""


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("1000000000", 1e9),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after(header, seconds):
    assert retry_after(header, NOW) == seconds


def test_every_status_of_the_table_is_an_error():
    assert all(400 <= status < 600 for status in STATUSES.values())
