"""Lists whose pages lead astray. Cursors that begin with `again` are the faults' own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from toolkit.sandbox.faults.fault import ListChange

AGAIN = "again"
ELSEWHERE = "https://other.example"


@dataclass
class Walk:
    """What a fault remembers of one list from page to page. links: the honest ones to next pages, in order."""

    links: list[str] = field(default_factory=list)
    last: Any = None
    turns: int = 0


@dataclass
class Leaf:
    """One page on its way out. url: as it was asked for. following: the link to the next page."""

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


def _doubled(leaf: Leaf, _walk: Walk) -> None:
    leaf.rows = [row for row in leaf.rows for _ in range(2)]


def _empty(leaf: Leaf, _walk: Walk) -> None:
    leaf.rows = []


def _hollow(leaf: Leaf, _walk: Walk) -> None:
    if leaf.cursor is None:
        leaf.rows, leaf.following = [], leaf.link(AGAIN)


def _moving(leaf: Leaf, walk: Walk) -> None:
    rows = leaf.rows
    if leaf.cursor is None:
        leaf.rows = rows[1:]
    elif walk.last is not None:
        leaf.rows = [walk.last, *rows]
    walk.last = rows[-1] if rows else None


def _vanishing(leaf: Leaf, _walk: Walk) -> None:
    if leaf.cursor is not None:
        leaf.rows = leaf.rows[1:]


def _looping(leaf: Leaf, walk: Walk) -> None:
    """The honest links to the second and the third page, then the first of them again."""
    if len(walk.links) < 2 and leaf.following:
        walk.links.append(leaf.following)
    else:
        leaf.following = walk.links[0] if walk.links else leaf.link(AGAIN)


def _self_link(leaf: Leaf, _walk: Walk) -> None:
    if leaf.cursor or not leaf.following:
        leaf.following = leaf.link(leaf.cursor or AGAIN)


def _endless(leaf: Leaf, walk: Walk) -> None:
    walk.turns += 1
    leaf.following = leaf.link(f"{AGAIN}-{walk.turns}")


def _foreign_next(leaf: Leaf, _walk: Walk) -> None:
    parts = urlsplit(leaf.following or leaf.link(AGAIN))
    leaf.following = ELSEWHERE + parts._replace(scheme="", netloc="").geturl()


ASTRAY: dict[ListChange, Callable[[Leaf, Walk], None]] = {
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
