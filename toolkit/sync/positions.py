"""How far each part of a resource has been read: part → last day, stored as JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date

Positions = dict[str, date]


def read_positions(text: str | None) -> Positions:
    """Parse stored positions; none for None."""
    return {part: date.fromisoformat(day) for part, day in json.loads(text or "{}").items()}


def written_positions(positions: Mapping[str, date]) -> str:
    """Write positions as JSON text, sorted by part."""
    return json.dumps({part: day.isoformat() for part, day in sorted(positions.items())}, separators=(",", ":"))


def moved(positions: Positions, part: str, newest: date | None, today: date) -> Positions:
    """Return `positions` after a complete list sync of `part` up to `newest`; never after `today`, never earlier."""
    known = [day for day in (positions.get(part), newest and min(newest, today)) if day is not None]
    return {**positions, part: max(known)} if known else positions
