"""Answers as tidy frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from types import NoneType
from typing import Any, Literal, TypeGuard, get_args, get_origin, get_type_hints, overload

import msgspec
import polars as pl

from toolkit.answers.base import Rows, to_builtins
from toolkit.errors import FrameError

Plain = None | bool | int | float | str | Decimal | date | list["Plain"] | dict[str, "Plain"]
"""What `to_builtins` makes of a field."""
_DATA_TYPES: dict[object, pl.DataType] = {
    str: pl.String(),
    bool: pl.Boolean(),
    int: pl.Int64(),
    float: pl.Float64(),
    date: pl.Date(),
    datetime: pl.Datetime("us", "UTC"),
}


@overload
def table(
    answer: msgspec.Struct | Sequence[msgspec.Struct],
    rows: str | None = None,
    *,
    floats: bool = False,
    pandas: Literal[False] = False,
) -> pl.DataFrame: ...
@overload
def table(
    answer: msgspec.Struct | Sequence[msgspec.Struct],
    rows: str | None = None,
    *,
    floats: bool = False,
    pandas: Literal[True],
) -> Any: ...
def table(
    answer: msgspec.Struct | Sequence[msgspec.Struct],
    rows: str | None = None,
    *,
    floats: bool = False,
    pandas: bool = False,
) -> Any:
    """Return an answer, or a table inside it, as a tidy frame: a row each, columns named as in the JSON.

    Args:
        answer: The answer of any function here, as one row of its single figures; or rows, such as `answer.plans`.
        rows: Name of a table inside the answer, as in `table(answer, "plans")`; it has its columns also where it is
            empty.
        floats: Whether amounts are floats. Default: exact decimals.
        pandas: Whether the frame is a pandas DataFrame. Default: polars.

    Returns:
        The frame. Amounts are AUD, energy kWh, days dates, as the page of the function that gave the answer explains
        its fields. Parts of a row are columns with its name before theirs (`saving_range_low`); tables inside a row are
        left out.

    Raises:
        FrameError: The answer has no such table; the message lists those that it has.

    Examples:
        >>> used = toolkit.usage(reads)
        >>> toolkit.table(used).select("from", "to", "import_kwh", "peak_kw")
        shape: (1, 4)
        ┌────────────┬────────────┬────────────┬─────────┐
        │ from       ┆ to         ┆ import_kwh ┆ peak_kw │
        │ ---        ┆ ---        ┆ ---        ┆ ---     │
        │ date       ┆ date       ┆ f64        ┆ f64     │
        ╞════════════╪════════════╪════════════╪═════════╡
        │ 2025-07-01 ┆ 2026-06-30 ┆ 6378.269   ┆ 4.234   │
        └────────────┴────────────┴────────────┴─────────┘
        >>> toolkit.table(used, "by_month").head(2)
        shape: (2, 5)
        ┌─────────┬────────────┬────────────┬──────────┬───────────────────┐
        │ month   ┆ import_kwh ┆ export_kwh ┆ coverage ┆ substituted_share │
        │ ---     ┆ ---        ┆ ---        ┆ ---      ┆ ---               │
        │ str     ┆ f64        ┆ f64        ┆ f64      ┆ f64               │
        ╞═════════╪════════════╪════════════╪══════════╪═══════════════════╡
        │ 2025-07 ┆ 659.198    ┆ 354.089    ┆ 1.0      ┆ 0.0               │
        │ 2025-08 ┆ 618.302    ┆ 422.579    ┆ 1.0      ┆ 0.0               │
        └─────────┴────────────┴────────────┴──────────┴───────────────────┘
        >>> toolkit.table(used, "by_day")["import_kwh"].sum() == used.import_kwh
        True
    """
    kind: type[msgspec.Struct] | None = None
    if rows is not None:
        if not isinstance(answer, msgspec.Struct):
            raise FrameError(f"rows={rows!r} names a table of an answer, and these are rows already.")
        kind, answer = _rows_of(answer, rows)
    if isinstance(answer, Rows):
        frame = answer.frame()
    else:
        given = [answer] if isinstance(answer, msgspec.Struct) else list(answer)
        kind = type(given[0]) if given else kind
        frame = pl.DataFrame() if kind is None else _frame(kind, given, lists=rows is not None or len(given) != 1)
    if floats:
        frame = frame.with_columns(pl.selectors.decimal().cast(pl.Float64))
    return frame.to_pandas() if pandas else frame


def _rows_of(answer: msgspec.Struct, name: str) -> tuple[type[msgspec.Struct] | None, Any]:
    """Return the row type and the rows of a table of an answer."""
    tables = {}
    for field in msgspec.structs.fields(answer):
        value = getattr(answer, field.name)
        kinds = [one for one in get_args(field.type) if isinstance(one, type) and issubclass(one, msgspec.Struct)]
        if isinstance(value, Rows) or (isinstance(value, tuple) and kinds):
            tables[field.encode_name] = (kinds[0] if kinds else None, value)
    if name not in tables:
        raise FrameError(f"rows={name!r}: {type(answer).__name__} has no such table. It has {', '.join(tables)}.")
    return tables[name]


def _frame(kind: type[msgspec.Struct], rows: Sequence[msgspec.Struct], *, lists: bool) -> pl.DataFrame:
    """Return the rows with the data types of their type. lists: keep columns of lists of text or numbers."""
    columns = {name: only for name, only in _columns(kind, "") if lists or get_origin(only) is not tuple}
    flat = [_flat(row, "") for row in to_builtins(list(rows))]
    values = {name: [row.get(name) for row in flat] for name in columns}
    return pl.DataFrame([_series(name, only, values[name]) for name, only in columns.items()])


def _columns(
    kind: type[msgspec.Struct], before: str, within: frozenset[type[msgspec.Struct]] = frozenset()
) -> Iterator[tuple[str, Any]]:
    """Yield name and type of the columns: of parts of a row their own; tables inside a row are left out.

    within: kinds of row that this one is a part of; a part of the same kind, such as the period that an answer is
    compared with, is left out.
    """
    hints = get_type_hints(kind)
    for field in msgspec.structs.fields(kind):
        hint, name = hints[field.name], before + field.encode_name
        options = (hint,) if get_origin(hint) in (tuple, dict) else get_args(hint) or (hint,)
        only = next((one for one in options if one not in (NoneType, msgspec.UnsetType)), str)
        if _is_struct(only):
            if only not in within | {kind}:
                yield from _columns(only, f"{name}_", within | {kind})
        elif get_origin(only) is tuple:
            if not _is_struct(get_args(only)[0]):
                yield name, only
        elif get_origin(only) is not dict and not (isinstance(only, type) and issubclass(only, (dict, Rows))):
            yield name, only


def _is_struct(kind: object) -> TypeGuard[type[msgspec.Struct]]:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _flat(row: Mapping[str, Plain], before: str) -> dict[str, Plain]:
    """Return a row with the fields of its parts as fields of its own, named `part_field`."""
    values: dict[str, Plain] = {}
    for key, value in row.items():
        values |= _flat(value, f"{before}{key}_") if isinstance(value, dict) else {before + key: value}
    return values


def _series(name: str, kind: Any, values: list[Any]) -> pl.Series:
    """Return a column; decimals have the digits of the longest, two at least."""
    if get_origin(kind) is tuple:
        texts = [None if entries is None else [str(entry) for entry in entries] for entries in values]
        return pl.Series(name, texts, dtype=pl.List(pl.String()))
    if kind is Decimal:
        places = [-int(value.as_tuple().exponent) for value in values if value is not None]
        return pl.Series(name, values, dtype=pl.Decimal(38, max([2, *places])))
    return pl.Series(name, values, dtype=_DATA_TYPES.get(kind, pl.String()), strict=False)
