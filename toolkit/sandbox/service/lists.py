"""Lists: what their parameters leave in, and pages walked by opaque cursors.

A cursor contains the anchor of a row, not a count: rows that are added or removed between two requests neither repeat
nor hide others.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import blake2b

from toolkit.sandbox.service.refusals import ServiceRefusalError
from toolkit.sandbox.service.rows import Row, pick
from toolkit.wire import JsonObject
from toolkit.wire.parameters import MAX_PAGE_SIZE

DEFAULT_SIZE = 100
SEAL_BYTES = 6
Filter = Callable[[JsonObject], bool]
"""True for the records that stay in the list."""


def apply_filters(rows: list[Row], filters: list[Filter]) -> list[Row]:
    """Return the rows that pass all filters; the list itself if there are none."""
    return [row for row in rows if all(passes(row.record) for passes in filters)] if filters else rows


def account_filters(query: Mapping[str, str]) -> list[Filter]:
    """Read `account_id`."""
    return _equals("account_id", query)


def transaction_filters(query: Mapping[str, str], categories: list[str]) -> list[Filter]:
    """Read `from`, `to`, `status` and `account_id`; categories: the secondary categories, any of which passes.

    Refuses with bad_request.
    """
    filters = [*_equals("account_id", query), *_between_timestamps(query)]
    if status := query.get("status"):
        if status not in ("PENDING", "POSTED"):
            raise ServiceRefusalError("bad_request", "status is neither PENDING nor POSTED.")
        filters.append(lambda record: record["status"] == status)
    if categories:
        filters.append(lambda record: pick(record, "category.secondary_category") in categories)
    return filters


def _between_timestamps(query: Mapping[str, str]) -> list[Filter]:
    """Read `from` and `to`, both included. Rows with neither a posting nor an execution date-time do not pass."""
    oldest, newest = (_timestamp(name, query.get(name)) for name in ("from", "to"))
    if oldest is None and newest is None:
        return []
    low, high = oldest or datetime.min.replace(tzinfo=UTC), newest or datetime.max.replace(tzinfo=UTC)

    def _is_between(record: JsonObject) -> bool:
        text = str(record.get("posting_date_time") or record.get("execution_date_time") or "")
        return text != "" and low <= datetime.fromisoformat(text) <= high

    return [_is_between]


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


def usage_filters(query: Mapping[str, str]) -> list[Filter]:
    """Read the service point, and the first and last start dates of reads, both included. Refuses with bad_request."""
    oldest, newest = (_date(f"read_start_date.{end}", query) for end in ("oldest", "newest"))
    filters = _equals("service_point_id", query)
    if oldest:
        filters.append(lambda record: record["read_start_date"] >= oldest)
    if newest:
        filters.append(lambda record: record["read_start_date"] <= newest)
    return filters


def _date(name: str, query: Mapping[str, str]) -> str | None:
    text = query.get(name)
    try:
        # Python also reads 20260101; the specification does not.
        is_date = text is None or str(date.fromisoformat(text)) == text
    except ValueError:
        is_date = False
    if not is_date:
        raise ServiceRefusalError("bad_request", f"{name} is not a date as yyyy-mm-dd.")
    return text


def invoice_filters(query: Mapping[str, str]) -> list[Filter]:
    """Read `account_id`, `invoice_number` and `service_point_id`."""
    filters = _equals("account_id", query) + _equals("invoice_number", query)
    if point := query.get("service_point_id"):
        filters.append(lambda record: point in record["service_points"])
    return filters


def billing_filters(query: Mapping[str, str]) -> list[Filter]:
    """Read `account_id` and `invoice_number`; the number is inside the charge, and payments have none."""
    filters = _equals("account_id", query)
    if number := query.get("invoice_number"):
        charges = ("usage", "demand", "once_off", "other_charges")
        filters.append(lambda record: any(pick(record, f"{name}.invoice_number") == number for name in charges))
    return filters


def _equals(name: str, query: Mapping[str, str]) -> list[Filter]:
    """Require that a field equals the parameter of the same name, if given."""
    wanted = query.get(name)
    return [lambda record: record.get(name) == wanted] if wanted else []


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list, with the cursors of its neighbours."""

    rows: Sequence[Row]
    prev_cursor: str | None
    """None on the first page."""
    next_cursor: str | None
    """None on the last page."""


def page(rows: Sequence[Row], query: Mapping[str, str], list_name: str) -> Page:
    """Return the page that a query requests; cursors are only valid for the list of that name.

    Refuses with bad_request or invalid_cursor.
    """
    anchors = [row.anchor for row in rows]
    size = _page_size(query.get("page[size]"))
    after, before = query.get("page[after]"), query.get("page[before]")
    if after and before:
        raise ServiceRefusalError("bad_request", "page[after] and page[before] exclude each other.")
    if before:
        end = bisect_left(anchors, read_cursor(before, list_name))
        start = max(0, end - size)
    else:
        start = bisect_right(anchors, read_cursor(after, list_name)) if after else 0
        end = min(len(rows), start + size)
    selected = rows[start:end]
    if not selected:
        return Page(selected, None, None)
    return Page(
        selected,
        cursor(selected[0].anchor, list_name) if start > 0 else None,
        cursor(selected[-1].anchor, list_name) if end < len(rows) else None,
    )


def _page_size(text: str | None) -> int:
    """Cap the size at the maximum."""
    if text is None:
        return DEFAULT_SIZE
    # Nine digits are enough: Python refuses to read texts of more than 4,300.
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0):
        raise ServiceRefusalError("bad_request", "page[size] is not a positive whole number.")
    return min(int(text[:9]), MAX_PAGE_SIZE)


def cursor(anchor: str, list_name: str) -> str:
    """Encode an anchor, with a seal against other lists' cursors and made-up ones."""
    return urlsafe_b64encode(_seal(anchor, list_name) + anchor.encode()).decode().rstrip("=")


def read_cursor(text: str, list_name: str) -> str:
    """Return the anchor in a cursor. Refuses with invalid_cursor what was not made for this list."""
    try:
        raw = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        anchor = raw[SEAL_BYTES:].decode()
    except (Error, ValueError):
        raise ServiceRefusalError("invalid_cursor", "The cursor cannot be read.") from None
    if raw[:SEAL_BYTES] != _seal(anchor, list_name):
        raise ServiceRefusalError("invalid_cursor", "The cursor was not given for this list.")
    return anchor


def _seal(anchor: str, list_name: str) -> bytes:
    return blake2b(f"{list_name}\x1f{anchor}".encode(), digest_size=SEAL_BYTES).digest()
