"""A person agrees, through the real consent pages of the embedded service; nobody is made twice."""

from __future__ import annotations

from datetime import date
from functools import partial

import pytest

from tests.json_answers import connect, forget, status
from tests.keys import keys_of
from toolkit import settings
from toolkit.api.client import Client
from toolkit.api.robot import walk_through
from toolkit.errors import ConsentRequiredError, RequestRejectedError, ServerError, UsageError
from toolkit.flows.household.context import Context
from toolkit.sandbox.serve import running
from toolkit.store import open_store

TODAY = date(2026, 11, 21)
MIA = {"email": "mia.new@example.com", "name": "Mia New"}


@pytest.fixture
def sandbox():
    with running(seed=1, today=TODAY, years=1) as service:
        yield service


@pytest.fixture
def client(sandbox):
    with Client(settings.load(keys_of(sandbox))) as made:
        yield made


@pytest.fixture
def ctx(tmp_path):
    return Context(tmp_path / "home.db", TODAY)


def never(_url):
    raise AssertionError("no page is to be opened")


def test_a_new_person_is_made_and_what_they_agreed_to_is_kept(ctx, client):
    opened = []
    answer = connect(ctx, client, **MIA, open_browser=lambda url: (opened.append(url), walk_through(url)))
    (consent,) = answer["consents"]
    assert (answer["household"]["name"], consent["state"], consent["ends_at"].year) == ("Mia New", "active", 2027)
    assert answer["open_url"] == opened[0]
    with open_store(ctx.db) as store:
        (person,) = store.rows("end_users")
        (row,) = store.rows("consents")
        assert store.rows("institutions")[0]["name"] == consent["institution"]
    assert (person["email"], person["state"], person["end_user_id"]) == (
        MIA["email"],
        "connected",
        answer["end_user_id"],
    )
    assert (row["arrangement_id"], row["household_id"]) == (consent["id"], answer["household"]["id"])


def test_connecting_again_adds_a_consent_and_nobody(ctx, client):
    bank, retailer = (client.institutions(industry).records[0].id for industry in ("banking", "energy"))
    first = connect(ctx, client, email="two@example.com", name="Two", institution=bank, open_browser=walk_through)
    again = connect(ctx, client, institution=retailer, open_browser=walk_through)
    assert again["end_user_id"] == first["end_user_id"]
    assert again["household"] == first["household"]
    assert len(again["consents"]) == 2
    assert len(client.end_users("two@example.com").records) == 1


@pytest.mark.parametrize(
    ("walk", "code"),
    [
        (partial(walk_through, press="cancel"), "LINK_USER_CANCELLED"),
        (partial(walk_through, press="deny"), "CONSENT_ENDUSER_DENIED"),
        (partial(walk_through, answers={"customer": "ineligible"}), "CONSENT_ENDUSER_INELIGIBLE"),
        (partial(walk_through, answers={"code": "111111"}), "CONSENT_OTP_FAILURE"),
        (lambda _url: None, "LINK_TIMEOUT"),
    ],
)
def test_a_flow_without_a_consent_says_why_and_keeps_nothing(ctx, client, walk, code):
    with pytest.raises(ConsentRequiredError) as caught:
        connect(ctx, client, email="no@example.com", name="No", open_browser=walk, wait=0.2)
    assert caught.value.name == code
    with open_store(ctx.db) as store:
        assert store.rows("end_users") == []


def test_a_creation_whose_answer_was_lost_is_not_repeated(ctx, client, monkeypatch):
    create = Client.create_end_user
    calls = []

    def lost(self, email, name):
        calls.append(email)
        create(self, email, name)
        raise ServerError("the answer was lost", status=502)

    monkeypatch.setattr(Client, "create_end_user", lost)
    connect(ctx, client, email="lost@example.com", name="Lost", open_browser=walk_through)
    assert calls == ["lost@example.com"]
    assert len(client.end_users("lost@example.com").records) == 1


def test_one_whose_consent_exists_is_adopted_without_a_flow(ctx, client, sandbox):
    email, end_user_id, _persona = sandbox.people[0]
    answer = connect(ctx, client, end_user=end_user_id, open_browser=never)
    assert answer["end_user_id"] == end_user_id
    assert {consent["state"] for consent in answer["consents"]} == {"active"}
    with open_store(ctx.db) as store:
        assert store.rows("end_users")[0]["email"] == email


@pytest.fixture
def adopted(ctx, client, sandbox):
    """An end user with two consents in force, by institution."""
    end_user = sandbox.people[0][1]
    answer = connect(ctx, client, end_user=end_user, open_browser=never)
    with open_store(ctx.db) as store:
        rows = store.rows("consents")
    return end_user, answer["household"]["id"], {row["institution_id"]: row["arrangement_id"] for row in rows}


def shared(ctx):
    return {consent["arrangement_id"] for home in status(ctx)["households"] for consent in home["consents"]}


def test_adopting_again_takes_back_a_household_and_no_consent_that_was_forgotten_by_itself(ctx, client, adopted):
    end_user, household, consents = adopted
    alone, with_all = sorted(consents.values())
    forget(ctx, consent=alone)
    connect(ctx, client, end_user=end_user, open_browser=never)
    assert shared(ctx) == {with_all}
    forget(ctx, household=household)
    connect(ctx, client, end_user=end_user, open_browser=never)
    assert shared(ctx) == {with_all}


def test_a_new_consent_takes_back_none_of_those_that_went_with_the_household(ctx, client, adopted):
    end_user, household, consents = adopted
    forget(ctx, household=household)
    email = next(user.email for user in client.end_users().records if user.id == end_user)
    answer = connect(ctx, client, email=email, institution=min(consents), open_browser=walk_through)
    assert answer["end_user_id"] == end_user
    assert shared(ctx).isdisjoint(consents.values())
    assert len(shared(ctx)) == 1
    connect(ctx, client, end_user=end_user, open_browser=never)
    assert shared(ctx) > set(consents.values())


def test_adopting_nobody_is_refused(ctx, client):
    with pytest.raises(RequestRejectedError):
        connect(ctx, client, end_user="eu_nobody", open_browser=never)
    fresh = client.create_end_user("fresh@example.com", "Fresh")
    with pytest.raises(ConsentRequiredError, match=fresh):
        connect(ctx, client, end_user=fresh, open_browser=never)


def test_a_household_of_files_alone_is_the_one_that_connects(ctx, client):
    from toolkit.flows.household.listed import add_home

    add_home(ctx, "Home")
    answer = connect(ctx, client, email="file@example.com", name="File", open_browser=walk_through)
    assert answer["household"]["name"] == "Home"
    other = connect(ctx, client, email="other@example.com", name="Other", open_browser=walk_through)
    assert other["household"]["name"] == "Other"


def test_an_invitation_is_kept_and_nothing_is_waited_for(ctx, client):
    answer = connect(ctx, client, email="far@example.com", name="Far", invite=True, open_browser=never)
    with open_store(ctx.db) as store:
        (person,) = store.rows("end_users")
    assert (person["state"], person["invite_url"]) == ("invited", answer["invite_url"])
    assert person["invite_expires_at"] == answer["invite_expires_at"]


@pytest.mark.parametrize("who", [{}, {"email": "nobody"}, {"email": "unknown@example.com"}])
def test_who_is_to_agree_must_be_said(ctx, client, who):
    with pytest.raises(UsageError):
        connect(ctx, client, **who, open_browser=never)


def test_a_suffering_institution_is_told_before_the_flow(ctx, client):
    accessible = [found for found in client.institutions().records if found.is_accessible]
    suffering = next(found for found in accessible if found.status.connections.status != "HEALTHY")
    said = []
    who = {"email": "ill@example.com", "name": "Ill", "institution": suffering.id}
    connect(ctx, client, **who, invite=True, open_browser=never, progress=said.append)
    assert suffering.name in said[0]
