"""Check the settings against the service by requests to it."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Literal

from cryptography import x509

from toolkit.answers.data import Check
from toolkit.api.client import Client
from toolkit.errors import (
    AuthenticationError,
    ConnectionFailedError,
    ConsentRequiredError,
    RequestRejectedError,
    ServerError,
    ServiceError,
    SettingsError,
)
from toolkit.flows.consent.service import service
from toolkit.flows.data.doctor.spelling import Attempt, attempts, quick_retry_policy
from toolkit.settings import Settings
from toolkit.sync.pages import problems_of, which_word
from toolkit.wire.decoding.lenient import Stated, possible_words
from toolkit.wire.decoding.pages import listed

CLOCK_TOLERANCE = timedelta(minutes=5)
SOON = timedelta(days=14)
PEOPLE_LOOKED_AT = 5
LISTS = ("banking.accounts", "energy.accounts")
_NOBODY = "doctor"


def connection(settings: Settings) -> Iterator[Check]:
    """Sign-in, version, paths, clock, spelling, data and certificate, as far as each can be tried."""
    try:
        if settings.base_url is None:
            yield Check("service", "ok", "No service is set up; files work without one.")
            return
        if settings.client_cert:
            yield _certificate_file(settings.client_cert)
        first, reached = attempts(settings)
        if reached.refused is not None:
            yield _refused(reached.refused, settings)
            return
        yield from _settings_to_change(first, reached)
        with service(reached.settings, quick_retry_policy()) as client:
            yield from _service(client, settings, reached)
    except SettingsError as error:
        yield Check("settings", "error", str(error))
    except AuthenticationError as error:
        yield Check("sign-in", "error", str(error))
    except ConnectionFailedError as error:
        yield Check("tls" if _is_tls(error) else "service", "error", str(error))
    except ServiceError as error:
        yield Check("service", "error", str(error))


def _service(client: Client, settings: Settings, reached: Attempt) -> Iterator[Check]:
    yield Check("service", "ok", f"{settings.base_url} answers and accepts the credentials.")
    yield from _clock(reached.headers.get("date"))
    people = next(client.pages("end_users.list", page_size=PEOPLE_LOOKED_AT))
    for problem in problems_of("end users", listed([people])):  # they are connected under their ids
        yield Check("end users", "warning", f"{problem.where}: {problem.reason}.")
    looked = look_at_data(client, [user.id for user in people.records[:PEOPLE_LOOKED_AT]], settings.end_user)
    yield from looked.checks
    yield _word(looked.record, reached.stated, settings)
    if settings.client_cert:
        yield _consent_api(client)


def _refused(error: RequestRejectedError, settings: Settings) -> Check:
    """Report a rejection that no version, prefix and word tried could avoid."""
    if error.status != 404:
        return Check("service", "error", str(error))
    hint = "No path of the service is there: is TOOLKIT_BASE_URL right?"
    if (settings.base_url or "").endswith("/v1"):
        hint = "TOOLKIT_BASE_URL is without /v1: that is part of the paths."
    return Check("core prefix", "error", f"{error} {hint}")


def _settings_to_change(first: Attempt, reached: Attempt) -> Iterator[Check]:
    """Report version and prefix if the service answers under others than those set; `_word` checks the word."""
    own, accepted = first.settings, reached.settings
    reason = f"{first.refused} " if first.refused else ""
    if accepted.api_version != own.api_version:
        text = f"TOOLKIT_API_VERSION={own.api_version} is refused, {accepted.api_version} is accepted: set that."
        yield Check("version", "error", f"{reason}{text}")
    elif reached.stated and reached.stated.word == accepted.platform and reached.stated.version != accepted.api_version:
        text = f"The service answers as version {reached.stated.version}, though {accepted.api_version} is asked for: "
        yield Check("version", "warning", f"{text}set TOOLKIT_API_VERSION={reached.stated.version}.")
    if accepted.core_prefix != own.core_prefix:
        text = f'This deployment spells the core paths otherwise: set TOOLKIT_CORE_PREFIX="{accepted.core_prefix}".'
        yield Check("core prefix", "error", f"{reason}{text}")


def _clock(stated: str | None) -> Iterator[Check]:
    """Compare clocks, as certificates, consents and freshness depend on them."""
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


def _word(record: bytes | None, stated: Stated | None, settings: Settings) -> Check:
    """Check TOOLKIT_PLATFORM by the name of the id in a raw record, else by the response headers."""
    word = settings.platform
    if record is not None:
        words = possible_words(record)
        if word in words:
            return Check("platform word", "ok", f"Records carry {word}_id, as set.")
        if stated is not None and stated.word in words:
            words = [stated.word]
        return Check("platform word", "error", which_word(words, word))
    if stated is None:
        text = "Nobody looked at shares an account that can be listed, so TOOLKIT_PLATFORM could not be tried."
        return Check("platform word", "ok", text)
    header = f"X-{stated.word.title()}-Version"
    if stated.word == word:
        return Check("platform word", "ok", f"Answers carry the header {header}, as TOOLKIT_PLATFORM={word} has it.")
    text = f"Answers carry the header {header}: set TOOLKIT_PLATFORM={stated.word}."
    return Check("platform word", "error", text)


def _consent_api(client: Client) -> Check:
    """Request an unknown consent: a 404 shows that the client certificate is accepted."""
    try:
        client.consent("doctor")
    except AuthenticationError as error:
        return Check("certificate", "error", str(error))
    except RequestRejectedError as error:
        if error.status != 404:
            return Check("certificate", "warning", str(error))
    return Check("certificate", "ok", "The consent API accepts the client certificate.")


def _certificate_file(path: Path) -> Check:
    try:
        certificate = x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError):
        return Check("certificate file", "error", f"TOOLKIT_CLIENT_CERT = {path} is not a PEM certificate.")
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


@dataclass
class DataLists:
    """Results. answered: lists that answered. failed: lists that did not, and why. record: a raw record of one."""

    answered: set[str] = field(default_factory=set)
    failed: dict[str, ServiceError] = field(default_factory=dict)
    record: bytes | None = None

    @property
    def checks(self) -> list[Check]:
        """An error where no list answers, a warning where one does not; nothing where nobody shares anything."""
        failing = {name: error for name, error in self.failed.items() if name not in self.answered}
        if failing and not self.answered:
            return [Check("data", "error", f"No list of records answers: {_reasons(failing)}")]
        if failing:
            return [Check("data", "warning", f"Some lists of records do not answer: {_reasons(failing)}")]
        return [Check("data", "ok", "The lists of records answer.")] if self.answered else []


def look_at_data(client: Client, people: Sequence[str], end_user: str | None) -> DataLists:
    """Request accounts of these people until one is returned. end_user: the configured one, requested first.

    A missing consent is not a failure of a list. Without people an unknown id is requested, and only a server error
    counts as a failure.
    """
    looked = DataLists()
    known = [*dict.fromkeys([*([end_user] if end_user else []), *people])]
    for person in known or [_NOBODY]:
        for name in LISTS:
            _look(client, looked, name, person)
        if looked.record is not None:
            break
    return looked


def _look(client: Client, looked: DataLists, name: str, person: str) -> None:
    if isinstance(looked.failed.get(name), ServerError):
        return
    try:
        page = next(client.pages(name, end_user_id=person, page_size=1))
    except ConsentRequiredError:
        return
    except ServiceError as error:
        if person != _NOBODY or isinstance(error, ServerError):
            looked.failed[name] = error
        return
    looked.answered.add(name)
    raws = [*page.raws, *(rejected.raw for rejected in page.rejected)]
    if looked.record is None and raws:
        looked.record = raws[0]


def _reasons(failing: dict[str, ServiceError]) -> str:
    return " ".join(str(error) for error in failing.values())
