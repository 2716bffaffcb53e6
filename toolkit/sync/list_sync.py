"""Plan which of the service's lists a sync reads, from which day, and where an interrupted one resumes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from hashlib import sha256

from toolkit.wire.decoding.pages import Page

# Requested at once, in parallel; the other lists depend on the records of these.
LISTS = (
    "banking.accounts",
    "banking.balances",
    "banking.payees",
    "banking.scheduled_payments",
    "banking.direct_debits",
    "energy.accounts",
    "energy.invoices",
    "energy.billing",
    "energy.service_points",
    "energy.der_records",
    "energy.concessions",
)
RESOURCES = (
    *LISTS[:2],
    "banking.transactions",
    *LISTS[2:5],
    "banking.products",
    *LISTS[5:9],
    "energy.usage",
    *LISTS[9:],
)
"""All that a sync reads, in the order of its report."""

# Late postings and corrections are found when the days before the last known one are read again.
TRANSACTION_OVERLAP = timedelta(days=45)
USAGE_OVERLAP = timedelta(days=35)
FULL_SYNC_EVERY = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Person:
    """An end user and the household that owns the rows."""

    household_id: str
    end_user_id: str


@dataclass(frozen=True, slots=True)
class ListSync:
    """Plan to read one list to its end.

    part: the account, service point or institution, or empty.
    complete: whether the list has no lower bound, so that rows it no longer gives have vanished.
    pending: whether it gives all pending rows of its account.
    checkpoint: where to resume an interrupted list sync; a resumed one does not show which rows have vanished.
    """

    person: Person
    resource: str
    part: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict, hash=False)
    complete: bool = True
    pending: bool = False
    checkpoint: Checkpoint | None = None

    @property
    def resumable(self) -> bool:
        """Whether a checkpoint may be kept: a snapshot of pending rows is read whole or not at all."""
        return self.complete or not self.pending


Choice = str | Collection[str] | None
"""What to read: `banking`, `energy`, resources by name, or None for everything."""

FOLLOWING = {
    "banking.transactions": "banking.accounts",
    "banking.products": "banking.accounts",
    "energy.usage": "energy.service_points",
}
"""Resource → the list with the parts (accounts, service points) that it is read for."""


def is_chosen(resource: str, only: Choice) -> bool:
    """Whether `only` selects the resource."""
    if only is None:
        return True
    return resource.startswith(f"{only}.") if isinstance(only, str) else resource in only


def first_list_syncs(person: Person, only: Choice) -> list[ListSync]:
    """Plan the lists of one end user that are selected and depend on no other, or that a selected list depends on."""
    asked = {"end_user_id": person.end_user_id}
    needed = {leading for following, leading in FOLLOWING.items() if is_chosen(following, only)}
    wanted = [resource for resource in LISTS if resource in needed or is_chosen(resource, only)]
    return [ListSync(person, resource, parameters=asked) for resource in wanted]


def transaction_list_syncs(person: Person, account_id: str, read_to: date | None) -> list[ListSync]:
    """Plan all transactions of an account that was never read (`read_to` None), else recent posted and all pending
    ones.

    The service leaves rows without posting and execution time out of any range; pending rows may have neither, so they
    are asked for without one. A periodic list sync without bounds finds the others.
    """
    asked = {"end_user_id": person.end_user_id, "account_id": account_id}
    if read_to is None:
        return [ListSync(person, "banking.transactions", account_id, asked, pending=True)]
    since = {"status": "POSTED", "from_": f"{read_to - TRANSACTION_OVERLAP}T00:00:00Z"}
    return [
        ListSync(person, "banking.transactions", account_id, {**asked, **since}, complete=False),
        ListSync(
            person, "banking.transactions", account_id, {**asked, "status": "PENDING"}, complete=False, pending=True
        ),
    ]


def usage_list_sync(person: Person, service_point_id: str, read_to: date | None) -> ListSync:
    """Plan all reads of a service point, or recent ones: estimates are replaced within weeks."""
    asked = {"end_user_id": person.end_user_id, "service_point_id": service_point_id}
    if read_to is None:
        return ListSync(person, "energy.usage", service_point_id, asked)
    since = {"read_start_date_oldest": (read_to - USAGE_OVERLAP).isoformat()}
    return ListSync(person, "energy.usage", service_point_id, {**asked, **since}, complete=False)


def product_list_sync(institution_id: str) -> ListSync:
    """Plan the products of an institution; they belong to no household."""
    return ListSync(Person("", ""), "banking.products", institution_id, {"institution_id": institution_id})


def full_sync_due(last: datetime | None, now: datetime) -> bool:
    """Whether to read everything again; True also if the clock was set back since."""
    return last is None or not timedelta(0) <= now - last < FULL_SYNC_EVERY


KEPT_FOR = timedelta(days=7)
"""Older checkpoints are ignored, because cursors expire and lists change."""
LONGEST_CURSOR = 4096


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The page of a list sync that was stored last.

    cursor: the service's cursor of that page; it is valid for its list only and grants no access.
    content: hash of the page, see `content_of`.
    first: whether nothing of the list was stored before the list sync, so that no row can have vanished.
    newest: latest day on the pages up to this one.
    """

    cursor: str
    content: str
    first: bool
    newest: date | None


def content_of(page: Page) -> str:
    """Hash the ids of a page's records, in order. The hash changes if rows were added or removed before them."""
    known = [str(getattr(record, "platform_id", None) or "") for record in page.records]
    ids = [identity or raw.hex() for identity, raw in zip(known, page.raws, strict=True)]
    return sha256("\n".join([*ids, *(entry.raw.hex() for entry in page.rejected)]).encode()).hexdigest()


def question(parameters: Mapping[str, str], arrangements: Iterable[str], platform: str) -> str:
    """Return the key of a list sync: its parameters, the consents in force and the platform (`TOOLKIT_PLATFORM`).

    Other consents may give another list, and another platform gives its records other ids.
    """
    key = {"consents": sorted(arrangements), "parameters": dict(parameters), "platform": platform}
    return json.dumps(key, sort_keys=True, separators=(",", ":"))


def is_recent(reached_at: datetime, now: datetime) -> bool:
    """Whether a checkpoint is young enough; False also if the clock was set back since."""
    return timedelta(0) <= now - reached_at < KEPT_FOR


Positions = dict[str, date]


def read_positions(text: str | None) -> Positions:
    """Parse stored positions; none for None."""
    return {part: date.fromisoformat(day) for part, day in json.loads(text or "{}").items()}


def written_positions(positions: Mapping[str, date]) -> str:
    """Write positions as JSON text, sorted by part."""
    return json.dumps({part: day.isoformat() for part, day in sorted(positions.items())}, separators=(",", ":"))


def moved(positions: Positions, part: str, newest: date | None, today: date) -> Positions:
    """Return `positions` after a complete list sync of `part` up to `newest`; never after `today`, never earlier."""
    known = [day for day in (positions.get(part), newest and min(newest, today)) if day is not None]
    return {**positions, part: max(known)} if known else positions


@dataclass(frozen=True, slots=True)
class Counts:
    """Receipt of a page or resource: every record fetched is added, updated, unchanged or rejected.

    removed: stored rows that are no longer given; not part of the sum.
    """

    fetched: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    rejected: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(**{name: value + getattr(other, name) for name, value in asdict(self).items()})

    @property
    def balances(self) -> bool:
        """Whether every record fetched is accounted for."""
        return self.fetched == self.added + self.updated + self.unchanged + self.rejected

    @property
    def changed(self) -> bool:
        """Whether any stored row is new, updated or gone."""
        return bool(self.added or self.updated or self.removed)

    def as_json(self) -> dict[str, int]:
        """Return the counts by name, as in a receipt."""
        return asdict(self)
