"""An invoice as the retailer sent it: its amounts and lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from toolkit.analytics.energy.pricing.model import Component, aud
from toolkit.answers.base import Period
from toolkit.tables.rows.values import cents_or_none, day_or_none
from toolkit.tables.schema.energy import BillingRow, InvoiceRow
from toolkit.tables.schema.typed import TypedInvoiceRow

Kind = Literal["usage", "controlled_load", "demand", "charge", "once_off", "credit"]

MAY_BE: dict[Kind, frozenset[Component]] = {
    "usage": frozenset(("usage", "controlled_load")),
    "controlled_load": frozenset(("controlled_load",)),
    "demand": frozenset(("demand",)),
    "charge": frozenset(("supply", "controlled_load", "metering", "green_power", "fee")),
    "once_off": frozenset(("fee", "metering", "green_power", "discount", "concession")),
    "credit": frozenset(("feed_in",)),
}
"""The components of a recomputed bill that an invoice line can correspond to."""

NOT_GENERAL = ("controlled load", "solar")
"""Registers of a typed bill that are not part of its general use."""
_CREDIT = re.compile(r"feed.?in|solar|export|generation", re.IGNORECASE)
_CONCESSION = re.compile(r"concession|rebate|relief", re.IGNORECASE)
_CONTROLLED = re.compile(r"controlled|hot water", re.IGNORECASE)
_KINDS: dict[str, Kind] = {"usage": "usage", "demand": "demand", "onceoff": "once_off", "othercharges": "charge"}


@dataclass(frozen=True, slots=True)
class BilledLine:
    """A billing transaction. minor, gst_minor: cents, signs as given. estimate: the retailer marked it as estimated."""

    kind: Kind
    label: str
    minor: int
    gst_minor: int = 0
    quantity: Decimal | None = None
    unit: str | None = None
    first: date | None = None
    last: date | None = None
    estimate: bool = False


@dataclass(frozen=True, slots=True)
class NamedCharge:
    """A line of a typed bill that has an amount alone. minor: cents with GST, a credit negative."""

    label: str
    minor: int

    @property
    def words(self) -> str:
        """Return its name and its amount, without the sign of a credit."""
        return f"{self.label} ${aud(abs(self.minor)):,.2f}"


@dataclass(frozen=True, slots=True)
class BilledInvoice:
    """minor: the amount due in cents; None where it is not given. gst_minor: its tax, as given.

    totals: sums of the invoice's own summary by group, where no lines came: see `line_matching.GROUPS`.
    """

    number: str | None
    account_id: str | None
    period: Period
    minor: int | None
    gst_minor: int | None = None
    lines: tuple[BilledLine, ...] = ()
    totals: Mapping[str, int] | None = None
    issued: date | None = None
    due: date | None = None
    paid: str | None = None
    id: str | None = None
    """Identity of the stored invoice; None for a paper bill that is not stored."""
    concession_minor: int = 0
    """Concession that `minor` has taken off already, where a person typed it: cents, positive."""
    estimated: bool | None = None
    """Whether the bill states an estimated read; None where that is not known."""
    carried_minor: int | None = None
    """Cents to be paid with it from earlier bills, less payments since; negative for a credit."""
    balance_minor: int | None = None
    """Cents of the account's balance when it was issued, as the service gives it."""
    energy: Decimal | None = None
    """General use that the bill states [kWh or MJ]; None where it states none."""
    named: tuple[NamedCharge, ...] = ()
    """Lines that have an amount alone, other than concessions."""


def read_invoice(row: InvoiceRow, billing: Sequence[BillingRow]) -> BilledInvoice | None:
    """Read a row of table `invoices` with the rows of `billing` that carry its number; None without a period."""
    first, last = row.period_start, row.period_end
    if first is None or last is None or first > last:
        return None
    lines = tuple(line for entry in billing if (line := _line(entry)) is not None)
    return BilledInvoice(
        number=row.invoice_number,
        account_id=row.account_id,
        period=Period(first, last),
        minor=row.invoice_amount_minor,
        gst_minor=row.gst_amount_minor,
        lines=lines,
        totals=None if lines else _totals(row),
        issued=row.issue_date,
        due=row.due_date,
        paid=row.payment_status,
        id=row.id,
        balance_minor=row.balance_at_issue_minor,
    )


def typed_invoice(row: TypedInvoiceRow) -> BilledInvoice:
    """Read a bill that a person typed: its amount is with GST, and it belongs to no account of the service."""
    before, received = row.balance_brought_forward_minor, row.payments_minor or 0
    return BilledInvoice(
        number=row.invoice_number,
        account_id=None,
        period=Period(row.period_start, row.period_end),
        minor=row.billed_minor,
        issued=row.issue_date,
        due=row.due_date,
        id=row.id,
        concession_minor=row.concession_minor or 0,
        estimated=row.estimated,
        paid="PAID" if row.paid else None,
        carried_minor=None if before is None else before - received,
        energy=_general_use(row),
        named=tuple(_named_charges(row)),
    )


def _named_charges(row: TypedInvoiceRow) -> Iterator[NamedCharge]:
    for line in json.loads(row.lines or "[]"):
        minor = cents_or_none(line["amount"])
        if line["quantity"] is None and minor and not _CONCESSION.search(line["name"]):
            yield NamedCharge(line["name"], minor)


def _general_use(row: TypedInvoiceRow) -> Decimal | None:
    stated = [entry for entry in json.loads(row.energy or "[]") if entry["register"] not in NOT_GENERAL]
    return sum((Decimal(entry["quantity"]) for entry in stated), Decimal(0)) or None


def _line(row: BillingRow) -> BilledLine | None:
    kind = _KINDS.get(str(row.transaction_u_type or "").replace("_", "").lower())
    if kind is None or row.amount_minor is None:
        return None
    measured = row.usage
    return BilledLine(
        kind=_refined(kind, row),
        label=str(row.description or row.time_of_use_type or kind.replace("_", " ")),
        minor=row.amount_minor,
        gst_minor=row.gst_minor or 0,
        quantity=None if measured is None else Decimal(str(measured)),
        unit=row.measure_unit,
        first=day_or_none(row.start_date),  # as written, whatever its offset: the retailer counts its own days
        last=day_or_none(row.end_date),
        estimate=bool(row.is_estimate),
    )


def _refined(kind: Kind, row: BillingRow) -> Kind:
    """Recognise credits and controlled load, which arrive as usage, by time-of-use type or description."""
    words = f"{row.time_of_use_type or ''} {row.description or ''}"
    if kind == "usage" and (_CREDIT.search(words) or (row.usage or 0) < 0):
        return "credit"
    return "controlled_load" if kind == "usage" and _CONTROLLED.search(words.replace("_", " ")) else kind


def _totals(row: InvoiceRow) -> dict[str, int] | None:
    """Return cents by group from the invoice's summary, credits and discounts negative; None without any."""
    detail = json.loads(row.detail or "{}") or {}
    parts = [part for fuel in ("electricity", "gas") if isinstance(part := detail.get(fuel), dict)]
    account = (detail.get("account_charges") or {}) if parts else {}
    sums = {
        "usage": _sum(part.get("total_usage_charges") for part in parts),
        "charges": _sum(charge.get("amount") for part in parts for charge in part.get("other_charges") or []),
        "once_off": _sum([*(part.get("total_once_off_charges") for part in parts), account.get("total_charges")]),
        "discounts": _sum(
            [*(part.get("total_once_off_discounts") for part in parts), account.get("total_discounts")], taken_off=True
        ),
        "credits": _sum((part.get("total_generation_credits") for part in parts), taken_off=True),
    }
    return {name: minor for name, minor in sums.items() if minor is not None} or None


def _sum(given: Iterable[object], *, taken_off: bool = False) -> int | None:
    """Sum the readable amounts in cents; None if there are none. taken_off: amounts of any sign lower the bill."""
    known = [cents for value in given if (cents := cents_or_none(value)) is not None]
    return sum(-abs(cents) if taken_off else cents for cents in known) if known else None
