"""An answer as a short table in a notebook: its figures, the first rows of its tables, its notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from html import escape
from typing import Any

import msgspec

from toolkit.answers.base import with_signs

MOST_ROWS = 5
MOST_COLUMNS = 10
LONGEST = 60
"""Letters of a text; the rest is cut."""


def html_of(answer: msgspec.Struct) -> str:
    """Return a summary of an answer as HTML, of a few kB whatever its size. Texts from outside are escaped."""
    figures, tables = [], []
    for field in msgspec.structs.fields(answer):
        name, value = field.encode_name, getattr(answer, field.name)
        if isinstance(value, Sequence) and not isinstance(value, str):
            if len(value) and not field.name.endswith("_codes"):  # they repeat what the notes say
                tables.append(_table(name, _plain(list(value[:MOST_ROWS])), len(value)))
        elif isinstance(value, (Mapping, msgspec.Struct)):
            if plain := _plain(value):
                tables.append(_table(name, [plain], 1))
        elif value is not msgspec.UNSET:
            figures.append(f"<tr><th>{escape(name)}</th><td>{_cell(_plain(value))}</td></tr>")
    rows = f"<table>{''.join(figures)}</table>" if figures else ""
    return "".join([f"<strong>{escape(type(answer).__name__)}</strong>", rows, *tables])


def _plain(value: object) -> Any:
    """Return a value as mappings, lists, text and numbers; decimals, days and instants stay."""
    return msgspec.to_builtins(
        value,
        builtin_types=(Decimal, date, datetime),
        enc_hook=lambda other: list(other) if isinstance(other, Sequence) else str(other),
    )


def _table(name: str, first: Sequence[Any], count: int) -> str:
    """Return the first entries of a list: parts as a table of their single values, texts such as notes as a list."""
    heading = f"{count:,} row{'s' if count > 1 else ''}"
    if count > len(first):
        heading = f"first {len(first)} of {heading}"
    if not isinstance(first[0], Mapping):
        items = "".join(f"<li>{escape(with_signs(entry))}</li>" for entry in first)
        return f"<p>{escape(name)} ({heading})</p><ul>{items}</ul>"
    columns = [column for column in first[0] if any(_is_single(row.get(column)) for row in first)]
    if len(columns) > MOST_COLUMNS:
        heading += f", {MOST_COLUMNS} of {len(columns)} columns"
    columns = columns[:MOST_COLUMNS]
    heads = "".join(f"<th>{escape(column)}</th>" for column in columns)
    rows = "".join(f"<tr>{''.join(f'<td>{_cell(row.get(column))}</td>' for column in columns)}</tr>" for row in first)
    return f"<p>{escape(name)} ({heading})</p><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _is_single(value: object) -> bool:
    return value is not None and not isinstance(value, (Mapping, list, tuple))


def _cell(value: object) -> str:
    """Return a value as HTML: a number with thousands marked, a list or a part by its size, None as a dash."""
    if value is None:
        return "–"
    if isinstance(value, (Mapping, list, tuple)):
        return f"({len(value)})"
    if isinstance(value, float):
        return f"{value:,.6g}"
    return escape(with_signs(value, length=LONGEST))
