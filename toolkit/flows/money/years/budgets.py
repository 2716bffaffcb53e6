"""Budgets by category, and a financial year in review: `budget list|set|remove`, `review`."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import msgspec
import polars as pl

from toolkit.analytics.money.cash.reach import Reach
from toolkit.analytics.money.edits.settings import own_names, shown_name
from toolkit.analytics.money.transactions import transactions_of, with_masked_numbers
from toolkit.analytics.money.years.budgets import (
    KIND,
    BudgetSetting,
    budgets,
    budgets_of,
    income_sources,
    unusual_spending,
)
from toolkit.analytics.money.years.periods import financial_year
from toolkit.answers.base import Period
from toolkit.answers.money import Budgets, IncomeSource, Per, Review
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.overrides import record
from toolkit.flows.money.rules import chosen_category
from toolkit.flows.money.spending import account_numbers, classified, typed_cents
from toolkit.flows.money.summary import spending
from toolkit.flows.wording import refuse_changed
from toolkit.store import Store
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import OWN_ACCOUNT
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import HOME_CURRENCY

LARGEST = 10


def list_budgets(ctx: Context) -> Budgets:
    """List budgets with what was spent so far, and categories with unusual spending in the last 30 days.

    Where the transactions end more than three days ago, both are of that day.
    """
    with open_home(ctx) as (store, household):
        return _listed(store, household, ctx.today)


def set_budget(
    ctx: Context, category: str, amount: Decimal | str, *, per: Per = "month", shown: Budgets | None = None
) -> Budgets:
    """Set what may be spent in a category (code or words) a week, month or year; `undo` takes it back.

    shown: the budgets as a page showed them. Raises UsageError for an unknown category, an amount that is not above
    zero, or where the budget of the category is another one by now.
    """
    cents = typed_cents("AMOUNT", amount)
    if cents <= 0:
        raise UsageError("A budget is an amount above $0.", option="AMOUNT")
    return _decide(ctx, category, BudgetSetting(cents, per), shown)


def remove_budget(ctx: Context, category: str, *, shown: Budgets | None = None) -> Budgets:
    """Remove the budget of a category. Raises UsageError where it has none, or another one than was shown."""
    return _decide(ctx, category, None, shown)


def review(ctx: Context, *, year: int) -> Review:
    """Review the financial year that ends in June of `year`, against the year before."""
    span = financial_year(year)
    spent = spending(ctx, from_=span.first, to=span.last, against="last-year")
    with open_home(ctx) as (store, household):
        money = classified(store, household)
        numbers = account_numbers(store, household.household_id)
    expenses = money.rows.filter(
        pl.col("kind") == "expense",
        pl.col("currency") == HOME_CURRENCY,
        pl.col("status") != "PENDING",
        pl.col("day").is_between(span.first, span.last),
    )
    largest = with_masked_numbers(expenses.sort("amount_minor", "day", "id").head(LARGEST), numbers)
    return Review(
        year=year,
        from_=span.first,
        to=span.last,
        spending=spent,
        income=income_sources(money.rows, span),
        largest=transactions_of(largest, money.suggestions),
    )


def income(ctx: Context, *, from_: date, to: date) -> tuple[IncomeSource, ...]:
    """Return who paid income from one day to another, both inclusive, most first."""
    with open_home(ctx) as (store, household):
        return income_sources(classified(store, household).rows, Period(from_, to))


def _decide(ctx: Context, category: str, setting: BudgetSetting | None, shown: Budgets | None) -> Budgets:
    with open_home(ctx) as (store, household), store.transaction():
        home = household.household_id
        code = chosen_category(store, household, category)
        if setting is not None and code == OWN_ACCOUNT:
            raise UsageError("Moves between your own accounts are not spending, so they have no budget.")
        overrides = store.read("choices", home)
        now = budgets_of(overrides).get(code)
        if shown is not None:
            name, repeat = shown_name(code, own_names(overrides)), "Save again" if setting else "Select Remove again"
            before = next((f"${each.budget:,} a {each.per}" for each in shown.budgets if each.category == code), None)
            after = f"${amount(now.amount_minor):,} a {now.per}" if now else None
            refuse_changed("budget", {name: before}, {name: after}, repeat=repeat)
        if setting is None and now is None:
            raise UsageError(f"{code} has no budget.")
        record(store, home, KIND, code, msgspec.json.encode(setting or BudgetSetting(0)).decode())
        return _listed(store, household, ctx.today)


def _listed(store: Store, household: HouseholdRow, today: date) -> Budgets:
    rows = classified(store, household).rows
    settings = budgets_of(store.read("choices", household.household_id))
    as_of = Reach.of_rows(rows, today).to
    last = Period(as_of - timedelta(days=29), as_of)
    return Budgets(as_of=as_of, budgets=budgets(rows, settings, as_of), unusual=unusual_spending(rows, last))
