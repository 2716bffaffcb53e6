"""The consent flow from its first page to its end, watched from here while a person goes through it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from toolkit.api.client import Client
from toolkit.api.listener import Listener
from toolkit.errors import ConsentRequiredError, InvalidResponseError, ToolkitError
from toolkit.wire.messages import CODES, OpenSession, Outcome

Open = Callable[[str], object]
Standing = frozenset[tuple[str, str, str]]

POLL_SECONDS = 3.0
GRACE_SECONDS = 1.0
"""For the redirect of a consent that has been seen already: the browser is to end on a page, too."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A requested consent: the person, the institution (None: chosen in the flow) and the arrangement to renew."""

    person: str
    institution: str | None = None
    arrangement: str | None = None


def walked(client: Client, flow: Flow, open_browser: Open, wait: float) -> tuple[Outcome, str]:
    """Run a consent flow; return its outcome and address. Raises ConsentRequiredError without a consent."""
    before = _in_force(client, flow.person)
    with Listener() as listener:
        session = client.start_session(
            flow.person,
            institution_id=flow.institution,
            redirect_uri=listener.redirect_uri,
            cancel_uri=listener.cancel_uri,
            arrangement_id=flow.arrangement,
        )
        url = openable(session)
        open_browser(url)
        outcome = _awaited(listener, client, flow.person, before, wait)
    if outcome is None:
        meaning = CODES["LINK_TIMEOUT"].capitalize()
        raise ConsentRequiredError(f"{meaning} ({wait:.0f} s). Connect again.", name="LINK_TIMEOUT")
    raise_unless_shared(outcome)
    if outcome.session_id not in (None, session.session_id):
        raise InvalidResponseError("The consent flow that ended is not the one that was started; connect again.")
    return outcome, url


def raise_unless_shared(outcome: Outcome) -> None:
    """Raise ConsentRequiredError where the flow ended without a consent."""
    if outcome.error is not None or outcome.consent_id is None:
        code = f" ({outcome.error})" if outcome.error else ""
        raise ConsentRequiredError(
            f"Nothing is shared: {outcome.meaning}{code}. Connect again.", name=outcome.error or ""
        )


def _awaited(listener: Listener, client: Client, person: str, before: Standing | None, wait: float) -> Outcome | None:
    """Return how the flow ended, by the redirect or the list of consents; None after `wait` seconds.

    A flow on another device redirects to an address that nobody listens at there.
    """
    ends_at = time.monotonic() + wait
    while (left := ends_at - time.monotonic()) > 0:
        outcome = listener.wait(min(POLL_SECONDS, wait / 10, left))
        if outcome is not None:
            return outcome
        now = _in_force(client, person) if before is not None else None
        if before is not None and now is not None and (new := sorted(now - before)):
            return listener.wait(GRACE_SECONDS) or Outcome(None, consent_id=new[0][0])
    return None


def _in_force(client: Client, person: str) -> Standing | None:
    """Return the active consents (a renewed one is another); None if the service has no list."""
    try:
        found = client.consents(person)
    except ToolkitError:
        return None
    active = [consent for consent in found.records if consent.active is not False]
    return frozenset((c.consent_id or c.arrangement_id, c.granted_at or "", c.expires_at or "") for c in active)


def openable(session: OpenSession) -> str:
    """Return the address of the consent pages. Raises InvalidResponseError unless it is an http address."""
    parts = urlsplit(session.auth_url or "")
    if parts.scheme not in ("https", "http") or not parts.netloc:
        raise InvalidResponseError("The service gave no address of its consent pages.", name="no_consent_pages")
    return session.auth_url or ""
