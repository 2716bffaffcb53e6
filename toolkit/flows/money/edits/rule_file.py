"""Rules as a readable file: `rules export|import`."""

from __future__ import annotations

from pathlib import Path

from toolkit.analytics.money.edits.rule_file import read_rules, written_rules
from toolkit.analytics.money.edits.settings import PAYEE_RULE, own_names
from toolkit.analytics.money.overrides import KnownCategories, category_code, latest_by_topic, topic_of
from toolkit.answers.decisions import RulesFile
from toolkit.errors import ImportFailedError, UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.overrides import in_force, record_all
from toolkit.flows.money.rules import Decision, check_pattern
from toolkit.flows.money.spending import stored_categories
from toolkit.importers.source import open_sources
from toolkit.problems import Problem
from toolkit.store.connection import replace_private

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


def import_rules(ctx: Context, path: Path, *, preview: bool = False) -> RulesFile:
    """Add the rules of a file after those in force; one undo takes all of them back.

    Categories that are not known become the household's own, and are listed. preview: say what would be added, and
    store nothing. Lines that cannot be read are problems, and the others are added. Raises ImportFailedError where the
    file cannot be read at all.
    """
    sources = list(open_sources(path))
    if len(sources) != 1 or sources[0].failure is not None:
        raise (sources[0].failure if sources else None) or ImportFailedError(str(path), "is not a file of rules")
    return import_rules_text(ctx, sources[0].text, name=sources[0].name, preview=preview)


def import_rules_text(ctx: Context, text: str, *, name: str, preview: bool = False) -> RulesFile:
    """Add the rules in the text of a file, as `import_rules`."""
    rules, problems = read_rules(text, name)
    with open_home(ctx) as (store, household), store.transaction():
        home = household.household_id
        rows = in_force(store, home)
        known = KnownCategories(stored_categories(store, household), rows)
        decided = {topic: (row.kind, row.value) for topic, row in latest_by_topic(rows).items()}
        added: list[Decision] = []
        new: dict[str, str] = {}
        for rule in rules:
            try:
                check_pattern(rule.pattern, payee=rule.kind == PAYEE_RULE)
                code = known.find(rule.category) or category_code(rule.category)
            except UsageError as error:
                problems.append(Problem(f"{name}:{rule.line}", str(error)))
                continue
            if known.find(code) is None:
                new[code] = rule.category
                known.add(code)
            topic = topic_of(rule.kind, rule.pattern, code)
            if decided.get(topic) != (rule.kind, code):
                added.append((rule.kind, rule.pattern, code))
                decided[topic] = rule.kind, code
        if not preview:
            record_all(store, home, added)
    return RulesFile(
        path=name, rules=len(rules), added=len(added), new_categories=tuple(new.values()), problems=tuple(problems)
    )
