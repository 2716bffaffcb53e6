"""The report to hand over, and the lines that the person states for it."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import get_args

import click

from toolkit.answers.data import WrittenReport
from toolkit.answers.report.income_expenses import AsTold, ExpenseSection, StatedKind, StatedPer, StatementPer
from toolkit.cli import options
from toolkit.cli.show import report as show
from toolkit.flows.household.context import Context
from toolkit.flows.report.income_expenses import PER
from toolkit.flows.report.stated_lines import StatedLine, add_stated_line, list_stated_lines, remove_stated_line
from toolkit.flows.report.write import MAKERS, ReportQuestion, own_words, write_report

text_file = options.NamedPath(dir_okay=False, exists=True)


@click.command()
@click.option("--out", type=options.NamedPath(dir_okay=False), required=True, help="HTML file to write.")
@click.option("--csv", type=options.NamedPath(dir_okay=False), help="Also write income and expenses to this CSV file.")
@click.option(
    "--sections",
    metavar="NAME,…",
    default="",
    help=f"Sections, in this order: {', '.join(MAKERS)} [default: all that apply].",
)
@click.option(
    "--per",
    type=click.Choice(get_args(StatementPer)),
    default=PER,
    show_default=True,
    help="Period that income and expenses are averaged over.",
)
@click.option("--opening", type=text_file, help="Text file with your own words for the start.")
@click.option("--closing", type=text_file, help="Text file with your own words for the end.")
@options.reports(show.report)
@options.data
@options.period
def report(  # noqa: PLR0913  the command's options, each by name
    ctx: Context,
    *,
    out: Path,
    csv: Path | None,
    sections: str,
    per: StatementPer,
    opening: Path | None,
    closing: Path | None,
    from_: date | None,
    to: date | None,
) -> WrittenReport:
    """Write a report to hand over, with the sections you choose."""
    chosen = tuple(name.strip() for name in sections.split(",") if name.strip())
    question = ReportQuestion(chosen, from_, to, per, own_words(opening), own_words(closing))
    return write_report(ctx, out, question, csv)


@click.group("as-told")
def stated_lines() -> None:
    """Keep income, expenses and debts as the person stated them."""


@stated_lines.command("list")
@options.reports(show.stated_lines)
@options.data
def list_(ctx: Context) -> AsTold:
    """List the lines."""
    return list_stated_lines(ctx)


@stated_lines.command("add")
@click.argument("kind", type=click.Choice(get_args(StatedKind)))
@click.argument("name")
@click.option("--amount", help="What comes in or goes out, in AUD; of a debt its repayment.")
@click.option("--per", type=click.Choice(get_args(StatedPer)), help="How often that amount comes.")
@click.option("--balance", metavar="AMOUNT", help="Of a debt: what is owed.")
@click.option("--arrears", metavar="AMOUNT", help="Of a debt: what is overdue.")
@click.option("--section", type=click.Choice(get_args(ExpenseSection)), help="Of an expense: its place in the report.")
@options.reports(show.stated_lines)
@options.data
def add(  # noqa: PLR0913  the command's options, each by name
    ctx: Context,
    *,
    kind: StatedKind,
    name: str,
    amount: str | None,
    per: StatedPer | None,
    balance: str | None,
    arrears: str | None,
    section: ExpenseSection | None,
) -> AsTold:
    """Add a line, or replace the one of that kind and name."""
    return add_stated_line(ctx, StatedLine(kind, name, amount, per, balance, arrears, section))


@stated_lines.command("remove")
@click.argument("line", metavar="ID|NAME")
@options.reports(show.stated_lines)
@options.data
def remove(ctx: Context, line: str) -> AsTold:
    """Delete a line."""
    return remove_stated_line(ctx, line)
