"""The five steps of a consent: institution, log in, one-time code, accounts, confirm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from toolkit.sandbox.consent import html
from toolkit.sandbox.service import Service
from toolkit.sandbox.service.consents import Session
from toolkit.sandbox.world import Person
from toolkit.sandbox.world.institutions import BY_ID, INSTITUTIONS, OUTAGE, Institution

PASSWORD = "sandbox"  # noqa: S105  the same for all invented people, and on the page
CODE = "000000"
MOST_TRIES = 3
TROUBLE = {
    "ineligible": "CONSENT_ENDUSER_INELIGIBLE",
    "timeout": "CONSENT_TIMEOUT",
    "upstream": "CONSENT_UPSTREAM_PROCESSING_ERROR",
    "processing": "CONSUMERDATA_PROCESSING_ERROR",
    "session": "AUTH_SESSION_INVALID",
    "cancelled": "AUTH_SESSION_CANCELLED",
    "internal": "LINK_INTERNAL_ERROR",
}
"""People who only exist to make the flow fail, and the code it fails with."""

Fields = Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class ConsentFlowEndedError(Exception):
    """The flow is over with this code."""

    code: str


@dataclass(frozen=True, slots=True)
class Step:
    """show: title and form, with what was wrong before. take: reads the form; an answer is a complaint.

    following: the next step, none after the last. stop: name of the button that ends the flow.
    """

    show: Callable[[Service, Session, str], tuple[str, str]]
    take: Callable[[Service, Session, Fields], str]
    following: str | None
    stop: str = "deny"


def customers(service: Service, institution: Institution) -> list[Person]:
    """Seeded people who bank or buy power there, else all of them; the family first where it is one of them."""
    people = service.world.people
    found = [person for person in people if institution in (person.bank, person.retailer)]
    return sorted(found or people, key=lambda person: person.persona != "family")


def offered_institutions(service: Service) -> list[Institution]:
    """List institutions to choose from: those that answer first, among them the family's, then seeded customers'."""

    def order(institution: Institution) -> tuple[bool, bool, bool]:
        own = [person for person in service.world.people if institution in (person.bank, person.retailer)]
        is_out = service.health_of(institution) == OUTAGE
        return is_out, not any(person.persona == "family" for person in own), not own

    return sorted((found for found in INSTITUTIONS if found.is_accessible), key=order)


def first(fields: Fields, name: str) -> str:
    return fields.get(name, [""])[0]


def _show_institution(service: Service, _session: Session, error: str) -> tuple[str, str]:
    options = [(found.id, _with_health(found, service.health_of(found))) for found in offered_institutions(service)]
    fields = html.choice("institution_id", "Bank or energy retailer", options)
    return "Where is your account?", html.form("institution", fields, go="Continue", stop="cancel", error=error)


STATES = {"HEALTHY": "", "DEGRADED": ", connection degraded", OUTAGE: ", does not work now"}


def _with_health(institution: Institution, health: str) -> str:
    kind = "bank" if institution.industry == "banking" else "energy retailer"
    return f"{institution.name} ({kind}{STATES.get(health, '')})"


def _take_institution(_service: Service, session: Session, fields: Fields) -> str:
    found = BY_ID.get(first(fields, "institution_id"))
    if found is None or not found.is_accessible:
        return "Choose one of the institutions."
    session.institution = found
    return ""


def _show_login(service: Service, session: Session, error: str) -> tuple[str, str]:
    institution = _institution(session)
    people = [(str(person.index), f"{person.name} ({person.persona})") for person in customers(service, institution)]
    options = people + [(name, f"Somebody else ({name})") for name in TROUBLE]
    fields = html.choice("customer", "Customer", options) + html.entry("password", "Password", PASSWORD, "password")
    title = f"Log in to {institution.name}"
    return title, html.form("login", fields, go="Log in", stop="deny", error=error)


def _take_login(service: Service, session: Session, fields: Fields) -> str:
    name = first(fields, "customer")
    if first(fields, "password") != PASSWORD:
        _count(session, "login", "CONSENT_ENDUSER_DENIED")
        return "That password is not right."
    if service.health_of(_institution(session)) == OUTAGE:
        raise ConsentFlowEndedError(TROUBLE["upstream"])
    if name in TROUBLE:
        raise ConsentFlowEndedError(TROUBLE[name])
    session.person = next((p for p in customers(service, _institution(session)) if str(p.index) == name), None)
    return "" if session.person else "Choose a customer."


def _count(session: Session, what: str, code: str) -> None:
    """The third wrong try ends the flow."""
    session.tries[what] = session.tries.get(what, 0) + 1
    if session.tries[what] >= MOST_TRIES:
        raise ConsentFlowEndedError(code)


def _show_code(_service: Service, session: Session, error: str) -> tuple[str, str]:
    words = html.paragraph(f"{_institution(session).name} has sent a code to your phone. In the sandbox it is {CODE}.")
    fields = words + html.entry("code", "One-time code", CODE)
    return "One-time code", html.form("code", fields, go="Continue", stop="deny", error=error)


def _take_code(_service: Service, session: Session, fields: Fields) -> str:
    if first(fields, "code").strip() == CODE:
        return ""
    _count(session, "code", "CONSENT_OTP_FAILURE")
    return "That code is not right."


def offered_accounts(service: Service, session: Session) -> list[tuple[str, str]]:
    """(account id, text) of the customer's accounts there."""
    assert session.person is not None
    resource = f"{_institution(session).industry}.accounts"
    return [(a["account_id"], a["display_name"]) for a in service.world.records(session.person, resource)]


def _show_accounts(service: Service, session: Session, error: str) -> tuple[str, str]:
    fields = html.ticks("account_id", "Accounts to share", offered_accounts(service, session))
    return "Which accounts?", html.form("accounts", fields, go="Continue", stop="deny", error=error)


def _take_accounts(service: Service, session: Session, fields: Fields) -> str:
    offered = {account for account, _ in offered_accounts(service, session)}
    chosen = tuple(account for account in fields.get("account_id", []) if account in offered)
    session.account_ids = chosen
    return "" if chosen else "Choose at least one account."


def _show_confirm(service: Service, session: Session, error: str) -> tuple[str, str]:
    names = dict(offered_accounts(service, session))
    chosen = ", ".join(names[account] for account in session.account_ids)
    scopes = session.arrangement.scopes if session.arrangement else ()
    words = html.paragraph(f"{_institution(session).name} will share data of: {chosen}.")
    words += html.paragraph(f"What is shared: {', '.join(scopes)}.") if scopes else ""
    words += html.paragraph(_how_long(session))
    return "Share this?", html.form("confirm", words, go="Agree", stop="deny", error=error)


def _how_long(session: Session) -> str:
    if session.arrangement is None:
        return "It is shared for twelve months. You can end it at any time in the app."
    days = session.arrangement.sharing.days
    return f"It is shared for {days} days." if days else "It is shared once."


def _take_confirm(_service: Service, _session: Session, _fields: Fields) -> str:
    return ""


def _institution(session: Session) -> Institution:
    assert session.institution is not None
    return session.institution


STEPS = {
    "institution": Step(_show_institution, _take_institution, "login", stop="cancel"),
    "login": Step(_show_login, _take_login, "code"),
    "code": Step(_show_code, _take_code, "accounts"),
    "accounts": Step(_show_accounts, _take_accounts, "confirm"),
    "confirm": Step(_show_confirm, _take_confirm, None),
}
