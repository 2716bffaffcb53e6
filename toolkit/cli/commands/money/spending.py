"""Commands about money: transactions, recurring payments, cash flow, budgets, years."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from toolkit.answers.money import Budgets, Cashflow, Fees, Per, Recurring, Review, Transactions
from toolkit.cli import options
from toolkit.cli.show import money as show
from toolkit.flows.household.context import Context
from toolkit.flows.money.cashflow import DAYS, MOST_DAYS
from toolkit.flows.money.cashflow import cashflow as run_cashflow
from toolkit.flows.money.recurring import recurring as run_recurring
from toolkit.flows.money.transactions import transactions as run_transactions
from toolkit.flows.money.years.budgets import list_budgets, remove_budget, set_budget
from toolkit.flows.money.years.budgets import review as run_review
from toolkit.flows.money.years.fees import fees as run_fees


@click.command()
@click.option("--account", metavar="ID|NAME", help="Only this account.")
@click.option("--category", metavar="CATEGORY", help="Only this category: code or words, such as “food and drink”.")
@click.option("--payee", metavar="NAME", help="Only this payee: the full name.")
@click.option("--tag", metavar="TAG", help="Only this tag.")
@click.option("--person", metavar="NAME", help="Only accounts of this person.")
@click.option("--kind", type=click.Choice(["expense", "income", "transfer", "excluded"]), help="Only this kind.")
@click.option(
    "--search", metavar="TEXT", help="Only transactions with these words in description, merchant or reference."
)
@click.option(
    "--limit", type=click.IntRange(1), default=None, help="Show only the newest transactions, at most so many."
)
@options.period
@options.reports(show.transactions)
@options.data
def transactions(  # noqa: PLR0913  one parameter an option
    ctx: Context,
    *,
    account: str | None,
    category: str | None,
    payee: str | None,
    tag: str | None,
    person: str | None,
    kind: str | None,
    search: str | None,
    limit: int | None,
    from_: date | None,
    to: date | None,
) -> Transactions:
    """List transactions."""
    return run_transactions(
        ctx,
        from_=from_,
        to=to,
        account=account,
        category=category,
        payee=payee,
        tag=tag,
        person=person,
        kind=kind,
        search=search,
        limit=limit,
    )


@click.command()
@click.option(
    "--ics", type=options.NamedPath(dir_okay=False), help="Also write upcoming payments to a calendar file (iCalendar)."
)
@options.reports(show.recurring)
@options.data
def recurring(ctx: Context, *, ics: Path | None) -> Recurring:
    """List subscriptions, bills and pay that come regularly."""
    return run_recurring(ctx, ics=ics)


@click.command()
@click.option("--days", type=click.IntRange(1, MOST_DAYS), default=DAYS, show_default=True, help="Days to look ahead.")
@options.reports(show.cashflow)
@options.data
def cashflow(ctx: Context, days: int) -> Cashflow:
    """Project account balances, with their range and lowest point."""
    return run_cashflow(ctx, days=days)


@click.group()
def budget() -> None:
    """Set budgets by category, and see how spending compares."""


@budget.command("list")
@options.reports(show.budgets)
@options.data
def budget_list(ctx: Context) -> Budgets:
    """List budgets with what was spent so far, and unusual spending of the last 30 days."""
    return list_budgets(ctx)


@budget.command("set")
@click.argument("category")
@click.argument("amount")
@click.option(
    "--per",
    type=click.Choice(["week", "month", "year"]),
    default="month",
    show_default=True,
    help="Period that AMOUNT is for.",
)
@options.reports(show.budgets)
@options.data
def budget_set(ctx: Context, category: str, amount: str, *, per: Per) -> Budgets:
    """Set AMOUNT (AUD) as the budget of CATEGORY (code or words)."""
    return set_budget(ctx, category, amount, per=per)


@budget.command("remove")
@click.argument("category")
@options.reports(show.budgets)
@options.data
def budget_remove(ctx: Context, category: str) -> Budgets:
    """Remove the budget of CATEGORY."""
    return remove_budget(ctx, category)


@click.command()
@click.option(
    "--year",
    type=click.IntRange(1990, 2200),
    required=True,
    help="Financial year by the year it ends in: 2026 is July 2025 to June 2026.",
)
@options.reports(show.review)
@options.data
def review(ctx: Context, *, year: int) -> Review:
    """Review a financial year against the one before: spending, income, largest expenses."""
    return run_review(ctx, year=year)


@click.command()
@options.reports(show.fees)
@options.data
def fees(ctx: Context) -> Fees:
    """Show fees and interest by account and financial year."""
    return run_fees(ctx)


COMMANDS = (transactions, recurring, cashflow, budget, review, fees)
