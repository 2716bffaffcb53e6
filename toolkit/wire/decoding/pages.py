"""Decode responses to records: strict and fast first, then with renamed keys, then leniently.

An unreadable field that is not essential is left empty and reported; without an essential field the record is
rejected with its reason, and the rest of its page is kept. Callers report what a short list could not give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from threading import Lock
from typing import Any, Generic, Self, TypeVar

import msgspec
from msgspec import Raw

from toolkit.errors import InvalidResponseError
from toolkit.wire.decoding import lenient
from toolkit.wire.decoding.lenient import BROKEN, Spelling, as_given, with_surrogates_replaced
from toolkit.wire.endpoints import Endpoint
from toolkit.wire.records import RECORDS, Wire

T = TypeVar("T")
_HOUSE = Spelling()
_ITEMS = msgspec.json.Decoder(list[Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, Raw])
_SHARED_IDS = ("end_user_id", "institution_id")
"""Ids that many records share."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A record that could not be read. id: its own, else its place on the page."""

    id: str
    reason: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class UnparsedField:
    """A field left empty in an accepted record. id: the record's own, else its position on the page.

    field: its place in the record, such as `meters[0].specifications`. reason: what it was. The raw record keeps it,
    so that a later version reads it when the record is read again.
    """

    id: str
    field: str
    reason: str


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """Records of a list, or of a page of it."""

    records: list[T] = field(default_factory=list)
    raws: list[bytes] = field(default_factory=list)
    """For each record its bytes exactly as they came."""
    rejected: list[Rejected] = field(default_factory=list)
    unparsed: dict[bytes, list[UnparsedField]] = field(default_factory=dict)
    """Raw record → the fields that were left empty."""

    def where(self, wanted: Callable[[T], bool]) -> Self:
        """Keep the wanted records. Rejected records stay, as they may be wanted ones."""
        kept = [(record, raw) for record, raw in zip(self.records, self.raws, strict=True) if wanted(record)]
        unparsed = {raw: self.unparsed[raw] for _, raw in kept if raw in self.unparsed}
        return replace(self, records=[record for record, _ in kept], raws=[raw for _, raw in kept], unparsed=unparsed)


@dataclass(frozen=True, slots=True)
class Page(Listing[Any]):
    """A page of a list, with the link to the next one."""

    next: str | None = None
    meta: Any = None
    cursor: str | None = None
    """Where in its list the page was asked for; None for the first page."""


class MalformedResponseError(InvalidResponseError):
    """Text that is not JSON, or not of the announced shape at all."""


def read_page(row: Endpoint, body: bytes, spelling: Spelling = _HOUSE) -> Page:
    """Decode a response of `row` to a page. Raises MalformedResponseError if it has no such list."""
    page = _page_at_once(row, body, spelling)
    if page is not None:
        return page
    array, rest = _envelope(row, body)
    found = _records(row, array, spelling)
    return replace(found, next=_next_link(row, rest.get("links")), meta=_meta(row, rest.get("meta")))


def _page_at_once(row: Endpoint, body: bytes, spelling: Spelling) -> Page | None:
    """Decode a whole response strictly, which is quickest; None where anything in it is not as specified."""
    struct = RECORDS[row.record or ""]
    whole = spelling.to_house(body)
    if lenient.may_hold_no_number(struct, whole):
        return None
    try:
        given = _response(row.array or "", None).decode(body)
        records = _response(row.array or "", struct).decode(whole).items
    except BROKEN:
        return None
    links, meta = _next_link(row, given.links), _meta(row, given.meta)
    return Page(records, [bytes(raw) for raw in given.items], next=links, meta=meta)


def read_alone(row: Endpoint, body: bytes, spelling: Spelling = _HOUSE) -> Page:
    """Read a single record of `row` as a page. Raises MalformedResponseError for anything but one record."""
    page = _records(row, b"[" + body + b"]", spelling)
    if len(page.records) + len(page.rejected) != 1:
        raise MalformedResponseError(f"{row.path}: the response is not one object.")
    return page


def read_one(row: Endpoint, body: bytes, spelling: Spelling = _HOUSE) -> Any:
    """Decode a response of `row` with one object. Raises MalformedResponseError if any of it cannot be read."""
    page = read_alone(row, body, spelling)
    doubts: list[Rejected | UnparsedField] = [
        *page.rejected,
        *(entry for unparsed in page.unparsed.values() for entry in unparsed),
    ]
    if doubts:
        raise MalformedResponseError(f"{row.path}: the response cannot be read: {doubts[0].reason}.")
    return page.records[0]


def _envelope(row: Endpoint, body: bytes) -> tuple[bytes, dict[str, Raw]]:
    """Return the list's JSON text and the values next to it. Early versions answer some lists bare."""
    if body.lstrip()[:1] == b"[":
        return body, {}
    rest, whole = _split(row, _MEMBERS, body)
    found = rest.get(row.array or "", rest.get(lenient.camel(row.array or "")))
    if found is None:
        raise MalformedResponseError(f"{row.path}: the response has no `{row.array}`.")
    array = bytes(found)
    return b"[]" if array == b"null" else as_given(body, whole, [array])[0], rest


def _split(row: Endpoint, decoder: msgspec.json.Decoder[T], body: bytes) -> tuple[T, bytes]:
    """Return the parts of a JSON text, not decoded, and the text itself with lone surrogates replaced."""
    try:
        return decoder.decode(body), body
    except BROKEN as problem:
        whole = with_surrogates_replaced(body)
        if whole != body:
            return _split(row, decoder, whole)
        raise MalformedResponseError(f"{row.path}: the response is not valid JSON of the expected shape.") from problem


def _next_link(row: Endpoint, raw: Raw | None) -> str | None:
    """Return the link to the next page; None ends the list. Raises MalformedResponseError for another type."""
    try:
        found = (None if raw is None else msgspec.json.decode(raw)) or {}
    except BROKEN as problem:
        raise MalformedResponseError(f"{row.path}: the response's links cannot be read.") from problem
    if not isinstance(found, dict) or not isinstance(found.get("next"), str | None):
        raise MalformedResponseError(f"{row.path}: the response's link to the next page cannot be read.")
    return found.get("next") or None


def _meta(row: Endpoint, raw: Raw | None) -> Any:
    if row.meta is None or raw is None:
        return None
    try:
        return _optional(RECORDS[row.meta]).decode(lenient.renamed(RECORDS[row.meta], bytes(raw)))
    except BROKEN:
        return None


def _records(row: Endpoint, array: bytes, spelling: Spelling) -> Page:
    struct = RECORDS[row.record or ""]
    items, whole = _split(row, _ITEMS, array)
    texts = as_given(array, whole, [bytes(raw) for raw in items])
    records = _all_at_once(struct, spelling.to_house(array))
    if records is not None:
        return Page(records, texts)
    return _one_by_one(row, struct, texts, spelling)


def _all_at_once(struct: type[Wire], whole: bytes) -> list[Any] | None:
    """Decode all records strictly: every field known and of its type; None where one is not."""
    if lenient.may_hold_no_number(struct, whole):
        return None
    try:
        return _strict_list(struct).decode(whole)
    except BROKEN:
        pass
    renamed = lenient.renamed(struct, whole)
    try:
        return _open_list(struct).decode(renamed)
    except BROKEN:
        return None


def _one_by_one(row: Endpoint, struct: type[Wire], texts: list[bytes], spelling: Spelling) -> Page:
    """Decode each record, strictly if it can be, else leniently; reject those without an essential field."""
    page = Page()
    for place, text in enumerate(texts):
        try:
            house = spelling.to_house(text)
            alone = _all_at_once(struct, b"[" + house + b"]")
            record, emptied = (alone[0], []) if alone else lenient.read(struct, lenient.renamed(struct, house))
        except lenient.UnreadableValueError as problem:
            page.rejected.append(Rejected(_name(row, place, text, spelling), str(problem), text))
            continue
        page.records.append(record)
        page.raws.append(text)
        if emptied:
            name = _name(row, place, text, spelling)
            page.unparsed[text] = [UnparsedField(name, field, reason) for field, reason in emptied]
    return page


def _name(row: Endpoint, place: int, text: bytes, spelling: Spelling) -> str:
    """Return the record's own id, else its position on the page."""
    try:
        found = msgspec.json.decode(with_surrogates_replaced(text))
    except BROKEN:
        found = None
    if isinstance(found, dict):
        others = [key for key in found if key.endswith("_id") and key not in _SHARED_IDS]
        for key in (spelling.field("platform_id"), "id", *others):
            if isinstance(found.get(key), str | int):
                return str(found[key])
    return f"{row.name}[{place}]"


class _Response(msgspec.Struct, gc=False):
    """A response with a list."""

    items: list[Any]
    links: Raw = Raw(b"null")
    meta: Raw = Raw(b"null")


# msgspec 0.22 crashes the process now and then where two threads make decoders of the same struct at once (seen in 2 of
# some 200 first syncs): each finds the other's half-made description of the type.
_MAKING = Lock()


@cache
def _response(array: str, struct: type[Wire] | None) -> msgspec.json.Decoder[_Response]:
    """Make the decoder of responses with a list `array` of strict records, or anything where no struct is given."""
    with _MAKING:
        items: list[tuple[str, Any]] = [("items", lenient.list_of(lenient.closed(struct) if struct else Raw))]
        own = msgspec.defstruct("Response", items, bases=(_Response,), kw_only=True, gc=False, rename={"items": array})
        return msgspec.json.Decoder(own)


@cache
def _strict_list(struct: type[Wire]) -> msgspec.json.Decoder[list[Any]]:
    with _MAKING:
        return msgspec.json.Decoder(lenient.list_of(lenient.closed(struct)))


@cache
def _open_list(struct: type[Wire]) -> msgspec.json.Decoder[list[Any]]:
    with _MAKING:
        return msgspec.json.Decoder(lenient.list_of(struct))


@cache
def _optional(struct: type[Wire]) -> msgspec.json.Decoder[Any]:
    with _MAKING:
        return msgspec.json.Decoder(struct | None)


def listed(pages: Iterable[Page]) -> Listing[Any]:
    """Join the pages of a list."""
    whole: Listing[Any] = Listing()
    for page in pages:
        whole.records.extend(page.records)
        whole.raws.extend(page.raws)
        whole.rejected.extend(page.rejected)
        whole.unparsed.update(page.unparsed)
    return whole
