"""Change a good response into a bad one: broken JSON, altered rows, and pages that loop, repeat or lead elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec

from toolkit.sandbox.faults.fault import Change, ListChange, RowChange
from toolkit.wire import JsonObject
from toolkit.wire.decoding.lenient import camel

PROXY_PAGE = b"<!doctype html><title>Bad gateway</title><h1>Something went wrong</h1>"
NOT_ROWS = ("links", "meta")

_CODE = re.compile(r"[A-Z][A-Z_]*[A-Z]|[a-z]+[A-Z][A-Za-z]+")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_CODES = ("type", "status", "category", "_ownership", "quality", "scheme", "term", "method", "_u_type", "period")
REQUIRED = frozenset(
    {
        *("platform_id", "arrangement_id", "institution_id", "end_user_id", "id", "name"),
        *("account_id", "amount", "description", "is_detail_available", "reference", "status", "type"),
        *("posting_date_time", "transaction_id", "available_balance", "current_balance", "account_ownership"),
        *("display_name", "masked_number", "product_category", "product_name", "payee_id", "scheduled_payment_id"),
        *("invoice_number", "balance_at_issue", "issue_date", "payment_status", "service_points"),
        *("read_start_date", "read_u_type", "register_suffix", "service_point_id", "interval_read", "basic_read"),
        *("national_metering_id", "service_point_status", "transaction_u_type", "product_id", "consent_id"),
        *("authorised_entity", "execution_date_time", "usage", "payment", "meter_id", "plans"),
    }
)
"""Fields that the Consumer Data Standards require, and those that identify records."""


# ---- pages of a list

AGAIN = "again"
"""Start of the cursors that these faults make up; the service does not know them."""
ELSEWHERE = "https://other.example"


@dataclass
class ListProgress:
    """State of a fault for one list."""

    links: list[str] = field(default_factory=list)
    """Original links to next pages, in order."""
    last: Any = None
    """Last row of the page before, for `moving`."""
    turns: int = 0
    """Pages served, for `endless`."""


@dataclass
class FaultyPage:
    """A page to alter."""

    url: str
    """Address as requested."""
    rows: list[Any]
    next_url: str | None
    """Link to the next page; None on the last."""

    @property
    def cursor(self) -> str | None:
        """Return the cursor in the requested address."""
        return dict(parse_qsl(urlsplit(self.url).query)).get("page[after]")

    def link(self, cursor: str) -> str:
        """Return the address of this list at that cursor."""
        parts = urlsplit(self.url)
        others = [(key, value) for key, value in parse_qsl(parts.query) if key != "page[after]"]
        return parts._replace(query=urlencode([*others, ("page[after]", cursor)])).geturl()


def without_injected_cursor(query: str) -> str:
    """Remove a cursor of these faults from a query."""
    pairs = parse_qsl(query, keep_blank_values=True)
    return urlencode([(key, value) for key, value in pairs if key != "page[after]" or not value.startswith(AGAIN)])


def with_page_size(query: str, size: int) -> str:
    """Replace the page size in a query."""
    pairs = [(key, value) for key, value in parse_qsl(query, keep_blank_values=True) if key != "page[size]"]
    return urlencode([*pairs, ("page[size]", str(size))])


def _alter_rows(change: ListChange, page: FaultyPage, progress: ListProgress) -> None:
    """Make the faults that alter the rows of a page."""
    match change:
        case "doubled":
            page.rows = [row for row in page.rows for _ in range(2)]
        case "empty":
            page.rows = []
        case "vanishing" if page.cursor is not None:
            page.rows = page.rows[1:]
        case "moving":
            last = page.rows[-1] if page.rows else None
            if page.cursor is None:
                page.rows = page.rows[1:]
            elif progress.last is not None:
                page.rows = [progress.last, *page.rows]
            progress.last = last


def _alter_link(change: ListChange, page: FaultyPage, progress: ListProgress) -> None:
    """Make the faults that alter the link to the next page."""
    match change:
        case "hollow" if page.cursor is None:
            page.rows, page.next_url = [], page.link(AGAIN)
        case "looping" if len(progress.links) < 2 and page.next_url:
            progress.links.append(page.next_url)  # the real links to the second and the third page come first
        case "looping":
            page.next_url = progress.links[0] if progress.links else page.link(AGAIN)
        case "self_link" if page.cursor or not page.next_url:
            page.next_url = page.link(page.cursor or AGAIN)
        case "endless":
            progress.turns += 1
            page.next_url = page.link(f"{AGAIN}-{progress.turns}")
        case "foreign_next":
            parts = urlsplit(page.next_url or page.link(AGAIN))
            page.next_url = ELSEWHERE + parts._replace(scheme="", netloc="").geturl()


# ---- whole responses


def apply_changes(body: bytes, changes: Sequence[Change], url: str, progress: ListProgress) -> bytes:
    """Return the body after all changes, made one after the other.

    `url` is the address as requested; `progress` is updated with what the pagination fault needs for the next page.
    """
    for change in changes:
        if change == "malformed":
            body = body[: len(body) // 2]
        elif change == "html":
            body = PROXY_PAGE
        elif change in ALTERATIONS:
            body = msgspec.json.encode(_change_rows(msgspec.json.decode(body), change))
        else:
            content = msgspec.json.decode(body)
            if isinstance(content, dict):
                content = _change_page(content, cast(ListChange, change), url, progress)
            body = msgspec.json.encode(content)
    return body


def _change_rows(content: Any, change: RowChange) -> Any:
    """Alter the rows of a response; a single object is its own only row."""
    if isinstance(content, list):
        return _every_second(content, change)
    name = _array_name(content)
    if name is None:
        return _every_second([content], change)[0]
    return {**content, name: _every_second(content[name], change)}


def _every_second(rows: list[Any], change: RowChange) -> list[Any]:
    alter = ALTERATIONS[change]
    return [row if nth % 2 or not isinstance(row, dict) else alter(row) for nth, row in enumerate(rows)]


def _change_page(content: JsonObject, change: ListChange, url: str, progress: ListProgress) -> JsonObject:
    """Make a pagination fault; objects that are not pages of a list stay as they are."""
    name = _array_name(content)
    if name is None:
        return content
    links = dict(content.get("links", {}))
    page = FaultyPage(url, content[name], links.pop("next", None))
    _alter_rows(change, page, progress)
    _alter_link(change, page, progress)
    if page.next_url:
        links["next"] = page.next_url
    return {**content, name: page.rows, "links": links}


def _array_name(content: JsonObject) -> str | None:
    """Return the name of the list of rows in a page."""
    return next((name for name, value in content.items() if isinstance(value, list) and name not in NOT_ROWS), None)


def _unknown_values(row: JsonObject) -> JsonObject:
    """Replace codes by ones that no version of the standard defines, at any depth."""

    def _future_code(key: str, value: Any) -> Any:
        is_code = isinstance(value, str) and key.endswith(_CODES) and _CODE.fullmatch(value)
        return f"{value}_OF_TOMORROW" if is_code else value

    return {name: _map_leaves(value, _future_code, name) for name, value in row.items()}


def _camel_case(value: Any) -> Any:
    if isinstance(value, dict):
        return {camel(name): _camel_case(inner) for name, inner in value.items()}
    return [_camel_case(item) for item in value] if isinstance(value, list) else value


def _wrong_types(row: JsonObject) -> JsonObject:
    """Write numbers as text, and numeric text as numbers, at any depth."""

    def _other_type(key: str, value: Any) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        is_number = isinstance(value, str) and not key.endswith("_id") and _NUMBER.fullmatch(value)
        # Only amounts that a float holds exactly enough: the reader must get the same cents back.
        return float(value) if is_number and "." in value and float(value) == round(float(value), 2) else value

    return {name: _map_leaves(value, _other_type, name) for name, value in row.items()}


def _unreadable(row: JsonObject) -> JsonObject:
    """Make an object of the identifier."""
    name = next((key for key in row if key.endswith("_id") and key not in ("arrangement_id", "institution_id")), "id")
    return {**row, name: {"what": "an object"}, "account_id": {"what": "an object"}}


def _map_leaves(value: Any, change: Callable[[str, Any], Any], key: str) -> Any:
    """Replace every leaf by `change(key, leaf)`; items of a list have the key of the list."""
    if isinstance(value, dict):
        return {name: _map_leaves(inner, change, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_map_leaves(item, change, key) for item in value]
    return change(key, value)


ALTERATIONS: dict[RowChange, Callable[[JsonObject], JsonObject]] = {
    "unknown_values": _unknown_values,
    "unknown_fields": lambda row: {**row, "a_field_of_tomorrow": {"a_list": [1, "two", None], "text": "\u2003"}},
    "missing_optionals": lambda row: {name: value for name, value in row.items() if name in REQUIRED},
    "null_lists": lambda row: {name: None if isinstance(value, list) else value for name, value in row.items()},
    "camel_case": _camel_case,
    "wrong_types": _wrong_types,
    "unreadable": _unreadable,
}
