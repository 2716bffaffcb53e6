"""Answers about households: the facts known of them, and what is stored for them."""

from __future__ import annotations

from datetime import date

import msgspec
from msgspec import UNSET, UnsetType

from toolkit.answers.base import Answer


class Household(msgspec.Struct, frozen=True, kw_only=True):
    """A household and the facts about its home that no file contains; null where not set."""

    id: str
    name: str
    postcode: str | None
    state: str | None
    """ACT, NSW, NT, QLD, SA, TAS, VIC or WA."""
    network: str | None
    """Electricity distribution network, such as Ausgrid."""
    timezone: str | None
    """IANA time zone of the home; null: that of its state or postcode."""
    customer_type: str | None
    """`residential` or `business`."""
    panels_kw: float | None
    """Rated size of the solar panels [kW]."""
    plan_id: str | None
    """Energy plan in force."""
    plan_since: date | None
    """First day of that plan."""
    billing: str | None
    """How often energy is billed: `monthly`, `two-monthly` or `quarterly`."""
    embedded_network: bool | None
    """Whether the building sells the power to the home."""
    persons: tuple[str, ...]
    """People added by name, whose transfers are the household's own."""


class Households(Answer, frozen=True, kw_only=True):
    """Every household by name: what `household list`, `add`, `set` and `merge` answer."""

    households: tuple[Household, ...]
    moved: dict[str, int] | UnsetType = UNSET
    """Rows moved by a merge, by table."""
    notes: tuple[str, ...] | UnsetType = UNSET
    """Rows that both merged households had."""
