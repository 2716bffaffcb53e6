"""Are the bills right? Stored invoices, or a paper bill, compared with the meter data and the plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation

import polars as pl
import streamlit as st
from msgspec.structs import replace
from streamlit.delta_generator import DeltaGenerator

from toolkit.answers.base import Note, frame_of
from toolkit.answers.energy.bills import Fuel
from toolkit.answers.energy.invoice_list import InvoiceDraft
from toolkit.answers.energy.invoices import CheckedInvoice, LinkedPayment, PlanSwitch, Reconciliation, Verdict
from toolkit.answers.wording.charges import charge_name
from toolkit.charts import style
from toolkit.charts.bills import COMPONENTS, component_label
from toolkit.errors import NothingStoredError
from toolkit.flows.energy.reconcile import reconcile
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import meter_labels
from toolkit.flows.invoices.prices import ComparedPrice, compared_prices
from toolkit.flows.wording import counted
from toolkit.pages import plan_problems, widgets
from toolkit.pages.answers import ask, explained
from toolkit.pages.energy import billed_prices, kept_bills, my_plan
from toolkit.pages.importing.controlled_load import ask_about_channels
from toolkit.pages.text import message, plain, sentence
from toolkit.pages.widgets import Metric, Period

VERDICTS: dict[Verdict, str] = {
    "agrees": "Correct",
    "differs": "Different",
    "cannot check": "Cannot be checked",
}
PRICES_CORRECT = "Prices correct"
"""Of a bill that cannot be checked as reads are missing, but whose prices are right for the energy that it states."""
URGENCY: tuple[Verdict, ...] = ("agrees", "cannot check", "differs")
"""Of the bills of greatest urgency the newest is shown first."""

NO_INVOICES = "No bills from your retailer are stored. Connect your energy account, or type a paper bill below."
NO_PERIODS = (
    "None of the stored bills shows which days it covers, so none can be checked. Type its days and amount below."
)


NO_LINES = (
    "The lines of this bill are not stored. Hold the paper beside this table: the difference is a line that is not "
    "here, or that has another amount."
)
CHECKED = ("Bills checked", "bills-checked")
"""Heading and anchor of the list of checked bills."""
PAPER_FIELDS = ("paper-first", "paper-last", "paper-amount")
KEPT = "paper-kept"
KEEP = (
    "Keep this bill? It is then checked again whenever prices or meter data come in. Add any other details on the bill."
)


def render(ctx: Context, stored: Period, fuel: Fuel, *, is_open: bool) -> None:
    """Show the home's bills, whichever meter they are for; one from paper is of the meter of `ctx`, read in `stored`.

    is_open: whether the tab is; the stored bills are checked only then.
    """
    if kept := st.session_state.pop(KEPT, None):
        widgets.say_done(plain(kept))
    if is_open:
        with explained():
            ask_about_channels(ctx)
            _stored(replace(ctx, service_point=None))
    with st.expander("Check a paper bill"), explained():
        _typed(ctx, stored, fuel)


def _stored(ctx: Context) -> None:
    try:
        answer = ask(reconcile, ctx)
    except NothingStoredError as error:
        if error.missing != "invoice":
            raise
        st.info(NO_INVOICES)
        return
    if answer.invoices:
        _judged(ctx, answer)
    else:
        st.info(NO_PERIODS)
    plan_problems.show(ctx, answer.problems, key="reconcile")


def _judged(ctx: Context, answer: Reconciliation) -> None:
    meters = ask(meter_labels, ctx)
    prices = sum(invoice.prices_agree for invoice in answer.invoices)
    what = "For the energy that the bill states. Reads are missing, so that energy cannot be checked."
    right = [Metric(PRICES_CORRECT, f"{prices}", what, place=CHECKED)] if prices else []
    widgets.metrics(
        [
            Metric("Correct", f"{answer.agrees}", "Our figure is within a few cents of the bill.", place=CHECKED),
            Metric("Differ", f"{answer.differs}", "The reasons are shown with each bill.", place=CHECKED),
            *right,
            Metric(
                "Cannot be checked", f"{answer.cannot_check - prices}", "What is missing is shown below.", place=CHECKED
            ),
            *_switched(answer.switches, meters),
        ]
    )
    my_plan.confirm()
    if answer.cannot_check:
        my_plan.ask_since(ctx)
    my_plan.earlier(ctx)
    newest_first = answer.invoices[::-1]
    st.subheader(CHECKED[0], anchor=CHECKED[1])
    compared = [
        ask(compared_prices, ctx, invoice.id) if invoice.id and invoice.verdict != "agrees" else ()
        for invoice in newest_first
    ]
    _listed(newest_first, meters, compared)
    words = [f"{invoice.invoice_number or 'Bill'}, {Period(invoice.from_, invoice.to)}" for invoice in newest_first]
    names = widgets.distinct(dict(enumerate(words)))
    first = max(names, key=lambda number: URGENCY.index(newest_first[number].verdict))
    chosen = st.selectbox("Compare line by line", list(names), first, format_func=names.__getitem__, key="invoice")
    invoice = newest_first[chosen or 0]
    stated = [account.sentence for account in answer.accounts if account.account_id == invoice.account_id]
    _line_by_line(invoice, [*stated, *invoice.notes], name="invoice-lines", prices=compared[chosen or 0])


def _switched(switches: Sequence[PlanSwitch], meters: Mapping[str, str]) -> Iterator[Metric]:
    """Yield what the last change of plan at each meter saved or cost, and what it does on last year's use.

    meters: their names, said where several changed plans.
    """
    for switch in switches:
        point = switch.service_point_id
        of_meter = f": {meters.get(point, point)}" if len(switches) > 1 else ""
        since = f"{counted(switch.bills, 'bill')} since {style.day(switch.on)}"
        label = "Saved since you switched" if switch.saved >= 0 else "Extra cost since you switched"
        what = "What the old plan would have charged, beside what was billed."
        yield Metric(f"{label}{of_meter}", style.aud(abs(switch.saved)), what, since, place=CHECKED)
        if switch.year_before is not None:
            label = "Expected saving" if switch.year_before >= 0 else "Expected extra cost"
            what = "What the switch changes on the same days a year before, as a comparison then would have shown."
            yield Metric(f"{label}{of_meter}", style.aud(abs(switch.year_before)), what, f"{switch.days} days")


def _listed(
    invoices: Sequence[CheckedInvoice], meters: Mapping[str, str], compared: Sequence[Sequence[ComparedPrice]]
) -> None:
    """List the bills. compared: the prices of each beside the plan's."""
    rows = [
        {
            "verdict": _verdict(invoice),
            "invoice_number": invoice.invoice_number,
            "meter": ", ".join(meters.get(point, point) for point in invoice.service_points) or "Not known",
            "from": invoice.from_,
            "to": invoice.to,
            "billed": invoice.billed,
            "recomputed": invoice.recomputed,
            "difference": invoice.difference,
            "why": " ".join(
                [
                    *billed_prices.sentences(prices),
                    *(message(reason) for reason in billed_prices.reasons(invoice, prices)),
                ]
            ),
            "paid": _paid(invoice),
            "old_plan": invoice.old_plan.total if invoice.old_plan else None,
        }
        for invoice, prices in zip(invoices, compared, strict=True)
    ]
    columns = {
        "from": widgets.day("From"),
        "to": widgets.day("To"),
        "verdict": widgets.words("Verdict"),
        "billed": widgets.money("Billed"),
        "recomputed": widgets.money("Our figure"),
        "difference": widgets.money("Difference", "Billed less our figure."),
        "why": widgets.words("Why"),
        "paid": widgets.words("Paid"),
        **({"old_plan": widgets.money("On the old plan")} if any(row["old_plan"] for row in rows) else {}),
        "invoice_number": widgets.words("Bill"),
        **({"meter": widgets.words("Meter")} if len({row["meter"] for row in rows}) > 1 else {}),
    }
    widgets.table(rows, columns, name="invoices")


def _verdict(invoice: CheckedInvoice) -> str:
    return PRICES_CORRECT if invoice.prices_agree else VERDICTS[invoice.verdict]


def _paid(invoice: CheckedInvoice) -> str | None:
    """The bank payment that settled it, else what the retailer reports."""
    if isinstance(invoice.payment, LinkedPayment):
        return f"{style.day(invoice.payment.date)}, by bank"
    return style.words(invoice.payment_status) if invoice.payment_status else None


def _line_by_line(
    invoice: CheckedInvoice, notes: Sequence[Note | str], *, name: str, prices: Sequence[ComparedPrice] = ()
) -> None:
    """Show verdict, reasons, prices and lines of one invoice, and how they were worked out."""
    sums = (("billed", invoice.billed), ("our figure", invoice.recomputed))
    amounts = [f"{word} {style.aud(amount)}" for word, amount in sums if amount is not None]
    verdict = ": ".join(filter(None, [_verdict(invoice), ", ".join(amounts)]))
    is_right = invoice.verdict == "agrees" or invoice.prices_agree
    (st.success if is_right else st.info)(plain(f"{verdict}."))
    for reason in billed_prices.reasons(invoice, prices):
        st.write(f"- {sentence(reason)}")
    billed_prices.show(prices, is_right=is_right)
    columns = {
        "part": widgets.words("Part"),
        "billed": widgets.money("Billed"),
        "recomputed": widgets.money("Our figure"),
        "difference": widgets.money("Difference"),
        "label": widgets.words("Name on the plan"),
        "described": widgets.words("On the bill"),
        "billed_quantity": widgets.number("Billed quantity", "%,.2f"),
        "quantity": widgets.number("Our quantity", "%,.2f"),
        "unit": widgets.words("Unit"),
    }
    if invoice.lines:
        lines = frame_of(invoice.lines).with_columns(
            # what a bill states only as a total is described by its component
            described=pl.col("described").cast(pl.String).replace(COMPONENTS),
            part=pl.Series([component_label(line.component) for line in invoice.lines], dtype=pl.String),
            label=pl.Series([line.label and charge_name(line.label) for line in invoice.lines], dtype=pl.String),
        )
        widgets.table(lines, columns, name=name)
        is_without_lines = not prices and all(line.billed is None for line in invoice.lines)
        if not is_right and invoice.billed is not None and is_without_lines:
            st.caption(NO_LINES)
    widgets.notes(notes)


def _typed(ctx: Context, stored: Period, fuel: Fuel) -> None:
    """Check a bill by its days and amount, and offer to keep it."""
    st.write("Enter the first day, the last day and the amount including GST, as printed on the bill.")
    with st.form("paper-bill", border=False):
        left, middle, right = st.columns(3)
        first = left.date_input("First day", None, min_value=stored.first, format="DD/MM/YYYY", key="paper-first")
        last = middle.date_input("Last day", None, min_value=stored.first, format="DD/MM/YYYY", key="paper-last")
        billed = right.text_input("Amount, $", placeholder="148.96", key="paper-amount")
        below = {"--from": left.container(), "--to": middle.container(), "--billed": right.container()}
        is_sent = st.form_submit_button("Check")
    typed = {"--from": first, "--to": last, "--billed": billed.strip()}
    for option in (option for option, value in typed.items() if is_sent and not value):
        below[option].warning(kept_bills.MISSING[option])
    amount = _amount(billed, below["--billed"])
    if first and last and first > last:
        below["--to"].warning("The last day is before the first day.")
    elif first and last and amount is not None:
        answer = ask(reconcile, ctx, from_=first, to=last, billed=amount)
        _line_by_line(answer.invoices[0], answer.invoices[0].notes, name="paper-bill-lines")
        widgets.problems(answer.problems, key="paper-bill")
        st.write(KEEP)
        draft = InvoiceDraft(fuel=fuel, from_=first, to=last, billed=amount)
        if saved := kept_bills.add(ctx, draft, key=f"paper-{fuel}-{first}-{last}-{amount}"):
            for field in PAPER_FIELDS:
                st.session_state.pop(field, None)
            st.session_state[KEPT] = saved
            st.rerun()


def _amount(typed: str, below: DeltaGenerator) -> Decimal | None:
    """Return the typed amount in dollars; where it is not an amount, show a message below it and return None."""
    text = typed.replace("$", "").replace(",", "").strip()
    if not text:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if amount.is_finite():
        return amount
    below.warning(plain(f"{typed} is not an amount. Enter dollars and cents, for example 148.96."))
    return None
