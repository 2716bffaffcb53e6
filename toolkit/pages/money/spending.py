"""The Spending page: where the money goes."""

from __future__ import annotations

import polars as pl
import streamlit as st

from toolkit.answers.base import frame_of
from toolkit.answers.money import By, Spending
from toolkit.charts import spending as charts
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.money.spending import spending
from toolkit.flows.money.transactions import transactions
from toolkit.flows.wording import category_name
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
    stored = ask(spending, ctx, months=True)
    if stored.from_ is None or stored.to is None:
        st.info("None of the transactions has a date, so there is no period to show.")
        widgets.problems(stored.problems, key="spending")
        return
    chosen = widgets.period(Period(stored.from_, stored.to))
    # One answer, by category and month, for the figures, both charts and the table.
    answer = ask(spending, ctx, months=True, from_=chosen.first, to=chosen.last)
    _figures(answer)
    monthly = answer.rows.frame()
    if monthly.is_empty():
        st.info("Nothing was spent in this period. Choose a longer one above.")
    else:
        widgets.chart(charts.by_category(monthly, look=widgets.look()), key="by-category")
        widgets.chart(charts.by_month(monthly, look=widgets.look()), key="by-month")
    _rows(ctx, answer, chosen)
    with st.expander("Every transaction", key="every-transaction", on_change="rerun") as opened:
        if opened.open:
            with explained():
                _transactions(ctx, chosen)
    widgets.notes(answer.notes)
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
    others = ", ".join(f"{other.spent} {other.currency}" for other in answer.other_currencies)
    if others:
        st.caption(plain(f"Spent in other currencies, not counted above: {others}."))


def _rows(ctx: Context, answer: Spending, chosen: Period) -> None:
    """Show a table of the period's spending. answer: by category and month; other groups are asked for."""
    st.subheader("In detail")
    by = BY[st.segmented_control("Group by", list(BY), default="Category", required=True, key="by") or "Category"]
    if by == "category":
        # Categories may be shown under one name.
        named = answer.rows.frame().group_by(
            category=_name_of("primary_category").fill_null(charts.UNKNOWN), part=_name_of("secondary_category")
        )
        by_category = named.agg(pl.col("spent", "count").sum()).sort(
            "spent", "category", "part", descending=[True, False, False]
        )
        frame, labels = by_category, {"category": "Category", "part": "Subcategory"}
    else:
        frame = ask(spending, ctx, by=by, from_=chosen.first, to=chosen.last).rows.frame()
        labels = {"merchant": "Shop or payee"}
        if by == "account":
            labels = {"account": "Account"}
            frame = frame.with_columns(account=pl.col("account_id").replace(ask(account_labels, ctx)))
    first, *rest = ((name, widgets.words(label)) for name, label in labels.items())
    columns = dict([first, ("spent", widgets.money("Spent")), *rest, ("count", widgets.number("Transactions", "%d"))])
    widgets.table(frame, columns, name=f"spending-by-{by}")


def _name_of(category: str) -> pl.Expr:
    """Return the names to show for a column of category codes."""
    return pl.col(category).cast(pl.String).map_elements(category_name, return_dtype=pl.String)


def _transactions(ctx: Context, chosen: Period) -> None:
    search = st.text_input("Search", placeholder="a word from the description, or a shop", key="search").strip()
    answer = ask(transactions, ctx, from_=chosen.first, to=chosen.last, limit=NEWEST, search=search or None)
    if not answer.transactions:
        st.info("No transaction matches.")
        return
    if len(answer.transactions) == NEWEST:
        st.caption(f"The newest {NEWEST} are shown. To see older ones, search, or choose dates above.")
    columns = {
        "date": widgets.day("Date"),
        "amount": widgets.amounts("Amount", (row.currency for row in answer.transactions)),
        "description": widgets.words("Description"),
        "merchant": widgets.words("Shop or payee"),
        "category": widgets.words("Category"),
        "currency": widgets.words("Currency"),
        "account": widgets.words("Account"),
        "status": widgets.words("Status"),
    }
    frame = frame_of(answer.transactions).with_columns(
        account=pl.col("account_id").replace(ask(account_labels, ctx)),
        category=_name_of("primary_category").fill_null(charts.UNKNOWN),
        status=pl.Series([style.words(row.status) for row in answer.transactions]),
    )
    widgets.table(frame, columns, name="transactions")
