"""One retailer's plans in a fetch: which of its list are asked for, what came of them, and what is kept of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from datetime import datetime

from toolkit.flows.plans.register_lists import Checkpoint, ListReader, ReadPage
from toolkit.problems import Problem
from toolkit.store import Store
from toolkit.store.plan_repository import PlanRepository
from toolkit.tables.rows.plans import read_listed_plan
from toolkit.wire.plan_register import Summary

MOST_FAILED = 5
"""A retailer of which so many plans fail one after the other is left for another run."""

Fits = Callable[[Summary], bool]
"""Whether a listed plan is wanted."""


@dataclass(slots=True)
class SyncCounts:
    """Counts of `plans fetch` (see `answers.energy.plans.RetailerCounts`)."""

    retailer: str
    listed: int = 0
    fetched: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    removed: int = 0
    not_here: int = 0
    to_go: int = 0


@dataclass(slots=True)
class RetailerSync:
    """One retailer with a list that was read.

    wanted: plans to ask for, in the order of the list, less those taken. kept_apart: as in `Checkpoint`.
    """

    reader: ListReader
    counts: SyncCounts
    wanted: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    failed_in_a_row: int = 0
    kept_apart: dict[str, str] = field(default_factory=dict)
    _unread: set[str] = field(default_factory=set)
    _not_here: set[str] = field(default_factory=set)

    @classmethod
    def of(
        cls, reader: ListReader, repository: PlanRepository, fits: Fits | None, others: Set[str] = frozenset()
    ) -> RetailerSync:
        """Choose the plans to ask for: those that fit and are not stored as the list has them now.

        others: plan ids that lists of other retailers have.
        """
        sync = cls(reader, SyncCounts(reader.retailer), problems=list(reader.problems))
        sync.kept_apart = dict(reader.before.kept_apart)
        read_before = {plan_id: at for page in reader.before.pages for plan_id, at in page.plans.items() if at}
        for plan_id, at in reader.listed.items():
            summary = reader.summaries.get(plan_id)  # None: on a page that is as it was, with all its plans taken
            by_brand = repository.stored_id(plan_id, summary.brand) if summary and summary.brand else None
            if by_brand:
                sync.stored_as(plan_id, by_brand)
            # What another retailer calls the same is no evidence of this one's plan.
            known = by_brand is not None or plan_id in read_before or plan_id not in others
            current = known and repository.is_current(sync.stored_id(plan_id), at, read_before.get(plan_id))
            if current and not reader.full:
                sync.counts.unchanged += 1
            elif fits is not None and (summary is None or not fits(summary)):
                sync.counts.not_here += 1
                sync._not_here.add(plan_id)
            else:
                sync.wanted.append(plan_id)
        sync._unread = set(sync.wanted)
        sync.counts.rejected = len(reader.problems)
        sync.counts.listed = len(reader.listed) + len(reader.problems)
        sync.counts.to_go = len(sync.wanted)
        return sync

    @property
    def retailer(self) -> str:
        """Return the retailer's place in the plan register."""
        return self.reader.retailer

    def take(self) -> str:
        """Return the next plan to ask for."""
        self.counts.to_go -= 1
        return self.wanted.pop(0)

    def put_back(self, plan_id: str) -> None:
        """Leave a plan that was taken, but not asked for, for another run."""
        self.counts.to_go += 1
        self.wanted.insert(0, plan_id)

    def stored_id(self, plan_id: str) -> str:
        """Return the id under which a plan of this retailer is stored."""
        return self.kept_apart.get(plan_id, plan_id)

    def stored_as(self, plan_id: str, stored_id: str) -> None:
        """Note the id under which a plan is stored."""
        if stored_id == plan_id:
            self.kept_apart.pop(plan_id, None)
        else:
            self.kept_apart[plan_id] = stored_id

    def accept(self, plan_id: str, problems: tuple[Problem, ...]) -> None:
        """Count a plan that was read."""
        self.failed_in_a_row = 0
        self._unread.discard(plan_id)
        self.counts.fetched += 1
        self.problems += problems

    def reject(self, plan_id: str, reason: str) -> None:
        """Count a plan that could not be read; the next run asks for it again."""
        self.counts.rejected += 1
        self.problems.append(Problem(plan_id, reason))

    def names_of_problems(self) -> Iterator[tuple[str, str]]:
        """Yield plan id and name, as listed, of the plans that could not be read."""
        for problem in self.problems:
            if summary := self.reader.summaries.get(problem.where):
                plan = read_listed_plan(json.loads(bytes(summary.given)))
                if plan.name:
                    yield problem.where, f"{plan.name} ({plan.retailer})" if plan.retailer else plan.name

    def checkpoint(self) -> Checkpoint:
        """Return what the next run needs: a page with plans still to be read is read again, and they are asked for."""
        before, reader = self.reader.before, self.reader
        pages = []
        for page in reader.pages:
            unread = self._unread & page.plans.keys()
            not_read = self._unread | self._not_here
            plans = {plan_id: None if plan_id in not_read else at for plan_id, at in page.plans.items()}
            whole = not unread and not reader.problems
            pages.append(ReadPage(page.etag if whole else None, page.more, plans, page.wanted))
        pages += before.pages[len(pages) :] if reader.error else []
        listed = {*reader.listed, *(before.listed if reader.doubt else ())}
        kept_apart = {plan_id: self.kept_apart[plan_id] for plan_id in sorted(listed & self.kept_apart.keys())}
        return Checkpoint(sorted(listed), pages, before.short_since if reader.doubt else None, kept_apart)

    def save(self, store: Store, at: datetime) -> None:
        """Write the checkpoint; a list read to its end is as of `at`."""
        ended = {} if self.reader.error else {"full_walk_at": at}
        self.checkpoint().save(store, self.retailer, **ended)
