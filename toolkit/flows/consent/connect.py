"""A person gives consent: the end user is found or created, the consent flow opened, and its consent stored.

The flow runs on the service's own pages (`connect`), or in a frame of a page (`begin_link`, `end_link`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from types import MappingProxyType

from msgspec.structs import replace

from toolkit.answers.consents import Connected, ConnectedConsent, LinkSession, NamedHousehold
from toolkit.api.client import Client
from toolkit.errors import (
    ConsentRequiredError,
    InvalidResponseError,
    RateLimitError,
    RequestRejectedError,
    ServerError,
    ToolkitError,
    UsageError,
)
from toolkit.flows.consent.browser_flow import Flow, Open, openable, raise_unless_shared, walked
from toolkit.flows.consent.consents import (
    EndedFlow,
    consents_of,
    keep_flow,
    keep_invitation,
    keep_shown,
    set_connected,
    stored_consent,
)
from toolkit.flows.household.context import Context, Progress, choose_household, quiet, refuse_slip
from toolkit.flows.sync.end_users import People, adopt, read_consents
from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.store import Store, open_store
from toolkit.store.sync_state import forgotten_alone, remove_tombstone, remove_tombstones
from toolkit.sync.list_sync import Person
from toolkit.sync.pages import problems_of
from toolkit.tables.schema.identity import EndUserRow, HouseholdRow, InstitutionRow
from toolkit.wire.decoding.pages import Listing
from toolkit.wire.messages import Outcome
from toolkit.wire.records import ConsentRecord

NOT_GIVEN = (RequestRejectedError, ServerError, InvalidResponseError, RateLimitError)
"""Failures of one list, after which other lists can still be read."""


def connect(  # noqa: PLR0913  one parameter an option
    ctx: Context,
    client: Client,
    *,
    open_browser: Open,
    email: str | None = None,
    name: str | None = None,
    institution: str | None = None,
    end_user: str | None = None,
    renew: str | None = None,
    invite: bool = False,
    wait: float = 600,
    progress: Progress = quiet,
) -> Connected:
    """`connect`: ask a person for consent and store it. Safe to repeat: no end user is created twice.

    email, name: who is to give consent; without them the only end user of the household, who then renews or adds.
    end_user: adopt one with an existing consent, without a flow. renew: consent or arrangement id to renew, with its
    person and institution; the new consent replaces it where the service supports that. invite: store and return the
    link, and do not wait. open_browser: called with the address of the consent pages. wait: seconds until the flow
    must have ended.

    Raises ConsentRequiredError where it ends without a consent, RequestRejectedError where the service does not know
    the end user, SimilarNameError where the household is new and nearly has the name of another one.
    """
    with open_store(ctx.db) as store:
        refuse_slip(store, ctx)
        if end_user is not None:
            return _adopted(store, client, ctx, end_user)
        before = stored_consent(store, renew) if renew else None
        person = before.end_user_id if before else asked_person(store, client, ctx, email, name)
        institution = before.institution_id if before else institution
        report_health(client, institution, progress)
        if invite:
            return _invited(store, client, ctx, person, institution)
        flow = Flow(person, institution, before.arrangement_id if before else None)
        outcome, url = walked(client, flow, open_browser, wait)
        ended = EndedFlow(outcome.consent_id or "", institution, flow.arrangement)
        return replace(kept(store, client, ctx, person, ended), open_url=url)


def _adopted(store: Store, client: Client, ctx: Context, end_user: str) -> Connected:
    """Adopt an end user; where consents cannot be listed, the first records show which ones there are."""
    given, _ = listed_consents(client, end_user)
    if given is None:
        client.end_user(end_user)
        return kept(store, client, ctx, end_user, None, _shown_by_records(client, end_user))
    if not given.rejected and not any(consent.active is not False for consent in given.records):
        raise _nothing_shared(end_user)
    return kept(store, client, ctx, end_user, None)


def _nothing_shared(end_user: str) -> ConsentRequiredError:
    return ConsentRequiredError(Message(f"{end_user} has no consent in force: ", Remedy.CONNECT_AS_NEW, "."))


def _shown_by_records(client: Client, end_user: str) -> dict[str, str | None]:
    """Return arrangement → institution of an end user's accounts. Raises ConsentRequiredError if none may be read."""
    shown: dict[str, str | None] = {}
    opened = 0
    for resource in ("banking.accounts", "energy.accounts"):
        with suppress(ConsentRequiredError):
            with suppress(*NOT_GIVEN):
                page = next(client.pages(resource, end_user_id=end_user))
                shown |= {one.arrangement_id: one.institution_id for one in page.records if one.arrangement_id}
            opened += 1
    if not opened:
        raise _nothing_shared(end_user)
    return shown


def asked_person(store: Store, client: Client, ctx: Context, email: str | None, name: str | None) -> str:
    """Return the id of the end user with that address, created where the service has none."""
    if email is None:
        return _only_person(store, ctx)
    check_address(email)
    given = client.end_users(email)
    known = [user.id for user in given.records]
    if known:
        # The service may have the same address twice: the end user that is stored goes first.
        stored = {row.end_user_id for row in store.load(EndUserRow)}
        return next((end_user_id for end_user_id in known if end_user_id in stored), known[0])
    if given.rejected:
        unreadable = given.rejected[0]
        raise InvalidResponseError(
            Message(
                f"{email} may already be known: the service's record of end user {unreadable.id} cannot be read "
                f"({unreadable.reason}).",
                Remedy.SAME_PERSON.with_(end_user=unreadable.id),
            )
        )
    if not name:
        reason = Message(f"The service has nobody with the address {email} yet: ", Remedy.ADD_NAME, ".")
        raise UsageError(reason, option="--name")
    return _made(client, email, name)


def check_address(email: str) -> None:
    """Raise UsageError for what is not an email address."""
    if not email.strip():
        raise UsageError("Type an email address, such as kim@example.com.", option="--email")
    if "@" not in email.strip("@"):
        raise UsageError(f"{email!r} is not a valid email address.", option="--email")


def _only_person(store: Store, ctx: Context) -> str:
    home = choose_household(store, ctx).household_id if store.count("end_users") else None
    people = store.load(EndUserRow, home) if home else []
    if len(people) != 1:
        raise UsageError(Message(Remedy.NAME_PERSON, "."))
    return people[0].end_user_id


def _made(client: Client, email: str, name: str) -> str:
    """Create an end user. Sent once: after a failure, look whether it was created all the same."""
    try:
        return client.create_end_user(email, name)
    except ToolkitError:
        known = client.end_users(email).records
        if not known:
            raise
        return known[0].id


def report_health(client: Client, institution: str | None, progress: Progress) -> None:
    """Report an institution's poor connection before the flow. Raises RequestRejectedError for an unknown one."""
    if institution is None:
        return
    given = client.institution(institution)
    for problem in problems_of("institutions", given):
        progress(Message(problem.where, ": ", problem.reason))
    for found in given.records:
        health = found.status.connections.status if found.status and found.status.connections else None
        if health not in (None, "HEALTHY"):
            progress(f"{found.name or institution}: its connection is {health}; connecting may fail.")


def _invited(store: Store, client: Client, ctx: Context, person: str, institution: str | None) -> Connected:
    """Return a link for somebody on another device; the next sync finds their consent."""
    session = client.start_session(person, institution_id=institution)
    url = openable(session)
    home, problems = adopt(store, client, person, _household(store, ctx))
    with store.transaction():
        remove_tombstone(store, "end_user", person)
        keep_invitation(store, Person(home, person), url, session.expires_at, ctx.now())
    answer = _answer(store, home, person, problems)
    return replace(answer, open_url=url, invite_url=url, invite_expires_at=session.expires_at)


def _household(store: Store, ctx: Context) -> str | None:
    """Return the household to add to: the one named, or the only one if it has data of files alone; else None."""
    if ctx.household is not None:
        return ctx.household
    homes = store.load(HouseholdRow)
    return homes[0].household_id if len(homes) == 1 and not store.count("end_users") else None


def kept(
    store: Store,
    client: Client,
    ctx: Context,
    person: str,
    flow: EndedFlow | None,
    shown: Mapping[str, str | None] = MappingProxyType({}),
) -> Connected:
    """Store household, end user and consents. A person who gives consent after a deletion is fetched again.

    flow: the consent flow that ended with a consent; None where somebody is adopted: that allows again what was deleted
    with their household, but no consent that was deleted by itself. shown: arrangement → institution of their first
    records.
    """
    consents, problems = listed_consents(client, person)
    now = datetime.now(UTC)
    home, adopt_problems = adopt(store, client, person, _household(store, ctx))
    problems += adopt_problems
    people = People(store, client, now, home)
    with store.transaction():
        (remove_tombstones if flow is None else remove_tombstone)(store, "end_user", person)
        for arrangement in _allowed_again(store, consents, flow):
            remove_tombstones(store, "arrangement", arrangement)
        set_connected(store, Person(home, person))
        if consents is not None:
            problems += read_consents(store, Person(home, person), consents, now, client.spelling).problems
        if flow is not None:
            keep_flow(store, Person(home, person), flow, now)
        keep_shown(store, Person(home, person), shown)
    people.read_institutions([])
    return _answer(store, home, person, [*problems, *people.problems])


def _allowed_again(store: Store, consents: Listing[ConsentRecord] | None, flow: EndedFlow | None) -> list[str]:
    """Return the arrangements to fetch again: the flow's own, or those that were deleted with their household."""
    listed = consents.records if consents is not None else []
    if flow is None:
        return [consent.arrangement_id for consent in listed if not forgotten_alone(store, consent.arrangement_id)]
    own = [c.arrangement_id for c in listed if flow.consent_id in (c.consent_id, c.arrangement_id)]
    return [flow.consent_id, *own]


def listed_consents(client: Client, person: str) -> tuple[Listing[ConsentRecord] | None, list[Problem]]:
    """Read an end user's consents from the service's list; None without one, as the specification does not demand it.

    A list that failed is a problem; a missing one is not.
    """
    try:
        return client.consents(person), []
    except RequestRejectedError:
        return None, []
    except (ServerError, InvalidResponseError, RateLimitError) as error:
        return None, [Problem(person, Message("consents could not be read: ", error), "warning")]


def _answer(store: Store, household: str, person: str, problems: list[Problem]) -> Connected:
    (home,) = store.load(HouseholdRow, household)
    names = {row.institution_id: row.name for row in store.load(InstitutionRow)}
    consents = consents_of(store, Person(household, person)).values()
    return Connected(
        household=NamedHousehold(household, home.name),
        end_user_id=person,
        consents=tuple(
            ConnectedConsent(
                id=consent.arrangement_id,
                consent_id=consent.consent_id,
                institution=names.get(consent.institution_id or "") or consent.institution_id,
                state=consent.state,
                ends_at=consent.ends_at,
            )
            for consent in consents
        ),
        problems=tuple(problems),
    )


def begin_link(
    ctx: Context,
    client: Client,
    *,
    email: str | None = None,
    name: str | None = None,
    institution: str | None = None,
    renew: str | None = None,
) -> LinkSession:
    """Start a consent flow for the service's link component; options as those of `connect`."""
    with open_store(ctx.db) as store:
        before = stored_consent(store, renew) if renew else None
        person = before.end_user_id if before else asked_person(store, client, ctx, email, name)
    session = client.start_session(
        person,
        institution_id=before.institution_id if before else institution,
        arrangement_id=before.arrangement_id if before else None,
    )
    return LinkSession(session_id=session.session_id, end_user_id=person)


def end_link(  # noqa: PLR0913  one parameter an option of the flow
    ctx: Context,
    client: Client,
    *,
    end_user: str,
    consent: str | None = None,
    code: str | None = None,
    institution: str | None = None,
    renew: str | None = None,
) -> Connected:
    """Store the consent of a flow in the link component, once the service confirms it.

    consent: the consent id the flow ended with. code: why it ended without one. institution, renew: as for
    `begin_link`, for services that list no consents. Raises ConsentRequiredError where the flow ended without a
    consent, InvalidResponseError where the service does not know it.
    """
    outcome = Outcome(None, consent, code)
    raise_unless_shared(outcome)
    given, _ = listed_consents(client, end_user)
    if given is not None and not _lists(given, consent):
        raise InvalidResponseError("The service does not know this consent. Connect again.", name="unknown_consent")
    with open_store(ctx.db) as store:
        before = stored_consent(store, renew) if renew else None
        flow = EndedFlow(
            consent or "",
            before.institution_id if before else institution,
            before.arrangement_id if before else None,
        )
        return kept(store, client, ctx, end_user, flow)


def _lists(given: Listing[ConsentRecord], consent: str | None) -> bool:
    """Whether the list has the consent, also in a record that cannot be read."""
    named = json.dumps(consent).encode()
    readable = any(consent in (record.consent_id, record.arrangement_id) for record in given.records)
    return readable or any(named in entry.raw for entry in given.rejected)
