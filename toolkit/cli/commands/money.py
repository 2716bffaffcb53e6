"""Where the money goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolkit.cli import options

if TYPE_CHECKING:
    from toolkit.cli.output import Answer
    from toolkit.flows.household.context import Context


@click.command()
@click.option(
    "--by", type=click.Choice(["category", "merchant", "account"]), default="category", help="One row for each."
)
@click.option("--months", is_flag=True, help="One row a month.")
@click.option("--pending", is_flag=True, help="Count pending rows too.")
@options.period
@options.reports("money.spending")
@options.data
def spending(ctx: Context, **how: Any) -> Answer:
    """Money out by category, merchant or account; refunds reduce it, own transfers are left out."""
    from toolkit.flows.money.spending import spending as run

    return run(ctx, **how)


@click.command()
@click.option("--account", metavar="ID|NAME", help="One account.")
@click.option("--category", metavar="CATEGORY", help="One category: code or words, such as “food and drink”.")
@click.option("--search", metavar="TEXT", help="Words in description, merchant or reference.")
@click.option("--limit", type=click.IntRange(1), default=None, help="Newest so many.")
@options.period
@options.reports("money.transactions")
@options.data
def transactions(ctx: Context, **how: Any) -> Answer:
    """The rows behind the sums."""
    from toolkit.flows.money.transactions import transactions as run

    return run(ctx, **how)


@click.command()
@options.reports("money.recurring")
@options.data
def recurring(ctx: Context) -> Answer:
    """What comes again: subscriptions, bills, pay; when next, how much, what it costs a year."""
    from toolkit.flows.money.recurring import recurring as run

    return run(ctx)


@click.command()
@click.option("--days", type=click.IntRange(1, 366), default=60, show_default=True, help="How far ahead.")
@options.reports("money.cashflow")
@options.data
def cashflow(ctx: Context, days: int) -> Answer:
    """How the money will last: balances ahead with their range, and the lowest point."""
    from toolkit.flows.money.cashflow import cashflow as run

    return run(ctx, days=days)


new_category = click.option("--new-category", is_flag=True, help="CATEGORY may be one that is not known yet.")


@click.group()
def rules() -> None:
    """What you decided by hand: categories, own transfers; each can be undone."""


@rules.command("list")
@options.reports("money.rules")
@options.data
def list_(ctx: Context) -> Answer:
    """Decisions in force, and pairs of rows that may be own transfers."""
    from toolkit.flows.money.rules import list_rules

    return list_rules(ctx)


@rules.command("add")
@click.argument("pattern")
@click.argument("category")
@new_category
@options.reports("money.decision")
@options.data
def add(ctx: Context, pattern: str, category: str, *, new_category: bool) -> Answer:
    """Rows whose text holds PATTERN (/…/: a regular expression) are in CATEGORY from now on."""
    from toolkit.flows.money.rules import add_rule

    return add_rule(ctx, pattern, category, new_category=new_category)


@rules.command("category")
@click.argument("transaction")
@click.argument("category")
@new_category
@options.reports("money.decision")
@options.data
def category_(ctx: Context, transaction: str, category: str, *, new_category: bool) -> Answer:
    """Put one TRANSACTION (its id, or the end of it) into CATEGORY, before any rule."""
    from toolkit.flows.money.rules import set_category

    return set_category(ctx, transaction, category, new_category=new_category)


@rules.command("transfer")
@click.argument("one")
@click.argument("other")
@options.reports("money.decision")
@options.data
def transfer(ctx: Context, one: str, other: str) -> Answer:
    """The two transactions are one move between own accounts, and so are those like it; in any order."""
    from toolkit.flows.money.rules import accept_transfer

    return accept_transfer(ctx, one, other)


@rules.command("not-transfer")
@click.argument("one")
@click.argument("other", default="")
@options.reports("money.decision")
@options.data
def not_transfer(ctx: Context, one: str, other: str) -> Answer:
    """The two transactions (or ONE, with any other) are not a move between own accounts; in any order."""
    from toolkit.flows.money.rules import reject_transfer

    return reject_transfer(ctx, one, other)


@rules.command("remove")
@click.argument("number", type=int)
@options.reports("money.decision")
@options.data
def remove(ctx: Context, number: int) -> Answer:
    """Take decision NUMBER back."""
    from toolkit.flows.money.rules import remove_rule

    return remove_rule(ctx, number)


@rules.command("test")
@click.argument("pattern")
@click.argument("category", required=False)
@options.reports("money.touched")
@options.data
def test(ctx: Context, pattern: str, category: str | None) -> Answer:
    """Show what a rule would touch; nothing is changed."""
    from toolkit.flows.money.rules import try_rule

    return try_rule(ctx, pattern, category)


@click.command("undo")
@options.reports("money.decision")
@options.data
def undo(ctx: Context) -> Answer:
    """Take back your latest decision of any kind: category, rule, transfer, linked accounts, account settings."""
    from toolkit.flows.money.decisions import undo as run

    return run(ctx)


rules.add_command(undo)

COMMANDS = (spending, transactions, recurring, cashflow, rules, undo)
