"""Answer with a checked invoice, and with the conventions of an account."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from toolkit.analytics.energy.pricing.model import aud
from toolkit.analytics.energy.reconcile.billed_invoice import BilledInvoice
from toolkit.analytics.energy.reconcile.checks import checks_of
from toolkit.analytics.energy.reconcile.conventions import Conventions
from toolkit.analytics.energy.reconcile.line_matching import Pair
from toolkit.analytics.energy.reconcile.recomputed import Recomputed
from toolkit.analytics.energy.reconcile.verdict import Checked
from toolkit.answers.base import Note
from toolkit.answers.energy.invoices import (
    AccountConventions,
    CheckedInvoice,
    InvoiceCause,
    InvoiceLine,
    LinkedPayment,
    OldPlanBill,
    SuggestedPayment,
)


def checked_invoice(
    done: Recomputed,
    service_points: Sequence[str],
    checked: Checked,
    payment: LinkedPayment | SuggestedPayment | None,
    others: Sequence[BilledInvoice] = (),
    old_plan: OldPlanBill | None = None,
) -> CheckedInvoice:
    """Return the answer for one invoice. service_points: ids of those that it bills; others: other bills of them."""
    invoice = done.invoice
    return CheckedInvoice(
        id=invoice.id,
        invoice_number=invoice.number,
        account_id=invoice.account_id,
        service_points=tuple(service_points),
        plan_ids=tuple(segment.rates.plan_id for metered in done.metered for segment in metered.segments),
        from_=invoice.period.first,
        to=invoice.period.last,
        billed=_aud(checked.billed),
        recomputed=_aud(checked.recomputed),
        difference=_aud(checked.difference),
        tolerance=aud(checked.tolerance),
        verdict=checked.verdict,
        prices_agree=checked.prices_agree,
        prices_from=done.prices_from if checked.verdict == "cannot check" else None,
        reasons=tuple(reason.sentence for reason in checked.reasons),
        causes=tuple(InvoiceCause(reason.cause, reason.sentence, _aud(reason.minor)) for reason in checked.reasons),
        lines=tuple(_line(pair, _stated_quantity(pair, checked.pairs, invoice)) for pair in checked.pairs),
        measured_share=min(_known([bill.quality.measured_share for bill in done.bills]), default=None),
        missing_share=max(_known([bill.quality.missing_share for bill in done.bills]), default=None),
        payment_status=invoice.paid,
        payment=payment,
        checks=checks_of(done, checked, others),
        old_plan=old_plan,
        notes=_notes(done) if checked.recomputed is not None or done.unknown is None else (),
    )


def _notes(done: Recomputed) -> tuple[Note, ...]:
    segments = [
        Note("recomputed_at_new_prices", day=segment.period.first)
        for metered in done.metered
        for segment in metered.segments[1:]
    ]
    return tuple(dict.fromkeys([*done.notes, *segments, *(note for bill in done.bills for note in bill.notes)]))


def _stated_quantity(pair: Pair, pairs: Sequence[Pair], invoice: BilledInvoice) -> Decimal | None:
    """Return the general use or the days that a bill without lines states, where one line alone is charged for them."""
    alone = sum(other.component == pair.component for other in pairs) == 1
    if invoice.lines or invoice.totals is not None or not alone:
        return None
    stated = {"usage": invoice.energy, "supply": Decimal(invoice.period.days)}
    return stated.get(pair.component)


def _line(pair: Pair, stated: Decimal | None) -> InvoiceLine:
    """Return a line of the comparison. stated: the quantity on a bill that has no lines."""
    quantity = pair.quantity
    billed_quantity = pair.billed_quantity if stated is None else stated
    units = {line.unit for line in pair.lines}
    return InvoiceLine(
        component=pair.component,
        label=pair.label,
        described="; ".join(line.label for line in pair.billed_lines) or None,
        from_=min((line.first for line in pair.lines), default=None),
        to=max((line.last for line in pair.lines), default=None),
        billed=_aud(pair.billed),
        recomputed=_aud(pair.recomputed),
        difference=None if pair.billed is None or pair.recomputed is None else aud(pair.difference),
        billed_quantity=None if billed_quantity is None else float(billed_quantity),
        quantity=float(quantity) if quantity is not None and len(units) == 1 else None,
        unit=units.pop() if len(units) == 1 else None,
    )


def account_conventions(account_id: str, stated: Conventions) -> AccountConventions:
    """Return how an account states its amounts."""
    amount = "stated without GST" if stated.amount == "excluded" else "taken with GST"
    parts = [f"Amounts due are {amount}."]
    if stated.lines:
        parts.append(f"Lines are stated with GST {stated.lines}.")
    if stated.credits:
        parts.append(f"Feed-in credits are stated as {stated.credits} amounts.")
    return AccountConventions(account_id, stated.lines, stated.amount, stated.credits, stated.invoices, " ".join(parts))


def _aud(minor: int | None) -> Decimal | None:
    return None if minor is None else aud(minor)


def _known(shares: Sequence[float | None]) -> list[float]:
    return [share for share in shares if share is not None]
