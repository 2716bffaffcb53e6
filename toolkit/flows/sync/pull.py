"""Many lists read side by side, their pages handed over one by one: threads wait for the network, one thread writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event, Semaphore, Thread
from time import monotonic
from types import TracebackType
from typing import Any, Protocol, Self

from toolkit.errors import InvalidResponseError, ToolkitError
from toolkit.sync.checkpoints import content_of
from toolkit.sync.list_sync import Walk
from toolkit.wire.decoding.pages import Page
from toolkit.wire.decoding.short_lists import Listing
from toolkit.wire.decoding.spelling import Spelling
from toolkit.wire.records import ConsentRecord, EndUser, Institution

WORKERS = 8
PARTING_SECONDS = 1.0
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


class _StoppedError(Exception):
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
        except _StoppedError:
            return
        except BaseException as error:
            with suppress(_StoppedError):
                self._hand_over(None, error)

    def _hand_over(self, page: Page | None, error: BaseException | None) -> None:
        while not self.stop.is_set():
            if self.room.acquire(timeout=_LOOK_UP_SECONDS):
                self.handed.put((self, page, error))
                return
        raise _StoppedError


Handed = tuple[_Reading, Page | None, BaseException | None]


class _Readers:
    """Threads that read one walk after the other. On leaving all are told to stop, and not waited for long: one may be
    in the middle of a request, or of a wait before the next try, which ends when its client is closed."""

    def __init__(self, client: Service) -> None:
        self.stop = Event()
        self.handed: SimpleQueue[Handed] = SimpleQueue()
        self._client = client
        self._waiting: SimpleQueue[_Reading | None] = SimpleQueue()
        self._threads = [Thread(target=self._work, name=f"pull-{n}", daemon=True) for n in range(WORKERS)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop.set()
        for _ in self._threads:
            self._waiting.put(None)
        until = monotonic() + PARTING_SECONDS
        for thread in self._threads:
            thread.join(max(until - monotonic(), 0))

    def read(self, walk: Walk) -> None:
        self._waiting.put(_Reading(walk, self.handed, self.stop))

    def _work(self) -> None:
        while (reading := self._waiting.get()) is not None and not self.stop.is_set():
            reading.run(self._client)


def pull(client: Service, walks: Sequence[Walk], on_page: OnPage, on_end: OnEnd) -> None:
    """Read `walks` and those that `on_end` adds; both callbacks run in the caller's thread, pages of a walk in order.

    A ToolkitError ends its own walk only and is given to `on_end`; any other exception ends all and is raised.
    """
    with _Readers(client) as readers:
        _drive(readers.handed, walks, on_page, on_end, readers.read)


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
    """The pages of a walk, from its place on. Raises InvalidResponseError where that page holds others than it did."""
    if walk.place is None:
        yield from client.pages(walk.resource, **walk.parameters)
        return
    pages = client.pages(walk.resource, start=walk.place.cursor, **walk.parameters)
    for number, page in enumerate(pages):
        if number == 0 and content_of(page) != walk.place.content:
            raise InvalidResponseError(f"{walk.resource}: the list has changed since it was left off.")
        yield page
