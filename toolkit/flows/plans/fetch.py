"""`plans fetch`: download published plans from the public plan register into the store, on request only.

Reads each retailer's list page by page (with the ETag of the last sync, where the plan register sends one) and requests
only the plans that are new or have another `lastUpdated`. Stores every batch at once, so that an interrupted run
resumes where it stopped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from urllib.parse import unquote

from toolkit.answers.energy.plans import FailedRetailer, PlanFetch, RetailerCounts
from toolkit.api.plan_register import Register
from toolkit.api.transport import origin
from toolkit.errors import (
    ChoiceRequiredError,
    ConnectionFailedError,
    Problem,
    RateLimitError,
    RequestRejectedError,
    ServiceError,
    ToolkitError,
)
from toolkit.flows.household.context import Context, Progress, quiet
from toolkit.flows.plans.catalogue import keep_compiled
from toolkit.flows.plans.retailer_sync import Checkpoint, RetailerSync, Source, SyncCounts, checkpoints
from toolkit.remedies import Message, Remedy
from toolkit.settings import Settings
from toolkit.store import Store, open_store
from toolkit.store.plan_repository import PlanRepository
from toolkit.tables.reference.retailers import known_retailers, retailer_code
from toolkit.wire.plan_register import Brand

_UNKNOWN_RETAILER = 404
_CODE = re.compile(r"[a-z0-9-]+")


def register(settings: Settings) -> Register:
    """Return the client of the plan register that `settings` name; use it as a context manager."""
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
) -> PlanFetch:
    """Download the plans of some retailers (by brand or plan register code), or of all retailers that it lists.

    Keeps every version; marks plans that are no longer listed, which are then not compared. full: request every plan
    again. Lists a retailer that fails in `failed` and continues with the others; a repeated run resumes from there.
    Raises ChoiceRequiredError where no retailer is named, ConnectionFailedError where the plan register never answers.
    """
    if not retailers and not all_:
        known = sorted(known_retailers())
        raise ChoiceRequiredError(Message(Remedy.CHOOSE_RETAILERS, "."), known)
    codes, notes = (named_retailers(source, retailers), []) if retailers else every_retailer(source, progress)
    with open_store(ctx.db) as store:
        run = _Run(store, source, datetime.now(UTC), full, progress, named=bool(retailers), notes=notes)
        run.sync_all(codes)
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
    counts: list[SyncCounts] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    failed: list[FailedRetailer] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def sync_all(self, retailers: Sequence[str]) -> None:
        """Sync one retailer after the other; an outage of the whole plan register ends the run."""
        repository, before = PlanRepository(self.store), checkpoints(self.store)
        for number, retailer in enumerate(retailers):
            sync = RetailerSync(
                store=self.store,
                repository=repository,
                source=self.source,
                retailer=retailer,
                before=before.get(retailer, Checkpoint()),
                now=self.now,
                full=self.full,
                progress=self.progress,
            )
            try:
                sync.run({plan for other, at in before.items() if other != retailer for plan in at.listed})
            except (ConnectionFailedError, RateLimitError) as error:
                self._end(sync, retailers[number + 1 :], error)
                return
            except ToolkitError as error:
                self._failed(sync, error)
            self._count(sync)

    def _count(self, sync: RetailerSync) -> None:
        if sync.retailer not in self.unknown:
            self.counts.append(sync.counts)
        self.problems += sync.problems

    def _failed(self, sync: RetailerSync, error: ToolkitError) -> None:
        absent = (
            isinstance(error, RequestRejectedError) and error.status == _UNKNOWN_RETAILER and not sync.counts.listed
        )
        if absent and not self.named:
            self.unknown.append(sync.retailer)
        elif absent:
            self.failed.append(
                FailedRetailer(sync.retailer, f"the plan register does not list the retailer {sync.retailer!r}")
            )
        else:
            self.failed.append(FailedRetailer(sync.retailer, Message(error)))

    def _end(self, sync: RetailerSync, rest: Sequence[str], error: ConnectionFailedError | RateLimitError) -> None:
        nothing = not sync.counts.listed and not self.counts
        if nothing and isinstance(error, ConnectionFailedError):
            raise error
        self.failed.append(FailedRetailer(sync.retailer, Message(error)))
        skipped = "skipped because the plan register does not answer"
        self.failed += [FailedRetailer(retailer, skipped) for retailer in rest]
        self._count(sync)

    def answer(self) -> PlanFetch:
        unknown = [f"The plan register has no plans from {', '.join(self.unknown)}."] if self.unknown else []
        return PlanFetch(
            retailers=tuple(RetailerCounts(**asdict(counts)) for counts in self.counts),
            failed=tuple(self.failed),
            notes=(*self.notes, *unknown),
            problems=tuple(self.problems),
        )


def named_retailers(source: Source, names: Iterable[str]) -> list[str]:
    """Return the plan register's codes of named retailers, each once.

    By the built-in brands, else by the name in the plan register's own list, which is only requested for a name that
    could not be a code.
    """
    codes = {name: retailer_code(name) for name in names}
    unknown = [name for name, code in codes.items() if not _CODE.fullmatch(code)]
    listed = _by_name(source) if unknown else {}
    return list(dict.fromkeys(listed.get(" ".join(name.split()).casefold(), code) for name, code in codes.items()))


def _by_name(source: Source) -> dict[str, str]:
    try:
        brands = source.brands()
    except (ServiceError, ConnectionFailedError):
        return {}
    places = {" ".join(brand.brand_name.split()).casefold(): _place_of(brand, source.base_url) for brand in brands}
    return {name: place for name, place in places.items() if place}


def every_retailer(source: Source, progress: Progress) -> tuple[list[str], list[str]]:
    """Return the codes of all retailers below the plan register's address, in order, and notes about them.

    Brands whose plans are at another address are not requested there. Where there are such, or no list can be read, the
    built-in retailers are requested as well.
    """
    progress("reading the plan register's list of brands")
    built_in = sorted(known_retailers())
    try:
        brands = source.brands()
    except (ServiceError, ConnectionFailedError) as error:
        return built_in, [
            f"The plan register's list of brands could not be read, so the built-in brands were used. {error}"
        ]
    places = [_place_of(brand, source.base_url) for brand in brands]
    here, elsewhere = {place for place in places if place}, places.count(None)
    if here and not elsewhere:
        return sorted(here), []
    note = f"Of the {len(places)} brands in the plan register's list, {elsewhere} have their plans at another address"
    note += ", or one that cannot be read; the built-in ones were requested as well."
    return sorted(here | set(built_in)), [note]


def _place_of(brand: Brand, base: str) -> str | None:
    """Return the last part of a brand's address where that is right below the plan register's; None elsewhere."""
    root = base.rstrip("/").casefold() + "/"
    for address in (brand.product_base_uri, brand.public_base_uri):
        text = (address or "").strip().rstrip("/")
        place = text[len(root) :]
        if text.casefold().startswith(root) and place and not set(place) & set("/?#"):
            return unquote(place)
    return None


def retailer_names() -> Mapping[str, str]:
    """Return code → name of each retailer in the plan register."""
    return known_retailers()
