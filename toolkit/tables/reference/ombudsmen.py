"""Who decides between a household and its energy retailer, by state."""

from __future__ import annotations

from datetime import date
from functools import cache

import msgspec

from toolkit.tables.reference.packaged import PackagedTable, packaged


class Ombudsman(msgspec.Struct, frozen=True, kw_only=True):
    """An ombudsman or tribunal that is free for households."""

    name: str
    website: str
    source: str
    """Pages on which website and phone were read."""
    phone: str | None = None
    """Null where no number was read at a source."""


class _Ombudsmen(PackagedTable, frozen=True):
    states: dict[str, Ombudsman]


def ombudsman_of(state: str | None) -> tuple[Ombudsman, date] | None:
    """Return the ombudsman of a state (`NSW` …) and the day on which it was read; None for an unknown state."""
    entry = _table().states.get(state or "")
    return None if entry is None else (entry, _table().read)


@cache
def _table() -> _Ombudsmen:
    return packaged("ombudsmen", _Ombudsmen)
