"""The report to hand over: choose what it holds, add what the person stated, and download it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from toolkit.answers.base import Period
from toolkit.answers.households import Household
from toolkit.answers.report.income_expenses import AsToldLine, ExpenseSection, StatedKind, StatedPer, StatementPer
from toolkit.charts.statement import SECTION_NAMES
from toolkit.charts.style import aud
from toolkit.flows.household.context import UNNAMED, Context
from toolkit.flows.household.listed import homes
from toolkit.flows.report.income_expenses import PER, income_expenses
from toolkit.flows.report.material import span
from toolkit.flows.report.money import without_category
from toolkit.flows.report.stated_lines import (
    StatedLine,
    add_stated_line,
    list_stated_lines,
    remove_stated_line,
    wrong_fields,
)
from toolkit.flows.report.usual import usual_per, usual_spans
from toolkit.flows.report.write import (
    MAKERS,
    MOST_WORDS,
    TITLE,
    MadeReport,
    ReportQuestion,
    make_report,
    usual_sections,
)
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, holdings, refused_below, show_refusals
from toolkit.pages.data import YOUR_HOME
from toolkit.pages.energy import published_plans
from toolkit.pages.energy.bills import WHICH_PLAN
from toolkit.pages.importing.upload import file_name
from toolkit.pages.money import to_review
from toolkit.pages.money.spending import TO_REVIEW
from toolkit.pages.text import plain

KINDS = {"income": "Income", "expense": "Expense", "debt": "Debt", "people": "People in the home"}
EXAMPLES = {
    "income": "Cash work",
    "expense": "School fees",
    "debt": "Loan from a friend",
    "people": "Two adults, a child",
}
SPAN, FIRST, LAST = "report-span", "report-from", "report-to"
EVERYTHING = "Everything"
UNSORTED = "without a category yet. The report lists them as “No category”."
DONE, MADE, ADDED = "report-done", "report-made", "report-lines-added"


def render(ctx: Context) -> None:
    """Offer the choices, the lines stated by the person, and the finished report."""
    _ask_before(ctx)
    published_plans.say_unfinished(ctx)
    names = _sections(ctx)
    _span(ctx)
    if ctx.db.exists() and holdings(ctx).transactions:
        with explained():
            _unsorted(ctx)
    with st.form("report", border=False):
        question, below = _chosen(ctx, names)
        asked = st.form_submit_button("Make the report", type="primary")
    if asked:
        st.session_state.pop(MADE, None)  # of other choices
        with refused_below(below), st.spinner("Making the report …"):
            st.session_state[MADE] = (ctx.household, make_report(ctx, question))
    home, made = st.session_state.get(MADE, (None, None))
    if made is not None and home == ctx.household:
        _downloads(ctx, made)
    st.divider()
    with explained():
        _stated(ctx)


def _sections(ctx: Context) -> list[str]:
    """Return the names of the chosen sections, in the order of the report."""
    usual = ask(usual_sections, ctx) if ctx.db.exists() else tuple(MAKERS)
    chosen = st.pills(
        "Sections",
        list(MAKERS),
        selection_mode="multi",  # each keeps its place: chips of a field would move what stands below
        default=list(usual),
        format_func=lambda name: MAKERS[name][0],
        key="report-sections",
        on_change=_forget_made,
    )
    return [name for name in MAKERS if name in chosen]


def _span(ctx: Context) -> None:
    """Offer the usual spans of days, where transactions say when the data end."""
    stored = ctx.db.exists() and holdings(ctx).transactions
    spans = ask(usual_spans, ctx) if stored else {}
    if spans:
        listed = [*spans, EVERYTHING]
        st.segmented_control(
            "Days", listed, default=listed[0], required=True, key=SPAN, on_change=_span_chosen, args=(spans,)
        )
    if FIRST not in st.session_state:
        _show_span(spans)


def _show_span(spans: Mapping[str, Period]) -> None:
    """Write the chosen span into the fields of the days, where it can be changed."""
    span = spans.get(st.session_state.get(SPAN) or "")
    st.session_state[FIRST], st.session_state[LAST] = (span.first, span.last) if span else (None, None)


def _span_chosen(spans: Mapping[str, Period]) -> None:
    _show_span(spans)
    _forget_made()


def _forget_made() -> None:
    """Offer no report of earlier choices."""
    st.session_state.pop(MADE, None)


def _ask_before(ctx: Context) -> None:
    """Ask for what the report lacks about energy, before somebody hands it over."""
    home, stored = _home(ctx), holdings(ctx)
    if home is None or not stored.meter:
        return
    if not home.postcode:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.write("Before you hand it over: which plans this home can get depends on its postcode.")
            widgets.link("data", "**Enter your postcode →**", tab=YOUR_HOME)
    if not (home.plan_id or stored.own_plans):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.write("Before you hand it over: without the energy plan it has no saving, bill check or forecast.")
            widgets.link("bills", "**Choose your plan →**", tab=WHICH_PLAN)


def _unsorted(ctx: Context) -> None:
    """Say how much money of the chosen days is in no category, with the way to sort it."""
    first, last = (day if isinstance(day := st.session_state[key], date) else None for key in (FIRST, LAST))
    answer = ask(income_expenses, ctx, from_=first, to=last, forecasts=())
    if parts := without_category(answer.without_category):
        days = "all days" if answer.from_ is None or answer.to is None else span(answer.from_, answer.to)
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.write(plain(f"{days}: {parts}, {UNSORTED}"))
            if st.button("Review them", key="review-unsorted"):
                to_review.open_left()
                widgets.go_to("spending", tab=TO_REVIEW)


def _home(ctx: Context) -> Household | None:
    stored = homes(ctx).households if ctx.db.exists() else ()
    return next((home for home in stored if ctx.household in (None, home.id)), None)


def _chosen(ctx: Context, names: Sequence[str]) -> tuple[ReportQuestion, dict[str, DeltaGenerator]]:
    """Show the choices; return what is chosen, and what stands below each field, by what is wrong."""
    left, middle, right = st.columns(3)
    first = widgets.day_field(left, "First day", None, key=FIRST)
    last = widgets.day_field(middle, "Last day", None, key=LAST)
    below = {"--from": left.container(), "--to": middle.container()}
    periods = get_args(StatementPer)
    usually = ask(usual_per, ctx) if ctx.db.exists() and holdings(ctx).transactions else PER
    per = right.selectbox("Income and expenses each", periods, periods.index(usually), key="report-per")
    opening = st.text_area("Your words at the top", max_chars=MOST_WORDS, key="report-opening")
    closing = st.text_area("Your words at the end", max_chars=MOST_WORDS, key="report-closing")
    return ReportQuestion(names, first, last, per, opening, closing), below


def _downloads(ctx: Context, made: MadeReport) -> None:
    # With its days: a browser drops a day whose year has two digits.
    ready = f"The report is ready, for {made.days}. It opens in any browser without the internet, and prints on A4."
    st.success(plain(ready))
    home = _home(ctx)
    whose = TITLE if home is None or home.name == UNNAMED else f"{home.name} report"
    name = file_name(f"{whose} {ctx.today}")
    with st.container(horizontal=True):
        st.download_button(
            "Download the report", made.page, f"{name}.html", "text/html", type="primary", key="report-page"
        )
        st.download_button(
            "Download income and expenses as a table", made.csv, f"{name} income.csv", "text/csv", key="report-csv"
        )


def _stated(ctx: Context) -> None:
    """List what the person stated, with a form for one more line."""
    st.subheader("As told by the person")
    st.caption(
        "Cash, debts and people that no account shows. They are listed in Income and expenses, marked “as told”."
    )
    widgets.confirm(DONE)  # here, where it was pressed: the top is out of sight
    for line in ask(list_stated_lines, ctx).lines:
        left, right = st.columns([5, 1])
        left.write(plain(f"{KINDS[line.kind]}: {line.name}{_figures(line)}"))
        if right.button("Remove", key=f"stated-remove-{line.id}"):
            remove_stated_line(ctx, line.id)
            _finish(f"“{line.name}” is removed.")
    kind = st.selectbox("Kind", get_args(StatedKind), format_func=KINDS.__getitem__, key="stated-kind")
    with st.form("stated", border=False):
        typed, below = _typed(kind)
        if st.form_submit_button("Add this line"):
            wrong = wrong_fields(typed)
            show_refusals(wrong, below)
            if not wrong:
                with refused_below(below):
                    add_stated_line(ctx, typed)
                    st.session_state[ADDED] = st.session_state.get(ADDED, 0) + 1
                    _finish(f"“{typed.name}” is added.")


def _typed(kind: StatedKind) -> tuple[StatedLine, dict[str, DeltaGenerator]]:
    """Show the fields of a line; return what is typed, and what stands below each field, by what is wrong."""
    number = st.session_state.get(ADDED, 0)  # new fields after each line: the browser would keep what was typed
    name = st.text_input("Name", placeholder=EXAMPLES[kind], key=f"stated-name-{number}")
    below = {"Name": st.container()}
    left, right = st.columns(2)  # below the name: what belongs together stands side by side
    amount = balance = arrears = ""
    per: StatedPer | None = None
    section: ExpenseSection | None = None
    if kind != "people":
        label = "Repayment, $" if kind == "debt" else "Amount, $"
        amount = left.text_input(label, placeholder="120", key=f"stated-amount-{number}")
        below["Amount"] = left.container()
        per = right.selectbox("Each", get_args(StatedPer), key="stated-per")
    if kind == "expense":
        section = right.selectbox(
            "Section", get_args(ExpenseSection), format_func=SECTION_NAMES.__getitem__, key="stated-section"
        )
    if kind == "debt":
        balance = left.text_input("Owed, $ (if known)", key=f"stated-balance-{number}")
        below["Balance"] = left.container()
        arrears = right.text_input("Overdue, $ (if any)", key=f"stated-arrears-{number}")
        below["Arrears"] = right.container()
    return StatedLine(kind, name, amount, per if amount else None, balance, arrears, section), below


def _figures(line: AsToldLine) -> str:
    parts = [f"{aud(line.amount)} each {line.per}"] if line.amount is not None else []
    owing = ((line.balance, "owed"), (line.arrears, "overdue"))
    return "".join(f", {part}" for part in [*parts, *(f"{aud(amount)} {word}" for amount, word in owing if amount)])


def _finish(words: str) -> None:
    st.session_state.pop(MADE, None)  # it does not have the line that was added, or still has the one that was removed
    st.session_state[DONE] = plain(words)
    st.rerun()
