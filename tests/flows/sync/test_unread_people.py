"""Consents, end users and institutions that cannot be read: named, set aside as they came, and nothing else is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest

from tests.flows.sync.written import WrittenService, listing, purchase
from tests.json_answers import end_consent, forget, status
from tests.problems import names
from toolkit.errors import ConsentRequiredError, InvalidResponseError, RequestRejectedError
from toolkit.flows.household.context import Context
from toolkit.store import open_store

Run = Callable[..., dict[str, Any]]

ODD_CONSENT = {"arrangement_id": "arr2", "institution_id": "retailer", "active": "perhaps", "new": {"field": 1}}


def told(answer: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(problem["where"], problem["severity"], problem["reason"]) for problem in answer["problems"]]


def rows(ctx: Context, table: str) -> list[dict[str, Any]]:
    with open_store(ctx.db) as store:
        return store.rows(table)


def test_a_consent_that_cannot_be_read_is_named_and_kept_as_it_came(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.consent_records.append(ODD_CONSENT)
    service.lists["banking.transactions"] = [purchase(1)]
    answer = run()
    [(where, severity, reason)] = told(answer)
    assert (where, severity) == ("arr2", "rejected")
    assert names(reason, "consents", "`active`")
    assert answer["resources"]["banking.transactions"]["added"] == 1
    [kept] = rows(home_context, "quarantine")
    assert (kept["resource"], kept["arrangement_id"]) == ("consents", "arr2")
    assert json.loads(kept["raw"]) == {"end_user_id": "eu", **ODD_CONSENT}
    assert [row["arrangement_id"] for row in rows(home_context, "consents")] == ["arr"]
    assert [problem["reason"] for problem in status(home_context)["problems"]] == [reason]


def test_what_is_under_the_only_consent_is_pulled_although_that_cannot_be_read(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    """It may be in force: the data endpoints tell, and whoever shares is not said to share nothing."""
    service.consent_records = [ODD_CONSENT]
    service.lists["banking.transactions"] = [purchase(1, arrangement_id="arr2")]
    answer = run()
    assert [(where, severity) for where, severity, _ in told(answer)] == [("arr2", "rejected")]
    assert answer["resources"]["banking.transactions"]["added"] == 1
    assert rows(home_context, "end_users")[0]["state"] == "connected"


@pytest.mark.parametrize("homes", [[], [{"household_id": "h", "name": "Home"}]])
def test_of_whom_nothing_came_no_record_is_left_in_a_household_that_is_gone(
    service: WrittenService, run: Run, home_context: Context, monkeypatch: pytest.MonkeyPatch, homes: list[Any]
) -> None:
    with open_store(home_context.db) as store:
        store.upsert("households", homes)
    service.consent_records = [ODD_CONSENT]
    monkeypatch.setattr(service, "pages", Mock(side_effect=ConsentRequiredError("no consent")))
    with pytest.raises(ConsentRequiredError):
        run()
    assert [row["name"] for row in rows(home_context, "households")] == [home["name"] for home in homes]
    assert [rows(home_context, name) for name in ("end_users", "consents", "quarantine")] == [[], [], []]


@pytest.mark.parametrize(
    ("later", "said"),
    [
        ([{**ODD_CONSENT, "active": True}], []),
        ([], [("arr2", "warning", "consents: no longer given in a form that cannot be read: taken out of quarantine")]),
    ],
)
def test_a_consent_leaves_quarantine_once_it_is_read_or_gone(
    service: WrittenService, run: Run, home_context: Context, later: list[Any], said: list[Any]
) -> None:
    first = service.consent_records[0]
    service.consent_records = [first, ODD_CONSENT]
    run()
    run()
    assert len(rows(home_context, "quarantine")) == 1
    service.consent_records = [first, *later]
    assert told(run()) == said
    assert rows(home_context, "quarantine") == []
    assert len(rows(home_context, "consents")) == 1 + len(later)


def test_consents_with_an_impossible_time_or_without_any_form_are_named(service: WrittenService, run: Run) -> None:
    service.consent_records += [{**ODD_CONSENT, "active": True, "granted_at": "soon"}, ["no", "object"]]
    first, second = told(run())
    assert first[:2] == ("arr2", "rejected")
    assert names(first[2], "consents", "granted_at", "'soon'")
    assert second[1] == "rejected"


def test_a_field_of_a_consent_that_is_left_empty_is_a_warning(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.consent_records[0]["permissions"] = {"odd": 1}
    [(where, severity, reason)] = told(run())
    assert (where, severity) == ("arr", "warning")
    assert "`permissions`" in reason
    assert status(home_context)["households"][0]["consents"][0]["shares"] == []


def test_a_forgotten_consent_that_cannot_be_read_is_neither_named_nor_set_aside(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.consent_records.append({**ODD_CONSENT, "active": True})
    run()
    forget(home_context, consent="arr2")
    service.consent_records[1] = ODD_CONSENT
    assert told(run()) == []
    assert rows(home_context, "quarantine") == []


@pytest.mark.parametrize("named", [{"consent": "arr2"}, {"consent": "c2"}, {"household": "Alex"}])
def test_a_consent_that_cannot_be_read_may_be_forgotten_with_what_came_under_it(
    service: WrittenService, run: Run, home_context: Context, named: dict[str, str]
) -> None:
    service.consent_records.append({**ODD_CONSENT, "consentId": "c2"})
    service.lists["banking.transactions"] = [purchase(1), purchase(2, arrangement_id="arr2")]
    run()
    ended: list[str] = []
    answer = forget(home_context, **named, withdraw=ended.append)
    assert "arr2" in ended
    assert answer["deleted"].keys() >= {"transactions", "quarantine", "positions"}
    assert [path for path in home_context.db.parent.iterdir() if b"arr2" in path.read_bytes()] == []
    assert rows(home_context, "quarantine") == []


def test_what_was_forgotten_of_a_consent_that_cannot_be_read_stays_away(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.consent_records.append(ODD_CONSENT)
    service.lists["banking.transactions"] = [purchase(1), purchase(2, arrangement_id="arr2")]
    run()
    forget(home_context, consent="arr2")
    assert told(run(full=True)) == []
    assert [row["id"] for row in rows(home_context, "transactions")] == ["t1"]


def test_consents_and_institutions_are_kept_with_every_field_as_they_came(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    given = {
        "arrangement_id": "arr",
        "institutionId": "bank",
        "active": True,
        "accountIds": ["a1"],
        "new": {"field": 1},
    }
    service.consent_records = [given]
    service.directory |= {"slogan": ["new", "field"]}
    assert told(run()) == []
    [consent], [institution] = rows(home_context, "consents"), rows(home_context, "institutions")
    assert json.loads(consent["raw"]) == {"end_user_id": "eu", **given}
    assert json.loads(institution["raw"]) == {"id": "bank", **service.directory}
    told_of = status(home_context)["households"][0]["consents"][0]
    assert (told_of["institution_id"], told_of["accounts"]) == ("bank", 1)


def test_an_institution_is_kept_but_for_what_cannot_be_read_of_it(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.directory |= {"priority": 2**70, "is_accessible": ["odd"]}
    first, second = told(run())
    assert [first[1], second[1]] == ["warning", "warning"]
    assert names(first[2], "institutions", "`is_accessible`")
    assert names(second[2], "institutions", "`priority`", 2**70)
    [kept] = rows(home_context, "institutions")
    assert (kept["name"], kept["priority"], kept["is_accessible"]) == ("Example Bank", None, None)
    assert json.loads(kept["raw"])["priority"] == 2**70


def test_an_institution_that_cannot_be_read_at_all_is_named(service: WrittenService, run: Run) -> None:
    service.directory |= {"id": ["odd"]}
    assert [(where, severity) for where, severity, _ in told(run())] == [("bank", "rejected")]


def test_an_end_user_that_cannot_be_read_is_named_and_goes_by_their_id(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.people = [{"id": "another", "email": "b@example.com"}, {"id": "eu", "name": "Alex", "email": ["odd"]}]
    assert [(where, severity) for where, severity, _ in told(run())] == [("eu", "rejected")]
    assert [row["name"] for row in rows(home_context, "households")] == ["eu"]
    service.people[1]["email"] = "alex@example.com"
    assert told(run()) == []
    assert [row["email"] for row in rows(home_context, "end_users")] == ["alex@example.com"]


def test_other_end_users_that_cannot_be_read_do_not_matter(service: WrittenService, run: Run) -> None:
    service.people.append({"id": "another", "email": ["odd"]})
    assert told(run()) == []


@pytest.mark.parametrize(
    ("error", "said"), [(InvalidResponseError("no list"), ["warning"]), (RequestRejectedError("404"), [])]
)
def test_a_list_of_end_users_that_cannot_be_read_is_a_warning(
    service: WrittenService, run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception, said: list[str]
) -> None:
    def failing() -> None:
        raise error

    monkeypatch.setattr(service, "end_users", failing)
    assert [severity for _, severity, _ in told(run())] == said


def test_a_field_of_an_end_user_left_empty_is_a_warning(service: WrittenService, run: Run) -> None:
    service.people = [{"id": "eu", "email": "alex@example.com", "name": {"odd": 1}}]
    assert [(where, severity) for where, severity, _ in told(run())] == [("eu", "warning")]


def test_the_two_people_of_a_home_do_not_settle_each_others_consents(
    service: WrittenService, run: Run, home_context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One's consent that cannot be read waits although the other's list does not hold it."""
    run()
    home = rows(home_context, "households")[0]["household_id"]
    with open_store(home_context.db) as store:
        store.upsert("end_users", [{"household_id": home, "end_user_id": "eu2", "state": "connected"}])
    service.consent_records.append(ODD_CONSENT)
    run()
    alone = listing("consents.list", {"consents": [service.consent_records[0]]})
    monkeypatch.setattr(service, "consents", lambda _: alone)
    run()
    assert [row["arrangement_id"] for row in rows(home_context, "quarantine")] == ["arr2"]


def test_what_of_the_consents_cannot_be_read_is_told_by_whoever_ends_one(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    run()
    service.consent_records.append(ODD_CONSENT)
    answer = end_consent(home_context, service, "arr")
    assert [(where, severity) for where, severity, _ in told(answer)] == [("arr2", "rejected")]
    assert (answer["state"], rows(home_context, "consents")[0]["termination_reason"]) == ("revoked", None)
