"""The doctor says in words what is wrong between the settings and a service, each case on a real socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from tests.keys import keys_of
from tests.problems import names
from tests.respelt import Deployment, camel_keys
from tests.scripted_service import ScriptedService, reply, scripted_service
from toolkit import settings
from toolkit.flows.data.doctor.run import doctor
from toolkit.flows.household.context import Context
from toolkit.sandbox.serve import Running, running

TODAY = date(2026, 11, 21)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Running]:
    with running(seed=1, today=TODAY, years=1) as service:
        yield service


@pytest.fixture
def service() -> Iterator[ScriptedService]:
    with scripted_service() as service:
        yield service


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home.db", TODAY)


def settled(url: str, sandbox: Running, **more: str) -> settings.Settings:
    return settings.load({**keys_of(sandbox), "TOOLKIT_BASE_URL": url, **more})


def found(ctx: Context, chosen: settings.Settings) -> tuple[list[str], dict[str, str]]:
    """Names of the failed checks, and what each check says."""
    answer = doctor(ctx, chosen)
    return list(answer.failed), {check.name: check.message for check in answer.checks}


def test_a_service_that_fits(ctx: Context, sandbox: Running) -> None:
    failed, said = found(ctx, settled(sandbox.base_url, sandbox))
    assert failed == []
    assert {"service", "clock", "data", "platform word"} <= set(said)


def test_core_paths_under_another_prefix(ctx: Context, sandbox: Running, service: ScriptedService) -> None:
    Deployment(sandbox, service, core_prefix="/v1")
    failed, said = found(ctx, settled(service.url, sandbox))
    assert failed == ["core prefix"]
    assert 'TOOLKIT_CORE_PREFIX="/v1"' in said["core prefix"]
    assert found(ctx, settled(service.url, sandbox, TOOLKIT_CORE_PREFIX="/v1"))[0] == []


def test_core_paths_without_the_prefix_that_is_set(ctx: Context, sandbox: Running, service: ScriptedService) -> None:
    Deployment(sandbox, service, core_prefix="")
    failed, said = found(ctx, settled(service.url, sandbox, TOOLKIT_CORE_PREFIX="/v1"))
    assert failed == ["core prefix"]
    assert 'TOOLKIT_CORE_PREFIX=""' in said["core prefix"]


def test_an_address_that_has_the_version_in_it(ctx: Context, sandbox: Running) -> None:
    failed, said = found(ctx, settled(f"{sandbox.base_url}/v1", sandbox))
    assert failed == ["core prefix"]
    assert names(said["core prefix"], "TOOLKIT_BASE_URL", "/v1")


def test_another_word_than_the_one_set(ctx: Context, sandbox: Running, service: ScriptedService) -> None:
    Deployment(sandbox, service, word="acme")
    failed, said = found(ctx, settled(service.url, sandbox))
    assert failed == ["platform word"]
    assert names(said["platform word"], "acme_id", "TOOLKIT_PLATFORM=acme")
    assert found(ctx, settled(service.url, sandbox, TOOLKIT_PLATFORM="acme"))[0] == []


def test_camel_case_is_no_other_word(ctx: Context, sandbox: Running, service: ScriptedService) -> None:
    Deployment(sandbox, service, word="acme", altered=lambda body: camel_keys(body) if b"acme_id" in body else body)
    assert found(ctx, settled(service.url, sandbox, TOOLKIT_PLATFORM="acme"))[0] == []
    assert "acme_id" in found(ctx, settled(service.url, sandbox))[1]["platform word"]


@pytest.mark.parametrize("odd", [rb"\ud83d", b"\xff"])
def test_half_a_character_and_a_stray_byte_are_no_other_word(
    ctx: Context, sandbox: Running, service: ScriptedService, odd: bytes
) -> None:
    Deployment(sandbox, service, altered=lambda body: body.replace(b'"display_name":"', b'"display_name":"' + odd))
    failed, said = found(ctx, settled(service.url, sandbox))
    assert failed == []
    assert not names(said["platform word"], "TOOLKIT_PLATFORM")


def test_a_version_that_is_refused(ctx: Context, sandbox: Running, service: ScriptedService) -> None:
    Deployment(sandbox, service, versions=("v2", "v1"))
    failed, said = found(ctx, settled(service.url, sandbox))
    assert failed == ["version"]
    assert names(said["version"], "TOOLKIT_API_VERSION=v3", "v2")


def test_version_prefix_and_word_together(ctx: Context, sandbox: Running, service: ScriptedService) -> None:
    """None of the three alone opens this deployment; its refusals carry its own word."""
    Deployment(sandbox, service, word="acme", core_prefix="/v1", versions=("v2",), states=True)
    failed, said = found(ctx, settled(service.url, sandbox))
    assert failed == ["version", "core prefix", "platform word"]
    assert names(said["version"], "TOOLKIT_API_VERSION=v3", "v2")
    assert names(said["core prefix"], 'TOOLKIT_CORE_PREFIX="/v1"')
    assert names(said["platform word"], "acme_id", "TOOLKIT_PLATFORM=acme")
    chosen = {"TOOLKIT_PLATFORM": "acme", "TOOLKIT_CORE_PREFIX": "/v1", "TOOLKIT_API_VERSION": "v2"}
    assert found(ctx, settled(service.url, sandbox, **chosen))[0] == []


def test_version_and_prefix_together(ctx: Context, sandbox: Running, service: ScriptedService) -> None:
    Deployment(sandbox, service, core_prefix="/v1", versions=("v1",))
    assert found(ctx, settled(service.url, sandbox))[0] == ["version", "core prefix"]


def test_the_word_is_in_the_headers_where_nobody_shares_an_account(
    ctx: Context, sandbox: Running, service: ScriptedService
) -> None:
    service.answer = lambda asked: reply(
        {asked.path.rsplit("/", 1)[-1].replace("-", "_"): [], "links": {}}, x_acme_version="v3"
    )
    failed, said = found(ctx, settled(service.url, sandbox))
    assert failed == ["platform word"]
    assert names(said["platform word"], "X-Acme-Version", "TOOLKIT_PLATFORM=acme")
    assert found(ctx, settled(service.url, sandbox, TOOLKIT_PLATFORM="acme"))[0] == []


def test_a_version_that_is_passed_over(ctx: Context, sandbox: Running, service: ScriptedService) -> None:
    """The service answers, but as the version that its console pins."""
    Deployment(sandbox, service, headers={"x-platform-version": "v2"})
    failed, said = found(ctx, settled(service.url, sandbox))
    assert failed == []
    assert names(said["version"], "v3", "TOOLKIT_API_VERSION=v2")
    assert "version" not in found(ctx, settled(service.url, sandbox, TOOLKIT_API_VERSION="v2"))[1]


@pytest.mark.parametrize("status", [404, 500])
@pytest.mark.parametrize("people", [0, 1])
def test_data_that_never_answers_is_an_error(
    ctx: Context, sandbox: Running, service: ScriptedService, status: int, people: int
) -> None:
    """With nobody connected a 404 may be about the person asked for; a 500 is not."""
    users = [{"id": f"eu{n}", "email": "a@example.com"} for n in range(people)]
    service.answer = lambda asked: (
        reply({"end_users": users, "links": {}})
        if asked.path == "/end-users"
        else reply({"id": "err_1", "name": "broken", "message": "broken"}, status)
    )
    failed, said = found(ctx, settled(service.url, sandbox))
    if people or status == 500:
        assert failed == ["data"]
        assert names(said["data"], "GET /v1/banking/accounts", status)
    named, _ = found(ctx, settled(service.url, sandbox, TOOLKIT_END_USER="eu9"))
    assert named == ["data"]


def test_data_of_one_kind_that_does_not_answer_is_a_warning(
    ctx: Context, sandbox: Running, service: ScriptedService
) -> None:
    deployment = Deployment(sandbox, service)
    service.answer = lambda asked: (
        reply({"id": "err_1", "name": "broken", "message": "broken"}, 500)
        if asked.path.startswith("/v1/energy")
        else deployment.answer(asked)
    )
    answer = doctor(ctx, settled(service.url, sandbox))
    (said,) = [check for check in answer.checks if check.name == "data"]
    assert (answer.failed, said.state) == ((), "warning")
    assert names(said.message, "GET /v1/energy/accounts", 500)


@pytest.mark.parametrize("wrong", ["TOOLKIT_CLIENT_ID", "TOOLKIT_CLIENT_SECRET"])
def test_credentials_that_are_refused(ctx: Context, sandbox: Running, wrong: str) -> None:
    failed, said = found(ctx, settled(sandbox.base_url, sandbox, **{wrong: "wrong"}))
    assert failed == ["sign-in"]
    assert "toolkit credentials set" in said["sign-in"]


def test_credentials_that_are_missing(ctx: Context, sandbox: Running) -> None:
    failed, said = found(ctx, settings.load({"TOOLKIT_BASE_URL": sandbox.base_url}, {}))
    assert failed == ["sign-in"]
    assert names(said["sign-in"], "TOOLKIT_CLIENT_ID", "TOOLKIT_CLIENT_SECRET")


@pytest.mark.parametrize(("hours", "words"), [(-2, "120 minutes ahead"), (2, "120 minutes behind")])
def test_a_clock_that_is_off(ctx: Context, sandbox: Running, service: ScriptedService, hours: int, words: str) -> None:
    theirs = datetime.now(UTC) + timedelta(hours=hours, seconds=5)
    Deployment(sandbox, service, headers={"date": format_datetime(theirs, usegmt=True)})
    failed, said = found(ctx, settled(service.url, sandbox))
    assert failed == []
    assert words in said["clock"]


def test_nothing_answers(ctx: Context, sandbox: Running) -> None:
    with scripted_service() as gone:
        url = gone.url
    failed, said = found(ctx, settled(url, sandbox))
    assert failed == ["service"]
    assert url.removeprefix("http://") in said["service"]


def test_a_service_that_fails_is_told_as_its_own_fault(
    ctx: Context, sandbox: Running, service: ScriptedService
) -> None:
    service.token = lambda _: reply({"error": "internal_error"}, 500)
    failed, said = found(ctx, settled(service.url, sandbox))
    assert failed == ["service"]
    assert names(said["service"], "POST /v1/token", 500)


def test_no_secret_is_shown(ctx: Context, sandbox: Running) -> None:
    assert sandbox.client_secret not in json.dumps(doctor(ctx, settled(sandbox.base_url, sandbox)), default=str)


@pytest.fixture(scope="module")
def secure() -> Iterator[Running]:
    with running(seed=1, today=TODAY, years=1, tls=True) as service:
        yield service


def pem(secure: Running, **more: str) -> dict[str, Any]:
    files = {
        "TOOLKIT_CA": secure.ca,
        "TOOLKIT_CLIENT_CERT": secure.client_cert,
        "TOOLKIT_CLIENT_KEY": secure.client_key,
    }
    return {name: value for name, value in {**files, **more}.items() if value}


def test_mutual_tls_that_fits(ctx: Context, secure: Running) -> None:
    failed, said = found(ctx, settled(secure.base_url, secure, **pem(secure)))
    assert failed == []
    assert {"certificate", "certificate file"} <= said.keys()


def test_an_authority_that_is_not_trusted(ctx: Context, secure: Running) -> None:
    failed, said = found(ctx, settled(secure.base_url, secure))
    assert failed == ["tls"]
    assert "TOOLKIT_CA" in said["tls"]


def test_a_certificate_that_is_none(ctx: Context, secure: Running, tmp_path: Path) -> None:
    broken = tmp_path / "client.pem"
    broken.write_text("no certificate")
    failed, said = found(ctx, settled(secure.base_url, secure, **pem(secure, TOOLKIT_CLIENT_CERT=str(broken))))
    assert "certificate file" in failed
    assert str(broken) in said["certificate file"]


def test_a_consent_api_that_refuses_the_certificate_speaks_of_certificates(
    ctx: Context, secure: Running, service: ScriptedService
) -> None:
    """Behind a gateway that loses it, the certificate does not arrive."""
    service.answer = lambda asked: (
        reply({"code": "unauthorized", "message": "no certificate"}, 401)
        if asked.path.startswith("/consents")
        else reply({"end_users": [], "links": {}})
    )
    named = pem(secure)
    failed, said = found(ctx, settled(service.url, secure, TOOLKIT_CLIENT_CERT=named["TOOLKIT_CLIENT_CERT"]))
    assert failed == ["certificate"]
    assert names(said["certificate"], "TOOLKIT_CLIENT_CERT", "TOOLKIT_CLIENT_KEY")
