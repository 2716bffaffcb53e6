"""The answer of `whatif`: what the bills would have been with a battery, panels, a vehicle or other hours."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

import msgspec

from toolkit.answers.base import Answer, Note, Noted
from toolkit.errors import Problem

Change = Literal["battery", "solar", "ev", "shift"]


class Exchanged(msgspec.Struct, frozen=True):
    """Energy in the lines of a bill."""

    bought_kwh: float
    """General use."""
    sold_kwh: float


class ExchangedBoth(msgspec.Struct, frozen=True):
    """Energy bought and sold before and after the change."""

    before: Exchanged
    after: Exchanged


class Way(msgspec.Struct, frozen=True):
    """One way to run a battery, and what it saves."""

    way: str
    """`self-consumption`, `tariff` or `demand`."""
    after: Decimal
    saving: Decimal


class WhatIf(Answer, Noted, frozen=True, kw_only=True):
    """The bills of the same days on the same plan without and with a change: what `whatif` answers. Amounts in AUD."""

    change: Change
    plan_id: str
    plan_name: str
    service_point_id: str
    from_: date = msgspec.field(name="from")
    to: date
    """Last day, inclusive."""
    days: int
    days_read: float
    """The share of `days` that was read by the interval."""
    before: Decimal
    after: Decimal
    saving: Decimal
    """before − after."""
    yearly: Decimal | None
    """Saving scaled to 365 days; null below 28 days read, and where the reads are too old."""
    components: dict[str, Decimal]
    """Saving by component of the bill."""
    before_components: dict[str, Decimal]
    after_components: dict[str, Decimal]
    energy: ExchangedBoth
    price: Decimal | None
    """Price of the change, as given."""
    payback_years: float | None
    """price ÷ yearly, without interest; null where nothing is saved."""
    missing_share: float | None
    """Share of the time without reads."""
    assumptions: tuple[Note, ...]
    assumption_codes: tuple[str, ...] = ()
    """The code of each assumption."""
    notes: tuple[Note, ...]
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
    problems: tuple[Problem, ...]
    way: str | None = None
    """The cheapest of `ways`."""
    ways: tuple[Way, ...] = ()
    """All ways that were tried; empty for changes other than a battery."""
