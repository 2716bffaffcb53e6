"""No secret in messages, reprs, logs or tracebacks, whatever goes wrong."""

from __future__ import annotations

import logging
import traceback

import pytest

from tests.api.conftest import SECRET, TOKEN, access, reply
from toolkit.api.auth import TokenKeeper
from toolkit.api.client import Client
from toolkit.errors import ToolkitError
from toolkit.wire.records import Token


def echo(asked):
    """A server that says back all it was told."""
    told = asked.headers.get("authorization", "") + asked.body.decode()
    return reply({"name": "bad_request", "message": told, "id": told}, 400)


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
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + caplog.text
    assert SECRET not in told
    assert TOKEN not in told


def test_reprs_tell_no_secret(service, client):
    service.answer = lambda _: reply({"end_users": []})
    client.end_users()
    keeper = TokenKeeper(lambda: Token(token=TOKEN))
    keeper.token()
    told = repr([client, keeper, access(service.url), vars(client)])
    assert SECRET not in told
    assert TOKEN not in told


def test_no_token_reaches_where_a_redirect_points(service):
    service.answer = lambda _: reply(b"", 307, location="http://localhost:1/steal")
    with Client(access(service.url)) as client, pytest.raises(ToolkitError):
        client.end_users()
    assert [asked.path for asked in service.asked] == ["/v1/token", "/end-users"]
