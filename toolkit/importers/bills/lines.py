"""A bill's text as lines with columns, where a value stands behind its label or below it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TypeVar

from toolkit.importers.dates import day

V = TypeVar("V")
Found = tuple[int, int, V]
"""First and last column of a value in its line, and the value."""

MOST_LINES = 3_000
MOST_COLUMNS = 400
_BELOW = 3
"""Lines below a label in which its value may stand."""
_REACH = 6
"""Columns by which a value may begin before its label, where it stands below."""

_MONTHS = "jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec"
_DATE = re.compile(
    rf"(?<![\d/.])(?:\d{{1,2}}(?:st|nd|rd|th)?[ -]{{0,2}}(?:{_MONTHS})[a-z]{{0,6}}\.?,?"
    r"[ -]{0,2}(?:\d{4}|\d{2})(?!\d)|\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})(?!\d)|\d{4}-\d{2}-\d{2}(?!\d))",
    re.IGNORECASE,
)
_DAY_MONTH = re.compile(rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)?[ -]{{0,2}}({_MONTHS})[a-z]{{0,6}}\.?", re.IGNORECASE)
_TO = re.compile(r"\s{0,12}(?:to|until|through|[-–—])\s{0,12}", re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?<![\d.,])(?P<sign>[-–−])?\s?\$?\s?(?P<late>[-–−])?(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d{2})?|\d{1,7}(?:\.\d{2})?)"
    r"(?P<after>-)?(?![\d%]|[.,]\d)(?:\s{0,3}(?P<credit>cr(?:edit)?)\b)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a bill, spaces kept, so that columns can be compared."""

    lines: Sequence[str]

    @classmethod
    def of(cls, text: str) -> Lines:
        """Split text into lines, cut to a size that every search can bear; ligatures (“oﬀ peak”) become letters."""
        plain = "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
        split = (line.replace("\t", "    ").rstrip()[:MOST_COLUMNS] for line in plain.splitlines())
        return cls([line for line in split if line.strip()][:MOST_LINES])

    def labelled(self, label: re.Pattern[str], values: Callable[[str], Iterator[Found[V]]]) -> Iterator[V]:
        """Yield the first value behind, else below, each occurrence of a label. values: finds them in a line."""
        for number, line in enumerate(self.lines):
            for match in label.finditer(line):
                found = self._value(number, match, values)
                if found is not None:
                    yield found

    def _value(self, number: int, label: re.Match[str], values: Callable[[str], Iterator[Found[V]]]) -> V | None:
        behind = next((value for _, _, value in values(self.lines[number][label.end() :])), None)
        if behind is not None:
            return behind
        for line in self.lines[number + 1 : number + 1 + _BELOW]:
            for begin, end, value in values(line):
                if begin <= label.end() + _REACH and end >= label.start() - _REACH:
                    return value
        return None


def dates(line: str) -> Iterator[Found[date]]:
    """Yield the dates of a line, day before month."""
    for match in _DATE.finditer(line):
        if known := _date(match[0]):
            yield match.start(), match.end(), known


def _date(text: str) -> date | None:
    bare = re.sub(r"(?<=\d)(?:st|nd|rd|th)(?![a-z])|[,.](?=\s)|\.$", "", text.lower())
    if re.search(r"[a-z]", bare):
        number, month, year = re.findall(r"\d+|[a-z]+", bare)
        return day(f"{number} {month[:3]} {year}", "d mon y")
    return day(bare, "iso") or day(bare.replace(".", "/").replace("-", "/"), "d/m/y")


def spans(line: str) -> Iterator[Found[tuple[date, date]]]:
    """Yield the periods of a line: two dates with “to” or a dash; the first may lack its year."""
    for begin, end, last in dates(line):
        before = line[:begin]
        joint = next((match for match in _TO.finditer(before) if match.end() == len(before)), None)
        if joint is None:
            continue
        firsts = [found for found in dates(before) if found[1] == joint.start()]
        if firsts:
            yield firsts[-1][0], end, (firsts[-1][2], last)
        elif (match := next((m for m in _DAY_MONTH.finditer(before) if m.end() == joint.start()), None)) and (
            first := _without_year(match, last)
        ):
            yield match.start(), end, (first, last)


def _without_year(match: re.Match[str], last: date) -> date | None:
    """Return the day and month in the year of `last`, or in the one before where it would lie after it."""
    for year in (last.year, last.year - 1):
        first = day(f"{match[1]} {match[2][:3]} {year}", "d mon y")
        if first is not None and first <= last:
            return first
    return None


def amounts(line: str) -> Iterator[Found[Decimal]]:
    """Yield the amounts of money of a line: with a $ sign or two decimals; credits negative."""
    for match in _AMOUNT.finditer(line):
        if "$" not in match[0] and "." not in match["number"]:
            continue
        value = Decimal(match["number"].replace(",", ""))
        credit = match["sign"] or match["late"] or match["after"] or match["credit"]
        yield match.start(), match.end(), -value if credit else value


def texts(line: str) -> Iterator[Found[str]]:
    """Yield the texts of a line, which two spaces, a colon or the end of a sentence part."""
    for match in re.finditer(r"[^\s:](?:[^\s:.]|\.(?! )| (?! )){1,79}", line):
        yield match.start(), match.end(), match[0].strip()
