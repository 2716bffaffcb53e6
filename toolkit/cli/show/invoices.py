"""Bills as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolkit.answers.energy.invoice_list import Invoice, InvoiceDraft, InvoiceEnergy, Invoices
from toolkit.cli.output import aud, day, show_notes, show_problems, table


def invoices(answer: Invoices) -> Iterator[str]:
    """Yield a table of bills, oldest first."""
    head = ("id", "fuel", "days", "billed", "due", "energy", "retailer", "source")
    yield from table(head, map(_in_short, answer.invoices), right=(3,))
    if not answer.invoices:
        yield "No bills are stored. Run `toolkit sync`, or add one: `toolkit invoices add`."
    yield from show_notes(answer)
    yield from show_problems(answer)


def added(answer: Invoices | InvoiceDraft) -> Iterator[str]:
    """Yield the bills, or the draft that was not saved."""
    yield from draft(answer) if isinstance(answer, InvoiceDraft) else invoices(answer)


def draft(answer: InvoiceDraft) -> Iterator[str]:
    """Yield what was read of a PDF, field by field."""
    fields = (
        ("fuel", (answer.fuel or "–").lower()),
        ("days", f"{day(answer.from_)} to {day(answer.to)}"),
        ("billed", aud(answer.billed)),
        ("due", day(answer.due_date)),
        ("issued", day(answer.issue_date)),
        ("retailer", answer.retailer or "–"),
        ("plan", answer.plan_name or "–"),
        ("number", answer.invoice_number or "–"),
        ("meter", answer.service_point_id or "–"),
        ("balance brought forward", aud(answer.balance_brought_forward)),
        ("payments", aud(answer.payments)),
        ("concession", aud(answer.concession)),
        ("energy", _energy(answer.energy) or "–"),
        (
            "read",
            {True: "estimated", False: "actual"}.get(bool(answer.estimated)) if answer.estimated is not None else "–",
        ),
    )
    yield from table(("field", "read from the bill"), fields)
    yield from show_notes(answer)


def _energy(entries: Iterable[InvoiceEnergy]) -> str:
    return ", ".join(f"{entry.register} {entry.quantity:,.10g} {entry.unit}" for entry in entries)


def _in_short(bill: Invoice) -> tuple[object, ...]:
    energy = _energy(bill.energy)
    days = f"{day(bill.from_)} to {day(bill.to)}"
    fuel = (bill.fuel or "–").lower()
    return (bill.id, fuel, days, aud(bill.billed), day(bill.due_date), energy, bill.retailer or "", bill.source)
