"""Many lists read side by side, their pages handed over one by one: threads wait for the network, one thread writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import Full, Queue
from threading import Event
from typing import Any, Protocol

from toolkit.errors import BadAnswer, ToolkitError
from toolkit.sync.places import content_of
from toolkit.sync.walks import Walk
from toolkit.wire.pages import Page
from toolkit.wire.records import ConsentRecord, EndUser, Institution
from toolkit.wire.spelling import Spelling

WORKERS = 8
WAITING_PAGES = 16  # pages read but not yet stored: bounds memory when the network is quicker than the disk
_LOOK_UP_SECONDS = 0.2


class Service(Protocol):
    """What a sync needs of the service's client."""

    @property
    def spelling(self) -> Spelling: ...
    def pages(self, resource: str, *, start: str | None = None, **parameters: Any) -> Iterator[Page]: ...
    def consents(self, end_user_id: str) -> list[ConsentRecord]: ...
    def end_users(self, email: str | None = None) -> list[EndUser]: ...
    def institution(self, institution_id: str) -> Institution: ...


Handed = tuple[Walk, Page | None, BaseException | None]
OnPage = Callable[[Walk, Page], None]
OnEnd = Callable[[Walk, ToolkitError | None], Sequence[Walk]]


class _Stopped(Exception):
    pass


def pull(client: Service, walks: Sequence[Walk], on_page: OnPage, on_end: OnEnd) -> None:
    """Read `walks` and those that `on_end` adds; both callbacks run in the caller's thread, pages of a walk in order.

    A ToolkitError ends its own walk only and is given to `on_end`; any other exception ends all and is raised.
    """
    handed: Queue[Handed] = Queue(maxsize=WAITING_PAGES)
    stop = Event()
    with ThreadPoolExecutor(WORKERS, thread_name_prefix="pull") as pool:
        try:
            _drive(handed, walks, on_page, on_end, lambda walk: pool.submit(_fetch, client, walk, handed, stop))
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)


def _drive(
    handed: Queue[Handed], walks: Sequence[Walk], on_page: OnPage, on_end: OnEnd, start: Callable[[Walk], object]
) -> None:
    open_walks = [start(walk) for walk in walks]
    count = len(open_walks)
    while count:
        walk, page, error = handed.get()
        if page is not None:
            on_page(walk, page)
            continue
        if error is not None and not isinstance(error, ToolkitError):
            raise error
        more = on_end(walk, error)
        count += len(more) - 1
        for following in more:
            start(following)


def _fetch(client: Service, walk: Walk, handed: Queue[Handed], stop: Event) -> None:
    """In a thread of the pool: all pages of a walk, then its end."""
    try:
        for page in _pages(client, walk):
            _hand_over(handed, (walk, page, None), stop)
        _hand_over(handed, (walk, None, None), stop)
    except _Stopped:
        return
    except BaseException as error:
        try:
            _hand_over(handed, (walk, None, error), stop)
        except _Stopped:
            return


def _pages(client: Service, walk: Walk) -> Iterator[Page]:
    """The pages of a walk, from its place on. Raises BadAnswer where that page holds others than it did."""
    if walk.place is None:
        yield from client.pages(walk.resource, **walk.parameters)
        return
    pages = client.pages(walk.resource, start=walk.place.cursor, **walk.parameters)
    for number, page in enumerate(pages):
        if number == 0 and content_of(page) != walk.place.content:
            raise BadAnswer(f"{walk.resource}: the list has changed since it was left off.")
        yield page


def _hand_over(handed: Queue[Handed], item: Handed, stop: Event) -> None:
    while not stop.is_set():
        try:
            handed.put(item, timeout=_LOOK_UP_SECONDS)
        except Full:
            continue
        return
    raise _Stopped
