"""A person agrees: end user found or made, consent flow opened and waited for, what came of it kept."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from toolkit.errors import BadAnswer, ConsentNeeded, Problem, Refused, ToolkitError, WrongUsage
from toolkit.flows.consent_walk import Flow, Open, openable, walked
from toolkit.flows.consents import HEALTHY, stored_consent
from toolkit.flows.context import Context, Progress, quiet
from toolkit.sync.unread import problems_of
from toolkit.wire.listing import Listing

if TYPE_CHECKING:
    from toolkit.api.client import Client
    from toolkit.store import Store
    from toolkit.wire.link import Outcome
    from toolkit.wire.pages import Rejected
    from toolkit.wire.records import ConsentRecord


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
) -> dict[str, Any]:
    """`connect`: ask a person for consent and remember it. Safe to repeat: nobody is made twice.

    email, name: who is to agree; without them the only end user of the household, who then renews or adds.
    end_user: adopt one whose consent exists, without a flow. renew: the consent or arrangement id whose person and
    institution are meant; the new consent takes its place where the service knows how. invite: keep and give the
    link, and do not wait. open_browser: called with the address of the consent pages. wait: seconds until the flow
    must have ended.
    Raises ConsentNeeded where it ends without a consent, Refused where the service knows no such end user.
    """
    from toolkit.store import open_store

    with open_store(ctx.db) as store:
        if end_user is not None:
            return _adopted(store, client, ctx, end_user)
        before = stored_consent(store, renew) if renew else None
        person = before["end_user_id"] if before else asked_person(store, client, ctx, email, name)
        institution = before["institution_id"] if before else institution
        tell_health(client, institution, progress)
        if invite:
            return _invited(store, client, ctx, person, institution)
        flow = Flow(person, institution, before["arrangement_id"] if before else None)
        outcome, url = walked(client, flow, open_browser, wait)
        return kept(store, client, ctx, person, outcome) | {"open_url": url}


def _adopted(store: Store, client: Client, ctx: Context, end_user: str) -> dict[str, Any]:
    given = client.consents(end_user)
    if not given.rejected and not any(consent.active is not False for consent in given.records):
        raise ConsentNeeded(f"{end_user} has no consent in force: connect with --email and --name instead.")
    return kept(store, client, ctx, end_user, None)


def asked_person(store: Store, client: Client, ctx: Context, email: str | None, name: str | None) -> str:
    """The id of the end user in question, made where the service has none with that address."""
    if email is None:
        return _only_person(store, ctx)
    if "@" not in email.strip("@"):
        raise WrongUsage(f"{email!r} is no e-mail address.")
    given = client.end_users(email)
    known = [user.id for user in given.records]
    if known:
        return _preferred(store, known)
    if given.rejected:
        raise BadAnswer(_may_be_known(email, given.rejected[0]))
    if not name:
        raise WrongUsage(f"The service has nobody with the address {email} yet: add --name.")
    return _made(client, email, name)


def _may_be_known(email: str, unreadable: Rejected) -> str:
    told = f"the service's record of end user {unreadable.id} cannot be read ({unreadable.reason})"
    return f"Whether {email} is known cannot be told: {told}. Where that is who is meant: --end-user {unreadable.id}."


def _only_person(store: Store, ctx: Context) -> str:
    from toolkit.flows.context import choose_household

    home = choose_household(store, ctx)["household_id"] if store.count("end_users") else None
    people = store.rows("end_users", home) if home else []
    if len(people) != 1:
        raise WrongUsage("Say who is to agree: --email and --name, or --end-user for one whose consent exists.")
    return str(people[0]["end_user_id"])


def _preferred(store: Store, known: list[str]) -> str:
    """The service may have made the same address twice: the one that the store has, else the first."""
    stored = {row["end_user_id"] for row in store.rows("end_users")}
    return next((end_user_id for end_user_id in known if end_user_id in stored), known[0])


def _made(client: Client, email: str, name: str) -> str:
    """A new end user. Sent once: after a failure it may have been made all the same, so it is looked for."""
    try:
        return client.create_end_user(email, name)
    except ToolkitError:
        known = client.end_users(email).records
        if not known:
            raise
        return known[0].id


def tell_health(client: Client, institution: str | None, progress: Progress) -> None:
    """A word before the flow where the institution's connection suffers; an unknown one is refused here already."""
    if institution is None:
        return
    given = client.institution(institution)
    for problem in problems_of("institutions", given):
        progress(f"{problem.where}: {problem.reason}")
    for found in given.records:
        health = found.status.connections.status if found.status and found.status.connections else None
        if health not in (None, HEALTHY):
            progress(f"{found.name or institution}: its connection is {health}; connecting may fail.")


def _invited(store: Store, client: Client, ctx: Context, person: str, institution: str | None) -> dict[str, Any]:
    """The link for somebody who sits elsewhere; the next sync finds their consent."""
    from toolkit.flows.invitations import keep_invitation
    from toolkit.flows.sync_people import adopt
    from toolkit.flows.tombstones import unbury
    from toolkit.sync.walks import Person

    session = client.start_session(person, institution_id=institution)
    url = openable(session)
    home, problems = adopt(store, client, person, _household(store, ctx))
    with store.transaction():
        unbury(store, "end_user", person)
        keep_invitation(store, Person(home, person), url, session.expires_at)
    invitation = {"open_url": url, "invite_url": url, "invite_expires_at": session.expires_at}
    return _answer(store, home, person, problems) | invitation


def _household(store: Store, ctx: Context) -> str | None:
    """The household named, else the only one where that has data of files alone; None for one of their own."""
    if ctx.household is not None:
        return ctx.household
    homes = store.rows("households")
    return str(homes[0]["household_id"]) if len(homes) == 1 and not store.count("end_users") else None


def kept(store: Store, client: Client, ctx: Context, person: str, outcome: Outcome | None) -> dict[str, Any]:
    """Household, end user and consents stored. Who agrees again after having been forgotten is known again."""
    from toolkit.flows.sync_consents import read_consents
    from toolkit.flows.sync_people import People, adopt
    from toolkit.flows.tombstones import unbury
    from toolkit.sync.walks import Person

    consents = _consents(client, person)
    now = datetime.now(UTC)
    home, problems = adopt(store, client, person, _household(store, ctx))
    people = People(store, client, now, home)
    with store.transaction():
        unbury(store, "end_user", person)
        for consent in consents.records:
            if outcome is None or outcome.consent_id in (consent.consent_id, consent.arrangement_id):
                unbury(store, "arrangement", consent.arrangement_id)
        connected = {"state": "connected", "invite_url": None, "invite_expires_at": None}
        store.update("end_users", connected, {"household_id": home, "end_user_id": person})
        problems += read_consents(store, Person(home, person), consents, now, client.spelling).problems
    people.read_institutions([])
    return _answer(store, home, person, [*problems, *people.problems])


def _consents(client: Client, person: str) -> Listing[ConsentRecord]:
    """None where the deployment lists none: the specification itself has no such list."""
    try:
        return client.consents(person)
    except Refused:
        return Listing()


def _answer(store: Store, household: str, person: str, problems: list[Problem]) -> dict[str, Any]:
    home = store.rows("households", household)[0]
    consents = store.rows("consents", household, where={"end_user_id": person})
    names = {row["institution_id"]: row["name"] for row in store.rows("institutions")}
    return {
        "household": {"id": household, "name": home["name"]},
        "end_user_id": person,
        "consents": [
            {
                "id": consent["arrangement_id"],
                "consent_id": consent["consent_id"],
                "institution": names.get(consent["institution_id"]) or consent["institution_id"],
                "state": consent["state"],
                "ends_at": consent["ends_at"],
            }
            for consent in consents
        ],
        "problems": [problem.as_json() for problem in problems],
    }
