"""Read many lists in parallel: worker threads wait for the network, the caller's thread writes page by page."""

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
from toolkit.sync.list_sync import ListSync, content_of
from toolkit.wire.decoding.lenient import Spelling
from toolkit.wire.decoding.pages import Listing, Page
from toolkit.wire.records import ConsentRecord, EndUser, Institution

WORKERS = 8
JOIN_SECONDS = 1.0
_POLL_SECONDS = 0.2


class Service(Protocol):
    """The part of the service's client that a sync uses."""

    @property
    def spelling(self) -> Spelling:
        """Return the names of the deployment's own fields."""

    def pages(self, resource: str, *, start: str | None = None, **parameters: Any) -> Iterator[Page]:
        """Yield the pages of a list, from the cursor `start`."""

    def consents(self, end_user_id: str) -> Listing[ConsentRecord]:
        """List the consents of an end user."""

    def end_users(self, email: str | None = None) -> Listing[EndUser]:
        """List the end users, or those with that email address."""

    def institution(self, institution_id: str) -> Listing[Institution]:
        """Read the directory's entry of one institution."""


class Withdrawing(Service, Protocol):
    """The part of the client that also ends consents."""

    def withdraw(self, arrangement_id: str) -> None:
        """End a consent at the service."""


OnPage = Callable[[ListSync, Page], None]
OnEnd = Callable[[ListSync, ToolkitError | None], Sequence[ListSync]]


class _StoppedError(Exception):
    pass


@dataclass(eq=False)
class _Reading:
    """Reads one list sync in a worker thread. One page waits to be stored while the next is fetched, no more: that
    bounds memory when the network is faster than the disk, and what a killed sync fetches in vain."""

    list_sync: ListSync
    handed: SimpleQueue[Handed]
    stop: Event
    room: Semaphore = field(default_factory=lambda: Semaphore(1))

    def run(self, client: Service) -> None:
        """Hand over all pages, then the end."""
        try:
            for page in _pages(client, self.list_sync):
                self._hand_over(page, None)
            self._hand_over(None, None)
        except _StoppedError:
            return
        except BaseException as error:
            with suppress(_StoppedError):
                self._hand_over(None, error)

    def _hand_over(self, page: Page | None, error: BaseException | None) -> None:
        while not self.stop.is_set():
            if self.room.acquire(timeout=_POLL_SECONDS):
                self.handed.put((self, page, error))
                return
        raise _StoppedError


Handed = tuple[_Reading, Page | None, BaseException | None]


class _Readers:
    """Worker threads for list syncs. On exit all are stopped and joined for at most JOIN_SECONDS: one may be in the
    middle of a request, or of a back-off wait, which ends when its client is closed."""

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
        until = monotonic() + JOIN_SECONDS
        for thread in self._threads:
            thread.join(max(until - monotonic(), 0))

    def read(self, list_sync: ListSync) -> None:
        self._waiting.put(_Reading(list_sync, self.handed, self.stop))

    def _work(self) -> None:
        while (reading := self._waiting.get()) is not None and not self.stop.is_set():
            reading.run(self._client)


def pull(client: Service, list_syncs: Sequence[ListSync], on_page: OnPage, on_end: OnEnd) -> None:
    """Read `list_syncs` and those that `on_end` adds; both callbacks run in the caller's thread, pages of a list sync
    in order.

    A ToolkitError ends its own list sync only and is given to `on_end`; any other exception ends all and is raised.
    """
    with _Readers(client) as readers:
        _drive(readers.handed, list_syncs, on_page, on_end, readers.read)


def _drive(
    handed: SimpleQueue[Handed],
    list_syncs: Sequence[ListSync],
    on_page: OnPage,
    on_end: OnEnd,
    start: Callable[[ListSync], object],
) -> None:
    count = len([start(list_sync) for list_sync in list_syncs])
    while count:
        reading, page, error = handed.get()
        if page is not None:
            on_page(reading.list_sync, page)
            reading.room.release()
            continue
        if error is not None and not isinstance(error, ToolkitError):
            raise error
        more = on_end(reading.list_sync, error)
        count += len(more) - 1
        for following in more:
            start(following)


def _pages(client: Service, list_sync: ListSync) -> Iterator[Page]:
    """Yield the pages of a list sync from its checkpoint. Raises InvalidResponseError if that page has changed."""
    if list_sync.checkpoint is None:
        yield from client.pages(list_sync.resource, **list_sync.parameters)
        return
    pages = client.pages(list_sync.resource, start=list_sync.checkpoint.cursor, **list_sync.parameters)
    for number, page in enumerate(pages):
        if number == 0 and content_of(page) != list_sync.checkpoint.content:
            raise InvalidResponseError(
                f"{list_sync.resource}: the list has changed since the last sync was interrupted."
            )
        yield page
