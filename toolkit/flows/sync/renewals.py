"""Rows that two consents of one institution give are counted once; see `sync.renewals` for what is the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable
from datetime import datetime
from typing import Any

from toolkit.errors import Problem
from toolkit.flows.money.classified import household_zone
from toolkit.flows.money.rollups import mark_all
from toolkit.store import Store
from toolkit.sync.renewals import NATURAL, account_identity, natural_key, ranked, superseded
from toolkit.tables import schema
from toolkit.tables.transaction_days import DATE_TIMES, days_of

Outranked = set[tuple[str, str]]
_COLUMNS = {
    *("id", "arrangement_id", "vanished_at", "superseded_by", "account_id", "service_point_id"),
    *("bsb", "account_number", "masked_number", "national_metering_id", *DATE_TIMES),
    *(name for names in NATURAL.values() for name in names),
}


def outranked(store: Store) -> Outranked:
    """(account or service point id, arrangement) that a later consent gives too: its balances and reads are skipped."""
    accounts = store.tuples("accounts", ("account_id", "arrangement_id", "superseded_by"))
    points = store.tuples("service_points", ("service_point_id", "arrangement_id", "superseded_by"))
    return {(own, arrangement) for own, arrangement, by in (*accounts, *points) if by is not None}


def deduplicate(
    store: Store, now: datetime, *, current: Collection[str] = (), after_deletion: bool = False
) -> list[Problem]:
    """Mark what is given twice, unmark what no longer is; returns a warning for each consent newly found so.

    current: arrangements of this run's records. after_deletion: look at institutions with a single consent left, too.
    """
    consents: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in store.rows("consents"):
        consents[row["household_id"], row["institution_id"] or ""].append(row)
    problems: list[Problem] = []
    for (household_id, institution_id), found in consents.items():
        if institution_id and (len(found) > 1 or after_deletion):
            with store.transaction():
                problems += _Deduplication(store, household_id, ranked(found, current), now).all_tables()
    return problems


class _Deduplication:
    """One institution of one household."""

    def __init__(self, store: Store, household_id: str, order: list[str], now: datetime) -> None:
        self.store, self.household_id, self.order, self.now = store, household_id, order, now
        self.newly_marked: dict[str, int] = defaultdict(int)
        self.zone = household_zone(store, household_id)
        rows = [*self._rows("accounts"), *self._rows("energy_accounts")]
        self.accounts = {row["account_id"]: account_identity(row) for row in rows}
        meters = self._rows("service_points")
        self.points = {row["service_point_id"]: _point_identity(row) for row in meters}

    def all_tables(self) -> list[Problem]:
        for table in NATURAL:
            self._table(table)
        if self.newly_marked:
            mark_all(self.store, self.household_id)
            self._drop_balances()
        text = "{} records are given under a later consent too: counted once"
        return [Problem(arrangement, text.format(count), "warning") for arrangement, count in self.newly_marked.items()]

    def _rows(self, table: str) -> list[dict[str, Any]]:
        """Read only the columns that distinguish rows: there may be a hundred thousand."""
        names = [name for name in schema.table(table).names if name in _COLUMNS]
        found = self.store.tuples(table, names, self.household_id, where={"arrangement_id": self.order})
        rows = [dict(zip(names, row, strict=True)) for row in found]
        days = days_of(rows, self.zone) if table == "transactions" else []
        return [{**row, "day": day} for row, day in zip(rows, days, strict=True)] if days else rows

    def _table(self, table: str) -> None:
        """Rows that vanished by themselves are given by nobody."""
        rows = [row for row in self._rows(table) if row["vanished_at"] is None or row["superseded_by"] is not None]
        given: dict[str, list[tuple[str, Hashable]]] = {arrangement: [] for arrangement in self.order}
        for row in rows:
            given[row["arrangement_id"]].append((row["id"], self._key(table, row)))
        found = superseded(list(given.items()))
        for row in rows:
            if found.get(row["id"]) != row["superseded_by"]:
                self._mark(table, row, found.get(row["id"]))

    def _key(self, table: str, row: dict[str, Any]) -> Hashable:
        return natural_key(table, row, self.accounts, self.points)

    def _mark(self, table: str, row: dict[str, Any], by: str | None) -> None:
        values = {"superseded_by": by, "vanished_at": self.now if by else None}
        self.store.update(table, values, {"household_id": self.household_id, "id": row["id"]})
        self.newly_marked[row["arrangement_id"]] += by is not None

    def _drop_balances(self) -> None:
        """The latest consent's balance is the account's."""
        for account, arrangement in outranked(self.store):
            where = {"household_id": self.household_id, "account_id": account, "arrangement_id": arrangement}
            self.store.delete("balances", where)


def _point_identity(row: dict[str, Any]) -> str:
    return str(row["national_metering_id"] or row["service_point_id"])
