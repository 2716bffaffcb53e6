"""Registers and their reads: whole watt-hours by meter day (AEST), with gaps, substitutes and a change of interval."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolkit.sandbox.world.cast import Person
from toolkit.sandbox.world.chance import dice, noise
from toolkit.sandbox.world.power.load import hot_water_kw, load_kw, through_battery
from toolkit.sandbox.world.power.sun import generation_kw
from toolkit.sandbox.world.power.weather import Array, Weather, weather

Wh = NDArray[np.int64]
LAG_DAYS = 2
LATE_DAYS = 7
"""How long a day's reads may stay the day's before, until the meter answers."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive meter days of one register at one interval length. wh: days × intervals, ≥ 0."""

    first: date
    minutes: int
    wh: Wh

    def day(self, nth: int) -> date:
        return self.first + timedelta(days=nth)


@dataclass(frozen=True, slots=True)
class Register:
    """suffix: E1, E2 or B1. missing: days never read. substituted: day → (first, last) interval from 1.

    late: a day that is not read yet, though later ones are; the day before stands in for it.
    """

    suffix: str
    controlled_load: bool
    stretches: tuple[Stretch, ...]
    missing: frozenset[date]
    substituted: dict[date, tuple[int, int, str]]
    late: date | None = None

    @property
    def exports(self) -> bool:
        return self.suffix.startswith("B")


def registers_of(person: Person, seed: int, span: tuple[date, date], born: date) -> tuple[Register, ...]:
    """E1 always, E2 where there is controlled load, B1 where there are panels; read until two days ago."""
    first, today = span
    last = today - timedelta(days=LAG_DAYS)
    days = (last - first).days + 1
    sky = weather(person.place, seed, first, days)
    parts = [_flows(person, seed, sky, span) for span in _spans(person, days, born, first)]
    missing, substituted = _flaws(person, seed, first, days)
    found = []
    for suffix in ("E1", "E2", "B1"):
        stretches = tuple(
            Stretch(first + timedelta(days=start), minutes, _watt_hours(flows[suffix], minutes))
            for start, minutes, flows in parts
            if suffix in flows
        )
        if stretches:
            late = _late(born, today) if suffix == "E1" else None
            found.append(Register(suffix, suffix == "E2", stretches, missing, _fitting(substituted, stretches), late))
    return tuple(found)


def _late(born: date, today: date) -> date | None:
    """The last day but one that was read when the world was born, until its own reads come in."""
    day = born - timedelta(days=LAG_DAYS + 1)
    return day if today <= day + timedelta(days=LATE_DAYS) else None


def _spans(person: Person, days: int, born: date, first: date) -> list[tuple[int, int, int]]:
    """(first day, end, minutes): half-hours, and five minutes since the meter was changed, where it was."""
    if person.five_minute_from_days_ago is None:
        return [(0, days, 30)]
    change = (born - first).days - person.five_minute_from_days_ago
    return [(0, change, 30), (change, days, 5)] if 0 < change < days else [(0, days, 5)]


def _flows(person: Person, seed: int, sky: Weather, span: tuple[int, int, int]) -> tuple[int, int, dict[str, Array]]:
    """Mean power by register over a span of days."""
    start, end, minutes = span
    part = sky.part(start, end)
    net = load_kw(person, seed, part, minutes)
    flows = {}
    if person.panels_kw:
        net = net - generation_kw(person.place, seed, part, person.panels_kw, minutes)
        if person.battery_kwh:
            net = through_battery(net, person.battery_kwh, minutes)
        flows["B1"] = np.clip(-net, 0, None)
    flows["E1"] = np.clip(net, 0, None)
    if person.controlled_load:
        flows["E2"] = hot_water_kw(person, seed, part, minutes)
    return start, minutes, flows


def _watt_hours(kw: Array, minutes: int) -> Wh:
    return np.rint(kw * (1000 * minutes / 60)).astype(np.int64)


def _flaws(person: Person, seed: int, first: date, days: int) -> tuple[frozenset[date], dict[date, tuple[str, float]]]:
    """Three days that were never read, and a few with a substituted stretch (quality, where it begins)."""
    gap = first + timedelta(days=dice(seed, "gap", person.index).randint(90, 240))
    missing = frozenset(gap + timedelta(days=n) for n in range(3))
    luck = noise(seed, "substitutes", person.index).random((days, 3))
    substituted = {
        first + timedelta(days=n): ("SUBSTITUTE" if kind < 0.5 else "FINAL_SUBSTITUTE", begin)
        for n, (flaw, kind, begin) in enumerate(luck.tolist())
        if flaw < 1 / 45
    }
    return missing, substituted


def _fitting(
    substituted: dict[date, tuple[str, float]], stretches: tuple[Stretch, ...]
) -> dict[date, tuple[int, int, str]]:
    """The substituted stretches in each day's own numbering of intervals."""
    found = {}
    for stretch in stretches:
        count = stretch.wh.shape[1]
        for nth in range(len(stretch.wh)):
            if (flaw := substituted.get(stretch.day(nth))) is not None:
                begin = 1 + int(flaw[1] * (count * 3 // 4))
                found[stretch.day(nth)] = (begin, begin + count // 8, flaw[0])
    return found


def usage_records(register: Register, service_point_id: str, meter_id: str, *, negative: bool) -> list[dict[str, Any]]:
    """One record a register-day. negative: exports with a minus, as the standard says and only some retailers do."""
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


def _read(register: Register, stretch: Stretch, nth: int, sign: int) -> dict[str, Any]:
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
