"""What the parameters of a list leave in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from toolkit.sandbox.service.faults import ServiceRefusalError
from toolkit.sandbox.service.rows import Row, pick

Record = Mapping[str, Any]
Keep = Callable[[Record], bool]


def kept(rows: list[Row], tests: list[Keep]) -> list[Row]:
    """Rows that pass all tests; the list itself where there are none."""
    return [row for row in rows if all(test(row.record) for test in tests)] if tests else rows


def transactions(query: Mapping[str, str], categories: list[str]) -> list[Keep]:
    """`from`, `to`, `status`, `account_id` and any of the secondary categories."""
    tests = [equal("account_id", query), *_moments(query)]
    if status := query.get("status"):
        if status not in ("PENDING", "POSTED"):
            raise ServiceRefusalError("bad_request", "status is neither PENDING nor POSTED.")
        tests.append(lambda record: record["status"] == status)
    if categories:
        tests.append(lambda record: pick(record, "category.secondary_category") in categories)
    return [test for test in tests if test]


def _moments(query: Mapping[str, str]) -> list[Keep | None]:
    """Both ends included. A row's timestamp is its posting, else its execution date-time; without either it is left
    out.
    """
    oldest, newest = (_timestamp(name, query.get(name)) for name in ("from", "to"))
    if oldest is None and newest is None:
        return []
    low, high = oldest or datetime.min.replace(tzinfo=UTC), newest or datetime.max.replace(tzinfo=UTC)

    def within(record: Record) -> bool:
        text = str(record.get("posting_date_time") or record.get("execution_date_time") or "")
        return text != "" and low <= datetime.fromisoformat(text) <= high

    return [within]


def _timestamp(name: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        timestamp = datetime.fromisoformat(text)
    except ValueError:
        timestamp = None
    if timestamp is None or timestamp.tzinfo is None or len(text) < len("2026-01-01T00:00:00Z"):
        raise ServiceRefusalError("bad_request", f"invalid {name} datetime: not in RFC3339 format")
    return timestamp


def usage(query: Mapping[str, str]) -> list[Keep]:
    """One service point, and reads that start from `oldest` to `newest`, both included."""
    oldest, newest = (_day(f"read_start_date.{end}", query) for end in ("oldest", "newest"))
    tests = [
        equal("service_point_id", query),
        (lambda record: record["read_start_date"] >= oldest) if oldest else None,
        (lambda record: record["read_start_date"] <= newest) if newest else None,
    ]
    return [test for test in tests if test]


def _day(name: str, query: Mapping[str, str]) -> str | None:
    text = query.get(name)
    if text is None:
        return None
    if not _is_day(text):
        raise ServiceRefusalError("bad_request", f"{name} is not a date as yyyy-mm-dd.")
    return text


def _is_day(text: str) -> bool:
    try:
        return str(date.fromisoformat(text)) == text
    except ValueError:
        return False


def invoices(query: Mapping[str, str]) -> list[Keep]:
    point = query.get("service_point_id")
    tests = [
        equal("account_id", query),
        equal("invoice_number", query),
        (lambda record: point in record["service_points"]) if point else None,
    ]
    return [test for test in tests if test]


def billing(query: Mapping[str, str]) -> list[Keep]:
    """The invoice number stands inside the variant that is filled; payments have none."""
    number = query.get("invoice_number")
    variants = ("usage", "demand", "once_off", "other_charges")
    tests = [
        equal("account_id", query),
        (lambda record: any(pick(record, f"{name}.invoice_number") == number for name in variants)) if number else None,
    ]
    return [test for test in tests if test]


def accounts(query: Mapping[str, str]) -> list[Keep]:
    test = equal("account_id", query)
    return [test] if test else []


def equal(name: str, query: Mapping[str, str]) -> Keep | None:
    """The record's field of that name is the parameter of that name; None where that is not given."""
    wanted = query.get(name)
    return (lambda record: record.get(name) == wanted) if wanted else None
