"""The answer of `reconcile`: invoices and what the meter's reads and the plan in force come to."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Literal

import msgspec

from toolkit.answers.base import Answer, Note, Noted
from toolkit.answers.energy.bills import Fuel
from toolkit.problems import Problem

Verdict = Literal["agrees", "differs", "cannot check"]
Cause = Literal[
    "gst",
    "sign",
    "estimated reads",
    "missing reads",
    "other reads",
    "price change",
    "prices",
    "prices not known",
    "blocks",
    "discount",
    "unnamed charge",
    "not billed",
    "period",
    "concession",
    "unexplained",
]
GstConvention = Literal["included", "excluded"]
CreditSign = Literal["negative", "positive"]
CheckName = Literal["reads", "days", "balance", "concession", "discount", "fees", "sum"]
CheckState = Literal["ok", "problem", "unknown"]


class InvoiceCheck(msgspec.Struct, frozen=True):
    """One thing to look at on a bill that seems too high."""

    name: CheckName
    """reads: actual or estimated; days; balance: brought forward; concession: the home's, not on the bill; discount:
    ended or left out; fees; sum: our own."""
    state: CheckState
    """`unknown`: what the check needs is not stored."""
    code: str
    """Code of the sentence, as in `note_codes`."""
    text: Note


class InvoiceCause(msgspec.Struct, frozen=True):
    """One reason for a difference."""

    cause: Cause
    sentence: str
    amount: Decimal | None
    """Part of the difference (billed − recomputed) that it accounts for; null where that is not known."""


class InvoiceLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the invoice and the matching lines of the recomputed bill; null where one side has none."""

    component: str
    """Of the recomputed bill, else kind of the retailer's line; a group where the invoice gives only sums."""
    label: str
    """The plan's words, else the retailer's."""
    described: str | None
    """The retailer's words."""
    from_: dt.date | None = msgspec.field(name="from")
    to: dt.date | None
    """Last day of the recomputed line, inclusive."""
    billed: Decimal | None
    """With GST; credits negative."""
    recomputed: Decimal | None
    difference: Decimal | None
    """Billed less recomputed."""
    billed_quantity: float | None
    """Of a bill without lines its days, and the general use that it states where one line is charged for all of it."""
    quantity: float | None
    """Recomputed, in `unit`."""
    unit: str | None


class BankPayment(msgspec.Struct, frozen=True):
    """A payment of the bank that is, or may be, for an invoice."""

    transaction_id: str
    account_id: str
    date: dt.date
    amount: Decimal
    """As the bank states it: money out is negative."""
    description: str | None


class PaidToRetailer(msgspec.Struct, frozen=True):
    """What the bank shows as paid for energy in some days."""

    from_: dt.date
    to: dt.date
    """Last day, inclusive."""
    amount: Decimal
    """Less refunds, AUD."""
    payments: int
    payees: tuple[str, ...]
    """In order of their names."""
    notes: tuple[Note, ...]
    """How it compares with what the plan gives for the same days, then why they differ in this home."""


class BillToPay(msgspec.Struct, frozen=True, kw_only=True):
    """A stored bill that no bank payment of its amount is known of."""

    id: str | None = None
    """As in `invoices list`."""
    fuel: Fuel | None
    retailer: str | None
    from_: dt.date = msgspec.field(name="from")
    to: dt.date
    """Last day, inclusive."""
    amount: Decimal
    """What is to be paid, with what earlier bills left."""
    due: dt.date
    payments: tuple[BankPayment, ...] = ()
    """Those to its retailer since it came that are no other bill's; none where the accounts do not cover the days."""
    left: Decimal
    """What is still to be paid as far as `payments` show; negative where they are more than it asks for."""
    is_covered: bool = True
    """Whether the accounts have transactions since it came, so that a payment of it would be seen."""
    bank_from: dt.date | None = None
    """First day with a bank transaction; null without any."""
    bank_to: dt.date | None
    """Last day with a bank transaction; null without any."""


class BillCounted(msgspec.Struct, frozen=True, kw_only=True):
    """A stored bill, not seen as paid, as the cash flow counts it. Amounts in AUD."""

    fuel: Fuel | None
    retailer: str | None
    from_: dt.date = msgspec.field(name="from")
    to: dt.date
    """Last day, inclusive."""
    due: dt.date
    amount: Decimal
    """What it asks for, with what earlier bills left."""
    paid: Decimal
    """Paid of it so far, as far as the accounts show."""
    left: Decimal
    """What the cash flow takes off."""
    counted_on: dt.date
    """Its due day, or today where that has passed."""


class LinkedPayment(BankPayment, frozen=True, kw_only=True, tag_field="state", tag="linked"):
    """The payment that settled an invoice: the last part's details, `amount` of all parts."""

    payments: tuple[BankPayment, ...]
    """Its parts."""
    invoices: tuple[str | None, ...]
    """Numbers of all invoices that it settles."""


class SuggestedPayment(msgspec.Struct, frozen=True, tag_field="state", tag="suggested"):
    """Payments that may have settled an invoice."""

    candidates: tuple[BankPayment, ...]


class OldPlanBill(msgspec.Struct, frozen=True):
    """A bill since the last change of plan, on the plan before it. Amounts in AUD with GST."""

    plan_id: str
    total: Decimal
    """What that plan would have charged for the same reads, at its last prices."""
    saved: Decimal
    """`total` less what was billed; negative where the old plan was cheaper."""


class PlanSwitch(msgspec.Struct, frozen=True, kw_only=True):
    """The last change of plan at a service point, and what the bills since saved."""

    service_point_id: str
    on: dt.date
    """First day on the new plan."""
    from_plan: str
    to_plan: str
    bills: int
    """Bills that lie wholly after the change."""
    days: int
    """Days of those bills."""
    saved: Decimal
    """Sum of what they saved."""
    year_before: Decimal | None
    """What the switch saves on the same days a year before, as a comparison then would have shown; null where reads of
    those days are missing."""


class CheckedInvoice(Noted, frozen=True, kw_only=True):
    """One invoice and what its reads come to on the plan in force then. Amounts in AUD with GST."""

    id: str | None
    """As in `invoices list`; null for a bill from paper that is not stored."""
    invoice_number: str | None
    """Null for a bill from paper or one typed without a number."""
    account_id: str | None
    """Null for a bill from paper or a typed one."""
    service_points: tuple[str, ...]
    plan_ids: tuple[str, ...]
    from_: dt.date = msgspec.field(name="from")
    to: dt.date
    """Last day, inclusive."""
    billed: Decimal | None
    recomputed: Decimal | None
    difference: Decimal | None
    """Billed less recomputed; null where either is not known."""
    tolerance: Decimal
    """Largest difference with which the invoice agrees."""
    verdict: Verdict
    prices_agree: bool = False
    """Where missing reads leave the energy open: whether the plan's prices give the amount with the energy billed."""
    prices_from: dt.date | None
    """Where prices are not known for every day: the first later day from which they are."""
    reasons: tuple[str, ...]
    """Sentences of the causes."""
    causes: tuple[InvoiceCause, ...]
    lines: tuple[InvoiceLine, ...]
    measured_share: float | None
    missing_share: float | None
    payment_status: str | None
    """As the retailer states it."""
    payment: LinkedPayment | SuggestedPayment | None
    checks: tuple[InvoiceCheck, ...]
    """What to look at where the bill seems too high, always in this order."""
    old_plan: OldPlanBill | None
    """What the plan before the last change would have charged; null before the change and without one."""
    notes: tuple[Note, ...]
    note_codes: tuple[str, ...] = ()
    """The code of each note."""


class AccountConventions(msgspec.Struct, frozen=True):
    """How an account states its amounts; null where its invoices do not show it."""

    account_id: str
    lines_gst: GstConvention | None
    amount_gst: GstConvention
    credits: CreditSign | None
    """Sign of feed-in credits."""
    invoices: int
    """Invoices that show how lines are stated."""
    sentence: str


class Reconciliation(Answer, frozen=True, kw_only=True):
    """Invoices checked against the meter's reads and the plans in force: what `reconcile` answers."""

    invoices: tuple[CheckedInvoice, ...]
    """In order of their periods."""
    accounts: tuple[AccountConventions, ...]
    switches: tuple[PlanSwitch, ...]
    """The last change of plan of each service point with bills since."""
    agrees: int
    differs: int
    cannot_check: int
    problems: tuple[Problem, ...]
