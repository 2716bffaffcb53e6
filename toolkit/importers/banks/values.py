"""Parse dates and times of bank files."""

from __future__ import annotations

import re
from datetime import date, datetime, time

from toolkit.importers.dates import day


def date_time(text: str) -> datetime | None:
    """Parse ISO 8601, `31/05/2026 8:18` or `13:03 26-09-25`, zone optional; None for any other text."""
    text = text.strip()
    for clock, dated in ((text.rpartition(" ")[2], text.rpartition(" ")[0]), text.partition(" ")[::2]):
        parsed_day = day(dated, "d/m/y")
        if parsed_day and (match := re.fullmatch(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?", clock)):
            return _at(parsed_day, match)
    try:
        return datetime.fromisoformat(text) if "-" in text else None
    except ValueError:
        return None


def _at(parsed_day: date, clock: re.Match[str]) -> datetime | None:
    try:
        hour, minute, second = (int(part or 0) for part in clock.groups())
        return datetime.combine(parsed_day, time(hour, minute, second))
    except ValueError:
        return None
