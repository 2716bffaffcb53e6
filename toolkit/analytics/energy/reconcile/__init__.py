"""Invoices checked: what the reads and the plan in force then give, line beside line, and why the two differ."""

from __future__ import annotations

from toolkit.analytics.energy.reconcile.billed_invoice import Stated, StatedLine, read_invoice
from toolkit.analytics.energy.reconcile.conventions import Conventions, conventions_of
from toolkit.analytics.energy.reconcile.payments import Due, Settled, settle
from toolkit.analytics.energy.reconcile.recomputed import Metered
from toolkit.analytics.energy.reconcile.verdict import Checked, check, uncheckable

__all__ = [
    "Checked",
    "Conventions",
    "Due",
    "Metered",
    "Settled",
    "Stated",
    "StatedLine",
    "check",
    "conventions_of",
    "read_invoice",
    "settle",
    "uncheckable",
]
