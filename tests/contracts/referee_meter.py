"""What a meter said, for the referee, and when that is on a plan's clock (rule 3)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction
from functools import cache
from zoneinfo import ZoneInfo


@dataclass(frozen=True)
class Interval:
    """`nano` is energy in 10^-9 kWh (MJ); None where missing."""

    start: int  # minutes since 1970, UTC
    minutes: int
    nano: int | None


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
    placed: dict[tuple[str, str], list[tuple[date, int, Interval]]] = field(default_factory=dict)

    def at(self, register: str, clock: str) -> list[tuple[date, int, Interval]]:
        """Each interval with its date and minute of the day on the plan's clock (rule 3)."""
        if (register, clock) not in self.placed:
            stream = getattr(self, register)
            self.placed[register, clock] = [(*local(each.start, clock, self.zone), each) for each in stream]
        return self.placed[register, clock]


@cache
def local(minute: int, clock: str, zone: str) -> tuple[date, int]:
    tz = ZoneInfo(zone) if clock == "LOCAL" else timezone(timedelta(hours=10))
    when = datetime.fromtimestamp(minute * 60, UTC).astimezone(tz)
    return when.date(), when.hour * 60 + when.minute
