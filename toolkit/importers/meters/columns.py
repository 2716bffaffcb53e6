"""What the columns of a portal's usage table are, by their headers.

Layouts seen: one row an interval (Red Energy: Nmi, Read Type, Meter, Register, Date, Interval, Start, End, Value, UOM;
AGL: …, NMI, DeviceNumber, …, RegisterCode, …, StartDate, EndDate, ProfileReadValue, …, QualityFlag), one row a day
(Jemena, United, AusNet: NMI, SERIAL, CON/GEN, DATE, ESTIMATED?, 48 columns), and such as "Start, End, Usage (kWh)".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from toolkit.importers.tabular import Record

_ROLES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("nmi", re.compile(r"nmi|mirn|dpi|national meter.*|service ?point.*")),
    ("meter", re.compile(r"(meter )?serial( ?(number|no\.?))?|meter( ?(number|no\.?|id|serial.*))?|device ?number")),
    ("register", re.compile(r"register( ?(code|id|suffix))?|(nmi ?)?suffix|(data ?)?stream|channel")),
    ("flow", re.compile(r"con/gen|direction|(usage|energy|read|reading|rate)[ _]?type.*|rate ?type ?description")),
    ("uom", re.compile(r"uom|units?( of measure)?")),
    ("quality", re.compile(r".*quality.*|.*estimated?\??.*|read(ing)? ?status")),
    ("number", re.compile(r"interval( ?(number|no\.?))?|period ?(number|no\.?)?")),
    ("end", re.compile(r"(.*[ _])?(end|ending|finish|to)([ _-]?(date|time|date ?/? ?time))*( \(.*\))?|enddate(time)?")),
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
_CONTROLLED = re.compile(r"controlled|(?<![a-z])cl[1-9]?(?![a-z])|off.?peak hot water")
_SUM = re.compile(r"(?<![a-z])(net|total|cost|price|cumulative)(?![a-z])")
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
        return bool(_SENT_OUT.search(self.flow))

    @property
    def controlled_load(self) -> bool:
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
    """The columns, from the first of the head's records that is the header of a usage table; None where none is."""
    for number, record in enumerate(head[:15]):
        found = _columns(record.cells, number, [cell for above in head[:number] for cell in above.cells])
        if found is not None:
            return found
    return None


def is_sent_out(words: str) -> bool:
    return bool(_SENT_OUT.search(words.lower()))


def is_controlled(words: str) -> bool:
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
    """Each role's first column. A column of energy has no other role, whatever its words."""
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
