"""One retailer's walk through the register: page by page, and of each page only the plans that changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Protocol

from toolkit.api.plan_register import ListPage
from toolkit.errors import InvalidResponseError, PricingError, Problem, RequestRejectedError, ToolkitError
from toolkit.flows.plans.repository import Shelf
from toolkit.store import Store
from toolkit.tables.plans import Plan, read_plan
from toolkit.wire.plan_register import Brand

CONNECTIONS = 4
AT_A_TIME = 40
"""Plans asked for before what came is stored."""
MOST_PAGES = 500
RESOURCE = "register.plans"
_GONE = (404, 410)


class Source(Protocol):
    """What a walk needs of the register's client."""

    @property
    def base_url(self) -> str: ...
    def brands(self) -> Sequence[Brand]: ...
    def page(self, retailer: str, number: int, *, etag: str | None = None) -> ListPage: ...
    def plan(self, retailer: str, plan_id: str) -> dict[str, Any]: ...


@dataclass(slots=True)
class Tally:
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
    """A page of the list as it was read last. plans: id → time of change as listed. more: whether another follows."""

    etag: str | None
    more: bool
    plans: dict[str, str | None]


@dataclass(slots=True)
class Position:
    """How far a retailer was read. listed: every plan of the last whole walk. pages: whose plans are all stored."""

    listed: list[str] = field(default_factory=list)
    pages: list[ReadPage] = field(default_factory=list)

    def text(self) -> str:
        pages = [{"etag": page.etag, "more": page.more, "plans": page.plans} for page in self.pages]
        return json.dumps({"listed": self.listed, "pages": pages}, separators=(",", ":"))


def read_position(text: str | None) -> Position:
    given = json.loads(text or "{}")
    return Position(given.get("listed", []), [ReadPage(**page) for page in given.get("pages", [])])


def positions(store: Store) -> dict[str, Position]:
    """By retailer."""
    rows = store.rows("positions", where={"resource": RESOURCE})
    return {row["end_user_id"]: read_position(row["position"]) for row in rows}


@dataclass(slots=True)
class RetailerWalk:
    """full: ask for every plan again. tally and problems stand also after a failure."""

    store: Store
    shelf: Shelf
    source: Source
    retailer: str
    before: Position
    now: datetime
    full: bool
    progress: Callable[[str], None]
    tally: Tally = field(init=False)
    problems: list[Problem] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.tally = Tally(self.retailer)

    def run(self, listed_elsewhere: set[str]) -> None:
        """Read all pages. Raises what ended the walk; what was stored until then stays."""
        pages = list(self.before.pages)
        for number, page in enumerate(self._pages(), start=1):
            rejected = self.tally.rejected
            self._plans(page)
            if self.tally.rejected > rejected:
                page.etag = None  # so that it is looked at again
            pages[number - 1 : number] = [page]
            self._save(Position(self.before.listed, pages))
            walked = number
        self._finish(Position(sorted(self.seen), pages[:walked]), listed_elsewhere)

    def _pages(self) -> Iterator[ReadPage]:
        for number in range(1, MOST_PAGES + 1):
            known = self.before.pages[number - 1] if number <= len(self.before.pages) and not self.full else None
            self.progress(f"{self.retailer}: page {number} of the list")
            answer = self.source.page(self.retailer, number, etag=known.etag if known else None)
            page = known if answer.page is None and known else self._read(answer, number)
            if page.more and page.plans.keys() <= self.seen:
                raise InvalidResponseError(f"{self.retailer}: the pages go in a circle; what was read is kept.")
            yield page
            if not page.more:
                return
        raise InvalidResponseError(f"{self.retailer}: more than {MOST_PAGES} pages; what was read is kept.")

    def _read(self, answer: ListPage, number: int) -> ReadPage:
        page = answer.page
        if page is None:
            raise InvalidResponseError(
                f"{self.retailer}: the register says that page {number} is known, which it is not."
            )
        self.tally.listed += len(page.rejected)
        for entry in page.rejected:
            self._reject(f"{self.retailer} page {number}", f"a listed plan has no id: {entry[:80]}")
        more = number < page.pages if page.pages is not None else page.next is not None
        return ReadPage(answer.etag, more, {plan.plan_id: plan.last_updated for plan in page.plans})

    def _plans(self, page: ReadPage) -> None:
        new = {plan_id: at for plan_id, at in page.plans.items() if plan_id not in self.seen}
        self.seen.update(new)
        self.tally.listed += len(new)
        before = {plan_id: at for known in self.before.pages for plan_id, at in known.plans.items()}
        wanted = [p for p, at in new.items() if self.full or not self.shelf.is_current(p, at, before.get(p))]
        self.tally.unchanged += len(new) - len(wanted)
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            left = iter(wanted)
            while some := list(islice(left, AT_A_TIME)):
                self._some(pool, some)
                self.progress(f"{self.retailer}: {self.tally.fetched} of {len(wanted)} plans of this page")

    def _some(self, pool: ThreadPoolExecutor, plan_ids: Sequence[str]) -> None:
        """Ask for these, store what came, then raise what failed."""
        asked = {plan_id: pool.submit(self.source.plan, self.retailer, plan_id) for plan_id in plan_ids}
        plans, failure = [], None
        for plan_id, future in asked.items():
            try:
                plans += self._plan(plan_id, future, given_up=failure is not None)
            except ToolkitError as error:
                failure = failure or error
        with self.store.transaction():
            added, updated, unchanged = self.shelf.keep(plans)
        self.tally.added += added
        self.tally.updated += updated
        self.tally.unchanged += unchanged
        if failure is not None:
            raise failure

    def _plan(self, plan_id: str, future: Future[dict[str, Any]], *, given_up: bool) -> list[Plan]:
        """The plan, or none where it cannot be read. given_up: what has not begun yet is not asked for."""
        if given_up and future.cancel():
            return []
        try:
            plan = read_plan(future.result(), plan_id=plan_id)
        except (PricingError, InvalidResponseError) as error:
            return self._reject(plan_id, error.reason if isinstance(error, PricingError) else str(error))
        except RequestRejectedError as error:
            if error.status not in _GONE:
                raise
            return self._reject(plan_id, "it is listed, but the register has no details of it")
        self.tally.fetched += 1
        if plan.plan_id != plan_id:
            return self._reject(plan_id, f"the register answers with another plan, {plan.plan_id}")
        self.problems += plan.problems
        return [plan]

    def _reject(self, where: str, reason: str) -> list[Plan]:
        self.tally.rejected += 1
        self.problems.append(Problem(where, reason))
        return []

    def _finish(self, position: Position, listed_elsewhere: set[str]) -> None:
        with self.store.transaction():
            self.shelf.list_again(self.seen)
            gone = set(self.before.listed) - self.seen - listed_elsewhere
            self.tally.removed = self.shelf.take_off(sorted(gone), self.now)
            self._save(position, full_walk_at=self.now)

    def _save(self, position: Position, **more: datetime) -> None:
        whose = {"household_id": "", "end_user_id": self.retailer, "resource": RESOURCE}
        self.store.upsert("positions", [{**whose, "position": position.text(), **more}])
