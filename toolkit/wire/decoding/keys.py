"""Field names: closed structs for fast decoding, and misspelt keys renamed as the specification spells them.

The service's own documents leak `singleRate`, `readQualities`, `to_u_type` …: a name is recognised when it is a known
one but for capitals and underscores.
"""

from __future__ import annotations

import re
from functools import cache, reduce
from operator import or_
from types import GenericAlias, UnionType
from typing import Any, Union, cast, get_args, get_origin

import msgspec
from msgspec.structs import fields

from toolkit.wire.decoding.json_errors import BROKEN
from toolkit.wire.decoding.surrogates import with_surrogates_replaced
from toolkit.wire.records import RECORDS, Wire

_ID = re.compile(r"([A-Za-z][a-z0-9]{0,31})(?:_id|Id)")
_KEY = re.compile(rb'"([A-Za-z][A-Za-z0-9_]*)"(\s*:)')


def normalised(name: str) -> str:
    """`toUType`, `to_u_type` and `to_utype` are all `toutype`."""
    return name.replace("_", "").lower()


def camel(name: str) -> str:
    """`end_users` becomes `endUsers`."""
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def renamed(struct: type[Wire], body: bytes) -> bytes:
    """The JSON text with oddly spelt keys of `struct`, at any depth, as the specification spells them.

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
    """Normalised name → the specification's name, for all fields of `struct` at any depth."""
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
    """`struct` and every struct inside it."""
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
    """A subclass that refuses unknown fields, at any depth."""
    inner = [(f.name, _closed_type(f.type), *_default(f)) for f in fields(struct)]
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


def _default(field: msgspec.structs.FieldInfo) -> tuple[Any, ...]:
    return () if field.required else (field.default,)


def list_of(kind: Any) -> Any:
    """`list[kind]`, of a type that is only known at run time."""
    return GenericAlias(list, (kind,))


def _closed_type(kind: Any) -> Any:
    if isinstance(kind, type) and issubclass(kind, Wire):
        return closed(kind)
    if get_origin(kind) is list:
        return list_of(_closed_type(get_args(kind)[0]))
    if isinstance(kind, UnionType) or get_origin(kind) is Union:
        return reduce(or_, [_closed_type(part) for part in get_args(kind)])
    return kind
