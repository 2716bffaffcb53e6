"""Settings of single transactions and of categories, as the household's decisions have them, applied to rows."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec
import polars as pl

from toolkit.analytics.money.basis import CATEGORY, CategorySettings, names_set
from toolkit.analytics.money.categorise import converted, in_force, latest_settings
from toolkit.analytics.money.sums.months import EXCLUDED
from toolkit.errors import UsageError
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import INCOME, OWN_ACCOUNT, category_name, primary_of

TRANSACTION = "transaction"
"""The kind of a decision about one transaction; its subject is the id, its value `TransactionSettings` as JSON."""
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


def transaction_settings(overrides: pl.DataFrame | None) -> dict[str, TransactionSettings]:
    """Return transaction id → its settings, each as last set. overrides: table `choices`."""
    return latest_settings(overrides, TRANSACTION, TransactionSettings)


def category_settings(overrides: pl.DataFrame | None) -> dict[str, CategorySettings]:
    """Return category code → its settings, each as last set. overrides: table `choices`."""
    return latest_settings(overrides, CATEGORY, CategorySettings)


def own_names(overrides: pl.DataFrame | None) -> dict[str, str]:
    """Return category code → the name that the household gave it. overrides: table `choices`."""
    return names_set(category_settings(overrides))


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


# ---- their effect on classified rows


def split_ids(overrides: pl.DataFrame | None) -> list[str]:
    """Return the ids of split transactions, sorted. overrides: table `choices`."""
    return sorted(id_ for id_, own in transaction_settings(overrides).items() if own.parts)


def with_groups(rows: pl.DataFrame, overrides: pl.DataFrame | None) -> pl.DataFrame:
    """Move categories into the groups that people gave them: the group becomes the primary category."""
    groups = {code: own.group for code, own in category_settings(overrides).items() if own.group}
    if not groups:
        return rows
    primary, secondary = pl.col("primary_category"), pl.col("secondary_category")
    code = pl.coalesce(secondary, primary)
    by_code, by_primary = (
        column.replace_strict(groups, default=None, return_dtype=pl.String) for column in (code, primary)
    )
    return rows.with_columns(
        primary_category=pl.coalesce(by_code, by_primary, primary),
        secondary_category=pl.when(by_code.is_not_null() | by_primary.is_not_null()).then(code).otherwise(secondary),
    )


def with_transaction_settings(rows: pl.DataFrame, overrides: pl.DataFrame | None) -> pl.DataFrame:
    """Add `tag` and `note`; set kind `excluded`; put parts in place of split transactions.

    rows: classified, with `kind`. Parts get the ids `ID#1`, `ID#2` … and the day, account, texts, tag and note of the
    whole. A split with parts that do not sum to the amount, as after a correction by the bank, is not applied.
    """
    settings = transaction_settings(overrides)
    tags = {id_: own.tag for id_, own in settings.items() if own.tag}
    notes = {id_: own.note for id_, own in settings.items() if own.note}
    left_out = sorted(id_ for id_, own in settings.items() if own.excluded)
    rows = rows.with_columns(
        tag=_looked_up(tags),
        note=_looked_up(notes),
        kind=pl.when(pl.col("id").is_in(left_out)).then(pl.lit(EXCLUDED)).otherwise("kind"),
    )
    parts = _parts(rows, settings, overrides)
    if parts.is_empty():
        return rows
    place = pl.int_range(pl.len()).alias("_place")
    joined = rows.with_columns(place).join(parts, on="id", how="left", maintain_order="left_right")
    is_part = pl.col("_part").is_not_null()
    own = (pl.col("_primary") == OWN_ACCOUNT).fill_null(value=False)
    is_income = pl.col("_primary") == INCOME
    kind = pl.when(own).then(pl.lit("transfer")).when(is_income).then(pl.lit("income")).otherwise(pl.lit("expense"))
    return joined.with_columns(
        id=pl.when(is_part).then(pl.format("{}#{}", "id", "_part")).otherwise("id"),
        amount_minor=pl.coalesce("_minor", "amount_minor"),
        primary_category=pl.when(~own).then(pl.coalesce("_primary", "primary_category")),
        secondary_category=pl.when(is_part).then("_secondary").otherwise("secondary_category"),
        category_source=pl.when(is_part).then(pl.lit("manual")).otherwise("category_source"),
        kind=pl.when(is_part & (pl.col("kind") != EXCLUDED)).then(kind).otherwise("kind"),
    ).select(rows.columns)


def _looked_up(values: dict[str, str]) -> pl.Expr:
    return pl.col("id").replace_strict(values, default=None, return_dtype=pl.String)


def _parts(
    rows: pl.DataFrame, settings: dict[str, TransactionSettings], overrides: pl.DataFrame | None
) -> pl.DataFrame:
    """Return a row a part: id of the whole, number from 1, amount, categories."""
    split = {id_: own.parts for id_, own in settings.items() if own.parts}
    wholes = dict(rows.filter(pl.col("id").is_in(sorted(split))).select("id", "amount_minor").iter_rows())
    listed = [
        (id_, number, part.amount_minor, part.category)
        for id_, parts in split.items()
        if sum(part.amount_minor for part in parts) == wholes.get(id_)
        for number, part in enumerate(parts, 1)
    ]
    schema = {"id": pl.String, "_part": pl.Int64, "_minor": pl.Int64, "_code": pl.String}
    frame = pl.DataFrame(listed, schema, orient="row")
    coded = frame.with_columns(primary_category=converted(frame["_code"], primary_of)).with_columns(
        secondary_category=pl.when(pl.col("_code") != pl.col("primary_category")).then("_code")
    )
    grouped = with_groups(coded, overrides)
    return grouped.rename({"primary_category": "_primary", "secondary_category": "_secondary"}).drop("_code")
