"""What of a page does not go in: what was forgotten, and what another consent gives as well."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolkit.flows.sync_renewals import outranked
from toolkit.flows.tombstones import tombstone
from toolkit.sync.walks import Walk
from toolkit.tables.rows import Refusal
from toolkit.wire.pages import Page

if TYPE_CHECKING:
    from toolkit.store import Store

_FORGETTABLE = (
    ("arrangement", "arrangement_id"),
    ("account", "account_id"),
    ("service_point", "service_point_id"),
)
_OF_THE_LATEST_CONSENT = ("banking.balances", "energy.usage")
"""Lists whose records would replace those of another consent: they have no identity of their own."""


class Sieve:
    """As things are when a sync begins."""

    def __init__(self, store: Store) -> None:
        self._outranked = outranked(store)
        self._forgotten = {row["hash"] for row in store.rows("tombstones")}

    def not_forgotten(self, walk: Walk, page: Page) -> Page:
        if not self._forgotten:
            return page
        return _with(page, [self._is_forgotten(walk, record) for record in page.records])

    def refused(self, walk: Walk, found: list[Refusal]) -> list[Refusal]:
        """Of what was forgotten not even what cannot be read is kept."""
        return [refusal for refusal in found if not self._is_forgotten(walk, refusal)]

    def _is_forgotten(self, walk: Walk, record: Any) -> bool:
        """Whether the record's consent, account or service point was, everywhere or in the household of the walk."""
        if not self._forgotten:
            return False
        named = [(kind, getattr(record, column, None)) for kind, column in _FORGETTABLE]
        places = ("", walk.person.household_id)
        hashes = {tombstone(kind, identity, place) for kind, identity in named if identity for place in places}
        return not hashes.isdisjoint(self._forgotten)

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
