"""Answers become records: strict and fast first; renamed and read leniently only where that fails.

A record that cannot be read at all is rejected with its reason, and the rest of its page is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import Any

import msgspec
from msgspec import Raw

from toolkit.errors import BadAnswer
from toolkit.wire import keys, lenient
from toolkit.wire.endpoints import Endpoint
from toolkit.wire.records import RECORDS, Wire
from toolkit.wire.spelling import Spelling

_HOUSE = Spelling()
_ITEMS = msgspec.json.Decoder(list[Raw])
_BROKEN = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A record that could not be read. id: its own, else its place on the page."""

    id: str
    reason: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Page:
    """records and raws go in pairs; a raw is the record's bytes exactly as they came."""

    records: list[Any]
    raws: list[bytes]
    rejected: list[Rejected] = field(default_factory=list)
    next: str | None = None
    previous: str | None = None
    meta: Any = None
    cursor: str | None = None
    """Where in its list the page was asked for; None for the first page."""


class Malformed(BadAnswer):
    """Text that is not JSON, or not of the announced shape at all."""


def read_page(row: Endpoint, body: bytes, spelling: Spelling = _HOUSE) -> Page:
    """The page of records in an answer of `row`. Raises Malformed where there is no such list in it."""
    array, rest = _envelope(row, body)
    links = _plain(rest.get("links"))
    links = links if isinstance(links, dict) else {}
    records, kept, rejected = _records(row, array, spelling)
    return Page(records, kept, rejected, _link(links, "next"), _link(links, "prev"), _meta(row, rest.get("meta")))


def read_one(row: Endpoint, body: bytes, spelling: Spelling = _HOUSE) -> Any:
    """The single object in an answer of `row`. Raises Malformed where it cannot be read."""
    records, _, rejected = _records(row, b"[" + body + b"]", spelling)
    if rejected:
        raise Malformed(f"{row.path}: the answer cannot be read: {rejected[0].reason}.")
    if len(records) != 1:
        raise Malformed(f"{row.path}: the answer is not one object.")
    return records[0]


def _envelope(row: Endpoint, body: bytes) -> tuple[bytes, dict[str, Raw]]:
    """The list, unread, and what stands beside it. Early versions answer some lists bare."""
    try:
        if body.lstrip()[:1] == b"[":
            return body, {}
        rest = msgspec.json.decode(body, type=dict[str, Raw])
        found = rest.get(row.array or "", rest.get(keys.camel(row.array or "")))
        if found is None:
            raise Malformed(f"{row.path}: the answer has no `{row.array}`.")
        array = bytes(found)
        return b"[]" if array == b"null" else array, rest
    except _BROKEN as problem:
        raise Malformed(f"{row.path}: the answer is not the JSON that was announced ({problem}).") from problem


def _plain(raw: Raw | None) -> Any:
    return None if raw is None else msgspec.json.decode(raw)


def _link(links: dict[str, Any], name: str) -> str | None:
    found = links.get(name)
    return found if isinstance(found, str) and found else None


def _meta(row: Endpoint, raw: Raw | None) -> Any:
    if row.meta is None or raw is None:
        return None
    try:
        return _maybe(RECORDS[row.meta]).decode(keys.renamed(RECORDS[row.meta], bytes(raw)))
    except _BROKEN:
        return None


def _records(row: Endpoint, array: bytes, spelling: Spelling) -> tuple[list[Any], list[bytes], list[Rejected]]:
    struct = RECORDS[row.record or ""]
    try:
        texts = [bytes(raw) for raw in _ITEMS.decode(array)]
    except _BROKEN as problem:
        raise Malformed(f"{row.path}: the answer is not the JSON that was announced ({problem}).") from problem
    records = _all_at_once(struct, spelling.to_house(array))
    if records is not None:
        return records, texts, []
    return _one_by_one(row, struct, texts, spelling)


def _all_at_once(struct: type[Wire], whole: bytes) -> list[Any] | None:
    """All records strictly: every field known and of its type. None where one is not."""
    if lenient.may_hold_no_number(struct, whole):
        return None
    try:
        return _strict_list(struct).decode(whole)
    except _BROKEN:
        pass
    renamed = keys.renamed(struct, whole)
    try:
        return _open_list(struct).decode(renamed)
    except _BROKEN:
        return None


def _one_by_one(
    row: Endpoint, struct: type[Wire], texts: list[bytes], spelling: Spelling
) -> tuple[list[Any], list[bytes], list[Rejected]]:
    records: list[Any] = []
    kept: list[bytes] = []
    rejected: list[Rejected] = []
    for place, text in enumerate(texts):
        try:
            records.append(_one(struct, spelling.to_house(text)))
            kept.append(text)
        except lenient.Unreadable as problem:
            rejected.append(Rejected(_name(row, place, text, spelling), str(problem), text))
    return records, kept, rejected


def _one(struct: type[Wire], text: bytes) -> Any:
    """One record, strictly if it can be, else leniently. Raises Unreadable."""
    alone = _all_at_once(struct, b"[" + text + b"]")
    return alone[0] if alone is not None else lenient.read(struct, keys.renamed(struct, text))


def _name(row: Endpoint, place: int, text: bytes, spelling: Spelling) -> str:
    """The record's own id where one can be made out, else its place."""
    try:
        found = msgspec.json.decode(text)
    except _BROKEN:
        found = None
    if isinstance(found, dict):
        for key in (spelling.field("platform_id"), "id", *[k for k in found if k.endswith("_id")]):
            if isinstance(found.get(key), str | int):
                return str(found[key])
    return f"{row.name}[{place}]"


# msgspec 0.22 crashes the process now and then where two threads make decoders of the same struct at once (seen in 2 of
# some 200 first syncs): each finds the other's half-made description of the type.
_MAKING = Lock()


@cache
def _strict_list(struct: type[Wire]) -> msgspec.json.Decoder[list[Any]]:
    with _MAKING:
        return msgspec.json.Decoder(list[keys.closed(struct)])  # type: ignore[misc]  # a type made at run time


@cache
def _open_list(struct: type[Wire]) -> msgspec.json.Decoder[list[Any]]:
    with _MAKING:
        return msgspec.json.Decoder(list[struct])  # type: ignore[valid-type]  # a type chosen at run time


@cache
def _maybe(struct: type[Wire]) -> msgspec.json.Decoder[Any]:
    with _MAKING:
        return msgspec.json.Decoder(struct | None)
