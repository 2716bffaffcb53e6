"""Somebody who sits elsewhere: a link, a wait that is told, and the next sync that finds what they agreed to."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.json_answers import connect, forget, status, sync
from tests.keys import keys_of
from tests.problems import names
from toolkit import settings
from toolkit.api.client import Client
from toolkit.api.robot import walk_through
from toolkit.errors import ConsentRequiredError, InvalidResponseError, ServerError
from toolkit.flows.consent.consents import INVITED
from toolkit.flows.household.context import Context
from toolkit.sandbox.serve import Running, running
from toolkit.store import open_store

TODAY = datetime.now(UTC).date()
"""A link ends some days after it was made, by the machine's clock."""


@pytest.fixture
def sandbox() -> Iterator[Running]:
    with running(seed=1, today=TODAY, years=1) as service:
        yield service


@pytest.fixture
def client(sandbox: Running) -> Iterator[Client]:
    with Client(settings.load(keys_of(sandbox))) as made:
        yield made


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home.db", TODAY)


def never(_url: str) -> None:
    raise AssertionError("no page is to be opened")


def agree(url: str) -> None:
    """A link that was sent leads back to nowhere: its last page has nothing more to press."""
    with pytest.raises(InvalidResponseError) as ended:
        walk_through(url)
    assert ended.value.name == "no_form"


def invite(ctx: Context, client: Client, email: str) -> dict[str, Any]:
    return connect(ctx, client, email=email, name="Far Away", invite=True, open_browser=never)


def person(ctx: Context) -> dict[str, Any]:
    (home,) = status(ctx)["households"]
    return dict(home["end_users"][0])


def test_the_link_is_kept_and_told_until_somebody_answers(ctx: Context, client: Client) -> None:
    answer = invite(ctx, client, "far1@example.com")
    told, ends_on = person(ctx), TODAY + timedelta(days=5)
    assert (told["state"], told["invite_url"]) == ("invited", answer["invite_url"])
    with pytest.raises(ConsentRequiredError, match=str(ends_on)):
        sync(ctx, client)
    assert person(ctx)["state"] == "invited"


def test_the_next_sync_finds_the_consent_and_adopts_it(ctx: Context, client: Client) -> None:
    answer = invite(ctx, client, "far2@example.com")
    agree(answer["invite_url"])
    pulled = {entry["resource"]: entry["added"] for entry in sync(ctx, client)["resources"]}
    assert pulled["banking.transactions"] > 0
    told = {"id": answer["end_user_id"], "name": "Far Away", "email": "far2@example.com", "state": "connected"}
    assert person(ctx) == told


def test_others_are_pulled_while_one_is_waited_for(ctx: Context, client: Client, sandbox: Running) -> None:
    connect(ctx, client, end_user=sandbox.people[0][1], open_browser=never)
    invite(ctx, client, "far3@example.com")
    answer = sync(ctx, client)
    assert {"banking.transactions", "energy.usage"} <= {entry["resource"] for entry in answer["resources"]}
    assert len([p for p in answer["problems"] if names(p["reason"], INVITED)]) == 1


def test_a_link_that_has_ended_says_so(ctx: Context, client: Client) -> None:
    answer = invite(ctx, client, "far4@example.com")
    with open_store(ctx.db) as store:
        over = answer["invite_expires_at"].replace(year=2020, month=11, day=26)
        store.update("end_users", {"invite_expires_at": over}, {"end_user_id": answer["end_user_id"]})
    with pytest.raises(ConsentRequiredError, match="2020-11-26"):
        sync(ctx, client)


def test_an_invitation_to_add_an_account_leaves_the_person_connected(ctx: Context, client: Client) -> None:
    who = {"email": "more@example.com", "name": "More"}
    connect(ctx, client, **who, open_browser=walk_through)
    connect(ctx, client, **who, invite=True, open_browser=never)
    assert person(ctx)["state"] == "connected"
    assert "invite_url" in person(ctx)
    sync(ctx, client, only="banking")
    assert "invite_url" in person(ctx), "nothing new was agreed to yet"
    agree(person(ctx)["invite_url"])
    sync(ctx, client, only="banking")
    assert "invite_url" not in person(ctx)


def test_somebody_forgotten_may_be_invited_again(ctx: Context, client: Client) -> None:
    who = {"email": "again@example.com", "name": "Again"}
    first = connect(ctx, client, **who, open_browser=walk_through)
    forget(ctx, household=first["household"]["id"], withdraw=client.withdraw)
    agree(connect(ctx, client, **who, invite=True, open_browser=never)["invite_url"])
    assert sync(ctx, client, only="banking")["resources"]


def test_a_consent_given_on_another_device_is_found(ctx: Context, client: Client) -> None:
    """The redirect to this machine never arrives there; the list of consents tells."""

    def elsewhere(url: str) -> None:
        Thread(target=walk_through, args=(url,), kwargs={"returns": False}, daemon=True).start()

    answer = connect(ctx, client, email="phone@example.com", name="Phone", open_browser=elsewhere, wait=120)
    assert [consent["state"] for consent in answer["consents"]] == ["active"]


def test_an_earlier_consent_is_not_taken_for_a_new_one(ctx: Context, client: Client, sandbox: Running) -> None:
    email, end_user_id, _ = sandbox.people[1]
    with pytest.raises(ConsentRequiredError) as caught:
        connect(ctx, client, email=email, open_browser=lambda _: None, wait=0.3)
    assert caught.value.name == "LINK_TIMEOUT"
    assert len(client.consents(end_user_id).records) > 0


def test_a_list_of_consents_that_fails_ends_no_flow(
    ctx: Context, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any, **__: Any) -> Any:
        raise ServerError("down", status=500)

    def walk(url: str) -> None:
        walk_through(url)
        monkeypatch.undo()

    monkeypatch.setattr(Client, "consents", failing)
    answer = connect(ctx, client, email="down@example.com", name="Down", open_browser=walk)
    assert len(answer["consents"]) == 1
