"""Rows of SQLite as polars frames: whole tables, register-days expanded into one row per interval, columns as kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
import polars as pl
import polars.selectors as cs
from numpy.typing import NDArray

from toolkit.errors import StoreDamagedError
from toolkit.remedies import Message, Remedy
from toolkit.tables.data_types import DATA_TYPES, frame_schema
from toolkit.tables.registers import MISSING, QUALITIES, digest, unpack
from toolkit.tables.schema import Table, table
from toolkit.tables.schema.journal import FrameColumnRow
from toolkit.units import AEST_OFFSET

if TYPE_CHECKING:
    from toolkit.store.database import Store

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


# ---- frames kept column by column (table `frame_columns`): a question reads only the columns that it needs
#
# A million rows that are stored one by one take seconds to read; a column of them takes milliseconds. A text column
# with values that repeat is kept as its distinct values and, for each row, the number of one; a text column without is
# kept in parts, so that a short list decodes only those with its rows.

MOST_DISTINCT = 0.5
"""Share of its rows up to which the distinct values of a text column are kept once each."""
PART_ROWS = 16_384
"""Rows of a part of a text column; decoding one takes a millisecond."""


WORTH_UNPACKING = 1.1
"""A column is compressed where that makes it smaller by this factor; reading one that is not takes a tenth."""


class _Cells(msgspec.Struct, array_like=True):
    """A column as stored, in Arrow streams. values: its distinct values in order, where they repeat. cells: the number
    of each row's value, or its value; nothing where `parts` is not 0, as the parts are kept as `COLUMN:0` and on.
    """

    cells: bytes
    values: bytes | None = None
    parts: int = 0


def keep_frame(store: Store, household_id: str, name: str, frame: pl.DataFrame) -> None:
    """Keep a household's frame under a name, in place of an earlier one; only the columns that differ are written.

    Whole numbers come back as Int64.
    """
    gone = {column for column in _names(store, household_id, name) if _column_of(column) not in frame.columns}
    if gone:
        store.delete("frame_columns", {"household_id": household_id, "frame": name, "name": sorted(gone)})
    keep_columns(store, household_id, name, frame)


def keep_columns(store: Store, household_id: str, name: str, frame: pl.DataFrame) -> None:
    """Keep some columns of a frame that is kept under a name; its other columns stay as they are."""
    rows = [
        FrameColumnRow(household_id, name, part, msgspec.msgpack.encode(cells))
        for column in frame.iter_columns()
        for part, cells in _encoded(column)
    ]
    kept = {row.name for row in rows}
    gone = {
        part for part in _names(store, household_id, name) if _column_of(part) in frame.columns and part not in kept
    }
    if gone:
        store.delete("frame_columns", {"household_id": household_id, "frame": name, "name": sorted(gone)})
    store.upsert("frame_columns", rows)


def kept_frame(
    store: Store,
    household_id: str,
    name: str,
    columns: Sequence[str],
    *,
    enums: bool = False,
    rows: list[int] | None = None,
) -> pl.DataFrame | None:
    """Return these columns of the frame that `keep_frame` kept under a name; None where one of them is not there.

    A text column with values that repeat is a Categorical, or, which is quicker, an Enum of its own values: that cannot
    be compared with others. rows: numbers of the only rows wanted, in the order wanted.
    """
    stored = _stored(store, household_id, name, columns)
    if len(stored) < len(columns):
        return None
    parts = [f"{column}:{part}" for column, cells in stored.items() for part in _parts_with(rows, cells.parts)]
    texts = {part: _decoded(cells) for part, cells in _stored(store, household_id, name, parts).items()}
    frame = pl.DataFrame([_column(column, stored[column], texts, rows) for column in columns])
    return frame if enums else frame.cast({cs.enum(): pl.Categorical})


def drop_frames(store: Store, household_id: str) -> None:
    """Delete every frame that is kept for a household."""
    store.delete("frame_columns", {"household_id": household_id})


def _names(store: Store, household_id: str, frame: str) -> list[str]:
    return [name for (name,) in store.tuples("frame_columns", ("name",), household_id, where={"frame": frame})]


def _column_of(name: str) -> str:
    return name.partition(":")[0]


def _stored(store: Store, household_id: str, frame: str, names: Sequence[str]) -> dict[str, _Cells]:
    where = {"frame": frame, "name": list(names)}
    rows = store.tuples("frame_columns", ("name", "cells"), household_id, where=where) if names else ()
    return {name: msgspec.msgpack.decode(cells, type=_Cells) for name, cells in rows}


def _parts_with(rows: list[int] | None, parts: int) -> Sequence[int]:
    if rows is None or not parts:
        return range(parts)
    return sorted({row // PART_ROWS for row in rows})


def _column(name: str, kept: _Cells, texts: dict[str, pl.Series], rows: list[int] | None) -> pl.Series:
    if not kept.parts:
        return (_decoded(kept) if rows is None else _decoded(kept).gather(rows)).alias(name)
    if rows is None:
        return pl.concat([texts[f"{name}:{part}"] for part in range(kept.parts)], rechunk=False).alias(name)
    found = [texts[f"{name}:{row // PART_ROWS}"][row % PART_ROWS] for row in rows]
    return pl.Series(name, found, pl.String)


def _encoded(column: pl.Series) -> Iterator[tuple[str, _Cells]]:
    """Yield the column under its name, and its parts under theirs."""
    if column.dtype != pl.String:
        yield column.name, _Cells(_arrow(column.shrink_dtype() if column.dtype == pl.Int64 else column))
    elif column.n_unique() <= MOST_DISTINCT * len(column):
        # made anew in order: sorted views of texts would keep the bytes of these in an order that changes with each run
        values = pl.Series(column.name, sorted(column.drop_nulls().unique().to_list()), pl.String)
        yield column.name, _Cells(_arrow(column.cast(pl.Enum(values)).to_physical()), _arrow(values))
    elif len(column) <= PART_ROWS:
        yield column.name, _Cells(_arrow(column))
    else:
        parts = [column.slice(first, PART_ROWS) for first in range(0, len(column), PART_ROWS)]
        yield column.name, _Cells(b"", parts=len(parts))
        yield from ((f"{column.name}:{part}", _Cells(_arrow(texts))) for part, texts in enumerate(parts))


def _arrow(column: pl.Series) -> bytes:
    plain, packed = BytesIO(), BytesIO()
    column.to_frame().write_ipc_stream(plain)
    column.to_frame().write_ipc_stream(packed, compression="lz4")
    return min(plain, packed, key=lambda file: file.tell() * (1 if file is plain else WORTH_UNPACKING)).getvalue()


def _decoded(kept: _Cells) -> pl.Series:
    cells = pl.read_ipc_stream(BytesIO(kept.cells)).to_series()
    if kept.values is not None:
        return cells.cat.to(pl.Enum(pl.read_ipc_stream(BytesIO(kept.values)).to_series()))
    return cells.cast(pl.Int64) if cells.dtype.is_integer() else cells
