"""Green Button: usage as ESPI XML (NAESB REQ.21). Instants are UTC seconds; values are whole numbers of `uom`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from xml.etree.ElementTree import TreeBuilder
from zoneinfo import ZoneInfo

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, ParseError

from toolkit.errors import ImportFailedError
from toolkit.importers.imported import Imported, Options
from toolkit.importers.meters.instants import Read, register_days
from toolkit.importers.meters.registers import (
    AccumulationRead,
    Measure,
    Register,
    add_accumulation_read,
    add_registers,
    amount,
    in_stored_unit,
    is_plausible,
)
from toolkit.importers.source import Source
from toolkit.tables.schema import Row
from toolkit.units import DAY_MINUTES

_UNITS = {"72": ("KWH", 3), "169": ("THERM", 0), "31": ("MJ", 6), "73": ("KVARH", 3), "71": ("KVAH", 3)}
"""UnitSymbol → unit as stored, and decimal places down to it: watt-hours, therms, joules, varh, VAh."""
_ESTIMATED = {"8", "9", "12"}  # QualityOfReading: by a reference day, interpolated, projected
_EXPORT, _IMPORT = "19", "1"  # FlowDirection: reverse, forward
_LONGEST = 366 * DAY_MINUTES  # minutes of a read
_LINE = "\0line"  # XML attribute names hold no NUL, so no file's own attribute is replaced


@dataclass(frozen=True, slots=True)
class _Series:
    """One MeterReading: its register, and how far to shift a value's decimal point to the stored unit."""

    register: Register
    shift: int


def read_green_button(source: Source, options: Options) -> Imported:
    """Read a Green Button file, counted in reads. Shorter than a day: register-days; else accumulation reads.

    A daily read is put on the local day of its start: the zone the file states (without daylight saving), else
    `--timezone`. Raises ImportFailedError where the XML is broken, forbidden (entities) or holds no reading.
    """
    root = _root(source)
    imported = Imported("greenbutton", "register_days", counts_reads=True, partial_days=True)
    types, links = _reading_types(root), _type_of_reading(root)
    reads: dict[_Series, list[Read]] = defaultdict(list)
    for path, block in _blocks(root):
        series = _series(path, types.get(links.get(path, ""), next(iter(types.values()), {})))
        reads[series].extend(_reads(source, series, block, imported))
    if not any(reads.values()) and not imported.rejected:
        raise ImportFailedError(
            source.at(1), "is a Green Button file without readings. Download it again, for days with use"
        )
    _store(reads, _zone(root, options), imported)
    add_registers(imported, [series.register for series in reads])
    return imported


def _root(source: Source) -> Any:
    """Parse the markup and return its root; each element has the line that its tag begins in as attribute `_LINE`."""

    class Builder(TreeBuilder):
        def start(self, tag: str, attrs: dict[str, str], /) -> Any:
            """Open an element, with its line."""
            return super().start(tag, {**attrs, _LINE: str(parser.parser.CurrentLineNumber)})

    parser = DefusedXMLParser(target=Builder(), forbid_dtd=True)
    try:
        parser.feed(source.data)
        return parser.close()
    except DefusedXmlException as error:
        where = source.at(parser.parser.CurrentLineNumber)
        raise ImportFailedError(
            where,
            "holds parts that could be harmful (a document type or entities), so it was not opened. Download it again",
        ) from error
    except ParseError as error:
        raise ImportFailedError(
            source.at(error.position[0]), "the file is damaged or cut short here. Download it again"
        ) from error
    except (ValueError, LookupError) as error:
        raise ImportFailedError(
            source.at(1), "its text is stored in a way that cannot be read. Download it again"
        ) from error


def _named(node: Any, name: str) -> Iterator[Any]:
    return (child for child in node.iter() if isinstance(child.tag, str) and child.tag.rpartition("}")[2] == name)


def _child(node: Any, *path: str) -> str:
    for name in path:
        node = next((c for c in node if isinstance(c.tag, str) and c.tag.rpartition("}")[2] == name), None)
        if node is None:
            return ""
    return (node.text or "").strip()


def _hrefs(entry: Any, rel: str) -> list[str]:
    return [link.get("href", "") for link in _named(entry, "link") if link.get("rel") == rel]


def _entries(root: Any, content: str) -> Iterator[tuple[Any, Any]]:
    """Yield Atom entries that hold an element `content`, and that element."""
    for entry in _named(root, "entry"):
        for found in _named(entry, content):
            yield entry, found


def _reading_types(root: Any) -> dict[str, dict[str, str]]:
    """Link of each ReadingType → its fields."""
    types = {}
    for entry, node in _entries(root, "ReadingType"):
        fields = {child.tag.rpartition("}")[2]: (child.text or "").strip() for child in node}
        types[next(iter(_hrefs(entry, "self")), "")] = fields
    return types


def _type_of_reading(root: Any) -> dict[str, str]:
    """Return path of each MeterReading → link of its ReadingType."""
    found = {}
    for entry, _ in _entries(root, "MeterReading"):
        link = next((href for href in _hrefs(entry, "related") if "/ReadingType/" in href), "")
        found[_path(next(iter(_hrefs(entry, "self")), ""))] = link
    return found


def _blocks(root: Any) -> Iterator[tuple[str, Any]]:
    """Yield the path of the MeterReading with each of its IntervalBlocks."""
    for entry, node in _entries(root, "IntervalBlock"):
        link = next(iter([*_hrefs(entry, "self"), *_hrefs(entry, "up")]), "")
        yield _path(re.sub(r"/IntervalBlock.*", "", link)), node


def _path(link: str) -> str:
    return link.rpartition("/resource/")[2]


def _series(path: str, fields: dict[str, str]) -> _Series:
    unit, down = _UNITS.get(fields.get("uom", "72"), (f"UOM{fields.get('uom')}", 0))
    multiplier = fields.get("powerOfTenMultiplier", "0")
    flow = fields.get("flowDirection", _IMPORT)
    energy = unit in ("KWH", "MJ")
    direction = {_EXPORT: "export", _IMPORT: "import"}.get(flow, "other") if energy else "other"
    register = Register(
        service_point=path.partition("/MeterReading")[0] or "greenbutton",
        meter="",
        suffix=path.rpartition("/MeterReading/")[2] or "1",
        register_id=None,
        measure=Measure(unit, 0, direction),
        controlled_load=False,
    )
    return _Series(register, down - (int(multiplier) if re.fullmatch(r"-?[0-9]{1,2}", multiplier) else 0))


def _reads(source: Source, series: _Series, block: Any, imported: Imported) -> Iterator[Read]:
    for node in _named(block, "IntervalReading"):
        start, seconds = _child(node, "timePeriod", "start"), _child(node, "timePeriod", "duration")
        where = source.at(int(node.get(_LINE)))
        named = f"the reading of register {series.register.suffix} at {start or '?'}"
        try:
            value = amount(_child(node, "value"))
            instant, minutes = _instant(start), int(seconds) // 60
        except (ValueError, OverflowError, OSError):
            imported.reject(where, f"{named} has no time or length that can be read")
            continue
        if value is None or value < 0 or not 1 <= minutes <= _LONGEST:
            unreadable = f"has {_child(node, 'value')!r} over {minutes} minutes, which is not an amount of energy"
            imported.reject(where, f"{named} {unreadable}")
        else:
            try:
                value = in_stored_unit(value, series.shift)
            except ValueError as error:
                imported.reject(where, f"{named}: {error}")
            else:
                codes = {_child(quality, "quality") for quality in _named(node, "ReadingQuality")}
                yield Read(instant, minutes, value, "ESTIMATED" if codes & _ESTIMATED else None, where)


def _instant(text: str) -> datetime:
    instant = datetime.fromtimestamp(int(text), UTC)
    if not is_plausible(instant):
        raise ValueError(text)
    return instant


def _zone(root: Any, options: Options) -> tzinfo:
    stated = next((_child(node, "tzOffset") for node in _named(root, "LocalTimeParameters")), "")
    if re.fullmatch(r"-?[0-9]{1,5}", stated) and abs(int(stated)) < DAY_MINUTES * 60:
        return timezone(timedelta(seconds=int(stated)))
    return ZoneInfo(options.timezone)


def _store(reads: dict[_Series, list[Read]], zone: tzinfo, imported: Imported) -> None:
    days: list[Row] = []
    spans: list[AccumulationRead] = []
    for series, given in reads.items():
        short = [read for read in given if read.minutes < DAY_MINUTES]
        days.extend(register_days(series.register, short, imported))
        spans.extend(_span(series.register, read, zone) for read in given if read.minutes >= DAY_MINUTES)
    imported.tables["register_days"] = days
    if spans:
        for span in spans:
            add_accumulation_read(imported, span)
        imported.counts = "register_days" if days else "meter_reads"
        imported.counts_reads = bool(days)


def _span(register: Register, read: Read, zone: tzinfo) -> AccumulationRead:
    """Return a read of a day or more as one of the local days that it touches."""
    starts = read.starts_at.astimezone(zone).date()
    ends = max(starts, (read.starts_at + timedelta(minutes=read.minutes, seconds=-1)).astimezone(zone).date())
    return AccumulationRead(register, starts, ends, read.value, read.where, read.quality)
