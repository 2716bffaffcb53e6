"""Why a bill is high, what to look at on it, and what to do."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Literal

import msgspec

from toolkit.answers.base import Answer, Note, Noted
from toolkit.answers.energy.bills import BillPart, Fuel
from toolkit.answers.energy.invoices import InvoiceCheck


class BillInShort(msgspec.Struct, frozen=True, kw_only=True):
    """Days, amount and energy of a bill."""

    from_: dt.date = msgspec.field(name="from")
    to: dt.date
    """Last day, inclusive."""
    total: Decimal
    """AUD with GST: as billed where the retailer's bill is stored, else `worked_out`."""
    worked_out: Decimal | None = None
    """What the meter's reads come to at the plan's prices; null where that is not known."""
    energy: float | None
    """Energy used, controlled load included, in the unit of the answer; null where that is not known."""

    @property
    def days(self) -> int:
        """Return the number of days."""
        return (self.to - self.from_).days + 1


class HighBill(Answer, Noted, frozen=True, kw_only=True):
    """A bill and an earlier one of the same meter."""

    fuel: Fuel
    unit: str
    """kWh or MJ."""
    number: str | None
    """Number of the retailer's bill."""
    meter: str | None
    """Meter number (NMI or MIRN)."""
    billed: Decimal | None = None
    """Amount on the retailer's bill of the days of `now`; null where none is stored."""
    billed_before: Decimal | None = None
    """Likewise of the days of `before`."""
    now: BillInShort
    before: BillInShort
    parts: tuple[BillPart, ...]
    """Why they differ; they add up to the difference."""
    sentences: tuple[Note, ...]
    """What the bill is, how it differs from the plan's prices and from the earlier one, and the main reasons."""
    checks: tuple[InvoiceCheck, ...]
    """Of the retailer's bill of the same days; empty where none is stored."""
    concessions: tuple[str, ...] = ()
    """The state's packaged concessions on this fuel, to ask for; none where the home has one already."""
    ombudsman: str | None
    """Name, website and phone, as far as these were read at a source; null where the state is not known."""
    notes: tuple[Note, ...]
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
    due: dt.date | None = None
    """Last day to pay the retailer's bill of the days of `now`; null where none is stored or shows it."""
    payment: Literal["open", "overdue", "paid"] = "open"
    """Whether that bill is known to be paid, else whether its due day has passed."""
