"""Many lists read side by side, their pages handed over one by one: threads wait for the network, one thread writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event, Semaphore
from typing import Any, Protocol

from toolkit.errors import BadAnswer, ToolkitError
from toolkit.sync.places import content_of
from toolkit.sync.walks import Walk
from toolkit.wire.listing import Listing
from toolkit.wire.pages import Page
from toolkit.wire.records import ConsentRecord, EndUser, Institution
from toolkit.wire.spelling import Spelling

WORKERS = 8
_LOOK_UP_SECONDS = 0.2


class Service(Protocol):
    """What a sync needs of the service's client."""

    @property
    def spelling(self) -> Spelling: ...
    def pages(self, resource: str, *, start: str | None = None, **parameters: Any) -> Iterator[Page]: ...
    def consents(self, end_user_id: str) -> Listing[ConsentRecord]: ...
    def end_users(self, email: str | None = None) -> Listing[EndUser]: ...
    def institution(self, institution_id: str) -> Listing[Institution]: ...


class Withdrawing(Service, Protocol):
    """What ending a consent needs beside that."""

    def withdraw(self, arrangement_id: str) -> None: ...


OnPage = Callable[[Walk, Page], None]
OnEnd = Callable[[Walk, ToolkitError | None], Sequence[Walk]]


class _Stopped(Exception):
    pass


@dataclass(eq=False)
class _Reading:
    """A walk in a thread of its own. One of its pages waits to be stored while the next is fetched, and no more: that
    bounds memory when the network is quicker than the disk, and what a killed sync has fetched in vain."""

    walk: Walk
    handed: SimpleQueue[Handed]
    stop: Event
    room: Semaphore = field(default_factory=lambda: Semaphore(1))

    def run(self, client: Service) -> None:
        """Hand over all pages, then the end."""
        try:
            for page in _pages(client, self.walk):
                self._hand_over(page, None)
            self._hand_over(None, None)
        except _Stopped:
            return
        except BaseException as error:
            with suppress(_Stopped):
                self._hand_over(None, error)

    def _hand_over(self, page: Page | None, error: BaseException | None) -> None:
        while not self.room.acquire(timeout=_LOOK_UP_SECONDS):
            if self.stop.is_set():
                raise _Stopped
        self.handed.put((self, page, error))


Handed = tuple[_Reading, Page | None, BaseException | None]


def pull(client: Service, walks: Sequence[Walk], on_page: OnPage, on_end: OnEnd) -> None:
    """Read `walks` and those that `on_end` adds; both callbacks run in the caller's thread, pages of a walk in order.

    A ToolkitError ends its own walk only and is given to `on_end`; any other exception ends all and is raised.
    """
    handed: SimpleQueue[Handed] = SimpleQueue()
    stop = Event()
    with ThreadPoolExecutor(WORKERS, thread_name_prefix="pull") as pool:
        try:
            _drive(handed, walks, on_page, on_end, lambda walk: pool.submit(_Reading(walk, handed, stop).run, client))
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)


def _drive(
    handed: SimpleQueue[Handed],
    walks: Sequence[Walk],
    on_page: OnPage,
    on_end: OnEnd,
    start: Callable[[Walk], object],
) -> None:
    count = len([start(walk) for walk in walks])
    while count:
        reading, page, error = handed.get()
        if page is not None:
            on_page(reading.walk, page)
            reading.room.release()
            continue
        if error is not None and not isinstance(error, ToolkitError):
            raise error
        more = on_end(reading.walk, error)
        count += len(more) - 1
        for following in more:
            start(following)


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
