"""Reads a record whose types are off but whose meaning is plain: numbers as text, text as numbers, null for a list,
one object for a list of one, the old `days` object. What stays doubtful is refused with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any, get_args, get_origin

from msgspec.structs import fields

from toolkit.wire.keys import structs_in
from toolkit.wire.records import Wire

_DAYS = {
    "weekdays": ("MON", "TUE", "WED", "THU", "FRI"),
    "saturday": ("SAT",),
    "sunday": ("SUN",),
}
_BOOLEANS = {"true": True, "false": False}
_NOT_NUMBERS = (b"nan", b'inf"', b'infinity"')
_NOT_A_NUMBER = re.compile(rb'"[+-]?(?:s?nan\d*|inf|infinity)"')


class Unreadable(Exception):
    """Why a record cannot be read, with the place inside it."""


class _Digits(str):
    """A JSON number in its own digits, so that 12.30 taken for text stays "12.30"."""

    __slots__ = ()


@cache
def _has_numbers(struct: type[Wire]) -> bool:
    return any(Decimal in _flat(f.type) for s in structs_in(struct) for f in fields(s))


def _flat(kind: Any) -> list[Any]:
    return [kind, *(inner for part in get_args(kind) for inner in _flat(part))]


def may_hold_no_number(struct: type[Wire], body: bytes) -> bool:
    """Whether a number might be the text "NaN" or "Infinity", which decoders take for one."""
    if not _has_numbers(struct):
        return False
    lowered = body.lower()
    return any(word in lowered for word in _NOT_NUMBERS) and _NOT_A_NUMBER.search(lowered) is not None


def read(struct: type[Wire], text: bytes) -> Any:
    """One record from its JSON text. Raises Unreadable."""
    try:
        found = json.loads(text, parse_float=_Digits, parse_int=_Digits, parse_constant=_refuse)
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"it is not JSON: {problem}") from problem
    return _object(struct, found, "")


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _object(struct: type[Wire], found: Any, place: str) -> Any:
    if not isinstance(found, Mapping):
        raise Unreadable(f"{place or 'the record'} is {_told(found)}, not an object")
    values = {}
    for each in fields(struct):
        inside = f"{place}.{each.encode_name}".lstrip(".")
        value = found.get(each.encode_name)
        if value is not None:
            values[each.name] = _value(each.type, value, inside)
        elif each.required:
            raise Unreadable(f"`{inside}` is missing")
    return struct(**values)


def _value(kind: Any, found: Any, place: str) -> Any:
    if get_origin(kind) is list:
        return _list(get_args(kind)[0], found, place)
    options = [part for part in get_args(kind) if part is not type(None)]
    if options:
        return None if found is None else _first(options, found, place)
    if issubclass(kind, Wire):
        return _object(kind, found, place)
    return _scalar(kind, found, place)


def _first(options: list[Any], found: Any, place: str) -> Any:
    """The first kind that takes it; most unions have one beside null."""
    for kind in options[:-1]:
        try:
            return _value(kind, found, place)
        except Unreadable:
            continue
    return _value(options[-1], found, place)


def _list(kind: Any, found: Any, place: str) -> list[Any]:
    if isinstance(found, Mapping):
        found = _days(found) if kind is str else [found]
    if not isinstance(found, list):
        raise Unreadable(f"`{place}` is {_told(found)}, not a list")
    return [_value(kind, item, f"{place}[{index}]") for index, item in enumerate(found)]


def _days(found: Mapping[str, Any]) -> Any:
    """The old form of demand days: {weekdays, saturday, sunday}, each true or false."""
    if not set(found) <= set(_DAYS):
        return found
    return [day for key, days in _DAYS.items() if found.get(key) is True for day in days]


def _scalar(kind: Any, found: Any, place: str) -> Any:
    try:
        return _READERS[kind](found)
    except (ValueError, InvalidOperation, KeyError, TypeError):
        raise Unreadable(f"`{place}` is {_told(found)}, not {_KINDS[kind]}") from None


def _text(found: Any) -> str:
    if isinstance(found, bool) or not isinstance(found, str):
        raise ValueError
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


def _told(found: Any) -> str:
    """What was found, in a few harmless characters."""
    if found is None:
        return "null"
    if isinstance(found, bool):
        return str(found).lower()
    if isinstance(found, str):
        return f"number {found[:40]}" if isinstance(found, _Digits) else f"text {found[:40]!a}"
    return "a list" if isinstance(found, list) else "an object"
