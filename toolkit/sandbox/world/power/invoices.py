"""Invoices and billing transactions, made by the retailers' own biller from the reads that are served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from toolkit.sandbox import biller
from toolkit.sandbox.biller import Span
from toolkit.sandbox.world.days import add_months
from toolkit.wire import JsonObject

ISSUED_AFTER_DAYS = 4
DUE_AFTER_DAYS = 17
PAYMENT_METHODS = {1: "DIRECT_DEBIT", 2: "BPAY", 3: "BPAY"}


@dataclass(frozen=True, slots=True)
class Account:
    """An energy account."""

    account_id: str
    service_point_id: str
    number: str
    fuel: str
    """electricity or gas."""
    months: int
    """Months per bill."""
    plans: tuple[tuple[Span, JsonObject], ...]
    """(days in force, contract)."""


@dataclass(frozen=True, slots=True)
class Invoice:
    """A bill for some days."""

    account: Account
    number: str
    span: Span
    lines: list[biller.Line]

    @property
    def amount(self) -> Decimal:
        """Return the total in dollars with GST."""
        return biller.total(self.lines)

    @property
    def issued(self) -> date:
        """Return the day of issue."""
        return self.span.last + timedelta(days=ISSUED_AFTER_DAYS)

    @property
    def due(self) -> date:
        """Return the day on which payment is due."""
        return self.issued + timedelta(days=DUE_AFTER_DAYS)


def first_period(first: date, months: int) -> date:
    """Return the first day of the first complete period from the first of a month on, counted from January."""
    return first if months == 1 else add_months(first, (1 - first.month) % months)


def invoices_of(account: Account, meter: Mapping[str, biller.Series], first: date, today: date) -> list[Invoice]:
    """Bill each complete period: months, or two or three months counted from January."""
    unit = "MJ" if account.fuel == "gas" else "KWH"
    invoices = []
    start = first_period(first, account.months)
    while (end := add_months(start, account.months) - timedelta(days=1)) + timedelta(days=ISSUED_AFTER_DAYS) <= today:
        contract = next(terms for span, terms in account.plans if span.first <= start <= span.last)
        lines = biller.bill(contract, meter, Span(start, end), unit)
        invoices.append(Invoice(account, f"{account.number}-{start:%y%m}", Span(start, end), lines))
        start = add_months(start, account.months)
    return invoices


def invoice_record(invoice: Invoice, today: date) -> JsonObject:
    """Return the record of an invoice; amounts include GST.

    Usage and other charges − generation credits + once-off charges − discounts is the total.
    """
    paid = invoice.due <= today
    credits_ = -_sum(invoice, "feed_in")
    fees, discounts = _sum(invoice, "fee"), -_sum(invoice, "discount")
    supply = [line for line in invoice.lines if _is_supply(line)]
    fuel = {
        "other_charges": [
            {"amount": str(line.amount), "description": line.label, "type": "RETAIL_SERVICE"} for line in supply
        ],
        "total_generation_credits": str(credits_),
        "total_gst": str(biller.tax(invoice.lines)),
        "total_once_off_charges": str(fees),
        "total_once_off_discounts": str(discounts),
        "total_usage_charges": str(invoice.amount + credits_ - fees + discounts - biller.total(supply)),
    }
    return {
        "account_id": invoice.account.account_id,
        "invoice_number": invoice.number,
        "issue_date": str(invoice.issued),
        "due_date": str(invoice.due),
        "period": {"start_date": str(invoice.span.first), "end_date": str(invoice.span.last)},
        "invoice_amount": str(invoice.amount),
        "gst_amount": str(biller.tax(invoice.lines)),
        "balance_at_issue": str(invoice.amount),
        "payment_status": "PAID" if paid else "NOT_PAID",
        "service_points": [invoice.account.service_point_id],
        "pay_on_time_discount": {"date": str(invoice.due), "discount_amount": "0.00", "gst_amount": "0.00"},
        "account_charges": {"total_charges": "0.00", "total_discounts": "0.00", "total_gst": "0.00"},
        invoice.account.fuel: fuel,
    }


def _is_supply(line: biller.Line) -> bool:
    return line.unit == "DAYS" and line.component != "fee"


def _sum(invoice: Invoice, component: str) -> Decimal:
    return biller.total([line for line in invoice.lines if line.component == component])


def billing_records(invoice: Invoice, today: date) -> list[JsonObject]:
    """Return a transaction for each line, with its amount and GST, and the payment once it is due."""
    records = [_transaction(invoice, line) for line in invoice.lines]
    if invoice.due <= today and invoice.amount > 0:
        payment = {"amount": str(invoice.amount), "method": PAYMENT_METHODS[invoice.account.months]}
        records.append(_entry(invoice.account, invoice.due, "payment", payment, "0.00"))
    return records


def _transaction(invoice: Invoice, line: biller.Line) -> JsonObject:
    gst = str(biller.tax([line]))
    details = {"amount": str(line.amount), "description": line.label, "invoice_number": invoice.number}
    details["service_point_id"] = invoice.account.service_point_id
    if line.component in ("fee", "discount"):
        return _entry(invoice.account, invoice.issued, "onceOff", details, gst)
    if _is_supply(line):
        dates = {"start_date": str(line.span.first), "end_date": str(line.span.last), "type": "RETAIL_SERVICE"}
        return _entry(invoice.account, invoice.issued, "otherCharges", details | dates | UNADJUSTED, gst)
    return _entry(invoice.account, invoice.issued, *_metered(line, details), gst)


UNADJUSTED: JsonObject = {
    "adjustments": [{"amount": "0.00", "description": "None"}],
    "calculation_factors": [{"type": "DLF", "value": 1.0412}],
}


def _metered(line: biller.Line, details: JsonObject) -> tuple[str, JsonObject]:
    """Describe a line that comes from the meter: usage or demand."""
    more: JsonObject = {
        "start_date": f"{line.span.first}T00:00:00+10:00",
        "end_date": f"{line.span.last}T23:59:59+10:00",
        "is_estimate": False,
        "measure_unit": line.unit,
        "time_of_use_type": line.band,
        **UNADJUSTED,
    }
    if line.component == "demand":
        return "demand", details | more | {"rate": float(line.unit_price)}
    return "usage", details | more | {"usage": float(line.quantity)}


SPELLINGS = {"onceOff": "once_off", "otherCharges": "other_charges"}


def _entry(account: Account, day: date, kind: str, details: JsonObject, gst: str) -> JsonObject:
    return {
        "account_id": account.account_id,
        "execution_date_time": f"{day}T09:00:00+10:00",
        "gst": gst,
        "transaction_u_type": kind,
        SPELLINGS.get(kind, kind): details,
    }
