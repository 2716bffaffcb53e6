"""Synchronise one retailer's plans with the plan register: list pages in order, then only the plans that changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Protocol

from toolkit.api.plan_register import ListPage
from toolkit.errors import InvalidResponseError, PricingError, Problem, RequestRejectedError, ToolkitError
from toolkit.store import Record, Store
from toolkit.store.plan_repository import PlanRepository
from toolkit.tables.rows.plans import JsonObject, Plan, read_plan
from toolkit.tables.schema.journal import PositionRow
from toolkit.wire.plan_register import Brand

CONNECTIONS = 4
AT_A_TIME = 40
"""Plans requested before the responses are stored."""
MOST_PAGES = 500
RESOURCE = "register.plans"
_GONE = (404, 410)


class Source(Protocol):
    """The methods of the plan register's client that a sync uses."""

    @property
    def base_url(self) -> str: ...
    def brands(self) -> Sequence[Brand]: ...
    def page(self, retailer: str, number: int, *, etag: str | None = None) -> ListPage: ...
    def plan(self, retailer: str, plan_id: str) -> JsonObject: ...


@dataclass(slots=True)
class SyncCounts:
    """listed = added + updated + unchanged + rejected; removed: stored plans that are no longer listed."""

    retailer: str
    listed: int = 0
    fetched: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    removed: int = 0


@dataclass(slots=True)
class ReadPage:
    """A list page as last read. plans: plan id → `lastUpdated` as listed. more: whether another page follows."""

    etag: str | None
    more: bool
    plans: dict[str, str | None]


@dataclass(slots=True)
class Checkpoint:
    """Checkpoint of one retailer.

    listed: every plan id of the last complete sync. pages: list pages with all their plans stored.
    """

    listed: list[str] = field(default_factory=list)
    pages: list[ReadPage] = field(default_factory=list)

    def text(self) -> str:
        pages = [{"etag": page.etag, "more": page.more, "plans": page.plans} for page in self.pages]
        return json.dumps({"listed": self.listed, "pages": pages}, separators=(",", ":"))


def checkpoints(store: Store) -> dict[str, Checkpoint]:
    """Read the checkpoints by retailer."""
    read: dict[str, Checkpoint] = {}
    for row in store.load(PositionRow, where={"resource": RESOURCE}):
        given = json.loads(row.position or "{}")
        pages = [ReadPage(**page) for page in given.get("pages", [])]
        read[row.end_user_id] = Checkpoint(given.get("listed", []), pages)
    return read


@dataclass(slots=True)
class RetailerSync:
    """Sync one retailer. full: request every plan again. counts and problems are valid after a failure too."""

    store: Store
    repository: PlanRepository
    source: Source
    retailer: str
    before: Checkpoint
    now: datetime
    full: bool
    progress: Callable[[str], None]
    counts: SyncCounts = field(init=False)
    problems: list[Problem] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.counts = SyncCounts(self.retailer)

    def run(self, listed_elsewhere: set[str]) -> None:
        """Read all pages. Raises the error that ended the sync; what was stored before it stays stored."""
        pages = list(self.before.pages)
        for number, page in enumerate(self._pages(), start=1):
            rejected = self.counts.rejected
            self._plans(page)
            if self.counts.rejected > rejected:
                page.etag = None  # so that the next sync reads the page again
            pages[number - 1 : number] = [page]
            self._save(Checkpoint(self.before.listed, pages))
            pages_read = number
        self._finish(Checkpoint(sorted(self.seen), pages[:pages_read]), listed_elsewhere)

    def _pages(self) -> Iterator[ReadPage]:
        for number in range(1, MOST_PAGES + 1):
            known = self.before.pages[number - 1] if number <= len(self.before.pages) and not self.full else None
            self.progress(f"{self.retailer}: page {number} of the list")
            answer = self.source.page(self.retailer, number, etag=known.etag if known else None)
            page = known if answer.page is None and known else self._read(answer, number)
            if page.more and page.plans.keys() <= self.seen:
                raise InvalidResponseError(
                    f"{self.retailer}: the service repeated a page; the plans read so far were kept.",
                    name="repeated_page",
                )
            yield page
            if not page.more:
                return
        raise InvalidResponseError(f"{self.retailer}: more than {MOST_PAGES} pages; the plans read so far were kept.")

    def _read(self, answer: ListPage, number: int) -> ReadPage:
        page = answer.page
        if page is None:
            raise InvalidResponseError(
                f"{self.retailer}: page {number} was never read, but the plan register reports it as unchanged."
            )
        self.counts.listed += len(page.rejected)
        for entry in page.rejected:
            self._reject(f"{self.retailer} page {number}", f"a listed plan has no id: {entry[:80]}")
        more = number < page.pages if page.pages is not None else page.next is not None
        return ReadPage(answer.etag, more, {plan.plan_id: plan.last_updated for plan in page.plans})

    def _plans(self, page: ReadPage) -> None:
        new = {plan_id: at for plan_id, at in page.plans.items() if plan_id not in self.seen}
        self.seen.update(new)
        self.counts.listed += len(new)
        before = {plan_id: at for known in self.before.pages for plan_id, at in known.plans.items()}
        wanted = [p for p, at in new.items() if self.full or not self.repository.is_current(p, at, before.get(p))]
        self.counts.unchanged += len(new) - len(wanted)
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            left = iter(wanted)
            while some := list(islice(left, AT_A_TIME)):
                self._some(pool, some)
                self.progress(f"{self.retailer}: {self.counts.fetched} of {len(wanted)} plans of this page")

    def _some(self, pool: ThreadPoolExecutor, plan_ids: Sequence[str]) -> None:
        """Request these plans, store the responses, then raise the first failure."""
        asked = {plan_id: pool.submit(self.source.plan, self.retailer, plan_id) for plan_id in plan_ids}
        plans, failure = [], None
        for plan_id, future in asked.items():
            try:
                plans += self._plan(plan_id, future, given_up=failure is not None)
            except ToolkitError as error:
                failure = failure or error
        with self.store.transaction():
            added, updated, unchanged = self.repository.add(plans)
        self.counts.added += added
        self.counts.updated += updated
        self.counts.unchanged += unchanged
        if failure is not None:
            raise failure

    def _plan(self, plan_id: str, future: Future[JsonObject], *, given_up: bool) -> list[Plan]:
        """Return the plan in a list, or an empty list if unreadable. given_up: cancel requests not yet started."""
        if given_up and future.cancel():
            return []
        try:
            plan = read_plan(future.result(), plan_id=plan_id)
        except (PricingError, InvalidResponseError) as error:
            return self._reject(plan_id, error.reason if isinstance(error, PricingError) else str(error))
        except RequestRejectedError as error:
            if error.status not in _GONE:
                raise
            return self._reject(plan_id, "the plan register lists it but has no details for it")
        self.counts.fetched += 1
        if plan.plan_id != plan_id:
            return self._reject(plan_id, f"the plan register answered with another plan, {plan.plan_id}")
        self.problems += plan.problems
        return [plan]

    def _reject(self, where: str, reason: str) -> list[Plan]:
        self.counts.rejected += 1
        self.problems.append(Problem(where, reason))
        return []

    def _finish(self, checkpoint: Checkpoint, listed_elsewhere: set[str]) -> None:
        with self.store.transaction():
            self.repository.mark_listed(self.seen)
            gone = set(self.before.listed) - self.seen - listed_elsewhere
            self.counts.removed = self.repository.mark_unlisted(sorted(gone), self.now)
            self._save(checkpoint, full_walk_at=self.now)

    def _save(self, checkpoint: Checkpoint, **more: datetime) -> None:
        key: Record = {"household_id": "", "end_user_id": self.retailer, "resource": RESOURCE}
        self.store.upsert("positions", [{**key, "position": checkpoint.text(), **more}])
