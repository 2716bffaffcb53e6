"""Settings of single transactions and of categories, as the household's decisions hold them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec
import polars as pl

from toolkit.analytics.money.categorise import in_force, latest_settings
from toolkit.errors import UsageError
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import category_name

TRANSACTION = "transaction"
"""The kind of a decision about one transaction; its subject is the id, its value `TransactionSettings` as JSON."""
CATEGORY = "own_category"
"""The kind of a decision about a category; its subject is the code, its value `CategorySettings` as JSON."""
PAYEE_RULE = "payee"
"""The kind of a rule for one payee; its subject is the payee's name, its value the category."""
MOST_PARTS = 50


class Part(msgspec.Struct, frozen=True):
    """A part of a split transaction. amount_minor: signed, in minor units of its currency."""

    amount_minor: int
    category: str


class TransactionSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """What people set of one transaction; empty texts and no parts are as if nothing had been set."""

    excluded: bool = False
    parts: tuple[Part, ...] = ()
    note: str = ""
    tag: str = ""


class CategorySettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """What people set of a category. name: to show; group: code of the primary category that it belongs to."""

    name: str = ""
    group: str = ""


def transaction_settings(overrides: pl.DataFrame | None) -> dict[str, TransactionSettings]:
    """Return transaction id → its settings, each as last set. overrides: table `choices`."""
    return latest_settings(overrides, TRANSACTION, TransactionSettings)


def category_settings(overrides: pl.DataFrame | None) -> dict[str, CategorySettings]:
    """Return category code → its settings, each as last set. overrides: table `choices`."""
    return latest_settings(overrides, CATEGORY, CategorySettings)


def own_names(overrides: pl.DataFrame | None) -> dict[str, str]:
    """Return category code → the name that the household gave it. overrides: table `choices`."""
    return {code: own.name for code, own in sorted(category_settings(overrides).items()) if own.name}


def own_codes(overrides: pl.DataFrame | None) -> set[str]:
    """Return the categories that decisions in force name. overrides: table `choices`."""
    named = {row.value for row in in_force(overrides, "rule", "category", PAYEE_RULE)}
    parts = {part.category for own in transaction_settings(overrides).values() for part in own.parts}
    groups = {own.group for own in category_settings(overrides).values() if own.group}
    return named | parts | groups | category_settings(overrides).keys()


def check_parts(parts: Sequence[Part], whole: int, currency: str) -> None:
    """Raise UsageError unless at least two parts, none of them zero, sum to the transaction's amount.

    whole: signed, in minor units.
    """
    if not 2 <= len(parts) <= MOST_PARTS:
        raise UsageError(f"A split has 2 to {MOST_PARTS} parts.")
    if any(part.amount_minor == 0 for part in parts):
        raise UsageError("Each part of a split needs an amount other than $0.")
    total = sum(part.amount_minor for part in parts)
    if total != whole:
        left: Decimal = amount(whole - total, currency)
        raise UsageError(
            f"The parts sum to {amount(total, currency)}, the transaction is {amount(whole, currency)}: "
            f"{left} is left to assign."
        )


def shown_name(code: str, names: dict[str, str]) -> str:
    """Return the household's own name for a category, else the usual one. names: see `own_names`."""
    return names.get(code) or category_name(code)
