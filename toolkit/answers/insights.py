"""The answers of `insights` and `desk`: what needs attention in one household, and all households in a table."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Literal

import msgspec

from toolkit.answers.base import Answer, Note

InsightKind = Literal["bill", "due", "payment", "saving", "price", "solar", "balance", "account", "consent", "data"]
"""bill: one that differs from its reads and plan. due: one to be paid. payment: one that was paid with another amount.
saving: a cheaper plan. price: a regular payment that went up.
solar: days with little solar. balance: accounts that may run out. account: one whose balance is not known.
consent: one that ends. data: data that is old."""
InsightPage = Literal["bills", "plans", "coming-up", "accounts", "solar", "data"]
AddedKind = Literal[
    "transactions",
    "accounts",
    "balances",
    "rules",
    "meter_days",
    "bills",
    "plans",
    "concessions",
    "stated_lines",
    "files",
]
"""bills: of the service, typed, or read from a PDF. accounts: of a bank; balances: those that the person typed.
rules: what payments belong to. stated_lines: what the person stated for the report."""
LinkState = Literal["sent", "done", "expired"]


class Insight(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a person should look at."""

    id: str
    """Stays while its cause does."""
    kind: InsightKind
    text: Note
    amount: Decimal | None
    """AUD at stake, positive: of a saving or a higher price a year; of a balance what is missing. Null without one."""
    date: date | None
    """The day that it is about."""
    page: InsightPage
    """Page that explains it."""
    also: str | None = None
    """Of a bill to pay that differs too: the id that the difference has by itself. It is decided with this one."""


class Insights(Answer, frozen=True, kw_only=True):
    """What needs attention, most important first, at most five: what `insights`, `insights done|later` answer."""

    insights: tuple[Insight, ...]


class DeskConsent(msgspec.Struct, frozen=True):
    """A consent of a household on the desk."""

    date: date | None
    """Day on which it was given."""
    purpose: str | None
    """What the client agreed to, as typed for the household."""
    ends_at: datetime | None


class DeskLink(msgspec.Struct, frozen=True):
    """A consent link that was sent to a person of the household."""

    sent_at: datetime | None
    """Null for a link of an earlier release, which did not keep it."""
    state: LinkState


class DeskLowPoint(msgspec.Struct, frozen=True):
    """The day with the lowest balance of the accounts together."""

    date: date
    p10: Decimal | None
    """AUD; one time in ten it is lower."""
    p50: Decimal


class DeskHousehold(msgspec.Struct, frozen=True, kw_only=True):
    """A household on the desk: figures as stored, of the day `as_of`. AUD; null where not known."""

    id: str
    name: str
    data_to: date | None
    """Last day with meter data or transactions."""
    next_bill: Decimal | None
    """Forecast of the next energy bill, electricity's where the home has both fuels."""
    saving: Decimal | None
    """A year on the best plan instead of today's; null where no yearly figure is known."""
    low_point: DeskLowPoint | None
    accounts_left_out: int | None
    """Accounts that the lowest balance leaves out because their balance is not known."""
    bills_that_differ: int | None
    """Bills that differ from meter data and plan; null where no bill could be checked."""
    consents: tuple[DeskConsent, ...]
    links: tuple[DeskLink, ...]
    purpose: str | None
    """What the client agreed to, as typed; also where no consent of a service is in force."""
    follow_up: date | None
    note: str | None
    as_of: date | None
    """The day that the figures were worked out for; null before the first time."""


class Desk(Answer, frozen=True, kw_only=True):
    """Every household that is not archived, by name: what `desk` answers."""

    households: tuple[DeskHousehold, ...]
    archived: int = 0
    """Archived households, which are not listed."""


class Added(msgspec.Struct, frozen=True, kw_only=True):
    """What was added since a visit."""

    what: AddedKind
    count: int


class SinceLastVisit(Answer, frozen=True, kw_only=True):
    """What was added since the last visit to the app."""

    visited_at: datetime | None
    """In the household's time zone; null on the first visit."""
    added: tuple[Added, ...]
