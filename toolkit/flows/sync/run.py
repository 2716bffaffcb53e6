"""Pull new records for every connected end user. A sync can be killed and repeated at any time without loss."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from queue import SimpleQueue
from threading import Event, Semaphore, Thread
from time import monotonic
from types import TracebackType
from typing import Self
from uuid import uuid4

from toolkit.answers.sync import FailedList, ResourceCounts, Sync
from toolkit.errors import (
    ConsentRequiredError,
    InvalidResponseError,
    RequestRejectedError,
    ServerError,
    ToolkitError,
)
from toolkit.flows.consent.service import Service
from toolkit.flows.forget.redaction import redact_stored
from toolkit.flows.household.context import Context, Progress, quiet, refuse_slip
from toolkit.flows.money.spending import refresh, stale_households
from toolkit.flows.sync.duplicates import deduplicate
from toolkit.flows.sync.end_users import People
from toolkit.flows.sync.writer import PageWriter, Run, read_to
from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.store import Record, Store, open_store
from toolkit.sync.list_sync import (
    RESOURCES,
    Choice,
    ListSync,
    Person,
    content_of,
    first_list_syncs,
    is_chosen,
    product_list_sync,
    transaction_list_syncs,
    usage_list_sync,
)
from toolkit.wire.decoding.pages import Page

WORKERS = 8
JOIN_SECONDS = 1.0
_POLL_SECONDS = 0.2


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


def sync(
    ctx: Context,
    client: Service,
    *,
    full: bool = False,
    only: Choice = None,
    end_user: str | None = None,
    progress: Progress = quiet,
) -> Sync:
    """Run `sync`: pull, store, recompute.

    full: read everything again. only: the resources to read. end_user: pull for this one only, adopting it if it is
    new. Every page is one transaction: its rows, its receipt and the roll-ups it makes stale; a position moves when
    its list sync has reached the end. A list that breaks off is in `failed`, its earlier pages kept. Raises
    ConsentRequiredError or AuthenticationError where nothing could be pulled for lack of them, ConnectionFailedError
    where there is no server.
    """
    with open_store(ctx.db) as store, _run(store) as (run_id, started):
        if end_user is not None:
            refuse_slip(store, ctx)
        people = People(store, client, started, ctx.household)
        pulled = people.to_pull(end_user, progress)
        store.delete("moves", {})  # merges of households are final now
        run = Run(run_id, started, ctx.today, full, client.spelling.word)
        writer = PageWriter(store, run, client.spelling, people.listed)
        if store.count("tombstones"):
            with store.transaction():
                for household_id in sorted({person.household_id for person in pulled}):
                    redact_stored(store, household_id)
        writer.retry_quarantine()
        sync = _Sync(writer, only=only, progress=progress)
        list_syncs = writer.begin(list_sync for person in pulled for list_sync in first_list_syncs(person, only))
        if list_syncs:
            pull(client, list_syncs, writer.page, sync.after)
        people.conclude(writer.arrangements, pulled)
        writer.finish_run()
        people.read_institutions(writer.institutions)
        people.problems += sync.refused_for_want_of_consent(people)
        people.problems += deduplicate(store, started, current=writer.arrangements.carried())
        # a run may also bring a person's name or an account that changes what rows already stored are
        for household_id in sorted({*stale_households(store), *(person.household_id for person in pulled)}):
            refresh(store, household_id)
        try:
            sync.raise_if_nothing_came(people.problems)
        except ToolkitError:
            people.take_back_adoption()
            raise
        return sync.answer(people.problems)


@contextmanager
def _run(store: Store) -> Iterator[tuple[str, datetime]]:
    """Write the run's row: `running` until it ends, which shows a killed run."""
    run_id, started = uuid4().hex, datetime.now(UTC)
    row: Record = {"run_id": run_id, "started_at": started, "state": "running"}
    store.upsert("runs", [row])
    try:
        yield run_id, started
    except BaseException as error:
        message = str(error) if isinstance(error, ToolkitError) else type(error).__name__
        store.upsert("runs", [{**row, "finished_at": datetime.now(UTC), "state": "failed", "error": message}])
        raise
    store.upsert("runs", [{**row, "finished_at": datetime.now(UTC), "state": "done"}])


class _Sync:
    """Decides what a run requests next, and collects its failures."""

    def __init__(self, writer: PageWriter, *, only: Choice, progress: Progress) -> None:
        self.writer, self.only, self.progress = writer, only, progress
        self.failures: list[tuple[ListSync, ToolkitError]] = []
        self.products_asked: set[str] = set()

    def after(self, list_sync: ListSync, error: ToolkitError | None) -> list[ListSync]:
        """Finish a list sync and return the list syncs that follow from it."""
        if error is None:
            self.writer.finish(list_sync)
            self.progress(f"{list_sync.resource} {list_sync.part}".rstrip())
            return self.writer.begin([*self._latest(list_sync), *self._followers(list_sync)])
        # A resumed list sync must restart where its cursor expired, or the list has changed.
        of_the_list = isinstance(error, InvalidResponseError | RequestRejectedError | ServerError)
        if list_sync.checkpoint is not None and of_the_list and not self.writer.has_advanced(list_sync):
            return [self.writer.restart(list_sync)]
        self.writer.failed(list_sync, error)
        self.failures.append((list_sync, error))
        self.progress(Message(f"{list_sync.resource} {list_sync.part}: ", error))
        return [] if isinstance(error, ConsentRequiredError) else self.writer.begin(self._followers(list_sync))

    def _latest(self, list_sync: ListSync) -> list[ListSync]:
        """Plan, after a resumed list sync, what has come since the interruption, and pending rows."""
        if list_sync.checkpoint is None or not list_sync.part:
            return []
        if list_sync.resource == "energy.usage":
            return [usage_list_sync(list_sync.person, list_sync.part, read_to(self.writer.store, list_sync))]
        if list_sync.resource == "banking.transactions":
            latest = transaction_list_syncs(list_sync.person, list_sync.part, read_to(self.writer.store, list_sync))
            return [latest_sync for latest_sync in latest if list_sync.pending or not latest_sync.pending]
        return []

    def _followers(self, list_sync: ListSync) -> list[ListSync]:
        """Plan the lists that depend on this one, also on the pages of an interrupted one."""
        return [found for found in self._all_followers(list_sync) if is_chosen(found.resource, self.only)]

    def _all_followers(self, list_sync: ListSync) -> list[ListSync]:
        """Plan the transactions of accounts, the usage of service points, and the products of new institutions."""
        person = list_sync.person
        followers: list[ListSync] = []
        if list_sync.resource == "banking.accounts":
            positions = self.writer.positions(person, "banking.transactions")
            for account in self.writer.parts_of(list_sync, "account_id"):
                followers += transaction_list_syncs(person, account, positions.get(account))
            institutions = set(self.writer.parts_of(list_sync, "institution_id")) - self.products_asked
            self.products_asked |= institutions
            followers += map(product_list_sync, sorted(institutions))
        elif list_sync.resource == "energy.service_points":
            positions = self.writer.positions(person, "energy.usage")
            points = self.writer.parts_of(list_sync, "service_point_id")
            followers += [usage_list_sync(person, point, positions.get(point)) for point in points]
        return followers

    def raise_if_nothing_came(self, problems: list[Problem]) -> None:
        """Raise the first failure if no page was read."""
        if self.writer.pages_kept:
            return
        if self.failures:
            raise self.failures[0][1]
        reason = problems[0].reason if problems else "no end user is connected"
        raise ConsentRequiredError(Message("Sync failed: ", reason, ". ", Remedy.CONNECT, "."))

    def refused_for_want_of_consent(self, people: People) -> list[Problem]:
        """Return one problem per person for all lists refused without consent, unless `people` reported why already."""
        refused: dict[Person, list[tuple[ListSync, ToolkitError]]] = defaultdict(list)
        for list_sync, error in self.failures:
            if isinstance(error, ConsentRequiredError):
                refused[list_sync.person].append((list_sync, error))
        return [_not_opened(person, failures) for person, failures in refused.items() if not people.has_ended(person)]

    def answer(self, problems: list[Problem]) -> Sync:
        """Return the answer of the run. problems: those of consents and institutions."""
        counts = self.writer.counts
        failed = [
            (list_sync, error) for list_sync, error in self.failures if not isinstance(error, ConsentRequiredError)
        ]
        return Sync(
            run=self.writer.run.id,
            resources=tuple(
                ResourceCounts(resource, **counts[resource].as_json()) for resource in RESOURCES if resource in counts
            ),
            problems=(*problems, *self.writer.problems),
            failed=tuple(FailedList(list_sync.resource, list_sync.part, Message(error)) for list_sync, error in failed),
        )


def _not_opened(person: Person, refused: list[tuple[ListSync, ToolkitError]]) -> Problem:
    lists = ", ".join(sorted({list_sync.resource for list_sync, _ in refused}))
    return Problem(person.end_user_id, Message(refused[0][1], f" ({lists})"))
