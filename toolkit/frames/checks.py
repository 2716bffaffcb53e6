"""Frames that come from outside: turned into polars, and refused in one sentence where they would be read wrongly."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from functools import cache, wraps
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, get_args, get_origin, get_type_hints

import polars as pl

from toolkit.errors import FrameError
from toolkit.tables.data_types import frame_schema
from toolkit.tables.reference import places
from toolkit.tables.rows.plans import Fuel, Plan
from toolkit.tables.schema import Table
from toolkit.tables.schema.meters import ReadRow
from toolkit.units import DEFAULT_ZONE, zone_key

_DATA_TYPES: dict[str, tuple[type[pl.DataType], ...]] = {
    "text": (pl.String, pl.Categorical, pl.Enum),
    "integer": (pl.Int64, pl.Int32, pl.UInt32, pl.Int16, pl.UInt16, pl.Int8, pl.UInt8),
    "real": (pl.Float64, pl.Float32),
    "boolean": (pl.Boolean,),
    "date": (pl.Date,),
    "instant": (pl.Datetime,),
    "json": (pl.String,),
}
"""Kind of a column in `tables.schema` → data types that are accepted."""
_KINDS = {
    "text": "texts",
    "integer": "whole numbers",
    "real": "numbers",
    "boolean": "true and false",
    "date": "dates",
    "instant": "times with a zone",
    "json": "texts of JSON",
}
P = ParamSpec("P")
R = TypeVar("R")
DIRECTIONS = ("import", "export", "generation", "reactive", "other")


class ArrowTable(Protocol):
    """A table that others read as an Arrow C stream: a polars or pandas frame, a pyarrow table, a DuckDB result."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule with the stream."""


FrameLike = pl.DataFrame | pl.LazyFrame | ArrowTable
"""What `polars_frame` reads."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Let a public function refuse arguments that its types do not allow, before it prices or sums up something else.

    Refused with FrameError: a word that is not one of those listed, text or a time where a date is meant, something
    else where a plan or an answer is meant, and a `zone` that is not known.
    """
    signature = inspect.signature(function)
    hints = cache(lambda: get_type_hints(function))

    @wraps(function)
    def checking(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            _check_argument(name, value, hints()[name])
        return function(*args, **kwargs)

    return checking


def _check_argument(name: str, value: object, hint: Any) -> None:
    options = get_args(hint) if get_origin(hint) is UnionType else (hint,)
    if value is None and NoneType in options:
        return
    words = [word for option in options if get_origin(option) is Literal for word in get_args(option)]
    if words and value not in words:
        raise FrameError(f"{name}={value!r} is not one of {', '.join(words)}.")
    if date in options and (not isinstance(value, date) or isinstance(value, datetime)):
        raise FrameError(f"{name}={value!r} is not a date. Pass datetime.date(2026, 6, 30), for example.")
    if name == "zone" and hint is str:  # the zone of times in `reads` may also be AEST, which it checks itself
        check_zone(value)
    _check_kind(name, value, options)


def _check_kind(name: str, value: object, options: Sequence[Any]) -> None:
    """Refuse what is not of the toolkit's own types where only those are meant; tables are checked as they are read."""
    own = (one for one in options if isinstance(one, type) and one.__module__.startswith("toolkit."))
    kinds = tuple(one for one in own if one is not ArrowTable)
    is_plans = isinstance(value, Sequence) and all(isinstance(one, Plan) for one in value)
    takes_plans = Sequence[Plan] in options
    if not (kinds or takes_plans) or (kinds and isinstance(value, kinds)) or (takes_plans and is_plans):
        return
    wanted = [_WANTED.get(kind, f"a {kind.__name__}") for kind in kinds] + [_PLANS] * takes_plans
    raise FrameError(f"{name}= is a {type(value).__name__}, not {' or '.join(wanted)}.")


_PLANS = "a list of plans (toolkit.read_plans)"
_WANTED: dict[type, str] = {Plan: "a plan (toolkit.read_plans)"}


def check_zone(zone: object) -> None:
    """Raise FrameError unless `zone` is an IANA time zone."""
    if zone_key(str(zone)) is None:
        raise FrameError(f"zone={zone!r} is not an IANA time zone, for example {DEFAULT_ZONE}.")


def polars_frame(frame: FrameLike) -> pl.DataFrame:
    """Return a polars, pandas, Arrow or DuckDB table as a polars frame; the index of a pandas frame becomes columns.

    NaN in a pandas frame is null, as pandas means it. Raises FrameError for anything else.
    """
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if type(frame).__module__.partition(".")[0] == "pandas" and hasattr(frame, "reset_index"):
        return _from_pandas(frame)
    if hasattr(frame, "__arrow_c_stream__"):
        # The constructor reads the Arrow stream of pyarrow tables and DuckDB results without a copy.
        return pl.DataFrame(frame)
    raise FrameError(
        f"A {type(frame).__name__} is not a table. Pass a polars or pandas frame, an Arrow table or a DuckDB result."
    )


def _from_pandas(frame: Any) -> pl.DataFrame:
    numbered = frame.index.name is None and type(frame.index).__name__ == "RangeIndex"
    return pl.from_pandas(frame if numbered else frame.reset_index())


def column(frame: pl.DataFrame, name: str, argument: str) -> pl.Series:
    """Return the column that an argument names. Raises FrameError that lists the columns there are."""
    if name not in frame.columns:
        listed = ", ".join(frame.columns[:20])
        raise FrameError(f"{argument}={name!r}: the frame has no such column. Its columns are {listed}.")
    return frame[name]


def texts(frame: pl.DataFrame, name: str | None, argument: str, default: str) -> pl.Series:
    """Return the column that an argument names as texts, or the default in every row where it names none."""
    if name is None:
        return pl.repeat(default, frame.height, dtype=pl.String, eager=True)
    values = column(frame, name, argument)
    refuse_where(values.is_null(), values, f"where {argument}= needs a value")
    return values.cast(pl.String)


def refuse_where(wrong: pl.Series, values: pl.Series, complaint: str, *, rows: pl.Series | None = None) -> None:
    """Raise FrameError for the first value where `wrong` is true, with its row (from 0) and the count of all.

    rows: row numbers of the values in the frame as it was passed; default: their places.
    """
    count = int(wrong.sum())
    if not count:
        return
    place = wrong.fill_null(value=False).arg_max() or 0
    row = place if rows is None else rows[place]
    others = "" if count == 1 else f" ({count:,} rows in all)"
    raise FrameError(f"Column {values.name!r}, row {row:,}: {_shown(values[place])} {complaint}{others}.")


def _shown(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(" ", "minutes")
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:40] + "…")
    return str(value)


def check_period(from_: date | None, to: date | None) -> None:
    """Raise FrameError where the first day lies after the last."""
    if from_ is not None and to is not None and from_ > to:
        raise FrameError(f"from_={from_} lies after to={to}.")


def checked_postcode(postcode: str | None) -> str | None:
    """Return a postcode as four digits. Raises FrameError where it is none."""
    code = places.postcode_text(postcode)
    if postcode is not None and code is None:
        raise FrameError(f"postcode={postcode!r} is not a postcode (four digits, for example 2000).")
    return code


def check_fuel(fuel: str) -> None:
    """Raise FrameError unless `fuel` is a fuel."""
    if fuel not in get_args(Fuel):
        raise FrameError(f"fuel={fuel!r} is neither ELECTRICITY nor GAS.")


def checked_reads(reads: FrameLike, *, fuel: Fuel | None = None, one_home: bool = True) -> pl.DataFrame:
    """Return frame `reads` after checks that it means what it is taken for.

    fuel: energy of the other fuel alone is refused. one_home: several service points are refused.
    Refused as well: missing columns, columns of another type, times without a zone, intervals of a register that are
    given twice, negative energy, unknown directions. Raises FrameError, which names the column and the first row.
    """
    frame = _typed(polars_frame(reads), ReadRow.table, "toolkit.reads, or read it with toolkit.read_usage")
    energy, directions = frame["energy_nano"], frame["direction"].cast(pl.String)
    refuse_where(energy < 0, energy, "is negative; energy has a direction instead of a sign")
    refuse_where(~directions.is_in(DIRECTIONS), directions, f"is not one of {', '.join(DIRECTIONS)}")
    refuse_where(
        _repeated(frame.select(ReadRow.table.key)),
        frame["starts_at"],
        "is given more than once for a register. Keep one row for each interval",
    )
    if one_home:
        _check_one_home(frame["service_point_id"])
    if fuel is not None:
        check_fuel(fuel)
        _check_unit(frame["unit"], fuel)
    return frame


def _repeated(keys: pl.DataFrame) -> pl.Series:
    """Return which reads have the register and the time of another. keys: the register's columns, then `starts_at`."""
    *register, start = keys.columns
    same = pl.all_horizontal(pl.col(name).eq_missing(pl.col(name).shift()) for name in register)
    first = keys.select(first=~same | (pl.int_range(pl.len()) == 0))["first"]
    later = keys[start].diff() > timedelta(0)
    # Register after register, each in order of time, as reads come: no table of millions of keys is needed.
    if (first | later).all() and keys.filter(first).select(register).is_unique().all():
        return pl.repeat(False, keys.height, dtype=pl.Boolean, eager=True)
    return keys.is_duplicated()


def _check_one_home(points: pl.Series) -> None:
    names = points.unique(maintain_order=True)
    if len(names) > 1:
        listed = ", ".join(map(str, names.head(3)))
        raise FrameError(
            f"Column 'service_point_id' holds {len(names):,} service points ({listed} …), and this is worked out for "
            "one at a time. Filter the frame, or use price_all, which prices each."
        )


def _check_unit(units: pl.Series, fuel: Fuel) -> None:
    energy = set(units.str.to_uppercase().unique()) & {"KWH", "MJ"}
    wanted, other = ("MJ", "electricity") if fuel == "GAS" else ("KWH", "gas")
    if energy and wanted not in energy:
        passed = "ELECTRICITY" if fuel == "GAS" else "GAS"
        raise FrameError(f"These are {other} reads (column 'unit' is {energy.pop()}): pass fuel={passed!r}.")


def checked_table(given: FrameLike, table: Table) -> pl.DataFrame:
    """Return a bank table after checks: it has the columns, and each row once. Raises FrameError."""
    frame = _typed(polars_frame(given), table, "toolkit.transactions, or read it with toolkit.read_transactions")
    key = table.key[-1]
    refuse_where(frame.select(table.key).is_duplicated(), frame[key], "is given more than once. Keep each row once")
    return frame


def _typed(frame: pl.DataFrame, table: Table, made_by: str) -> pl.DataFrame:
    """Return the columns of a table in its own data types: instants in UTC, whatever zone they came in."""
    _check_columns(frame, table, made_by)
    columns = []
    for name, kind in frame_schema(table).items():
        zoned = isinstance(kind, pl.Datetime) and isinstance(frame.schema[name], pl.Datetime)
        column = pl.col(name).dt.convert_time_zone("UTC") if zoned else pl.col(name)
        columns.append(column.cast(kind))
    return frame.select(columns)


def _check_columns(frame: pl.DataFrame, table: Table, made_by: str) -> None:
    missing = [name for name in table.names if name not in frame.columns]
    if missing:
        raise FrameError(
            f"The frame has no column {' or '.join(map(repr, missing[:3]))} of frame `{table.name}`. "
            f"Make it with {made_by}."
        )
    for wanted in table.columns:
        given = frame.schema[wanted.name]
        if not isinstance(given, (*_DATA_TYPES[wanted.kind], pl.Null)):
            raise FrameError(f"Column {wanted.name!r} holds {given}, and {_KINDS[wanted.kind]} are needed.")
        if isinstance(given, pl.Datetime) and given.time_zone is None:
            raise FrameError(f"Column {wanted.name!r} has no time zone. Make the frame with {made_by}.")
