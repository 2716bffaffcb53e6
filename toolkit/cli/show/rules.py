"""Decisions as text."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.answers.decisions import (
    Categories,
    Override,
    ReviewItem,
    RuleAdded,
    RuleRemoved,
    Rules,
    RulesFile,
    RuleTest,
    ToReview,
    Undone,
)
from toolkit.cli.output import aud, day, printable, show_notes, show_problems, table
from toolkit.cli.show.money import SHOWN_OF_ID, words
from toolkit.flows.wording import counted, local_month, new_categories, payees_of

REVIEWS = {
    "pay": "looks like pay",
    "payee": "payee",
    "own_account": "your own account?",
    "transfer": "a transfer?",
    "unnamed": "no payee",
    "unusual": "unusual amount",
}


def rules(answer: Rules) -> Iterator[str]:
    """Yield a table of the decisions in force, and how many possible transfers there are."""
    rows = [(rule.number, rule.kind, payees_of(rule.subject), rule.value) for rule in answer.rules]
    yield from table(("number", "kind", "what", "becomes"), rows, right=(0,))
    if not rows:
        yield "No rules or decisions yet."
    if answer.suggestions:
        pairs = counted(len(answer.suggestions), "pair of rows", "pairs of rows")
        yield f"{pairs} may be transfers between your accounts (see --json)."
    yield from show_notes(answer)


def rule_added(answer: RuleAdded) -> Iterator[str]:
    """Yield the decision that was recorded."""
    yield _override("added", answer.added)
    yield from show_notes(answer)


def rule_removed(answer: RuleRemoved) -> Iterator[str]:
    """Yield the decision that was removed."""
    yield _override("removed", answer.removed)


def undone(answer: Undone) -> Iterator[str]:
    """Yield the decision that was undone."""
    yield _override("undone", answer.undone)


def _override(done: str, override: Override) -> str:
    values = (override.number, override.kind, payees_of(override.subject), override.value)
    return f"{done}: {printable(', '.join(map(str, values)))}"


def rule_test(answer: RuleTest) -> Iterator[str]:
    """Yield a table of the transactions that a rule would change."""
    rows = [
        (row.id[-SHOWN_OF_ID:], day(row.date), aud(row.amount), row.description or "") for row in answer.transactions
    ]
    yield from table(("id", "date", "amount", "description"), rows, right=(2,))
    if not rows:
        yield "No transaction matches."
        return
    months = f", in {local_month(answer.months[0])}" if answer.months else ""
    until = f" to {local_month(answer.months[-1])}" if len(answer.months) > 1 else ""
    yield f"{counted(answer.count, 'transaction')}, {aud(answer.spent)} spent{months}{until}."


def rules_file(answer: RulesFile) -> Iterator[str]:
    """Yield how many rules a file has, and how many are new."""
    added = f", {answer.added:,} of them new" if answer.added else ""
    yield f"{counted(answer.rules, 'rule')} in {printable(answer.path)}{added}."
    if answer.new_categories:
        yield printable(new_categories(answer.new_categories))
    yield from show_problems(answer)


def categories(answer: Categories) -> Iterator[str]:
    """Yield a table of categories by group."""
    names = {category.code: category.name for category in answer.categories}
    rows = [
        (names.get(category.group, category.group), category.name, category.code, "yours" if category.own else "")
        for category in answer.categories
    ]
    yield from table(("group", "name", "code", ""), rows)


def to_review(answer: ToReview) -> Iterator[str]:
    """Yield a table of what to look at."""
    names = answer.category_names
    rows = [
        (
            REVIEWS[item.kind],
            aud(item.amount),
            day(item.date),
            item.name or item.transactions[0].description or "",
            item.count,
            words(item.category, names) if item.usual is None else f"usually {aud(item.usual)}{_each(item)}",
        )
        for item in answer.items
    ]
    yield from table(("what", "amount", "newest", "who", "rows", ""), rows, right=(1, 4))
    if answer.more:
        yield "Others with less money follow when these are decided."
    if not rows:
        yield "Nothing to review."


def _each(item: ReviewItem) -> str:
    return f" {item.cadence}" if item.cadence else ""
