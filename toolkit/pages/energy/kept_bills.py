"""Bills kept by hand: the form to add one, the list of all, and how one is corrected or removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from toolkit.answers.base import Note
from toolkit.answers.energy.bills import Fuel
from toolkit.answers.energy.invoice_list import Invoice, InvoiceDraft, InvoiceEnergy, Invoices
from toolkit.answers.energy.invoices import BankPayment
from toolkit.charts import style
from toolkit.errors import NothingStoredError, StoreError
from toolkit.flows.household.context import Context
from toolkit.flows.invoices.edit import (
    add_invoice,
    doubt_of,
    edit_invoice,
    list_invoices,
    refused_by_store,
    remove_invoice,
    stored_bill,
)
from toolkit.flows.invoices.form import InvoiceForm, wrong_fields
from toolkit.flows.invoices.payments import retailer_payments
from toolkit.flows.invoices.to_pay import bills_to_pay, notes_on_past_bills
from toolkit.flows.money.overrides import latest_decision, undo
from toolkit.flows.plans.my_plan import my_plans
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, refused_below, show_refusals
from toolkit.pages.text import plain, sentence
from toolkit.pages.widgets import Period

FUELS: dict[Fuel, str] = {"ELECTRICITY": "Electricity", "GAS": "Gas"}
SOURCES = {"service": "Retailer", "typed": "Typed", "pdf": "PDF"}
ORDER = ("general", "peak", "shoulder", "off peak", "controlled load")
SOLD = ("solar", "export", "feed in")
"""Registers of energy sold, as services and bills name them."""
REGISTERS = {"general": "Energy used", "controlled load": "Controlled load", "solar": "Solar exported"}
"""Meter registers that the form of an electricity bill always has a field for, as people know them."""
UNITS: dict[Fuel, str] = {"ELECTRICITY": "kWh", "GAS": "MJ"}
ADDED, DONE, SHOWN = "bills-added", "bills-done", "bill-shown-"
MISSING = {
    "--fuel": "Choose the fuel.",
    "--from": "Enter the first day, as printed on the bill.",
    "--to": "Enter the last day, as printed on the bill.",
    "--billed": "Enter the amount, as printed on the bill.",
}
"""What stands below a field that is needed and empty, by the option of the flow."""
OF_THIS_HOME = "It is a bill of this home"
PAID_ELSEWHERE = "For a bill paid in cash or from an account that is not here. It is then no longer counted as due."
READS = {None: "Not known", False: "Actual", True: "Estimated"}


class _Sent(NamedTuple):
    """A form as it was sent. below: places below its fields, by the option of the flow, for what is wrong with them."""

    form: InvoiceForm
    below: Mapping[str, DeltaGenerator]


def render(ctx: Context) -> None:
    """Show the list of bills and the forms to add, correct and remove one."""
    with explained():
        answer = _bills(ctx)
        bills = answer.invoices
        widgets.confirm(DONE)
        for note in ask(notes_on_past_bills, ctx) if bills else ():
            st.warning(sentence(note))
        _offer_as_paid(ctx, bills)
        for note in answer.notes:
            st.info(sentence(note))
        if bills:
            _listed(bills)
        else:
            st.write("Type your bills here, or drop their PDFs on the Data page. Each one is checked and remembered.")
        with st.expander("Add a bill", expanded=not bills):
            number = st.session_state.setdefault(ADDED, 0)  # a new key empties the fields once a bill is kept
            payment = _chosen_payment(ctx, number)
            draft = InvoiceDraft(
                fuel=_only_fuel(ctx),
                billed=-payment.amount if payment else None,
                retailer=payment.description if payment else None,
            )
            saved = add(ctx, draft, key=f"new-bill-{number}" + (f"-{payment.transaction_id}" if payment else ""))
            if saved:
                st.session_state[ADDED] = number + 1
                _finish(saved)
        if own := [bill for bill in bills if bill.source != "service"]:
            with st.expander("Correct or remove a bill"):
                _correct(ctx, own)


def _offer_as_paid(ctx: Context, bills: Sequence[Invoice]) -> None:
    """Let a person say of each kept bill that the accounts show no payment of that it is paid."""
    by_id = {bill.id: bill for bill in bills if bill.source != "service"}
    for open_bill in ask(bills_to_pay, ctx) if bills else ():
        bill = by_id.get(open_bill.id or "")
        if bill is None:
            continue
        words = f"I have paid the bill of {style.aud(open_bill.amount)} due on {style.day(open_bill.due)}"
        if st.button(plain(words), key=f"paid-{bill.id}", help=PAID_ELSEWHERE):
            with explained():
                edit_invoice(ctx, bill.id, InvoiceForm(paid=True), shown=bill)
                _finish(f"The bill of {_days(bill)} is marked as paid.")


def _only_fuel(ctx: Context) -> Fuel | None:
    """Return the fuel of the home's meters and bills, where it is one."""
    try:
        fuels = list(ask(my_plans, ctx))
    except StoreError:
        return None
    return fuels[0] if len(fuels) == 1 else None


def add(ctx: Context, start: InvoiceDraft, *, key: str, source: str = "typed") -> str | None:
    """Show the form of a new bill, filled with what is known; return a sentence once it is sent and kept."""
    sent = _fields(ctx, start, key=key, button="Save this bill", source=source)
    saved = None
    if sent is not None:
        with refused_below(sent.below):
            kept = add_invoice(ctx, sent.form)
            bill = next(each for each in kept.invoices if each.id == kept.changed)
            saved = f"The bill of {_days(bill)} is saved."
    return saved


def any_kept(ctx: Context) -> bool:
    """Return whether any bill is stored."""
    return bool(_bills(ctx).invoices)


def already_stored(ctx: Context, read: InvoiceDraft) -> str | None:
    """Say that a bill that was read is stored already; None where it is not."""
    stored = stored_bill(ctx, read)
    if stored is None:
        return None
    said = f"already stored: the bill of {_days(stored)}"
    if read.billed is None or stored.billed is None or read.billed == stored.billed:
        return f"{said}."
    return (
        f"{said}. It is stored with {style.aud(stored.billed)}; this file says {style.aud(read.billed)}. You can "
        "correct it on Energy bills."
    )


def _bills(ctx: Context) -> Invoices:
    try:
        return ask(list_invoices, ctx)
    except NothingStoredError:
        return Invoices(invoices=())
    except StoreError:
        if ctx.db.exists():
            raise
        return Invoices(invoices=())


def _listed(bills: Sequence[Invoice]) -> None:
    rows = [
        {
            "fuel": FUELS[bill.fuel] if bill.fuel else None,
            "from": bill.from_,
            "to": bill.to,
            "billed": bill.billed,
            "due": bill.due_date,
            "energy": ", ".join(map(_quantity, sorted(bill.energy, key=_place))),
            "retailer": bill.retailer,
            "source": SOURCES[bill.source],
        }
        for bill in reversed(bills)
    ]
    columns = {
        "fuel": widgets.words("Fuel"),
        "from": widgets.day("From"),
        "to": widgets.day("To"),
        "billed": widgets.money("Amount"),
        "due": widgets.day("Due"),
        "energy": widgets.words("Energy"),
        "retailer": widgets.words("Retailer"),
        "source": widgets.words("From where"),
    }
    widgets.table(rows, columns, name="bills")


def _place(entry: InvoiceEnergy) -> int:
    """Return the place of a register in the list; what is sold comes after what is bought."""
    name = entry.register.replace("_", " ").lower()
    return ORDER.index(name) if name in ORDER else len(ORDER) + (name in SOLD)


def _quantity(entry: InvoiceEnergy) -> str:
    """Word the energy of a register; the service writes names as codes: `controlled_load`, `off_peak`."""
    name = "" if entry.register == "general" else f"{entry.register.replace('_', ' ').capitalize()} "
    return f"{name}{style.kwh(entry.quantity, entry.unit)}"


def _days(bill: Invoice) -> str:
    return str(Period(bill.from_, bill.to)) if bill.from_ and bill.to else "unknown days"


def _chosen_payment(ctx: Context, number: int) -> BankPayment | None:
    """Let a person choose a payment to a retailer that fills amount and name; None where there is none."""
    try:
        paid = ask(retailer_payments, ctx)
    except StoreError:
        return None
    if not paid:
        return None
    names = widgets.distinct(dict(enumerate(["Type the amount", *map(_paid, paid)])))
    chosen = st.selectbox(
        "Take the amount from a payment",
        list(names),
        format_func=names.__getitem__,
        key=f"paid-{number}",
        help="Payments to retailers in your bank transactions.",
    )
    return paid[chosen - 1] if chosen else None


def _paid(payment: BankPayment) -> str:
    return f"{style.aud(-payment.amount)} paid on {style.day(payment.date)} to {payment.description or 'a retailer'}"


def _correct(ctx: Context, own: Sequence[Invoice]) -> None:
    newest_first = own[::-1]
    words = [f"{FUELS[bill.fuel or 'ELECTRICITY']}, {_days(bill)}, ${bill.billed}" for bill in newest_first]
    names = widgets.distinct(dict(enumerate(words)))
    chosen = st.selectbox("Bill", list(names), format_func=names.__getitem__, key="bill-to-correct")
    bill = newest_first[chosen or 0]
    shown = widgets.shown_by_form(bill, key=SHOWN + bill.id, field=f"{bill.id}-billed")
    sent = _fields(ctx, bill, key=bill.id, button="Save the changes")
    with refused_below(sent.below if sent else {}):
        if sent is not None:
            del st.session_state[SHOWN + bill.id]  # what differs is shown once
            edit_invoice(ctx, bill.id, sent.form, shown=shown)
            _finish(f"The bill of {_days(bill)} is changed.")
        left, right = st.columns([1, 3])
        if left.button("Remove this bill", key=f"remove-{bill.id}"):
            remove_invoice(ctx, bill.id, shown=shown)
            _finish(f"The bill of {_days(bill)} is removed.")
        latest = widgets.last_drawn(ask(latest_decision, ctx), key=f"bills-latest-{ctx.household}")
        if right.button("Undo the last change", key="undo-bill", help="Takes back your last change, whatever it was."):
            undo(ctx, shown=latest)
            _finish("The last change is undone.")


def _finish(message: str) -> None:
    st.session_state[DONE] = plain(message)
    st.rerun()


def _fields(
    ctx: Context, start: Invoice | InvoiceDraft, *, key: str, button: str, source: str = "typed"
) -> _Sent | None:
    """Show the fields of a bill and return them once they are sent; None before, and where a field is refused."""
    fuels = list(FUELS)
    unknown = None if source == "pdf" else 0  # a person chooses what a file does not show
    fuel = st.radio(  # outside the form, as the fields depend on it
        "Fuel",
        fuels,
        fuels.index(start.fuel) if start.fuel else unknown,
        format_func=FUELS.__getitem__,
        horizontal=True,
        key=f"{key}-fuel",
    )
    below_fuel = st.container()
    with st.form(f"form-{key}", border=False):
        needed = _needed_fields(start, fuel, key, source)
        with st.expander("More from the bill (optional)", expanded=source == "pdf"):  # what was read is to be seen
            sent = _optional_fields(needed, start, key)
        is_sure = _is_of_this_home(ctx, start, fuel, key)
        below_sure = st.container()
        if not st.form_submit_button(button, type="primary"):
            return None
    form, below = sent.form, {**sent.below, "--fuel": below_fuel}
    wanted = {"--fuel": form.fuel, "--from": form.from_, "--to": form.to, "--billed": str(form.billed).strip()}
    for option in (missing := [option for option, value in wanted.items() if not value]):
        below[option].warning(MISSING[option])
    wrong = wrong_fields(form, ctx.today)
    for field, error in wrong.items():
        show_refusals([error], {error.option: below[field]})
    named = replace(form, service_point=form.service_point or start.service_point_id)
    bill = "" if isinstance(start, InvoiceDraft) else start.id
    show_refusals(beside := refused_by_store(ctx, named, bill=bill), below)
    if not is_sure:
        below_sure.warning(f"Nothing is saved. Tick “{OF_THIS_HOME}” if the bill is of this home.")
    if missing or wrong or beside or not is_sure:
        widgets.say_refused()
        return None
    return _Sent(form, below)


def _is_of_this_home(ctx: Context, start: Invoice | InvoiceDraft, fuel: Fuel | None, key: str) -> bool:
    """Ask whether a bill belongs here which another household has, or whose meter this one does not have."""
    meter = st.session_state.get(f"{key}-service-point", start.service_point_id) or ""
    number = st.session_state.get(f"{key}-number", start.invoice_number) or ""
    doubt = doubt_of(ctx, number=number, meter=meter, fuel=fuel)
    if doubt is None:
        return True
    st.warning(sentence(Note(doubt)))
    return st.checkbox(OF_THIS_HOME, key=f"{key}-of-this-home")


def _needed_fields(start: Invoice | InvoiceDraft, fuel: Fuel | None, key: str, source: str) -> _Sent:
    left, middle, right = st.columns(3)
    first = widgets.day_field(left, "First day", start.from_, key=f"{key}-first")
    last = widgets.day_field(middle, "Last day", start.to, key=f"{key}-last")
    billed = right.text_input(
        "Amount, $",
        _amount(start.billed),
        placeholder="148.96",
        help="New charges including GST, without what was owed before. A credit has a minus.",
        key=f"{key}-billed",
    )
    below = {"--from": left.container(), "--to": middle.container(), "--billed": right.container()}
    # Columns of their own: the keyboard goes down a column, so that "Energy used" came between the two days.
    energy, below_energy = _energy_fields(start, fuel, st.columns(3), key)
    below |= {"--energy": st.container(), **below_energy}
    form = InvoiceForm(fuel=fuel, from_=first, to=last, billed=billed, energy=energy, source=source)
    is_as_read = isinstance(start, InvoiceDraft) and fuel == start.fuel
    return _Sent(replace(form, lines=start.lines or None) if is_as_read else form, below)


def _optional_fields(needed: _Sent, start: Invoice | InvoiceDraft, key: str) -> _Sent:
    left, middle, right = st.columns(3)
    below: dict[str, DeltaGenerator] = {}

    def field(column: DeltaGenerator, option: str, label: str, stored: object, help_: str | None = None) -> str:
        text = column.text_input(label, _amount(stored), help=help_, key=f"{key}-{option.removeprefix('--')}")
        below[option] = column.container()
        return text

    def day(option: str, label: str, stored: date | None) -> date | None:
        chosen = widgets.day_field(middle, label, stored, key=f"{key}-{option.removeprefix('--')}")
        below[option] = middle.container()
        return chosen

    form = replace(
        needed.form,
        retailer=field(left, "--retailer", "Retailer", start.retailer),
        number=field(left, "--number", "Bill number", start.invoice_number),
        plan_name=field(left, "--plan-name", "Plan", start.plan_name),
        issue_date=day("--issued", "Issued", start.issue_date),
        due_date=day("--due", "Due", start.due_date),
        balance_brought_forward=field(
            *(right, "--balance", "Previous balance, $", start.balance_brought_forward),
            "Owed from earlier bills, before your payments; a credit has a minus.",
        ),
        payments=field(right, "--payments", "Payments received, $", start.payments),
        concession=field(right, "--concession", "Concession, $", start.concession, "Already taken off the amount."),
        service_point=field(middle, "--service-point", "Meter number (NMI or MIRN)", start.service_point_id) or None,
        estimated=left.radio(
            "Meter read",
            list(READS),
            list(READS).index(start.estimated),
            format_func=READS.__getitem__,
            horizontal=True,
            key=f"{key}-read",
        ),
    )
    if isinstance(start, Invoice):
        is_paid = right.checkbox("Paid", bool(start.paid), help=PAID_ELSEWHERE, key=f"{key}-paid")
        form = replace(form, paid=is_paid if is_paid != bool(start.paid) else None)
    return _Sent(form, {**needed.below, **below})


def _energy_fields(
    start: Invoice | InvoiceDraft, fuel: Fuel | None, columns: Sequence[DeltaGenerator], key: str
) -> tuple[list[str], dict[str, DeltaGenerator]]:
    """Show a field for each register that the fuel's meters have.

    Return those that are filled, as the form does, and what stands below each, as `wrong_fields` names it.
    """
    known = {entry.register: f"{entry.quantity:.10g}" for entry in start.energy}
    usual = ["general"] if fuel == "GAS" else list(REGISTERS)
    unit = UNITS[fuel] if fuel else "kWh (gas: MJ)"
    typed, below = [], {}
    for number, register in enumerate([*known, *(name for name in usual if name not in known)]):
        column = columns[number % len(columns)]
        if (name := REGISTERS.get(register)) is None:  # of a bill: shown above, as the label of a field is also spoken
            column.caption(plain(register.capitalize()))
        label = f"{name or f'Energy {number + 1}'}, {unit}"
        quantity = column.text_input(label, known.get(register, ""), key=f"{key}-{register}")
        below[f"energy {register}"] = column.container()
        if quantity.strip():
            typed.append(f"{register}={quantity}")
    return typed, below


def _amount(amount: object) -> str:
    return "" if amount is None else str(amount)
