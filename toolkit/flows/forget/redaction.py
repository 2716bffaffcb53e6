"""Redaction of deleted ids: rows that belong to one are deleted, rows that only mention one lose the name.

| rows | what remains |
|---|---|
| with a consent, account or service point of their own | nothing, if that was deleted |
| invoices | nothing if every billed service point was deleted; otherwise the invoice stays, as it is one sum |
| scheduled payments | those from a deleted account go; those to it stay, as a kept account pays them |
| accounts, energy accounts, consents | stay, also if the record names a deleted account or service point |
| account plans | stay: the contract is the account's, even if it supplies deleted service points only |
| plans | those that no account of the household has any more go, as their ids contain the account |
| quarantined records | nothing, if any text in the record names a deleted id |

Rows that stay have `(forgotten)` in place of the name, in lists and in the raw record: leaving it out of a list would
suggest that the list was complete. Payees and products name no account. A transaction or a read names only its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from toolkit.flows.household.context import without_plan
from toolkit.store import Store
from toolkit.store.sync_state import remove_from_quarantine, tombstone
from toolkit.tables.rows.records import PageRows
from toolkit.tables.rows.values import RecordRow
from toolkit.tables.schema import STORED, Table, table
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.journal import QuarantineRow
from toolkit.wire.decoding.pages import Page

REDACTED = "(forgotten)"
_OWN = {"arrangement_id": "arrangement", "account_id": "account", "service_point_id": "service_point"}
"""Column with the owner of a row → kind of its tombstone."""
_MENTIONED = ("account", "service_point")
_OF_ONE = {"transactions", "register_days", "meter_reads"}
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class Tombstones:
    """The tombstones stored when this is created. False if there are none."""

    def __init__(self, store: Store) -> None:
        self._hashes = frozenset(row["hash"] for row in store.rows("tombstones"))

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def cover(self, owner_ids: Mapping[str, str | None], household_id: str) -> bool:
        """Whether the consent, account or service point in these columns has a tombstone."""
        ids = [(kind, owner_ids.get(column)) for column, kind in _OWN.items()]
        return any(identity and self._is(kind, identity, household_id) for kind, identity in ids)

    def redacted(self, name: str, row: RecordRow) -> RecordRow | None:
        """Return a row of table `name` as it may be stored; None if it belongs to a deleted id."""
        home = row.get("household_id") or ""
        if self.cover(row, home):
            return None
        if name in _OF_ONE:
            return row
        if name == "invoices":
            points = json.loads(row["service_points"] or "[]")
            if points and all(self._is("service_point", point, home) for point in points):
                return None
        return {
            **row,
            **{column: self._with_redactions(row[column], home) for column in _json_columns(name) if row.get(column)},
        }

    def filter_page(self, page: Page, household_id: str) -> Page:
        """Drop records that name a deleted consent, account or service point as their own."""
        return page.where(lambda record: not self.cover(owner_ids(record), household_id)) if self else page

    def filter_rows(self, rows: PageRows, household_id: str) -> PageRows:
        """Drop rows of deleted accounts and service points, and redact their names in other rows.

        Unreadable records that name them are dropped too.
        """
        if not self:
            return rows
        counted, further = self._remaining(rows.counted), self._remaining(rows.further)
        kept = {row.get("id") for table_rows in counted.values() for row in table_rows}
        gone = {row.get("id") for table_rows in rows.counted.values() for row in table_rows} - kept
        return replace(
            rows,
            counted=counted,
            further=further,
            refused=[
                refused
                for refused in rows.refused
                if not self.cover(owner_ids(refused), household_id)
                and not self.is_mentioned_in(refused.raw, household_id)
            ],
            unparsed=[unparsed for unparsed in rows.unparsed if unparsed.id not in gone],
        )

    def _remaining(self, rows_by_table: dict[str, list[RecordRow]]) -> dict[str, list[RecordRow]]:
        remaining = {
            name: [kept for row in rows if (kept := self.redacted(name, row)) is not None]
            for name, rows in rows_by_table.items()
        }
        return {name: rows for name, rows in remaining.items() if rows}

    def is_mentioned_in(self, text: str, household_id: str) -> bool:
        """Whether a JSON text names a deleted account or service point."""
        return bool(self._names_in(text, household_id))

    def _is(self, kind: str, identity: str, household_id: str) -> bool:
        return any(tombstone(kind, identity, home) in self._hashes for home in ("", household_id))

    def _names_in(self, text: str, household_id: str) -> set[str]:
        """Return the JSON strings in `text` that name a deleted id, as spelled there, with their quotes."""
        strings = {quoted: _unquoted(quoted) for quoted in set(_STRING.findall(text))}
        return {
            quoted for quoted, name in strings.items() if any(self._is(kind, name, household_id) for kind in _MENTIONED)
        }

    def _with_redactions(self, text: str, household_id: str) -> str:
        names = self._names_in(text, household_id)
        return _STRING.sub(lambda match: f'"{REDACTED}"' if match[0] in names else match[0], text) if names else text


def _unquoted(quoted: str) -> str:
    """Decode a JSON string; a lone surrogate becomes `?`, as no stored name has one."""
    if "\\" not in quoted:
        return quoted[1:-1]
    try:
        text: str = json.loads(quoted, strict=False)
    except ValueError:
        return quoted[1:-1]
    return text.encode("utf-8", "replace").decode()


@cache
def _json_columns(name: str) -> tuple[str, ...]:
    """Return the columns of a table that contain JSON: lists and the raw record."""
    return tuple(column.name for column in table(name).columns if column.kind == "json" or column.name == "raw")


def redact_stored(store: Store, household_id: str) -> None:
    """Redact deleted ids in the household's stored rows, which a list of consents may name again.

    Use inside a transaction. Rows of other households stay as they are, also where they name the same account. Only
    rows from the service: somebody who imports a file again wants its rows back. Transactions and meter rows are not
    searched, as `forget` deletes them and no sync fetches them again.
    """
    tombstones = Tombstones(store)
    if not tombstones:
        return
    for entry in STORED:
        if {"household_id", "arrangement_id"} <= set(entry.names) and entry.name not in _OF_ONE:
            _redact_table(store, tombstones, entry, household_id)
    for row in store.load(QuarantineRow, household_id):
        if tombstones.is_mentioned_in(row.raw, household_id):
            remove_from_quarantine(store, row)
    _drop_unused_plans(store, household_id)


def _redact_table(store: Store, tombstones: Tombstones, entry: Table, household_id: str) -> None:
    for row in store.rows(entry.name, household_id):
        if row["arrangement_id"] is None:
            continue
        redacted, key = tombstones.redacted(entry.name, row), {column: row[column] for column in entry.key}
        if redacted is None:
            store.delete(entry.name, key)
        elif redacted != row:
            store.update(entry.name, {column: redacted[column] for column in _json_columns(entry.name)}, key)


def _drop_unused_plans(store: Store, household_id: str) -> None:
    """Delete the household's plans that no account has any more, and clear them as its chosen plan."""
    names = ("plan_id", "version")
    in_use = set(store.tuples("account_plans", names, household_id))
    for plan, version in set(store.tuples("plans", names, household_id, where={"source": "service"})) - in_use:
        store.delete("plans", {"household_id": household_id, "plan_id": plan, "version": version})
        if not store.count("plans", where={"household_id": ["", household_id], "plan_id": plan}):
            for home in store.load(HouseholdRow, household_id):
                store.update("households", without_plan(home, plan), {"household_id": household_id})


def owner_ids(record: object) -> dict[str, str | None]:
    """Return consent, account and service point ids of a record or refusal; None for each that it does not name."""
    return {column: getattr(record, column, None) for column in _OWN}
