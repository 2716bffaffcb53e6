"""How an account states its amounts: with or without GST, credits negative or positive. The standard leaves it open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

from toolkit.analytics.energy.reconcile.billed_invoice import BilledInvoice, BilledLine
from toolkit.answers.energy.invoices import CreditSign, GstConvention

Convention = TypeVar("Convention", GstConvention, CreditSign)

PER_LINE = 1
"""Cents that a line may be off: retailers round each with or without its tax."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """lines: whether lines include GST. amount: whether the amount due does. credits: their sign.

    None: the account's invoices do not show it. invoices: how many show how lines are stated.
    """

    lines: GstConvention | None = None
    amount: GstConvention = "included"
    credits: CreditSign | None = None
    invoices: int = 0

    def line(self, line: BilledLine) -> int:
        """Return cents of an invoice line with GST, as a bill counts it: charges positive, credits negative."""
        minor = line.minor + (line.gst_minor if self.lines == "excluded" else 0)
        return -minor if line.kind == "credit" and self.credits == "positive" else minor

    def billed(self, invoice: BilledInvoice) -> int | None:
        """Return cents of the amount due with GST; None where it is not given."""
        if invoice.minor is None or self.amount == "included":
            return invoice.minor
        return invoice.minor + (invoice.gst_minor or 0)


def conventions_of(invoices: Sequence[BilledInvoice], recomputed: Iterable[int | None]) -> Conventions:
    """Return the conventions that most of an account's invoices follow.

    recomputed: cents of each invoice with GST. Amounts count as without GST only if two invoices or more show it,
    as one alone may be wrong. Only invoices with credits show the sign.
    """
    amount = _of_amounts(invoices, recomputed)
    determined = [
        (invoice, convention) for invoice in invoices if (convention := _of_lines(invoice, amount)) is not None
    ]
    lines = _most([lines for _, (lines, _) in determined], "included")
    credited = [
        sign for invoice, (_, sign) in determined if any(line.kind == "credit" and line.minor for line in invoice.lines)
    ]
    sign = _most(credited, "negative")
    return Conventions(lines, amount, sign, len(determined))


def _most(votes: Sequence[Convention], usual: Convention) -> Convention | None:
    """Return the most frequent value, `usual` on a tie; None without votes."""
    counted = Counter(votes)
    return max(counted, key=lambda convention: (counted[convention], convention == usual), default=None)


def _of_lines(invoice: BilledInvoice, amount: GstConvention) -> tuple[GstConvention, CreditSign] | None:
    """Return how the lines add up to the amount due with GST; None where they do not, or without lines."""
    if not invoice.lines or invoice.minor is None:
        return None
    conventions: list[tuple[GstConvention, CreditSign]] = list(
        product(("included", "excluded"), ("negative", "positive"))
    )
    for lines, sign in conventions:
        read = Conventions(lines, amount, sign)
        sums = sum(read.line(line) for line in invoice.lines)
        if abs(sums - (read.billed(invoice) or 0)) <= PER_LINE * len(invoice.lines):
            return lines, sign
    return None


def _of_amounts(invoices: Sequence[BilledInvoice], recomputed: Iterable[int | None]) -> GstConvention:
    fits = Counter[GstConvention]()
    for invoice, total in zip(invoices, recomputed, strict=True):
        if invoice.minor is None or total is None or not invoice.gst_minor:
            continue
        near = PER_LINE * max(len(invoice.lines), 5)
        fits["included"] += abs(total - invoice.minor) <= near
        fits["excluded"] += abs(total - invoice.minor - invoice.gst_minor) <= near
    return "excluded" if fits["excluded"] > max(1, fits["included"]) else "included"
