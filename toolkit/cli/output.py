"""Print answers as one JSON object or as text for a person, and choose the exit code."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from io import TextIOWrapper
from typing import TypeVar

from msgspec import Struct

from toolkit.answers import base
from toolkit.answers.base import Answer, Note, problems_of, to_json, with_signs
from toolkit.flows.wording import with_local_dates

A = TypeVar("A", bound=Answer)
_LONGEST = 2_000
"""Characters of a text in the terminal; --json has all of it."""
_LONGEST_CELL = 100
"""Characters of a cell with others to its right, which a longer one would move out of sight."""
_UNSEEN = re.compile("[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""Characters of control and direction, and of no width, that JSON need not escape."""
Show = Callable[[A], Iterable[str]]

DONE, FAILED, SOME_REJECTED = 0, 1, 3


def emit(answer: A, *, as_json: bool, show: Show[A]) -> None:
    """Print `answer` on stdout: one JSON object and nothing else, or lines for a person."""
    if as_json:
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        sys.stdout.write(_with_escapes(to_json(answer)) + "\n")
    else:
        sys.stdout.writelines(f"{line if line.isprintable() else with_signs(line)}\n" for line in show(answer))
    sys.stdout.flush()


def _with_escapes(json: str) -> str:
    """Return JSON with what could steer or turn a terminal as escapes, which mean the same to a program."""
    return json if json.isascii() and "\x7f" not in json else _UNSEEN.sub(lambda char: f"\\u{ord(char[0]):04x}", json)


def exit_code(answer: Answer) -> int:
    """Return 1 where a part failed, 3 where some of the input was rejected and is listed, else 0."""
    if getattr(answer, "failed", ()):
        return FAILED
    return SOME_REJECTED if any(problem.severity == "rejected" for problem in problems_of(answer)) else DONE


def say(message: str) -> None:
    """Print progress, a warning or a hint on stderr."""
    sys.stderr.write(printable(message) + "\n")
    sys.stderr.flush()


def printable(text: object) -> str:
    """Return text from outside with control characters as signs, so that it cannot steer a terminal."""
    return with_signs(text, length=_LONGEST)


def aud(amount: Decimal | None) -> str:
    """Format dollars: $1,234.50, with a minus where money is owed to the person; a dash where it is not known."""
    if amount is None:
        return "–"
    return f"{'-' if amount < 0 else ''}${abs(amount):,.2f}"


def day(value: date | str | None) -> str:
    """Format a day: 1 Jul 2026; a dash where there is none."""
    if value is None:
        return "–"
    known = date.fromisoformat(value[:10]) if isinstance(value, str) else value
    return f"{known.day} {known:%b %Y}"


def kwh(value: float | None) -> str:
    """Format energy with one decimal; a dash where it is not known."""
    return "–" if value is None else f"{value:z,.1f} kWh"


def percent(share: float | None, decimals: int = 0) -> str:
    """Format a share as pages and notes do; a dash where it is not known."""
    return "–" if share is None else base.percent(share, decimals)


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, right: Iterable[int] = ()) -> Iterator[str]:
    """Yield the lines of a table, columns as wide as their widest cell and those in `right` aligned right.

    Long cells are cut, but for those of the last column.
    """
    last = len(head) - 1
    lengths = [_LONGEST if index == last else _LONGEST_CELL for index in range(len(head))]
    cells = [
        [
            f"{value:,}" if isinstance(value, int) else with_signs(value, length=length)
            for value, length in zip(row, lengths, strict=True)
        ]
        for row in rows
    ]
    if not cells:
        return
    widths = [max(len(line[index]) for line in [list(head), *cells]) for index in range(len(head))]
    to_right = set(right)
    for line in [list(head), ["─" * width for width in widths], *cells]:
        yield "  ".join(
            cell.rjust(width) if index in to_right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()


def show_problems(answer: Struct, *, parts: bool = True, most: int = 20) -> Iterator[str]:
    """Yield problems as lines for a person, `most` of them; --json has all.

    parts: also those of the answer's direct parts.
    """
    problems = list(problems_of(answer) if parts else getattr(answer, "problems", ()))
    for problem in problems[:most]:
        yield f"{problem.severity}: {printable(problem.where)}: {sentence(problem.reason)}"
    if len(problems) > most:
        yield f"… and {len(problems) - most} more (all of them with --json)"


def show_notes(answer: Struct) -> Iterator[str]:
    """Yield the notes of an answer, or of a part of one, as lines for a person."""
    for note in getattr(answer, "notes", None) or ():
        yield f"note: {sentence(note)}"


def sentence(text: object) -> str:
    """Return a note or message without control characters, its dates as people write them."""
    return printable(with_local_dates(text if isinstance(text, Note) else str(text)))
