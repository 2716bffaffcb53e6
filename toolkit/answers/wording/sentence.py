"""Make the sentence of a note from its code and figures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from string import Formatter
from typing import Any

from toolkit.answers.base import percent, quoted
from toolkit.answers.wording.notes import WORDING
from toolkit.remedies import Message, Remedy, marked_wording, page_wording

_REMEDY = re.compile(r"{([A-Z_]+)}")


def sentence(code: str, figures: Mapping[str, Any], *, local: bool, page: bool, marked: bool = False) -> str:
    """Put the words of remedies in place of their names, then fill in the figures, which those may name too.

    local: dates as people in Australia write them. page: as the pages word it. marked: with a mark for each remedy.
    """
    wording = marked_wording if marked else page_wording if page else str
    words = {name: wording(remedy) for name, remedy in Remedy.__members__.items()}
    worded = _REMEDY.sub(lambda name: words[name[1]], WORDING[code])
    return _Figures(local=local, page=page).vformat(worded, (), figures)


_SHARES = {".0%": 0, ".1%": 1}
"""Format of a share → its decimals."""


class _Figures(Formatter):
    """Format figures: names in quotation marks (`{name!r}`), dates, months (`{month:month}`), counts with a noun
    (`{count:plan|plans}`), others as usual.

    Shares (`{share:.1%}`) are worded as `percent` does.
    """

    def __init__(self, *, local: bool, page: bool) -> None:
        self._local, self._page = local, page

    def format_field(self, value: object, format_spec: str) -> str:
        if value is None:
            return "…"
        if isinstance(value, date):
            return self._date(value, format_spec)
        if isinstance(value, (Remedy, Message)):
            return page_wording(value) if self._page else str(value)
        if "|" in format_spec:
            singular, plural = format_spec.split("|")
            return f"{value:,} {singular if value == 1 else plural}"
        if isinstance(value, (int, float, Decimal)) and format_spec in _SHARES:
            return percent(value, _SHARES[format_spec])
        return format(value, format_spec)

    def convert_field(self, value: object, conversion: str | None) -> object:
        return quoted(value) if conversion == "r" else super().convert_field(value, conversion)

    def _date(self, value: date, format_spec: str) -> str:
        if format_spec == "month":
            return f"{value:%b %Y}" if self._local else f"{value:%Y-%m}"
        return f"{value.day} {value:%b %Y}" if self._local else value.isoformat()
