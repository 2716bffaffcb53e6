"""Pagination faults: loops, foreign links, empty and repeated pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from toolkit.sandbox.faults.fault import ListChange

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


def _doubled(page: FaultyPage, _progress: ListProgress) -> None:
    page.rows = [row for row in page.rows for _ in range(2)]


def _empty(page: FaultyPage, _progress: ListProgress) -> None:
    page.rows = []


def _hollow(page: FaultyPage, _progress: ListProgress) -> None:
    if page.cursor is None:
        page.rows, page.next_url = [], page.link(AGAIN)


def _moving(page: FaultyPage, progress: ListProgress) -> None:
    rows = page.rows
    if page.cursor is None:
        page.rows = rows[1:]
    elif progress.last is not None:
        page.rows = [progress.last, *rows]
    progress.last = rows[-1] if rows else None


def _vanishing(page: FaultyPage, _progress: ListProgress) -> None:
    if page.cursor is not None:
        page.rows = page.rows[1:]


def _looping(page: FaultyPage, progress: ListProgress) -> None:
    """Keep the real links to the second and the third page, then link to the second again."""
    if len(progress.links) < 2 and page.next_url:
        progress.links.append(page.next_url)
    else:
        page.next_url = progress.links[0] if progress.links else page.link(AGAIN)


def _self_link(page: FaultyPage, _progress: ListProgress) -> None:
    if page.cursor or not page.next_url:
        page.next_url = page.link(page.cursor or AGAIN)


def _endless(page: FaultyPage, progress: ListProgress) -> None:
    progress.turns += 1
    page.next_url = page.link(f"{AGAIN}-{progress.turns}")


def _foreign_next(page: FaultyPage, _progress: ListProgress) -> None:
    parts = urlsplit(page.next_url or page.link(AGAIN))
    page.next_url = ELSEWHERE + parts._replace(scheme="", netloc="").geturl()


PAGINATION_FAULTS: dict[ListChange, Callable[[FaultyPage, ListProgress], None]] = {
    "doubled": _doubled,
    "empty": _empty,
    "hollow": _hollow,
    "moving": _moving,
    "vanishing": _vanishing,
    "looping": _looping,
    "self_link": _self_link,
    "endless": _endless,
    "foreign_next": _foreign_next,
}
