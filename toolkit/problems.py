"""What is wrong in data is not raised: it is returned as a `Problem` next to the good rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

Severity = Literal["rejected", "warning"]


class Problem(Struct, frozen=True):
    """One thing in the user's own input or the service's records that was not taken as given."""

    where: str
    """`file:line`, or the record's id."""
    reason: str
    """What is wrong; a `Message` where it names a remedy."""
    severity: Severity = "rejected"
    """`rejected` (left out), or `warning` (taken, but look at it)."""


_LINE = re.compile(r"(?P<file>.+\.\w+):(?P<line>\d+)")
_OF_DAY = re.compile(r"\d{4}-\d\d-\d\d of ")
MOST_ALIKE = 2
"""More equal problems of a file's lines are one thing to look at."""


def grouped(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems, those of a file's lines that are equal, or differ in the day alone, as one.

    It stands where the first stood, and its place is `meter.csv, 357 lines from 3 to 359`.
    """
    alike: dict[object, list[Problem]] = {}
    for number, problem in enumerate(problems):
        at = _LINE.fullmatch(problem.where)
        key = (at["file"], _OF_DAY.sub("", problem.reason, count=1), problem.severity) if at else number
        alike.setdefault(key, []).append(problem)
    found = []
    for each in alike.values():
        if len(each) <= MOST_ALIKE:
            found += each
            continue
        lines = [(at["file"], int(at["line"])) for problem in each if (at := _LINE.fullmatch(problem.where))]
        numbers = [line for _, line in lines]
        where = f"{lines[0][0]}, {len(each):,} lines from {min(numbers)} to {max(numbers)}"
        same = len({problem.reason for problem in each}) == 1
        reason = each[0].reason if same else _OF_DAY.sub("", each[0].reason, count=1)
        found.append(Problem(where, reason, each[0].severity))
    return found
