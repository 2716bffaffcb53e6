"""What of a page does not go in: what was forgotten, and what another consent gives as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolkit.flows.forget.redaction import Row, Tombstones, owner_ids
from toolkit.flows.sync.renewals import outranked
from toolkit.store import Store
from toolkit.sync.list_sync import Walk
from toolkit.tables.rows.records import PageRows, Refusal
from toolkit.wire.decoding.pages import Page

_OF_THE_LATEST_CONSENT = ("banking.balances", "energy.usage")
"""Lists whose records would replace those of another consent: they have no identity of their own."""


class Sieve:
    """As things are when a sync begins."""

    def __init__(self, store: Store) -> None:
        self._outranked = outranked(store)
        self._forgotten = Tombstones(store)

    def not_forgotten(self, walk: Walk, page: Page) -> Page:
        """Without records that say themselves that they are of what was forgotten."""
        if not self._forgotten:
            return page
        return _with(page, [self._is_forgotten(walk, record) for record in page.records])

    def nameless(self, walk: Walk, rows: PageRows) -> PageRows:
        """What a page became, without the rows that turn out to be of what was forgotten, and without its name.

        Of that not even what cannot be read is kept.
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
            refused=[found for found in rows.refused if not self._is_refused_forgotten(walk, found)],
            unread=[unread for unread in rows.unread if unread.id not in gone],
        )

    def _left_of(self, brought: dict[str, list[Row]]) -> dict[str, list[Row]]:
        left = {
            name: [kept for row in rows if (kept := self._forgotten.redacted(name, row)) is not None]
            for name, rows in brought.items()
        }
        return {name: rows for name, rows in left.items() if rows}

    def _is_refused_forgotten(self, walk: Walk, found: Refusal) -> bool:
        return self._is_forgotten(walk, found) or self._forgotten.is_mentioned_in(found.raw, walk.person.household_id)

    def _is_forgotten(self, walk: Walk, record: object) -> bool:
        """Whether the record's consent, account or service point was, everywhere or in the household of the walk."""
        return self._forgotten.cover(owner_ids(record), walk.person.household_id)

    def given_once(self, walk: Walk, page: Page) -> Page:
        """Without what a consent that another one outranks gives again."""
        if walk.resource not in _OF_THE_LATEST_CONSENT or not self._outranked:
            return page
        return _with(page, [_belongs_to(record) in self._outranked for record in page.records])


def _with(page: Page, left_out: list[bool]) -> Page:
    kept = [pair for pair, out in zip(zip(page.records, page.raws, strict=True), left_out, strict=True) if not out]
    return replace(page, records=[record for record, _ in kept], raws=[raw for _, raw in kept])


def _belongs_to(record: Any) -> tuple[str, str]:
    own = getattr(record, "account_id", None) or getattr(record, "service_point_id", None)
    return str(own), str(record.arrangement_id)
