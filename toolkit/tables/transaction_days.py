"""The date of a bank transaction: the only place that decides it.

Rule: the local day, in the household's time zone, of the execution, else posting, else value date-time; a time of
exactly 00:00:00 is a date without a time and keeps the date written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from toolkit.tables.schema import Record

DATE_TIMES = ("execution_date_time", "posting_date_time", "value_date_time")
"""Which date-time counts, best first."""

_READABLE = (
    r"^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
    r"(?:[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d+)?)?(?:[Zz]|[+-]\d{2}(?::?\d{2})?)?)?$"
)
_CALENDAR = (2, 9998)
"""Years within which a day can be moved and still be one; 9999-12-31T23:59:59Z is a default that banks write."""
_IN_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_FEW = 1_000
_ALIKE = (1970, 2037)
"""Years in which polars and the standard library know the same daylight saving."""
_FRACTION = r"^:\d\d[.,]0*[1-9]"


def with_days(transactions: pl.LazyFrame, zone: str, date_times: Sequence[str] = DATE_TIMES) -> pl.LazyFrame:
    """Add `day` [Date]: the local day in `zone` of execution, else posting, else value date-time.

    Null where none of the three can be read. Date-times are text as written. A time of exactly 00:00:00 is a date
    without a time: the date written is kept, whatever its offset, because banks put such a default where they know no
    time. So are bare dates, and times without an offset, which are local already. All others are converted from their
    own offset to `zone`. date_times: columns that count, best first; all of them, but where one is looked at by itself.
    """
    written = [pl.col(name).str.strip_chars() for name in date_times]
    readable = pl.coalesce(
        [pl.when(text.str.contains(_READABLE) & _date(text).is_not_null()).then(text) for text in written]
    )
    return (
        transactions.with_columns(_written=readable).with_columns(day=_day(pl.col("_written"), zone)).drop("_written")
    )


def may_be_dated(spans: Iterable[tuple[date, date]]) -> list[dict[str, tuple[str, str, str]]]:
    """Return conditions of which every stored row that `with_days` dates within one of the spans meets one.

    A zone moves a day by one. A text that begins with no digit may be a date behind a space, and is looked at too.
    spans: first and last days.
    """
    day = timedelta(days=1)
    joined: list[tuple[date, date]] = []  # each costs conditions, of which SQLite takes a thousand
    for first, last in sorted(spans):
        low, high = max(first, date.min + day) - day, min(last, date.max - 2 * day) + 2 * day
        if joined and low <= joined[-1][1]:
            low, high = joined[-1][0], max(high, joined.pop()[1])
        joined.append((low, high))
    ranges = [*((str(low), str(high)) for low, high in joined), ("", "/"), (":", "\U0010ffff")]
    return [{name: ("between", low, high)} for name in DATE_TIMES for low, high in ranges]


def days_of(rows: Sequence[Record], zone: str) -> list[date | None]:
    """Return the date of each transaction by `with_days`, in order; a missing column counts as null."""
    columns = {name: [row.get(name) for row in rows] for name in DATE_TIMES}
    frame = pl.LazyFrame(columns, dict.fromkeys(DATE_TIMES, pl.String))
    return with_days(frame, zone).select("day").collect()["day"].to_list()


def latest_day(rows: Sequence[Record], zone: str) -> date | None:
    """Return the latest date of the transactions; None where none has a readable date."""
    days = _days_in_utc(rows, zone) or days_of(rows, zone)
    return max((day for day in days if day is not None), default=None)


def _days_in_utc(rows: Sequence[Record], zone: str) -> list[date] | None:
    """Return the dates by `with_days` where the first date-time of every row is as the service writes it; else None.

    Of the few rows of a page these are known before polars has planned its work.
    """
    texts = [str(row.get(DATE_TIMES[0])) for row in rows]
    if len(rows) > _FEW or not all(map(_IN_UTC.fullmatch, texts)):
        return None
    try:
        instants = [datetime.fromisoformat(text) for text in texts]
    except ValueError:
        return None
    if not all(_ALIKE[0] <= instant.year <= _ALIKE[1] for instant in instants):
        return None
    local = ZoneInfo(zone)
    return [instant.date() if instant.time() == time.min else instant.astimezone(local).date() for instant in instants]


def _date(text: pl.Expr) -> pl.Expr:
    return text.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)


def _day(text: pl.Expr, zone: str) -> pl.Expr:
    date = _date(text)
    clock = text.str.slice(11, 5).str.to_time("%H:%M", strict=False)
    # Minutes east of UTC of `Z`, `+10:00`, `+1000` or `+10` at the end; null where the text has no offset.
    utc = pl.when(text.str.slice(-1).is_in(["Z", "z"])).then(pl.lit(0, pl.Int64))
    offset = pl.coalesce(utc, _offset(text, "+hh:mm"), _offset(text, "+hhmm"), _offset(text, "+hh"))
    instant = date.dt.combine(clock) - pl.duration(minutes=offset)
    moved = instant.dt.replace_time_zone("UTC").dt.convert_time_zone(zone).dt.date()
    seconds = text.str.slice(16, 3)
    whole = ~seconds.str.starts_with(":") | (seconds == ":00")
    is_midnight = (text.str.slice(11, 5) == "00:00") & whole & ~text.str.slice(16).str.contains(_FRACTION)
    as_written = clock.is_null() | offset.is_null() | is_midnight | ~date.dt.year().is_between(*_CALENDAR)
    return pl.when(as_written).then(date).otherwise(moved)


def _offset(text: pl.Expr, form: str) -> pl.Expr:
    sign = text.str.slice(-len(form), 1)
    hours = text.str.slice(1 - len(form), 2).cast(pl.Int64, strict=False)
    minutes = text.str.slice(-2).cast(pl.Int64, strict=False) if form.endswith("mm") else pl.lit(0)
    east = pl.when(sign == "-").then(-1).otherwise(1) * (hours * 60 + minutes)
    return pl.when(sign.is_in(["+", "-"])).then(east)
