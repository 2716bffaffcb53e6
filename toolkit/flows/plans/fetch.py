"""`plans fetch`: download published plans from the public plan register into the store, on request only.

Reads the lists of the retailers whole, four side by side (with the ETag of the last run, where the plan register sends
one), then requests only the plans that are new or have another `lastUpdated`, one of each retailer in turn. Stores
every batch at once, so that an interrupted run resumes where it stopped. A plan that keeps failing is rejected by
name and asked for again by the next run; the others go on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from urllib.parse import unquote, urlsplit

from toolkit.answers.base import Note
from toolkit.answers.energy.plans import FailedRetailer, PlanFetch, RetailerCounts
from toolkit.api.plan_register import Register, RequestLimitError
from toolkit.api.transport import origin
from toolkit.errors import (
    ChoiceRequiredError,
    ConnectionFailedError,
    InvalidResponseError,
    PricingError,
    RateLimitError,
    RequestRejectedError,
    ServiceError,
    ToolkitError,
)
from toolkit.flows.household.context import Context, Progress, quiet
from toolkit.flows.plans.catalogue import keep_compiled
from toolkit.flows.plans.register_lists import Checkpoint, ListReader, Source, checkpoints
from toolkit.flows.plans.retailer_sync import MOST_FAILED, Fits, RetailerSync
from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.settings import Settings
from toolkit.store import Store, open_store
from toolkit.store.plan_repository import PlanRepository
from toolkit.tables.reference.retailers import known_retailers, retailer_code
from toolkit.tables.rows.plans import JsonObject, Plan, read_plan
from toolkit.wire.plan_register import Brand

CONNECTIONS = 4
AT_A_TIME = 20
"""Plans requested before the responses are stored."""
MOST_UNANSWERED = 8
"""A run ends where so many plans one after the other get no answer."""
_NOT_LISTED = (404, 410)
_CODE = re.compile(r"[a-z0-9-]+")


def register(settings: Settings) -> Register:
    """Return the client of the plan register that `settings` name; use it as a context manager."""
    url = settings.register_url
    own = settings.base_url is not None and origin(settings.base_url) == origin(url)
    return Register(url, brands_url=settings.brands_url, ca=settings.ca if own else None)


@dataclass(frozen=True, slots=True)
class Watcher:
    """Whoever watches a run. say: gets its progress. stop: asked between requests whether to end it."""

    say: Progress = quiet
    stop: Callable[[], bool] = lambda: False


NOBODY = Watcher()


@dataclass(frozen=True, slots=True)
class Want:
    """Which plans of the lists are wanted. fits: None for all. key: the same for the same plans; empty for all."""

    fits: Fits | None = None
    key: str = ""


EVERY_PLAN = Want()


def fetch(
    ctx: Context,
    source: Source,
    *,
    retailers: Sequence[str] = (),
    all_: bool = False,
    full: bool = False,
    watcher: Watcher = NOBODY,
) -> PlanFetch:
    """Download the plans of some retailers (by brand or plan register code), or of all retailers that it lists.

    Keeps every version; marks plans that are no longer listed, which are then not compared. full: request every plan
    again. What was read when it is stopped is kept. Lists a retailer that fails in `failed` and
    continues with the others; a repeated run resumes from there.
    Raises ChoiceRequiredError where no retailer is named, ConnectionFailedError where the plan register never answers.
    """
    if not retailers and not all_:
        known = sorted(known_retailers())
        raise ChoiceRequiredError(Message(Remedy.CHOOSE_RETAILERS, "."), known)
    codes, notes = (named_retailers(source, retailers), []) if retailers else every_retailer(source, watcher.say)
    with open_store(ctx.db) as store:
        run = Run(store, source, EVERY_PLAN, full=full, watcher=watcher, named=bool(retailers))
        run.sync(codes)
    return run.answer(notes)


@dataclass(slots=True)
class Run:
    """One run over some retailers. named: the retailers were named by the person, so each has to be there."""

    store: Store
    source: Source
    want: Want
    full: bool
    watcher: Watcher
    named: bool
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    syncs: list[RetailerSync] = field(default_factory=list)
    failed: list[FailedRetailer] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    over_limit: bool = False
    unanswered: int = 0

    def sync(self, retailers: Sequence[str]) -> None:
        """Read the lists, mark what is not listed any more, then request and store the plans that are wanted."""
        repository, before = PlanRepository(self.store), checkpoints(self.store)
        readers = self._read_lists([(code, before.get(code, Checkpoint())) for code in retailers])
        for reader in readers:
            others = {plan_id for code, at in before.items() if code != reader.retailer for plan_id in at.listed}
            self.syncs.append(RetailerSync.of(reader, repository, self.want.fits, others))
        read = {reader.retailer for reader in readers}
        elsewhere = {at.stored_id(plan_id) for code, at in before.items() if code not in read for plan_id in at.listed}
        with self.store.transaction():
            self._mark(repository, elsewhere)
            self._save(self.syncs)
        try:
            self._read_plans(repository)
        finally:
            keep_compiled(self.store, self.watcher.say)

    # ---- lists

    def _read_lists(self, retailers: Sequence[tuple[str, Checkpoint]]) -> list[ListReader]:
        """Return the lists that were read, at least in part. Raises ConnectionFailedError where nothing answers."""
        readers = [ListReader(self.source, code, at, self.want.key, self.full) for code, at in retailers]
        read: list[ListReader] = []
        unanswered: list[ListReader] = []
        with _pool() as pool:
            for number, (reader, done) in enumerate([(reader, pool.submit(reader.read)) for reader in readers], 1):
                if self.watcher.stop() or len(unanswered) > CONNECTIONS:
                    done.cancel()
                if done.cancelled():
                    continue
                done.result()
                self.watcher.say(f"lists of plans: {number} of {len(readers)} retailers read")
                if isinstance(reader.error, ConnectionFailedError | RateLimitError):
                    unanswered.append(reader)
                if reader.error is not None:
                    self._list_failed(reader, reader.error)
                if reader.pages:
                    read.append(reader)
        if not read and unanswered and isinstance(unanswered[0].error, ConnectionFailedError):
            raise unanswered[0].error
        skipped = [reader for reader in readers if not reader.pages and reader.error is None]
        why = (
            "stopped before its list was read"
            if self.watcher.stop()
            else "skipped because the plan register does not answer"
        )
        self.failed += [FailedRetailer(reader.retailer, why) for reader in skipped]
        return read

    def _list_failed(self, reader: ListReader, error: ToolkitError) -> None:
        absent = isinstance(error, RequestRejectedError) and error.status == 404 and not reader.pages
        if isinstance(error, RequestLimitError):
            self.over_limit = True
        elif absent and not self.named:
            self.unknown.append(reader.retailer)
        elif absent:
            why = f"the plan register does not list the retailer {reader.retailer!r}"
            self.failed.append(FailedRetailer(reader.retailer, why))
        else:
            self.failed.append(FailedRetailer(reader.retailer, Message(error)))

    def _mark(self, repository: PlanRepository, elsewhere: set[str]) -> None:
        """Mark plans that no list has any more, and those that are listed again. elsewhere: ids in other lists."""
        listed = [{sync.stored_id(plan_id) for plan_id in sync.reader.listed} for sync in self.syncs]
        still = elsewhere.union(*listed)
        for sync, own in zip(self.syncs, listed, strict=True):
            gone = {sync.stored_id(plan_id) for plan_id in sync.reader.withdrawn(self.now.date())}
            repository.mark_listed(own)
            sync.counts.removed = repository.mark_unlisted(sorted(gone - still), self.now)
            if sync.reader.doubt and sync.reader.missing:
                doubt, missing = sync.reader.doubt, len(sync.reader.missing)
                self.notes.append(Note("missing_plans_kept", retailer=sync.retailer, doubt=doubt, count=missing))

    # ---- plans

    def _read_plans(self, repository: PlanRepository) -> None:
        """Request the plans in batches, one of each retailer in turn, until all are read or the run has to end."""
        wanted = sum(len(sync.wanted) for sync in self.syncs)
        with _pool() as pool:
            while not (self.watcher.stop() or self.over_limit) and (batch := self._next_batch()):
                self._read_batch(repository, pool, batch)
                left = sum(len(sync.wanted) for sync in self.syncs)
                self.watcher.say(f"{wanted - left} of {wanted} plans read")
                if self.unanswered >= MOST_UNANSWERED:
                    self.failed.append(FailedRetailer("the plan register", "it does not answer any more"))
                    break

    def _next_batch(self) -> list[tuple[RetailerSync, str]]:
        batch: list[tuple[RetailerSync, str]] = []
        while len(batch) < AT_A_TIME:
            going = [sync for sync in self.syncs if sync.wanted and sync.failed_in_a_row < MOST_FAILED]
            if not going:
                break
            batch += [(sync, sync.take()) for sync in going[: AT_A_TIME - len(batch)]]
        return batch

    def _read_batch(
        self, repository: PlanRepository, pool: ThreadPoolExecutor, batch: Sequence[tuple[RetailerSync, str]]
    ) -> None:
        """Request these plans, and store what came of them."""
        asked = [(sync, plan_id, pool.submit(self.source.plan, sync.retailer, plan_id)) for sync, plan_id in batch]
        with self.store.transaction():
            for sync, plan_id, answer in asked:
                if plan := self._plan(sync, plan_id, answer):
                    warning = repository.warning(plan)
                    added, updated, unchanged = repository.add([plan])
                    sync.stored_as(plan_id, repository.stored_id(plan_id, plan.retailer) or plan_id)
                    if warning:
                        sync.problems.append(Problem(sync.stored_id(plan_id), warning, "warning"))
                    sync.counts.added += added
                    sync.counts.updated += updated
                    sync.counts.unchanged += unchanged
            self._save({sync.retailer: sync for sync, _ in batch}.values())

    def _plan(self, sync: RetailerSync, plan_id: str, answer: Future[JsonObject]) -> Plan | None:
        """Return the plan; None where it could not be read, which is counted and named."""
        try:
            plan = read_plan(answer.result(), plan_id=plan_id)
        except RequestLimitError:
            self.over_limit = True
            sync.put_back(plan_id)
            return None
        except (PricingError, InvalidResponseError) as error:
            sync.reject(plan_id, error.reason if isinstance(error, PricingError) else str(error))
            return None
        except ToolkitError as error:
            self._unread(sync, plan_id, error)
            return None
        self.unanswered = 0
        if plan.plan_id != plan_id:
            sync.reject(plan_id, f"the plan register answered with another plan, {plan.plan_id}")
            return None
        sync.accept(plan_id, plan.problems)
        return plan

    def _unread(self, sync: RetailerSync, plan_id: str, error: ToolkitError) -> None:
        if isinstance(error, RequestRejectedError) and error.status in _NOT_LISTED:
            sync.reject(plan_id, "the plan register lists it but has no details for it")
            return
        if isinstance(error, ConnectionFailedError | RateLimitError):
            self.unanswered += 1
        sync.failed_in_a_row += 1
        sync.reject(plan_id, Message(error))
        if sync.failed_in_a_row == MOST_FAILED and sync.wanted:
            why = f"{MOST_FAILED} plans one after the other could not be read. "
            self.failed.append(FailedRetailer(sync.retailer, Message(why, error)))

    def _save(self, syncs: Iterable[RetailerSync]) -> None:
        for sync in syncs:
            sync.save(self.store, self.now)

    def answer(self, notes: Sequence[Note] = ()) -> PlanFetch:
        """Return what was read. notes: about which retailers were asked."""
        unknown = [Note("retailers_without_plans", names=", ".join(self.unknown))] if self.unknown else []
        to_go = sum(sync.counts.to_go for sync in self.syncs)
        limit = [Note("request_limit", requests=self.source.requests)] if to_go and self.over_limit else []
        rest = [*limit, Note("plans_to_go", count=to_go)] if to_go else []
        return PlanFetch(
            retailers=tuple(RetailerCounts(**asdict(sync.counts)) for sync in self.syncs),
            failed=tuple(self.failed),
            requests=self.source.requests,
            to_go=to_go,
            notes=(*notes, *unknown, *self.notes, *rest),
            problems=tuple(problem for sync in self.syncs for problem in sync.problems),
            names={plan_id: name for sync in self.syncs for plan_id, name in sync.names_of_problems()},
        )


@contextmanager
def _pool() -> Iterator[ThreadPoolExecutor]:
    """Yield a pool of `CONNECTIONS` threads; what has not begun when it is left, is not begun any more."""
    pool = ThreadPoolExecutor(CONNECTIONS)
    try:
        yield pool
    except BaseException:  # an interrupted run does not wait for answers: closing the client ends their retries
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown(cancel_futures=True)


def named_retailers(source: Source, names: Iterable[str]) -> list[str]:
    """Return the plan register's codes of named retailers, each once.

    By the built-in brands, else by name or place in the plan register's own list, which is only requested for a name
    that is not built in; a name that is in neither is taken as a code.
    """
    codes = {name: retailer_code(name) for name in names}
    listed = {} if codes.keys() and set(codes.values()) <= known_retailers().keys() else _by_name(source)
    built_in = known_retailers()
    places = {name: code if code in built_in else listed.get(_plain_name(name), code) for name, code in codes.items()}
    return list(dict.fromkeys(places.values()))


def _plain_name(name: str) -> str:
    return " ".join(name.split()).casefold()


def _by_name(source: Source) -> dict[str, str]:
    """Return brand and place in lower case → place, as the plan register's own list has them."""
    try:
        brands = source.brands()
    except (ServiceError, ConnectionFailedError):
        return {}
    places = {brand.brand_name: _place_of(brand, source.base_url) for brand in brands}
    named = {_plain_name(name): place for name, place in places.items() if place}
    return {place.casefold(): place for place in named.values()} | named


def every_retailer(source: Source, progress: Progress) -> tuple[list[str], list[Note]]:
    """Return the codes of all retailers below the plan register's address, in order, and notes about them.

    Brands with plans at another address are not requested there. Where there are such, or no list can be read, the
    built-in retailers are requested as well.
    """
    progress("reading the plan register's list of brands")
    built_in = sorted(known_retailers())
    try:
        brands = source.brands()
    except (ServiceError, ConnectionFailedError) as error:
        return built_in, [Note("brands_not_read", reason=Message(error))]
    places = [_place_of(brand, source.base_url) for brand in brands]
    here, elsewhere = {place for place in places if place}, places.count(None)
    if here and not elsewhere:
        return sorted(here), []
    return sorted(here | set(built_in)), [Note("brands_elsewhere", count=len(places), elsewhere=elsewhere)]


def _place_of(brand: Brand, base: str) -> str | None:
    """Return where a brand's plans are: the last part of an address right below the plan register's, else the path of
    another address on the same server; None elsewhere.
    """
    root = base.rstrip("/").casefold() + "/"
    for address in (brand.product_base_uri, brand.public_base_uri):
        text = (address or "").strip().rstrip("/")
        place = text[len(root) :]
        if text.casefold().startswith(root) and place and not set(place) & set("/?#"):
            return unquote(place)
        if text and origin(text) == origin(base) and not set(text) & set("?#%") and (path := urlsplit(text).path):
            return path
    return None


def retailer_names() -> Mapping[str, str]:
    """Return code → name of each retailer in the plan register."""
    return known_retailers()
