"""Reads a published or stored plan for the referee: raw JSON, either spelling, nothing of the toolkit.

Section 4 of the contracts in words close to the text; clarity before speed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from typing import Any

DAY = 1440
WEEK = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
FULL_NAMES = {"MONDAY": 0, "TUESDAY": 1, "WEDNESDAY": 2, "THURSDAY": 3, "FRIDAY": 4, "SATURDAY": 5, "SUNDAY": 6}
HOLIDAYS_ONLY = frozenset({"holiday"})
LEAP_DAY = date(2024, 2, 29)

Items = Sequence[Mapping[str, Any]]


def snake(value: Any) -> Any:
    """The same JSON with every key in snake_case."""
    if isinstance(value, Mapping):
        return {snake_name(k): snake(v) for k, v in value.items()}
    return [snake(each) for each in value] if isinstance(value, list) else value


@cache
def snake_name(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", key).lower()


def number(value: Any) -> Fraction | None:
    try:
        return None if value in (None, "") or isinstance(value, bool) else Fraction(str(value).strip().lstrip("$"))
    except ValueError:
        return None


@dataclass(frozen=True)
class Block:
    """Price of one unit; `width` per `period` (None: no limit); `taxed` once GST is already inside."""

    price: Fraction
    width: Fraction | None
    period: str
    taxed: bool = False


@dataclass(frozen=True)
class Window:
    """Minutes of the day from `start` up to `end` (may wrap) on `days` (weekday numbers, or only holidays)."""

    start: int
    end: int
    days: frozenset[Any]

    @property
    def minutes(self) -> int:
        return (self.end - self.start) % DAY or DAY

    def holds(self, weekday: int, minute: int, *, holiday: bool) -> bool:
        if (holiday if self.days == HOLIDAYS_ONLY else weekday in self.days) is False:
            return False
        return self.start <= minute < self.end if self.start < self.end else minute >= self.start or minute < self.end


@dataclass
class Band:
    label: str
    blocks: list[Block]
    windows: list[Window] | None = None  # None: always


@dataclass
class Season:
    """The dates a thing is in force: month-days each year, or dates once. Both ends inclusive."""

    holds: Callable[[date], bool] = lambda _day: True


@dataclass
class Demand:
    label: str
    amount: Fraction
    window: Window
    least: Fraction
    most: Fraction | None


@dataclass
class TariffPeriod:
    label: str
    clock: str
    season: Season
    bands: list[Band]
    supply: Fraction | None = None
    supply_bands: list[Block] = field(default_factory=list)
    demand: list[Demand] = field(default_factory=list)
    energetic: bool = True  # it holds energy rates, readable or not


# Times and days (pricing rule 4)


def minute_of(text: Any) -> int | None:
    """`T19:00:00`, `HH:MM[:SS]` or one to four digits, as minutes after midnight; None where unreadable."""
    found = re.fullmatch(r"T?(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?Z?", str(text).strip())
    digits = re.fullmatch(r"\d{1,4}", str(text).strip())
    if digits:
        hour, minute = divmod(int(digits[0]), 100)
    elif found:
        hour, minute = int(found[1]), int(found[2])
    else:
        return None
    return hour * 60 + minute if hour < 24 and minute < 60 else (DAY if (hour, minute) == (24, 0) else None)


def end_of(text: Any) -> int | None:
    minute = minute_of(text)
    if minute is None:
        return None
    return minute + 1 if minute % 60 == 59 else minute or DAY


def days_of(value: Any) -> frozenset[Any]:
    """Weekday numbers; empty where no day is named."""
    if isinstance(value, Mapping):
        named = [name.upper() for name, on in value.items() if on]
    else:
        named = [str(name).upper() for name in value or []]
    if named and set(named) <= {"PUBLIC_HOLIDAYS"}:
        return HOLIDAYS_ONLY
    out: set[int] = set()
    for name in named:
        if name in {"BUSINESS_DAYS", "WEEKDAYS"}:
            out |= {0, 1, 2, 3, 4}
        elif name in {"WEEKEND", "WEEKENDS"}:
            out |= {5, 6}
        elif name in FULL_NAMES:
            out.add(FULL_NAMES[name])
        elif name[:3] in WEEK and len(name) == 3:
            out.add(WEEK.index(name))
    return frozenset(out)


def window_of(item: Mapping[str, Any], *, times_optional: bool = False) -> Window | None:
    """The window; None where a time is absent or cannot be read, or the window is empty.

    times_optional: absent times are the start and the end of the day (the standard says so of feed-in).
    """
    times = [item.get("start_time"), item.get("end_time")]
    if times_optional:
        times = ["0" if time is None else time for time in times]
    start, end = minute_of(times[0]), end_of(times[1])
    if start is None or end is None or start == end:
        return None
    return Window(start, end, days_of(item.get("days")) or frozenset(range(7)))


# Seasons (pricing rule 5)


def month_day(text: Any, order: str) -> tuple[int, int] | None:
    found = re.fullmatch(r"(\d{1,2})[-/](\d{1,2})", str(text or "").strip())
    if not found:
        return None
    first, second = int(found[1]), int(found[2])
    month, day = (first, second) if order == "MD" else (second, first)
    try:
        date(2024, month, day)
    except ValueError:
        return None
    return month, day


def in_year(start: tuple[int, int], end: tuple[int, int]) -> Callable[[date], bool]:
    def holds(day: date) -> bool:
        here = (day.month, day.day)
        return start <= here <= end if start <= end else here >= start or here <= end

    return holds


def once(start: str | None, end: str | None) -> Callable[[date], bool]:
    first = date.fromisoformat(start[:10]) if start else date.min
    last = date.fromisoformat(end[:10]) if end else date.max
    return lambda day: first <= day <= last


def with_years(item: Mapping[str, Any]) -> bool:
    return bool(re.match(r"\d{4}-\d{2}-\d{2}", str(item.get("start_date") or item.get("end_date") or "")))


def dates_in(item: Mapping[str, Any], order: str) -> Callable[[date], bool] | None:
    """Whether a day is inside; None where the dates cannot be read in this order. An end left out is the year's."""
    start, end = item.get("start_date"), item.get("end_date")
    if not start and not end:
        return lambda _day: True
    if with_years(item):
        return once(start, end)
    first = month_day(start, order) if start else (1, 1)
    last = month_day(end, order) if end else (12, 31)
    return in_year(first, last) if first and last else None


@cache
def year_days() -> list[date]:
    return [date(2023, 1, 1) + timedelta(days=n) for n in range(365)]


def wrong_days(items: Items, order: str) -> int | None:
    """How many days of a year are in no item or in two; None where dates cannot be read in this order."""
    tests = [dates_in(item, order) for item in items]
    if any(test is None for test in tests):
        return None
    return sum(sum(bool(test and test(day)) for test in tests) != 1 for day in year_days())


def order_of(energy: Items, only_demand: Items, *others: Items) -> str:
    """How a contract writes its dates: list by list, the orders that fit are kept until one is left.

    First come the tariff periods, then whatever else has dates, all of it before any list by itself.
    """
    orders = readable([*energy, *only_demand], ["MD", "DM"])
    orders = tiling(only_demand, tiling(energy, orders))
    orders = readable([item for items in others for item in items], orders)
    for items in others:
        orders = tiling(items, orders)
    return orders[0]


def readable(items: Items, orders: list[str]) -> list[str]:
    """Those of the orders in which most of the items can be read."""
    lost = {order: sum(dates_in(item, order) is None for item in items) for order in orders}
    return [order for order in orders if lost[order] == min(lost.values())]


def tiling(items: Items, orders: list[str]) -> list[str]:
    """Those of the orders in which the items tile the year; all where none does."""
    return [order for order in orders if wrong_days(items, order) == 0] or orders


def beside(items: Items, order: str, on: date | None) -> list[Season | None]:
    """Read the seasons of a list beside the tariff periods (pricing rule 8), in the contract's order where possible.

    on: the day the plan is priced for; None on the household's own plan. Where dates have a year, a season on any other
    plan is always or, as None, not at all.
    """
    usual = ["MD", "DM"] if order == "MD" else ["DM", "MD"]
    own = readable(items, usual)[0]
    other = "DM" if own == "MD" else "MD"
    found = seasons(items, [own if dates_in(item, own) else other for item in items])
    if on is None:
        return found
    dated = [item for item in items if with_years(item)]
    return [
        season if not with_years(item) else Season() if in_force(item, dated, on) else None
        for item, season in zip(items, found, strict=True)
    ]


def in_force(item: Mapping[str, Any], dated: Items, on: date) -> bool:
    """Whether a component dated with a year is in force on a plan priced for that day. dated: all such of its kind."""
    first, last = offer(item)
    contains = first <= on <= last
    if len(dated) == 1:
        return contains or (last - first).days + 1 >= 365
    if any(start <= on <= end for start, end in map(offer, dated)):
        return contains
    return last == max(end for _, end in map(offer, dated))


def offer(item: Mapping[str, Any]) -> tuple[date, date]:
    """First and last day; an end left out is no limit."""
    start, end = item.get("start_date"), item.get("end_date")
    first = date.fromisoformat(start[:10]) if start else date.min
    return first, date.fromisoformat(end[:10]) if end else date.max


def seasons(items: Items, orders: Sequence[str]) -> list[Season | None]:
    """One per item; 29 February goes with the 28th where no item of the list begins on it. None: unreadable."""
    tests = [dates_in(item, order) for item, order in zip(items, orders, strict=True)]
    yearly = [test for item, test in zip(items, tests, strict=True) if test and not with_years(item)]
    begun = any(test(LEAP_DAY) and not test(LEAP_DAY - timedelta(days=1)) for test in yearly)

    def with_leap_day(test: Callable[[date], bool]) -> Callable[[date], bool]:
        if begun or test not in yearly:
            return test
        return lambda day: test(day) or ((day.month, day.day) == (2, 29) and test(day - timedelta(days=1)))

    return [None if test is None else Season(with_leap_day(test)) for test in tests]


# Rates (rules 6, 8, 9, 12)


def blocks_of(rates: Any, period: str | None, default: str, scale: Fraction) -> list[Block]:
    """Blocks with a price; the last has no limit, a width of nought is none."""
    out = []
    for rate in rates or []:
        price, width = number(rate.get("unit_price")), number(rate.get("volume"))
        if str(rate.get("measure_unit") or "KWH").upper() not in {"KWH", "MJ"}:
            return []  # a price of something else than energy
        if price is not None:
            out.append(Block(price / scale, width or None, period or default))
    return [*out[:-1], Block(out[-1].price, None, out[-1].period)] if out else []


def bands_of(items: Any, windows_key: str, default: str, scale: Fraction, refused: list[str]) -> list[Band]:
    out = []
    for item in items or []:
        label = str(item.get("display_name") or item.get("name") or item.get("type") or "")
        windows = [
            window_of(each, times_optional=windows_key == "time_variations") for each in item.get(windows_key) or []
        ]
        if None in windows or not windows:
            refused.append(f"{label}: no readable window")
        rates = item.get("rates") or ([{"unit_price": item["amount"]}] if item.get("amount") is not None else [])
        blocks = blocks_of(rates, item.get("period"), default, scale)
        if not blocks:
            refused.append(f"{label}: no price")
        out.append(Band(label, blocks, [window for window in windows if window]))
    return [band for band in out if band.blocks]
