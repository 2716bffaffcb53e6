"""What to look at on a bill that seems too high: each check is in order, a problem, or not known."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from statistics import median_low

import polars as pl

from toolkit.analytics.energy.intervals.billed import BILLED
from toolkit.analytics.energy.pricing.model import aud
from toolkit.analytics.energy.reconcile.billed_invoice import BilledInvoice
from toolkit.analytics.energy.reconcile.named_charges import in_words
from toolkit.analytics.energy.reconcile.recomputed import Recomputed
from toolkit.analytics.energy.reconcile.verdict import Checked
from toolkit.answers.base import Note
from toolkit.answers.energy.invoices import CheckName, CheckState, InvoiceCheck

_ESTIMATED = 0.01
"""Share of estimated or missing reads from which on they are a problem: a half hour now and then is usual."""

_LONGER = 1.1
"""More than so many times the usual days is a problem: months differ by up to three days in 28."""

_ENDED = timedelta(100)
"""So long before the last day of a bill a discount may have ended and still explain why it is high."""


def checks_of(done: Recomputed, checked: Checked, others: Sequence[BilledInvoice]) -> tuple[InvoiceCheck, ...]:
    """Return every check of one invoice. others: the home's other bills of the same meter or, without one, fuel."""
    made: tuple[tuple[CheckName, _Result], ...] = (
        ("reads", _reads(done)),
        ("days", _days(done.invoice, others)),
        ("balance", _balance(done.invoice)),
        ("concession", _concession(done, checked)),
        ("discount", _discount(done, checked)),
        ("fees", _fees(done, checked)),
        ("sum", _sum(checked)),
    )
    return tuple(InvoiceCheck(name, state, text.code, text) for name, (state, text) in made)


_Result = tuple[CheckState, Note]


def _reads(done: Recomputed) -> _Result:
    invoice = done.invoice
    if invoice.estimated or any(line.estimate for line in invoice.lines):
        return "problem", Note("check_reads_estimated")
    quality = [bill.quality for bill in done.bills]
    doubtful = max((each.substituted_share or 0.0 for each in quality), default=0.0)
    missing = max((each.missing_share or 0.0 for each in quality), default=1.0)
    if doubtful > _ESTIMATED:
        return "problem", Note("check_reads_substituted", share=doubtful)
    if invoice.estimated is False or (quality and missing <= _ESTIMATED and not _from_bills(done)):
        return "ok", Note("check_reads_actual")
    return "unknown", Note("check_reads_unknown")


def _from_bills(done: Recomputed) -> bool:
    """Whether the energy is the bill's own, so that nothing is known of its reads."""
    return any(not metered.usage.rows.filter(pl.col("quality") == BILLED).is_empty() for metered in done.metered)


def _days(invoice: BilledInvoice, others: Sequence[BilledInvoice]) -> _Result:
    days = invoice.period.days
    shared = [each.period for each in others if each.period.first < invoice.period.first <= each.period.last]
    if shared:
        return "problem", Note("check_days_twice", first=invoice.period.first, last=max(each.last for each in shared))
    if not others:
        return "unknown", Note("check_days_alone", days=days)
    usual = median_low(each.period.days for each in others)
    return ("problem" if days > _LONGER * usual else "ok"), Note("check_days", days=days, usual=usual)


def _balance(invoice: BilledInvoice) -> _Result:
    if invoice.carried_minor is not None:
        if invoice.carried_minor > 0:
            return "problem", Note("check_balance_owed", amount=aud(invoice.carried_minor))
        return "ok", Note("check_balance_none")
    if invoice.balance_minor is None or invoice.minor is None:
        return "unknown", Note("check_balance_unknown")
    if invoice.balance_minor > invoice.minor:
        return "problem", Note("check_balance_above", balance=aud(invoice.balance_minor), billed=aud(invoice.minor))
    return "ok", Note("check_balance_none")


def _concession(done: Recomputed, checked: Checked) -> _Result:
    credit = -sum(line.amount_minor for bill in done.bills for line in bill.lines if line.component == "concession")
    is_billed = any(pair.component == "concession" and pair.billed_lines for pair in checked.pairs)
    explains = credit > 0 and abs((checked.difference or 0) - credit) <= checked.tolerance
    if any(reason.cause == "concession" for reason in checked.reasons) or (explains and not is_billed):
        return "problem", Note("check_concession_missing", amount=aud(credit))
    if done.invoice.concession_minor or is_billed or (credit and checked.verdict == "agrees"):
        return "ok", Note("check_concession_on_bill")
    return "unknown", Note("check_concession_not_seen" if credit else "check_concession_not_held")


def _discount(done: Recomputed, checked: Checked) -> _Result:
    last = done.invoice.period.last
    if any(reason.cause == "discount" for reason in checked.reasons):
        return "problem", Note("check_discount_missing")
    if done.unknown is not None or not done.metered:
        return "unknown", Note("check_discount_unknown")
    discounts = [discount for metered in done.metered for part in metered.segments for discount in part.rates.discounts]
    for discount in discounts:
        ends = discount.span.last
        if isinstance(ends, date) and last - _ENDED <= ends < last:
            return "problem", Note("check_discount_ended", label=discount.label, day=ends)
    guaranteed = any(discount.guaranteed for discount in discounts)
    if any(not discount.guaranteed for discount in discounts):
        return "unknown", Note("check_discount_conditional")
    return "ok", Note("check_discount_in_force" if guaranteed else "check_discount_none")


def _fees(done: Recomputed, checked: Checked) -> _Result:
    extra = [reason for reason in checked.reasons if reason.cause == "unnamed charge" and (reason.minor or 0) > 0]
    if extra and all(reason.named for reason in extra):
        code = "check_fees_named" if any(reason.is_of_no_plan for reason in extra) else "check_fees_not_stored"
        return "problem", Note(code, lines=in_words([charge for reason in extra for charge in reason.named]))
    if extra:
        return "problem", Note("check_fees_extra", amount=aud(sum(reason.minor or 0 for reason in extra)))
    if done.invoice.lines or checked.verdict == "agrees":
        return "ok", Note("check_fees_none")
    return "unknown", Note("check_fees_unknown")


def _sum(checked: Checked) -> _Result:
    if checked.recomputed is None or checked.billed is None:
        return "unknown", Note("check_sum_unknown")
    ours, by = aud(checked.recomputed), aud(abs(checked.difference or 0))
    if checked.verdict == "cannot check":
        return "unknown", Note("check_sum_open", amount=ours, difference=by)
    if checked.verdict == "agrees":
        return "ok", Note("check_sum_agrees", amount=ours)
    more = (checked.difference or 0) > 0
    return "problem", Note("check_sum_above" if more else "check_sum_below", amount=ours, difference=by)
