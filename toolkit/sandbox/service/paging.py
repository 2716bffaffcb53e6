"""Pages of a list, walked by opaque cursors.

A cursor holds the anchor of the row it came from, not a count: rows that come or go meanwhile neither repeat nor hide
others.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from toolkit.sandbox.service.faults import ServiceRefusalError
from toolkit.sandbox.service.rows import Row
from toolkit.wire.parameters import MAX_PAGE_SIZE

DEFAULT_SIZE = 100
SEAL_BYTES = 6


@dataclass(frozen=True, slots=True)
class Page:
    """previous and following: cursors, None at the ends of the list."""

    rows: Sequence[Row]
    previous: str | None
    following: str | None


def page(rows: Sequence[Row], query: Mapping[str, str], listed: str) -> Page:
    """The page that a query asks for. `listed` names the list, so that its cursors serve no other."""
    anchors = [row.anchor for row in rows]
    size = _size(query.get("page[size]"))
    after, before = query.get("page[after]"), query.get("page[before]")
    if after and before:
        raise ServiceRefusalError("bad_request", "page[after] and page[before] exclude each other.")
    if before:
        end = bisect_left(anchors, read_cursor(before, listed))
        start = max(0, end - size)
    else:
        start = bisect_right(anchors, read_cursor(after, listed)) if after else 0
        end = min(len(rows), start + size)
    found = rows[start:end]
    if not found:
        return Page(found, None, None)
    return Page(
        found,
        cursor(found[0].anchor, listed) if start > 0 else None,
        cursor(found[-1].anchor, listed) if end < len(rows) else None,
    )


def _size(text: str | None) -> int:
    """Capped at the maximum. Refuses with bad_request unless it is a whole number."""
    if text is None:
        return DEFAULT_SIZE
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0):
        raise ServiceRefusalError("bad_request", "page[size] is not a positive whole number.")
    return min(int(text[:9]), MAX_PAGE_SIZE)


def cursor(anchor: str, listed: str) -> str:
    return urlsafe_b64encode(_seal(anchor, listed) + anchor.encode()).decode().rstrip("=")


def read_cursor(text: str, listed: str) -> str:
    """The anchor in a cursor. Refuses with invalid_cursor what was not made for this list."""
    try:
        raw = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        anchor = raw[SEAL_BYTES:].decode()
    except (Error, ValueError):
        raise ServiceRefusalError("invalid_cursor", "The cursor cannot be read.") from None
    if raw[:SEAL_BYTES] != _seal(anchor, listed):
        raise ServiceRefusalError("invalid_cursor", "The cursor was not given for this list.")
    return anchor


def _seal(anchor: str, listed: str) -> bytes:
    return blake2b(f"{listed}\x1f{anchor}".encode(), digest_size=SEAL_BYTES).digest()
