"""Bills as text."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.answers.energy.invoice_list import Invoice, Invoices
from toolkit.cli.output import aud, day, show_notes, show_problems, table


def invoices(answer: Invoices) -> Iterator[str]:
    """Yield a table of bills, oldest first."""
    head = ("id", "fuel", "days", "billed", "due", "energy", "retailer", "source")
    yield from table(head, map(_in_short, answer.invoices), right=(3,))
    if not answer.invoices:
        yield "No bills are stored. Run `toolkit sync`, or add one: `toolkit invoices add`."
    yield from show_notes(answer)
    yield from show_problems(answer)


def _in_short(bill: Invoice) -> tuple[object, ...]:
    energy = ", ".join(f"{entry.register} {entry.quantity:,.10g} {entry.unit}" for entry in bill.energy)
    days = f"{day(bill.from_)} to {day(bill.to)}"
    fuel = (bill.fuel or "–").lower()
    return (bill.id, fuel, days, aud(bill.billed), day(bill.due_date), energy, bill.retailer or "", bill.source)
