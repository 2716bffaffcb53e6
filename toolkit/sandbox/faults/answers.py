"""A good answer turned into another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import msgspec

from toolkit.sandbox.faults.fault import Change, ListChange, RowChange
from toolkit.sandbox.faults.pagination import PAGINATION_FAULTS, FaultyPage, ListProgress
from toolkit.sandbox.faults.rows import ALTERATIONS, every_second

PROXY_PAGE = b"<!doctype html><title>Bad gateway</title><h1>Something went wrong</h1>"
BESIDE_THE_LIST = ("links", "meta")


def changed(body: bytes, changes: Sequence[Change], url: str, progress: ListProgress) -> bytes:
    """The body after all changes, one after the other. url: as it was asked for."""
    for change in changes:
        body = _changed(body, change, url, progress)
    return body


def _changed(body: bytes, change: Change, url: str, progress: ListProgress) -> bytes:
    if change == "malformed":
        return body[: len(body) // 2]
    if change == "html":
        return PROXY_PAGE
    found = msgspec.json.decode(body)
    if change in ALTERATIONS:
        return msgspec.json.encode(_rows_changed(found, change))
    return msgspec.json.encode(_with_pagination_fault(found, cast(ListChange, change), url, progress))


def _rows_changed(found: Any, change: RowChange) -> Any:
    """Of an answer that is one object that object is the row."""
    if isinstance(found, list):
        return every_second(found, change)
    array = _array(found)
    return {**found, array: every_second(found[array], change)} if array else every_second([found], change)[0]


def _with_pagination_fault(found: Any, change: ListChange, url: str, progress: ListProgress) -> Any:
    """Answers that are no pages stay as they are."""
    array = _array(found) if isinstance(found, dict) else None
    if array is None:
        return found
    links = {name: link for name, link in found.get("links", {}).items() if name != "next"}
    page = FaultyPage(url, found[array], found.get("links", {}).get("next"))
    PAGINATION_FAULTS[change](page, progress)
    following = {"next": page.following} if page.following else {}
    return {**found, array: page.rows, "links": {**links, **following}}


def _array(found: dict[str, Any]) -> str | None:
    return next(
        (name for name, value in found.items() if isinstance(value, list) and name not in BESIDE_THE_LIST), None
    )
