"""From page to page. A link is never followed as it comes: it is checked, and only its cursor is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from urllib.parse import parse_qs, urljoin, urlsplit

from toolkit.api.access import origin
from toolkit.errors import InvalidResponseError
from toolkit.wire.decoding.pages import Page

MOST_PAGES = 100_000
MOST_IDLE_PAGES = 50
"""Pages in a row that hold nothing, or what an earlier page held to the letter."""


class PaginationError(InvalidResponseError):
    """The links of a list lead elsewhere, nowhere, in a circle or on for ever: only another start may help."""


def walk(url: str, fetch: Callable[[str | None], Page], start: str | None = None) -> Iterator[Page]:
    """All pages of a list, from the one at the cursor `start` on; None is the first page.

    url: the list's own address. fetch: the page at a cursor. Raises PaginationError on a link to elsewhere, a cursor
    that comes again, or pages without end; the pages before it have been given out by then.
    """
    seen: set[str] = set() if start is None else {start}
    contents: set[int] = set()
    cursor = start
    idle = 0
    for _ in range(MOST_PAGES):
        page = replace(fetch(cursor), cursor=cursor)
        yield page
        if page.next is None:
            return
        content = hash((tuple(page.raws), tuple(row.raw for row in page.rejected)))
        idle = idle + 1 if content in contents or not (page.raws or page.rejected) else 0
        contents.add(content)
        cursor = cursor_of(url, page.next)
        if cursor in seen or idle > MOST_IDLE_PAGES:
            raise PaginationError(f"{urlsplit(url).path}: the pages go in a circle; those so far are kept.")
        seen.add(cursor)
    raise PaginationError(f"{urlsplit(url).path}: more than {MOST_PAGES} pages; those so far are kept.")


def cursor_of(url: str, link: str) -> str:
    """The `page[after]` in a link to the next page of the list at `url`; a link may be relative.

    Raises PaginationError for a link to another origin or path, or without a cursor: following it would carry the token
    off.
    """
    target = _resolved(url, link)
    here = urlsplit(url)
    if target is None or origin(target) != origin(url) or urlsplit(target).path != here.path:
        raise PaginationError(f"{here.path}: the link to the next page leads elsewhere; it was not followed.")
    try:
        cursors = parse_qs(urlsplit(target).query, max_num_fields=100).get("page[after]", [])
    except ValueError:
        cursors = []
    if len(cursors) != 1:
        raise PaginationError(f"{here.path}: the link to the next page has no single cursor.")
    return cursors[0]


def _resolved(url: str, link: str) -> str | None:
    """The absolute form of a link in plain ASCII; None for what browsers and libraries may read in two ways."""
    if not link.isascii() or not link.isprintable() or "\\" in link or " " in link:
        return None
    try:
        return urljoin(url, link)
    except ValueError:
        return None
