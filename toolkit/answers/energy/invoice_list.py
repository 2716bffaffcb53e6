"""The answer of `invoices`: bills as the retailer stated them, from the service, typed by hand or read from a PDF."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Literal

import msgspec

from toolkit.answers.base import Answer, Note, Noted
from toolkit.answers.energy.bills import Fuel
from toolkit.problems import Problem

InvoiceSource = Literal["service", "typed", "pdf"]


class InvoiceEnergy(msgspec.Struct, frozen=True):
    """Energy that a bill states for one meter register."""

    register: str
    """As on the bill, for example `general`, `peak`, `controlled load` or `solar`."""
    quantity: float
    """In `unit`; solar exports are positive too."""
    unit: str
    """`kWh` or `MJ`."""


BilledPart = Literal[
    "peak",
    "shoulder",
    "off_peak",
    "solar_soak",
    "anytime",
    "controlled_load",
    "controlled_load_supply",
    "supply",
    "feed_in",
]


class InvoiceLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a bill: quantity × price = amount, or an amount alone. Prices and amounts in AUD as printed."""

    component: BilledPart | None
    """The part of a plan that it prices; null where its words do not show one, and for an amount alone."""
    name: str
    """The bill's own words."""
    quantity: Decimal | None = None
    """Null for an amount alone."""
    unit: str = ""
    """`kWh`, `MJ`, `day` or `kW`; empty where the line names none."""
    unit_price: Decimal | None = None
    """Per unit; with GST or without, as printed. Null for an amount alone."""
    amount: Decimal
    """A credit is negative."""


class Invoice(msgspec.Struct, frozen=True, kw_only=True):
    """A bill as the retailer stated it. Amounts in AUD."""

    id: str
    """What `invoices edit` and `invoices remove` call it."""
    retailer: str | None
    fuel: Fuel | None
    """Null where an invoice of the service does not show it."""
    from_: dt.date | None = msgspec.field(name="from")
    to: dt.date | None
    """Last day, inclusive."""
    billed: Decimal | None
    """New charges of the period with GST; negative for a bill in credit. Of the service: as stated."""
    issue_date: dt.date | None
    due_date: dt.date | None
    payments: Decimal | None
    """Payments received since the bill before, as a positive amount."""
    balance_brought_forward: Decimal | None
    """Owed from earlier bills; negative for a credit."""
    concession: Decimal | None
    """Concessions already taken off `billed`, as a positive amount."""
    energy: tuple[InvoiceEnergy, ...]
    source: InvoiceSource
    invoice_number: str | None
    plan_name: str | None
    """The plan as the bill names it."""
    service_point_id: str | None
    """Null where the bill is of the home's only meter of its fuel, or names several."""
    estimated: bool | None
    """Whether the bill is based on an estimated read."""
    lines: tuple[InvoiceLine, ...] = ()
    """The lines of charges that were read of its PDF; those with an amount alone only where all of them together are
    the new charges."""
    paid: bool | None = None
    """Whether it is paid, as the person or the service says; null where neither does."""


class Invoices(Answer, Noted, frozen=True, kw_only=True):
    """All bills of a household: what `invoices list`, `add`, `edit` and `remove` answer."""

    invoices: tuple[Invoice, ...]
    """In order of their days; those without days first."""
    changed: str | None = None
    """Id of the bill that was added, changed or removed."""
    notes: tuple[Note, ...] = ()
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
    problems: tuple[Problem, ...] = ()


class InvoiceDraft(Answer, Noted, frozen=True, kw_only=True):
    """What could be read of a bill's text, to be checked by a person before it is kept; null: not found."""

    fuel: Fuel | None = None
    from_: dt.date | None = msgspec.field(name="from", default=None)
    to: dt.date | None = None
    billed: Decimal | None = None
    retailer: str | None = None
    issue_date: dt.date | None = None
    due_date: dt.date | None = None
    payments: Decimal | None = None
    balance_brought_forward: Decimal | None = None
    concession: Decimal | None = None
    energy: tuple[InvoiceEnergy, ...] = ()
    invoice_number: str | None = None
    plan_name: str | None = None
    service_point_id: str | None = None
    """NMI or MIRN."""
    postcode: str | None = None
    """Of the address that is supplied; it is not a part of the bill that is kept."""
    estimated: bool | None = None
    lines: tuple[InvoiceLine, ...] = ()
    """Lines whose quantity × price is their amount, and where all add up to the new charges those with an amount
    alone."""
    notes: tuple[Note, ...] = ()
    """What was not found or is doubtful, one sentence each."""
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
