"""Commands about decisions: rules, categories, single transactions, transfers, undo."""

from __future__ import annotations

from pathlib import Path

import click

from toolkit.answers.decisions import Categories, RuleAdded, RuleRemoved, Rules, RulesFile, RuleTest, ToReview, Undone
from toolkit.cli import options
from toolkit.cli.show import rules as show
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.money.edits.review import list_to_review, mark_fine
from toolkit.flows.money.edits.rule_file import export_rules, import_rules
from toolkit.flows.money.edits.settings import (
    add_category,
    list_categories,
    name_category,
    set_transaction,
)
from toolkit.flows.money.edits.settings import split as split_transaction
from toolkit.flows.money.overrides import undo as run_undo
from toolkit.flows.money.rules import (
    accept_transfer,
    add_rule,
    list_rules,
    reject_transfer,
    remove_rule,
    set_category,
    try_rule,
)

new_category = click.option("--new-category", is_flag=True, help="Let CATEGORY be a new one.")

whole_payee = click.option("--payee", is_flag=True, help="PATTERN is the full name of a payee.")


@click.group()
def rules() -> None:
    """Set categories and confirm transfers by hand."""


@rules.command("list")
@options.reports(show.rules)
@options.data
def list_(ctx: Context) -> Rules:
    """List decisions in force, and pairs of rows that may be transfers between your accounts."""
    return list_rules(ctx)


@rules.command("add")
@click.argument("pattern")
@click.argument("category")
@whole_payee
@new_category
@options.reports(show.rule_added)
@options.data
def add(ctx: Context, pattern: str, category: str, *, payee: bool, new_category: bool) -> RuleAdded:
    """Put transactions whose text contains PATTERN (/…/ is a regular expression) into CATEGORY from now on."""
    return add_rule(ctx, pattern, category, payee=payee, new_category=new_category)


@rules.command("category")
@click.argument("transaction")
@click.argument("category")
@new_category
@options.reports(show.rule_added)
@options.data
def category_(ctx: Context, transaction: str, category: str, *, new_category: bool) -> RuleAdded:
    """Put one TRANSACTION (its id, or the end of it) into CATEGORY, before any rule."""
    return set_category(ctx, transaction, category, new_category=new_category)


@rules.command("transfer")
@click.argument("one")
@click.argument("other")
@options.reports(show.rule_added)
@options.data
def transfer(ctx: Context, one: str, other: str) -> RuleAdded:
    """Treat two transactions, in any order, as a transfer between your accounts, and similar pairs too."""
    return accept_transfer(ctx, one, other)


@rules.command("not-transfer")
@click.argument("one")
@click.argument("other", default="")
@click.option("--alike", is_flag=True, help="Nor are similar pairs, now and later.")
@options.reports(show.rule_added)
@options.data
def not_transfer(ctx: Context, one: str, other: str, *, alike: bool) -> RuleAdded:
    """Decide that two transactions (or ONE and any other) are not a transfer between your accounts."""
    return reject_transfer(ctx, one, other, alike=alike)


@rules.command("remove")
@click.argument("number", type=int)
@options.reports(show.rule_removed)
@options.data
def remove(ctx: Context, number: int) -> RuleRemoved:
    """Undo decision NUMBER."""
    return remove_rule(ctx, number)


@rules.command("test")
@click.argument("pattern")
@click.argument("category", required=False)
@whole_payee
@options.reports(show.rule_test)
@options.data
def test(ctx: Context, pattern: str, category: str | None, *, payee: bool) -> RuleTest:
    """List the transactions that a rule would change; nothing is stored."""
    return try_rule(ctx, pattern, category, payee=payee)


@rules.command("review")
@click.option("--all-fine", is_flag=True, help="Confirm that everything listed but likely transfers is right.")
@options.reports(show.to_review)
@options.data
def review(ctx: Context, *, all_fine: bool) -> ToReview:
    """List new payees, likely transfers and unusual amounts, most money first."""
    return mark_fine(ctx) if all_fine else list_to_review(ctx)


@rules.command("export")
@click.argument("file", type=options.NamedPath(dir_okay=False))
@options.reports(show.rules_file)
@options.data
def export(ctx: Context, file: Path) -> RulesFile:
    """Write the rules to FILE, a text file with one rule a line."""
    return export_rules(ctx, file)


@rules.command("import")
@click.argument("file", type=options.NamedPath(dir_okay=False))
@click.option("--preview", is_flag=True, help="Show what would be added, and store nothing.")
@options.reports(show.rules_file)
@options.data
def import_(ctx: Context, file: Path, *, preview: bool) -> RulesFile:
    """Add the rules in FILE, as `rules export` writes them; one `undo` reverses all of them.

    Categories that are not known are listed and become your own.
    """
    return import_rules(ctx, file, preview=preview)


@rules.command("split")
@click.argument("transaction")
@click.argument("parts", nargs=-1, metavar="AMOUNT=CATEGORY…")
@new_category
@options.reports(show.rule_added)
@options.data
def split(ctx: Context, transaction: str, parts: tuple[str, ...], *, new_category: bool) -> RuleAdded:
    """Split TRANSACTION into parts, such as 40=groceries 12.50=chemist; without parts it is whole again."""
    written = [part.partition("=") for part in parts]
    if wrong := next((part for part, (_, sign, _) in zip(parts, written, strict=True) if not sign), None):
        raise UsageError(f"{wrong!r} is not a part of a split: AMOUNT=CATEGORY, for example 12.50=chemist.")
    given = [(amount, category) for amount, _, category in written]
    return split_transaction(ctx, transaction, given, new_category=new_category)


@rules.command("exclude")
@click.argument("transaction")
@options.reports(show.rule_added)
@options.data
def exclude_(ctx: Context, transaction: str) -> RuleAdded:
    """Exclude TRANSACTION from all totals."""
    return set_transaction(ctx, transaction, excluded=True)


@rules.command("include")
@click.argument("transaction")
@options.reports(show.rule_added)
@options.data
def include(ctx: Context, transaction: str) -> RuleAdded:
    """Include an excluded TRANSACTION in totals again."""
    return set_transaction(ctx, transaction, excluded=False)


@rules.command("tag")
@click.argument("transaction")
@click.argument("tag", default="")
@options.reports(show.rule_added)
@options.data
def tag_(ctx: Context, transaction: str, tag: str) -> RuleAdded:
    """Give TRANSACTION a TAG, such as a holiday; without one, remove it."""
    return set_transaction(ctx, transaction, tag=tag)


@rules.command("note")
@click.argument("transaction")
@click.argument("note", default="")
@options.reports(show.rule_added)
@options.data
def note_(ctx: Context, transaction: str, note: str) -> RuleAdded:
    """Keep a NOTE with TRANSACTION; without one, remove it."""
    return set_transaction(ctx, transaction, note=note)


@rules.command("categories")
@options.reports(show.categories)
@options.data
def categories(ctx: Context) -> Categories:
    """List every category with its group and code, your own included."""
    return list_categories(ctx)


@rules.command("new-category")
@click.argument("name")
@click.option("--group", default="", metavar="CATEGORY", help="Category that it belongs to.")
@options.reports(show.rule_added)
@options.data
def new_category_(ctx: Context, name: str, *, group: str) -> RuleAdded:
    """Add a category called NAME."""
    return add_category(ctx, name, group=group)


@rules.command("rename")
@click.argument("category")
@click.argument("name", default="")
@options.reports(show.rule_added)
@options.data
def rename(ctx: Context, category: str, name: str) -> RuleAdded:
    """Show CATEGORY under the name NAME; without one, under its usual name."""
    return name_category(ctx, category, name=name)


@rules.command("group")
@click.argument("category")
@click.argument("group", default="")
@options.reports(show.rule_added)
@options.data
def group(ctx: Context, category: str, group: str) -> RuleAdded:
    """Move CATEGORY into GROUP; without one, back to its usual group."""
    return name_category(ctx, category, group=group)


@click.command("undo")
@options.reports(show.undone)
@options.data
def undo(ctx: Context) -> Undone:
    """Undo your latest decision of any kind."""
    return run_undo(ctx)


rules.add_command(undo)

COMMANDS = (rules, undo)
