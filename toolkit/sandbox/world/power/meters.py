"""Meter registers and their reads: whole watt-hours by meter day (AEST), with gaps, substitutes and a new meter."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from toolkit.sandbox.world.chance import array_stream, random_stream
from toolkit.sandbox.world.people import Person
from toolkit.sandbox.world.power.profiles import (
    Ints,
    Weather,
    generate_weather,
    generation_kw,
    hot_water_kw,
    load_kw,
    with_battery,
)
from toolkit.wire import JsonObject

LAG_DAYS = 2
"""Days until reads are available."""
LATE_DAYS = 7
"""Days for which the reads of the day before may stand in for a late day."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive meter days of one register at one interval length."""

    first: date
    minutes: int
    """Length of an interval."""
    wh: Ints
    """Energy in Wh, days × intervals, ≥ 0."""

    def day(self, nth: int) -> date:
        """Return the date of a row of `wh`."""
        return self.first + timedelta(days=nth)


@dataclass(frozen=True, slots=True)
class Register:
    """A register of an electricity meter."""

    suffix: str
    """E1 (general use), E2 (controlled load) or B1 (export)."""
    controlled_load: bool
    stretches: tuple[Stretch, ...]
    missing: frozenset[date]
    """Days never read."""
    substituted: dict[date, tuple[int, int, str]]
    """(first interval, last interval, quality) by day; intervals count from 1."""
    late: date | None = None
    """A day not read yet, though later ones are; its reads are those of the day before."""

    @property
    def exports(self) -> bool:
        """Return whether the register counts energy sent to the grid."""
        return self.suffix.startswith("B")


def registers_of(person: Person, seed: int, span: tuple[date, date], born: date) -> tuple[Register, ...]:
    """Generate the registers, read until two days ago.

    Everyone has E1; E2 is for controlled load and B1 for panels. span: first day and today. born: the day from which
    the change of the meter is counted back.
    """
    first, today = span
    last = today - timedelta(days=LAG_DAYS)
    days = (last - first).days + 1
    weather = generate_weather(person.place, seed, first, days)
    parts = [_energy_by_register(person, seed, weather, part) for part in _interval_lengths(person, days, born, first)]
    missing, substituted = _missing_and_substituted(person, seed, first, days)
    # When the world begins, the last day but one is late: a meter that cannot be reached for a few days. Its own reads
    # replace the substitutes later.
    late = born - timedelta(days=LAG_DAYS + 1)
    is_late = today <= late + timedelta(days=LATE_DAYS)
    registers = []
    for suffix in ("E1", "E2", "B1"):
        stretches = tuple(
            Stretch(first + timedelta(days=start), minutes, wh[suffix]) for start, minutes, wh in parts if suffix in wh
        )
        if stretches:
            qualities = _substituted_intervals(substituted, stretches)
            late_day = late if suffix == "E1" and is_late else None
            registers.append(Register(suffix, suffix == "E2", stretches, missing, qualities, late_day))
    return tuple(registers)


def _interval_lengths(person: Person, days: int, born: date, first: date) -> list[tuple[int, int, int]]:
    """Return (first day, end, minutes): half-hours, and five minutes since the meter was changed, if it was."""
    if person.five_minute_from_days_ago is None:
        return [(0, days, 30)]
    change = (born - first).days - person.five_minute_from_days_ago
    return [(0, change, 30), (change, days, 5)] if 0 < change < days else [(0, days, 5)]


def _energy_by_register(
    person: Person, seed: int, weather: Weather, days: tuple[int, int, int]
) -> tuple[int, int, dict[str, Ints]]:
    """Return (first day, minutes, watt-hours of each interval by register suffix) of some days."""
    start, end, minutes = days
    part = weather.part(start, end)
    net = load_kw(person, seed, part, minutes)
    kw = {}
    if person.panels_kw:
        net = net - generation_kw(person.place, seed, part, person.panels_kw, minutes)
        if person.battery_kwh:
            net = with_battery(net, person.battery_kwh, minutes)
        kw["B1"] = np.clip(-net, 0, None)
    kw["E1"] = np.clip(net, 0, None)
    if person.controlled_load:
        kw["E2"] = hot_water_kw(person, seed, part, minutes)
    return start, minutes, {suffix: np.rint(kw[suffix] * (1000 * minutes / 60)).astype(np.int64) for suffix in kw}


def _missing_and_substituted(
    person: Person, seed: int, first: date, days: int
) -> tuple[frozenset[date], dict[date, tuple[str, float]]]:
    """Draw three days that were never read, and some days with a substituted part: (quality, start as a share)."""
    gap = first + timedelta(days=random_stream(seed, "gap", person.index).randint(90, 240))
    missing = frozenset(gap + timedelta(days=n) for n in range(3))
    luck = array_stream(seed, "substitutes", person.index).random((days, 3))
    substituted = {
        first + timedelta(days=n): ("SUBSTITUTE" if kind < 0.5 else "FINAL_SUBSTITUTE", begin)
        for n, (flaw, kind, begin) in enumerate(luck.tolist())
        if flaw < 1 / 45
    }
    return missing, substituted


def _substituted_intervals(
    substituted: dict[date, tuple[str, float]], stretches: tuple[Stretch, ...]
) -> dict[date, tuple[int, int, str]]:
    """Number the substituted intervals of each day at its own interval length."""
    intervals = {}
    for stretch in stretches:
        count = stretch.wh.shape[1]
        for nth in range(len(stretch.wh)):
            if (flaw := substituted.get(stretch.day(nth))) is not None:
                begin = 1 + int(flaw[1] * (count * 3 // 4))
                intervals[stretch.day(nth)] = (begin, begin + count // 8, flaw[0])
    return intervals


def usage_records(register: Register, service_point_id: str, meter_id: str, *, negative: bool) -> list[JsonObject]:
    """Return one record for each day of a register.

    negative: whether exports have a minus sign, as the standard requires and only some retailers do.
    """
    sign = -1 if negative and register.exports else 1
    named = {
        "service_point_id": service_point_id,
        "meter_id": meter_id,
        "register_id": f"{meter_id}-{register.suffix}",
        "register_suffix": register.suffix,
        "controlled_load": register.controlled_load,
        "unit_of_measure": "KWH",
        "read_u_type": "intervalRead",
    }
    return [
        named | _read(register, stretch, nth, sign)
        for stretch in register.stretches
        for nth in range(len(stretch.wh))
        if stretch.day(nth) not in register.missing
    ]


def _read(register: Register, stretch: Stretch, nth: int, sign: int) -> JsonObject:
    day = stretch.day(nth)
    late = day == register.late and nth > 0
    values = stretch.wh[nth - late] * sign
    flaw = (1, len(values), "SUBSTITUTE") if late else register.substituted.get(day)
    qualities = [{"start_interval": flaw[0], "end_interval": flaw[1], "quality": flaw[2]}] if flaw else []
    return {
        "read_start_date": str(day),
        "read_end_date": str(day),
        "interval_read": {
            "read_interval_length": stretch.minutes,
            "aggregate_value": int(values.sum()) / 1000,
            "interval_reads": (values / 1000).tolist(),
            "read_qualities": qualities,
        },
    }
