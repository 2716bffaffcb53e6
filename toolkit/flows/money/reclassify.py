"""Bring stored classified transactions up to date with decisions, by those rows alone that the decisions can change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import polars as pl
import polars.selectors as cs

from toolkit.analytics.money.classify import Classified
from toolkit.analytics.money.edits.affected import (
    DECIDED,
    LOOKED_AT,
    Affected,
    affected_by,
    repayments,
    with_rows_replaced,
    with_wholes,
)
from toolkit.analytics.money.sums.months import SUMMED, buckets
from toolkit.flows.money.spending import (
    classified_now,
    kept_classified,
    kept_columns,
    mark_current,
    refresh,
    replace_classified,
    replace_rollups,
)
from toolkit.flows.money.summary import is_current
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.journal import OverrideRow


@contextmanager
def deciding(store: Store, household_id: str) -> Iterator[None]:
    """Change decisions of a household within, in the caller's transaction; what is classified follows at the end.

    The answer is that of `refresh`. Only rows that the decisions can change are classified again, where these are few.
    """
    household = store.load(HouseholdRow, household_id)[0]
    before = _in_force(store, household_id) if is_current(store, household) else None
    yield
    if before is not None:
        changed = before ^ _in_force(store, household_id)
        if _reclassified(store, household, sorted(changed, key=lambda row: row.number)):
            return
    refresh(store, household_id)


def _in_force(store: Store, household_id: str) -> set[OverrideRow]:
    return set(store.load(OverrideRow, household_id, where={"active": True}))


def _reclassified(store: Store, household: HouseholdRow, decisions: Sequence[OverrideRow]) -> bool:
    """Classify again what decisions can change; returns whether that is enough. Else nothing has changed."""
    home = household.household_id
    kept = kept_classified(store, home, LOOKED_AT)
    if kept is None:
        return False
    affected = affected_by(kept, decisions, store.read("accounts", home), store.read("choices", home))
    if affected is None:
        return False
    if affected.ids:
        again = classified_now(store, household, kept.links, affected.needed)
        if repayments(again.rows) != repayments(kept.rows):
            return False
        _replace(store, home, kept, again, affected)
    mark_current(store, household)
    return True


def _replace(store: Store, home: str, kept: Classified, again: Classified, affected: Affected) -> None:
    """Replace the affected rows, the possible transfers among them, and the sums of their months."""
    ids = sorted(affected.ids)
    fresh = with_wholes(again.rows, ids).filter(pl.col("whole").is_in(ids))
    before = with_wholes(kept.rows, ids).filter(pl.col("whole").is_in(ids))
    is_same = set(fresh["id"]) == set(before["id"])
    stored = kept_columns(store, home, ("id", "day", *DECIDED) if is_same else again.rows.columns)
    assert stored is not None  # they were kept together with those of `kept`
    earlier = with_wholes(stored.cast({cs.categorical(): pl.String}), ids)
    rows = with_rows_replaced(earlier, fresh, ids)
    changed = [name for name in rows.columns if not rows[name].equals(earlier[name], null_equal=True)]
    others = kept.suggestions.filter(~pl.col("out_id").is_in(ids))
    suggestions = pl.concat([others, again.suggestions.filter(pl.col("out_id").is_in(ids))])
    replace_classified(store, home, rows.select(changed), suggestions.sort("day", "out_id", "in_id"))
    months = fresh["month"].unique()
    summed = kept_columns(store, home, SUMMED)
    assert summed is not None
    of_months = summed.filter(pl.col("month").cast(pl.String).fill_null("").is_in(months.fill_null("").implode()))
    replace_rollups(store, home, buckets(of_months), months.fill_null("").to_list())
