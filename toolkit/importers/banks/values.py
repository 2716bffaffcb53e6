"""Text of a bank file to dates and times."""

from __future__ import annotations

import re
from datetime import date, datetime, time

from toolkit.importers.dates import day


def moment(text: str) -> datetime | None:
    """A date and time: ISO 8601, `31/05/2026 8:18` or `13:03 26-09-25`; None where it is none. May have no zone."""
    text = text.strip()
    for clock, dated in ((text.rpartition(" ")[2], text.rpartition(" ")[0]), text.partition(" ")[::2]):
        found = day(dated, "d/m/y")
        if found and (match := re.fullmatch(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?", clock)):
            return _at(found, match)
    try:
        return datetime.fromisoformat(text) if "-" in text else None
    except ValueError:
        return None


def _at(found: date, clock: re.Match[str]) -> datetime | None:
    try:
        hour, minute, second = (int(part or 0) for part in clock.groups())
        return datetime.combine(found, time(hour, minute, second))
    except ValueError:
        return None
