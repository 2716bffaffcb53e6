"""Decode records as a deployment spells them: its own name for *platform*, misspelt keys, wrong types of plain meaning.

A lone surrogate is left where a text was cut inside an emoji: `\\ud83d` alone. JSON allows it, strict decoders do not,
and one such text would make a whole response unreadable. The response is split with surrogates replaced, and each
piece is then taken from the original text.

Keys: the service's own documents leak `singleRate`, `readQualities`, `to_u_type` …; a name is recognised when it is a
known one but for capitals and underscores. Values: numbers as text, text as numbers, null for a list, one object for a
list of one, the old `days` object. An unclear field is left empty and reported; an unclear essential field (see
`records.essential`) rejects the record, with its path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache, reduce
from operator import or_
from types import GenericAlias, UnionType
from typing import Any, Union, cast, get_args, get_origin

import msgspec
from msgspec import DecodeError, Raw
from msgspec.json import Decoder
from msgspec.structs import FieldInfo, fields

from toolkit.wire.records import RECORDS, Wire
from toolkit.wire.records.essential import essential

BROKEN = (DecodeError, RecursionError, UnicodeDecodeError)
"""Not JSON or of another shape; nested too deeply; a text that is not valid UTF-8."""


HOUSE_WORD = "platform"
_WORD = re.compile(r"[a-z][a-z0-9]{0,31}")
_VERSION_HEADER = re.compile(r"x-([a-z][a-z0-9]{0,31})-version")
_MAJOR = re.compile(r"(v[0-9]{1,3})(?:\.[0-9.]+)?")
_OF_SERVERS = frozenset({"api", "app", "server", "service"})
"""Words of version headers that servers and gateways add."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A response's version header (`X-Platform-Version: v3`). version: the major version."""

    word: str
    version: str


def stated(headers: Mapping[str, str]) -> Stated | None:
    """Read the deployment's word and version from response headers (names in lower case); None where these differ."""
    found = {
        Stated(name[1], version[1])
        for key, value in headers.items()
        if (name := _VERSION_HEADER.fullmatch(key)) and (version := _MAJOR.fullmatch(value.strip().lower()))
    }
    own = [one for one in found if one.word not in _OF_SERVERS]
    return own[0] if len(own) == 1 else None


@dataclass(frozen=True, slots=True)
class Spelling:
    """word: lower-case letters and digits, such as `platform`: field `<word>_id`, headers `X-<Word>-Version` …"""

    word: str = HOUSE_WORD

    def __post_init__(self) -> None:
        if not _WORD.fullmatch(self.word):
            raise ValueError(f"{self.word!r} is not a word of lower-case letters and digits")

    def header(self, name: str) -> str:
        """Return `X-Platform-Version` as this deployment writes it."""
        return name.replace(HOUSE_WORD.title(), self.word.title())

    def field(self, name: str) -> str:
        """Return `platform_id` or `platform_transaction_id` as this deployment writes it."""
        return f"{self.word}_{name.removeprefix(HOUSE_WORD + '_')}" if name.startswith(HOUSE_WORD + "_") else name

    def to_house(self, body: bytes) -> bytes:
        """Spell a JSON body with the deployment's word as the specification does."""
        return body if self.word == HOUSE_WORD else _respelled(body, self.word, HOUSE_WORD)

    def to_wire(self, body: bytes) -> bytes:
        """Spell a JSON body of the specification as the deployment does."""
        return body if self.word == HOUSE_WORD else _respelled(body, HOUSE_WORD, self.word)


def _respelled(body: bytes, old: str, new: str) -> bytes:
    """Replace the word in names `old_id`; also in `oldId`, as some institutions leak it."""
    for name in (f"{old}_id", f"{old}Id", f"{old.title()}Id"):
        body = body.replace(f'"{name}"'.encode(), f'"{new}_id"'.encode())
    return body


_ESCAPES = re.compile(
    rb"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)

_MEMBERS = Decoder(dict[str, Raw])


def with_surrogates_replaced(body: bytes) -> bytes:
    """Replace each lone surrogate of a JSON text by a replacement character; the length stays the same."""
    return _ESCAPES.sub(lambda found: found[1] or rb"\ufffd", body)


def as_given(body: bytes, whole: bytes, pieces: list[bytes]) -> list[bytes]:
    """Return the original text in `body` of consecutive pieces of `whole`, its form with replaced surrogates."""
    if whole is body:
        return pieces
    at, found = 0, []
    for piece in pieces:
        at = whole.index(piece, at)
        found.append(body[at : at + len(piece)])
        at += len(piece)
    return found


def members(body: bytes) -> dict[str, bytes]:
    """Return the members of a JSON object as raw text. Raises an error of `BROKEN` for anything else."""
    whole = body
    try:
        found = _MEMBERS.decode(body)
    except BROKEN:
        whole = with_surrogates_replaced(body)
        found = _MEMBERS.decode(whole)
    return dict(zip(found, as_given(body, whole, [bytes(raw) for raw in found.values()]), strict=True))


_ID = re.compile(r"([A-Za-z][a-z0-9]{0,31})(?:_id|Id)")
_KEY = re.compile(rb'"([A-Za-z][A-Za-z0-9_]*)"(\s*:)')


def normalised(name: str) -> str:
    """Return a name without capitals and underscores: `toUType`, `to_u_type` and `to_utype` are all `toutype`."""
    return name.replace("_", "").lower()


def camel(name: str) -> str:
    """Return a name in camel case: `end_users` becomes `endUsers`."""
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def renamed(struct: type[Wire], body: bytes) -> bytes:
    """Return the JSON text with oddly spelt keys of `struct`, at any depth, as the specification spells them.

    A quote inside a JSON string follows a backslash, so what looks like a key is one.
    """
    names = _names(struct)
    odd = {key for key, _ in set(_KEY.findall(body)) if key not in names.values() and _known(names, key)}
    if not odd:
        return body
    return _KEY.sub(lambda m: b'"%s"%s' % (_known(names, m[1]) if m[1] in odd else m[1], m[2]), body)


def _known(names: dict[str, bytes], key: bytes) -> bytes:
    return names.get(normalised(key.decode()), b"")


@cache
def _names(struct: type[Wire]) -> dict[str, bytes]:
    """Return normalised name → the specification's name, for all fields of `struct` at any depth."""
    return {normalised(f.encode_name): f.encode_name.encode() for s in structs_in(struct) for f in fields(s)}


def possible_words(record: bytes) -> list[str]:
    """Return the prefixes of a JSON object's text fields `<word>_id` or `<word>Id` that the specification does not
    know.

    One of them may be the deployment's name for *platform*. Empty unless the text is an object.
    """
    try:
        found = msgspec.json.decode(with_surrogates_replaced(record), type=dict[str, msgspec.Raw])
    except BROKEN:
        return []
    texts = [name for name, value in found.items() if bytes(value).startswith(b'"')]
    words = {match[1].lower() for name in texts if (match := _ID.fullmatch(name))}
    return sorted(word for word in words if normalised(f"{word}_id") not in _known_ids())


@cache
def _known_ids() -> frozenset[str]:
    return frozenset(name for struct in RECORDS.values() for name in _names(struct)) - {"platformid"}


@cache
def structs_in(struct: type[Wire]) -> tuple[type[Wire], ...]:
    """Return `struct` and every struct inside it."""
    found = dict.fromkeys([struct])
    for each in fields(struct):
        for inner in _structs_of(each.type):
            found.update(dict.fromkeys(structs_in(inner)))
    return tuple(found)


def _structs_of(kind: Any) -> list[type[Wire]]:
    if isinstance(kind, type) and issubclass(kind, Wire):
        return [kind]
    return [struct for part in get_args(kind) for struct in _structs_of(part)]


@cache
def closed(struct: type[Wire]) -> type[Wire]:
    """Return a subclass that refuses unknown fields, at any depth."""
    inner = [(f.name, _closed_type(f.type), *(() if f.required else (f.default,))) for f in fields(struct)]
    spelt = {f.name: f.encode_name for f in fields(struct) if f.name != f.encode_name}
    made = msgspec.defstruct(
        struct.__name__,
        inner,
        bases=(struct,),
        kw_only=True,
        gc=False,
        forbid_unknown_fields=True,
        rename=spelt or None,
    )
    return cast(type[Wire], made)


def list_of(kind: Any) -> Any:
    """Return `list[kind]`, of a type that is only known at run time."""
    return GenericAlias(list, (kind,))


def _closed_type(kind: Any) -> Any:
    if isinstance(kind, type) and issubclass(kind, Wire):
        return closed(kind)
    if get_origin(kind) is list:
        return list_of(_closed_type(get_args(kind)[0]))
    if isinstance(kind, UnionType) or get_origin(kind) is Union:
        return reduce(or_, [_closed_type(part) for part in get_args(kind)])
    return kind


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
        """Read a field; None where it cannot be read and is not needed."""
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
        try:
            return _READERS[kind](found)
        except (ValueError, InvalidOperation, KeyError, TypeError):
            raise UnreadableValueError(f"`{place}` is {_described(found)}, not {_KINDS[kind]}") from None

    def _first(self, options: list[Any], found: Any, place: str, needed: bool) -> Any:
        """Return the value by the first type that accepts it; most unions have one type and null."""
        for kind in options[:-1]:
            try:
                return self._value(kind, found, place, needed)
            except UnreadableValueError:
                continue
        return self._value(options[-1], found, place, needed)

    def _list(self, kind: Any, found: Any, place: str, needed: bool) -> list[Any]:
        """Read the entries of a list; those that cannot be read are left out, but none of a list that is needed."""
        if isinstance(found, Mapping):
            found = _days(found) if kind is str else [found]
        if not isinstance(found, list):
            raise UnreadableValueError(f"`{place}` is {_described(found)}, not a list")
        read = [self._field(kind, item, f"{place}[{index}]", needed) for index, item in enumerate(found)]
        return read if needed else [value for value in read if value is not None]


def _days(found: Mapping[str, Any]) -> Any:
    """Read the old form of demand days: {weekdays, saturday, sunday}, each true or false."""
    if not set(found) <= set(_DAYS):
        return found
    return [day for key, days in _DAYS.items() if found.get(key) is True for day in days]


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


_READERS: dict[Any, Any] = {
    str: _text,
    Decimal: _number,
    int: _integer,
    bool: lambda found: found if isinstance(found, bool) else _BOOLEANS[_text(found).strip().lower()],
}
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
