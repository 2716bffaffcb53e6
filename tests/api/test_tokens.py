"""Signing in: once for any number of callers, renewed before the end and after a 401, never with half an answer."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from tests.api.conftest import SECRET, TOKEN, access, reply
from toolkit.api.client import Client
from toolkit.api.transport import TokenCache, life, value
from toolkit.errors import AuthenticationError, InvalidResponseError, ServerError, SettingsError
from toolkit.wire.records import Token

USERS = {"end_users": [], "links": {}}


def test_credentials_become_a_bearer_token(service, client):
    service.answer = lambda _: reply(USERS)
    client.end_users()
    first, second = service.asked
    assert (first.method, first.path) == ("POST", "/v1/token")
    assert json.loads(first.body) == {"client_id": "client-1", "client_secret": SECRET}
    assert second.headers["authorization"] == f"Bearer {TOKEN}"
    assert second.headers["x-platform-version"] == "v3"


def test_a_token_serves_until_shortly_before_its_end(service, client, clock):
    service.answer = lambda _: reply(USERS)
    client.end_users()
    clock.seconds += 839
    client.end_users()
    assert service.count("/v1/token") == 1
    clock.seconds += 2  # 841 of 900 s: within the margin of 60
    client.end_users()
    assert service.count("/v1/token") == 2


def test_a_hundred_callers_share_one_renewal():
    calls = count(1)

    def slow() -> Token:
        time.sleep(0.05)
        return Token(token=f"token-{next(calls)}", expires_in=900)

    keeper = TokenCache(slow)
    with ThreadPoolExecutor(100) as pool:
        assert set(pool.map(lambda _: keeper.token(), range(100))) == {"token-1"}
        assert set(pool.map(lambda _: keeper.token(unlike="token-1"), range(100))) == {"token-2"}
    assert next(calls) == 3


def test_a_hundred_refused_requests_renew_once(service):
    tokens = count(1)
    service.token = lambda _: reply({"token": f"token-{next(tokens)}"})
    service.answer = lambda asked: reply(USERS, 401 if asked.headers["authorization"].endswith("token-1") else 200)
    with Client(access(service.url)) as client, ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda _: client.end_users(), range(100)))
    assert service.count("/v1/token") == 2


def test_a_fresh_token_that_is_refused_too_is_the_end(service, client):
    service.answer = lambda _: reply({"name": "unauthorized", "message": "no"}, 401)
    with pytest.raises(AuthenticationError):
        client.end_users()
    assert service.paths() == ["POST /v1/token", "GET /end-users"] * 2


def test_refused_credentials_are_sent_once(service, client):
    service.token = lambda _: reply({"error": "invalid_client", "error_description": "revoked"}, 401)
    for _ in range(3):
        with pytest.raises(AuthenticationError) as refused:
            client.end_users()
        assert refused.value.name == "invalid_client"
    assert service.count("/v1/token") == 1


def test_a_failing_sign_in_is_repeated_and_the_next_caller_may_try_again(service, client):
    service.token = lambda _: reply({}, 503)
    with pytest.raises(ServerError):
        client.sign_in()
    assert service.count("/v1/token") == 5
    service.token = lambda _: reply({"token": "later"})
    client.sign_in()


@pytest.mark.parametrize("body", [{}, {"token": None}, {"token": ""}, {"token": "a b"}, {"token": "a\r\nx: y"}])
def test_an_answer_without_a_usable_token_sends_nothing(service, client, body):
    service.token = lambda _: reply(body)
    with pytest.raises(InvalidResponseError) as refused:
        client.end_users()
    assert refused.value.name == "no_token"
    assert service.count("/end-users") == 0


def test_the_other_name_of_the_token():
    assert value(Token(access_token="a")) == "a"


@pytest.mark.parametrize(
    ("stated", "seconds"),
    [(900, 840), (None, 840), (300, 240), (10, 8), (0, 5), (-60, 5), (10**12, 86_340)],
)
def test_renewal_times_make_sense_for_any_stated_life(stated, seconds):
    assert life(Token(token="a", expires_in=stated)) == seconds


def test_missing_credentials_say_what_to_do(service):
    from toolkit import settings

    with (
        Client(settings.load({"TOOLKIT_BASE_URL": service.url})) as client,
        pytest.raises(AuthenticationError, match="TOOLKIT_CLIENT_ID"),
    ):
        client.end_users()
    assert service.asked == []


@pytest.mark.parametrize("url", ["http://example.com", "ftp://example.com", "https://", "https://u:p@example.com", "x"])
def test_addresses_that_would_leak_or_lead_nowhere_are_refused(url):
    with pytest.raises(SettingsError, match="TOOLKIT_BASE_URL"):
        Client(access(url))
