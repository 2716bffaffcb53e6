"""Days that people type: those whose year cannot be meant are refused."""

from __future__ import annotations

from datetime import date

from toolkit.errors import UsageError

YEARS = range(1990, 2100)
"""Years of bills, plans, balances and days to follow up."""


def check_day(day: date | None, option: str = "") -> None:
    """Raise UsageError, about `option`, where the year of a day cannot be meant, as 0026 for 2026."""
    if day is not None and day.year not in YEARS:
        raise UsageError(
            f"The year {day.year:04} cannot be right. Enter it with four digits, for example 2026.", option=option
        )
