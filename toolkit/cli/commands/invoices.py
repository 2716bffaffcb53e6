"""Commands about invoices: keep those on paper by hand, and check all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TypedDict, TypeVar, Unpack

import click

from toolkit.answers.energy.bills import Fuel
from toolkit.answers.energy.invoice_list import InvoiceDraft, Invoices
from toolkit.answers.energy.invoices import Reconciliation
from toolkit.cli import options
from toolkit.cli.output import say
from toolkit.cli.show import invoices as show
from toolkit.cli.show import market
from toolkit.flows.energy.reconcile import reconcile as run_reconcile
from toolkit.flows.household.context import Context
from toolkit.flows.invoices.draft import completed, read_pdf
from toolkit.flows.invoices.edit import add_invoice, edit_invoice, list_invoices, remove_invoice
from toolkit.flows.invoices.form import InvoiceForm

R = TypeVar("R")
FUELS: dict[str, Fuel] = {"electricity": "ELECTRICITY", "gas": "GAS"}


class FormOptions(TypedDict):
    """Options of `add` and `edit`: the fields of `InvoiceForm`; None where not given."""

    fuel: Fuel | None
    from_: date | None
    to: date | None
    billed: str | None
    retailer: str | None
    number: str | None
    plan_name: str | None
    issue_date: date | None
    due_date: date | None
    payments: str | None
    balance_brought_forward: str | None
    concession: str | None
    energy: list[str] | None
    estimated: bool | None
    paid: bool | None


def form(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options of a bill's fields."""
    for option in reversed(
        (
            click.option("--fuel", type=click.Choice(list(FUELS)), callback=_fuel, help="What the bill is for."),
            click.option("--from", "from_", type=options.Day(), help="First day of the bill, inclusive."),
            click.option("--to", type=options.Day(), help="Last day of the bill, inclusive."),
            click.option(
                "--billed", metavar="AMOUNT", help="New charges in AUD with GST; a credit is negative or ends in CR."
            ),
            click.option("--retailer", metavar="NAME", help="Retailer, as on the bill."),
            click.option("--number", metavar="NUMBER", help="Number of the bill or invoice."),
            click.option("--plan-name", metavar="NAME", help="Plan, as the bill names it."),
            click.option("--issued", "issue_date", type=options.Day(), help="Issue date."),
            click.option("--due", "due_date", type=options.Day(), help="Due date."),
            click.option("--payments", metavar="AMOUNT", help="Payments received since the last bill."),
            click.option(
                "--balance",
                "balance_brought_forward",
                metavar="AMOUNT",
                help="Previous balance, before payments; negative for a credit.",
            ),
            click.option("--concession", metavar="AMOUNT", help="Concessions already taken off --billed."),
            click.option(
                "--energy",
                multiple=True,
                callback=_energy,
                metavar="[REGISTER=]QUANTITY",
                help="kWh (gas: MJ) of one register, such as peak=120.5, “controlled load=90” or solar=310. Repeat for "
                "several; empty removes them.",
            ),
            click.option(
                "--estimated/--actual", "estimated", default=None, help="Whether the meter read was estimated."
            ),
            click.option(
                "--paid/--not-paid", "paid", default=None, help="Whether it is paid, also where no bank shows it."
            ),
        )
    ):
        command = option(command)
    return command


def _fuel(_ctx: click.Context, _param: click.Parameter, name: str | None) -> Fuel | None:
    return FUELS[name] if name else None


def _energy(_ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]) -> list[str] | None:
    """Return None where the option is not given, an empty list where it is given as an empty text."""
    return [entry for entry in given if entry] if given else None


@click.group()
def invoices() -> None:
    """List, add, correct or remove energy bills kept by hand."""


@invoices.command("list")
@options.reports(show.invoices)
@options.data
def list_(ctx: Context) -> Invoices:
    """List every bill: those of the service, and those kept by hand."""
    return list_invoices(ctx)


@invoices.command("add")
@form
@click.option("--pdf", type=options.NamedPath(exists=True, dir_okay=False), help="Fill the form from a bill's PDF.")
@click.option(
    "--yes",
    is_flag=True,
    help="Save what was read from the PDF without asking; without a terminal nothing is saved otherwise.",
)
@options.service_point
@options.reports(show.added)
@options.data
def add(ctx: Context, *, pdf: Path | None, yes: bool, **fields: Unpack[FormOptions]) -> Invoices | InvoiceDraft:
    """Add a bill: --fuel, --from, --to and --billed are required, the rest makes its check better.

    With --pdf the form is filled from the file; options that are given count instead of what was read.
    """
    typed = InvoiceForm(**fields)
    if pdf is None:
        return add_invoice(ctx, typed)
    draft = read_pdf(pdf)
    if not yes and not _confirmed(draft):
        return draft
    return add_invoice(ctx, completed(typed, draft))


def _confirmed(draft: InvoiceDraft) -> bool:
    """Show what was read and ask whether to save it; without a terminal nothing is saved."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    for line in show.draft(draft):
        say(line)
    return click.confirm("Save this bill?", err=True)


@invoices.command("edit")
@click.argument("bill", metavar="ID")
@form
@options.service_point
@options.reports(show.invoices)
@options.data
def edit(ctx: Context, bill: str, **fields: Unpack[FormOptions]) -> Invoices:
    """Correct the bill ID. Only the given fields change; an empty text clears an optional field."""
    return edit_invoice(ctx, bill, InvoiceForm(**fields))


@invoices.command("remove")
@click.argument("bill", metavar="ID")
@options.reports(show.invoices)
@options.data
def remove(ctx: Context, bill: str) -> Invoices:
    """Remove the bill ID; `toolkit undo` brings it back."""
    return remove_invoice(ctx, bill)


@click.command()
@click.option("--billed", metavar="AMOUNT", help="Total of a paper bill with GST; --from and --to are its days.")
@click.option(
    "--old-plan", metavar="PLAN", help="Plan before the last switch (id or file), where no energy account shows it."
)
@options.service_point
@options.period
@options.reports(market.reconcile)
@options.data
def reconcile(
    ctx: Context, *, billed: str | None, old_plan: str | None, from_: date | None, to: date | None
) -> Reconciliation:
    """Check invoices against meter data and the plan in force."""
    return run_reconcile(ctx, billed=billed, old_plan=old_plan, from_=from_, to=to)
