"""`plans fetch`: published plans from the public register into the store, only when asked for.

For each retailer the list is read page by page (with the tag of the last reading, where the register gives tags) and
only plans that are new or carry another `lastUpdated` are asked for one by one. What is read is stored at once, so
that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from toolkit.api.access import origin
from toolkit.api.plan_register import Register
from toolkit.errors import (
    ChoiceRequiredError,
    ConnectionFailedError,
    Problem,
    RateLimitError,
    RequestRejectedError,
    ToolkitError,
)
from toolkit.flows.household.context import Context, Progress, quiet
from toolkit.flows.plans.brands import every_retailer, named_retailers
from toolkit.flows.plans.offers import keep_compiled
from toolkit.flows.plans.repository import Shelf
from toolkit.flows.plans.retailer_sync import Position, RetailerWalk, Source, Tally, positions
from toolkit.settings import Settings
from toolkit.store import Store, open_store
from toolkit.tables.reference.retailers import RETAILERS

_UNKNOWN_RETAILER = 404


def register(settings: Settings) -> Register:
    """The register that `settings` name; use it as a context manager."""
    url = settings.register_url
    own = settings.base_url is not None and origin(settings.base_url) == origin(url)
    return Register(url, brands_url=settings.brands_url, ca=settings.ca if own else None)


def fetch(
    ctx: Context,
    source: Source,
    *,
    retailers: Sequence[str] = (),
    all_: bool = False,
    full: bool = False,
    progress: Progress = quiet,
) -> dict[str, Any]:
    """Read the plans of some retailers (by brand or by their place in the register), or of all that it lists.

    Every version is kept; plans that are no longer listed are marked, and not compared. full: ask for every plan again.
    A retailer that fails is listed in `failed`, the others go on; what was read is kept, and a repeated run goes on
    from there. Raises ChoiceRequiredError where no retailer is named, ConnectionFailedError where the register never
    answers.
    """
    if not retailers and not all_:
        raise ChoiceRequiredError("Which retailers? Name some with --retailer, or say --all.", sorted(RETAILERS))
    codes, notes = (named_retailers(source, retailers), []) if retailers else every_retailer(source, progress)
    with open_store(ctx.db) as store:
        run = _Run(store, source, datetime.now(UTC), full, progress, named=bool(retailers), notes=notes)
        run.walk(codes)
        keep_compiled(store)
    return run.answer()


@dataclass(slots=True)
class _Run:
    store: Store
    source: Source
    now: datetime
    full: bool
    progress: Progress
    named: bool
    notes: list[str]
    tallies: list[Tally] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def walk(self, retailers: Sequence[str]) -> None:
        """One retailer after the other; an outage of the whole register ends it."""
        shelf, known = Shelf(self.store), positions(self.store)
        for number, retailer in enumerate(retailers):
            walk = RetailerWalk(
                store=self.store,
                shelf=shelf,
                source=self.source,
                retailer=retailer,
                before=known.get(retailer, Position()),
                now=self.now,
                full=self.full,
                progress=self.progress,
            )
            try:
                walk.run({plan for other, at in known.items() if other != retailer for plan in at.listed})
            except (ConnectionFailedError, RateLimitError) as error:
                self._end(walk, retailers[number + 1 :], error)
                return
            except ToolkitError as error:
                self._failed(walk, error)
            self._count(walk)

    def _count(self, walk: RetailerWalk) -> None:
        if walk.retailer not in self.unknown:
            self.tallies.append(walk.tally)
        self.problems += walk.problems

    def _failed(self, walk: RetailerWalk, error: ToolkitError) -> None:
        absent = isinstance(error, RequestRejectedError) and error.status == _UNKNOWN_RETAILER and not walk.tally.listed
        if absent and not self.named:
            self.unknown.append(walk.retailer)
        elif absent:
            self.failed.append((walk.retailer, f"the register knows no retailer {walk.retailer!r}"))
        else:
            self.failed.append((walk.retailer, str(error)))

    def _end(self, walk: RetailerWalk, rest: Sequence[str], error: ConnectionFailedError | RateLimitError) -> None:
        nothing = not walk.tally.listed and not self.tallies
        if nothing and isinstance(error, ConnectionFailedError):
            raise error
        self.failed.append((walk.retailer, str(error)))
        self.failed += [(retailer, "not asked, as the register does not answer") for retailer in rest]
        self._count(walk)

    def _absent(self) -> list[str]:
        return [f"The register has no plans of {', '.join(self.unknown)}."] if self.unknown else []

    def answer(self) -> dict[str, Any]:
        return {
            "retailers": [asdict(tally) for tally in self.tallies],
            "failed": [{"retailer": retailer, "reason": reason} for retailer, reason in self.failed],
            "notes": [*self.notes, *self._absent()],
            "problems": [problem.as_json() for problem in self.problems],
        }
