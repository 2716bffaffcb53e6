"""How many of a duration some days are, for the referee (pricing rule 6)."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from datetime import date
from fractions import Fraction


def months_of(days: Iterable[date]) -> Fraction:
    return sum((Fraction(1, monthrange(day.year, day.month)[1]) for day in days), Fraction())


def periods_in(days: Sequence[date], duration: str) -> Fraction | None:
    """How many of an ISO 8601 duration those days are; None where it is no plain duration."""
    found = re.fullmatch(r"P(\d+)([DWMY])", duration.upper())
    if not found or not int(found[1]):
        return composite(days, duration)
    count = {"D": Fraction(len(days)), "W": Fraction(len(days), 7), "Y": Fraction(len(days), 365)}
    return (months_of(days) if found[2] == "M" else count[found[2]]) / int(found[1])


def composite(days: Sequence[date], duration: str) -> Fraction | None:
    """Years, months and days in one duration, by days: a month is 365 ÷ 12 of them."""
    found = re.fullmatch(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T.*)?", duration.upper())
    long = (
        sum(Fraction(int(n or 0)) * each for n, each in zip(found.groups(), (365, Fraction(365, 12), 1), strict=True))
        if found
        else 0
    )
    return Fraction(len(days)) / long if long else None
