"""Whether the settings and the service fit together, tried on the service itself, said in words."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Literal

from toolkit.errors import Refused, ServiceError, SettingsError, SignInNeeded, ToolkitError, Unreachable
from toolkit.flows.service import service
from toolkit.sync.unread import problems_of
from toolkit.wire.broken import BROKEN
from toolkit.wire.halves import mended
from toolkit.wire.listing import listed

if TYPE_CHECKING:
    from pathlib import Path

    from toolkit.api.client import Client
    from toolkit.api.retry import Patience
    from toolkit.settings import Settings
    from toolkit.wire.pages import Page

VERSIONS = ("v3", "v2", "v1")
PREFIXES = ("", "/v1")
CLOCK_TOLERANCE = timedelta(minutes=5)
SOON = timedelta(days=14)
PEOPLE_LOOKED_AT = 5


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: Literal["ok", "warning", "error"]
    message: str


def connection(settings: Settings) -> Iterator[Check]:
    """Sign-in, version, paths, clock, spelling and certificate, as far as each can be told."""
    try:
        if settings.base_url is None:
            yield Check("service", "ok", "No service is set up; files work without one.")
            return
        if settings.client_cert:
            yield _certificate_file(settings.client_cert)
        with service(settings, _little_patience()) as client:
            yield from _service(client, settings)
    except SettingsError as error:
        yield Check("settings", "error", str(error))
    except SignInNeeded as error:
        yield Check("sign-in", "error", str(error))
    except Unreachable as error:
        yield Check("tls" if _is_tls(error) else "service", "error", str(error))
    except ServiceError as error:
        yield Check(*_refused(error, settings))


def _little_patience() -> Patience:
    from toolkit.api.retry import Patience

    return Patience(tries=2, longest=5.0)


def _service(client: Client, settings: Settings) -> Iterator[Check]:
    client.sign_in()
    headers = client.headers()
    yield Check("service", "ok", f"{settings.base_url} answers and accepts the credentials.")
    yield from _clock(headers.get("date"))
    people = next(client.pages("end_users.list", page_size=PEOPLE_LOOKED_AT))
    yield from _unreadable_people(people)
    yield _word(client, people, settings)
    if settings.client_cert:
        yield _consent_api(client)


def _refused(error: ServiceError, settings: Settings) -> tuple[str, Literal["error"], str]:
    """A refusal is most often a spelling that this deployment has otherwise: the others are tried."""
    if error.status == 404:
        return "core prefix", "error", f"{error}{_prefix_hint(settings)}"
    if isinstance(error, Refused):
        version = _first_accepted(settings, "TOOLKIT_API_VERSION", VERSIONS)
        if version:
            text = f"TOOLKIT_API_VERSION={settings.api_version} is refused, {version} is accepted: set that."
            return "version", "error", f"{error} {text}"
    return "service", "error", str(error)


def _prefix_hint(settings: Settings) -> str:
    if (settings.base_url or "").endswith("/v1"):
        return " TOOLKIT_BASE_URL is without /v1: that is part of the paths."
    prefix = _first_accepted(settings, "TOOLKIT_CORE_PREFIX", PREFIXES)
    if prefix is None:
        return " No path of the service is there: is TOOLKIT_BASE_URL right?"
    return f' This deployment spells the core paths otherwise: set TOOLKIT_CORE_PREFIX="{prefix}".'


def _first_accepted(settings: Settings, name: str, values: tuple[str, ...]) -> str | None:
    """The first other value of a setting with which the service answers."""
    from toolkit.settings import Found

    for value in values:
        if value == settings.found[name].value:
            continue
        tried = replace(settings, found={**settings.found, name: Found(value, "tried")})
        try:
            with service(tried, _little_patience()) as client:
                client.headers()
        except ToolkitError:
            continue
        return value
    return None


def _clock(stated: str | None) -> Iterator[Check]:
    """Certificates, consents and freshness are told by the clock."""
    try:
        theirs = parsedate_to_datetime(stated or "")
    except ValueError:
        return
    ahead = datetime.now(UTC) - theirs.replace(tzinfo=theirs.tzinfo or UTC)
    if abs(ahead) <= CLOCK_TOLERANCE:
        yield Check("clock", "ok", "This machine's clock and the service's agree.")
        return
    way = "ahead of" if ahead > timedelta() else "behind"
    minutes = abs(ahead) / timedelta(minutes=1)
    yield Check("clock", "warning", f"This machine's clock is {minutes:.0f} minutes {way} the service's: set it.")


def _unreadable_people(people: Page) -> Iterator[Check]:
    """They are connected under their ids alone."""
    for problem in problems_of("end users", listed([people])):
        yield Check("end users", "warning", f"{problem.where}: {problem.reason}.")


def _word(client: Client, people: Page, settings: Settings) -> Check:
    """By the name that a record's own identifier has in the record as it came."""
    names = next(_some_records(client, people), None)
    if names is None:
        text = "Nobody looked at shares an account that can be listed, so TOOLKIT_PLATFORM could not be tried."
        return Check("platform word", "ok", text)
    ids = {name.replace("Id", "_id") for name in names if name.endswith(("_id", "Id"))}
    own = sorted(ids - _known_names())
    if f"{settings.platform}_id" in ids:
        return Check("platform word", "ok", f"Records carry {settings.platform}_id, as set.")
    if len(own) == 1:
        word = own[0].removesuffix("_id")
        text = f"Records carry {own[0]}, not {settings.platform}_id: set TOOLKIT_PLATFORM={word}."
        return Check("platform word", "error", text)
    text = f"Records carry no {settings.platform}_id: look up the deployment's own word for TOOLKIT_PLATFORM."
    return Check("platform word", "error", text)


def _known_names() -> set[str]:
    from msgspec.structs import fields

    from toolkit.wire.records import BankAccount, EnergyAccount

    return {field.encode_name for struct in (BankAccount, EnergyAccount) for field in fields(struct)} - {"platform_id"}


def _some_records(client: Client, people: Page) -> Iterator[set[str]]:
    """The names in accounts of those who share any, as they came."""
    from msgspec import Raw
    from msgspec import json as wire_json

    named = wire_json.Decoder(dict[str, Raw])
    for user in people.records[:PEOPLE_LOOKED_AT]:
        for resource in ("banking.accounts", "energy.accounts"):
            try:
                page = next(client.pages(resource, end_user_id=user.id, page_size=1))
            except ServiceError:
                continue
            for raw in (*page.raws, *(rejected.raw for rejected in page.rejected)):
                with suppress(*BROKEN):
                    yield set(named.decode(mended(raw)))


def _consent_api(client: Client) -> Check:
    """A consent that nobody has: refused for being unknown where the certificate is accepted."""
    try:
        client.consent("doctor")
    except SignInNeeded as error:
        return Check("certificate", "error", str(error))
    except Refused as error:
        if error.status != 404:
            return Check("certificate", "warning", str(error))
    return Check("certificate", "ok", "The consent API accepts the client certificate.")


def _certificate_file(path: Path) -> Check:
    from cryptography import x509

    try:
        certificate = x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError):
        return Check("certificate file", "error", f"TOOLKIT_CLIENT_CERT = {path} is no certificate in PEM.")
    left = certificate.not_valid_after_utc - datetime.now(UTC)
    day = certificate.not_valid_after_utc.date()
    if left < timedelta():
        return Check("certificate file", "error", f"The client certificate ended on {day}: get a new one.")
    state: Literal["ok", "warning"] = "warning" if left < SOON else "ok"
    return Check("certificate file", state, f"The client certificate is good until {day}.")


def _is_tls(error: BaseException) -> bool:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
