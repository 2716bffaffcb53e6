"""Filter forgotten records, and records that a later consent gives as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolkit.flows.forget.redaction import Row, Tombstones, owner_ids
from toolkit.flows.sync.renewals import outranked
from toolkit.store import Store
from toolkit.sync.list_sync import ListSync
from toolkit.tables.rows.records import PageRows, Refusal
from toolkit.wire.decoding.pages import Page

_OF_THE_LATEST_CONSENT = ("banking.balances", "energy.usage")
"""Lists whose records would replace those of another consent: they have no identity of their own."""


class ForgottenFilter:
    """Filters pages by the tombstones and superseded consents at the start of a sync."""

    def __init__(self, store: Store) -> None:
        self._outranked = outranked(store)
        self._forgotten = Tombstones(store)

    def without_forgotten(self, list_sync: ListSync, page: Page) -> Page:
        """Drop records that name a forgotten consent, account or service point as their own."""
        if not self._forgotten:
            return page
        return _with(page, [self._is_forgotten(list_sync, record) for record in page.records])

    def without_forgotten_rows(self, list_sync: ListSync, rows: PageRows) -> PageRows:
        """Drop rows of forgotten accounts and service points, and redact their names in other rows.

        Unreadable records that name them are dropped too.
        """
        if not self._forgotten:
            return rows
        counted, further = self._left_of(rows.counted), self._left_of(rows.further)
        kept = {row.get("id") for found in counted.values() for row in found}
        gone = {row.get("id") for found in rows.counted.values() for row in found} - kept
        return replace(
            rows,
            counted=counted,
            further=further,
            refused=[found for found in rows.refused if not self._is_refused_forgotten(list_sync, found)],
            unparsed=[unparsed for unparsed in rows.unparsed if unparsed.id not in gone],
        )

    def _left_of(self, rows_by_table: dict[str, list[Row]]) -> dict[str, list[Row]]:
        left = {
            name: [kept for row in rows if (kept := self._forgotten.redacted(name, row)) is not None]
            for name, rows in rows_by_table.items()
        }
        return {name: rows for name, rows in left.items() if rows}

    def _is_refused_forgotten(self, list_sync: ListSync, found: Refusal) -> bool:
        return self._is_forgotten(list_sync, found) or self._forgotten.is_mentioned_in(
            found.raw, list_sync.person.household_id
        )

    def _is_forgotten(self, list_sync: ListSync, record: object) -> bool:
        """Whether the record's consent, account or service point was forgotten, everywhere or in this household."""
        return self._forgotten.cover(owner_ids(record), list_sync.person.household_id)

    def without_superseded(self, list_sync: ListSync, page: Page) -> Page:
        """Drop balances and reads of a consent that a later one supersedes."""
        if list_sync.resource not in _OF_THE_LATEST_CONSENT or not self._outranked:
            return page
        return _with(page, [_belongs_to(record) in self._outranked for record in page.records])


def _with(page: Page, left_out: list[bool]) -> Page:
    kept = [pair for pair, out in zip(zip(page.records, page.raws, strict=True), left_out, strict=True) if not out]
    return replace(page, records=[record for record, _ in kept], raws=[raw for _, raw in kept])


def _belongs_to(record: Any) -> tuple[str, str]:
    own = getattr(record, "account_id", None) or getattr(record, "service_point_id", None)
    return str(own), str(record.arrangement_id)
