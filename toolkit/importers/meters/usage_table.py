"""What the columns of a portal's usage table are, by their headers, and its values row by row with register and time.

Layouts seen: one row an interval (Red Energy: Nmi, Read Type, Meter, Register, Date, Interval, Start, End, Value, UOM;
AGL: …, NMI, DeviceNumber, …, RegisterCode, …, StartDate, EndDate, ProfileReadValue, …, QualityFlag), one row a day
(Jemena, United, AusNet: NMI, SERIAL, CON/GEN, DATE, ESTIMATED?, 48 columns), and such as "Start, End, Usage (kWh)". Of
research: Smart Grid Smart City's long table (CUSTOMER_ID, READING_DATETIME, …, GENERAL_SUPPLY_KWH,
CONTROLLED_LOAD_KWH, GROSS_GENERATION_KWH, NET_GENERATION_KWH; times are ends of intervals) and Ausgrid's solar homes
(Customer, Generator Capacity, Postcode, Consumption Category GC, CL or GG, date, 0:30 … 0:00).

CON/GEN and the like name registers of a net meter, where GEN is what goes to the grid; a column of generation, and
Ausgrid's GG, is all that the panels generate.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from toolkit.importers.dates import calendar_day, wall_time
from toolkit.importers.imported import Options
from toolkit.importers.meters.registers import (
    Register,
    amount,
    in_stored_unit,
    is_controlled_load,
    is_plausible,
    measure,
)
from toolkit.importers.source import Record
from toolkit.tables.registers import Direction
from toolkit.units import DAY_MINUTES

_ROLES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("nmi", re.compile(r"nmi|mirn|dpi|national meter.*|service ?point.*|customer([ _]?id)?")),
    ("meter", re.compile(r"(meter )?serial( ?(number|no\.?))?|meter( ?(number|no\.?|id|serial.*))?|device ?number")),
    ("register", re.compile(r"register( ?(code|id|suffix))?|(nmi ?)?suffix|(data ?)?stream|channel")),
    (
        "flow",
        re.compile(
            r"con/gen|direction|consumption category|"
            r"(usage|energy|read|reading|rate)[ _]?type.*|rate ?type ?description"
        ),
    ),
    ("uom", re.compile(r"uom|units?( of measure)?")),
    ("quality", re.compile(r".*quality.*|.*estimated?\??.*|read(ing)? ?status")),
    ("number", re.compile(r"interval( ?(number|no\.?))?|period ?(number|no\.?)?")),
    (
        "end",
        re.compile(
            r"reading_datetime|(.*[ _])?(end|ending|finish|to)([ _-]?(date|time|date ?/? ?time))*( \(.*\))?|"
            r"enddate(time)?"
        ),
    ),
    (
        "start",
        re.compile(r"(.*[ _])?(start|starting|begin|from)([ _-]?(date|time|date ?/? ?time))*( \(.*\))?|startdate.*"),
    ),
    ("date", re.compile(r"((read|reading|interval|usage|meter|local)[ _]?)?date( \(.*\))?|day")),
    ("start", re.compile(r"(local |interval |read )?(date ?(and|/|&)? ?time|time ?stamp|time)( \(.*\))?|datetime.*")),
)
_UNIT = re.compile(r"(?<![a-z])(kwh|mwh|wh|mj|gj)(?![a-z])")
_VALUE = re.compile(
    r"(read ?)?value|(energy )?(usage|consumption|generation|export|import)|quantity|energy|profile ?read ?value"
)
_SLOT = re.compile(
    r"[0-9]{1,2}[:.][0-9]{2}( ?[ap]m)?( ?(-|to|–) ?[0-9]{1,2}[:.][0-9]{2}( ?[ap]m)?)?|(interval|int|hh)? ?[0-9]{1,3}"
)
_SENT_OUT = re.compile(
    r"export|generat|solar|feed|sent|to.?grid|(?<![a-z])gen(?![a-z])|(?<![a-z0-9])b[1-9](?![a-z0-9])"
)
_GENERATED = re.compile(r"(?<!net )(?<!net_)generat|(?<![a-z])(gg|pv)(?![a-z])|(solar|pv) (production|yield)")
_CONTROLLED = re.compile(r"controlled|(?<![a-z])cl[1-9]?(?![a-z])|off.?peak hot water")
_SUM = re.compile(r"(?<![a-z])(net(?!_generation)|total|cost|price|cumulative)(?![a-z])")
_FIXED = re.compile(r"(?<![a-z])(aest|utc|gmt|acst|awst)(?![a-z/])([+ ]*[0-9:]+)?")
_ASKS_ESTIMATED = re.compile(r"(?!.*actual).*estimated?")
_DAY_LENGTHS = (24, 48, 96, 288)


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """A column of energy. unit: of the header, else empty. flow: words that may say the direction."""

    place: int
    unit: str
    flow: str

    @property
    def sent_out(self) -> bool:
        """Whether its header names energy sent to the grid."""
        return bool(_SENT_OUT.search(self.flow))

    @property
    def generated(self) -> bool:
        """Whether its header names what panels generate."""
        return bool(_GENERATED.search(self.flow)) and not re.search(r"export|feed|sent|to.?grid", self.flow)

    @property
    def controlled_load(self) -> bool:
        """Whether its header names controlled load."""
        return bool(_CONTROLLED.search(self.flow)) and not self.sent_out


@dataclass(frozen=True, slots=True)
class Columns:
    """places: role → cell. values: energy columns of a long table. slots: the intervals of a wide one, in order.

    clock: the fixed clock that a header names, such as `aest`. header: number of the header among the records.
    width: how many cells the header has. asks_estimated: the quality column's header asks whether a value is estimated.
    """

    places: dict[str, int]
    values: tuple[ValueColumn, ...]
    slots: tuple[int, ...]
    unit: str
    clock: str
    header: int
    width: int
    asks_estimated: bool


def columns_of(head: Sequence[Record]) -> Columns | None:
    """Recognise the columns, from the first of the head's records that is the header of a usage table; None where none
    is.
    """
    for number, record in enumerate(head[:15]):
        found = _columns(record.cells, number, [cell for above in head[:number] for cell in above.cells])
        if found is not None:
            return found
    return None


def is_controlled(words: str) -> bool:
    """Return whether words say that energy is controlled load."""
    return bool(_CONTROLLED.search(words.lower()))


def _columns(cells: list[str], number: int, preamble: list[str]) -> Columns | None:
    names = [re.sub(r"\s+", " ", cell.lower()) for cell in cells]
    slots = tuple(place for place, name in enumerate(names) if _SLOT.fullmatch(name))
    wide = len(slots) in _DAY_LENGTHS
    places = _places(names, set(slots) if wide else set())
    header = " ".join([*names, *(cell.lower() for cell in preamble)])
    unit = _UNIT.search(header)
    values = () if wide else _value_columns(names, places)
    timed = "date" in places if wide else bool({"date", "start", "end"} & set(places))
    evident = wide or bool(unit) or "uom" in places or {"nmi", "register"} <= set(places)
    if not timed or not (wide or values) or not evident:
        return None
    clock = _FIXED.search(header)
    return Columns(
        places=places,
        values=values,
        slots=slots if wide else (),
        unit=unit[1].upper() if unit else "",
        clock=clock[0].replace(" ", "") if clock else "",
        header=number,
        width=len(cells),
        asks_estimated=bool(_ASKS_ESTIMATED.match(names[places["quality"]])) if "quality" in places else False,
    )


def _places(names: list[str], taken: set[int]) -> dict[str, int]:
    """Return each role's first column. A column of energy has no other role, whatever its words."""
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        if place in taken or _UNIT.search(name):
            continue
        role = next((role for role, pattern in _ROLES if role not in places and pattern.fullmatch(name)), None)
        if role is not None:
            places[role] = place
    return places


def _value_columns(names: list[str], places: dict[str, int]) -> tuple[ValueColumn, ...]:
    free = [(place, name) for place, name in enumerate(names) if place not in places.values()]
    found = [(place, name) for place, name in free if _UNIT.search(name)]
    found = found or [(place, name) for place, name in free if _VALUE.fullmatch(name)]
    own = [(place, name) for place, name in found if not _SUM.search(name)]
    return tuple(ValueColumn(place, _unit_in(name), name) for place, name in own or found)


def _unit_in(name: str) -> str:
    match = _UNIT.search(name)
    return match[1].upper() if match else ""


_GROSS_GENERATION = "GG"
"""Ausgrid's word for a row of gross generation."""
LENGTHS = (5, 10, 15, 20, 30, 60)
_SUFFIX = re.compile(r"(?:.*[#:_ ])?(?P<suffix>[A-Z][0-9A-Z])")
MISSING_WORDS = {"missing", "null", "none", "n/a", "na", "invalid"}
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
        if self._role(record, "quality").lower() in MISSING_WORDS:
            return iter(())
        return self._wide(record) if self.columns.slots else self._long(record)

    def _long(self, record: Record) -> Iterator[Cell]:
        """Yield the values of a row of one interval; blank cells have none."""
        when = self._times(record)
        for column in self.columns.values:
            text = _at(record, column.place)
            if text:
                register = self.register(record, column)
                value = _value(text, register.measure.shift)
                quality = self.quality(self._role(record, "quality").lower())
                yield Cell(register, when, value, quality, record.line)

    def _wide(self, record: Record) -> Iterator[Cell]:
        """Yield the values of a row of one day, in order."""
        midnight = _read_time(self._role(record, "date"), "")
        register = self.register(record, ValueColumn(0, "", ""))
        minutes = DAY_MINUTES // len(self.columns.slots)
        texts = [_at(record, place) for place in self.columns.slots]
        values = [_value(text, register.measure.shift) if text else None for text in texts]
        for number, value in enumerate(values):
            if value is not None:
                when = When(midnight + timedelta(minutes=minutes * number), minutes=minutes)
                yield Cell(register, when, value, self.quality(self._role(record, "quality").lower()), record.line)

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
            return When(start, minutes=((end - start).days + 1) * DAY_MINUTES)
        return When(start, minutes=_length(start, end), timed=calendar_day(start_text) is None)

    def quality(self, text: str) -> str | None:
        """Return the quality that a word in lower case means; None for actual, and for unknown words."""
        if _ACTUAL.fullmatch(text):
            return None
        if self.columns.asks_estimated and text in _ANSWERS:
            return _ANSWERS[text]
        known = None if text == "false" else _QUALITY.get(text[0])
        self.unknown[text] += known is None
        return known

    def register(self, record: Record, column: ValueColumn) -> Register:
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
        flow: Direction | None = None
        if not match:
            generated = column.generated or self._role(record, "flow").upper() == _GROSS_GENERATION
            flow = "generation" if generated else "export" if _SENT_OUT.search(words.lower()) else "import"
        suffix = match["suffix"] if match else named or _suffix(words, flow, column, self.columns)
        measured = measure(suffix if match else "", unit or "KWH", flow=flow)
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
    if not re.fullmatch("[0-9]{1,3}", text) or not 1 <= int(text) <= DAY_MINUTES // LENGTHS[0]:
        raise ValueError(f"{text!r} is not a valid interval number")
    return int(text)


def _length(start: datetime, end: datetime | None) -> int | None:
    """Return the minutes from start to end; an end of `…:29` or `…:59` is the last minute. None if unusual."""
    if end is None or (start.tzinfo is None) != (end.tzinfo is None):
        return None
    minutes = round((end - start).total_seconds() / 60) % DAY_MINUTES
    minutes += minutes % 5 == 4
    return minutes if minutes in LENGTHS else None


def _value(text: str, shift: int) -> Decimal:
    value = amount(text)
    if value is None or value < 0:
        raise ValueError(f"{text!r} is not a valid amount of energy")
    return in_stored_unit(value, shift)


def _suffix(words: str, flow: Direction | None, column: ValueColumn, columns: Columns) -> str:
    """Name a register that the file does not: by its direction, and by its header where there are several."""
    if flow in ("generation", "export"):
        return flow.upper()
    if is_controlled(words):
        return "CONTROLLED"
    imports = [value for value in columns.values if not (value.sent_out or value.generated or value.controlled_load)]
    if len(imports) < 2:
        return "IMPORT"
    return re.sub(r"[^A-Z0-9]+", "_", re.sub(r"\(.*?\)", "", column.flow).upper()).strip("_") or "IMPORT"
