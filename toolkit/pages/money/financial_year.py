"""The tab Financial year: by category and tag against the year before, income by source, largest expenses."""

from __future__ import annotations

from decimal import Decimal

import polars as pl
import streamlit as st

from toolkit.answers.money import Review, Spending
from toolkit.charts import style
from toolkit.charts.money_flow import flow_chart
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.money.summary import spending
from toolkit.flows.money.years.budgets import review
from toolkit.flows.money.years.fees import fees
from toolkit.flows.money.years.periods import periods
from toolkit.pages import widgets
from toolkit.pages.answers import ask
from toolkit.pages.money.names import Names
from toolkit.pages.money.period_choice import say_what_is_compared
from toolkit.pages.widgets import Metric

NO_TAG = "Without a tag"
_CATEGORIES, _SOURCES = "By category", "Income by source"


def render(ctx: Context) -> None:
    """Show one financial year, July to June."""
    years = [period.last.year for period in ask(periods, ctx, "financial-year")]
    if not years:
        st.info("None of the transactions has a date, so there is no year to show.")
        return
    year = st.selectbox("Year", years, format_func=lambda end: f"{end - 1}–{end % 100:02}", key="year", width=160)
    answer = ask(review, ctx, year=year or years[0])
    now, before = answer.spending, answer.spending.before
    whole = now.wholly_known_before
    left = now.income - now.spent
    widgets.metrics(
        [
            Metric(
                "Spent",
                style.aud(now.spent, cents=False),
                None,
                _before(whole.spent) if whole else None,
                place=(_CATEGORIES, "year-by-category"),
            ),
            Metric(
                "Income",
                style.aud(now.income, cents=False),
                None,
                _before(whole.income) if whole else None,
                place=(_SOURCES, "year-by-source"),
            ),
            Metric(
                "Left over" if left >= 0 else "Short by",
                style.aud(abs(left), cents=False),
                "Income less what you spent.",
                place=(_SOURCES, "year-by-source"),
            ),
        ]
    )
    say_what_is_compared(now)
    names = Names.of(ctx)
    if now.spent > 0 and now.income > 0:
        widgets.chart(flow_chart(answer, look=widgets.look()), key="year-flow")
    st.subheader(_CATEGORIES, anchor="year-by-category")
    _against(now, before, names)
    tagged = ask(spending, ctx, by="tag", from_=answer.from_, to=answer.to).rows.frame()
    if tagged["tag"].drop_nulls().len():
        st.subheader("By tag")
        columns = {
            "tag": widgets.words("Tag"),
            "spent": widgets.money("Spent"),
            "count": widgets.count("Transactions"),
        }
        widgets.table(tagged.with_columns(pl.col("tag").fill_null(NO_TAG)), columns, name="year-by-tag")
    _fees(ctx, answer.year)
    _lists(answer)


def _before(amount: Decimal) -> str:
    return f"{style.aud(amount, cents=False)} before"  # the rest would be cut on a phone


def _against(now: Spending, before: Spending | None, names: Names) -> None:
    keys = ["group", "category"]

    def named(answer: Spending) -> pl.DataFrame:
        frame = answer.rows.frame()
        rows = frame.with_columns(
            group=names.of_column(frame["primary_category"]).fill_null(names.name(None)),
            category=names.of_column(frame["secondary_category"]),
        )
        return rows.group_by(keys).agg(pl.col("spent", "count").sum())

    frame = named(now)
    if before is not None:
        frame = frame.join(
            named(before).select(*keys, before="spent"), on=keys, how="full", coalesce=True, nulls_equal=True
        ).with_columns(pl.col("spent", "before", "count").fill_null(0))
        if now.wholly_known_before:
            frame = frame.with_columns(more=pl.col("spent") - pl.col("before"))
    columns = {
        "name": widgets.words("Subcategory"),
        "spent": widgets.money("Spent"),
        "more": widgets.money("Change"),
        "group": widgets.words("Category"),  # the edge of a phone cuts this one, not an amount
        "before": widgets.money("Year before"),
        "count": widgets.count("Transactions"),
    }
    frame = frame.with_columns(name=pl.coalesce("category", "group"))
    kept = {name: column for name, column in columns.items() if name in frame.columns}
    widgets.table(frame.sort("spent", *keys, descending=[True, False, False]), kept, name="year-by-category")


def _fees(ctx: Context, year: int) -> None:
    rows = [row for row in ask(fees, ctx).accounts if row.year == year]
    if not rows:
        return
    st.subheader("Fees and interest")
    labels = ask(account_labels, ctx)
    shown = [
        {
            "account": labels.get(row.account_id, row.account_id),
            "fees": row.fees,
            "charged": row.interest_charged,
            "earned": row.interest_earned,
            "own": None if row.own_rate is None else 100 * row.own_rate,
            "published": None if row.published_rate is None else 100 * row.published_rate,
        }
        for row in rows
    ]
    columns = {
        "account": widgets.words("Account"),
        "fees": widgets.money("Fees"),
        "charged": widgets.money("Interest charged"),
        "earned": widgets.money("Interest earned"),
        "own": widgets.number("Your rate", "%.2f%%"),
        "published": widgets.number("Published from", "%.2f%%"),
    }
    widgets.table(shown, columns, name="year-fees")


def _lists(answer: Review) -> None:
    st.subheader(_SOURCES, anchor="year-by-source")
    rows: list[widgets.Row] = [
        {"name": row.name or "Not named", "amount": row.amount, "count": row.count} for row in answer.income
    ]
    if not rows:
        st.info("No income in this year.")
    columns = {
        "name": widgets.words("From"),
        "amount": widgets.money("Amount"),
        "count": widgets.count("Payments"),
    }
    widgets.table(rows, columns, name="year-income")
    st.subheader("Largest expenses")
    largest = [
        {"date": row.date, "who": row.merchant or row.description, "amount": -row.amount} for row in answer.largest
    ]
    shown = {"date": widgets.day("Date"), "who": widgets.words("Shop or payee"), "amount": widgets.money("Amount")}
    widgets.table(largest, shown, name="year-largest")
