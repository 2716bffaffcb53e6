"""Long usage tables (a row an interval) read column by column, a piece of the file at a time.

The rows of a portal's export are alike. Their columns become arrays here; texts that repeat (dates, times of day,
registers, qualities) are parsed once each, by the same functions as single rows. A row that is unlike the others goes
to the reader of single rows: what that refuses is listed as ever; where it gives a value all the same, the whole file
is left to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from io import BufferedIOBase
from typing import Any, TypeVar, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.importers.dates import calendar_day, minutes_of
from toolkit.importers.imported import Imported
from toolkit.importers.meters.registers import Register, is_plausible
from toolkit.importers.meters.usage_table import LENGTHS, MISSING_WORDS, UsageTable, ValueColumn
from toolkit.importers.source import Record, Source, records
from toolkit.units import DAY_MINUTES, NANO

__all__ = ["BULK_FROM", "BulkCells", "read_in_bulk"]

BULK_FROM = 256 * 2**10
"""Bytes from which columns are worth more than rows."""
_PIECE = 2 * 2**20
_MOST_ODD_ROWS = 20_000
_EPOCH = date(1970, 1, 1).toordinal()
_NUMBER = r"^(?:[0-9]{1,6}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})$"
"""Decimals that a double and 10^-9 units both hold exactly."""
_MEMBERS = ("nmi", "meter", "register", "flow", "uom")
NOT_STATED = -1

Ints = NDArray[np.int64]
Value = TypeVar("Value")


class _UnlikeError(Exception):
    """The file is not of the kind that columns can be read of."""


@dataclass(slots=True)
class BulkCells:
    """The values of one register, in the order of the file.

    at: minutes from 1970 on the file's clock to the start of the interval (the end where `is_end`), or in UTC where
    `in_utc`. length: minutes that the row states, `NOT_STATED` where it states none. nano: energy in 10^-9 of the
    stored unit. quality: place in `qualities`. line: of the file, from 1.
    """

    register: Register
    is_end: bool
    in_utc: bool
    at: NDArray[np.int32]
    length: NDArray[np.int16]
    nano: Ints
    quality: NDArray[np.uint8]
    line: NDArray[np.uint32]
    qualities: list[str | None]


@dataclass(slots=True)
class _Columns:
    """Arrays of one register, piece by piece."""

    at: list[NDArray[np.int32]] = field(default_factory=list)
    length: list[NDArray[np.int16]] = field(default_factory=list)
    nano: list[Ints] = field(default_factory=list)
    quality: list[NDArray[np.uint8]] = field(default_factory=list)
    line: list[NDArray[np.uint32]] = field(default_factory=list)


def read_in_bulk(source: Source, table: UsageTable, below_line: int, imported: Imported) -> list[BulkCells] | None:
    """Return the values by register of a long table; None where rows have to be read one by one.

    below_line: line of the header. Rows that are refused are listed in `imported`, in the order of the file.
    """
    columns = table.columns
    timed = {"start", "end", "date"} & set(columns.places)
    if columns.slots or not timed or ("number" in columns.places and timed == {"date"}):
        return None
    try:
        return _Reading(source, table, imported).read(below_line)
    except (_UnlikeError, UnicodeDecodeError):
        imported.forget_problems()
        table.unknown.clear()
        table.registers.clear()
        return None


class _Reading:
    """The file as far as it has been read."""

    def __init__(self, source: Source, table: UsageTable, imported: Imported) -> None:
        self.source, self.table, self.imported = source, table, imported
        self.width, self.places = table.columns.width, table.columns.places
        self.is_end = "start" not in self.places and "end" in self.places
        self.in_utc: bool | None = None
        self.found: dict[Register, _Columns] = {}
        self.qualities: list[str | None] = [None]
        self.unknown_words: dict[int, str] = {}
        self.quality_codes: dict[str, int] = {}
        self.odd_rows = 0
        self.days: dict[str, int | None] = {}
        self.times: dict[str, tuple[int, int | None] | None] = {}

    def read(self, below_line: int) -> list[BulkCells]:
        """Read piece by piece. Raises _UnlikeError."""
        line = below_line + 1
        with self.source.open() as stream:
            for piece in _pieces(stream, below_line):
                line += self._piece(piece.decode(), line)
        found = []
        while self.found:  # one register after another, so that the pieces of each are freed
            register = next(iter(self.found))
            columns = self.found.pop(register)
            cells = BulkCells(
                register,
                self.is_end,
                bool(self.in_utc),
                at=_joined(columns.at),
                length=_joined(columns.length),
                nano=_joined(columns.nano),
                quality=_joined(columns.quality),
                line=_joined(columns.line),
                qualities=self.qualities,
            )
            found.append(cells)
        return found

    def _piece(self, text: str, first_line: int) -> int:
        """Read the lines of one piece, and return how many there are."""
        lines = pl.Series("line", [text]).str.split("\n").explode()
        if text.endswith("\n"):
            lines = lines.head(len(lines) - 1)
        if "\r" in text:
            lines = lines.str.strip_chars_end("\r")
        frame = pl.DataFrame({"line": lines, "number": pl.int_range(first_line, first_line + len(lines), eager=True)})
        alike = pl.col("line").str.count_matches(",", literal=True) == self.width - 1
        clean = pl.col("line")
        if '"' in text:
            if frame.select((clean.str.count_matches('"', literal=True) % 2 == 1).any()).item():
                raise _UnlikeError  # a cell over several lines
            alike &= ~clean.str.contains('[^,]"[^,]')  # a quote within a cell belongs to its text
            clean = clean.str.replace_all('"', "", literal=True)
        cells = clean.str.split_exact(",", self.width - 1).struct.unnest() if self.width > 1 else clean.alias("field_0")
        whole = frame.filter(alike)
        fields = whole.select("line", "number", cells)
        if " " in text or "\r" in text or "\t" in text:
            fields = fields.with_columns(pl.col(f"field_{n}").str.strip_chars() for n in range(self.width))
        odd = self._rows(fields)
        self._one_by_one(pl.concat([frame.filter(~alike), odd.select("line", "number")]).sort("number"))
        return len(lines)

    def _rows(self, fields: pl.DataFrame) -> pl.DataFrame:
        """Take the rows that can be read as columns; return the others, among them those marked as missing."""
        start, length, good = self._times(fields)
        quality, missing = self._qualities_of(fields)
        taken = []
        for column in self.table.columns.values:
            text = fields[f"field_{column.place}"]
            is_number = text.str.contains(_NUMBER).to_numpy()
            is_blank = (text == "").to_numpy()
            good &= is_number | is_blank
            taken.append((column, text, is_number))
        good &= ~missing
        for column, text, is_number in taken:
            rows = np.flatnonzero(good & is_number)
            if rows.size:
                at = pl.Series(rows)
                value = (text.gather(at).cast(pl.Float64) * NANO).round().cast(pl.Int64).to_numpy()
                self._add(fields[rows], column, value, start[rows], length[rows], quality[rows])
        return fields.filter(pl.Series(~(good | missing)))

    def _add(
        self, fields: pl.DataFrame, column: ValueColumn, value: Ints, start: Ints, length: Ints, quality: Ints
    ) -> None:
        """Add one value column's values to their registers."""
        for rows, register in self._registers(fields, column):
            nano = _shifted(value[rows], register.measure.shift)
            columns = self.found.setdefault(register, _Columns())
            columns.at.append(start[rows].astype(np.int32))
            columns.length.append(length[rows].astype(np.int16))
            columns.nano.append(nano)
            columns.quality.append(quality[rows].astype(np.uint8))
            columns.line.append(fields["number"].to_numpy()[rows].astype(np.uint32))
            for code, word in self.unknown_words.items():
                self.table.unknown[word] += int((quality[rows] == code).sum())

    def _registers(self, fields: pl.DataFrame, column: ValueColumn) -> Iterator[tuple[Ints, Register]]:
        """Yield the rows of each register of a value column."""
        members = [f"field_{self.places[role]}" for role in _MEMBERS if role in self.places]
        if not members:
            yield np.arange(fields.height), self._register(fields["line"][0], column)
            return
        keys = fields.select(pl.concat_str(members, separator="\x1f"))[members[0]]
        if keys.n_unique() == 1:
            yield np.arange(fields.height), self._register(fields["line"][0], column)
            return
        groups = pl.DataFrame({"key": keys, "row": pl.int_range(len(keys), eager=True)})
        for rows in groups.group_by("key", maintain_order=True).agg("row")["row"]:
            yield rows.to_numpy(), self._register(fields["line"][int(rows[0])], column)

    def _register(self, line: str, column: ValueColumn) -> Register:
        (record,) = records(Source(self.source.name, line.encode()))
        return self.table.register(record, column)

    def _qualities_of(self, fields: pl.DataFrame) -> tuple[Ints, NDArray[np.bool_]]:
        """Return for each row the place of its quality, and whether it is marked as missing."""
        if "quality" not in self.places:
            return np.zeros(fields.height, dtype=np.int64), np.zeros(fields.height, dtype=np.bool_)
        words = fields[f"field_{self.places['quality']}"]
        codes = {word: self._once(self.quality_codes, word, self._quality_code) for word in words.unique().to_list()}
        found = _looked_up(words, codes)
        return np.maximum(found, 0), found < 0

    def _quality_code(self, written: str) -> int:
        """Return the place of a word's quality in `qualities`; -1 for a missing read."""
        word = written.lower()
        if word in MISSING_WORDS:
            return -1
        before = self.table.unknown[word]
        quality = self.table.quality(word)
        is_unknown = self.table.unknown[word] > before
        self.table.unknown[word] = before
        if is_unknown or quality not in self.qualities:
            self.qualities.append(quality)
            if is_unknown:
                self.unknown_words[len(self.qualities) - 1] = word
            return len(self.qualities) - 1
        return self.qualities.index(quality)

    def _times(self, fields: pl.DataFrame) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """Return for each row the minutes to its time, the length that it states, and whether both could be read."""
        on = fields[f"field_{self.places['date']}"] if "date" in self.places else None
        starts = fields[f"field_{self.places['start']}"] if "start" in self.places else None
        ends = fields[f"field_{self.places['end']}"] if "end" in self.places else None
        main = ends if self.is_end else starts
        if main is None:
            main, on = on, None
        assert main is not None
        day, minute, offset = self._read(main, on)
        good = (day >= 0) & (minute >= 0)
        at = day * DAY_MINUTES + minute - np.where(offset == _NO_OFFSET, 0, offset)
        zoned = offset[good] != _NO_OFFSET
        if zoned.any() != zoned.all() or (zoned.size and self.in_utc not in (None, bool(zoned.all()))):
            raise _UnlikeError  # some times state their offset and some do not
        if zoned.size:
            self.in_utc = bool(zoned.all())
        length = np.full(fields.height, NOT_STATED, dtype=np.int64)
        if starts is not None and ends is not None:
            end_day, end, end_offset = self._read(ends, on if on is not None else starts)
            good &= (end_day >= 0) & (end >= 0) & (end_offset == offset)
            stated = (end - minute) % DAY_MINUTES
            stated += stated % 5 == 4  # an end of :29 or :59 is the last minute
            length = np.where(np.isin(stated, LENGTHS), stated, NOT_STATED)
        return at, length, good

    def _read(self, texts: pl.Series, on: pl.Series | None) -> tuple[Ints, Ints, Ints]:
        """Return day (from 1970), minute of the day and offset of each text, day and minute -1 where it has none.

        on: where the texts are times alone, the dates that they are of.
        """
        parts = texts.str.replace("T", " ", literal=True).str.splitn(" ", 2).struct.unnest()
        dates, times = parts["field_0"], parts["field_1"].fill_null("").str.strip_chars()
        alone = dates.str.contains(":", literal=True)
        if alone.any():
            if on is None or not alone.all():
                raise _UnlikeError
            dates = on.str.splitn(" ", 2).struct.unnest()["field_0"]
            times = texts
        days = {word: self._once(self.days, word, _day_number) for word in dates.unique().to_list()}
        clock = {word: self._once(self.times, word, _time_of_day) for word in times.unique().to_list()}
        minutes = {word: -1 if found is None else found[0] for word, found in clock.items()}
        offsets = {word: _NO_OFFSET if not found or found[1] is None else found[1] for word, found in clock.items()}
        return (
            _looked_up(dates, {word: -1 if found is None else found for word, found in days.items()}),
            _looked_up(times, minutes),
            _looked_up(times, offsets),
        )

    def _once(self, known: dict[str, Value], word: str, parse: Callable[[str], Value]) -> Value:
        if word not in known:
            known[word] = parse(word)
        return known[word]

    def _one_by_one(self, rows: pl.DataFrame) -> None:
        """Read rows that are unlike the others. Raises _UnlikeError where one has a value, or where there are many."""
        self.odd_rows += rows.height
        if self.odd_rows > _MOST_ODD_ROWS:
            raise _UnlikeError
        for line, number in rows.iter_rows():
            for record in records(Source(self.source.name, line.encode())):
                self._odd(Record(number, record.cells, record.raw))

    def _odd(self, record: Record) -> None:
        try:
            cells = list(self.table.cells(record))
        except ValueError as reason:
            self.imported.reject(self.source.at(record.line), str(reason))
            return
        if cells:
            raise _UnlikeError


_NO_OFFSET = -10_000


def _joined(pieces: list[NDArray[Any]]) -> NDArray[Any]:
    """Return the pieces as one array, and free them; one value throughout takes the memory of one."""
    first, rows = pieces[0][0], sum(map(len, pieces))
    if all((piece == first).all() for piece in pieces):
        pieces.clear()
        return np.broadcast_to(first, (rows,))
    joined = np.concatenate(pieces)
    pieces.clear()
    return joined


def _pieces(stream: BufferedIOBase, lines: int) -> Iterator[bytes]:
    """Yield the data below so many lines in pieces that end with a line. Raises _UnlikeError for other line ends."""
    for _ in range(lines):
        if not stream.readline(_PIECE).endswith(b"\n"):
            raise _UnlikeError
    while piece := stream.read(_PIECE):
        rest = b"" if piece.endswith(b"\n") else stream.readline(_PIECE)
        if len(rest) == _PIECE:
            raise _UnlikeError
        yield piece + rest


def _looked_up(words: pl.Series, values: dict[str, int]) -> Ints:
    """Return the value of each word."""
    if len(values) == 1:
        return np.full(len(words), next(iter(values.values())), dtype=np.int64)
    keys, found = list(values), list(values.values())
    looked_up = words.replace_strict(pl.Series(keys), pl.Series(found, dtype=pl.Int64), return_dtype=pl.Int64)
    return cast("Ints", looked_up.to_numpy())


def _day_number(text: str) -> int | None:
    """Return the days from 1970 to a date; None where it is none, or no meter was read then."""
    found = calendar_day(text)
    if found is None or not is_plausible(found) or found.toordinal() < _EPOCH:
        return None
    return found.toordinal() - _EPOCH


def _time_of_day(text: str) -> tuple[int, int | None] | None:
    """Return the minute of the day and the minutes that its zone is ahead of UTC, None for that where it has none."""
    minutes = minutes_of(text)
    if minutes is not None:
        return minutes, None
    if text.endswith("Z") and (minutes := minutes_of(text[:-1])) is not None:
        return minutes, 0
    sign = {"+": 1, "-": -1}.get(text[-6:-5])
    ahead = minutes_of(text[-5:]) if sign else None
    minutes = minutes_of(text[:-6])
    if sign is None or ahead is None or minutes is None:
        return None
    return minutes, sign * ahead


def _shifted(nano: Ints, shift: int) -> Ints:
    """Return 10^-9 of the written unit as 10^-9 of the stored one. Raises _UnlikeError where that is finer."""
    factor = int(10 ** abs(shift))
    if shift <= 0:
        return nano * factor
    whole, rest = np.divmod(nano, factor)
    if rest.any():
        raise _UnlikeError
    return whole
