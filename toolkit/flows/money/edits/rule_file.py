"""Rules as a readable file: `rules export|import`."""

from __future__ import annotations

from pathlib import Path

from toolkit.analytics.money.edits.rule_file import FileRule, read_rules, written_rules
from toolkit.analytics.money.edits.settings import PAYEE_RULE, own_names
from toolkit.analytics.money.overrides import category_code, known_category, same_override
from toolkit.answers.decisions import RulesFile
from toolkit.errors import ImportFailedError, Problem, UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.overrides import in_force, record_all
from toolkit.flows.money.rules import check_pattern
from toolkit.flows.money.spending import stored_categories
from toolkit.importers.source import open_sources
from toolkit.store.connection import replace_private
from toolkit.tables.schema.journal import OverrideRow

KINDS = ("rule", PAYEE_RULE)


def export_rules(ctx: Context, out: Path) -> RulesFile:
    """Write the rules in force to a text file, one a line, oldest first. Raises UsageError for a folder."""
    text, count = rules_text(ctx)
    if out.is_dir():
        raise UsageError(f"{out} is a folder. Name a file.")
    replace_private(out, lambda path: path.write_text(text, encoding="utf-8"))
    return RulesFile(path=str(out), rules=count)


def rules_text(ctx: Context) -> tuple[str, int]:
    """Return the rules in force as the text of a file, and how many there are."""
    with open_home(ctx) as (store, household):
        rules = [row for row in in_force(store, household.household_id) if row.kind in KINDS]
        names = own_names(store.read("choices", household.household_id))
    return written_rules(rules, names), len(rules)


def import_rules(ctx: Context, path: Path) -> RulesFile:
    """Add the rules of a file after those in force; one undo takes all of them back.

    Categories that are not known become the household's own. Lines that cannot be read are problems, and the others
    are added. Raises ImportFailedError where the file cannot be read at all.
    """
    sources = list(open_sources(path))
    if len(sources) != 1 or sources[0].failure is not None:
        raise (sources[0].failure if sources else None) or ImportFailedError(str(path), "is not a file of rules")
    return import_rules_text(ctx, sources[0].text, name=sources[0].name)


def import_rules_text(ctx: Context, text: str, *, name: str) -> RulesFile:
    """Add the rules in the text of a file, as `import_rules`."""
    rules, problems = read_rules(text, name)
    with open_home(ctx) as (store, household), store.transaction():
        home = household.household_id
        known, stored = in_force(store, home), stored_categories(store, household)
        added: list[tuple[str, str, str]] = []
        for rule in rules:
            try:
                check_pattern(rule.pattern, payee=rule.kind == PAYEE_RULE)
                code = _category(rule, stored, known)
            except UsageError as error:
                problems.append(Problem(f"{name}:{rule.line}", str(error)))
                continue
            if not same_override(known, rule.kind, rule.pattern, code):
                added.append((rule.kind, rule.pattern, code))
                known.append(OverrideRow(home, len(known) + 1, rule.kind, rule.pattern, code, active=True))
        record_all(store, home, added)
    return RulesFile(path=name, rules=len(rules), added=len(added), problems=tuple(problems))


def _category(rule: FileRule, stored: set[str], known: list[OverrideRow]) -> str:
    try:
        return known_category(rule.category, stored, known)
    except UsageError:
        return category_code(rule.category)
