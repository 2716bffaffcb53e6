"""Every command against a service without the paths that the specification does not have, or where they fail."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tenacity import wait_none

from tests.command_line import Ended, Run
from tests.json_answers import begin_link, end_link, institutions
from tests.keys import keys_of
from toolkit import settings
from toolkit.api import client
from toolkit.api.robot import walk_through
from toolkit.api.transport import RetryPolicy
from toolkit.cli.root import COMMANDS
from toolkit.errors import InvalidResponseError, ServiceError
from toolkit.flows.household.context import Context
from toolkit.sandbox.faults import Fault
from toolkit.sandbox.serve import Running, running

TODAY = date(2026, 6, 15)
BEYOND = ("/v1/consent", "/v1/consent/*", "/v1/institutions", "/v1/data-freshness")
"""Paths that only some deployments have."""
DONE, FAILED, USAGE, REJECTED = 0, 1, 2, 3

ARGUMENTS: dict[str, tuple[str, ...]] = {
    "rules": ("list",),
    "whatif": ("battery", "--kwh", "10", "--kw", "5"),
    "plans": ("list",),
    "household": ("list",),
    "export": ("--out", "exported"),
    "backup": ("--out", "copy.db"),
    "report": ("--out", "report.html"),
    "credentials": ("show",),
}
"""What a command that asks a stored household needs, beside its name."""
ANSWERING = {
    *ARGUMENTS,
    "status",
    "spending",
    "transactions",
    "cashflow",
    "usage",
    "bill",
    "forecast",
    "solar",
    "doctor",
}
"""Those that have an answer for any household with money and meter data."""
SHOWING = {"status", "household", "accounts", "doctor", "spending", "bill", "desk"}
"""Those that show, or ask for, what these paths would have given: institutions, consents and how fresh the data are."""
OF_CONSENTS = {"connect", "disconnect", "sync", "forget"}
"""Commands that ask the service, each with a test of its own here."""
NOT_ASKED = {"demo", "app", "sandbox", "import", "restore", "fleet", "compare"}
"""Those that serve, or that read files, copies or published plans alone."""


@dataclass(frozen=True)
class Bare:
    """A service that is the specification and no more, and the person on whom the commands are tried.

    The tests of a file share the service: each that makes somebody known to it has an e-mail address of its own.
    """

    sandbox: Running
    run: Run

    @property
    def end_user(self) -> str:
        return next(person[1] for person in self.sandbox.people if person[2] == "family")

    def __call__(self, *arguments: object) -> Ended:
        return self.run(*arguments, "--today", TODAY, "--json")

    def home(self) -> dict[str, Any]:
        (home,) = self("status").json["households"]
        return home

    def spent(self) -> str:
        return self("spending").json["spent"]


@pytest.fixture(params=[404, 500, 429], scope="module")
def status(request: pytest.FixtureRequest) -> int:
    """What these paths answer."""
    return int(request.param)


@pytest.fixture(scope="module")
def sandbox(status: int) -> Iterator[Running]:
    faults = [Fault(path=path, status=status) for path in BEYOND]
    with running(today=TODAY, years=1, faults=faults) as made:
        yield made


@pytest.fixture
def bare(sandbox: Running, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Bare:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(client, "RetryPolicy", partial(RetryPolicy, back_off=wait_none()))
    for name, value in keys_of(sandbox).items():
        monkeypatch.setenv(name, value)
    return Bare(sandbox, run)


@pytest.fixture
def adopted(bare: Bare) -> Bare:
    assert bare("connect", "--end-user", bare.end_user).code == DONE
    return bare


def agree(monkeypatch: pytest.MonkeyPatch, **how: Any) -> None:
    """Whoever is asked in a browser goes through the consent pages."""
    monkeypatch.setattr(webbrowser, "open", lambda url: bool(walk_through(url, **how)))


def test_everything_is_pulled_and_every_question_answered(adopted: Bare, status: int) -> None:
    first = adopted("sync")
    assert (first.code, first.json["failed"]) == (DONE, [])
    every = {entry.name for entry in COMMANDS} - OF_CONSENTS - NOT_ASKED
    for command in sorted(every if status == 404 else SHOWING):
        ended = adopted.run(command, *ARGUMENTS.get(command, ()), "--json")
        assert ended.code in (DONE, REJECTED, USAGE) or command not in ANSWERING, (command, ended.err)
        assert "the service" not in ended.err, command
    (home,) = adopted("status").json["households"]
    assert [consent["state"] for consent in home["consents"]] == ["active", "active"]
    spent = adopted.spent()
    for again in (adopted("sync"), adopted("sync", "--full")):
        assert again.code == DONE
        assert sum(entry["added"] + entry["removed"] for entry in again.json["resources"]) == 0
    assert adopted.spent() == spent


def test_a_forgotten_household_can_be_connected_again(adopted: Bare) -> None:
    adopted("sync", "--only", "banking")
    spent = adopted.spent()
    home = adopted.home()
    assert adopted.run("forget", "--yes", "--household", home["id"], "--json").code == DONE
    assert adopted("status").json["households"] == []
    assert adopted("connect", "--end-user", adopted.end_user).code == DONE
    adopted("sync", "--only", "banking")
    assert adopted.spent() == spent


def test_adopting_again_brings_back_no_consent_that_was_forgotten_by_itself(adopted: Bare) -> None:
    adopted("sync")
    bank, energy = sorted(adopted.home()["consents"], key=lambda consent: consent["institution_id"])
    gone = adopted.run("forget", "--yes", "--consent", bank["arrangement_id"], "--json")
    assert gone.code == DONE
    assert sum(gone.json["deleted"].values()) > 100
    assert adopted("connect", "--end-user", adopted.end_user).code == DONE
    adopted("sync")
    assert [consent["arrangement_id"] for consent in adopted.home()["consents"]] == [energy["arrangement_id"]]


def test_what_cannot_be_ended_there_stays_in_force(adopted: Bare) -> None:
    adopted("sync", "--only", "banking")
    (consent, *_) = adopted.home()["consents"]
    ended = adopted("disconnect", consent["id"])
    assert ended.code == FAILED
    assert ended.err.count("\n") == 1
    assert adopted.home()["consents"][0]["state"] == "active"


def test_what_is_forgotten_here_and_cannot_be_ended_there_is_said_in_words(adopted: Bare, status: int) -> None:
    adopted("sync", "--only", "banking")
    (consent, *_) = adopted.home()["consents"]
    (kept,) = adopted.run("forget", "--yes", "--consent", consent["id"], "--json").json["not_withdrawn"]
    assert kept["consent"] == consent["arrangement_id"]
    assert ("the service answered" in kept["reason"]) == (status != 404)


def test_a_missing_directory_is_said_and_a_failing_one_is_a_failure(bare: Bare, status: int) -> None:
    with client.Client(settings.load(keys_of(bare.sandbox))) as service:
        if status == 404:
            answer = institutions(service)
            assert answer["institutions"] == []
            assert [problem["severity"] for problem in answer["problems"]] == ["warning"]
        else:
            with pytest.raises(ServiceError):
                institutions(service)


@pytest.mark.parametrize("asked", [("--email", "new@example.com", "--name", "New"), ()])
def test_a_flow_leaves_its_consent_and_the_records_tell_the_rest(
    bare: Bare, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, ...]
) -> None:
    who = asked or ("--email", "other@example.com", "--name", "Other", "--institution", "70001")
    agree(monkeypatch)
    flow = bare("connect", *who)
    assert flow.code == DONE
    (consent,) = flow.json["consents"]
    assert consent["state"] == "active"
    (told,) = bare.home()["consents"]
    assert (told["id"], told["state"]) == (consent["consent_id"], "active")
    assert bare("sync").code == DONE
    (after,) = bare.home()["consents"]
    assert (after["id"], after["state"]) == (consent["consent_id"], "active")
    assert after["arrangement_id"] != after["id"]
    assert after["institution"] is not None


def test_a_consent_is_renewed_by_the_arrangement_of_its_records(bare: Bare, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(monkeypatch)
    bare("connect", "--email", "renew@example.com", "--name", "Renew", "--institution", "70001")
    bare("sync")
    (before,), spent = bare.home()["consents"], bare.spent()
    renewed = bare("connect", "--renew", before["arrangement_id"])
    assert renewed.code == DONE
    bare("sync")
    (after,) = bare.home()["consents"]
    assert after["arrangement_id"] == before["arrangement_id"]
    assert after["id"] != before["id"]
    assert bare.spent() == spent


def test_a_second_consent_to_the_same_accounts_counts_them_once(bare: Bare, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(monkeypatch)
    who = ("--email", "twice@example.com", "--name", "Twice", "--institution", "70001")
    bare("connect", *who)
    bare("sync")
    spent = bare.spent()
    assert float(spent) > 0
    bare("connect", *who)
    bare("sync")
    assert bare.spent() == spent
    assert len({consent["arrangement_id"] for consent in bare.home()["consents"]}) == 2


def test_who_was_invited_is_connected_once_records_come(bare: Bare) -> None:
    invited = bare("connect", "--email", "far@example.com", "--name", "Far", "--institution", "70001", "--invite")
    assert invited.code == DONE
    with pytest.raises(InvalidResponseError) as ended:  # a link for somebody else ends on the service's page
        walk_through(invited.json["invite_url"])
    assert ended.value.name == "no_form"
    assert bare("sync").code == DONE
    home = bare.home()
    assert [person["state"] for person in home["end_users"]] == ["connected"]
    assert [consent["state"] for consent in home["consents"]] == ["active"]


def test_nobody_is_adopted_who_shares_nothing(bare: Bare) -> None:
    assert bare("connect", "--end-user", "eu_nobody").code == FAILED
    with client.Client(settings.load(keys_of(bare.sandbox))) as service:
        fresh = service.create_end_user(f"fresh-{bare.sandbox.base_url[-3:]}@example.com", "Fresh")
    assert bare("connect", "--end-user", fresh).code == 4


def test_what_the_link_component_said_is_kept(bare: Bare, home: Path) -> None:
    """The page's way through a consent flow: the component gives the consent's id, and nothing can confirm it."""
    ctx = Context(home / "household.db", TODAY)
    with client.Client(settings.load(keys_of(bare.sandbox))) as service:
        who = {"email": f"frame{bare.sandbox.base_url[-4:]}@example.com", "name": "Frame"}
        begun = begin_link(ctx, service, **who, institution="70001")
        answer = end_link(ctx, service, end_user=begun["end_user_id"], consent="consent-of-frame", institution="70001")
    (consent,) = answer["consents"]
    assert (consent["consent_id"], consent["state"]) == ("consent-of-frame", "active")
    (told,) = bare.home()["consents"]
    assert (told["id"], told["institution_id"]) == ("consent-of-frame", "70001")
