"""Check invoices: recompute them from the reads and the plan in force, match the lines, and explain differences."""

from __future__ import annotations

from toolkit.analytics.energy.reconcile.answer import account_conventions, checked_invoice
from toolkit.analytics.energy.reconcile.billed_invoice import BilledInvoice, BilledLine, read_invoice, typed_invoice
from toolkit.analytics.energy.reconcile.conventions import Conventions, conventions_of
from toolkit.analytics.energy.reconcile.payments import (
    LATE,
    BankRow,
    PaidSoFar,
    PayableInvoice,
    PaymentMatch,
    is_paid_evenly,
    match_payments,
    paid_so_far,
    unsettled,
)
from toolkit.analytics.energy.reconcile.recomputed import Metered, Recomputed, recompute
from toolkit.analytics.energy.reconcile.verdict import Checked, judge

__all__ = [
    "LATE",
    "BankRow",
    "BilledInvoice",
    "BilledLine",
    "Checked",
    "Conventions",
    "Metered",
    "PaidSoFar",
    "PayableInvoice",
    "PaymentMatch",
    "Recomputed",
    "account_conventions",
    "checked_invoice",
    "conventions_of",
    "is_paid_evenly",
    "judge",
    "match_payments",
    "paid_so_far",
    "read_invoice",
    "recompute",
    "typed_invoice",
    "unsettled",
]
