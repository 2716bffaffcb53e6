"""Sentences of answers, for people: programs read them as they are."""

from __future__ import annotations

import re
from datetime import date

_DAY = re.compile(r"(?<![\w/.:-])(?<!--from )(?<!--to )\d{4}-\d\d-\d\d(?![\w/-]|\.\w)")
"""A date that is a word of its own: not part of a file's name, an id or an option to type."""


def with_local_dates(sentence: str) -> str:
    """`… on 2026-07-01.` → `… on 1 Jul 2026.`; what is no date of the calendar stays as it is."""
    return _DAY.sub(_local, sentence)


def _local(written: re.Match[str]) -> str:
    try:
        day = date.fromisoformat(written[0])
    except ValueError:
        return written[0]
    return f"{day.day} {day:%b %Y}"
