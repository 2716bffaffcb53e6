"""Each question of the client as it goes over the wire."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest

from tests.api.conftest import access, reply
from toolkit.api.client import Client
from toolkit.errors import InvalidResponseError
from toolkit.wire.records import ConsentBody


def last(service):
    return service.asked[-1]


def test_filters_go_out_as_the_service_spells_them(service, client):
    service.answer = lambda _: reply({"transactions": []})
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    list(
        client.pages(
            "banking.transactions",
            end_user_id="eu_1",
            from_=moment,
            to="2026-02-01T00:00:00+11:00",
            secondary_category=["A", "B"],
            status=None,
        )
    )
    assert last(service).path == "/v1/banking/transactions"
    assert last(service).query == [
        ("end_user_id", "eu_1"),
        ("from", "2026-01-02T03:04:05Z"),
        ("to", "2026-02-01T00:00:00+11:00"),
        ("secondary_category", "A"),
        ("secondary_category", "B"),
        ("page[size]", "1000"),
    ]


def test_days_of_usage(service, client):
    service.answer = lambda _: reply({"usage": []})
    list(client.pages("energy.usage", end_user_id="eu_1", read_start_date_oldest=date(2026, 1, 2)))
    assert ("read_start_date.oldest", "2026-01-02") in last(service).query


def test_direct_debits_are_asked_for_at_the_path_with_three_cs(service, client):
    service.answer = lambda _: reply({"direct_debits": []})
    list(client.pages("banking.direct_debits", end_user_id="eu_1"))
    assert last(service).path == "/v1/banking/acccounts/direct-debits"


def test_products_send_both_spellings_of_the_institution(service, client):
    service.answer = lambda _: reply({"products": []})
    list(client.pages("banking.products", institution_id="101"))
    assert {("institution_id", "101"), ("instituition_id", "101")} <= set(last(service).query)


def test_balances_with_the_consumer_present(service, client):
    service.answer = lambda _: reply({"balances": []})
    list(
        client.pages(
            "banking.balances",
            end_user_id="eu_1",
            account_id="a",
            fetch=True,
            consumer=("203.0.113.9", "Browser/1"),
        )
    )
    assert last(service).value("fetch") == "true"
    assert last(service).headers["x-platform-client-ip-address"] == "203.0.113.9"
    assert last(service).headers["x-platform-client-user-agent"] == "Browser/1"


def test_a_deployments_own_word_version_and_prefix(service):
    service.answer = lambda _: reply({"accounts": [{"account_id": "a", "fiskil_id": "p1"}]})
    more = {"TOOLKIT_PLATFORM": "fiskil", "TOOLKIT_API_VERSION": "v2", "TOOLKIT_CORE_PREFIX": "/v1"}
    with Client(access(service.url, **more)) as client:
        assert [r.platform_id for r in client.listed("energy.accounts", end_user_id="e").records] == ["p1"]
        assert last(service).headers["x-fiskil-version"] == "v2"
        service.answer = lambda _: reply({"id": "eu_1"})
        client.end_user("eu_1")
    assert last(service).path == "/v1/end-users/eu_1"


def test_ids_cannot_leave_their_place_in_the_path(service, client):
    service.answer = lambda _: reply({"id": "x"})
    client.institution("../token?x=1")
    assert last(service).path == "/institutions/..%2Ftoken%3Fx%3D1"


def test_an_end_user_is_created_and_found_by_address(service, client):
    service.answer = lambda _: reply({"end_user_id": "eu_9"})
    assert client.create_end_user("a@example.com", "A") == "eu_9"
    assert json.loads(last(service).body) == {"email": "a@example.com", "name": "A"}
    service.answer = lambda _: reply(
        {"end_users": [{"id": "eu_1", "email": "other@example.com"}, {"id": "eu_9", "email": "A@Example.com"}]}
    )
    assert [user.id for user in client.end_users("a@example.com").records] == ["eu_9"]
    service.answer = lambda _: reply({})
    with pytest.raises(InvalidResponseError):
        client.create_end_user("a@example.com", "A")


@pytest.mark.parametrize(
    ("body", "ends"),
    [
        ({"session_id": "s1", "expires_at": 1767225600}, datetime(2026, 1, 1, tzinfo=UTC)),
        ({"session_id": "s1", "expires_at": "2026-01-01T00:00:00Z"}, datetime(2026, 1, 1, tzinfo=UTC)),
        ({"auth_session_id": "s1", "expires_at": "soon"}, None),
    ],
)
def test_sessions_in_all_their_forms(service, client, body, ends):
    service.answer = lambda _: reply({**body, "auth_url": "https://a/x"})
    session = client.start_session("eu_1", institution_id="101", redirect_uri="http://127.0.0.1:1/x")
    assert (session.session_id, session.auth_url, session.expires_at) == ("s1", "https://a/x", ends)
    assert json.loads(last(service).body) == {
        "end_user_id": "eu_1",
        "institution_id": "101",
        "redirect_uri": "http://127.0.0.1:1/x",
    }


def test_consents_are_listed_and_withdrawn(service, client):
    service.answer = lambda _: reply({"consents": [{"arrangement_id": "arr_1", "active": True}], "links": {}})
    assert [consent.arrangement_id for consent in client.consents("eu_1", active=True).records] == ["arr_1"]
    assert last(service).value("active") == "true"
    service.answer = lambda _: reply(b"", 204)
    client.withdraw("arr_1")
    assert (last(service).method, last(service).path) == ("DELETE", "/v1/consent/arr_1")


def test_institutions_are_a_bare_array_asked_for_by_name(service, client):
    service.answer = lambda _: reply([{"id": "101", "status": {"connections": {"status": "OUTAGE"}}}])
    assert client.institutions("banking").records[0].status.connections.status == "OUTAGE"
    assert last(service).query == [("client_id", "client-1"), ("industry", "banking")]


def test_the_consent_api(service, client):
    service.answer = lambda _: reply({"consent_id": "c1", "status": "created", "expires_in": 90})
    body = ConsentBody(scopes=["openid"], sharing_duration=0, redirect_uri="https://a/b", customer_id="7")
    assert client.request_consent(body).status == "created"
    assert last(service).path == "/consents"
    assert json.loads(last(service).body)["sharing_duration"] == 0
    service.answer = lambda _: reply({"consent_id": "c1", "status": "active", "revoked_at": None})
    assert client.consent("c1").status == "active"


def test_a_list_is_given_with_what_of_it_cannot_be_read(service, client):
    first = [{"id": "eu_1", "email": "A@b.c"}, {"id": "eu_2", "email": {}}]
    second = [{"id": "eu_3", "email": "x@b.c"}, {"id": "eu_4", "email": "a@b.c", "phone": []}]
    pages = [reply({"end_users": first, "links": {"next": "?page[after]=2"}}), reply({"end_users": second})]
    service.answer = lambda asked: pages[asked.value("page[after]") == "2"]
    found = client.end_users("a@b.c")
    assert [user.id for user in found.records] == ["eu_1", "eu_4"]
    assert [json.loads(raw)["id"] for raw in found.raws] == ["eu_1", "eu_4"]
    assert [(entry.id, json.loads(entry.raw)["email"]) for entry in found.rejected] == [("eu_2", {})]
    assert [(entry.id, entry.field) for unparsed in found.unparsed.values() for entry in unparsed] == [
        ("eu_4", "phone")
    ]


def test_one_record_is_given_with_what_of_it_cannot_be_read(service, client):
    service.answer = lambda _: reply({"id": "101", "name": ["odd"], "new": 1})
    found = client.institution("101")
    assert [(one.id, one.name) for one in found.records] == [("101", None)]
    assert json.loads(found.raws[0]) == {"id": "101", "name": ["odd"], "new": 1}
    service.answer = lambda _: reply({"id": ["odd"]})
    assert [entry.id for entry in client.institution("101").rejected] == ["institutions.get[0]"]
    service.answer = lambda _: reply(b'{"id": "1"}, {"id": "2"}')
    with pytest.raises(InvalidResponseError):
        client.institution("101")
