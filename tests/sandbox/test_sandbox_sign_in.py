"""Tokens, scopes and the error bodies."""

from __future__ import annotations

from datetime import timedelta

import httpx
import pytest

from tests.sandbox.stranger import Caller, signed_in


def test_credentials_become_a_token_for_fifteen_minutes(caller: Caller) -> None:
    sandbox = caller.sandbox
    body = {"client_id": sandbox.client_id, "client_secret": sandbox.client_secret}
    answer = httpx.post(f"{sandbox.base_url}/v1/token", json=body, trust_env=False)
    assert (answer.status_code, answer.json()["expires_in"]) == (200, 900)
    assert answer.json()["token"]


def test_a_wrong_secret_is_an_invalid_client(caller: Caller) -> None:
    body = {"client_id": caller.sandbox.client_id, "client_secret": "wrong"}
    answer = caller.http.post("/v1/token", json=body)
    assert (answer.status_code, set(answer.json())) == (401, {"error", "error_description"})
    assert answer.json()["error"] == "invalid_client"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"client_id": 3}'])
def test_a_token_request_that_cannot_be_read_is_refused(caller: Caller, body: bytes) -> None:
    answer = caller.http.post("/v1/token", content=body)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer nonsense", "Basic abc"])
def test_data_needs_a_bearer_token(caller: Caller, header: str) -> None:
    user = caller.user("family")
    answer = caller.http.get("/v1/banking/accounts", params={"end_user_id": user}, headers={"authorization": header})
    assert (answer.status_code, answer.headers["content-type"]) == (401, "application/json")
    assert set(answer.json()) == {"id", "name", "message"}


def test_a_token_ends_when_the_clock_passes_its_time(caller: Caller) -> None:
    sandbox = caller.sandbox
    with signed_in(sandbox, sandbox.client_id, sandbox.client_secret) as http:
        assert http.get("/end-users").status_code == 200
        sandbox.service.now += timedelta(seconds=900)
        assert http.get("/end-users").status_code == 401
        sandbox.service.now -= timedelta(seconds=900)


def test_the_limited_client_may_read_data_but_not_the_providers_products(caller: Caller) -> None:
    sandbox = caller.sandbox
    with signed_in(sandbox, sandbox.limited_client_id, sandbox.limited_client_secret) as http:
        refused = http.get("/v1/data-provider/cdr/products")
        assert (refused.status_code, refused.json()["name"]) == (403, "insufficient_scope")
        assert http.get("/v1/banking/accounts", params={"end_user_id": caller.user("family")}).status_code == 200
    assert caller.get("/v1/data-provider/cdr/products").json()["products"]


@pytest.mark.parametrize("path", ["/end-users/eu_nobody", "/institutions/00000", "/v1/end-users/eu_nobody"])
def test_one_end_user_or_institution_that_is_not_there_is_a_goa_error(caller: Caller, path: str) -> None:
    answer = caller.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/vnd.goa.error")
    assert set(answer.json()) == {"id", "name", "message", "fault", "temporary", "timeout"}


def test_paths_and_methods_that_are_not_served_answer_in_json(caller: Caller) -> None:
    assert caller.get("/v1/nothing").json()["name"] == "not_found"
    assert caller.http.delete("/v1/token").status_code == 405


def test_end_users_are_created_once_and_found_by_address(caller: Caller) -> None:
    body = {"email": "new@example.com", "name": "New Person"}
    created = caller.http.post("/v1/end-users", json=body).json()
    users = caller.get("/end-users", email="new@example.com").json()["end_users"]
    assert [(user["id"], user["name"]) for user in users] == [(created["end_user_id"], "New Person")]
    assert caller.get(f"/end-users/{created['end_user_id']}").json()["email"] == "new@example.com"
    again = caller.http.post("/v1/end-users", json=body)
    assert (again.status_code, again.json()["name"]) == (400, "end_user_already_exists")


def test_institutions_tell_their_health(caller: Caller) -> None:
    listed = caller.get("/v1/institutions", client_id=caller.sandbox.client_id).json()
    states = {item["name"]: item["status"]["connections"]["status"] for item in listed}
    assert states["Currawong Savings"] == "DEGRADED"
    assert states["Ironbark Bank"] == "HEALTHY"
    assert caller.get("/v1/institutions").status_code == 400
    assert caller.get(f"/institutions/{listed[0]['id']}").json() == listed[0]
