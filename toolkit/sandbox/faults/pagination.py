"""Pagination faults: loops, foreign links, empty and repeated pages. Their own cursors begin with `again`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from toolkit.sandbox.faults.fault import ListChange

AGAIN = "again"
ELSEWHERE = "https://other.example"


@dataclass
class ListProgress:
    """State of a fault for one list. links: the original links to next pages, in order."""

    links: list[str] = field(default_factory=list)
    last: Any = None
    turns: int = 0


@dataclass
class FaultyPage:
    """A page to alter. url: as requested. following: the link to the next page."""

    url: str
    rows: list[Any]
    following: str | None

    @property
    def cursor(self) -> str | None:
        return dict(parse_qsl(urlsplit(self.url).query)).get("page[after]")

    def link(self, cursor: str) -> str:
        """The address of this list at that cursor."""
        parts = urlsplit(self.url)
        others = [(key, value) for key, value in parse_qsl(parts.query) if key != "page[after]"]
        return parts._replace(query=urlencode([*others, ("page[after]", cursor)])).geturl()


def without_own_cursor(query: str) -> str:
    """The query without a cursor that the service would not know."""
    pairs = parse_qsl(query, keep_blank_values=True)
    return urlencode([(key, value) for key, value in pairs if key != "page[after]" or not value.startswith(AGAIN)])


def with_page_size(query: str, size: int) -> str:
    pairs = [(key, value) for key, value in parse_qsl(query, keep_blank_values=True) if key != "page[size]"]
    return urlencode([*pairs, ("page[size]", str(size))])


def _doubled(page: FaultyPage, _progress: ListProgress) -> None:
    page.rows = [row for row in page.rows for _ in range(2)]


def _empty(page: FaultyPage, _progress: ListProgress) -> None:
    page.rows = []


def _hollow(page: FaultyPage, _progress: ListProgress) -> None:
    if page.cursor is None:
        page.rows, page.following = [], page.link(AGAIN)


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
    """The honest links to the second and the third page, then the first of them again."""
    if len(progress.links) < 2 and page.following:
        progress.links.append(page.following)
    else:
        page.following = progress.links[0] if progress.links else page.link(AGAIN)


def _self_link(page: FaultyPage, _progress: ListProgress) -> None:
    if page.cursor or not page.following:
        page.following = page.link(page.cursor or AGAIN)


def _endless(page: FaultyPage, progress: ListProgress) -> None:
    progress.turns += 1
    page.following = page.link(f"{AGAIN}-{progress.turns}")


def _foreign_next(page: FaultyPage, _progress: ListProgress) -> None:
    parts = urlsplit(page.following or page.link(AGAIN))
    page.following = ELSEWHERE + parts._replace(scheme="", netloc="").geturl()


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
