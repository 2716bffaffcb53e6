"""Notes on an answer: what was assumed, left out or not measured, as values that are worded in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from string import Formatter
from types import MappingProxyType

import msgspec

from toolkit.answers.note_wording import WORDING
from toolkit.remedies import Message, Remedy, page_wording

Figure = str | int | float | Decimal | date | None
"""None is an open end of a range of days."""


class Note:
    """One remark on an answer: a code from `WORDING`, and the figures that its sentence names.

    Not a dataclass, so that the encoders of answers and of compiled plans decide how it is written. Treat as frozen.
    """

    __slots__ = ("_figures", "code")

    def __init__(self, code: str, /, **figures: Figure) -> None:
        self.code = code
        self._figures = tuple(sorted(figures.items()))

    @property
    def figures(self) -> Mapping[str, Figure]:
        """Return the values in the sentence by name."""
        return MappingProxyType(dict(self._figures))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Note) and (self.code, self._figures) == (other.code, other._figures)

    def __hash__(self) -> int:
        return hash((self.code, self._figures))

    def __repr__(self) -> str:
        return f"Note({', '.join([repr(self.code), *(f'{name}={value!r}' for name, value in self._figures)])})"

    def __str__(self) -> str:
        """Return the sentence with ISO dates, as in JSON."""
        return _Words(local=False, page=False).vformat(WORDING[self.code], (), self._values)

    def local(self) -> str:
        """Return the sentence with dates as people in Australia write them: 1 Jul 2026."""
        return _Words(local=True, page=False).vformat(WORDING[self.code], (), self._values)

    @property
    def page(self) -> str:
        """Return the sentence as the pages word it: local dates, fields and buttons in place of commands."""
        return _Words(local=True, page=True).vformat(WORDING[self.code], (), self._values)

    @property
    def _values(self) -> Mapping[str, Figure | Remedy]:
        """The figures, and every remedy by its name."""
        return {**Remedy.__members__, **dict(self._figures)}


def sentences(notes: Iterable[Note | str]) -> list[str]:
    """Return each sentence once, in order, with ISO dates."""
    return list(dict.fromkeys(map(str, notes)))


class Noted(msgspec.Struct, frozen=True):
    """An answer, or a part of one, with `notes` and `note_codes`; the codes follow from the notes."""

    def __post_init__(self) -> None:
        """Take the codes from the notes, also where `msgspec.structs.replace` changed these."""
        for name in ("note", "assumption"):
            if f"{name}_codes" in self.__struct_fields__:
                codes = tuple(note.code for note in getattr(self, f"{name}s"))
                msgspec.structs.force_setattr(self, f"{name}_codes", codes)


class _Words(Formatter):
    """Format figures: dates, months (`{month:month}`), counts with a noun (`{count:plan|plans}`), others as usual."""

    def __init__(self, *, local: bool, page: bool) -> None:
        self._local, self._page = local, page

    def format_field(self, value: object, format_spec: str) -> str:
        if value is None:
            return "…"
        if isinstance(value, date):
            if format_spec == "month":
                return f"{value:%b %Y}" if self._local else f"{value:%Y-%m}"
            return f"{value.day} {value:%b %Y}" if self._local else value.isoformat()
        if isinstance(value, (Remedy, Message)):
            return page_wording(value) if self._page else str(value)
        if "|" in format_spec:
            singular, plural = format_spec.split("|")
            return f"{value:,} {singular if value == 1 else plural}"
        return format(value, format_spec)
