"""What the service says of people and institutions and cannot be read: each flow that asks tells of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.json_answers import connect, end_link, institutions
from tests.problems import names
from tests.scripted_service import Reply, ScriptedService, SentRequest, access, reply, scripted_service
from toolkit import settings
from toolkit.api.client import Client
from toolkit.errors import ConsentRequiredError, InvalidResponseError
from toolkit.flows.data.doctor.run import doctor
from toolkit.flows.household.context import Context
from toolkit.store import open_store

TODAY = date(2026, 11, 21)
ODD_CONSENT = {"arrangement_id": "arr", "consent_id": "c1", "end_user_id": "eu", "active": "perhaps"}
ODD_PERSON = {"id": "eu", "name": "Alex", "email": ["alex@example.com"]}
BANK = {"id": "101", "name": "Example Bank", "industry": "banking"}


@pytest.fixture
def service() -> Iterator[ScriptedService]:
    with scripted_service() as service:
        yield service


@pytest.fixture
def client(service: ScriptedService) -> Iterator[Client]:
    with Client(access(service.url)) as made:
        yield made


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home.db", TODAY)


def answers(**by_path: Any) -> Callable[[SentRequest], Reply]:
    """An answer by the last word of the path, dashes as underscores; the others are empty lists."""
    everything = {"end_users": [], "consents": [], "accounts": []}
    return lambda asked: reply(by_path.get(re.split("[/]", asked.path)[-1].replace("-", "_"), everything))


def never(_url: str) -> None:
    raise AssertionError("no page is to be opened")


def test_whom_the_service_may_know_already_is_not_made_again(
    ctx: Context, service: ScriptedService, client: Client
) -> None:
    service.answer = answers(end_users={"end_users": [ODD_PERSON]})
    with pytest.raises(InvalidResponseError, match=r"email.*--end-user eu"):
        connect(ctx, client, email="alex@example.com", name="Alex", open_browser=never)
    assert service.count("/v1/end-users") + service.count("/end-users") == 1


def test_who_is_adopted_under_a_consent_that_cannot_be_read_is_adopted_with_a_word(
    ctx: Context, service: ScriptedService, client: Client
) -> None:
    service.answer = answers(consent={"consents": [ODD_CONSENT]}, end_users={"end_users": [ODD_PERSON]})
    answer = connect(ctx, client, end_user="eu", open_browser=never)
    assert [(problem["where"], problem["severity"]) for problem in answer["problems"]] == [
        ("eu", "rejected"),
        ("arr", "rejected"),
    ]
    assert (answer["household"]["name"], answer["consents"]) == ("eu", [])
    with open_store(ctx.db) as store:
        assert [row["resource"] for row in store.rows("quarantine")] == ["consents"]
    service.answer = answers(consent={"consents": [{**ODD_CONSENT, "active": False}]})
    with pytest.raises(ConsentRequiredError):
        connect(ctx, client, end_user="eu", open_browser=never)


def test_a_page_s_consent_is_known_though_the_rest_of_it_cannot_be_read(
    ctx: Context, service: ScriptedService, client: Client
) -> None:
    service.answer = answers(
        consent={"consents": [ODD_CONSENT]}, end_users={"end_users": [ODD_PERSON | {"email": "a@b"}]}
    )
    answer = end_link(ctx, client, end_user="eu", consent="c1")
    assert [problem["where"] for problem in answer["problems"]] == ["arr"]
    with pytest.raises(InvalidResponseError) as refused:
        end_link(ctx, client, end_user="eu", consent="c2")
    assert refused.value.name == "unknown_consent"


def test_institutions_that_cannot_be_read_are_named_beside_the_others(service: ScriptedService, client: Client) -> None:
    service.answer = answers(institutions=[BANK, {"id": {"odd": 1}, "name": "?"}, {**BANK, "id": "102", "logo": [1]}])
    answer = institutions(client)
    assert [row["id"] for row in answer["institutions"]] == ["101", "102"]
    assert [(problem["where"], problem["severity"]) for problem in answer["problems"]] == [
        ("institutions.list[1]", "rejected"),
        ("102", "warning"),
    ]


def test_an_institution_s_odd_entry_is_told_before_the_flow(
    ctx: Context, service: ScriptedService, client: Client
) -> None:
    entry = {**BANK, "logo": [1], "status": {"connections": {"status": "OUTAGE"}}}
    person = {"id": "eu", "email": "alex@example.com", "name": "Alex"}
    rest = {"end_users": [person], "auth_url": "", "session_id": "s"}
    service.answer = lambda asked: reply(entry if "institutions" in asked.path else rest)
    said: list[str] = []
    with pytest.raises(InvalidResponseError) as refused:
        connect(ctx, client, email="alex@example.com", institution="101", open_browser=never, progress=said.append)
    assert refused.value.name == "no_consent_pages"
    unread, connection = said
    assert names(unread, "101", "institutions", "`logo`")
    assert names(connection, "Example Bank", "OUTAGE")


def test_the_doctor_looks_at_one_page_of_people_and_names_whom_it_cannot_read(
    ctx: Context, service: ScriptedService
) -> None:
    """However many there are, and although none of them can be read."""
    more = {"next": f"{service.url}/end-users?page[after]=more"}
    service.answer = answers(end_users={"end_users": [ODD_PERSON, {**ODD_PERSON, "id": "eu2"}], "links": more})
    named = {"TOOLKIT_BASE_URL": service.url, "TOOLKIT_CLIENT_ID": "c", "TOOLKIT_CLIENT_SECRET": "s"}
    checks = doctor(ctx, settings.load(named)).checks
    people = [check.message.split(":")[0] for check in checks if check.name == "end users"]
    assert people == ["eu", "eu2"]
    assert [check.state for check in checks if check.name == "platform word"] == ["ok"]
    assert len([asked for asked in service.asked if "end-users" in asked.path]) == 2
