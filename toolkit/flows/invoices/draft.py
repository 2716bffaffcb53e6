"""A bill's PDF read into a form for a person to check; nothing is stored."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

from toolkit.answers.base import Note
from toolkit.answers.energy.invoice_list import InvoiceDraft, InvoiceEnergy, InvoiceLine
from toolkit.errors import ImportFailedError
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.importers.bills.draft import BillDraft, Doubt, read_bill
from toolkit.importers.bills.extract import IS_PDF, IS_PICTURE, LARGEST_BYTES, pdf_pages

_MISSING = {
    "fuel": "whether it is for electricity or gas",
    "period": "the first and last day",
    "billed": "the amount",
    "retailer": "the retailer",
    "due": "the due date",
    "meter": "the meter number (NMI or MIRN)",
    "plan": "the plan",
    "energy": "the energy used",
}
_OF_EVERY_BILL = {"fuel", "billed", "retailer", "meter", "energy"}
"""What a bill states some of; a bank's statement has days alone."""

_DOUBTS: dict[Doubt, Note] = {
    "both_fuels": Note("draft_both_fuels"),
    "days": Note("draft_days"),
    "due": Note("draft_due"),
    "new_charges": Note("draft_new_charges"),
    "fuel": Note("draft_fuel"),
}


def may_be_a_bill(start: bytes) -> bool:
    """Return whether a file that begins so is a PDF, or a picture, which may be of a bill."""
    return start.startswith(IS_PDF) or IS_PICTURE.match(start) is not None


def read_pdf(path: Path) -> InvoiceDraft:
    """Read a bill's PDF. Raises ImportFailedError where it cannot be read; a scan's message names what to type."""
    if path.stat().st_size > LARGEST_BYTES:
        raise ImportFailedError(
            path.name, f"is larger than {LARGEST_BYTES // 2**20} MB. Save a smaller copy of the bill"
        )
    return _draft(read_bill("\n".join(pdf_pages(path.read_bytes(), path.name))))


def _draft(read: BillDraft) -> InvoiceDraft:
    missing = [_MISSING[name] for name in read.missing]
    named = [Note("draft_fields_missing", fields=", ".join(missing))] if missing else []
    if _OF_EVERY_BILL.isdisjoint(_MISSING.keys() - set(read.missing)):
        named = [Note("draft_no_bill")]
    return InvoiceDraft(
        fuel=read.fuel,
        from_=read.first,
        to=read.last,
        billed=read.billed,
        retailer=read.retailer,
        issue_date=read.issued,
        due_date=read.due,
        payments=read.payments,
        balance_brought_forward=read.carried,
        concession=read.concession,
        energy=tuple(InvoiceEnergy(each.name, float(each.quantity), each.unit) for each in read.registers),
        invoice_number=read.number,
        plan_name=read.plan,
        service_point_id=read.meter,
        postcode=read.postcode,
        estimated=read.estimated,
        lines=(
            *(
                InvoiceLine(
                    component=charge.component,
                    name=charge.words,
                    quantity=charge.quantity,
                    unit=charge.unit or "",
                    unit_price=charge.price,
                    amount=charge.amount,
                )
                for charge in read.charges
            ),
            *(InvoiceLine(component=None, name=each.words, amount=each.amount) for each in read.named_amounts),
        ),
        notes=(Note("draft_to_check"), *named, *(_DOUBTS[doubt] for doubt in read.doubts)),
    )


def completed(typed: InvoiceForm, draft: InvoiceDraft) -> InvoiceForm:
    """Return what was typed, with the draft's value in each field that was not."""
    read = InvoiceForm(
        fuel=draft.fuel,
        from_=draft.from_,
        to=draft.to,
        billed=draft.billed,
        retailer=draft.retailer,
        number=draft.invoice_number,
        plan_name=draft.plan_name,
        issue_date=draft.issue_date,
        due_date=draft.due_date,
        payments=draft.payments,
        balance_brought_forward=draft.balance_brought_forward,
        concession=draft.concession,
        energy=[f"{entry.register}={entry.quantity:.10g}" for entry in draft.energy],
        estimated=draft.estimated,
        lines=draft.lines or None,
        service_point=draft.service_point_id,
        source="pdf",
    )
    given = {name: value for name, value in asdict(typed).items() if value is not None}
    return replace(read, **{**given, "source": "pdf"})
