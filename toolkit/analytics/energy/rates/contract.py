"""Read a published contract: texts, numbers, windows, blocks, daily supply (pricing rules 4, 6 and 12)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Literal

from toolkit.analytics.energy.rates.model import (
    ALL_DAY,
    EVERY_WEEKDAY,
    BandRate,
    Bands,
    Block,
    DemandCharge,
    Duration,
    Gst,
    PlanTimeZone,
    Supply,
    Tariff,
    Window,
    read_duration,
)
from toolkit.answers.base import Figure, Note
from toolkit.problems import Problem
from toolkit.tables.rows.contracts import (
    Band,
    Contract,
    Described,
    Rate,
    TariffPeriod,
    TimeWindow,
)
from toolkit.units import DAY_MINUTES

_DIGITS = re.compile(r"\d{1,4}")
_TIME = re.compile(r"T?(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?", re.IGNORECASE)
_DAY_NAMES = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_DAY_GROUPS = {
    "BUSINESS_DAYS": frozenset(range(5)),
    "WEEKDAYS": frozenset(range(5)),
    "WEEKENDS": frozenset((5, 6)),
    "WEEKEND": frozenset((5, 6)),
}
HOLIDAYS = "PUBLIC_HOLIDAYS"


def number(value: object) -> Decimal | None:
    """Read a finite decimal from a JSON number or text; None where it is not one."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        return None
    try:
        read = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    # `1e999999` is finite, too: exact arithmetic with it would not end.
    return read if read.is_finite() and abs(read.adjusted()) < 30 else None


def text(*values: object) -> str:
    """Return the first of the values that is a text and not blank, stripped; empty where none is."""
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")


def title(written: Described) -> str:
    """Return the name that a plan gives an entry, else its description; empty where it has neither."""
    return text(written.get("display_name"), written.get("description"))


def minute_of_day(value: object) -> int | None:
    """Read `T19:00:00`, `HH:MM[:SS]` or 1 to 4 digits (`59`, `700`, `2159`) as minutes since midnight, 0 to 1440."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return None
    written = value.strip()
    if _DIGITS.fullmatch(written):
        hour, minute = divmod(int(written), 100)
    elif match := _TIME.fullmatch(written):
        hour, minute = int(match[1]), int(match[2])
    else:
        return None
    return hour * 60 + minute if minute < 60 and (hour < 24 or (hour, minute) == (24, 0)) else None


def end_minute(value: object) -> int | None:
    """Read a time as an exclusive end: `HH:59` means the next minute, `00:00` the day's end."""
    minute = minute_of_day(value)
    if minute is None:
        return None
    # Retailers end a window at `20:59` or `21:00` alike; `23:59` and `00:00` both end the day (pricing rule 4).
    if minute % 60 == 59:
        return minute + 1
    return minute or DAY_MINUTES


def weekdays(names: Sequence[str]) -> tuple[frozenset[int], list[str]]:
    """Return the days named (0 is Monday), and the unknown names. Without names: every day. Holidays add nothing."""
    if not names:
        return EVERY_WEEKDAY, []
    days: set[int] = set()
    unknown = []
    for name in names:
        if name in _DAY_GROUPS:
            days |= _DAY_GROUPS[name]
        elif name[:3] in _DAY_NAMES:
            days.add(_DAY_NAMES.index(name[:3]))
        elif name != HOLIDAYS:
            unknown.append(name)
    return frozenset(days), unknown


def window(written: TimeWindow) -> Window | str:
    """Read one window; a text is the reason why it cannot be read (pricing rule 4)."""
    given = [written.get("start_time"), written.get("end_time")]
    start, end = minute_of_day(given[0]), end_minute(given[1])
    if given == [None, None]:
        return "no times are published"
    if start is None or end is None or start == DAY_MINUTES:
        return f"unreadable times {given[0]!r} to {given[1]!r}"
    if start == end:
        return f"a window from {given[0]!r} to {given[1]!r} is empty"
    names = written.get("days") or []
    days, unknown = weekdays(names)
    if unknown:
        return f"unknown days {', '.join(unknown)}"
    if set(names) == {HOLIDAYS}:  # next to other days holidays add nothing (pricing rule 4)
        return Window(start, end, frozenset(), holidays_only=True)
    return Window(start, end, days)


class PlanMessages:
    """Collect notes and problems, each once, in order. where: prefix of a problem's location, usually the plan id."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._notes: dict[Note, None] = {}
        self._problems: dict[Problem, None] = {}

    def note(self, code: str, /, **figures: Figure) -> None:
        """Add a note by its code in `toolkit.answers.wording.notes.WORDING`, with the figures of its sentence."""
        self._notes[Note(code, **figures)] = None

    def problem(self, part: str, reason: str) -> None:
        """Add a problem: the part of the plan that is not priced, and why."""
        self._problems[Problem(f"{self.where}: {part}" if part else self.where, reason)] = None

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return the notes, in order."""
        return tuple(self._notes)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the problems, in order."""
        return tuple(self._problems)


@dataclass(frozen=True, slots=True)
class Reading:
    """How one contract's prices are to be read. scale: 0.01 where the plan is in cents.

    time_zone: the contract's, for tariff periods that name none. other_time_zone: of controlled load and feed-in, which
    have none of their own: the contract's too, or where it names none the first that a tariff period names.
    order: of the contract's dates without a year. on: the day that dates with a year are read for; None: they hold from
    the first to the last, as on the household's own plan.
    """

    messages: PlanMessages
    unit: str
    scale: Decimal
    time_zone: PlanTimeZone
    other_time_zone: PlanTimeZone
    order: Order
    quota: bool = False
    on: date | None = None


def time_zone_of(written: Contract | TariffPeriod, otherwise: PlanTimeZone = "AEST") -> PlanTimeZone:
    """Return `time_zone` as published: LOCAL, or AEST; `otherwise` where absent."""
    named = text(written.get("time_zone")).upper()
    return ("LOCAL" if named == "LOCAL" else "AEST") if named else otherwise


Order = Literal["MM-DD", "DD-MM"]


_UNITS = {"kWh": {"", "KWH"}, "MJ": {"", "MJ", "KWH"}}


@dataclass(frozen=True, slots=True)
class Terms:
    """What the bands of a tariff have in common: default block periods, GST, and the key of their windows.

    open_ended: the last block has no limit, whatever volume it carries. times_optional: a window without times is the
    whole day, as the standards define for feed-in; elsewhere its hours are not known.
    """

    single: Duration
    varying: Duration
    gst: Gst
    windows: Literal["time_of_use", "time_variations"] = "time_of_use"
    open_ended: bool = True
    times_optional: bool = False


def band_rate(written: Band, label: str, default: Duration, terms: Terms, reading: Reading) -> BandRate | None:
    """Read the blocks of one band; None, with a problem, where a price is missing or unreadable."""
    blocks = _blocks(written, label, terms, reading)
    if blocks is None:
        return None
    return BandRate(label, blocks, _period(written, label, default, blocks, reading))


def _blocks(written: Band, label: str, terms: Terms, reading: Reading) -> tuple[Block, ...] | None:
    """Read the blocks of a band; None, with a problem, where a price or a unit is missing or unreadable."""
    rates = written.get("rates") or []
    prices = [number(rate.get("unit_price")) for rate in rates]
    if not rates or any(price is None for price in prices):
        reading.messages.problem(label, "no prices" if not rates else "a price is not a number")
        return None
    odd = {unit for rate in rates if (unit := text(rate.get("measure_unit")).upper()) not in _UNITS[reading.unit]}
    if odd:
        reading.messages.problem(label, f"priced per {', '.join(sorted(odd))}, not per {reading.unit}")
        return None
    widths = [_width(rate) for rate in rates]
    _note_ambiguous(label, widths, reading)
    if terms.open_ended:
        widths[-1] = None  # the last block has no limit, whatever volume it carries (pricing rule 6)
    return tuple(
        Block(price * reading.scale, width, terms.gst)
        for price, width in zip(prices, widths, strict=True)
        if price is not None
    )


def _width(rate: Rate) -> Decimal | None:
    """Return the width of a block; None where it has no limit."""
    volume = number(rate.get("volume"))
    # A volume of 0 means without a limit (pricing rule 6).
    return volume if volume is not None and volume > 0 else None


def _note_ambiguous(label: str, widths: Sequence[Decimal | None], reading: Reading) -> None:
    """Note blocks that can be read in two ways, and blocks after one without a limit."""
    finite = [width for width in widths if width is not None]
    # Rising volumes could be meant as cumulative thresholds; they are priced as widths all the same (pricing rule 6).
    if len(finite) > 1 and all(a < b for a, b in pairwise(finite)):
        listed = ", ".join(f"{width:f}" for width in finite)
        reading.messages.note("rising_block_volumes", label=label, volumes=listed)
    if None in widths[:-1]:
        reading.messages.note("unreachable_blocks", label=label)


def _period(written: Band, label: str, default: Duration, blocks: Sequence[Block], reading: Reading) -> Duration:
    """Read how long a block's width lasts; the tariff's default, noted where blocks have widths (pricing rule 6)."""
    named = written.get("period")
    period = read_duration(named)
    if period is None and any(block.width is not None for block in blocks):
        if named is None:
            reading.messages.note("block_period_missing", label=label, period=str(default))
        else:
            reading.messages.note("block_period_unreadable", label=label, written=repr(named), period=str(default))
    return period or default


def windows_of(written: Sequence[TimeWindow], label: str, reading: Reading) -> tuple[Window, ...]:
    """Read the windows of one band; unreadable or missing ones are problems."""
    if not written:
        reading.messages.problem(label, "no windows are published")
    read = [window(entry) for entry in written]
    for reason in read:
        if isinstance(reason, str):
            reading.messages.problem(label, reason)
    return tuple(entry for entry in read if isinstance(entry, Window))


def all_day(written: Band, label: str, terms: Terms, reading: Reading) -> tuple[Bands, tuple[BandRate, ...]]:
    """Read a single rate: one band that is always on."""
    rate = band_rate(written, label, terms.single, terms, reading)
    return (((ALL_DAY,),), (rate,)) if rate else ((), ())


def timed(written: Sequence[Band], label: str, terms: Terms, reading: Reading) -> tuple[Bands, tuple[BandRate, ...]]:
    """Read bands by window. A band that cannot be read is left out, with a problem."""
    bands, rates = [], []
    for n, band in enumerate(written, start=1):
        name = text(band.get("display_name"), band.get("name"), band.get("type")) or f"band {n}"
        full = f"{label}: {name}" if label and label != name else name
        windows = windows_of([_with_times(entry, terms) for entry in band.get(terms.windows) or []], full, reading)
        rate = band_rate(band, full, terms.varying, terms, reading)
        if windows and rate:
            bands.append(windows)
            rates.append(rate)
    return tuple(bands), tuple(rates)


def _with_times(entry: TimeWindow, terms: Terms) -> TimeWindow:
    """Return the window, from midnight to midnight where it names no time and need not."""
    if not terms.times_optional:
        return entry
    start, end = entry.get("start_time"), entry.get("end_time")
    return {**entry, "start_time": "0" if start is None else start, "end_time": "0" if end is None else end}


def daily(value: object, label: str, reading: Reading) -> Supply | None:
    """Read a daily charge; None where absent or, with a problem, unreadable."""
    if value is None or value == "":
        return None
    price = number(value)
    if price is None:
        reading.messages.problem(label, f"daily supply charge {value!r} is not a number")
        return None
    return Supply(((None, price * reading.scale),))


def banded_daily(written: Sequence[Rate], label: str, reading: Reading) -> Supply | None:
    """Read a daily charge by the year's energy; volumes are widths of the bands, the last has no end."""
    upper, steps = Decimal(0), []
    for n, rate in enumerate(written):
        price, width = number(rate.get("unit_price")), _width(rate)
        if price is None:
            reading.messages.problem(label, "a banded daily supply charge has no readable price")
            return None
        upper += width or 0
        last = n == len(written) - 1 or width is None
        steps.append((None if last else upper, price * reading.scale))
    return Supply(tuple(steps)) if steps else None


CENTS_ABOVE = {"kWh": Decimal(3), "MJ": Decimal("0.3")}
"""AUD per unit; measured on published plans (no dollar price reaches it, no cent price stays below)."""

_USUAL_USAGE = {"kWh": Decimal("1.5"), "MJ": Decimal("0.15")}
_USUAL_SUPPLY = Decimal(20)
_USUAL_FEED_IN = Decimal(1)


def scale_of(contract: Contract, unit: str, messages: PlanMessages) -> Decimal:
    """Return 0.01 where the contract's prices are cents, noted; else 1."""
    # The standards ask for dollars; some retailers publish cents, and only the size of their prices shows it (rule 12).
    highest = max(usage_prices(contract), default=Decimal(0))
    if highest <= CENTS_ABOVE[unit]:
        return Decimal(1)
    messages.note("prices_in_cents", price=highest, unit=unit)
    return Decimal("0.01")


def usage_prices(contract: Contract) -> Iterator[Decimal]:
    """Yield every readable usage price of the tariff periods, as written."""
    for period in contract["tariff_period"]:
        single: Band = period["single_rate"] or {"rates": []}
        for holder in (single, *period["time_of_use_rates"]):
            yield from (p for rate in holder["rates"] if (p := number(rate.get("unit_price"))) is not None)
        general = number(single.get("general_unit_price"))
        if general is not None:
            yield general


def note_unusual(component: str, tariff: Tariff, unit: str, messages: PlanMessages) -> None:
    """Note prices out of the usual range; they are never changed."""
    limit = _USUAL_FEED_IN if component == "feed_in" else _USUAL_USAGE[unit]
    for rate in tariff.rates:
        for block in rate.blocks:
            if not 0 <= block.price <= limit:
                messages.note("unusual_energy_price", label=rate.label, price=block.price, unit=unit)
    for _, price in tariff.supply.steps if tariff.supply else ():
        if not 0 <= price <= _USUAL_SUPPLY:
            messages.note("unusual_supply_charge", label=tariff.label, price=price)


def note_unusual_demand(charge: DemandCharge, messages: PlanMessages) -> None:
    """Note a demand price out of the usual range."""
    if not 0 <= charge.price <= (100 if charge.monthly else 2):
        messages.note("unusual_demand_charge", label=charge.label, price=charge.price)
