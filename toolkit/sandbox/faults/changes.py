"""Change a good response into a bad one: broken JSON, altered rows, faulty pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from toolkit.sandbox.faults.fault import Change, ListChange, RowChange
from toolkit.sandbox.faults.pagination import PAGINATION_FAULTS, FaultyPage, ListProgress
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
    """A response that is a single object is its own only row."""
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
    """Objects that are not pages of a list stay as they are."""
    name = _array_name(content)
    if name is None:
        return content
    links = dict(content.get("links", {}))
    page = FaultyPage(url, content[name], links.pop("next", None))
    PAGINATION_FAULTS[change](page, progress)
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


def _unknown_fields(row: JsonObject) -> JsonObject:
    return {**row, "a_field_of_tomorrow": {"a_list": [1, "two", None], "text": "\u2003"}}


def _missing_optionals(row: JsonObject) -> JsonObject:
    return {name: value for name, value in row.items() if name in REQUIRED}


def _null_lists(row: JsonObject) -> JsonObject:
    return {name: None if isinstance(value, list) else value for name, value in row.items()}


def _camel_case(value: Any) -> Any:
    if isinstance(value, dict):
        return {camel(name): _camel_case(inner) for name, inner in value.items()}
    return [_camel_case(item) for item in value] if isinstance(value, list) else value


def _wrong_types(row: JsonObject) -> JsonObject:
    def _other_type(key: str, value: Any) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        is_number = isinstance(value, str) and not key.endswith("_id") and _NUMBER.fullmatch(value)
        # Only amounts that a float holds exactly enough: the reader must get the same cents back.
        return float(value) if is_number and "." in value and float(value) == round(float(value), 2) else value

    return {name: _map_leaves(value, _other_type, name) for name, value in row.items()}


def _unreadable(row: JsonObject) -> JsonObject:
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
    "unknown_fields": _unknown_fields,
    "missing_optionals": _missing_optionals,
    "null_lists": _null_lists,
    "camel_case": _camel_case,
    "wrong_types": _wrong_types,
    "unreadable": _unreadable,
}
