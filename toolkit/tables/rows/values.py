"""Wire text in the tables' form; `UnreadableValueError` leaves a field of its record empty, or the record out."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from math import isinf
from typing import Any

from msgspec import Struct, to_builtins

from toolkit.tables.money import minor_units

Row = dict[str, Any]


class UnreadableValueError(ValueError):
    """Why a record cannot be a row. field: what stands in the way, where the record without it may be one."""

    def __init__(self, reason: str, field: str = "") -> None:
        super().__init__(reason)
        self.field = field


def money(name: str, text: str | None, currency: str = "AUD") -> Row:
    """The two columns of an amount: as written, and in minor units. Raises UnreadableValueError."""
    if text is None:
        return {name: None, f"{name}_minor": None}
    return {name: text, f"{name}_minor": minor(name, text, currency)}


def minor(name: str, text: str, currency: str) -> int:
    """An amount in minor units. Raises UnreadableValueError."""
    try:
        return minor_units(text, currency)
    except ValueError as error:
        raise UnreadableValueError(f"{name}: {error}", name) from None


def real(name: str, value: Decimal | None) -> float | None:
    """A measured number. Raises UnreadableValueError for one beyond all floats."""
    found = None if value is None else float(value)
    if found is not None and isinf(found):
        raise UnreadableValueError(f"{name} {value} is too large", name)
    return found


def whole(name: str, value: int | None) -> int | None:
    """A whole number. Raises UnreadableValueError for one of more than 64 bits."""
    if value is not None and value.bit_length() > 63:
        raise UnreadableValueError(f"{name} {str(value)[:40]} is too large", name)
    return value


def day(name: str, text: str | None) -> str | None:
    """A date, or the date that a date-time begins with, as `YYYY-MM-DD`. Raises UnreadableValueError for an impossible
    one.
    """
    if not text:
        return None
    try:
        return date.fromisoformat(text[:10]).isoformat()
    except ValueError:
        raise UnreadableValueError(f"{name} {text[:40]!r} is not a valid date", name) from None


def required_day(name: str, text: str | None) -> date:
    """Parse a date that must be given. Raises UnreadableValueError without one."""
    iso_day = day(name, text)
    if iso_day is None:
        raise UnreadableValueError(f"{name} is missing")
    return date.fromisoformat(iso_day)


def instant(name: str, text: str | None) -> str | None:
    """A date-time in UTC, ending in Z; one without offset is taken as UTC. Raises UnreadableValueError for an
    impossible one.
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
    """A struct or list of the wire as canonical JSON text; None stays None."""
    if value is None:
        return None
    plain = to_builtins(value) if isinstance(value, Struct | list) else value
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=str)
