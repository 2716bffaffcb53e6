"""The consent pages, walked as a browser without script would."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.sandbox.stranger import TODAY, Caller, Form, signed_in
from toolkit.sandbox.consent.pages import CONNECTED
from toolkit.sandbox.serve import running

BACK = "http://127.0.0.1:9/back?keep=1"
AWAY = "http://127.0.0.1:9/away"


@pytest.fixture
def newcomer(caller: Caller, request: pytest.FixtureRequest) -> str:
    body = {"email": f"{abs(hash(request.node.name))}@example.com", "name": "<b>New</b> & Co"}
    return str(caller.http.post("/v1/end-users", json=body).json()["end_user_id"])


@pytest.fixture
def walk(caller: Caller) -> Callable[..., httpx.Response]:
    """Submits page after page as they are, but for what `changed` says of a step, until something else comes."""

    def go(url: str, changed: dict[str, dict[str, str]] | None = None) -> httpx.Response:
        with httpx.Client(trust_env=False) as browser:
            answer = browser.get(url)
            for _ in range(10):
                form = Form(answer.text)
                if answer.status_code != 200 or not form.fields:
                    break
                step = dict(form.fields)["step"]
                answer = browser.post(url, data=form.filled(**(changed or {}).get(step, {})))
            return answer

    return go


def outcome(answer: httpx.Response) -> tuple[str, dict[str, list[str]]]:
    assert answer.status_code == 303, answer.text
    target = urlsplit(answer.headers["location"])
    return target.path, parse_qs(target.query)


def numbers(accounts: list[dict[str, Any]]) -> list[str]:
    return sorted(account["account_number"] for account in accounts)


def test_forms_sent_as_they_are_lead_to_a_consent_and_to_data(
    caller: Caller, newcomer: str, walk: Callable[..., httpx.Response]
) -> None:
    refused = caller.get("/v1/banking/accounts", end_user_id=newcomer)
    assert (refused.status_code, refused.json()["name"]) == (403, "consent_required")
    session = caller.session(newcomer, institution_id="70001", redirect_uri=BACK)
    path, query = outcome(walk(session["auth_url"]))
    assert path == "/back"
    assert (query["keep"], query["session_id"]) == (["1"], [session["session_id"]])
    [consent] = caller.every("/v1/consent", end_user_id=newcomer)
    assert (consent["consent_id"], consent["active"]) == (query["consent_id"][0], True)
    accounts = caller.every("/v1/banking/accounts", end_user_id=newcomer)
    family = caller.every("/v1/banking/accounts", end_user_id=caller.user("family"))
    assert numbers(accounts) == numbers(family)
    assert {a["platform_id"] for a in accounts}.isdisjoint(a["platform_id"] for a in family)
    assert caller.every("/v1/energy/accounts", end_user_id=newcomer) == []


def test_without_an_institution_the_first_page_asks_for_one(
    caller: Caller, newcomer: str, walk: Callable[..., httpx.Response]
) -> None:
    session = caller.session(newcomer, redirect_uri=BACK)
    outcome(walk(session["auth_url"], {"institution": {"institution_id": "80002"}}))
    [consent] = caller.every("/v1/consent", end_user_id=newcomer, active="true")
    assert consent["institution_id"] == "80002"
    assert len(caller.every("/v1/energy/accounts", end_user_id=newcomer)) == 2


def test_only_the_chosen_accounts_are_shared(
    caller: Caller, newcomer: str, walk: Callable[..., httpx.Response]
) -> None:
    chosen = caller.every("/v1/banking/accounts", end_user_id=caller.user("family"))[1]["account_id"]
    session = caller.session(newcomer, institution_id="70001", redirect_uri=BACK)
    outcome(walk(session["auth_url"], {"accounts": {"account_id": chosen}}))
    assert [a["account_id"] for a in caller.every("/v1/banking/accounts", end_user_id=newcomer)] == [chosen]
    rows = caller.every("/v1/banking/transactions", end_user_id=newcomer)
    assert {row["account_id"] for row in rows} == {chosen}


@pytest.mark.parametrize("households", [1, 2, 3, 5])
@pytest.mark.parametrize("institution", [None, "70001", "70003", "80001", "80002"])
def test_the_first_choice_on_every_page_ends_in_a_consent_with_accounts(
    walk: Callable[..., httpx.Response], households: int, institution: str | None
) -> None:
    with (
        running(today=TODAY, years=1, households=households) as sandbox,
        signed_in(sandbox, sandbox.client_id, sandbox.client_secret) as http,
    ):
        caller = Caller(sandbox, http)
        body = {"email": "first.choice@example.com", "name": "First Choice"}
        user = str(http.post("/v1/end-users", json=body).json()["end_user_id"])
        wanted = {} if institution is None else {"institution_id": institution}
        path, query = outcome(walk(caller.session(user, redirect_uri=BACK, **wanted)["auth_url"]))
        assert (path, "error" in query) == ("/back", False)
        kinds = [caller.every(f"/v1/{kind}/accounts", end_user_id=user) for kind in ("banking", "energy")]
        assert sum(bool(accounts) for accounts in kinds) == 1


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"institution": {"cancel": "1"}}, "LINK_USER_CANCELLED"),
        ({"login": {"deny": "1"}}, "CONSENT_ENDUSER_DENIED"),
        ({"confirm": {"deny": "1"}}, "CONSENT_ENDUSER_DENIED"),
        ({"code": {"code": "123456"}}, "CONSENT_OTP_FAILURE"),
        ({"login": {"customer": "ineligible"}}, "CONSENT_ENDUSER_INELIGIBLE"),
        ({"login": {"customer": "timeout"}}, "CONSENT_TIMEOUT"),
        ({"login": {"customer": "upstream"}}, "CONSENT_UPSTREAM_PROCESSING_ERROR"),
    ],
)
def test_every_failure_goes_to_the_cancel_address_with_its_code(
    caller: Caller, newcomer: str, walk: Callable[..., httpx.Response], changed: Any, code: str
) -> None:
    session = caller.session(newcomer, redirect_uri=BACK, cancel_uri=AWAY)
    path, query = outcome(walk(session["auth_url"], changed))
    assert (path, query["error"], query["session_id"]) == ("/away", [code], [session["session_id"]])
    assert caller.every("/v1/consent", end_user_id=newcomer) == []


def test_a_wrong_password_is_asked_for_again(caller: Caller, newcomer: str) -> None:
    session = caller.session(newcomer, institution_id="70001", redirect_uri=BACK)
    page = caller.http.get(session["auth_url"])
    page = caller.http.post(session["auth_url"], data=Form(page.text).filled(password="wrong"))
    assert "password" in Form(page.text).filled()
    page = caller.http.post(session["auth_url"], data=Form(page.text).filled())
    assert "password" not in Form(page.text).filled()


def test_a_session_serves_once_and_not_for_ever(
    caller: Caller, newcomer: str, walk: Callable[..., httpx.Response]
) -> None:
    session = caller.session(newcomer, institution_id="70001", redirect_uri=BACK)
    outcome(walk(session["auth_url"]))
    assert walk(session["auth_url"]).status_code == 410
    late = caller.session(newcomer, institution_id="70001", redirect_uri=BACK)
    service = caller.sandbox.service
    service.now += timedelta(days=5)
    assert walk(late["auth_url"]).status_code == 410
    service.now -= timedelta(days=5)


def test_without_addresses_a_plain_page_ends_the_flow(
    caller: Caller, newcomer: str, walk: Callable[..., httpx.Response]
) -> None:
    session = caller.session(newcomer, institution_id="80001")
    assert CONNECTED in walk(session["auth_url"]).text


def test_pages_offer_a_way_out_and_run_no_script(caller: Caller, newcomer: str) -> None:
    page = caller.http.get(caller.session(newcomer)["auth_url"])
    assert Form(page.text).buttons == ["go", "cancel"]
    assert "<script" not in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'")


def test_what_a_person_types_is_never_markup(caller: Caller, newcomer: str) -> None:
    url = caller.session(newcomer)["auth_url"]
    page = caller.http.post(url, data={"step": "institution", "institution_id": "<img src=x>"})
    assert page.status_code == 200
    assert "<img" not in page.text


@pytest.mark.parametrize(
    ("body", "status", "name"),
    [
        ({"end_user_id": "eu_nobody"}, 404, "end_user_not_found"),
        ({"institution_id": "99999"}, 400, "invalid_institution_id"),
        ({"redirect_uri": "javascript:alert(1)"}, 400, "bad_request"),
    ],
)
def test_sessions_that_cannot_start(
    caller: Caller, newcomer: str, body: dict[str, str], status: int, name: str
) -> None:
    answer = caller.http.post("/v1/auth/session", json={"end_user_id": newcomer, **body})
    assert (answer.status_code, answer.json()["name"]) == (status, name)


def test_a_withdrawn_consent_opens_nothing(caller: Caller, newcomer: str, walk: Callable[..., httpx.Response]) -> None:
    outcome(walk(caller.session(newcomer, institution_id="70001", redirect_uri=BACK)["auth_url"]))
    [consent] = caller.every("/v1/consent", end_user_id=newcomer)
    address = f"/v1/consent/{consent['arrangement_id']}"
    assert [caller.http.delete(address).status_code for _ in range(2)] == [204, 204]
    refused = caller.get("/v1/banking/accounts", end_user_id=newcomer)
    assert (refused.status_code, refused.json()["name"]) == (403, "consent_revoked")
    assert caller.every("/v1/consent", end_user_id=newcomer, active="true") == []
    assert caller.http.delete("/v1/consent/arr_other").status_code == 404


def test_a_renewed_consent_keeps_its_arrangement(
    caller: Caller, newcomer: str, walk: Callable[..., httpx.Response]
) -> None:
    outcome(walk(caller.session(newcomer, institution_id="70001", redirect_uri=BACK)["auth_url"]))
    [before] = caller.every("/v1/consent", end_user_id=newcomer)
    again = {"arrangement_id": before["arrangement_id"], "institution_id": "70001", "redirect_uri": BACK}
    outcome(walk(caller.session(newcomer, **again)["auth_url"]))
    [after] = caller.every("/v1/consent", end_user_id=newcomer)
    assert after["arrangement_id"] == before["arrangement_id"]
    assert after["consent_id"] != before["consent_id"]
