"""The five steps of a consent: institution, log in, one-time code, accounts, confirm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from toolkit.sandbox.consent import html
from toolkit.sandbox.service import Service
from toolkit.sandbox.service.consents import Session
from toolkit.sandbox.world import Person
from toolkit.sandbox.world.people import INSTITUTIONS, INSTITUTIONS_BY_ID, OUTAGE, Institution

PASSWORD = "sandbox"  # noqa: S105  the same for all invented people, and on the page
CODE = "000000"
MOST_TRIES = 3
FAILING_CUSTOMERS = {
    "ineligible": "CONSENT_ENDUSER_INELIGIBLE",
    "timeout": "CONSENT_TIMEOUT",
    "upstream": "CONSENT_UPSTREAM_PROCESSING_ERROR",
    "processing": "CONSUMERDATA_PROCESSING_ERROR",
    "session": "AUTH_SESSION_INVALID",
    "cancelled": "AUTH_SESSION_CANCELLED",
    "internal": "LINK_INTERNAL_ERROR",
}
"""Customers who only exist to make the flow fail, and the code it fails with."""

HEALTH_NOTES = {"DEGRADED": ", connection degraded", OUTAGE: ", not working now"}
Fields = Mapping[str, list[str]]
"""Values of a submitted form by name."""


@dataclass(frozen=True, slots=True)
class ConsentFlowEndedError(Exception):
    """The flow ends with this error code."""

    code: str


@dataclass(frozen=True, slots=True)
class Step:
    """One page of the flow."""

    show: Callable[[Service, Session, str], tuple[str, str]]
    """Returns title and form; the text is an error message about what was submitted before."""
    submit: Callable[[Service, Session, Fields], str]
    """Reads the form; returns an error message, empty if the form is valid. Raises ConsentFlowEndedError."""
    next_step: str | None
    """None after the last."""


def customers(service: Service, institution: Institution) -> list[Person]:
    """Return the seeded customers of an institution, or everyone if it has none; the family persona first."""
    people = service.world.people
    own = [person for person in people if institution in (person.bank, person.retailer)]
    return sorted(own or people, key=lambda person: person.persona != "family")


def offered_institutions(service: Service) -> list[Institution]:
    """Return the institutions to choose from: working ones first, those of the family, then of other customers."""

    def _order(institution: Institution) -> tuple[bool, bool, bool]:
        own = [person for person in service.world.people if institution in (person.bank, person.retailer)]
        is_out = service.health_of(institution) == OUTAGE
        return is_out, not any(person.persona == "family" for person in own), not own

    return sorted((institution for institution in INSTITUTIONS if institution.is_accessible), key=_order)


def first_value(fields: Fields, name: str) -> str:
    """Return a field's first value; empty if it is missing."""
    return fields.get(name, [""])[0]


def _show_institution(service: Service, _session: Session, error: str) -> tuple[str, str]:
    options = []
    for institution in offered_institutions(service):
        kind = "bank" if institution.industry == "banking" else "energy retailer"
        health = HEALTH_NOTES.get(service.health_of(institution), "")
        options.append((institution.id, f"{institution.name} ({kind}{health})"))
    fields = html.choice("institution_id", "Bank or energy retailer", options)
    return "Where is your account?", html.form("institution", fields, go="Continue", stop="cancel", error=error)


def _submit_institution(_service: Service, session: Session, fields: Fields) -> str:
    institution = INSTITUTIONS_BY_ID.get(first_value(fields, "institution_id"))
    if institution is None or not institution.is_accessible:
        return "Choose one of the institutions."
    session.institution = institution
    return ""


def _show_login(service: Service, session: Session, error: str) -> tuple[str, str]:
    institution = _institution(session)
    people = [(str(person.index), f"{person.name} ({person.persona})") for person in customers(service, institution)]
    options = people + [(name, f"Somebody else ({name})") for name in FAILING_CUSTOMERS]
    fields = html.choice("customer", "Customer", options) + html.entry("password", "Password", PASSWORD, "password")
    title = f"Log in to {institution.name}"
    return title, html.form("login", fields, go="Log in", stop="deny", error=error)


def _submit_login(service: Service, session: Session, fields: Fields) -> str:
    name = first_value(fields, "customer")
    if first_value(fields, "password") != PASSWORD:
        _count_try(session, "login", "CONSENT_ENDUSER_DENIED")
        return "The password is wrong."
    if service.health_of(_institution(session)) == OUTAGE:
        raise ConsentFlowEndedError(FAILING_CUSTOMERS["upstream"])
    if name in FAILING_CUSTOMERS:
        raise ConsentFlowEndedError(FAILING_CUSTOMERS[name])
    session.person = next((p for p in customers(service, _institution(session)) if str(p.index) == name), None)
    return "" if session.person else "Choose a customer."


def _count_try(session: Session, what: str, code: str) -> None:
    """End the flow at the third wrong try."""
    session.tries[what] = session.tries.get(what, 0) + 1
    if session.tries[what] >= MOST_TRIES:
        raise ConsentFlowEndedError(code)


def _show_code(_service: Service, session: Session, error: str) -> tuple[str, str]:
    sent = html.paragraph(f"{_institution(session).name} has sent a code to your phone. In the sandbox it is {CODE}.")
    fields = sent + html.entry("code", "One-time code", CODE)
    return "One-time code", html.form("code", fields, go="Continue", stop="deny", error=error)


def _submit_code(_service: Service, session: Session, fields: Fields) -> str:
    if first_value(fields, "code").strip() == CODE:
        return ""
    _count_try(session, "code", "CONSENT_OTP_FAILURE")
    return "The code is wrong."


def offered_accounts(service: Service, session: Session) -> list[tuple[str, str]]:
    """Return (account id, text) of the customer's accounts at the institution."""
    assert session.person is not None
    resource = f"{_institution(session).industry}.accounts"
    return [(a["account_id"], a["display_name"]) for a in service.world.records(session.person, resource)]


def _show_accounts(service: Service, session: Session, error: str) -> tuple[str, str]:
    fields = html.checkboxes("account_id", "Accounts to share", offered_accounts(service, session))
    return "Which accounts?", html.form("accounts", fields, go="Continue", stop="deny", error=error)


def _submit_accounts(service: Service, session: Session, fields: Fields) -> str:
    offered = {account for account, _ in offered_accounts(service, session)}
    chosen = tuple(account for account in fields.get("account_id", []) if account in offered)
    session.account_ids = chosen
    return "" if chosen else "Choose at least one account."


def _show_confirm(service: Service, session: Session, error: str) -> tuple[str, str]:
    names = dict(offered_accounts(service, session))
    chosen = ", ".join(names[account] for account in session.account_ids)
    scopes = session.request.scopes if session.request else ()
    terms = html.paragraph(f"{_institution(session).name} will share data of: {chosen}.")
    terms += html.paragraph(f"What is shared: {', '.join(scopes)}.") if scopes else ""
    if session.request is None:
        terms += html.paragraph("It is shared for twelve months. You can end it at any time in the app.")
    else:
        days = session.request.sharing.days
        terms += html.paragraph(f"It is shared for {days} days." if days else "It is shared once.")
    return "Share this?", html.form("confirm", terms, go="Agree", stop="deny", error=error)


def _institution(session: Session) -> Institution:
    assert session.institution is not None
    return session.institution


STEPS = {
    "institution": Step(_show_institution, _submit_institution, "login"),
    "login": Step(_show_login, _submit_login, "code"),
    "code": Step(_show_code, _submit_code, "accounts"),
    "accounts": Step(_show_accounts, _submit_accounts, "confirm"),
    "confirm": Step(_show_confirm, lambda _service, _session, _fields: "", None),
}
