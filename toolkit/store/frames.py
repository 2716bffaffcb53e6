"""Rows of SQLite as polars frames: whole tables, and register-days expanded into one row per interval."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date, timedelta
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.errors import StoreDamagedError
from toolkit.remedies import Message, Remedy
from toolkit.tables.data_types import DATA_TYPES, frame_schema
from toolkit.tables.registers import MISSING, QUALITIES, digest, unpack
from toolkit.tables.schema import Table, table
from toolkit.units import AEST_OFFSET

_STORED_DTYPES: dict[str, pl.DataType] = {"date": pl.String(), "instant": pl.String(), "boolean": pl.Int64()}


def frame(table: Table, names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    """Return rows of the columns `names` as a frame: date → Date, instant → Datetime(us, UTC), boolean → Boolean.

    Raises StoreDamagedError where interval reads do not match their digest.
    """
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    if rows and {"reads", "digest"} <= set(names):
        wanted = ("reads", "digest", "register_suffix", "service_point_id", "date")
        for day in zip(*[columns[names.index(name)] for name in wanted], strict=True):
            _check_digest(*day)
    return pl.DataFrame([_series(name, table[name].kind, values) for name, values in zip(names, columns, strict=True)])


def _series(name: str, kind: str, values: tuple[Any, ...]) -> pl.Series:
    series = pl.Series(name, values, dtype=_STORED_DTYPES.get(kind, DATA_TYPES[kind]), strict=True)
    if kind == "date":
        return series.str.to_date("%Y-%m-%d")
    if kind == "instant":
        return series.str.to_datetime("%Y-%m-%dT%H:%M:%S%.fZ", time_unit="us", time_zone="UTC")
    return series.cast(DATA_TYPES[kind])


# ---- interval reads

_DAY_US = 86_400_000_000
_MINUTE_US = 60_000_000
_AEST_US = AEST_OFFSET // timedelta(microseconds=1)  # midnight AEST is 14:00 UTC the day before
_EPOCH = date(1970, 1, 1).toordinal()


class ReadDay(NamedTuple):
    """The columns of `register_days` that interval reads are made of, values as stored."""

    service_point_id: str
    meter_id: str
    register_suffix: str
    unit: str
    direction: str
    controlled_load: int
    date: str
    interval_minutes: int
    intervals: int
    exponent: int
    width: int
    reads: bytes
    qualities: str | None
    digest: str | None


def expanded(rows: Iterable[tuple[Any, ...]]) -> pl.DataFrame:
    """Expand register-days (rows of `ReadDay`, in key order) into frame `reads`, in order of register and time.

    All days at once, without a loop over values: `of_day` and `position` say for each interval to which day it belongs
    and where it stands in it. Raises StoreDamagedError where reads do not match their digest.
    """
    days = [ReadDay._make(row) for row in rows]
    if not days:
        return pl.DataFrame(schema=frame_schema(table("reads")))
    for day in days:
        _check_digest(day.reads, day.digest, day.register_suffix, day.service_point_id, day.date)
    counts = np.array([day.intervals for day in days], dtype=np.int64)
    ends = np.cumsum(counts)
    quality, names = _quality_codes(days, ends, int(ends[-1]))
    of_day = np.repeat(np.arange(len(days), dtype=np.uint32), counts)
    position = np.arange(ends[-1]) - np.repeat(ends - counts, counts)
    # Neighbouring days of the same scale are expanded at once.
    runs = groupby(days, key=lambda day: (day.exponent, day.width))
    parts = [unpack(b"".join([day.reads for day in run]), exponent=e, width=width) for (e, width), run in runs]
    energy = parts[0] if len(parts) == 1 else np.concatenate(parts)
    values = pl.DataFrame(
        {
            "starts_at": _starts(days, of_day, position),
            "energy_nano": pl.Series(energy).set(pl.Series(quality == QUALITIES.index(MISSING)), None),
            "quality": pl.Series(names).gather(pl.Series(quality)),
        }
    )
    columns = ReadDay._fields[: ReadDay._fields.index("intervals")]
    of_days = pl.DataFrame({name: [day[place] for day in days] for place, name in enumerate(columns)})
    day_columns = of_days.with_columns(
        pl.col("controlled_load").cast(pl.Boolean),
        pl.col("date").str.to_date("%Y-%m-%d"),
        pl.col("interval_minutes").cast(pl.Int64),
    )
    frame = pl.concat([day_columns[of_day], values], how="horizontal")
    return frame.select(table("reads").names)


def _check_digest(reads: bytes, kept: str | None, suffix: str, service_point: str, day: str) -> None:
    if kept is not None and digest(reads) != kept:
        where = f"register {suffix} of {service_point} on {day}"
        raise StoreDamagedError(
            Message(f"The reads of {where} are not what was stored. ", Remedy.RUN_DOCTOR_FOR_BACKUP, ".")
        )


def _starts(days: list[ReadDay], of_day: NDArray[np.uint32], position: NDArray[np.int64]) -> pl.Series:
    midnights = [(date.fromisoformat(day.date).toordinal() - _EPOCH) * _DAY_US - _AEST_US for day in days]
    lengths = np.array([day.interval_minutes for day in days], dtype=np.int64) * _MINUTE_US
    instants = np.array(midnights, dtype=np.int64)[of_day] + lengths[of_day] * position
    return pl.Series(instants).cast(pl.Datetime("us", "UTC"))


def _quality_codes(days: list[ReadDay], ends: NDArray[np.int64], total: int) -> tuple[NDArray[np.uint32], list[str]]:
    """A code per interval, ACTUAL where nothing is listed, and the names of the codes."""
    names = list(QUALITIES)
    codes = np.zeros(total, dtype=np.uint32)
    for day, end in zip(days, ends.tolist(), strict=True):
        for first, last, quality in json.loads(day.qualities) if day.qualities else ():
            if quality not in names:  # a word of the service's own
                names.append(quality)
            start = end - day.intervals
            codes[start + first - 1 : start + last] = names.index(quality)
    return codes, names
