"""Failures on purpose, the clock, the kept state, and TLS."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.sandbox.stranger import TODAY, Caller, signed_in
from toolkit.errors import UsageError
from toolkit.sandbox.serve import Running, running


@pytest.fixture
def faulty(caller: Caller) -> Iterator[Any]:
    """Sets faults for a test, and none after it."""
    yield lambda *faults: order(caller.sandbox, faults=list(faults))
    order(caller.sandbox, faults=[])


def order(sandbox: Running, **wanted: Any) -> dict[str, Any]:
    answer = httpx.post(sandbox.control_url or "", json=wanted, trust_env=False)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_fault_spares_some_requests_and_strikes_some(caller: Caller, faulty: Any) -> None:
    faulty({"path": "/end-users", "status": 429, "headers": {"Retry-After": "7"}, "after": 1, "times": 2})
    answers = [caller.get("/end-users") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 429, 429, 200]
    assert (answers[1].headers["retry-after"], answers[1].json()["name"]) == ("7", "rate_limit_exceeded")


def test_a_fault_speaks_in_the_error_shape_of_its_path(caller: Caller, faulty: Any) -> None:
    faulty({"path": "/v1/token", "status": 500}, {"path": "/institutions/*", "status": 503})
    assert set(caller.http.post("/v1/token").json()) == {"error", "error_description"}
    assert caller.get("/institutions/70001").headers["content-type"] == "application/vnd.goa.error"


def test_an_answer_can_break_off_or_never_come(caller: Caller, faulty: Any) -> None:
    faulty({"path": "/end-users", "truncate": 20, "times": 1}, {"path": "/v1/institutions", "reset": True, "times": 1})
    with pytest.raises(httpx.RemoteProtocolError):
        caller.get("/end-users")
    with pytest.raises(httpx.TransportError):
        caller.get("/v1/institutions", client_id="x")
    assert caller.get("/end-users").status_code == 200


@pytest.mark.parametrize(("truncate", "part"), [(True, 0.5), (0, 0.0), (20, None), (False, 1.0), (None, 1.0)])
def test_an_answer_breaks_off_after_half_or_some_bytes(
    caller: Caller, faulty: Any, truncate: bool | int | None, part: float | None
) -> None:
    whole = caller.get("/end-users").content
    faulty({"path": "/end-users", "truncate": truncate})
    received, broken = b"", False
    try:
        with caller.http.stream("GET", "/end-users") as answer:
            for piece in answer.iter_raw():
                received += piece
    except httpx.RemoteProtocolError:
        broken = True
    assert received == whole[: 20 if part is None else int(len(whole) * part)]
    assert broken == (len(received) < len(whole))


@pytest.mark.parametrize("truncate", [-1, "20", 1.5])
def test_a_fault_truncates_by_true_or_a_number_of_bytes(caller: Caller, truncate: Any) -> None:
    fault = {"path": "/end-users", "truncate": truncate}
    answer = httpx.post(caller.sandbox.control_url or "", json={"faults": [fault]}, trust_env=False)
    assert answer.status_code == 400


def test_past_a_set_rate_a_client_is_told_when_to_come_again(caller: Caller) -> None:
    order(caller.sandbox, requests_per_minute=2)
    answers = [caller.get("/end-users") for _ in range(3)]
    order(caller.sandbox, requests_per_minute=0)
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].json()["name"] == "rate_limit_exceeded"
    assert 1 <= int(answers[2].headers["retry-after"]) <= 60
    assert caller.get("/end-users").status_code == 200


def test_an_institution_can_be_down(caller: Caller) -> None:
    user = caller.user("family")
    account = caller.get("/v1/banking/accounts", end_user_id=user).json()["accounts"][0]["account_id"]
    asked = {"end_user_id": user, "account_id": account, "fetch": "true"}
    order(caller.sandbox, health={"70001": "OUTAGE"})
    stated = caller.get("/institutions/70001").json()["status"]["connections"]["status"]
    fetched, stored = caller.get("/v1/banking/balances", **asked), caller.get("/v1/banking/balances", end_user_id=user)
    fresh = {row["institution_id"]: row["status"] for row in caller.every("/v1/data-freshness", end_user_id=user)}
    url = caller.session(user, institution_id="70001", cancel_uri="http://127.0.0.1:9/")["auth_url"]
    ended = approve(caller, caller.http.get(url))
    order(caller.sandbox, health={})
    assert (stated, fetched.status_code, stored.status_code) == ("OUTAGE", 502, 200)
    assert (fresh["70001"], fresh["80001"]) == ("STALE", "FRESH")
    assert "CONSENT_UPSTREAM_PROCESSING_ERROR" in ended.headers["location"]
    assert caller.get("/v1/banking/balances", **asked).status_code == 200


def test_faults_come_from_a_file(tmp_path: Path) -> None:
    listed = tmp_path / "faults.json"
    listed.write_text(json.dumps([{"path": "/institutions/*", "headers": {"X-Odd": "1"}}]))
    with running(today=TODAY, years=1, faults=listed) as sandbox, full(sandbox) as http:
        assert http.get("/institutions/70001").headers["x-odd"] == "1"
    listed.write_text('[{"oops": 1}]')
    with pytest.raises(UsageError, match=r"faults\.json"), running(today=TODAY, faults=listed):
        pass


def full(sandbox: Running) -> httpx.Client:
    return signed_in(sandbox, sandbox.client_id, sandbox.client_secret)


def test_a_moved_clock_ends_tokens_posts_what_was_pending_and_adds_days() -> None:
    with running(today=TODAY, years=1) as sandbox:
        with full(sandbox) as http:
            caller = Caller(sandbox, http)
            user = caller.user("family")
            before = {row["platform_id"]: row for row in caller.every("/v1/banking/transactions", end_user_id=user)}
            reads = caller.every("/v1/energy/usage", end_user_id=user)
            assert order(sandbox, advance_seconds=4 * 86400)["now"].startswith("2026-03-14")
            assert http.get("/end-users").status_code == 401
        with full(sandbox) as http:
            caller = Caller(sandbox, http)
            after = {row["platform_id"]: row for row in caller.every("/v1/banking/transactions", end_user_id=user)}
            pending = {key for key, row in before.items() if row["status"] == "PENDING"}
            assert pending
            assert before.keys() - after.keys() == pending
            assert {key: after[key] for key in before.keys() - pending} == {
                key: before[key] for key in before.keys() - pending
            }
            later = caller.every("/v1/energy/usage", end_user_id=user)
            assert later[: len(reads)] == reads
            assert later[-1]["read_start_date"] == "2026-03-12"
            order(sandbox, advance_seconds=366 * 86400)
        with full(sandbox) as http:
            refused = http.get("/v1/banking/accounts", params={"end_user_id": user})
            assert (refused.status_code, refused.json()["name"]) == (403, "consent_expired")


def test_a_restarted_sandbox_goes_on(tmp_path: Path) -> None:
    kept = tmp_path / "state.json"
    with running(today=TODAY, years=1, state=kept) as sandbox, full(sandbox) as http:
        created = http.post("/v1/end-users", json={"email": "kept@example.com", "name": "Kept"}).json()
        consent = http.get("/v1/consent", params={"end_user_id": sandbox.people[0][1]}).json()["consents"][0]
        http.delete(f"/v1/consent/{consent['arrangement_id']}")
        order(sandbox, advance_seconds=60)
        token = http.headers["authorization"]
    assert kept.stat().st_mode & 0o777 == 0o600
    with running(today=TODAY, years=1, state=kept) as sandbox:
        headers = {"authorization": token}
        with httpx.Client(base_url=sandbox.base_url, headers=headers, trust_env=False) as http:
            assert http.get(f"/end-users/{created['end_user_id']}").json()["name"] == "Kept"
            listed = http.get("/v1/consent", params={"end_user_id": sandbox.people[0][1], "active": "false"}).json()
            assert [c["arrangement_id"] for c in listed["consents"]] == [consent["arrangement_id"]]
            assert order(sandbox)["now"] == "2026-03-10T02:01:00Z"
    with pytest.raises(UsageError, match="seed 1"), running(seed=2, today=TODAY, state=kept):
        pass


def test_a_consent_request_is_approved_once(caller: Caller) -> None:
    body = {"scopes": ["openid", "bank:transactions:read"], "sharing_duration": 86400 * 90, "customer_id": "c-7"}
    asked = caller.http.post("/consents", json=body).json()
    assert (asked["status"], asked["expires_in"]) == ("created", 600)
    created = caller.get(f"/consents/{asked['consent_id']}").json()
    assert (created["status"], created["granted_at"], created["customer_id"]) == ("created", None, "c-7")
    page = caller.http.get(asked["authorization_url"], follow_redirects=True)
    answer = approve(caller, page)
    assert answer.headers["location"].startswith(caller.sandbox.redirect_uri)
    active = caller.get(f"/consents/{asked['consent_id']}").json()
    assert (active["status"], active["scopes"]) == ("active", body["scopes"])
    assert active["granted_at"] < active["expires_at"]
    assert active["account_ids"]
    assert caller.http.get(asked["authorization_url"], follow_redirects=True).status_code == 410


def approve(caller: Caller, page: httpx.Response) -> httpx.Response:
    from tests.sandbox.stranger import Form

    url = str(page.url)
    while page.status_code == 200:
        page = caller.http.post(url, data=Form(page.text).filled())
    return page


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"scopes": []}, "invalid_scope"),
        ({"scopes": ["everything"]}, "invalid_scope"),
        ({"scopes": ["openid"], "redirect_uri": "https://elsewhere.example"}, "invalid_redirect_uri"),
        ({"scopes": ["openid"], "sharing_duration": -1}, "invalid_request"),
    ],
)
def test_consent_requests_that_are_refused(caller: Caller, body: dict[str, Any], code: str) -> None:
    answer = caller.http.post("/consents", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert caller.get("/consents/other").status_code == 404
