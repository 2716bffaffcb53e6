"""What a meter said, for the referee, and when that is on a plan's clock (pricing rule 3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction
from functools import cache, cached_property
from typing import NamedTuple
from zoneinfo import ZoneInfo


@dataclass(frozen=True)
class Interval:
    """`nano` is energy in 10^-9 kWh (MJ); None where missing."""

    start: int  # minutes since 1970, UTC
    minutes: int
    nano: int | None


class Read(NamedTuple):
    """An interval: its `day` in a bill; its date (`own`) and minute of the day on a tariff's clock (pricing rule 3)."""

    day: date
    own: date
    minute: int
    interval: Interval


@dataclass
class Site:
    """What a household's meter says. `zone` is the service point's; `holidays` its state's public holidays."""

    zone: str
    general: list[Interval]
    controlled: list[Interval] = field(default_factory=list)
    export: list[Interval] = field(default_factory=list)
    has_controlled: bool = False
    holidays: Collection[date] = ()
    yearly: Fraction | None = None
    placed: dict[tuple[str, str, str], list[Read]] = field(default_factory=dict)

    @cached_property
    def halves(self) -> dict[int, tuple[int, int]]:
        """General usage and the minutes that were read, of each half hour since 1970 of which some were."""
        halves: dict[int, list[int]] = defaultdict(lambda: [0, 0])
        for interval in self.general:
            if interval.nano is None:
                continue
            for start in range(interval.start, interval.start + interval.minutes, min(30, interval.minutes)):
                part = min(30, interval.minutes)
                halves[start // 30][0] += interval.nano * part // interval.minutes
                halves[start // 30][1] += part
        return {half: (nano, minutes) for half, (nano, minutes) in halves.items()}

    def at(self, register: str, clock: str, dates: str) -> list[Read]:
        """Each interval on a tariff's clock; `dates` is the clock of the bill's dates."""
        key = (register, clock, dates)
        if key not in self.placed:
            self.placed[key] = [self.read(interval, clock, dates) for interval in getattr(self, register)]
        return self.placed[key]

    def read(self, interval: Interval, clock: str, dates: str) -> Read:
        return Read(local(interval.start, dates, self.zone)[0], *local(interval.start, clock, self.zone), interval)


@cache
def local(minute: int, clock: str, zone: str) -> tuple[date, int]:
    tz = ZoneInfo(zone) if clock == "LOCAL" else timezone(timedelta(hours=10))
    when = datetime.fromtimestamp(minute * 60, UTC).astimezone(tz)
    return when.date(), when.hour * 60 + when.minute
