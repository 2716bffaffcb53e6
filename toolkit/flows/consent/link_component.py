"""The consent flow in a frame of a page, by the service's link component: its session, and what came of it."""

from __future__ import annotations

import json
from typing import Any

from toolkit.api.client import Client
from toolkit.errors import InvalidResponseError
from toolkit.flows.consent.browser_flow import raise_unless_shared
from toolkit.flows.consent.connect import asked_person, kept, listed_consents
from toolkit.flows.consent.consents import stored_consent
from toolkit.flows.consent.flow_consents import EndedFlow
from toolkit.flows.household.context import Context
from toolkit.store import open_store
from toolkit.wire.decoding.short_lists import Listing
from toolkit.wire.link import Outcome
from toolkit.wire.records import ConsentRecord


def begin_link(
    ctx: Context,
    client: Client,
    *,
    email: str | None = None,
    name: str | None = None,
    institution: str | None = None,
    renew: str | None = None,
) -> dict[str, str]:
    """`session_id` for the component and `end_user_id` for `end_link`; options as those of `connect`."""
    with open_store(ctx.db) as store:
        before = stored_consent(store, renew) if renew else None
        person = before["end_user_id"] if before else asked_person(store, client, ctx, email, name)
    session = client.start_session(
        person,
        institution_id=before["institution_id"] if before else institution,
        arrangement_id=before["arrangement_id"] if before else None,
    )
    return {"session_id": session.session_id, "end_user_id": person}


def end_link(  # noqa: PLR0913  one parameter an option of the flow
    ctx: Context,
    client: Client,
    *,
    end_user: str,
    consent: str | None = None,
    code: str | None = None,
    institution: str | None = None,
    renew: str | None = None,
) -> dict[str, Any]:
    """Store the component's consent once the service confirms it; returns the result of `connect`.

    consent: the consent id the flow ended with. code: why it ended without one. institution, renew: as `begin_link`
    was given them, for services that list no consents. Raises ConsentRequiredError where it ended
    without, InvalidResponseError where the service knows no such consent.
    """
    outcome = Outcome(None, consent, code)
    raise_unless_shared(outcome)
    given, _ = listed_consents(client, end_user)
    if given is not None and not _lists(given, consent):
        raise InvalidResponseError("The service does not know this consent. Connect again.")
    with open_store(ctx.db) as store:
        before = stored_consent(store, renew) if renew else None
        flow = EndedFlow(
            consent or "",
            before["institution_id"] if before else institution,
            before["arrangement_id"] if before else None,
        )
        return kept(store, client, ctx, end_user, flow)


def _lists(given: Listing[ConsentRecord], consent: str | None) -> bool:
    """Also where the record that names the consent cannot be read otherwise."""
    named = json.dumps(consent).encode()
    readable = any(consent in (record.consent_id, record.arrangement_id) for record in given.records)
    return readable or any(named in entry.raw for entry in given.rejected)
