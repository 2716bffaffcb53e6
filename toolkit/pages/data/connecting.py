"""Ask for a consent: in a frame of this page, in a tab of its own, or by a link for somebody who sits elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, TypedDict
from zoneinfo import ZoneInfo

import streamlit as st
from msgspec.structs import replace
from streamlit.delta_generator import DeltaGenerator

from toolkit import settings
from toolkit.answers.consents import Connected, Consent, DirectoryEntry, Institutions
from toolkit.answers.households import EndUser
from toolkit.charts import style
from toolkit.errors import ToolkitError, refusals_of
from toolkit.flows.consent.connect import begin_link, check_address, connect, end_link
from toolkit.flows.consent.service import institutions
from toolkit.flows.consent.service import service as door
from toolkit.flows.household.context import Context, quiet
from toolkit.pages import widgets
from toolkit.pages.answers import explained, refused_below, show_refusals
from toolkit.pages.data import frame
from toolkit.pages.server import background
from toolkit.pages.server import progress as watched
from toolkit.pages.server.background import Job
from toolkit.pages.text import plain, readable, sentence

WAIT_SECONDS = 600
FLOW, OUTCOME, DIRECTORY, INVITED = "consent-flow", "consent-outcome", "institutions", "invitation"
HERE, ELSEWHERE = "Connect now", "Send a link"
DONE = "Connected. Select Update below to get the data."
SOMEBODY_NEW = "Someone new"
EMAIL, NAME, HOUSEHOLD = "--email", "--name", "Name"
"""The fields as refusals of `connect` call them."""
MISSING = {
    EMAIL: "Enter the e-mail address of the person who owns the accounts.",
    NAME: "Enter the person's name.",
    HOUSEHOLD: "Enter a name for the new household.",
}
"""What stands below a field that is needed and empty."""
INDUSTRIES = {"banking": "bank", "energy": "energy retailer"}
HEALTH = {"HEALTHY": "works", "DEGRADED": "has problems", "OUTAGE": "is not working"}


class Asked(TypedDict, total=False):
    """Options of `connect`, as they are typed."""

    email: str | None
    name: str | None
    institution: str | None
    renew: str | None


@dataclass(frozen=True)
class FramedFlow:
    """A consent flow in a frame of the page."""

    ctx: Context
    asked: Asked
    session_id: str
    end_user: str


@contextmanager
def service() -> Iterator[Any]:
    """Open a client of the configured service, to hand to flows. Raises AuthenticationError where none is."""
    with door(settings.load()) as client:
        yield client


def render(ctx: Context, people: list[EndUser]) -> None:
    """people: the end users of the household on screen."""
    with st.container(border=True):
        st.markdown("**Connect a bank or an energy retailer**")
        below: dict[str, DeltaGenerator] = {}
        asked = _who(people, below)
        left, right = st.columns(2) if ctx.household else (st.container(), st.container())
        with left:
            home = _household(ctx) if ctx.household else None
            below[HOUSEHOLD] = st.container()
        with right:
            asked["institution"] = _institution()
        how = st.segmented_control("How", [HERE, ELSEWHERE], default=HERE, required=True, key="connect-how")
        if st.button("Connect" if how == HERE else "Get the link", type="primary", key="connect-go"):
            given = {EMAIL: asked.get("email"), NAME: asked.get("name"), HOUSEHOLD: home}
            for field in (missing := [field for field, text in given.items() if text == ""]):
                below[field].info(MISSING[field])
            email = given[EMAIL]
            show_refusals(wrong := refusals_of(partial(check_address, email)) if email else [], below)
            if not missing and not wrong:
                start(replace(ctx, household=home, new_household=True), asked, invite=how == ELSEWHERE, below=below)
        _invitation()
        _directory()


def _who(people: list[EndUser], below: dict[str, DeltaGenerator]) -> Asked:
    """The person to connect: one of the household's, or a new one. below: takes what stands below each field."""
    known = {person.email: person.name or person.email for person in people if person.email}
    if known:
        names: dict[str | None, str] = {email: readable(f"{name} ({email})") for email, name in known.items()}
        names[None] = SOMEBODY_NEW
        chosen = st.selectbox("Account owner", list(names), format_func=names.__getitem__, key="connect-who")
        if chosen is not None:
            return {"email": chosen, "name": known[chosen]}
    left, right = st.columns(2)
    email = left.text_input("Email", key="connect-email").strip()
    name = right.text_input("Name", key="connect-name").strip()
    below |= {EMAIL: left.container(), NAME: right.container()}
    return {"email": email, "name": name}


def _household(ctx: Context) -> str | None:
    """Where the data goes: the household on screen, or one that is new; empty where its name is missing."""
    into = st.selectbox("Add to", ["This household", "A new household"], key="connect-into")
    if into == "This household":
        return ctx.household
    return st.text_input("Name of the new household", key="connect-household").strip()


def _institution() -> str | None:
    directory: Institutions = st.session_state.get(DIRECTORY, Institutions())
    open_ones: dict[str | None, str] = {
        entry.id: f"{entry.name} ({industry(entry)}), {health(entry)}"
        for entry in directory.institutions
        if _open(entry)
    }
    if not open_ones:
        return None
    names = widgets.distinct({None: "Choose on the service's page", **open_ones})
    return st.selectbox("Bank or retailer", list(names), format_func=names.__getitem__, key="connect-institution")


def _open(entry: DirectoryEntry) -> bool:
    return entry.is_accessible is not False


def industry(entry: DirectoryEntry) -> str:
    """Return what an institution is in words."""
    known = entry.industry or ""
    return INDUSTRIES.get(known, style.words(known).lower()) if known else "kind not known"


def health(row: DirectoryEntry | Consent) -> str:
    """Return an institution's connection in words."""
    status = row.connection
    return HEALTH.get(status, style.words(status).lower()) if status else "Connection not known"


def _directory() -> None:
    """What can be connected and how it is doing; asked for by hand, as it asks the service."""
    if st.button("Show available banks and retailers"):
        with explained(), st.spinner("Asking …"), service() as client:
            st.session_state[DIRECTORY] = institutions(client)
            st.rerun()
    columns = {
        "name": widgets.words("Bank or retailer"),
        "industry": widgets.words("Kind"),
        "health": widgets.words("Connection"),
        "open": widgets.words("Available"),
    }
    directory: Institutions = st.session_state.get(DIRECTORY, Institutions())
    rows = [
        {
            "name": entry.name,
            "industry": industry(entry),
            "health": health(entry),
            "open": "yes" if _open(entry) else "not now",
        }
        for entry in directory.institutions
    ]
    widgets.table(rows, columns, name="institutions", download=False)
    widgets.problems(directory.problems, key="institutions")


def clear_outcome(ctx: Context) -> None:
    """Forget how the last flow ended, and an invitation: the person has gone on."""
    for name in (OUTCOME, INVITED):
        st.session_state.pop(name, None)
    current = st.session_state.get(FLOW)  # begun before there was a household, or for another one
    for key in (key_of(ctx), *([current] if isinstance(current, str) else [])):
        background.clear(key)


def start(
    ctx: Context, asked: Asked, *, invite: bool = False, below: Mapping[str, DeltaGenerator] = MappingProxyType({})
) -> None:
    """Begin the flow by the best way there is. asked: options of `connect`. below: as `refused_below` takes it."""
    clear_outcome(ctx)
    if invite:
        with refused_below(below), service() as client:
            st.session_state[INVITED] = connect(ctx, client, open_browser=quiet, invite=True, **asked)
            st.rerun()
    elif frame.possible():
        with refused_below(below), service() as client:
            session = begin_link(ctx, client, **asked)
            st.session_state[FLOW] = FramedFlow(ctx, asked, session.session_id, session.end_user_id)
    else:
        in_a_tab(ctx, asked)


def in_a_tab(ctx: Context, asked: Asked) -> None:
    """Run the consent flow in the background, with its pages in a browser tab."""
    background.start(key_of(ctx), "Connecting", _connecting(ctx, asked))
    st.session_state[FLOW] = key_of(ctx)


def key_of(ctx: Context) -> str:
    """Return the key of the household's background job."""
    return f"connect {ctx.db} {ctx.household}"


def _connecting(ctx: Context, asked: Asked) -> background.Work:
    def work(job: Job) -> Connected:
        with service() as client:
            return connect(ctx, client, open_browser=job.show_link, wait=WAIT_SECONDS, progress=job.say, **asked)

    return work


def flow(ctx: Context) -> None:
    """Show the consent flow in progress, and how the last one ended."""
    current: FramedFlow | str | None = st.session_state.get(FLOW)
    if isinstance(current, FramedFlow):
        _framed(current)
    else:
        watched.show(current or key_of(ctx), DONE)
    kind, words = st.session_state.get(OUTCOME, (None, ""))
    if kind:
        (st.success if kind == "success" else st.error)(words)


def _framed(current: FramedFlow) -> None:
    st.markdown("**Choose your bank or retailer, log in there, and agree**")
    result = frame.opened(current.session_id)
    left, right = st.columns(2)
    if left.button("Open in a new tab") or (result and result.absent):
        in_a_tab(current.ctx, current.asked)
        st.rerun()
    if right.button("Stop connecting"):
        result = frame.Ended(code="LINK_USER_CANCELLED")
    if result:
        del st.session_state[FLOW]
        st.session_state[OUTCOME] = _ended(current, result)
        st.rerun()


def _ended(current: FramedFlow, result: frame.Ended) -> tuple[str, str]:
    try:
        with service() as client:
            end_link(
                current.ctx,
                client,
                end_user=current.end_user,
                consent=result.consent,
                code=result.code,
                institution=current.asked.get("institution"),
                renew=current.asked.get("renew"),
            )
    except ToolkitError as error:
        return "error", sentence(error)
    return "success", DONE


def _invitation() -> None:
    invited: Connected | None = st.session_state.get(INVITED)
    if not invited:
        return
    until = ""
    if ends := invited.invite_expires_at:
        local = ends.astimezone(ZoneInfo(widgets.time_zone()))
        until = f", until {style.day(local)}, {local:%H:%M}"
    st.success(plain(f"Send this link. It works once{until}."))
    st.code(invited.invite_url, language=None, wrap_lines=True)
    st.caption("Select Update after they have agreed. Until then they are listed as invited.")
