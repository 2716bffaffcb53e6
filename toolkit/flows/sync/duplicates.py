"""Rows that are one: stored under another id, given under two consents of one institution, or repeated meter reads.

A row may be stored under the institution's own id where the deployment's arrives now, or the other way round. The
deployment's id is kept once it is known. A row that is stored under both is one row: what people decided about either
stays with it. Of two records that share an own id and have no other, the first is taken. What two consents give in
common: see `sync.consents`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from toolkit.analytics.money.transfers import REJECTIONS
from toolkit.flows.money.spending import mark_all
from toolkit.flows.money.summary import household_zone
from toolkit.problems import Problem
from toolkit.store import Store
from toolkit.store.statements import batches
from toolkit.sync.list_sync import NATURAL, Counts, ListSync, account_identity, natural_key, ranked, superseded
from toolkit.sync.pages import READS, ReadKey, ReadSource, read_key, source_of
from toolkit.tables import schema
from toolkit.tables.rows.records import PageRows, refusal
from toolkit.tables.rows.values import OWN_IDS, TABLES, RecordRow, column, earlier_ids, own_id, own_id_of
from toolkit.tables.schema.identity import ConsentRow
from toolkit.tables.transaction_days import DATE_TIMES, days_of
from toolkit.wire.decoding.pages import Page

_AT_ONCE = 2000
_PAIRS = ("transfer", *REJECTIONS)
"""Kinds of decisions about two transactions."""
_SHARED = "another record has the same {}, and no platform_id distinguishes them: only the first is taken"


class Recognition:
    """Gives the rows of a page the ids they are stored under; its writes belong in the transaction of the page."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._stored: dict[tuple[str, str, str], dict[str, list[tuple[str, str | None]]]] = {}
        self._given: dict[tuple[str, ...], str] = {}
        self._is_first_sync: dict[tuple[str, str], bool] = {}

    def recognise(self, household_id: str, rows: PageRows) -> int:
        """Set the ids of `rows`, refuse those that would replace another, and join stored rows that are the same.

        Returns how many stored rows went.
        """
        gone = 0
        for name in TABLES & rows.counted.keys():
            parsed = rows.counted[name]
            last = OWN_IDS[name][-1] if name in OWN_IDS else "id"  # the own id ends with it: quicker to compare
            ids = enumerate(zip(column(parsed, last), column(parsed, "id"), strict=True))
            alike = [n for n, (own, id_) in ids if own and id_.endswith(own) and own_id_of(name, parsed[n]) == id_]
            if not alike and self._has_only_given_ids(name, household_id):
                continue
            parsed = rows.counted[name] = list(parsed)
            without_platform_id = [parsed[n] for n in alike]
            if without_platform_id:
                shared = {id(row) for row in without_platform_id if not self._is_first(name, household_id, row)}
                for row in without_platform_id:
                    if id(row) in shared:
                        rows.refused.append(refusal(row["raw"].encode(), _SHARED.format(OWN_IDS[name][-1])))
                parsed = rows.counted[name] = [row for row in parsed if id(row) not in shared]
            self._is_first_sync[name, household_id] = False
            gone += self._table(name, household_id, parsed)
        rows.counted = {name: parsed for name, parsed in rows.counted.items() if parsed}
        return gone

    def is_taken(self, household_id: str, rows: PageRows) -> bool:
        """Whether a row without the deployment's id would replace what is stored of another record."""
        return any(
            self.store.tuples(name, ("id",), household_id, where={"id": row["id"]})
            for name in OWN_IDS.keys() & rows.counted.keys()
            for row in rows.counted[name]
            if own_id_of(name, row) == row["id"]
        )

    def _has_only_given_ids(self, name: str, household_id: str) -> bool:
        """Whether this run has stored all rows of the table, under the deployment's ids alone."""
        key = (name, household_id)
        if key not in self._is_first_sync:
            self._is_first_sync[key] = self.store.count(name, household_id) == 0
        return self._is_first_sync[key]

    def _is_first(self, name: str, household_id: str, row: RecordRow) -> bool:
        """Also where another consent has given a record of that own id: it is the same one then."""
        key = (name, household_id, str(row["arrangement_id"]), str(row["id"]))
        return self._given.setdefault(key, str(row["raw"])) == str(row["raw"])

    def _table(self, name: str, household_id: str, rows: Sequence[RecordRow]) -> int:
        earlier = [earlier_ids(name, row) for row in rows]
        same = ("arrangement_id", *OWN_IDS.get(name, ("account_id",)))
        stored = self._rows_under({id_ for ids in earlier for id_ in ids}, name, household_id, same)
        gone = 0
        for row, ids in zip(rows, earlier, strict=True):
            if own_id_of(name, row) == row["id"]:
                row["id"] = self._known_id(name, household_id, row)
            alike = tuple(row[column] for column in same)
            for old in [id_ for id_ in ids if id_ != row["id"] and stored.get(id_) == alike]:
                gone += _join(self.store, name, household_id, old, row["id"])
                del stored[old]
        return gone

    def _rows_under(
        self, ids: Collection[str], name: str, household_id: str, columns: tuple[str, ...]
    ) -> dict[str, tuple[Any, ...]]:
        """Those of `ids` that rows are stored under → the rows' `columns`."""
        found: dict[str, tuple[Any, ...]] = {}
        for some in batches(list(ids), _AT_ONCE):
            rows = self.store.tuples(name, ("id", *columns), household_id, where={"id": some})
            found.update({id_: tuple(values) for id_, *values in rows})
        return found

    def _known_id(self, name: str, household_id: str, row: RecordRow) -> str:
        """The deployment's id under which the row is stored already, else its own id."""
        account = str(row["account_id"]) if name == "transactions" else ""
        key = (name, household_id, account)
        if key not in self._stored:
            self._stored[key] = self._by_own_id(name, household_id, account)
        own, earlier = str(row["id"]), earlier_ids(name, row)
        alike = self._stored[key].get(own, [])
        return next((id_ for id_, of in alike if id_ not in earlier and of == row["arrangement_id"]), own)

    def _by_own_id(self, name: str, household_id: str, account: str) -> dict[str, list[tuple[str, str | None]]]:
        """Rows of the service: own id → stored id and arrangement. A person's transactions may be many: by account."""
        where = {"source": "service"} if "source" in schema.table(name).names else {}
        if account:
            where["account_id"] = account
        found = defaultdict(list)
        columns = ("id", "arrangement_id", *OWN_IDS[name])
        for id_, arrangement, *parts in self.store.tuples(name, columns, household_id, where=where):
            found[own_id(*parts) or ""].append((id_, arrangement))
        return dict(found)


def _join(store: Store, name: str, household_id: str, old: str, new: str) -> int:
    """Make the row stored as `old` the row `new`; returns 1 where both were stored."""
    key = {"household_id": household_id, "id": old}
    kept = store.rows(name, household_id, where={"id": new})
    if not kept:
        store.update(name, {"id": new}, key)
    else:
        if name == "accounts" and kept[0]["linked_account_id"] is None:
            (link,) = store.tuples(name, ("linked_account_id",), household_id, where={"id": old})
            store.update(name, {"linked_account_id": link[0]}, {**key, "id": new})
        store.delete(name, key)
    if name == "transactions":
        for column, kinds in (("subject", ("category", "transaction", *_PAIRS)), ("value", _PAIRS)):
            store.update("choices", {column: new}, {"household_id": household_id, "kind": kinds, column: old})
    return len(kept)


# ---- records that two consents give

Outranked = set[tuple[str, str]]
"""Account or service point id, and the arrangement under which its balances and reads are skipped."""
_OF_THE_LATEST_CONSENT = ("banking.balances", "energy.usage")
"""Lists with records that would replace those of another consent: they have no identity of their own."""
_COLUMNS = {
    *("id", "arrangement_id", "vanished_at", "superseded_by", "account_id", "service_point_id"),
    *("bsb", "account_number", "masked_number", "national_metering_id", *DATE_TIMES),
    *(name for names in NATURAL.values() for name in names),
}


def outranked(store: Store) -> Outranked:
    """Return the accounts and service points, with their arrangement, that a later consent gives too."""
    accounts = store.tuples("accounts", ("account_id", "arrangement_id", "superseded_by"))
    points = store.tuples("service_points", ("service_point_id", "arrangement_id", "superseded_by"))
    return {(own, arrangement) for own, arrangement, by in (*accounts, *points) if by is not None}


def without_superseded(resource: str, page: Page, superseding: Outranked) -> Page:
    """Drop balances and reads of a consent that a later one supersedes."""
    if resource not in _OF_THE_LATEST_CONSENT or not superseding:
        return page

    def is_current(record: Any) -> bool:
        own = getattr(record, "account_id", None) or getattr(record, "service_point_id", None)
        return (str(own), str(record.arrangement_id)) not in superseding

    return page.where(is_current)


COUNTED_ONCE = "records are shared under two consents; each counts once"


def deduplicate(
    store: Store, now: datetime, *, current: Collection[str] = (), after_deletion: bool = False
) -> list[Problem]:
    """Mark what is given twice, unmark what no longer is; returns a warning for each consent newly found so.

    current: arrangements of this run's records. after_deletion: look at institutions with a single consent left, too.
    """
    consents: dict[tuple[str, str], list[ConsentRow]] = defaultdict(list)
    for row in store.load(ConsentRow):
        consents[row.household_id, row.institution_id or ""].append(row)
    names = dict(store.tuples("institutions", ("institution_id", "name")))
    problems: list[Problem] = []
    for (household_id, institution_id), found in consents.items():
        if institution_id and (len(found) > 1 or after_deletion):
            with store.transaction():
                marked = _Deduplication(store, household_id, ranked(found, current), now).all_tables()
            name = names.get(institution_id) or institution_id
            problems += [Problem(name, f"{count:,} {COUNTED_ONCE}", "warning") for count in marked]
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
        self.points = {
            row["service_point_id"]: str(row["national_metering_id"] or row["service_point_id"]) for row in meters
        }

    def all_tables(self) -> list[int]:
        """Return how many rows of each consent are newly found to be given by a later one."""
        for table in NATURAL:
            self._table(table)
        if self.newly_marked:
            mark_all(self.store, self.household_id)
            # The latest consent's balance is the account's.
            for account, earlier in outranked(self.store):
                where = {"household_id": self.household_id, "account_id": account, "arrangement_id": earlier}
                self.store.delete("balances", where)
        return [count for count in self.newly_marked.values() if count]

    def _rows(self, table: str) -> list[RecordRow]:
        """Read only the columns that distinguish rows: there may be a hundred thousand."""
        names = [name for name in schema.table(table).names if name in _COLUMNS]
        found = self.store.tuples(table, names, self.household_id, where={"arrangement_id": self.order})
        rows = [dict(zip(names, row, strict=True)) for row in found]
        days = days_of(rows, self.zone) if table == "transactions" else []
        return [{**row, "day": day} for row, day in zip(rows, days, strict=True)] if days else rows

    def _table(self, table: str) -> None:
        """Mark the rows of a table that a later consent gives too; vanished rows are given by no consent."""
        rows = [row for row in self._rows(table) if row["vanished_at"] is None or row["superseded_by"] is not None]
        given: dict[str, list[tuple[str, Hashable]]] = {arrangement: [] for arrangement in self.order}
        for row in rows:
            given[row["arrangement_id"]].append((row["id"], natural_key(table, row, self.accounts, self.points)))
        found = superseded(list(given.items()))
        for row in rows:
            by = found.get(row["id"])
            if by != row["superseded_by"]:
                values = {"superseded_by": by, "vanished_at": self.now if by else None}
                self.store.update(table, values, {"household_id": self.household_id, "id": row["id"]})
                self.newly_marked[row["arrangement_id"]] += by is not None


# ---- meter reads that two records give


class RepeatedReads:
    """Defers repeated meter reads: written at once, two records would replace each other in every sync."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._sources: dict[ListSync, dict[ReadKey, ReadSource]] = {}
        self._waiting: dict[ListSync, list[tuple[ReadKey, RecordRow]]] = defaultdict(list)

    def storable(self, list_sync: ListSync, rows: PageRows) -> PageRows:
        """Return the rows of a page to store now; repeated reads wait for `store_latest`."""
        if list_sync.resource != "energy.usage":
            return rows
        counted = {table: [row for row in table_rows if self._is_from_one_source(list_sync, table, row)]
                   for table, table_rows in rows.counted.items()}  # fmt: skip
        return replace(rows, counted={table: kept for table, kept in counted.items() if kept})

    def has_deferred(self, list_sync: ListSync) -> bool:
        """Whether reads of the list sync are deferred."""
        return bool(self._waiting[list_sync])

    def store_latest(self, list_sync: ListSync, last: Mapping[ReadKey, ReadSource]) -> Counts:
        """Store the deferred reads from the sources in `last`, within the caller's transaction."""
        waiting = self._waiting.pop(list_sync, [])
        latest = {key: row for key, row in waiting if last[key] == source_of(row)}
        replaced = len(waiting) - len(latest)
        counts = Counts(fetched=replaced, unchanged=replaced)
        for table in READS:
            written = self.store.upsert(table, [row for key, row in latest.items() if key[0] == table])
            counts += Counts(written.total, written.added, written.updated, written.unchanged)
        return counts

    def _is_from_one_source(self, list_sync: ListSync, table: str, row: RecordRow) -> bool:
        """Whether no other record of the consent has given the read so far; else defer it."""
        if list_sync not in self._sources:
            self._sources[list_sync] = self._stored(list_sync)
        key, source = read_key(table, row), source_of(row)
        known = self._sources[list_sync].setdefault(key, source)
        if known != source and known[1] == source[1]:
            self._waiting[list_sync].append((key, row))
            return False
        self._sources[list_sync][key] = source
        return True

    def _stored(self, list_sync: ListSync) -> dict[ReadKey, ReadSource]:
        where = {"service_point_id": list_sync.part, "source": "service"}
        return {
            (table, *map(str, key)): (id_, arrangement)
            for table, names in READS.items()
            for id_, arrangement, *key in self.store.tuples(
                table, ("id", "arrangement_id", *names), list_sync.person.household_id, where=where
            )
        }
