"""Wire text in the tables' form, and the ids of rows.

`UnreadableValueError` leaves a field of its record empty, or the record out. An institution's own id (`transaction_id`,
`payee_id` …) is in every record whatever the deployment's word for its own is set to, so a row that was stored under
either id is recognised under the other. Kinds of record that are not listed have no id of their own: without the
deployment's they are set aside.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from math import isinf
from typing import Any, overload

from msgspec import Struct, to_builtins

from toolkit.tables.money import MOST_MINOR, minor_units

RecordRow = dict[str, Any]
"""A row of a table made from a record of the service: column to value, as `Store.upsert` takes it."""


class ColumnRows(Sequence[RecordRow]):
    """Rows kept by column, which is quicker where there are thousands; each row is made when it is asked for.

    columns: every column of the table, in its order, with values as the store keeps them.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __iter__(self) -> Iterator[RecordRow]:
        return (dict(zip(self.columns, values, strict=True)) for values in zip(*self.columns.values(), strict=True))

    @overload
    def __getitem__(self, place: int) -> RecordRow: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[RecordRow]: ...
    def __getitem__(self, place: int | slice) -> RecordRow | Sequence[RecordRow]:
        if isinstance(place, slice):
            return ColumnRows({name: values[place] for name, values in self.columns.items()})
        return {name: values[place] for name, values in self.columns.items()}


def column(rows: Sequence[RecordRow], name: str) -> Sequence[Any]:
    """Return one column of rows; None where a row lacks it."""
    return rows.columns[name] if isinstance(rows, ColumnRows) else [row.get(name) for row in rows]


class Scope(Struct, frozen=True):
    """The household of records, and when they were read (aware). institution_id, end_user_id: as requested.

    controlled: (service point, register) known to measure controlled load, for reads that do not say.
    """

    household_id: str
    seen_at: datetime
    end_user_id: str = ""
    institution_id: str = ""
    controlled: frozenset[tuple[str, str]] = frozenset()


class UnreadableValueError(ValueError):
    """Why a record cannot be a row. field: what stands in the way, where the record without it may be one."""

    def __init__(self, reason: str, field: str = "") -> None:
        super().__init__(reason)
        self.field = field


def money(name: str, text: str | None, currency: str = "AUD") -> RecordRow:
    """Return the two columns of an amount: as written, and in minor units. Raises UnreadableValueError."""
    if text is None:
        return {name: None, f"{name}_minor": None}
    return {name: text, f"{name}_minor": minor(name, text, currency)}


def minor(name: str, text: str, currency: str) -> int:
    """Convert an amount to minor units. Raises UnreadableValueError."""
    try:
        return minor_units(text, currency)
    except ValueError as error:
        raise UnreadableValueError(f"{name}: {error}", name) from None


def real(name: str, value: Decimal | None) -> float | None:
    """Convert a measured number. Raises UnreadableValueError for one beyond all floats."""
    found = None if value is None else float(value)
    if found is not None and isinf(found):
        raise UnreadableValueError(f"{name} {value} is too large", name)
    return found


def whole(name: str, value: int | None) -> int | None:
    """Check a whole number. Raises UnreadableValueError for one of more than 64 bits."""
    if value is not None and value.bit_length() > 63:
        raise UnreadableValueError(f"{name} {str(value)[:40]} is too large", name)
    return value


def day(name: str, text: str | None) -> str | None:
    """Return a date, or the date that a date-time begins with, as `YYYY-MM-DD`.

    Raises UnreadableValueError for an impossible one.
    """
    if not text:
        return None
    try:
        return date.fromisoformat(text[:10]).isoformat()
    except ValueError:
        raise UnreadableValueError(f"{name} {text[:40]!r} is not a valid date", name) from None


def day_or_none(text: str | None) -> date | None:
    """Return the date that a text begins with, whatever its offset; None where it is missing or impossible."""
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return None


def cents_or_none(value: object) -> int | None:
    """Return an amount in dollars as cents; None where it is missing, not a number, or too large."""
    try:
        cents = int((Decimal(str(value)) * 100).to_integral_value())
    except (ArithmeticError, ValueError):  # infinite and NaN are no integers
        return None
    return cents if abs(cents) <= MOST_MINOR else None


def required_day(name: str, text: str | None) -> date:
    """Parse a date that must be given. Raises UnreadableValueError without one."""
    iso_day = day(name, text)
    if iso_day is None:
        raise UnreadableValueError(f"{name} is missing")
    return date.fromisoformat(iso_day)


def instant(name: str, text: str | None) -> str | None:
    """Convert a date-time to UTC, ending in Z; one without offset is taken as UTC.

    Raises UnreadableValueError for an impossible one.
    """
    if not text:
        return None
    try:
        timestamp = datetime.fromisoformat(text)
        aware = timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)
        return aware.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        raise UnreadableValueError(f"{name} {text[:40]!r} is not a valid date-time", name) from None


def identity(*candidates: str | None) -> str:
    """Return the first id given. Raises UnreadableValueError without one: the record could not be recognised again."""
    for candidate in candidates:
        if candidate:
            return candidate
    raise UnreadableValueError("it has no identity: platform_id is missing")


def canonical(value: object) -> str | None:
    """Encode a struct or list of the wire as canonical JSON text; None stays None."""
    if value is None:
        return None
    plain = to_builtins(value) if isinstance(value, Struct | list) else value
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=str)


# ---- ids

OWN_IDS: dict[str, tuple[str, ...]] = {
    "accounts": ("account_id",),
    "balances": ("account_id",),
    "transactions": ("account_id", "transaction_id"),
    "payees": ("payee_id",),
    "scheduled_payments": ("scheduled_payment_id",),
    "energy_accounts": ("account_id",),
    "invoices": ("account_id", "invoice_number"),
    "service_points": ("service_point_id",),
    "der_records": ("service_point_id",),
}
"""Table → the columns that together name a record within its institution."""

_NAMED_BEFORE = {"direct_debits": ("abn", "description"), "concessions": ("display_name",)}
"""Tables with rows that earlier versions identified by account and the first of these columns with a value."""

TABLES = OWN_IDS.keys() | _NAMED_BEFORE.keys()
"""Tables with rows that may be stored under an id other than the deployment's."""


def own_id(*parts: str | None) -> str | None:
    """Join a record's own ids to one text; None if one is missing."""
    return ":".join(map(str, parts)) if all(parts) else None


def own_id_of(table: str, row: RecordRow) -> str | None:
    """Return a row's own id; None if its table has none, or the row lacks a part of it."""
    columns = OWN_IDS.get(table)
    return own_id(*(row[name] for name in columns)) if columns else None


def earlier_ids(table: str, row: RecordRow) -> frozenset[str]:
    """Return ids other than the deployment's under which a row may be stored, also those of earlier versions."""
    ids = {own_id_of(table, row)}
    if table == "transactions":
        ids.add(row["transaction_id"])
    elif table in _NAMED_BEFORE:
        name = next((row[name] for name in _NAMED_BEFORE[table] if row[name]), None)
        ids.add(own_id(row["account_id"], name))
    return frozenset(text for text in ids if text)
