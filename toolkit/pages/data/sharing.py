"""Who of a household shares what until when, and what can be done with each consent."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from functools import partial

import streamlit as st

from toolkit.answers.consents import Consent
from toolkit.answers.households import HouseholdStatus
from toolkit.charts import style
from toolkit.errors import AuthenticationError
from toolkit.flows.consent.disconnect import end_consent, withdraw
from toolkit.flows.forget.forget import forget
from toolkit.flows.household.context import Context
from toolkit.flows.wording import counted, with_local_dates
from toolkit.pages import widgets
from toolkit.pages.answers import explained
from toolkit.pages.data import connecting
from toolkit.pages.text import is_typed, message, plain, sentence

LIMIT = (
    "A consent lasts up to twelve months and can be ended at any time. The person who shares gets a reminder every "
    "ninety days."
)
UNNAMED = "A bank or an energy retailer"
"""In place of the name of an institution that the service does not give."""
NOT_AGREED = "has not agreed yet"
"""Of a person with a link that still works."""


def render(ctx: Context, home: HouseholdStatus) -> None:
    """List the consents of the household on screen, then what can be done with each."""
    rows = _rows(home)
    if not rows:
        return
    st.markdown("**Who shares what, until when**")
    _listed(rows)
    st.caption(LIMIT)
    suffering(home)
    for consent in home.consents:
        _consent(ctx, consent)


@dataclass(frozen=True)
class _Row:
    """A consent in the list, or a person who has none."""

    person: str
    state: str
    institution: str | None = None
    ends_at: datetime | None = None
    ends_in_days: int | None = None
    reminder: str | None = None
    next_reminder: date | None = None
    health: str | None = None
    """The institution's connection, in words."""


def _rows(home: HouseholdStatus) -> list[_Row]:
    """Return a row for each consent, and one for each person who has none."""
    names = {user.id: user.name or user.id for user in home.end_users}
    shared = {consent.end_user_id for consent in home.consents}
    rows = [
        _Row(
            names.get(consent.end_user_id, consent.end_user_id),
            consent.state,
            institution=consent.institution,
            ends_at=consent.ends_at,
            ends_in_days=consent.ends_in_days,
            reminder=consent.reminder,
            next_reminder=consent.next_reminder,
            health=connecting.health(consent) if consent.connection else None,
        )
        for consent in home.consents
    ]
    for user in home.end_users:
        if user.id not in shared:
            row = _Row(names[user.id], user.state)
            if user.invite_url:  # until when the link works
                row = replace(row, ends_at=user.invite_expires_at or None, reminder=NOT_AGREED)
            rows.append(row)
    return rows


def _listed(rows: list[_Row]) -> None:
    columns = {
        "person": widgets.words("Who"),
        "institution": widgets.words("Bank or retailer"),
        "state": widgets.words("State"),
        "ends_at": widgets.timestamp("Until", "D MMM YYYY", in_utc=True),
        "ends_in_days": widgets.count("Days left"),
        "reminder": widgets.words("To do"),
        "next_reminder": widgets.day("Next reminder"),
        "health": widgets.words("Connection"),
    }
    # first where there is something to do, then what ends soonest
    urgent_first = sorted(
        rows, key=lambda row: (not row.reminder, row.ends_in_days is None, row.ends_in_days or 0, row.person)
    )
    shown = [
        {
            **asdict(row),
            "state": style.words(row.state.upper()),
            "reminder": row.reminder and with_local_dates(row.reminder),
        }
        for row in urgent_first
    ]
    widgets.table(shown, columns, name="sharing")


def suffering(home: HouseholdStatus) -> None:
    """Warn of institutions with a troubled connection: their data may be late or incomplete."""
    troubled = {
        consent.institution: connecting.health(consent)
        for consent in home.consents
        if consent.state == "active" and (consent.connection or "HEALTHY") != "HEALTHY"
    }
    for name, health in troubled.items():
        st.warning(plain(f"The connection with {name} {health}, so new data may be late or incomplete."))


def _consent(ctx: Context, consent: Consent) -> None:
    """What can be done with one consent."""
    lasts = consent.state == "active"
    key = consent.arrangement_id
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(_description(consent), width="stretch")
        if st.button("Renew", key=f"renew {key}"):
            connecting.start(ctx, {"renew": key})
        if lasts and st.button("End sharing", key=f"end {key}"):
            _end(ctx, consent)
        if st.button("Delete its data", key=f"forget {key}"):
            _forget(ctx, consent)


def _description(consent: Consent) -> str:
    parts = [f"{consent.institution or UNNAMED}: {style.words(consent.state.upper()).lower()}"]
    if consent.ends_in_days is not None:
        parts.append(f"ends in {counted(consent.ends_in_days, 'day')}")
    if consent.accounts:
        parts.append(counted(consent.accounts, "account"))
    if consent.state != "active":
        parts.append("its data is still stored")
    return plain(", ".join(parts))


@st.dialog("End sharing?")
def _end(ctx: Context, consent: Consent) -> None:
    st.write(
        plain(
            f"{consent.institution or UNNAMED} will stop sharing new data. Data already stored stays until you delete "
            "it."
        )
    )
    if st.button("Yes, end it", type="primary", key="end-yes"):
        with explained(), connecting.service() as client:
            ended = end_consent(ctx, client, consent.arrangement_id)
            if ended.problems:
                reasons = "; ".join(message(problem.reason) for problem in ended.problems)
                st.session_state[connecting.OUTCOME] = ("problem", sentence(f"Sharing has ended. But {reasons}"))
            st.rerun()


@st.dialog("Delete its data?")
def _forget(ctx: Context, consent: Consent) -> None:
    named = consent.institution or "delete"
    st.write(
        plain(
            f"Everything that came from {consent.institution or 'there'} under this consent is deleted, also from "
            f"backups, and sharing ends. You cannot undo this. To confirm, type {named}."
        )
    )
    with st.form("forget", border=False):
        typed = st.text_input("Name to confirm" if consent.institution else "Word to confirm", key="forget-name")
        is_sure = st.form_submit_button("Delete", type="primary", key="forget-yes")
    if is_sure and not is_typed(typed, named):
        st.warning(plain(f"Nothing was deleted. Type {named} to delete its data."))
    elif is_sure:
        with explained():
            _forgotten(ctx, consent)


def _forgotten(ctx: Context, consent: Consent) -> None:
    arrangement = consent.arrangement_id
    try:
        with connecting.service() as client:
            answer = forget(ctx, consent=arrangement, withdraw=partial(withdraw, client))
    except AuthenticationError:  # no service is set up here: the data goes all the same
        answer = forget(ctx, consent=arrangement)
    failed = "".join(f" It could not be ended at the service: {message(row.reason)}" for row in answer.not_withdrawn)
    st.session_state[connecting.OUTCOME] = (
        "success",
        sentence(f"The data from {consent.institution} is deleted.{failed}"),
    )
    st.rerun()
