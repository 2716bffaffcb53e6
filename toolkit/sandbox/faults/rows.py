"""Rows as a service may come to send them one day."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from toolkit.sandbox.faults.fault import RowChange
from toolkit.wire.decoding.lenient import camel

Json = dict[str, Any]
Alter = Callable[[Json], Json]

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
"""Fields that the consumer data standard requires, and those that identify records."""


def every_second(rows: list[Any], change: RowChange) -> list[Any]:
    """The first, third … row changed, the others as they are."""
    alter = ALTERATIONS[change]
    return [row if nth % 2 or not isinstance(row, dict) else alter(row) for nth, row in enumerate(rows)]


def _unknown_values(row: Json) -> Json:
    """Codes nobody has heard of, wherever a code stands."""

    def fresh(key: str, value: Any) -> Any:
        coded = isinstance(value, str) and key.endswith(_CODES) and _CODE.fullmatch(value)
        return f"{value}_OF_TOMORROW" if coded else value

    return {name: _each(value, fresh, name) for name, value in row.items()}


def _unknown_fields(row: Json) -> Json:
    return {**row, "a_field_of_tomorrow": {"a_list": [1, "two", None], "text": "\u2003"}}


def _missing_optionals(row: Json) -> Json:
    return {name: value for name, value in row.items() if name in REQUIRED}


def _null_lists(row: Json) -> Json:
    return {name: None if isinstance(value, list) else value for name, value in row.items()}


def _camel_case(row: Json) -> Json:
    return {camel(name): _camel(value) for name, value in row.items()}


def _camel(value: Any) -> Any:
    if isinstance(value, dict):
        return _camel_case(value)
    return [_camel(item) for item in value] if isinstance(value, list) else value


def _wrong_types(row: Json) -> Json:
    def other(key: str, value: Any) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        plain = isinstance(value, str) and not key.endswith("_id") and _NUMBER.fullmatch(value)
        return float(value) if plain and "." in value and float(value) == round(float(value), 2) else value

    return {name: _each(value, other, name) for name, value in row.items()}


def _unreadable(row: Json) -> Json:
    name = next((key for key in row if key.endswith("_id") and key not in ("arrangement_id", "institution_id")), "id")
    return {**row, name: {"what": "an object"}, "account_id": {"what": "an object"}}


def _each(value: Any, change: Callable[[str, Any], Any], key: str = "") -> Any:
    """The same value with `change(key, page)` in place of every leaf."""
    if isinstance(value, dict):
        return {name: _each(inner, change, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_each(item, change, key) for item in value]
    return change(key, value)


ALTERATIONS: dict[RowChange, Alter] = {
    "unknown_values": _unknown_values,
    "unknown_fields": _unknown_fields,
    "missing_optionals": _missing_optionals,
    "null_lists": _null_lists,
    "camel_case": _camel_case,
    "wrong_types": _wrong_types,
    "unreadable": _unreadable,
}
