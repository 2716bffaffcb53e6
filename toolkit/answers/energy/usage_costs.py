"""What usage costs by time of day: the answer that stands in `costs` of each service point of `usage`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

import msgspec

from toolkit.answers.base import Note, Noted
from toolkit.answers.energy.bills import PlanDays

UsagePart = Literal["always_on", "controlled_load", "night", "day", "evening"]

PART_NAMES: Mapping[UsagePart, str] = {
    "always_on": "Always on (fridge, standby, pumps)",
    "controlled_load": "Controlled load (mostly hot water)",
    "night": "Night, 10 pm to 7 am",
    "day": "Day, 7 am to 5 pm",
    "evening": "Evening, 5 pm to 10 pm",
}
"""The parts as people know them."""


class HourCost(msgspec.Struct, frozen=True):
    """One hour of the local day, over all days of the period."""

    hour: int
    """0 to 23: the hour that starts then."""
    kwh: float
    """General import."""
    controlled_load_kwh: float
    cost: Decimal
    """AUD with GST: usage charges, controlled load included."""
    cents_per_kwh: float | None
    """`cost` ÷ all energy of the hour; null without energy."""


class PartCost(msgspec.Struct, frozen=True):
    """A part of the energy from the grid. Night, day and evening add up to general import; the others overlap them."""

    name: UsagePart
    kwh: float
    cost: Decimal
    """AUD with GST."""
    cost_share: float | None
    """`cost` ÷ `energy_cost`, 0 to 1; null where that is 0."""


class UsageCosts(Noted, frozen=True, kw_only=True):
    """What the energy from the grid costs on the household's plan, by time of day.

    Energy is priced as a bill by calendar month does; where a price has blocks, each kWh of a month costs their mean.
    Supply, demand, fees, discounts and feed-in have no time of day: they stand in `other`.
    """

    from_: dt.date = msgspec.field(name="from")
    """First day, in the plan's time zone."""
    to: dt.date
    """Last day, inclusive."""
    days: int
    plans: tuple[PlanDays, ...]
    coverage: float | None
    """Share of the time with reads of general import, 0 to 1."""
    substituted_share: float | None
    """Share of the energy that was substituted or estimated, 0 to 1."""
    energy_kwh: float
    """From the grid, of reads up to an hour long."""
    energy_cost: Decimal
    """AUD with GST: all usage and controlled-load energy charges; the hours add up to it but for rounding."""
    unpriced_kwh: float
    """Energy from the grid that no price of the plan takes; in no cost."""
    hours: tuple[HourCost, ...]
    """24, from midnight."""
    parts: tuple[PartCost, ...]
    other: Mapping[str, Decimal]
    """The rest of the bill by component (AUD with GST, credits negative); what controlled load costs a day is supply.
    """
    total: Decimal
    """`energy_cost` and `other`: the bill of these days, concessions left out."""
    notes: tuple[Note, ...] = ()
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
