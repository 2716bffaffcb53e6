"""What overrides, the household's own decisions, are about: ids, patterns, categories and the legs of transfers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

import polars as pl
from msgspec.structs import asdict

from toolkit.analytics.money.categorise import expression
from toolkit.analytics.money.edits.settings import PAYEE_RULE, own_codes, own_names
from toolkit.analytics.money.transfers import REJECTIONS
from toolkit.answers.decisions import Override
from toolkit.errors import UsageError
from toolkit.remedies import Message, Remedy
from toolkit.tables.reference.categories import category_names, code_named
from toolkit.tables.schema.banking import TransactionRow
from toolkit.tables.schema.journal import OverrideRow
from toolkit.tables.words import closest

REMOVAL = "removal"
"""The kind of an override that takes another one back: its subject is that one's number."""
BATCH = "batch"
"""The kind of an override that ends several made together: its subject is the number of the first of them."""
REVIEWED = "reviewed"
"""The kind of an override that what was listed for review is fine; its value is JSON (see `edits.review`)."""
PAIR_KINDS = ("transfer", *REJECTIONS)
_OF_ACCOUNTS = ("link", "unlink")
"""Kinds with a value that is a JSON list of pairs of account ids."""


def override_of(row: OverrideRow) -> Override:
    """Return a stored override as answers give it."""
    return Override(row.number, row.kind, row.subject, row.value)


def ids_in(override: OverrideRow) -> set[str]:
    """Return the ids that an override is about: its subject, its value, and the ends of each pair that that lists."""
    listed = json.loads(override.value) if override.kind in (*_OF_ACCOUNTS, REVIEWED) else []
    pairs = listed["transactions"] if isinstance(listed, dict) else listed
    return {override.subject, override.value, *(end for pair in pairs for end in pair)}


def same_override(rows: Iterable[OverrideRow], kind: str, subject: str, value: str) -> OverrideRow | None:
    """Return the latest override about the same thing where it decides the same; else None.

    rows: overrides in force, oldest first.
    """
    latest = latest_by_topic(rows).get(topic_of(kind, subject, value))
    return latest if latest and (latest.kind, latest.value) == (kind, value) else None


def latest_by_topic(rows: Iterable[OverrideRow]) -> dict[tuple[str, ...], OverrideRow]:
    """Return what overrides are about → the latest one about it. rows: in force, oldest first."""
    return {topic_of(row.kind, row.subject, row.value): row for row in rows}


def topic_of(kind: str, subject: str, value: str) -> tuple[str, ...]:
    """Return what an override is about: a pattern as it is searched for, a transaction, or a pair of transactions."""
    if kind in PAIR_KINDS:
        return ("pair", subject, value)
    if kind == PAYEE_RULE:
        return (kind, subject.casefold())
    return (kind, expression(subject) if kind == "rule" else subject)


def category_code(category: str) -> str:
    """Return `Food and drink` and `food_and_drink` as `FOOD_AND_DRINK`. Raises UsageError if nothing is left."""
    code = re.sub(r"\W+", "_", category.strip()).upper()
    if not code:
        raise UsageError("A category is needed, such as FOOD_AND_DRINK_GROCERIES.")
    return code


class KnownCategories:
    """The categories that a household can choose from, by code, by name and by the names that it gave them."""

    def __init__(self, stored: Iterable[str], overrides: Sequence[OverrideRow]) -> None:
        """Take the categories of classified rows and the overrides in force."""
        settings = pl.DataFrame(list(map(asdict, overrides)), infer_schema_length=None) if overrides else None
        self._built_in = set(category_names())
        self._names = {name.casefold(): code for code, name in own_names(settings).items()}
        self._used = {category_code(value): value for value in sorted(own_codes(settings) | set(stored), reverse=True)}

    def find(self, wanted: str) -> str | None:
        """Return a category as it is written where it is known; else None. Raises UsageError for an empty one."""
        code = category_code(wanted)
        if code in self._built_in:
            return code
        called = self._names.get(" ".join(wanted.split()).casefold())
        return called or self._used.get(code) or code_named(wanted)

    def add(self, code: str) -> None:
        """Add a category that is used from now on."""
        self._used.setdefault(code, code)

    def nearest(self, wanted: str) -> list[str]:
        """Return the known codes that are closest to one that is not known."""
        return closest(wanted, {*self._built_in, *self._used.values()})


def known_category(wanted: str, stored: Iterable[str], overrides: Sequence[OverrideRow]) -> str:
    """Return a category as it is written where it is known: to the toolkit, among `stored` ones or in overrides.

    stored: categories of classified rows. Raises UsageError for an unknown category, with the nearest known ones.
    """
    known = KnownCategories(stored, overrides)
    if found := known.find(wanted):
        return found
    nearest = known.nearest(wanted)
    near = f" The nearest are {', '.join(nearest)}." if nearest else ""
    raise UsageError(Message(f"{wanted!r} is not a known category.{near}", Remedy.NEW_CATEGORY))


def check_legs(outgoing: TransactionRow, incoming: TransactionRow) -> None:
    """Raise UsageError unless two transactions can be a transfer between own accounts."""
    opposite = outgoing.amount_minor < 0 and outgoing.amount_minor == -incoming.amount_minor
    if not opposite or outgoing.currency != incoming.currency or outgoing.account_id == incoming.account_id:
        raise UsageError("A transfer is money out of one own account and the same amount into another.")
