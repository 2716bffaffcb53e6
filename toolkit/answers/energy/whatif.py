"""The answer of `whatif`: what the bills would have been with a battery, panels, a vehicle, other hours or off gas."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

import msgspec

from toolkit.answers.base import Answer, Note, Noted
from toolkit.problems import Problem

Change = Literal["battery", "solar", "ev", "shift", "gas"]


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


class BestPlans(msgspec.Struct, frozen=True, kw_only=True):
    """The cheapest plans that the home can have without and with the change, today's own among them."""

    plan_id: str
    """With the change."""
    plan_name: str
    before_plan_id: str
    """Without the change."""
    before_plan_name: str
    before: Decimal
    after: Decimal
    saving: Decimal
    """before − after: what the change itself saves once the plan is the best one anyway."""
    yearly: Decimal | None
    payback_years: float | None
    plans: int
    """How many plans were priced whole."""


class BatterySize(msgspec.Struct, frozen=True, kw_only=True):
    """The same change with a battery of another size."""

    kwh: float
    kw: float
    price: Decimal | None
    after: Decimal
    saving: Decimal
    yearly: Decimal | None
    payback_years: float | None
    best: BestPlans | None


class OffGasPart(msgspec.Struct, frozen=True, kw_only=True):
    """The gas side of leaving gas; its amounts are in the totals of the answer."""

    plan_id: str
    plan_name: str
    mj: float
    """Gas on these days, in MJ."""
    hot_water_mj: float
    heating_mj: float
    before: Decimal
    """The gas bills."""
    after: Decimal
    """Zero where nothing is left on gas."""
    supply_saved: Decimal


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
    changes: tuple[Change, ...] = ()
    """All changes that were made together; `change` is the last."""
    best: BestPlans | None = None
    """Null where it was not asked for or is not known."""
    sizes: tuple[BatterySize, ...] = ()
    """Batteries side by side, where several sizes were asked for."""
    gas: OffGasPart | None = None
