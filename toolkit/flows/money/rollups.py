"""Spending roll-ups: kept true to the rows, so that a summary need not read them all."""

from __future__ import annotations

import json
from calendar import monthrange
from datetime import date

import polars as pl

from toolkit.analytics.money import Question, buckets
from toolkit.analytics.money.account_links import AccountLinks
from toolkit.flows.money.classified import basis_of, classified
from toolkit.store import Store
from toolkit.tables.schema import table
from toolkit.tables.schema.identity import HouseholdRow

TABLE = "spending_months"
_EMPTY_FOR_NULL = ("month", "primary_category", "secondary_category")
"""Parts of the key that are stored as empty text where they are null."""


def refresh(store: Store, household_id: str) -> int:
    """Recompute the household's roll-up where it is out of date, and clear the marks; returns the sums written.

    All rows are classified, whatever the months: the other leg of a transfer may stand in the month beside. Only sums
    that differ are written. Runs in the caller's transaction where there is one.
    """
    with store.transaction():
        household = store.load(HouseholdRow, household_id)[0]
        if is_current(store, household):
            return 0
        found = classified(store, household)
        _keep_links(store, household_id, found.links)
        fresh = _stored(buckets(found.rows), household_id)
        written = _replace(store, household_id, fresh)
        store.delete("dirty_months", {"household_id": household_id})
        store.upsert("rollups", [{"household_id": household_id, "basis": basis_of(store, household)}])
    return written


def mark_all(store: Store, household_id: str) -> None:
    """Say that every month's roll-up is out of date."""
    store.upsert("dirty_months", [{"household_id": household_id, "month": "*"}])


def is_current(store: Store, household: HouseholdRow) -> bool:
    """Whether the roll-up was made from today's rows, zone, accounts, choices and rules."""
    home = household.household_id
    made_from = [row["basis"] for row in store.rows("rollups", home)]
    return not store.count("dirty_months", home) and made_from == [basis_of(store, household)]


def can_answer(store: Store, household: HouseholdRow, question: Question) -> bool:
    """Whether the roll-up holds the exact answer: whole months, no merchants, every row dated, up to date."""
    bounds = (question.from_ is None or question.from_.day == 1) and (question.to is None or _ends_month(question.to))
    if question.by == "merchant" or not bounds or not is_current(store, household):
        return False
    return not store.count(TABLE, household.household_id, where={"month": ""})


def read(store: Store, household_id: str, question: Question) -> pl.DataFrame:
    """The sums of the question's months, as `analytics.spending.buckets` gives them."""
    first = question.from_.strftime("%Y-%m") if question.from_ else "0000-00"
    last = question.to.strftime("%Y-%m") if question.to else "9999-99"
    found = store.read(TABLE, household_id, where={"month": ("between", first, last)})
    return found.with_columns(pl.when(pl.col(name) != "").then(name).alias(name) for name in _EMPTY_FOR_NULL)


def _keep_links(store: Store, household_id: str, links: AccountLinks) -> None:
    """Which account each counts under, and which may be one."""
    for account, before in store.tuples("accounts", ("account_id", "linked_account_id"), household_id):
        under = links.main.get(account, account)
        linked = under if under != account else None
        if linked != before:
            where = {"household_id": household_id, "account_id": account}
            store.update("accounts", {"linked_account_id": linked}, where)
    store.delete("account_suggestions", {"household_id": household_id})
    rows = [(household_id, json.dumps(found.account_ids), found.reason) for found in links.suggestions]
    store.upsert("account_suggestions", rows)


def _ends_month(day: date) -> bool:
    return day.day == monthrange(day.year, day.month)[1]


def _stored(sums: pl.DataFrame, household_id: str) -> pl.DataFrame:
    named = sums.with_columns(pl.col(name).fill_null("") for name in _EMPTY_FOR_NULL)
    return named.with_columns(household_id=pl.lit(household_id))


def _replace(store: Store, household_id: str, fresh: pl.DataFrame) -> int:
    key = list(table(TABLE).key)
    gone = store.read(TABLE, household_id, columns=key).join(fresh, on=key, how="anti")
    for row in gone.iter_rows(named=True):
        store.delete(TABLE, row)
    counts = store.upsert(TABLE, fresh.select(table(TABLE).names).to_dicts())
    return counts.added + counts.updated + gone.height
