"""Decode a record with wrong types but clear meaning: numbers as text, text as numbers, null for a list,
one object for a list of one, the old `days` object. An unclear field is left empty and reported; an unclear essential
field (see `records.essential`) rejects the record, with its path."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any, get_args, get_origin

from msgspec.structs import FieldInfo, fields

from toolkit.wire.decoding.keys import structs_in
from toolkit.wire.records import Wire
from toolkit.wire.records.essential import essential

_DAYS = {
    "weekdays": ("MON", "TUE", "WED", "THU", "FRI"),
    "saturday": ("SAT",),
    "sunday": ("SUN",),
}
_BOOLEANS = {"true": True, "false": False}
_NOT_NUMBERS = (b"nan", b'inf"', b'infinity"')
_NOT_A_NUMBER = re.compile(rb'"[+-]?(?:s?nan\d*|inf|infinity)"')


class UnreadableValueError(Exception):
    """A value cannot be read; the message names its path in the record."""


class _Digits(str):
    """A JSON number in its own digits, so that 12.30 taken for text stays "12.30"."""

    __slots__ = ()


@cache
def _has_numbers(struct: type[Wire]) -> bool:
    return any(Decimal in _flat(f.type) for s in structs_in(struct) for f in fields(s))


def _flat(kind: Any) -> list[Any]:
    return [kind, *(inner for part in get_args(kind) for inner in _flat(part))]


def may_hold_no_number(struct: type[Wire], body: bytes) -> bool:
    """Whether the body may contain the text "NaN" or "Infinity", which decoders accept as numbers."""
    if not _has_numbers(struct):
        return False
    lowered = body.lower()
    return any(word in lowered for word in _NOT_NUMBERS) and _NOT_A_NUMBER.search(lowered) is not None


Emptied = tuple[str, str]
"""Place of a field that was left empty, or of a list's entry that was left out, and what it was."""


def read(struct: type[Wire], text: bytes) -> tuple[Any, list[Emptied]]:
    """Decode one record; return it with the fields left empty. Raises UnreadableValueError."""
    try:
        found = json.loads(text, parse_float=_Digits, parse_int=_Digits, parse_constant=_refuse)
    except (ValueError, RecursionError) as problem:
        raise UnreadableValueError("it is not JSON") from problem
    reading = _Reading()
    return reading.object(struct, found, ""), reading.emptied


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


@cache
def _fields(struct: type[Wire]) -> tuple[FieldInfo, ...]:
    return fields(struct)


class _Reading:
    """The reading of one record, and what it had to leave empty."""

    def __init__(self) -> None:
        self.emptied: list[Emptied] = []

    def object(self, struct: type[Wire], found: Any, place: str) -> Any:
        if not isinstance(found, Mapping):
            raise UnreadableValueError(
                f"{f'`{place}`' if place else 'the record'} is {_described(found)}, not an object"
            )
        values = {}
        for each in _fields(struct):
            value = found.get(each.encode_name)
            inside = f"{place}.{each.encode_name}" if place else each.encode_name
            if value is not None:
                values[each.name] = self._field(each.type, value, inside, each.name in essential(struct))
            elif each.required:
                raise UnreadableValueError(f"`{inside}` is missing")
        return struct(**values)

    def _field(self, kind: Any, found: Any, place: str, needed: bool) -> Any:
        """Its value; null where it cannot be read and is not needed."""
        before = len(self.emptied)
        try:
            return self._value(kind, found, place, needed)
        except UnreadableValueError as problem:
            if needed:
                raise
            self.emptied[before:] = [(place, str(problem))]
            return None

    def _value(self, kind: Any, found: Any, place: str, needed: bool) -> Any:
        if get_origin(kind) is list:
            return self._list(get_args(kind)[0], found, place, needed)
        options = [part for part in get_args(kind) if part is not type(None)]
        if options:
            return None if found is None else self._first(options, found, place, needed)
        if issubclass(kind, Wire):
            return self.object(kind, found, place)
        return _scalar(kind, found, place)

    def _first(self, options: list[Any], found: Any, place: str, needed: bool) -> Any:
        """Return the value by the first type that accepts it; most unions have one type and null."""
        for kind in options[:-1]:
            try:
                return self._value(kind, found, place, needed)
            except UnreadableValueError:
                continue
        return self._value(options[-1], found, place, needed)

    def _list(self, kind: Any, found: Any, place: str, needed: bool) -> list[Any]:
        """Its entries; those that cannot be read are left out, but of a list that is needed none may be."""
        if isinstance(found, Mapping):
            found = _days(found) if kind is str else [found]
        if not isinstance(found, list):
            raise UnreadableValueError(f"`{place}` is {_described(found)}, not a list")
        read = [self._field(kind, item, f"{place}[{index}]", needed) for index, item in enumerate(found)]
        return read if needed else [value for value in read if value is not None]


def _days(found: Mapping[str, Any]) -> Any:
    """The old form of demand days: {weekdays, saturday, sunday}, each true or false."""
    if not set(found) <= set(_DAYS):
        return found
    return [day for key, days in _DAYS.items() if found.get(key) is True for day in days]


def _scalar(kind: Any, found: Any, place: str) -> Any:
    try:
        return _READERS[kind](found)
    except (ValueError, InvalidOperation, KeyError, TypeError):
        raise UnreadableValueError(f"`{place}` is {_described(found)}, not {_KINDS[kind]}") from None


def _text(found: Any) -> str:
    """Return text as given. Raises ValueError for lone surrogates, which cannot be stored or printed."""
    if isinstance(found, bool) or not isinstance(found, str):
        raise ValueError
    found.encode()
    return str(found)


def _number(found: Any) -> Decimal:
    number = Decimal(_text(found).strip())
    if not number.is_finite():
        raise ValueError
    return number


def _integer(found: Any) -> int:
    number = _number(found)
    if number != number.to_integral_value() or number.adjusted() > 18:
        raise ValueError
    return int(number)


def _boolean(found: Any) -> bool:
    return found if isinstance(found, bool) else _BOOLEANS[_text(found).strip().lower()]


_READERS: dict[Any, Any] = {str: _text, Decimal: _number, int: _integer, bool: _boolean}
_KINDS = {str: "text", Decimal: "a number", int: "a whole number", bool: "true or false"}


def _described(found: Any) -> str:
    """Describe a value in a few printable characters."""
    if found is None:
        return "null"
    if isinstance(found, bool):
        return str(found).lower()
    if isinstance(found, str):
        return f"number {found[:40]}" if isinstance(found, _Digits) else f"text {found[:40]!a}"
    return "a list" if isinstance(found, list) else "an object"
