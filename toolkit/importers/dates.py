"""Dates as Australians write them."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_DATES = {
    "d/m/y": re.compile(r"(?P<d>[0-9]{1,2})[/-](?P<m>[0-9]{1,2})[/-](?P<y>[0-9]{4}|[0-9]{2})"),
    "d mon y": re.compile(r"(?P<d>[0-9]{1,2})[ /-](?P<m>[A-Za-z]{3})[a-z]*[ /-](?P<y>[0-9]{4}|[0-9]{2})"),
    "yyyymmdd": re.compile(r"(?P<y>[0-9]{4})(?P<m>[0-9]{2})(?P<d>[0-9]{2})"),
    "iso": re.compile(r"(?P<y>[0-9]{4})-(?P<m>[0-9]{2})-(?P<d>[0-9]{2})"),
}


@lru_cache(maxsize=8192)
def day(text: str, style: str) -> date | None:
    """A date in a style of `_DATES`, or `any` of them; None where it is none. Two-digit years are of this century."""
    if style == "any":
        return next((found for known in _DATES if (found := day(text, known))), None)
    match = _DATES[style].fullmatch(text.strip())
    if match is None:
        return None
    month = _MONTHS.get(match["m"].lower()) if match["m"].isalpha() else int(match["m"])
    year = int(match["y"]) + (2000 if len(match["y"]) == 2 else 0)
    try:
        return date(year, month or 0, int(match["d"]))
    except ValueError:
        return None
