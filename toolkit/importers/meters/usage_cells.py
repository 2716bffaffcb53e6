"""Read the values of a portal's usage table row by row, each with its register and time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from toolkit.importers.imported import Options
from toolkit.importers.meters.amounts import amount, in_stored_unit
from toolkit.importers.meters.clock import calendar_day, is_plausible, wall_time
from toolkit.importers.meters.columns import Columns, ValueColumn, is_controlled, is_sent_out
from toolkit.importers.meters.days import Register
from toolkit.importers.meters.registers import is_controlled_load, measure
from toolkit.importers.tabular import Record

DAY = 1440
LENGTHS = (5, 10, 15, 20, 30, 60)
_SUFFIX = re.compile(r"(?:.*[#:_ ])?(?P<suffix>[A-Z][0-9A-Z])")
_NONE = {"missing", "null", "none", "n/a", "na", "invalid"}
"""Words of a quality column for a missing read: a 0 next to them is not a read."""
_ACTUAL = re.compile(r"|n|no|a[0-9]*|act.*")
_ANSWERS = {"true": "ESTIMATED", "false": None}
"""Values of a column that asks whether a value is estimated; in other columns their meaning is unknown."""
_QUALITY = {"s": "SUBSTITUTE", "f": "FINAL_SUBSTITUTE", "e": "ESTIMATED", "y": "ESTIMATED"}


@dataclass(frozen=True, slots=True)
class When:
    """at: the start of the interval (the end where `is_end`) as the clock showed it, with a zone only where written.

    minutes: its length, if the row states it. number: of the interval in the day of `at`, from 1; 0 if not given.
    timed: whether a time of day is written, midnight included.
    """

    at: datetime
    is_end: bool = False
    minutes: int | None = None
    number: int = 0
    timed: bool = True


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of the table. when: the time of its row, or of its place in a row of a day."""

    register: Register
    when: When
    value: Decimal
    quality: str | None
    line: int


@dataclass(slots=True)
class UsageTable:
    """A table's columns, the person's options for it, and the registers found so far.

    unknown: unknown words of its quality column → number of values with them, which were taken as actual.
    """

    columns: Columns
    options: Options
    registers: dict[tuple[object, ...], Register] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)

    def cells(self, record: Record) -> Iterator[Cell]:
        """Return the values of one row, except those marked as missing. Raises ValueError if the row is invalid."""
        if not record.cells or any(record.cells[self.columns.width :]):
            belong = f"{len(record.cells)} cells where {self.columns.width} belong"
            raise ValueError(f"has {belong}: a comma in an unquoted number?")
        if self._role(record, "quality").lower() in _NONE:
            return iter(())
        return self._wide(record) if self.columns.slots else self._long(record)

    def _long(self, record: Record) -> Iterator[Cell]:
        """Yield the values of a row of one interval; blank cells have none."""
        when = self._times(record)
        for column in self.columns.values:
            text = _at(record, column.place)
            if text:
                register = self._register(record, column)
                value = _value(text, register.measure.shift)
                quality = self._quality(record)
                yield Cell(register, when, value, quality, record.line)

    def _wide(self, record: Record) -> Iterator[Cell]:
        """Yield the values of a row of one day, in order."""
        midnight = _read_time(self._role(record, "date"), "")
        register = self._register(record, ValueColumn(0, "", ""))
        minutes = DAY // len(self.columns.slots)
        texts = [_at(record, place) for place in self.columns.slots]
        values = [_value(text, register.measure.shift) if text else None for text in texts]
        for number, value in enumerate(values):
            if value is not None:
                when = When(midnight + timedelta(minutes=minutes * number), minutes=minutes)
                yield Cell(register, when, value, self._quality(record), record.line)

    def _role(self, record: Record, role: str) -> str:
        return _at(record, self.columns.places.get(role, len(record.cells)))

    def _times(self, record: Record) -> When:
        on, number = self._role(record, "date"), self._role(record, "number")
        start_text, end_text = self._role(record, "start"), self._role(record, "end")
        if not start_text and not end_text:
            at, timed = _read_time(on, ""), calendar_day(on) is None
            return When(at, number=_interval_number(number), timed=timed)
        start = _read_time(start_text, on) if start_text else None
        end = _read_time(end_text, on or start_text) if end_text else None
        if start is None:
            return When(_read_time(end_text, on), is_end=True)
        if end and calendar_day(start_text) and calendar_day(end_text):
            return When(start, minutes=((end - start).days + 1) * DAY)
        return When(start, minutes=_length(start, end), timed=calendar_day(start_text) is None)

    def _quality(self, record: Record) -> str | None:
        text = self._role(record, "quality").lower()
        if _ACTUAL.fullmatch(text):
            return None
        if self.columns.asks_estimated and text in _ANSWERS:
            return _ANSWERS[text]
        known = None if text == "false" else _QUALITY.get(text[0])
        self.unknown[text] += known is None
        return known

    def _register(self, record: Record, column: ValueColumn) -> Register:
        """Return the register of a value; registers are cached, as a table has few."""
        roles = tuple(self._role(record, role) for role in ("nmi", "meter", "register", "flow", "uom"))
        key = (column.place, *roles)
        if key not in self.registers:
            self.registers[key] = self._new_register(record, column)
        return self.registers[key]

    def _new_register(self, record: Record, column: ValueColumn) -> Register:
        named = self._role(record, "register")
        match = _SUFFIX.fullmatch(named.upper())
        words = f"{self._role(record, 'flow')} {column.flow}"
        unit = self._role(record, "uom") or column.unit or self.columns.unit
        sent_out = None if match else is_sent_out(words)
        suffix = match["suffix"] if match else named or _suffix(words, column, self.columns)
        measured = measure(suffix if match else "", unit or "KWH", sent_out=sent_out)
        return Register(
            service_point=self._role(record, "nmi") or "usage",
            meter=self._role(record, "meter"),
            suffix=suffix,
            register_id=named or None,
            measure=measured,
            controlled_load=is_controlled_load(suffix, self.options.controlled_load)
            or (measured.direction == "import" and is_controlled(words)),
        )


def _at(record: Record, place: int) -> str:
    return record.cells[place] if place < len(record.cells) else ""


def _read_time(text: str, on: str) -> datetime:
    time = wall_time(text, on)
    if time is None or not is_plausible(time):
        raise ValueError(f"{' '.join(part for part in (on, text) if part)!r} is not a valid date and time")
    return time


def _interval_number(text: str) -> int:
    """Parse an interval number (1 to 288); 0 if the row has none."""
    if not text:
        return 0
    if not re.fullmatch("[0-9]{1,3}", text) or not 1 <= int(text) <= DAY // LENGTHS[0]:
        raise ValueError(f"{text!r} is not a valid interval number")
    return int(text)


def _length(start: datetime, end: datetime | None) -> int | None:
    """Minutes from start to end; an end of `…:29` or `…:59` is the last minute. None if that is not a usual length."""
    if end is None or (start.tzinfo is None) != (end.tzinfo is None):
        return None
    minutes = round((end - start).total_seconds() / 60) % DAY
    minutes += minutes % 5 == 4
    return minutes if minutes in LENGTHS else None


def _value(text: str, shift: int) -> Decimal:
    value = amount(text)
    if value is None or value < 0:
        raise ValueError(f"{text!r} is not a valid amount of energy")
    return in_stored_unit(value, shift)


def _suffix(words: str, column: ValueColumn, columns: Columns) -> str:
    """A name for a register that the file names none for: by its direction, and its header where there are several."""
    if is_sent_out(words):
        return "EXPORT"
    if is_controlled(words):
        return "CONTROLLED"
    imports = [value for value in columns.values if not value.sent_out and not value.controlled_load]
    if len(imports) < 2:
        return "IMPORT"
    return re.sub(r"[^A-Z0-9]+", "_", re.sub(r"\(.*?\)", "", column.flow).upper()).strip("_") or "IMPORT"
