"""My bill is too high: why, what to look at on it, and what to say on the phone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from toolkit.answers.energy.bills import PART_LABELS, Fuel
from toolkit.answers.energy.high_bill import BillInShort, HighBill
from toolkit.answers.energy.plans import ComparedPlan
from toolkit.charts import bills as charts
from toolkit.charts import style
from toolkit.errors import StoreError
from toolkit.flows.energy.high_bill import (
    CHECKS,
    NO_CHECKS,
    STATES,
    HighBillQuestion,
    cheaper_plan,
    even_payment,
    figures_of,
    high_bill,
    high_bill_page,
    what_to_say,
)
from toolkit.flows.energy.usage import usage as run_usage
from toolkit.flows.household.context import Context
from toolkit.flows.invoices.edit import list_invoices
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, holdings
from toolkit.pages.energy import meters, published_plans
from toolkit.pages.energy.kept_bills import FUELS
from toolkit.pages.text import message, plain, sentence
from toolkit.pages.widgets import Metric, Period

BUTTON = "My bill is too high"
NOTHING = (
    "Type two bills under “Your bills”, or drop their PDFs on the Data page. With your meter data and your plan, each "
    "reason is worked out to the cent."
)
AGAINST = {"The bill before": "previous", "The same time last year": "last-year"}
LATEST = "The last complete bill"


def render(ctx: Context) -> None:
    """Show why a bill differs from an earlier one, its checks, and what to do."""
    mine, fuel = _meter(ctx)
    with explained():
        own = dict.fromkeys(days for of, days in _kept(mine) if of == fuel and days.last < mine.today)
        bills = sorted(own, key=lambda days: days.last, reverse=True)
        if not holdings(ctx).meter and len(bills) < 2:
            widgets.empty("No bill can be explained yet", NOTHING)
            return
        question = _question(bills, fuel)
        answer = ask(high_bill, mine, question)
        st.markdown(" ".join(map(sentence, answer.sentences)))
        widgets.metrics(
            [Metric(name, style.aud(amount), note=_in_short(bill)) for name, amount, bill in figures_of(answer)]
        )
        tabs = ["Why", "Check the bill", "What to say and do"]
        why, checks, call = widgets.tabs(tabs, key="high-bill-tab")
        with why:
            widgets.chart(charts.difference(answer, look=widgets.look()), key="why")
            _parts(answer)
            widgets.notes(answer.notes)
        with checks:
            _checks(answer)
        with call:
            _call(mine, answer, question)


def _meter(ctx: Context) -> tuple[Context, Fuel]:
    """The meter that is looked at and its fuel; without meter data the fuel of the bills."""
    if holdings(ctx).meter:
        point = meters.service_point(ctx, ask(run_usage, ctx))
        if point is not None:
            return meters.at_meter(ctx, point), "GAS" if point.energy_unit == "MJ" else "ELECTRICITY"
    fuels = list(dict.fromkeys(fuel for fuel, _ in _kept(ctx)))
    if len(fuels) < 2:
        return ctx, fuels[0] if fuels else "ELECTRICITY"
    return ctx, st.radio("Fuel", fuels, format_func=FUELS.__getitem__, horizontal=True, key="high-bill-fuel")


def _kept(ctx: Context) -> list[tuple[Fuel, Period]]:
    try:
        kept = ask(list_invoices, ctx).invoices
    except StoreError:
        return []
    mine = ctx.service_point
    return [
        (bill.fuel or "ELECTRICITY", Period(bill.from_, bill.to))
        for bill in kept
        if bill.from_ and bill.to and (mine is None or bill.service_point_id in (None, mine))
    ]


def _question(bills: Sequence[Period], fuel: Fuel) -> HighBillQuestion:
    left, right = st.columns(2)
    if bills:
        number = left.selectbox("Bill", range(len(bills)), format_func=lambda n: str(bills[n]), key="high-bill") or 0
        question = HighBillQuestion(bills[number].first, bills[number].last, fuel=fuel)
    else:
        left.selectbox("Bill", [LATEST], key="high-bill")
        question = HighBillQuestion(fuel=fuel)
    chosen = right.selectbox("Compared with", list(AGAINST), key="high-bill-against")
    return replace(question, against="last-year" if AGAINST[chosen] == "last-year" else "previous")


def _in_short(bill: BillInShort) -> str:
    return str(Period(bill.from_, bill.to))


def _parts(answer: HighBill) -> None:
    rows: list[widgets.Row] = [{"part": PART_LABELS[part.name], "amount": part.amount} for part in answer.parts]
    columns = {"part": widgets.words("Why"), "amount": widgets.money("Amount", "Less than zero lowers the bill.")}
    with st.expander("The figures"):
        widgets.table(rows, columns, name="why-the-bill-differs")
        for bill in (answer.before, answer.now):
            used = "" if bill.energy is None else f", {style.kwh(bill.energy / bill.days, answer.unit)} a day"
            st.caption(plain(f"{Period(bill.from_, bill.to)}: {bill.days} days, {style.aud(bill.total)}{used}."))


def _checks(answer: HighBill) -> None:
    if not answer.checks:
        st.info(NO_CHECKS)
        return
    for check in answer.checks:
        left, right = st.columns([1, 3])
        left.markdown(f"**{plain(CHECKS[check.name])}** {plain(STATES[check.state])}")
        right.markdown(sentence(check.text))


def _call(ctx: Context, answer: HighBill, question: HighBillQuestion) -> None:
    is_final = published_plans.reading(ctx) is None
    published_plans.say_unfinished(ctx)
    cheaper = ask(cheaper_plan, ctx) if is_final and holdings(ctx).plans else None
    for number, note in enumerate(what_to_say(answer, cheaper, ask(even_payment, ctx)), 1):
        st.markdown(f"{number}. {sentence(note)}")
    if cheaper is not None:
        _conditions(cheaper.plan)
    st.download_button(
        "Page to print",
        lambda: high_bill_page(ctx, question, names_plan=is_final),
        "my-bill-is-too-high.html",
        "text/html",
        key="high-bill-page",
        on_click="ignore",
        icon=":material/print:",
    )


def _conditions(plan: ComparedPlan) -> None:
    """What to know about the cheaper plan before switching."""
    facts = [f"Exit fee {style.aud(plan.exit_fee)}"] if plan.exit_fee else []
    if plan.saving_range is not None:
        low, high = style.aud(plan.saving_range.low), style.aud(plan.saving_range.high)
        facts.append(f"earlier years: {low} less" if low == high else f"earlier years: {low} to {high} less")
    if plan.as_of is not None:
        facts.append(f"prices as of {style.day(plan.as_of)}")
    facts += [message(condition) for condition in plan.conditions]
    if facts:
        st.caption(plain(f"{plan.name or plan.plan_id}: {'; '.join(facts)}."))
