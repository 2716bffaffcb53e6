"""Text of a bank file to dates and exact amounts."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_AMOUNT = re.compile(r"(?P<open>\()?(?P<sign>[+-]?)\$?(?P<late>[+-]?)(?P<number>[0-9][0-9,]*(\.[0-9]*)?|\.[0-9]+)\)?")
_GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?")

_DATES = {
    "d/m/y": re.compile(r"(?P<d>[0-9]{1,2})[/-](?P<m>[0-9]{1,2})[/-](?P<y>[0-9]{4}|[0-9]{2})"),
    "d mon y": re.compile(r"(?P<d>[0-9]{1,2})[ /-](?P<m>[A-Za-z]{3})[a-z]*[ /-](?P<y>[0-9]{4}|[0-9]{2})"),
    "yyyymmdd": re.compile(r"(?P<y>[0-9]{4})(?P<m>[0-9]{2})(?P<d>[0-9]{2})"),
    "iso": re.compile(r"(?P<y>[0-9]{4})-(?P<m>[0-9]{2})-(?P<d>[0-9]{2})"),
}


def amount(text: str) -> Decimal | None:
    """A sum of money as banks write it (`-12.30`, `+1,234.50`, `$5`, `-$5.00`, `(5.00)`), or None where it is none."""
    match = _AMOUNT.fullmatch(text.strip().replace(" ", ""))
    if match is None or bool(match["open"]) != text.strip().endswith(")"):
        return None
    digits = match["number"]
    if "," in digits and not _GROUPED.fullmatch(digits):
        return None
    value = Decimal(digits.replace(",", ""))
    negative = (match["sign"] == "-") != (match["late"] == "-")
    return -value if negative != bool(match["open"]) else value


@lru_cache(maxsize=8192)
def day(text: str, style: str) -> date | None:
    """A date in a style of `_DATES`, or None where it is no such date. Two-digit years are of this century."""
    match = _DATES[style].fullmatch(text.strip())
    if match is None:
        return None
    month = _MONTHS.get(match["m"].lower()) if match["m"].isalpha() else int(match["m"])
    year = int(match["y"]) + (2000 if len(match["y"]) == 2 else 0)
    try:
        return date(year, month or 0, int(match["d"]))
    except ValueError:
        return None


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
