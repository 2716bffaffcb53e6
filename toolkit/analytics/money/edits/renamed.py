"""Decisions about payees, where a new version of the program names a payee in another way: they follow the new name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec
import polars as pl
from msgspec.structs import replace

from toolkit.analytics.money.categorise import in_force, payees_in
from toolkit.analytics.money.edits.affected import with_wholes
from toolkit.analytics.money.edits.review import Reviewed
from toolkit.analytics.money.edits.settings import PAYEE_RULE, split_ids
from toolkit.analytics.money.overrides import REVIEWED
from toolkit.analytics.money.parties import with_merchants
from toolkit.tables.schema.journal import OverrideRow

ABOUT_PAYEES = (PAYEE_RULE, REVIEWED)
"""The kinds of decisions that name payees."""
COMPARED = ("id", "merchant")
"""The columns of classified transactions that `new_names` needs."""


def decided_payees(decisions: Iterable[OverrideRow]) -> set[str]:
    """Return the payees that decisions name, lower case."""
    return {name for row in decisions for name in _names_in(row)}


def new_names(
    kept: pl.DataFrame, transactions: pl.DataFrame, payees: Collection[str], overrides: pl.DataFrame | None = None
) -> dict[str, list[str]]:
    """Return payee as it was called, lower case → what its transactions are called now, the most frequent name first.

    kept: transactions as another version classified them, with `COMPARED`. transactions: table `transactions`.
    payees: the only ones wanted; of these, those whose transactions name nobody now are left out. overrides: `choices`.
    """
    was = with_wholes(kept, split_ids(overrides)).select(
        pl.col("whole").alias("id"), pl.col("merchant").cast(pl.String).str.to_lowercase().alias("_was")
    )
    decided = was.filter(pl.col("_was").is_in(sorted(payees))).unique("id")
    now = with_merchants(transactions.lazy().join(decided.lazy(), on="id")).select("_was", "merchant")
    counts = now.drop_nulls().group_by("_was", "merchant").len().collect()
    counts = counts.sort("_was", "len", "merchant", descending=[False, True, False])
    names: dict[str, list[str]] = {}
    for old, new in counts.select("_was", "merchant").iter_rows():
        names.setdefault(old, []).append(new)
    return names


def with_new_names(decision: OverrideRow, names: Mapping[str, list[str]]) -> OverrideRow:
    """Return a decision about payees with the names that these have now. names: see `new_names`."""
    if decision.kind == PAYEE_RULE:
        return replace(decision, subject="\n".join(_renamed(decision.subject.split("\n"), names)))
    reviewed = msgspec.json.decode(decision.value, type=Reviewed)
    payees = tuple(name.lower() for name in _renamed(reviewed.payees, names))
    return replace(decision, value=msgspec.json.encode(replace(reviewed, payees=payees)).decode())


def rules_without_payee(overrides: pl.DataFrame | None, rows: pl.DataFrame) -> list[OverrideRow]:
    """Return the rules for a payee that no transaction has. rows: classified transactions; overrides: `choices`."""
    known = set(rows["merchant"].cast(pl.String).str.to_lowercase().unique())
    return [rule for rule in in_force(overrides, PAYEE_RULE) if known.isdisjoint(payees_in(rule.subject))]


def _names_in(decision: OverrideRow) -> Collection[str]:
    if decision.kind == PAYEE_RULE:
        return payees_in(decision.subject)
    return msgspec.json.decode(decision.value, type=Reviewed).payees


def _renamed(payees: Iterable[str], names: Mapping[str, list[str]]) -> list[str]:
    """Return the names that payees have now, each once whatever its case; one that nothing is known of stays."""
    renamed: dict[str, str] = {}
    for name in (new for payee in payees for new in names.get(payee.lower(), [payee])):
        renamed.setdefault(name.lower(), name)
    return list(renamed.values())
