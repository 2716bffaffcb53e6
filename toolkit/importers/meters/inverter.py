"""Exports of solar inverters and their portals: what the panels generated, by the interval or by the day.

Layouts seen: SolarEdge ("Time,System Production (W)" or "(Wh)"), Enphase ("Date/Time,Energy Produced (Wh)", also with
consumed, imported and exported energy), Fronius Solar.web ("Date and time,Energy | Symo 5.0-3-M (1)" over a row of
units "[dd.MM.yyyy HH:mm],[Wh]"), Sungrow iSolarCloud ("Time,Daily Yield(kWh)" that counts up through the day, or a day
a row), Sigenergy ("Time,PV Power(kW)" or "PV Energy(kWh)"), PVOutput ("Date,Generated,…" over cells such as 22.112kWh),
and any table of times with kWh, Wh, kW or W of generation. A file that was given as an inverter's need not name that.

Power is the mean of the interval that its time starts. A column that only rises through each day is a counter: its
steps are the energy. What a home uses, imports or exports by such a file is left to the meter.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from zoneinfo import ZoneInfo

from toolkit.answers.base import Note
from toolkit.errors import ImportFailedError
from toolkit.importers.dates import calendar_day, fixed_clock, to_instants, wall_time
from toolkit.importers.imported import Imported, Options
from toolkit.importers.meters.instants import Read, register_days
from toolkit.importers.meters.registers import (
    AccumulationRead,
    Measure,
    Register,
    add_accumulation_read,
    add_registers,
    amount,
    is_plausible,
)
from toolkit.importers.meters.usage_table import LENGTHS
from toolkit.importers.source import Record, Source, records
from toolkit.units import DAY_MINUTES, MOST_SOLAR_KWH_A_DAY, NANO_DECIMALS

INVERTER = "inverter"
"""Kind of file, and the service point of its rows until the meter is known that the inverter stands behind."""

_TIME = re.compile(
    r"((local|update|statistical|end|start)[ _]?)?(date ?(and|/|&)? ?time|time ?stamp|time|date|day)( [\[(].*)?"
)
_UNIT = re.compile(r"(?<![a-z])(kwh|mwh|wh|kw|w)(?![a-z/])")
_TO_KWH = {"kwh": Decimal(1), "mwh": Decimal(1000), "wh": Decimal("0.001"), "kw": Decimal(1), "w": Decimal("0.001")}
_POWER = ("kw", "w")
_WITH_UNIT = re.compile(r"[0-9.,]+ ?(kwh|mwh|wh|kw|w)")
_MADE = (re.compile(r"produc|generat|yield|erzeug"), re.compile(r"(?<![a-z])(pv|solar)(?![a-z])"))
"""Words of a column of generation, the clearest first."""
_NOT_MADE = re.compile(
    r"export|feed|grid|consum|charg|batter|import|purchas|self|direct|price|revenue|income|forecast|expected|load|used|"
    r"specific|reactive|lifetime|net|percent|%"
)
_BRAND = re.compile(r"inverter|fronius|symo|primo|gen24|solaredge|enphase|enlighten|sungrow|isolarcloud|sigen|growatt")
_METER_WORDS = re.compile(r"nmi|mirn|meter.*|register.*|suffix|con/gen|customer.*|uom|controlled.*")
_CLOCK = re.compile(r"(?<![a-z])(aest|acst|awst|utc|gmt)(?![a-z/])([+ ]*[0-9:]+)?")
_SLASHED = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4}|[0-9]{2})(?![0-9])")
_DOTTED = re.compile(r"^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})")
_IS_TOTAL = re.compile(r"total|sum", re.IGNORECASE)
_NO_VALUE = {"", "-", "--", "n/a", "nan", "null"}
_NANO = Decimal(1).scaleb(-NANO_DECIMALS)
_RISING_SHARE = 0.95


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of generation. name: of its register. unit: kwh, wh, mwh, kw or w."""

    place: int
    name: str
    unit: str


@dataclass(frozen=True, slots=True)
class InverterColumns:
    """times: cells that together say when. first_row: number of the record after the header and its units."""

    times: tuple[int, ...]
    values: tuple[_Column, ...]
    first_row: int
    clock: str
    separator: str
    is_evident: bool
    """Whether header and preamble can be of nothing but an inverter."""


def inverter_columns(head: Sequence[Record], *, is_named: bool = False) -> InverterColumns | None:
    """Recognise the columns of an inverter's export, from the first header among the head's records; else None.

    is_named: the file is known to be an inverter's, so that any energy or power in it may be generation.
    """
    for number, record in enumerate(head[:15]):
        separator = max(",;\t", key=record.raw.count)
        names = [name.lower() for name in _split(record, separator)]
        times = tuple(place for place, name in enumerate(names) if _TIME.fullmatch(name))[:2]
        if not times or any(_METER_WORDS.fullmatch(name) for name in names):
            continue
        units = _units_row(head[number + 1 : number + 2], separator)
        above = " ".join(cell.lower() for earlier in head[:number] for cell in earlier.cells)
        words = f"{above} {' '.join(names)}"
        of_cells = units or _units_of_cells(head[number + 1 : number + 2], separator)
        values = _value_columns(names, of_cells, branded=bool(_BRAND.search(words)))
        if not values and is_named:
            values = _only_column(names, units)
        if values:
            clock = _CLOCK.search(words)
            own = " ".join(column.name for column in values)
            return InverterColumns(
                times=times,
                values=values,
                first_row=number + 1 + bool(units),
                clock=clock[0].replace(" ", "") if clock else "",
                separator=separator,
                is_evident=bool(_BRAND.search(words) or re.search(r"produc|yield|(?<![a-z])pv(?![a-z])", own))
                or of_cells != units
                or len(names) == len(times) + len(values),
            )
    return None


def _split(record: Record, separator: str) -> list[str]:
    if separator == ",":
        return record.cells
    return [cell.strip().strip('"') for cell in record.raw.split(separator)]


def _units_row(below: Sequence[Record], separator: str) -> list[str]:
    """Return the units under a header (`[dd.MM.yyyy HH:mm]`, `[Wh]`), without brackets; else none."""
    cells = _split(below[0], separator) if below else []
    if not cells or not all(re.fullmatch(r"\[.*\]|", cell) for cell in cells):
        return []
    return [cell.strip("[]").lower() for cell in cells]


def _units_of_cells(below: Sequence[Record], separator: str) -> list[str]:
    """Return the units that are written behind the values of the first row, empty where there is none."""
    cells = _split(below[0], separator) if below else []
    found = [_WITH_UNIT.fullmatch(cell.lower()) for cell in cells]
    return [match[1] if match else "" for match in found] if any(found) else []


def _only_column(names: list[str], units: list[str]) -> tuple[_Column, ...]:
    """Return the column of energy or power, where there is one alone."""
    found = [
        _Column(place, name, unit[1])
        for place, name in enumerate(names)
        if (unit := _UNIT.search(units[place] if place < len(units) else name)) and not _NOT_MADE.search(name)
    ]
    return tuple(found) if len(found) == 1 else ()


def _value_columns(names: list[str], units: list[str], *, branded: bool) -> tuple[_Column, ...]:
    """Return the columns of generation: the clearest words first, energy before power, one unless for each device."""
    found: list[tuple[int, bool, _Column]] = []
    for place, name in enumerate(names):
        unit = _UNIT.search((units[place] if place < len(units) else "") or name)
        own = name.partition("|")[0]
        if unit is None or _NOT_MADE.search(own):
            continue
        rank = next((rank for rank, words in enumerate(_MADE) if words.search(own)), None)
        if rank is None and branded and re.search(r"energy|power|inverter", own):
            rank = len(_MADE)
        if rank is not None:
            found.append((rank, unit[1] in _POWER, _Column(place, name, unit[1])))
    if not found:
        return ()
    best = min(entry[:2] for entry in found)
    columns = [column for *order, column in found if tuple(order) == best]
    by_device = all("|" in column.name or re.search(r"inverter [0-9]", column.name) for column in columns)
    return tuple(columns if by_device else columns[:1])


@dataclass(frozen=True, slots=True)
class _Value:
    """One value. kwh: energy, or power in kW. line: of the file."""

    at: datetime
    kwh: Decimal
    is_timed: bool
    line: int


def read_inverter(source: Source, options: Options) -> Imported:
    """Read generation from an inverter's export: register-days, or accumulation reads where it has a row a day.

    The clock is the one that the file states, else `--timezone`. Rows belong to service point `inverter`, for the
    caller to replace. Raises ImportFailedError if no column of generation is found.
    """
    rows = list(records(source))
    columns = inverter_columns(rows) or inverter_columns(rows, is_named=True)
    if columns is None:
        what = "has no header with a date or time and a column of generation in kWh, Wh, kW or W"
        raise ImportFailedError(source.at(1), what)
    imported = Imported(INVERTER, "register_days", {"register_days": []}, partial_days=True)
    export = _Export(source, columns, options, imported, rows[columns.first_row :])
    export.read()
    if imported.tables.get("meter_reads") and not imported.tables["register_days"]:
        imported.counts = "meter_reads"
    return imported


@dataclass(slots=True)
class _Export:
    """One file while it is read. rows: those below the header."""

    source: Source
    columns: InverterColumns
    options: Options
    imported: Imported
    rows: Sequence[Record]
    month_first: bool = False
    negative: int = 0

    def read(self) -> None:
        """Read the generation of all devices as one register."""
        self.month_first = self._is_month_first()
        if self.month_first:
            self.imported.notes.append(Note("dates_month_first"))
        register = Register(
            INVERTER, INVERTER, "GENERATION", None, Measure("KWH", 0, "generation"), controlled_load=False
        )
        self._lay(register)
        if self.negative:
            self.imported.notes.append(Note("generation_below_zero", count=self.negative))
        add_registers(self.imported, [register])
        del self.imported.tables["service_points"]

    def _is_month_first(self) -> bool:
        """Return whether dates with slashes are month/day/year: some second part is a day and no first part is."""
        place = self.columns.times[0]
        texts = [cells[place] for cells in map(self._cells, self.rows) if len(cells) > place]
        dates = [match for text in texts if (match := _SLASHED.match(text))]
        return any(int(match[2]) > 12 for match in dates) and not any(int(match[1]) > 12 for match in dates)

    def _cells(self, row: Record) -> list[str]:
        return _split(row, self.columns.separator)

    def _values(self) -> list[_Value]:
        """Return the values in order of rows, the later one where a time comes twice; rows of totals are left out."""
        values: dict[datetime, _Value] = {}
        again: list[int] = []
        for row in self.rows:
            cells = self._cells(row)
            texts = [cells[place] if place < len(cells) else "" for place in self.columns.times]
            places = [column.place for column in self.columns.values]
            written = [cells[place] if place < len(cells) else "" for place in places]
            if not texts[0] or _IS_TOTAL.match(texts[0]) or all(text.lower() in _NO_VALUE for text in written):
                continue
            at, kwh = self._when(texts), self._kwh(written)
            if at is None or kwh is None:
                what = "is not a valid date and time" if at is None else "is not a valid amount of energy or power"
                self.imported.reject(self.source.at(row.line), f"{' '.join(written if at else texts)!r} {what}")
                continue
            self.negative += kwh < 0
            value = _Value(at, max(kwh, Decimal(0)), calendar_day(texts[-1]) is None, row.line)
            if at in values and values[at].kwh != value.kwh:
                again.append(row.line)
            values[at] = value
        if again:
            what = f"{len(again)} times are" if len(again) > 1 else "a time is"
            self.imported.warn(self.source.at(again[0]), f"{what} given again with another value: the later one counts")
        return [*values.values()]

    def _when(self, texts: list[str]) -> datetime | None:
        if self.month_first:
            texts[0] = _SLASHED.sub(r"\2/\1/\3", texts[0])
        texts = [_DOTTED.sub(r"\1/\2/\3", text) for text in texts]
        at = wall_time(texts[-1], texts[0]) if len(texts) == 2 else wall_time(texts[0])
        return at if at is not None and is_plausible(at) else None

    def _kwh(self, written: list[str]) -> Decimal | None:
        """Return the sum over devices [kWh, or kW]; None where one is not a number."""
        total = Decimal(0)
        for text, column in zip(written, self.columns.values, strict=True):
            if text.lower() in _NO_VALUE:
                continue
            unit = _WITH_UNIT.fullmatch(text.lower())
            figure = text[: unit.start(1)].strip() if unit else text
            is_continental = self.columns.separator == ";" and "," in figure
            number = amount(figure.replace(".", "").replace(",", ".") if is_continental else figure)
            if number is None:
                return None
            total += number * _TO_KWH[column.unit]
        return total

    def _lay(self, register: Register) -> None:
        """Add the values as register-days, or as accumulation reads where they are of days."""
        values = self._values()
        if not values:
            if not self.imported.problems:
                self.imported.warn(self.source.at_end(), "has no row with generation")
            return
        step, is_power = _step(values), self.columns.values[0].unit in _POWER
        if step == DAY_MINUTES and is_power:
            reason = "gives power once a day: export energy in kWh, or power by the interval"
            raise ImportFailedError(self.source.at(1), reason)
        days: dict[date, Decimal] = defaultdict(Decimal)
        if step == DAY_MINUTES:
            for value in values:
                day, where = value.at.date(), self.source.at(value.line)
                days[day] = value.kwh
                add_accumulation_read(self.imported, AccumulationRead(register, day, day, value.kwh, where))
        else:
            energy = _energy(values, step, is_power=is_power)
            for at, kwh, _ in energy:
                days[at.date()] += kwh
            reads = self._reads(energy, step)
            self.imported.tables["register_days"].extend(register_days(register, reads, self.imported))
        if max(days.values()) > MOST_SOLAR_KWH_A_DAY:
            most = f"up to {float(max(days.values())):,.0f} kWh a day"
            reason = f"the panels would generate {most}, more than a home's can: check the unit"
            self.imported.warn(self.source.at(1), reason)

    def _reads(self, energy: Sequence[tuple[datetime, Decimal, int]], step: int) -> list[Read]:
        """Return the reads on the grid of `step` minutes; values of one interval are added up."""
        clock = fixed_clock(self.columns.clock) or ZoneInfo(self.options.timezone)
        starts: dict[datetime, Read] = {}
        for (_, kwh, line), instant in zip(energy, to_instants([at for at, *_ in energy], clock), strict=True):
            if instant is None:
                continue
            at = instant - timedelta(minutes=instant.minute % min(step, 30), seconds=instant.second)
            known = starts[at].value if at in starts else Decimal(0)
            value = (known + max(kwh, Decimal(0))).quantize(_NANO)
            starts[at] = Read(at, step, value, None, self.source.at(line))
        return list(starts.values())


def _step(values: list[_Value]) -> int:
    """Return the usual minutes from one value to the next; a day's where no time of day is written."""
    if not any(value.is_timed and (value.at.hour or value.at.minute) for value in values):
        return DAY_MINUTES
    times = sorted(value.at.replace(tzinfo=None) for value in values)
    steps = Counter(round((later - one).total_seconds() / 60) for one, later in pairwise(times))
    usual = steps.most_common(1)[0][0] if steps else 30
    return DAY_MINUTES if usual >= DAY_MINUTES else min(LENGTHS, key=lambda length: abs(length - usual))


def _energy(values: list[_Value], step: int, *, is_power: bool) -> list[tuple[datetime, Decimal, int]]:
    """Return start, kWh and line of each interval."""
    if is_power:
        return [(value.at, value.kwh * step / 60, value.line) for value in values]
    days: dict[date, list[_Value]] = defaultdict(list)
    for value in values:
        days[value.at.date()].append(value)
    long_enough = [day for day in days.values() if len(day) >= 8 and any(value.kwh != day[0].kwh for value in day)]
    rising = [day for day in long_enough if all(one.kwh <= later.kwh for one, later in pairwise(day))]
    if not long_enough or len(rising) < _RISING_SHARE * len(long_enough):
        return [(value.at, value.kwh, value.line) for value in values]
    resets = [later[0].kwh < one[-1].kwh for one, later in pairwise(long_enough)]
    counts_from_zero = not resets or sum(resets) * 2 > len(resets)
    energy = []
    before: _Value | None = None
    for day in days.values():
        before = None if counts_from_zero else before
        for value in day:
            if before is not None or counts_from_zero:
                used = value.kwh - (before.kwh if before else 0)
                energy.append((value.at - timedelta(minutes=step), used, value.line))
            before = value
    return energy
