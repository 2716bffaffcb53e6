"""Pull what is new for every connected end user. Killed anywhere, repeated any time: nothing is lost or doubled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from toolkit.errors import (
    ConsentRequiredError,
    InvalidResponseError,
    Problem,
    RequestRejectedError,
    ServerError,
    ToolkitError,
)
from toolkit.flows.household.context import Context, Progress, quiet
from toolkit.flows.household.homes import refuse_slip
from toolkit.flows.household.merge import end_undoing
from toolkit.flows.money.rollups import refresh
from toolkit.flows.sync.end_users import People
from toolkit.flows.sync.pages.writer import Keeper
from toolkit.flows.sync.positions import Run, read_to
from toolkit.flows.sync.pull import Service, pull
from toolkit.flows.sync.renewals import settle
from toolkit.store import Store, open_store
from toolkit.sync.list_sync import (
    RESOURCES,
    Choice,
    Person,
    Walk,
    first_walks,
    is_chosen,
    product_walk,
    transaction_walks,
    usage_walk,
)


def sync(
    ctx: Context,
    client: Service,
    *,
    full: bool = False,
    only: Choice = None,
    end_user: str | None = None,
    progress: Progress = quiet,
) -> dict[str, Any]:
    """`sync`: pull, store, recompute. full: read everything again. only: what of it.

    end_user: pull for this one only, adopting it where it is new. Every page is one transaction: its rows, its receipt
    and the roll-ups it makes stale; a position moves when its walk has reached the end. A list that breaks off is in
    `failed`, its earlier pages kept. Raises ConsentRequiredError or AuthenticationError where nothing could be pulled
    for want of them, ConnectionFailedError where there is no server.
    """
    with open_store(ctx.db) as store, _run(store) as (run_id, started):
        if end_user is not None:
            refuse_slip(store, ctx)
        people = People(store, client, started, ctx.household)
        pulled = people.to_pull(end_user, progress)
        end_undoing(store)
        run = Run(run_id, started, ctx.today, full, client.spelling.word)
        keeper = Keeper(store, run, client.spelling, people.listed)
        keeper.redact_stored()
        keeper.retry_quarantine()
        sync = _Sync(keeper, only=only, progress=progress)
        walks = keeper.begin(walk for person in pulled for walk in first_walks(person, only))
        if walks:
            pull(client, walks, keeper.page, sync.after)
        people.conclude(keeper.arrangements, pulled)
        keeper.finish_run()
        people.read_institutions(keeper.institutions)
        people.problems += sync.refused_for_want_of_consent(people)
        people.problems += settle(store, started, current=keeper.arrangements.carried())
        _refresh(store)
        try:
            sync.raise_if_nothing_came(people.problems)
        except ToolkitError:
            people.take_back_adoption()
            raise
        return sync.answer(people.problems)


@contextmanager
def _run(store: Store) -> Iterator[tuple[str, datetime]]:
    """The run's own row: `running` until it ends, so that a killed one can be told."""
    run_id, started = uuid4().hex, datetime.now(UTC)
    row: dict[str, Any] = {"run_id": run_id, "started_at": started, "state": "running"}
    store.upsert("runs", [row])
    try:
        yield run_id, started
    except BaseException as error:
        told = str(error) if isinstance(error, ToolkitError) else type(error).__name__
        store.upsert("runs", [{**row, "finished_at": datetime.now(UTC), "state": "failed", "error": told}])
        raise
    store.upsert("runs", [{**row, "finished_at": datetime.now(UTC), "state": "done"}])


def _refresh(store: Store) -> None:
    """Recompute the roll-ups that any run left stale, before a reader can see them."""
    households = sorted({row["household_id"] for row in store.rows("dirty_months")})
    if households:
        for household_id in households:
            refresh(store, household_id)


class _Sync:
    """What one run asks for next, and what went wrong."""

    def __init__(self, keeper: Keeper, *, only: Choice, progress: Progress) -> None:
        self.keeper, self.only, self.progress = keeper, only, progress
        self.failures: list[tuple[Walk, ToolkitError]] = []
        self.products_asked: set[str] = set()

    def after(self, walk: Walk, error: ToolkitError | None) -> list[Walk]:
        """Settle a walk that has ended, and say which walks follow from it."""
        if error is None:
            self.keeper.finish(walk)
            self.progress(f"{walk.resource} {walk.part}".rstrip())
            return self.keeper.begin([*self._latest(walk), *self._followers(walk)])
        if self._leads_nowhere(walk, error):
            return [self.keeper.start_over(walk)]
        self._note(walk, error)
        return [] if isinstance(error, ConsentRequiredError) else self.keeper.begin(self._followers(walk))

    def _leads_nowhere(self, walk: Walk, error: ToolkitError) -> bool:
        """Whether the place of a resumed walk is of no use any more: its cursor expired, or the list has changed."""
        of_the_list = isinstance(error, InvalidResponseError | RequestRejectedError | ServerError)
        return walk.place is not None and of_the_list and not self.keeper.came_on(walk)

    def _latest(self, walk: Walk) -> list[Walk]:
        """After a resumed walk: what came since it was cut short, by the windows of every sync, and pending rows."""
        if walk.place is None or not walk.part:
            return []
        if walk.resource == "energy.usage":
            return [usage_walk(walk.person, walk.part, read_to(self.keeper.store, walk))]
        if walk.resource == "banking.transactions":
            latest = transaction_walks(walk.person, walk.part, read_to(self.keeper.store, walk))
            return [found for found in latest if walk.pending or not found.pending]
        return []

    def _note(self, walk: Walk, error: ToolkitError) -> None:
        self.keeper.broke_off(walk, error)
        self.failures.append((walk, error))
        self.progress(f"{walk.resource} {walk.part}: {error}")

    def _followers(self, walk: Walk) -> list[Walk]:
        """Also after a list that broke off: what it did bring is followed up."""
        return [found for found in self._all_followers(walk) if is_chosen(found.resource, self.only)]

    def _all_followers(self, walk: Walk) -> list[Walk]:
        if walk.resource == "banking.accounts":
            products = set(self.keeper.parts_of(walk, "institution_id")) - self.products_asked
            self.products_asked |= products
            return [*self._transactions(walk), *map(product_walk, sorted(products))]
        if walk.resource == "energy.service_points":
            return self._usage(walk)
        return []

    def _transactions(self, walk: Walk) -> list[Walk]:
        positions = self.keeper.positions(walk.person, "banking.transactions")
        accounts = self.keeper.parts_of(walk, "account_id")
        return [w for account in accounts for w in transaction_walks(walk.person, account, positions.get(account))]

    def _usage(self, walk: Walk) -> list[Walk]:
        positions = self.keeper.positions(walk.person, "energy.usage")
        points = self.keeper.parts_of(walk, "service_point_id")
        return [usage_walk(walk.person, point, positions.get(point)) for point in points]

    def raise_if_nothing_came(self, problems: list[Problem]) -> None:
        """Where not one page was read, the reason is the answer."""
        if self.keeper.pages_kept:
            return
        if self.failures:
            raise self.failures[0][1]
        told = problems[0].reason if problems else "no end user is connected"
        raise ConsentRequiredError(f"Nothing could be pulled: {told}. Next: toolkit connect.")

    def refused_for_want_of_consent(self, people: People) -> list[Problem]:
        """One problem for all the lists that a person's consent did not open, unless `people` told why already."""
        refused: dict[Person, list[tuple[Walk, ToolkitError]]] = defaultdict(list)
        for walk, error in self.failures:
            if isinstance(error, ConsentRequiredError):
                refused[walk.person].append((walk, error))
        return [_not_opened(person, found) for person, found in refused.items() if not people.has_ended(person)]

    def answer(self, problems: list[Problem]) -> dict[str, Any]:
        tallies = self.keeper.tallies
        failed = [(walk, error) for walk, error in self.failures if not isinstance(error, ConsentRequiredError)]
        return {
            "run": self.keeper.run.id,
            "resources": [{"resource": r, **tallies[r].as_json()} for r in RESOURCES if r in tallies],
            "problems": [problem.as_json() for problem in (*problems, *self.keeper.problems)],
            "failed": [{"resource": walk.resource, "part": walk.part, "error": str(error)} for walk, error in failed],
        }


def _not_opened(person: Person, refused: list[tuple[Walk, ToolkitError]]) -> Problem:
    lists = ", ".join(sorted({walk.resource for walk, _ in refused}))
    return Problem(person.end_user_id, f"{refused[0][1]} ({lists})")
