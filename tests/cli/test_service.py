"""Against the embedded service over real HTTP: connect, sync, status, and the demo that does it all."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from tests.command_line import Run
from tests.keys import keys_of
from toolkit.cli.show.start import sandbox
from toolkit.flows.consent.sandbox import sandbox_address
from toolkit.sandbox.serve import Running, running

TODAY = date(2026, 6, 15)


@pytest.fixture
def service() -> Iterator[Running]:
    with running(today=TODAY, years=1) as made:
        yield made


@pytest.fixture
def signed_in(service: Running, monkeypatch: pytest.MonkeyPatch) -> Running:
    for name, value in keys_of(service).items():
        monkeypatch.setenv(name, value)
    return service


def test_a_connected_family_is_pulled_once_and_answers(run: Run, signed_in: Running) -> None:
    end_user = next(person[1] for person in signed_in.people if person[2] == "family")
    assert run("connect", "--end-user", end_user, "--json").code == 0

    first = run("sync", "--today", TODAY, "--json")
    assert first.code == 0
    pulled = {entry["resource"]: entry for entry in first.json["resources"]}
    assert pulled["banking.transactions"]["added"] > 300
    assert pulled["energy.usage"]["added"] > 700
    assert all(
        entry["fetched"] == entry["added"] + entry["updated"] + entry["unchanged"] + entry["rejected"]
        for entry in pulled.values()
    )

    second = run("sync", "--today", TODAY, "--json").json
    assert sum(entry["added"] + entry["updated"] + entry["removed"] for entry in second["resources"]) == 0

    (home,) = run("status", "--today", TODAY, "--json").json["households"]
    assert {consent["state"] for consent in home["consents"]} == {"active"}
    assert "banking.transactions" in home["freshness"]
    assert float(run("spending", "--json").json["spent"]) > 0
    assert run("bill", "--today", TODAY, "--json").json["lines"]


def test_a_wrong_secret_asks_to_sign_in(run: Run, signed_in: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLKIT_CLIENT_SECRET", "wrong")
    ended = run("connect", "--end-user", signed_in.people[0][1])
    assert ended.code == 4
    assert ended.err.count("error: ") == 1


def test_doctor_finds_the_service_well(run: Run, signed_in: Running) -> None:
    ended = run("doctor", "--json")
    assert ended.code == 0
    assert {check["name"]: check["state"] for check in ended.json["checks"]}["service"] == "ok"
    assert signed_in.client_secret not in ended.out


def test_the_demo_answers_all_four_questions(run: Run) -> None:
    """That it answers alike each time: tests/sandbox/test_demo.py."""
    first = run("demo", "--no-app", "--today", TODAY, "--json")
    assert first.code == 0
    assert set(first.json) == {"db", "spending", "forecast", "usage", "solar"}
    assert first.json["forecast"]["p50"] is not None
    assert first.json["solar"]["service_points"][0]["generation_kwh"]["mid"] > 0


def test_an_ended_consent_is_pulled_no_more(run: Run, signed_in: Running) -> None:
    end_user = next(person[1] for person in signed_in.people if person[2] == "renter")
    run("connect", "--end-user", end_user)
    run("sync", "--today", TODAY, "--only", "energy")
    consents = run("status", "--today", TODAY, "--json").json["households"][0]["consents"]
    ended = run("disconnect", consents[0]["id"], "--today", TODAY, "--json").json
    assert (ended["id"], ended["state"]) == (consents[0]["id"], "revoked")
    again = run("sync", "--today", TODAY, "--json")
    assert again.code == 3
    assert again.json["problems"][0]["where"] == ended["arrangement_id"]


def test_the_day_of_a_read_is_that_of_the_readers_clock(
    run: Run, signed_in: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One instant, read where it is already tomorrow, and where it is still yesterday."""
    run("connect", "--end-user", next(person[1] for person in signed_in.people if person[2] == "family"))
    run("sync", "--today", TODAY, "--only", "energy")
    moment = datetime.fromisoformat(run("status", "--json").json["households"][0]["freshness"]["energy.usage"])
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):  # 25 hours apart
        monkeypatch.setenv("TOOLKIT_TIMEZONE", zone)
        local = moment.astimezone(ZoneInfo(zone))
        assert f"energy.usage: read {local.day} {local:%b %Y}\n" in run("status").out


def test_a_consent_that_could_not_be_ended_is_told_in_words(
    run: Run, signed_in: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("connect", "--end-user", next(person[1] for person in signed_in.people if person[2] == "family"))
    run("sync", "--today", TODAY, "--only", "energy")
    (home,) = run("status", "--json").json["households"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("TOOLKIT_BASE_URL", f"http://127.0.0.1:{free.getsockname()[1]}")
        said = run("forget", "--yes", "--household", home["id"]).out
    for consent in home["consents"]:
        assert f"{consent['arrangement_id']}: " in said
    assert "{" not in said


def test_the_sandbox_names_its_people_in_words(service: Running) -> None:
    said = list(sandbox(sandbox_address(service)))
    assert [f"  {email}: {end_user}, {kind}" for email, end_user, kind in service.people] == [
        line for line in said if "@" in line
    ]
