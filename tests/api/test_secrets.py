"""No secret in messages, reprs, logs or tracebacks, whatever goes wrong."""

from __future__ import annotations

import json
import logging
import traceback
from urllib.parse import quote

import pytest

from tests.api.conftest import SECRET, TOKEN, access, reply
from toolkit.api.client import Client
from toolkit.api.transport import TokenCache
from toolkit.errors import ServiceError, ToolkitError
from toolkit.settings import load
from toolkit.wire.records import Token


def echo(asked):
    """A server that says back all it was told."""
    echoed = asked.headers.get("authorization", "") + asked.body.decode()
    return reply({"name": "bad_request", "message": echoed, "id": echoed}, 400)


def break_off(_):
    return reply(b"", 0)


@pytest.mark.parametrize("answer", [echo, break_off, lambda _: reply({}, 401), lambda _: reply(b"{", 200)])
@pytest.mark.parametrize("at_sign_in", [True, False])
def test_failures_tell_no_secret(service, client, caplog, answer, at_sign_in):
    if at_sign_in:
        service.token = answer
    else:
        service.answer = answer
    with caplog.at_level(logging.DEBUG), pytest.raises(ToolkitError) as caught:
        client.create_end_user("a@example.com", "A")
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + caplog.text
    assert SECRET not in shown
    assert TOKEN not in shown


ODD = 'ab/cd+ef "g"==\u00e9'


def escaped(text):
    return "".join(f"\\u{ord(letter):04X}" for letter in text)


SPELT = [
    json.dumps(ODD).encode(),
    json.dumps(ODD).replace("/", r"\/").encode(),
    f'"{escaped(ODD)}"'.encode(),
    json.dumps(json.dumps({"client_secret": ODD})).encode(),
    json.dumps(json.dumps({"client_secret": ODD}).replace("/", r"\/")).encode(),
    json.dumps(quote(ODD, safe="")).encode(),
    json.dumps(quote(quote(ODD, safe="")).lower()).encode(),
    json.dumps("x" * 290 + ODD).encode(),
]


@pytest.mark.parametrize("spelt", SPELT)
def test_a_secret_is_hidden_however_the_service_spells_it(service, spelt):
    service.token = lambda _: reply(b'{"error": "invalid_client", "error_description": ' + spelt + b"}", 400)
    odd = load({"TOOLKIT_BASE_URL": service.url, "TOOLKIT_CLIENT_ID": "c", "TOOLKIT_CLIENT_SECRET": ODD})
    with Client(odd) as client, pytest.raises(ToolkitError) as caught:
        client.end_users()
    message = str(caught.value)
    assert "invalid_client" in message
    for part in ("ab", "cd", "ef", "u0061", "u0041"):
        assert part not in message.lower()


def test_what_is_no_error_body_is_not_quoted(service, client):
    service.token = lambda _: reply(f"<p>{SECRET}</p>".encode(), 400)
    with pytest.raises(ServiceError) as refused:
        client.end_users()
    assert refused.value.status == 400
    assert SECRET not in str(refused.value)
    assert "<p>" not in str(refused.value)


def test_reprs_tell_no_secret(service, client):
    service.answer = lambda _: reply({"end_users": []})
    client.end_users()
    keeper = TokenCache(lambda: Token(token=TOKEN))
    keeper.token()
    shown = repr([client, keeper, access(service.url), vars(client)])
    assert SECRET not in shown
    assert TOKEN not in shown


def test_no_token_reaches_where_a_redirect_points(service):
    service.answer = lambda _: reply(b"", 307, location="http://localhost:1/steal")
    with Client(access(service.url)) as client, pytest.raises(ToolkitError):
        client.end_users()
    assert [asked.path for asked in service.asked] == ["/v1/token", "/end-users"]
