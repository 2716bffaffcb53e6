"""A checked invoice as the command's answer."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from toolkit.analytics.energy.bills.model import aud
from toolkit.analytics.energy.reconcile import Checked, Conventions
from toolkit.analytics.energy.reconcile.line_matching import Pair
from toolkit.answers.notes import sentences
from toolkit.flows.energy.reconciliation.reads import Recomputed
from toolkit.flows.household.service_points import ServicePoint


def invoice_json(
    done: Recomputed, points: Sequence[ServicePoint], found: Checked, payment: dict[str, Any] | None
) -> dict[str, Any]:
    invoice = done.invoice
    return {
        "invoice_number": invoice.number,
        "account_id": invoice.account_id,
        "service_points": [point.id for point in points],
        "plan_ids": [segment.rates.plan_id for metered in done.metered for segment in metered.segments],
        "from": invoice.period.first,
        "to": invoice.period.last,
        "billed": _aud(found.billed),
        "recomputed": _aud(found.recomputed),
        "difference": _aud(found.difference),
        "tolerance": _aud(found.tolerance),
        "verdict": found.verdict,
        "prices_from": done.prices_from if found.verdict == "cannot check" else None,
        "reasons": [reason.sentence for reason in found.reasons],
        "causes": [
            {"cause": reason.cause, "sentence": reason.sentence, "amount": _aud(reason.minor)}
            for reason in found.reasons
        ],
        "lines": [pair_json(pair) for pair in found.pairs],
        "measured_share": _least([bill.quality.measured_share for bill in done.bills]),
        "missing_share": _most([bill.quality.missing_share for bill in done.bills]),
        "payment_status": invoice.paid,
        "payment": payment,
        "notes": _notes(done) if found.recomputed is not None or done.unknown is None else [],
    }


def _notes(done: Recomputed) -> list[str]:
    segments = [
        f"The prices changed on {segment.period.first}: the days from then on are recomputed at the new ones."
        for metered in done.metered
        for segment in metered.segments[1:]
    ]
    return sentences([*done.notes, *segments, *(note for bill in done.bills for note in bill.notes)])


def pair_json(pair: Pair) -> dict[str, Any]:
    """A line of the bill beside the invoice's; null where one has none."""
    quantity, billed_quantity = pair.quantity, pair.billed_quantity
    units = {line.unit for line in pair.lines}
    return {
        "component": pair.component,
        "label": pair.label,
        "described": "; ".join(line.label for line in pair.billed_lines) or None,
        "from": min((line.first for line in pair.lines), default=None),
        "to": max((line.last for line in pair.lines), default=None),
        "billed": _aud(pair.billed),
        "recomputed": _aud(pair.recomputed),
        "difference": None if pair.billed is None or pair.recomputed is None else _aud(pair.difference),
        "billed_quantity": None if billed_quantity is None else float(billed_quantity),
        "quantity": float(quantity) if quantity is not None and len(units) == 1 else None,
        "unit": units.pop() if len(units) == 1 else None,
    }


def account_json(account_id: str, way: Conventions) -> dict[str, Any]:
    """How the account states its amounts; null where its invoices do not tell."""
    return {
        "account_id": account_id,
        "lines_gst": way.lines,
        "amount_gst": way.amount,
        "credits": way.credits,
        "invoices": way.invoices,
        "sentence": _sentence(way),
    }


def _sentence(way: Conventions) -> str:
    said = [
        "Amounts due are stated with GST excluded." if way.amount == "excluded" else "Amounts due are taken with GST."
    ]
    if way.lines:
        said.append(f"Lines are stated with GST {way.lines}.")
    if way.credits:
        said.append(f"Feed-in credits are stated as {way.credits} amounts.")
    return " ".join(said)


def _aud(minor: int | None) -> Decimal | None:
    return None if minor is None else aud(minor)


def _least(shares: Sequence[float | None]) -> float | None:
    return min((share for share in shares if share is not None), default=None)


def _most(shares: Sequence[float | None]) -> float | None:
    return max((share for share in shares if share is not None), default=None)
