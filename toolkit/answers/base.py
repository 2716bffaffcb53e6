"""What all answers have in common: notes, tables inside them, how they become JSON, and text from outside made safe.

An answer is a frozen Struct; its fields are the JSON keys in their order; a key that is a Python keyword has a
trailing underscore here (`from_`). Amounts are Decimals in AUD with two decimals, unless a currency is given next to
them. Days are dates, instants are datetimes with an offset, what is not known is None. A key that some options leave
out is UNSET. Notes say what was assumed, left out or not measured, as values that are worded in one place.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, get_args, overload

import msgspec

from toolkit.problems import Problem
from toolkit.remedies import Message

if TYPE_CHECKING:
    import polars as pl


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
        return self._worded(local=False, page=False)

    def packed(self) -> list[object]:
        """Return what an encoder can write: the code, then names and figures in turn.

        A date or a decimal is a list, so that it is not taken for text.
        """
        parts: list[object] = [self.code]
        for name, figure in self._figures:
            typed = isinstance(figure, (date, Decimal))
            kind = "date" if isinstance(figure, date) else "decimal"
            parts += [name, [kind, str(figure)] if typed else figure]
        return parts

    @classmethod
    def unpacked(cls, parts: Sequence[Any]) -> Note:
        """Return the note that `packed` made a list of."""
        code, *rest = parts
        figures: dict[str, Figure] = {}
        for name, figure in zip(rest[::2], rest[1::2], strict=True):
            if isinstance(figure, list):
                kind, value = figure
                figures[name] = date.fromisoformat(value) if kind == "date" else Decimal(value)
            else:
                figures[name] = figure
        return cls(code, **figures)

    def local(self) -> str:
        """Return the sentence with dates as people in Australia write them: 1 Jul 2026."""
        return self._worded(local=True, page=False)

    @property
    def page(self) -> str:
        """Return the sentence as the pages word it: local dates, fields and buttons in place of commands."""
        return self._worded(local=True, page=True)

    @property
    def marked(self) -> str:
        """Return that with a mark in place of each remedy."""
        return self._worded(local=True, page=True, marked=True)

    def _worded(self, *, local: bool, page: bool, marked: bool = False) -> str:
        from toolkit.answers.wording.sentence import sentence

        return sentence(self.code, self.figures, local=local, page=page, marked=marked)


def sentences(notes: Iterable[Note | str]) -> list[str]:
    """Return each sentence once, in order, with ISO dates."""
    return list(dict.fromkeys(map(str, notes)))


def percent(share: float | Decimal, decimals: int = 0) -> str:
    """Word a share: `12%`; nothing and the whole are `0%` and `100%`, and no other share reads so.

    One that would gets a decimal, and where even that does not help it is `less than 0.1%` or `more than 99.9%`.
    """
    if share in (0, 1):
        return f"{share:.0%}"
    for places in (decimals, 1):
        text = f"{share:z.{places}%}"
        if not 0 < share < 1 or float(text[:-1]) not in (0, 100):
            return text
    return f"less than {0.001:.1%}" if share < 0.001 else f"more than {0.999:.1%}"


Row = TypeVar("Row", bound=msgspec.Struct)


JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
"""What JSON can hold, as Python reads it."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Base class of everything that a command, a page or a public function answers."""

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from toolkit.answers.html import html_of

        return html_of(self)


class Noted(msgspec.Struct, frozen=True):
    """An answer, or a part of one, with `notes` and `note_codes`; the codes follow from the notes."""

    def __post_init__(self) -> None:
        """Take the codes from the notes, also where `msgspec.structs.replace` changed these."""
        for name in ("note", "assumption"):
            notes = getattr(self, f"{name}s", msgspec.UNSET)
            if notes is not msgspec.UNSET and f"{name}_codes" in self.__struct_fields__:
                msgspec.structs.force_setattr(self, f"{name}_codes", tuple(note.code for note in notes))


class Period(msgspec.Struct, frozen=True):
    """A period of days, both ends inclusive."""

    first: date = msgspec.field(name="from")
    last: date = msgspec.field(name="to")

    @property
    def days(self) -> int:
        """Return the number of days."""
        return (self.last - self.first).days + 1


class Rows(Sequence[Row], Generic[Row]):
    """A table of an answer that may be long: it reads, encodes and describes itself as its rows, and gives a frame.

    A subclass names its row type:

        class SpendingRows(Rows[SpendingRow]):
            row_type = SpendingRow

    It is made from a polars frame, or by `of` from plain tuples, which needs no polars. The columns are the JSON keys
    of the row type, in any order; a field that is not a column must have a default: with UNSET it is absent in JSON.
    """

    row_type: type[Row]

    def __init__(self, frame: pl.DataFrame) -> None:
        """Wrap a frame. Raises ValueError where a column is not a field of the row type."""
        self._columns = self._known(frame.columns)
        self._frame: pl.DataFrame | None = frame
        self._tuples: list[tuple[Any, ...]] | None = None

    @classmethod
    def of(cls, columns: Sequence[str], rows: list[tuple[Any, ...]]) -> Self:
        """Wrap rows, values in the order of `columns`. Raises ValueError as for a frame."""
        made = cls.__new__(cls)
        made._columns, made._frame, made._tuples = cls._known(columns), None, rows  # noqa: SLF001  # its own
        return made

    @classmethod
    def _known(cls, columns: Sequence[str]) -> tuple[str, ...]:
        unknown = set(columns) - set(cls.row_type.__struct_encode_fields__)
        if unknown:
            raise ValueError(f"{cls.row_type.__name__} has no field {', '.join(sorted(unknown))}")
        return tuple(columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns, in order."""
        return self._columns

    def frame(self) -> pl.DataFrame:
        """Return the table as a polars frame; one that it was made from without a copy."""
        if self._frame is None:
            self._frame = _typed_frame(self.row_type, self._columns, self._tuples or [])
        return self._frame

    def tuples(self) -> list[tuple[Any, ...]]:
        """Return the rows as plain tuples, values in the order of `columns`."""
        if self._tuples is None:
            self._tuples = self.frame().rows()
        return self._tuples

    def __len__(self) -> int:
        return self._frame.height if self._frame is not None else len(self.tuples())

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Row | Self:
        if isinstance(index, slice):
            if self._frame is not None:
                return type(self)(self._frame[index])
            return self.of(self._columns, self.tuples()[index])
        return self._row(self.tuples()[index])

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, self.tuples())

    def _row(self, values: Sequence[Any]) -> Row:
        kind = self.row_type
        fields = dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))
        return kind(**{fields[name]: value for name, value in zip(self._columns, values, strict=True)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and self._columns == other.columns and self.tuples() == other.tuples()

    def __hash__(self) -> int:
        return hash((type(self), len(self), *self._columns))


def _typed_frame(row_type: type[msgspec.Struct], columns: Sequence[str], rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    """Return rows as a frame with the data types of the row type: decimals to the cent, text, whole numbers, days."""
    import polars as pl

    data_types = {Decimal: pl.Decimal(38, 2), str: pl.String(), int: pl.Int64(), date: pl.Date(), float: pl.Float64()}
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(row_type)}
    python_types = {name: {fields[name], *get_args(fields[name])} & data_types.keys() for name in columns}
    schema = {name: data_types[only] for name, (only,) in python_types.items()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def frame_of(rows: Sequence[msgspec.Struct]) -> pl.DataFrame:
    """Return rows of one type as a polars frame, JSON keys as columns; without rows it has no columns."""
    import polars as pl

    return pl.DataFrame(to_builtins(list(rows)), infer_schema_length=None)


def to_builtins(value: object) -> Any:
    """Return an answer, or a part of one, as dicts and lists with the JSON keys; decimals, days and instants stay.

    Raises TypeError where a part is of a type that JSON does not know.
    """
    return msgspec.to_builtins(value, builtin_types=(Decimal, date, datetime), enc_hook=_encoded)


def to_json(answer: Answer, *, indent: int | None = 2) -> str:
    """Return the documented JSON: decimals as text, days ISO, instants RFC 3339, what is unknown or NaN null.

    indent: None for one line, for programs that read the first line of a command that keeps running.
    """
    parts = msgspec.to_builtins(answer, builtin_types=(Decimal, date, datetime), str_keys=True, enc_hook=_encoded)
    try:
        line = json.dumps(parts, ensure_ascii=False, allow_nan=False, default=_json_text)
    except ValueError:  # a number that is not one
        line = json.dumps(_without_nan(parts), ensure_ascii=False, allow_nan=False, default=_json_text)
    # json writes lines of its own accord in Python, which takes ten times as long
    if indent is None:
        return line
    # names of files may have parts that are no characters
    return msgspec.json.format(line.encode("utf-8", "surrogatepass"), indent=indent).decode("utf-8", "surrogatepass")


def problems_of(answer: msgspec.Struct) -> Iterator[Problem]:
    """Yield all problems of an answer: its own and those of its direct parts (files, service points …)."""
    yield from getattr(answer, "problems", ())
    for name in answer.__struct_fields__:
        value = getattr(answer, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, msgspec.Struct):
                yield from getattr(part, "problems", ())


def _encoded(value: object) -> object:
    """Return rows as dicts, and a note or message as its sentence."""
    if isinstance(value, Rows):
        return [dict(zip(value.columns, row, strict=True)) for row in value.tuples()]
    if isinstance(value, (Note, Message)):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be a part of an answer")


def _json_text(value: object) -> str:
    """Return a decimal without exponent, a day or an instant as its text in JSON."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not a JSON type")


def _without_nan(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_nan(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_without_nan(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


# ---- text from outside: nothing in it can hide, turn or move the text around it

_SPACES = "\t\n\v\f\r\x85\u2028\u2029"


def with_signs(text: object, *, length: int | None = None) -> str:
    """Return text with control, format and direction characters as signs (⟨U+202E⟩), and line breaks as spaces.

    Joiners of zero width among them, so that a picture of several characters comes apart. length: cut longer text, with
    "…" at its end.
    """
    whole = str(text)
    shown = whole if length is None or len(whole) <= length else whole[: length - 1].rstrip() + "…"
    return shown if shown.isprintable() else "".join(map(_sign, shown))


def quoted(name: object) -> str:
    """Return a name in quotation marks, as it is: double ones where it has an apostrophe."""
    mark = '"' if "'" in str(name) else "'"
    return f"{mark}{name}{mark}"


def _sign(char: str) -> str:
    if char in _SPACES:
        return " "
    return f"⟨U+{ord(char):04X}⟩" if unicodedata.category(char)[0] == "C" else char
