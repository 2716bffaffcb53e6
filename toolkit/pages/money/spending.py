"""The Spending page: where the money goes."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import streamlit as st
from msgspec import UnsetType

from toolkit.answers.base import frame_of
from toolkit.answers.money import By, Spending
from toolkit.charts import spending as charts
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.money.spending import spending
from toolkit.flows.money.transactions import transactions
from toolkit.flows.wording import category_name, rows_by_name
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, holdings
from toolkit.pages.text import plain
from toolkit.pages.widgets import Metric, Period

HOW_TO_START = (
    "Export your transactions as CSV from your bank's web site, or connect your accounts. "
    "Money in and out then shows up here by category and month."
)
BY: dict[str, By] = {"Category": "category", "Shop or payee": "merchant", "Account": "account"}
NEWEST = 500


def render(ctx: Context) -> None:
    """Show spending of a period: figures, charts, a table, and every transaction."""
    if not holdings(ctx).transactions:
        widgets.empty("No transactions yet", HOW_TO_START)
        return
    stored = ask(spending, ctx)
    if stored.from_ is None or stored.to is None:
        st.info("None of the transactions has a date, so there is no period to show.")
        widgets.problems(stored.problems, key="spending")
        return
    chosen = widgets.period(Period(stored.from_, stored.to))
    answer = ask(spending, ctx, from_=chosen.first, to=chosen.last)
    _figures(answer)
    if answer.rows:
        _charts(ctx, answer, chosen)
    else:
        st.info("Nothing was spent in this period. Choose a longer one above.")
    _rows(ctx, chosen)
    widgets.problems(answer.problems, key="spending")


def _figures(answer: Spending) -> None:
    left = answer.income - answer.spent
    shown = [
        Metric(
            "Spent",
            style.aud(answer.spent),
            "Money out, less refunds. Transfers between your accounts are not counted.",
        ),
        Metric("Income", style.aud(answer.income), "Pay, benefits, interest and the like."),
        Metric("Left over" if left >= 0 else "Short by", style.aud(abs(left)), "Income less what you spent."),
        Metric(
            "Between your accounts",
            style.aud(answer.transfers),
            "Moved between your own accounts. It is neither spending nor income.",
        ),
    ]
    if answer.pending:
        note = "The bank has not processed these yet. They are not counted as spent."
        shown.append(Metric("Pending", style.aud(answer.pending), note))
    widgets.metrics(shown)
    _other_currencies(answer)


def _other_currencies(answer: Spending) -> None:
    others = ", ".join(f"{other.spent} {other.currency}" for other in answer.other_currencies)
    if others:
        st.caption(plain(f"Spent in other currencies, not counted above: {others}."))


def _charts(ctx: Context, answer: Spending, chosen: Period) -> None:
    widgets.chart(charts.by_category(answer.rows.frame(), look=widgets.look()), key="by-category")
    monthly = ask(spending, ctx, from_=chosen.first, to=chosen.last, months=True).rows
    widgets.chart(charts.by_month(monthly.frame(), look=widgets.look()), key="by-month")


def _rows(ctx: Context, chosen: Period) -> None:
    st.subheader("In detail")
    by = BY[st.segmented_control("Group by", list(BY), default="Category", required=True, key="by") or "Category"]
    rows = ask(spending, ctx, by=by, from_=chosen.first, to=chosen.last).rows
    if by == "category":
        merged = rows_by_name(rows)
        parts = [category_name(row.secondary_category) if row.secondary_category else None for row in merged]
        frame = frame_of(merged).with_columns(
            category=_category_names([row.primary_category for row in merged]), part=pl.Series(parts, dtype=pl.String)
        )
        labels = {"category": "Category", "part": "Subcategory"}
    elif by == "merchant":
        frame, labels = rows.frame(), {"merchant": "Shop or payee"}
    else:
        account = pl.col("account_id").replace(ask(account_labels, ctx))
        frame, labels = rows.frame().with_columns(account=account), {"account": "Account"}
    columns = {name: widgets.words(label) for name, label in labels.items()}
    columns |= {"spent": widgets.money("Spent"), "count": widgets.number("Transactions", "%d")}
    widgets.table(frame, columns, name=f"spending-by-{by}")
    with explained():
        _transactions(ctx, chosen)


def _transactions(ctx: Context, chosen: Period) -> None:
    with st.expander("Every transaction"):
        search = st.text_input("Search", placeholder="a word from the description, or a shop", key="search").strip()
        answer = ask(transactions, ctx, from_=chosen.first, to=chosen.last, limit=NEWEST, search=search or None)
        if not answer.transactions:
            st.info("No transaction matches.")
            return
        if len(answer.transactions) == NEWEST:
            st.caption(f"The newest {NEWEST} are shown; choose a shorter period to see older ones.")
        columns = {
            "date": widgets.day("Date"),
            "description": widgets.words("Description"),
            "merchant": widgets.words("Shop or payee"),
            "category": widgets.words("Category"),
            "amount": widgets.amounts("Amount", (row.currency for row in answer.transactions)),
            "currency": widgets.words("Currency"),
            "account": widgets.words("Account"),
            "status": widgets.words("Status"),
        }
        frame = frame_of(answer.transactions).with_columns(
            account=pl.col("account_id").replace(ask(account_labels, ctx)),
            category=_category_names([row.primary_category for row in answer.transactions]),
            status=pl.Series([style.words(row.status) for row in answer.transactions]),
        )
        widgets.table(frame, columns, name="transactions")


def _category_names(codes: Sequence[str | UnsetType | None]) -> pl.Series:
    return pl.Series([category_name(code) if code else charts.UNKNOWN for code in codes])
