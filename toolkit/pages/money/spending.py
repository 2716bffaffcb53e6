"""The Spending page: where the money goes, what to review, budgets, financial years, categories and rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import NamedTuple

import polars as pl
import streamlit as st

from toolkit.answers.base import Note
from toolkit.answers.money import Against, By, Spending, SpendingRows
from toolkit.charts import spending as charts
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.money.summary import spending, transaction_days
from toolkit.flows.money.years.budgets import income
from toolkit.flows.wording import local_month
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, holdings
from toolkit.pages.money import budgets, categories, financial_year, to_review, transaction_list
from toolkit.pages.money.names import Names
from toolkit.pages.money.period_choice import choose_against, choose_period, say_what_is_compared
from toolkit.pages.money.transaction_list import Only, show_only
from toolkit.pages.text import plain, sentence
from toolkit.pages.widgets import Metric, Period

HOW_TO_START = (
    "Export your transactions as CSV from your bank's website, or connect your accounts. "
    "Money in and out then shows up here by category and month."
)


class _Group(NamedTuple):
    """How rows are grouped: for the flow, its column, and what rows without it are called."""

    by: By
    column: str
    nothing: str


BY = {
    "Category": _Group("category", "category", charts.UNKNOWN),
    "Shop or payee": _Group("merchant", "merchant", "Not named"),
    "Account": _Group("account", "account_id", "Not named"),
    "Tag": _Group("tag", "tag", "Without a tag"),
    "Person": _Group("person", "person", "Not known"),
}
KEY, TABLE, FIGURES = "spending-tab", "in-detail", "figures"
TO_REVIEW = "To review"


def render(ctx: Context) -> None:
    """Show the tabs; only the chosen one is drawn."""
    if not holdings(ctx).transactions:
        widgets.empty("No transactions yet", HOW_TO_START)
        return
    above = st.container()
    drawn: Mapping[str, Callable[[Context], None]] = {
        "Spending": _spending,
        TO_REVIEW: to_review.render,
        "Budgets": budgets.render,
        "Financial year": financial_year.render,
        "Categories and rules": categories.render,
    }
    if st.session_state.get(KEY) != TO_REVIEW:
        transaction_list.forget_what_was_done()
    for tab, draw in zip(widgets.tabs(list(drawn), key=KEY), drawn.values(), strict=True):
        if tab.open:
            with tab, explained():
                draw(ctx)
    with above:
        transaction_list.what_was_done(ctx)


def _spending(ctx: Context) -> None:
    """Show spending of a period: figures, charts, a table, and every transaction."""
    stored = ask(transaction_days, ctx)
    if stored is None:
        st.info("None of the transactions has a date, so there is no period to show.")
        widgets.problems(ask(spending, ctx, months=True).problems, key="spending")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = choose_period(ctx, Period(stored.first, stored.last))
        against = choose_against()
    # One answer, by category and month, for the figures, both charts and the table.
    answer = ask(spending, ctx, months=True, from_=chosen.first, to=chosen.last, against=against)
    _figures(answer)
    transaction_list.listed_below(ctx, chosen, FIGURES)
    monthly = answer.rows.frame()
    if monthly.is_empty():
        st.info("Nothing was spent in this period. Choose a longer one above.")
    else:
        names = answer.category_names
        by_category = charts.by_category(monthly, look=widgets.look(), names=names)
        widgets.chart(by_category, key="by-category", on_pick=_picked_category)
        transaction_list.listed_below(ctx, chosen, "by-category")
        by_month = charts.by_month(monthly, look=widgets.look(), names=names)
        labels = [trace.name for trace in by_month.data]
        widgets.chart(by_month, key="by-month", on_pick=lambda key: _picked_month(key, labels))
        transaction_list.listed_below(ctx, chosen, "by-month")
    _rows(ctx, answer, chosen, against)
    transaction_list.every_transaction(ctx, chosen)
    widgets.notes([note for note in answer.notes if note != answer.deposits_without_category])
    widgets.problems(answer.problems, key="spending")


def ask_for_income(note: Note, *, elsewhere: bool = False) -> None:
    """Say that money which came in has no category, and lead to where it is given one. elsewhere: on another page."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.write(sentence(note))
        if st.button("Review them", key="review-deposits", on_click=None if elsewhere else _open_review) and elsewhere:
            to_review.open_left()
            widgets.go_to("spending", tab=TO_REVIEW)


def _open_review() -> None:
    """Open To review with what was left as it is: it may be what the page speaks of."""
    to_review.open_left()
    widgets.open_tab(TO_REVIEW, key=KEY)


def _picked_category(key: str) -> None:
    points = widgets.selected(key, "points")
    if points and points[0]["y"] != charts.OTHER:
        show_only(replace(_of_category(str(points[0]["y"])), below=key))


def _picked_month(key: str, labels: list[str]) -> None:
    points = widgets.selected(key, "points")
    if points:
        label, month = labels[points[0]["curve_number"]], str(points[0]["x"])[:7]
        only = Only(charts.OTHER) if label == charts.OTHER else _of_category(label)
        show_only(replace(only, label=f"{only.label}, {local_month(month)}", month=month, below=key))


def _of_category(name: str) -> Only:
    """Return which rows have a category of that name. name: as a chart shows it."""
    shown = style.unescaped(name)
    return Only(shown, category="no category" if shown == charts.UNKNOWN else shown)


def _figures(answer: Spending) -> None:
    left = answer.income - answer.spent
    left_over = "Left over" if left >= 0 else "Short by"
    before = answer.wholly_known_before
    shown = [
        Metric(
            "Spent",
            style.aud(answer.spent),
            "Money out, less refunds. Transfers between your accounts are not counted.",
            _change(answer.spent, before.spent) if before else None,
            opens=_transactions("Spent", "expense"),
        ),
        Metric(
            "Income",
            style.aud(answer.income),
            "Pay, benefits, interest and the like.",
            _change(answer.income, before.income) if before else None,
            opens=_transactions("Income", "income"),
        ),
        Metric(
            left_over,
            style.aud(abs(left)),
            "Income less what you spent.",
            opens=_transactions(left_over, None),
        ),
        Metric(
            "Between your accounts",
            style.aud(answer.transfers),
            "Moved between your own accounts. It is neither spending nor income.",
            opens=_transactions("Between your accounts", "transfer"),
        ),
    ]
    if answer.pending:
        note = "The bank has not processed these yet. They are not counted as spent."
        opens = _transactions("Pending", None, pending=True)
        shown.append(Metric("Pending", style.aud(answer.pending), note, opens=opens))
    if answer.excluded:
        opens = _transactions("Excluded by you", "excluded")
        shown.append(Metric("Excluded by you", style.aud(answer.excluded), "It counts in no sum.", opens=opens))
    widgets.metrics(shown)
    if answer.deposits_without_category:
        ask_for_income(answer.deposits_without_category)
    say_what_is_compared(answer)
    others = ", ".join(f"{other.spent} {other.currency}" for other in answer.other_currencies)
    if others:
        st.caption(plain(f"Spent in other currencies, not counted above: {others}."))


def _transactions(label: str, kind: str | None, *, pending: bool = False) -> tuple[str, Callable[[], None]]:
    """Return the link of a figure to its transactions, which are then listed below the figures. kind: None for all."""
    return "Transactions", partial(show_only, Only(label, kind=kind, pending=pending, below=FIGURES))


def _change(now: Decimal, before: Decimal) -> str:
    more = now - before
    if not more:
        return "the same"
    return f"{style.aud(abs(more))} {'more' if more >= 0 else 'less'}"


def _rows(ctx: Context, answer: Spending, chosen: Period, against: Against | None) -> None:
    """Show a table of the period's spending. answer: by category and month; other groups are asked for."""
    st.subheader("In detail")
    picked = st.segmented_control("Group by", list(BY), default="Category", required=True, key="by") or "Category"
    group = BY[picked]
    names = Names(dict.fromkeys(answer.category_names.values(), ""), answer.category_names)
    if group.by == "category":
        frame, labels = _by_category(answer.rows, names), {"name": "Subcategory", "category": "Category"}
        before = _by_category(answer.before.rows, names) if answer.before else None
    else:
        asked = ask(spending, ctx, by=group.by, from_=chosen.first, to=chosen.last, against=against)
        frame, before = asked.rows.frame(), asked.before.rows.frame() if asked.before else None
        labels = {group.column: picked}
    keys = ["category", "part"] if group.by == "category" else [group.column]
    if before is not None:
        frame = frame.join(
            before.select(*keys, before="spent"), on=keys, how="full", coalesce=True, nulls_equal=True
        ).with_columns(pl.col("spent", "before").fill_null(0), pl.col("count").fill_null(0))
        if answer.wholly_known_before:
            frame = frame.with_columns(more=pl.col("spent") - pl.col("before"))
        frame = frame.sort("spent", *keys, descending=[True, *[False] * len(keys)])
    onlys = [_only(row, group) for row in frame.select(keys).to_dicts()]
    if group.by == "account":
        frame = frame.with_columns(pl.col("account_id").replace(ask(account_labels, ctx)))
    elif group.by != "category":
        frame = frame.with_columns(pl.col(group.column).fill_null(group.nothing))
    else:
        frame = frame.with_columns(name=pl.coalesce("part", "category"))
    first, *rest = ((name, widgets.words(label)) for name, label in labels.items())
    money = {"spent": widgets.money("Spent")}
    if before is not None:
        money |= {"before": widgets.money("Before")}
    if answer.wholly_known_before:
        money |= {"more": widgets.money("Change")}
    columns = dict([first, *money.items(), *rest, ("count", widgets.count("Transactions"))])
    st.caption("Select a row, or a bar above, to list its transactions.")
    widgets.table(
        frame,
        columns,
        name=f"spending-by-{group.by}",
        on_pick=lambda place: show_only(replace(onlys[place], below=TABLE)),
    )
    transaction_list.listed_below(ctx, chosen, TABLE)
    with st.expander("Income by source", key="income-by-source", on_change="rerun") as opened:
        if opened.open:
            _income(ctx, chosen)


def _income(ctx: Context, chosen: Period) -> None:
    paid = ask(income, ctx, from_=chosen.first, to=chosen.last)
    if not paid:
        st.info("No income in this period.")
    columns = {
        "name": widgets.words("From"),
        "amount": widgets.money("Amount"),
        "count": widgets.count("Payments"),
    }
    sources: list[widgets.Row] = [
        {"name": row.name or "Not named", "amount": row.amount, "count": row.count} for row in paid
    ]
    widgets.table(sources, columns, name="income-by-source")


def _only(row: Mapping[str, str | None], group: _Group) -> Only:
    """Return which transactions are behind a row of the table."""
    if group.by == "category":
        name = row.get("part") or row["category"] or charts.UNKNOWN
        return _of_category(name)
    value = row[group.column]
    label = value or group.nothing
    if group.by == "merchant":
        return Only(label, payee=value or "")
    if group.by == "account":
        return Only(label, account=value)
    return Only(label, tag=value or "") if group.by == "tag" else Only(label, person=value or "")


def _by_category(rows: SpendingRows, names: Names) -> pl.DataFrame:
    """Add up the months, and the categories that are shown under one name; most money first."""
    frame = rows.frame()
    named = frame.with_columns(
        category=names.of_column(frame["primary_category"]).fill_null(charts.UNKNOWN),
        part=names.of_column(frame["secondary_category"]),
    )
    totals = named.group_by("category", "part").agg(pl.col("spent", "count").sum())
    return totals.sort("spent", "category", "part", descending=[True, False, False])
