"""Pagination. Links to the next page are checked, and only their cursor is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from urllib.parse import parse_qs, urljoin, urlsplit

from toolkit.api.access import origin
from toolkit.errors import InvalidResponseError
from toolkit.wire.decoding.pages import Page

MOST_PAGES = 100_000
MOST_IDLE_PAGES = 50
"""Limit of consecutive pages that are empty or repeat an earlier page exactly."""


class PaginationError(InvalidResponseError):
    """The links of a list point to another server, have no cursor, repeat or never end."""


def paginate(url: str, fetch: Callable[[str | None], Page], start: str | None = None) -> Iterator[Page]:
    """Yield all pages of a list from the cursor `start`; None is the first page.

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
            raise PaginationError(
                f"{urlsplit(url).path}: the service repeated a page; the pages read so far were kept."
            )
        seen.add(cursor)
    raise PaginationError(f"{urlsplit(url).path}: more than {MOST_PAGES} pages; the pages read so far were kept.")


def cursor_of(url: str, link: str) -> str:
    """Return the `page[after]` cursor of a link to the next page of the list at `url`; links may be relative.

    Raises PaginationError for a link to another origin or path, or without a cursor: following it would carry the token
    off.
    """
    target = _resolved(url, link)
    here = urlsplit(url)
    if target is None or origin(target) != origin(url) or urlsplit(target).path != here.path:
        raise PaginationError(f"{here.path}: the link to the next page points to another address and was not followed.")
    try:
        cursors = parse_qs(urlsplit(target).query, max_num_fields=100).get("page[after]", [])
    except ValueError:
        cursors = []
    if len(cursors) != 1:
        raise PaginationError(f"{here.path}: the link to the next page has no single cursor.")
    return cursors[0]


def _resolved(url: str, link: str) -> str | None:
    """Return the absolute form of a link in plain ASCII; None for one that libraries may read in two ways."""
    if not link.isascii() or not link.isprintable() or "\\" in link or " " in link:
        return None
    try:
        return urljoin(url, link)
    except ValueError:
        return None
