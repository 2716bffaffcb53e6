"""Names of the charges of a bill, as people read them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

UNNAMED = "tariff period"
"""What a period is called where the plan gives it no name."""
_DAY = r"\d{1,2} [A-Z][a-z]{2}"
_DATED = re.compile(rf"(?P<period>.*?) \((?P<first>{_DAY}) to (?P<last>{_DAY})\)(?P<rest>.*)")
_USAGE = "Usage"


def charge_name(label: str) -> str:
    """Return the name of a price without a tariff period that says nothing: one of a whole year, or without a name.

    label: as in a bill: `Single Rate (1 Jul to 30 Jun): daily supply`, `tariff period`.
    """
    dated = _DATED.fullmatch(label)
    if dated is None:
        period, rest = (UNNAMED, label.removeprefix(UNNAMED)) if _is_unnamed(label) else ("", label)
    elif _is_whole_year(dated["first"], dated["last"]):
        period, rest = dated["period"], dated["rest"]
    elif dated["period"] == UNNAMED:  # the season is its name
        return f"{dated['first']} to {dated['last']}{dated['rest']}"
    else:
        return label
    name = rest.removeprefix(": ")
    if not name or name.startswith(","):  # the price is called as its period, and may have blocks
        name = (_USAGE if period == UNNAMED else period) + name
    return name[0].upper() + name[1:] if period else name


def _is_unnamed(label: str) -> bool:
    return label == UNNAMED or label.startswith((f"{UNNAMED}: ", f"{UNNAMED}, "))


def _is_whole_year(first: str, last: str) -> bool:
    """Return whether a season ends on the day before it begins; 29 February is in it either way."""
    try:
        begins, ends = (datetime.strptime(f"{day} 2027", "%d %b %Y").date() for day in (first, last))  # noqa: DTZ007
    except ValueError:
        return False
    return (begins - ends) in (timedelta(1), timedelta(1 - 365))
