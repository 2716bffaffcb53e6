"""What people decide about categories and transfers: `rules`. Every decision can be undone, and shows at once."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from toolkit.analytics.money.categorise import expression, fits, readable_pattern, searchable
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.classified import classified, with_masked_numbers
from toolkit.flows.money.decisions import Decision, as_shown, in_force, record, take_back
from toolkit.flows.wording import counted
from toolkit.store import Store
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import codes
from toolkit.tables.reference.category_names import code_named
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.words import closest

SHORTEST_END = 4
"""Of an id that a person types the end of."""
MOST_CHOICES = 10
PAIR_KINDS = ("transfer", "not_transfer")


def list_rules(ctx: Context) -> dict[str, Any]:
    """The decisions in force, oldest first, and the pairs of rows that may be own transfers, for a person to decide."""
    with open_home(ctx) as (store, household):
        decided = in_force(store, household.household_id)
        suggested = classified(store, household).suggestions
    return {
        "rules": [as_shown(decision) for decision in decided],
        "suggestions": [_suggestion(pair) for pair in suggested.iter_rows(named=True)],
    }


def add_rule(ctx: Context, pattern: str, category: str, *, new_category: bool = False) -> dict[str, Any]:
    """From now on rows whose texts hold `pattern` (`/…/`: a regular expression) are in `category`; newest rule first.

    new_category: the category may be one that nobody has used yet. Raises UsageError for an empty pattern or an
    expression that cannot be read, and for an unknown category, with the nearest ones.
    """
    _check_pattern(pattern)
    return _decide(ctx, Decision("rule", pattern, category), new_category=new_category)


def set_category(ctx: Context, transaction: str, category: str, *, new_category: bool = False) -> dict[str, Any]:
    """Put one transaction (its id, or the end of it) into a category, before any rule.

    new_category: as for `add_rule`. Raises UsageError where there is no such transaction or category,
    ChoiceRequiredError where several ids end so.
    """
    return _decide(ctx, Decision("category", transaction, category), new_category=new_category)


def accept_transfer(ctx: Context, one: str, other: str) -> dict[str, Any]:
    """The two transactions, in any order, are one move between own accounts, and so is the series that they belong to.

    Raises UsageError where they cannot be.
    """
    return _decide(ctx, Decision("transfer", one, other))


def reject_transfer(ctx: Context, one: str, other: str = "") -> dict[str, Any]:
    """The two transactions, in any order (or the one, with any other), are not a move between own accounts."""
    return _decide(ctx, Decision("not_transfer", one, other))


def remove_rule(ctx: Context, number: int) -> dict[str, Any]:
    """Take a decision back by its number. Raises UsageError where none of that number is in force."""
    with open_home(ctx) as (store, household), store.transaction():
        return {"removed": as_shown(take_back(store, household.household_id, number))}


def try_rule(ctx: Context, pattern: str, category: str | None = None) -> dict[str, Any]:
    """What a rule would touch: rows, newest first, with the category they have and the one they would get.

    Rows with a category chosen by hand keep it. Nothing is changed. Raises UsageError for an unknown category.
    """
    _check_pattern(pattern)
    with open_home(ctx) as (store, household):
        code = category and _known_category(store, household, category)
        rows = with_masked_numbers(classified(store, household).rows, store, household.household_id)
    by_hand = (pl.col("category_source") == "manual").fill_null(False)
    touched = rows.filter(fits(searchable(), pattern) & ~by_hand)
    newest = touched.sort("day", "id", descending=[True, False], nulls_last=True)
    return {"pattern": pattern, "category": code, "transactions": _touched(newest)}


def _touched(rows: pl.DataFrame) -> list[dict[str, Any]]:
    shown = ("id", "description", "merchant", "primary_category", "secondary_category", "category_source")
    return [
        {
            "date": row["day"],
            "amount": amount(row["amount_minor"], row["currency"]),
            **{name: row[name] for name in shown},
        }
        for row in rows.iter_rows(named=True)
    ]


def _decide(ctx: Context, decision: Decision, *, new_category: bool = False) -> dict[str, Any]:
    """Record a decision, unless the same one is in force already: then that one is the answer."""
    with open_home(ctx) as (store, household), store.transaction():
        home = household.household_id
        if decision.kind in ("rule", "category"):
            known = category_code if new_category else partial(_known_category, store, household)
            decision = replace(decision, value=known(decision.value))
        decision = _named(store, home, decision)
        if same := _same_in_force(store, home, decision):
            return {"added": as_shown(same), "notes": [f"Decision {same['number']} says so already."]}
        return {"added": as_shown(record(store, home, decision))}


def _same_in_force(store: Store, home: str, decision: Decision) -> dict[str, Any] | None:
    """The latest decision in force about the same rows, where it says the same."""
    kinds = PAIR_KINDS if decision.kind in PAIR_KINDS else (decision.kind,)
    topic = _topic(decision.kind, decision.subject, decision.value)
    earlier = in_force(store, home, *kinds)
    about = [row for row in earlier if _topic(row["kind"], row["subject"], row["value"]) == topic]
    same = bool(about) and (about[-1]["kind"], about[-1]["value"]) == (decision.kind, decision.value)
    return about[-1] if same else None


def _topic(kind: str, subject: str, value: str) -> tuple[str, ...]:
    """What a decision is about: a pattern as it is looked for, a transaction, or a pair of transactions."""
    if kind in PAIR_KINDS:
        return (subject, value)
    return (expression(subject),) if kind == "rule" else (subject,)


def _known_category(store: Store, household: HouseholdRow, wanted: str) -> str:
    """The category as it is written where it is known: to the toolkit, in the household's rows or its decisions."""
    code = category_code(wanted)
    known = set(codes())
    if code in known:
        return code
    home = household.household_id
    used = {str(row["value"]) for row in in_force(store, home, "rule", "category")}
    rows = classified(store, household).rows
    used |= {value for name in ("primary_category", "secondary_category") for value in rows[name].unique() if value}
    if same := sorted(value for value in used if category_code(value) == code):
        return same[0]
    if named := code_named(wanted):
        return named
    nearest = closest(wanted, known | used)
    near = f" The nearest are {', '.join(nearest)}." if nearest else ""
    raise UsageError(f"{wanted!r} is not a known category.{near} Add --new-category to make it one.")


def _named(store: Store, home: str, decision: Decision) -> Decision:
    """The decision with the whole ids of the transactions it is about; the legs of a transfer can be legs of one."""
    if decision.kind == "rule":
        return decision
    subject = _transaction(store, home, decision.subject)
    if decision.kind == "category" or not decision.value:
        return replace(decision, subject=subject["id"])
    value = _transaction(store, home, decision.value)
    if subject["amount_minor"] > value["amount_minor"]:
        subject, value = value, subject
    if decision.kind == "transfer":
        _check_legs(subject, value)
    return replace(decision, subject=subject["id"], value=value["id"])


def _transaction(store: Store, home: str, wanted: str) -> dict[str, Any]:
    """The transaction with that id, or the only one whose id ends so."""
    if found := store.rows("transactions", home, where={"id": wanted}):
        return found[0]
    ids = [id_ for (id_,) in store.tuples("transactions", ("id",), home) if id_.endswith(wanted)]
    if len(wanted) < SHORTEST_END or not ids:
        raise UsageError(f"There is no transaction {wanted}: `toolkit transactions` shows the ends of the ids.")
    if len(ids) > 1:
        raise ChoiceRequiredError(f"{counted(len(ids), 'transaction')} end in {wanted}.", ids[:MOST_CHOICES])
    return store.rows("transactions", home, where={"id": ids[0]})[0]


def _check_legs(outgoing: dict[str, Any], incoming: dict[str, Any]) -> None:
    opposite = outgoing["amount_minor"] < 0 and outgoing["amount_minor"] == -incoming["amount_minor"]
    if not opposite or outgoing["currency"] != incoming["currency"] or outgoing["account_id"] == incoming["account_id"]:
        raise UsageError("A transfer is money out of one own account and the same amount into another.")


def _check_pattern(pattern: str) -> None:
    if not pattern.strip() or not readable_pattern(pattern):
        raise UsageError(f"{pattern!r} is no pattern: words to find, or /a regular expression/.")


def category_code(category: str) -> str:
    """`Food and drink` and `food_and_drink` as `FOOD_AND_DRINK`. Raises UsageError where nothing is left."""
    code = re.sub(r"\W+", "_", category.strip()).upper()
    if not code:
        raise UsageError("A category is needed, such as FOOD_AND_DRINK_GROCERIES.")
    return code


def _suggestion(pair: dict[str, Any]) -> dict[str, Any]:
    money = amount(pair["amount_minor"], pair["currency"])
    legs = {"outgoing": pair["out_id"], "incoming": pair["in_id"]}
    return {**legs, "date": pair["day"], "amount": money, "currency": pair["currency"]}
