"""Households, the people in them, their consents, and the institutions these are with."""

from __future__ import annotations

import datetime as dt

from toolkit.tables.schema.columns import HOUSEHOLD, RAW, Table, TableRow, boolean, date, instant, integer, real, text

HOUSEHOLDS = Table(
    "households",
    "Households, with the facts about the home that no file contains.",
    (
        HOUSEHOLD,
        text("name", "what people call it; unique", required=True),
        text("postcode", "postcode of the home"),
        text("state", "state or territory, such as NSW"),
        text("network", "electricity distribution network, such as Ausgrid"),
        text("timezone", "IANA zone of the home; null: from state or postcode"),
        text("customer_type", "residential or business"),
        real("panels_kw", "rated size of the solar panels", unit="kW"),
        text("plan_id", "plan in force, as chosen by the person"),
        date("plan_since", "first day of that plan"),
        text("billing", "how often it is billed for energy: monthly, two-monthly or quarterly"),
        boolean("embedded_network", "whether the building sells the power to the home"),
    ),
    key=("household_id",),
)


class HouseholdRow(TableRow, frozen=True):
    """A row of table `households`."""

    table = HOUSEHOLDS

    household_id: str
    name: str
    postcode: str | None
    state: str | None
    network: str | None
    timezone: str | None
    customer_type: str | None
    panels_kw: float | None
    plan_id: str | None
    plan_since: dt.date | None
    billing: str | None
    embedded_network: bool | None


END_USERS = Table(
    "end_users",
    "People of a household as the service knows them.",
    (
        HOUSEHOLD,
        text("end_user_id", "identity at the service", required=True),
        text("name", "name given at creation"),
        text("email", "address given at creation"),
        text("phone", "telephone given at creation"),
        text("state", "`connected`, `invited` or `ended`", required=True),
        text("invite_url", "open consent link of an invited person"),
        instant("invite_expires_at", "when that link ends"),
    ),
    key=("household_id", "end_user_id"),
)


class EndUserRow(TableRow, frozen=True):
    """A row of table `end_users`."""

    table = END_USERS

    household_id: str
    end_user_id: str
    name: str | None
    email: str | None
    phone: str | None
    state: str
    invite_url: str | None
    invite_expires_at: dt.datetime | None


PERSONS = Table(
    "persons",
    "People of a household other than its end users, so that transfers in their names are recognised as internal.",
    (HOUSEHOLD, text("name", "name as their banks write it", required=True)),
    key=("household_id", "name"),
)


class PersonRow(TableRow, frozen=True):
    """A row of table `persons`."""

    table = PERSONS

    household_id: str
    name: str


CONSENTS = Table(
    "consents",
    "Consent arrangements: what may be read, from where, until when.",
    (
        HOUSEHOLD,
        text("arrangement_id", "identity of the arrangement", required=True),
        text("consent_id", "identity the consent flow ended with"),
        text("end_user_id", "who agreed; empty where several people may have", required=True),
        text("institution_id", "with which institution"),
        text("state", "`active`, `expired`, `revoked` or another word of the service", required=True),
        text(
            "termination_reason",
            "why it ended, in the service's words; `no longer listed` or `no more records` if it gave no reason",
        ),
        instant("granted_at", "when it was given"),
        instant("ends_at", "when it ends by itself"),
        instant("ended_at", "when it was seen to have ended; of one no longer listed, when it was last seen"),
        text("renews", "arrangement that the consent flow was to renew, until the flow's first records come"),
        text("raw", "the record as the service listed it; null if it is known only from records or a consent flow"),
    ),
    key=("household_id", "arrangement_id"),
    resource="consents",
)


class ConsentRow(TableRow, frozen=True):
    """A row of table `consents`."""

    table = CONSENTS

    household_id: str
    arrangement_id: str
    consent_id: str | None
    end_user_id: str
    institution_id: str | None
    state: str
    termination_reason: str | None
    granted_at: dt.datetime | None
    ends_at: dt.datetime | None
    ended_at: dt.datetime | None
    renews: str | None
    raw: str | None


INSTITUTIONS = Table(
    "institutions",
    "Banks and retailers as the service's directory gives them.",
    (
        text("institution_id", "identity in the directory", required=True),
        text("name", "display name"),
        text("industry", "banking or energy"),
        boolean("is_accessible", "whether it can be connected now"),
        integer("priority", "order in lists, lowest first"),
        text("connection_status", "HEALTHY, DEGRADED, OUTAGE or another word"),
        RAW,
    ),
    key=("institution_id",),
    resource="institutions",
)


class InstitutionRow(TableRow, frozen=True):
    """A row of table `institutions`."""

    table = INSTITUTIONS

    institution_id: str
    name: str | None
    industry: str | None
    is_accessible: bool | None
    priority: int | None
    connection_status: str | None
    raw: str | None


TABLES = (HOUSEHOLDS, END_USERS, PERSONS, CONSENTS, INSTITUTIONS)
