"""Read the list of one retailer's plans whole, page by page, and decide what of it may be believed.

A list is read before any plan of it. Pages follow while the page's link or its count demands it. Where a list breaks
off, changes while it is read, or is much shorter than the last one, its plans are used, but none counts as withdrawn.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Protocol

from toolkit.api.plan_register import ListPage
from toolkit.errors import InvalidResponseError, RequestRejectedError, ToolkitError
from toolkit.problems import Problem
from toolkit.store import Record, Store
from toolkit.tables.rows.plans import JsonObject
from toolkit.tables.schema.journal import PositionRow
from toolkit.wire.plan_register import Brand, PlanPage, Summary

MOST_PAGES = 500
RESOURCE = "register.plans"
LEAST_SHARE = 2 / 3
"""A list with a smaller share of the plans of the last one is not believed at once."""
BELIEVED_AFTER = timedelta(days=7)
"""A short list that is still short after so many days is the retailer's list."""
_PAST_THE_END = (400, 404, 416, 422)


class Source(Protocol):
    """The methods of the plan register's client that a sync uses."""

    @property
    def base_url(self) -> str: ...
    @property
    def requests(self) -> int: ...
    def brands(self) -> Sequence[Brand]: ...
    def page(self, retailer: str, number: int, *, etag: str | None = None) -> ListPage: ...
    def plan(self, retailer: str, plan_id: str) -> JsonObject: ...


@dataclass(slots=True)
class ReadPage:
    """A list page as last read.

    etag: None unless every plan that was wanted of it is stored. plans: plan id → `lastUpdated` as listed, None where
    the plan was not wanted or could not be read since. wanted: which plans were wanted, in words that compare; empty:
    all.
    """

    etag: str | None
    more: bool
    plans: dict[str, str | None]
    wanted: str = ""


@dataclass(slots=True)
class Checkpoint:
    """What is known of one retailer's list.

    listed: every plan id of the last complete list. pages: its pages, to be compared with the next ones. short_since:
    the day since when the list is much shorter than `listed`. kept_apart: plan id → id under which the plan is stored
    because another retailer's has its own.
    """

    listed: list[str] = field(default_factory=list)
    pages: list[ReadPage] = field(default_factory=list)
    short_since: date | None = None
    kept_apart: dict[str, str] = field(default_factory=dict)

    def stored_id(self, plan_id: str) -> str:
        """Return the id under which a plan of this retailer is stored."""
        return self.kept_apart.get(plan_id, plan_id)

    def save(self, store: Store, retailer: str, **more: datetime) -> None:
        """Write the checkpoint of the retailer. more: other columns of its row."""
        pages = [
            {"etag": page.etag, "more": page.more, "plans": page.plans, "wanted": page.wanted} for page in self.pages
        ]
        state = {"listed": self.listed, "pages": pages}
        state |= {"short_since": str(self.short_since)} if self.short_since else {}
        state |= {"kept_apart": self.kept_apart} if self.kept_apart else {}
        position = json.dumps(state, separators=(",", ":"))
        row: Record = {"household_id": "", "end_user_id": retailer, "resource": RESOURCE, "position": position, **more}
        store.upsert("positions", [row])


def checkpoints(store: Store) -> dict[str, Checkpoint]:
    """Read the checkpoints by retailer."""
    read: dict[str, Checkpoint] = {}
    for row in store.load(PositionRow, where={"resource": RESOURCE}):
        given = json.loads(row.position or "{}")
        short = given.get("short_since")
        read[row.end_user_id] = Checkpoint(
            given.get("listed", []),
            [ReadPage(**page) for page in given.get("pages", [])],
            date.fromisoformat(short) if short else None,
            given.get("kept_apart", {}),
        )
    return read


@dataclass(slots=True)
class ListReader:
    """Read one retailer's list. wanted: as in `ReadPage`. full: pages that have not changed are read again, too.

    After `read`: pages; summaries: entries of the pages that were sent; problems: entries without an id; error: what
    ended the reading early; doubt: why no plan may count as withdrawn by this list.
    """

    source: Source
    retailer: str
    before: Checkpoint
    wanted: str = ""
    full: bool = False
    pages: list[ReadPage] = field(default_factory=list)
    summaries: dict[str, Summary] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    error: ToolkitError | None = None
    doubt: str | None = None
    _stated: set[tuple[str, int]] = field(default_factory=set)
    _entries: int = 0

    @property
    def listed(self) -> dict[str, str | None]:
        """Return plan id → `lastUpdated` of all pages, each plan once."""
        return {plan_id: at for page in reversed(self.pages) for plan_id, at in page.plans.items()}

    def read(self) -> None:
        """Read all pages. A failure ends it and stands in `error`; the pages before it are kept."""
        try:
            self.pages.extend(self._read_pages())
        except ToolkitError as error:
            self.error = error
            self.doubt = "the list could not be read to its end"

    def _read_pages(self) -> Iterator[ReadPage]:
        seen: set[str] = set()
        for number in range(1, MOST_PAGES + 1):
            try:
                page = self._page(number)
            except RequestRejectedError as error:
                if number == 1 or error.status not in _PAST_THE_END:
                    raise
                self.doubt = "the plan register announced a page that it does not have"
                return
            if page.more and page.plans.keys() <= seen:
                raise InvalidResponseError(
                    f"{self.retailer}: the plan register repeated a page; the plans read so far were kept.",
                    name="repeated_page",
                )
            if not page.plans.keys().isdisjoint(seen):
                self.doubt = "the list changed while it was read"
            seen |= page.plans.keys()
            yield page
            if not page.more:
                self._check_counts()
                return
        raise InvalidResponseError(f"{self.retailer}: more than {MOST_PAGES} pages; the plans read so far were kept.")

    def _page(self, number: int) -> ReadPage:
        known = self.before.pages[number - 1] if number <= len(self.before.pages) and not self.full else None
        etag = known.etag if known and known.wanted in ("", self.wanted) else None
        answer = self.source.page(self.retailer, number, etag=etag)
        if answer.page is not None:
            return self._sent(answer.page, answer.etag, number)
        if known is None or etag is None:
            raise InvalidResponseError(
                f"{self.retailer}: page {number} was never read, but the plan register reports it as unchanged."
            )
        self._entries += len(known.plans)
        return known

    def _sent(self, page: PlanPage, etag: str | None, number: int) -> ReadPage:
        for entry in page.rejected:
            reason = f"a listed plan has no id: {entry[:80]}"
            self.problems.append(Problem(f"{self.retailer} page {number}", reason))
        self.summaries |= {plan.plan_id: plan for plan in page.plans}
        self._entries += len(page.plans) + len(page.rejected)
        if page.records is not None:
            self._stated.add(("records", page.records))
        if page.pages is not None:
            self._stated.add(("pages", page.pages))
        # Registers with a link and a count that disagree were seen: either may know of a page that the other does not.
        more = page.next is not None or (page.pages is not None and number < page.pages)
        return ReadPage(etag, more, {plan.plan_id: plan.last_updated for plan in page.plans}, self.wanted)

    def _check_counts(self) -> None:
        """Doubt a list with pages that state different counts, or another count than they have."""
        records = {count for name, count in self._stated if name == "records"}
        pages = {count for name, count in self._stated if name == "pages"}
        if len(records) > 1 or len(pages) > 1 or (records and self._entries not in records):
            self.doubt = "the list changed while it was read"

    @property
    def missing(self) -> set[str]:
        """Return the plans of the last complete list that this one does not have."""
        return set(self.before.listed) - self.listed.keys()

    def withdrawn(self, today: date) -> set[str]:
        """Return the missing plans that count as withdrawn: none of them where the list is doubted."""
        gone = self.missing
        if self.doubt or not gone:
            return set()
        if len(self.listed) < LEAST_SHARE * len(self.before.listed):
            since = self.before.short_since or today
            if today - since < BELIEVED_AFTER:
                self.doubt = f"it lists {len(self.listed)} plans instead of {len(self.before.listed)}"
                self.before.short_since = since
                return set()
        if len(self.pages) > 1 and not self._is_confirmed():
            self.doubt = "the list changed while it was read"
            return set()
        return gone

    def _is_confirmed(self) -> bool:
        """Return whether the pages have the same plans when they are read once more."""
        # A plan that another one's withdrawal moves to the page before is on none of the pages read.
        again = ListReader(self.source, self.retailer, Checkpoint(pages=self.pages), self.wanted)
        again.read()
        return again.error is None and again.doubt is None and again.listed.keys() == self.listed.keys()
