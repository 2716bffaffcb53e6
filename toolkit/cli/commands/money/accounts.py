"""Commands about bank accounts: list, link, unlink, set."""

from __future__ import annotations

from datetime import date

import click

from toolkit.answers.money import Accounts, NetWorth
from toolkit.cli import options
from toolkit.cli.show import money as show
from toolkit.flows.household.context import Context
from toolkit.flows.money.accounts import link as run_link
from toolkit.flows.money.accounts import list_accounts, set_account
from toolkit.flows.money.accounts import unlink as run_unlink
from toolkit.flows.money.cashflow import net_worth

KINDS = ("everyday", "savings", "card", "loan", "offset", "term-deposit")


@click.group()
def accounts() -> None:
    """List, link or correct bank accounts."""


@accounts.command("list")
@options.reports(show.accounts)
@options.data
def list_(ctx: Context) -> Accounts:
    """List every account with its balance, days and links, and which accounts may be one."""
    return list_accounts(ctx)


@accounts.command("link")
@click.argument("names", nargs=-1, required=True, metavar="A B…")
@options.reports(show.accounts)
@options.data
def link(ctx: Context, names: tuple[str, ...]) -> Accounts:
    """Make A and B (ids or names) one account: a transaction in both counts once."""
    return run_link(ctx, names)


@accounts.command("unlink")
@click.argument("names", nargs=-1, required=True, metavar="A [B…]")
@options.reports(show.accounts)
@options.data
def unlink(ctx: Context, names: tuple[str, ...]) -> Accounts:
    """Separate A and B, even where they look alike; A alone is separated from every account it is linked to."""
    return run_unlink(ctx, names)


@accounts.command("set")
@click.argument("account", metavar="A")
@click.option("--name", help="Name of the account.")
@click.option("--kind", type=click.Choice(KINDS), help="Kind of account.")
@click.option("--person", help="Owner of the account.")
@click.option("--balance", metavar="AMOUNT", help="Balance in AUD; negative is money owed.")
@click.option("--at", type=options.Day(), help="Day of that balance (end of day) [default: today].")
@options.reports(show.accounts)
@options.data
def set_(  # noqa: PLR0913  the command's options, each by name
    ctx: Context,
    account: str,
    *,
    name: str | None,
    kind: str | None,
    person: str | None,
    balance: str | None,
    at: date | None,
) -> Accounts:
    """Set name, kind, owner or balance of account A (id or name); --household moves it to that household.

    `toolkit household merge --undo` reverses a move, until the next sync.
    """
    return set_account(ctx, account, name=name, kind=kind, person=person, balance=balance, at=at)


@click.command()
@options.period
@options.reports(show.net_worth)
@options.data
def networth(ctx: Context, *, from_: date | None, to: date | None) -> NetWorth:
    """Show what you have less what you owe, by month."""
    return net_worth(ctx, from_=from_, to=to)
