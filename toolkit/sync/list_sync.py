"""Plan which lists a sync reads, from which day and where it resumes, and under which consents in force.

Consents are inferred from records where the service lists none. After a renewal or an overlap two consents give the
same records, and each counts once. Rows match only on what the institution itself wrote, as multisets: two identical
purchases stay two, and a row that only the earlier consent gave stays.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from hashlib import sha256

from toolkit.remedies import Message, Remedy
from toolkit.tables.schema import Record
from toolkit.tables.schema.identity import ConsentRow
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
    known = [getattr(record, "platform_id", None) for record in page.records]
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


Carried = Mapping[str, str | None]
"""Arrangement of records → their institution."""

JOINED_WITHIN = timedelta(days=7)
"""How long a consent flow's first records may take; later, the flow counts as a renewal of what is there."""
UNLISTED = "no longer listed"
"""Termination reason of a consent that the service no longer lists, without an end date."""
NO_RECORDS = "no more records"
"""Termination reason of a consent that gives no more records, for services without a list of consents."""


def not_renewed(consents: Iterable[ConsentRow]) -> list[ConsentRow]:
    """Return the consents that have ended, without those of institutions with another one in force."""
    every = list(consents)
    renewed = {consent.institution_id for consent in every if consent.state == "active"}
    return [row for row in every if row.state != "active" and row.institution_id not in renewed]


def ended(consent: ConsentRow) -> str:
    """Say that the consent has ended, and how to renew it or delete its data."""
    return Message(
        f"the consent with {consent.institution_id or 'its institution'} has ended ({_how(consent)}) and is not "
        "pulled any more: ",
        Remedy.RENEW_OR_FORGET.with_(consent=consent.arrangement_id),
    )


def _how(consent: ConsentRow) -> str:
    day = str(consent.ended_at or consent.ends_at or "")[:10]
    if consent.termination_reason == UNLISTED:
        return f"{UNLISTED} by the service" + (f", last seen {day}" if day else "")
    if consent.termination_reason == NO_RECORDS:
        return "the service gives no more records under it" + (f", last seen {day}" if day else "")
    return f"{consent.state} {day}".rstrip()


def is_listed(consent: ConsentRow) -> bool:
    """Whether the consent comes from the service's own list."""
    return consent.raw is not None


def awaits_records(consent: ConsentRow) -> bool:
    """Whether the consent is known from a consent flow alone; its consent id is then its arrangement id."""
    return not is_listed(consent) and consent.arrangement_id == consent.consent_id


def join(
    flows: Sequence[ConsentRow], carried: Carried, known: Mapping[str, ConsentRow], now: datetime
) -> dict[str, str]:
    """Match consent flows to arrangements: consent id → arrangement of its records. Unclear flows are left out.

    flows: consents of one end user that await records. carried: what this run's records carry. known: consents stored
    before it, by arrangement. A new arrangement goes before one that is known: services either renew an arrangement
    or make another.
    """
    joined: dict[str, str] = {}
    for flow in flows:
        fitting = [name for name in carried if _fits(flow, carried[name]) and name not in joined.values()]
        new = [name for name in fitting if name not in known]
        rivals = [other for other in flows if other is not flow and any(_fits(other, carried[name]) for name in new)]
        if len(new) == 1 and not rivals:
            joined[flow.arrangement_id] = new[0]
        elif not new and (renewed := _renewed(flow, [known[name] for name in fitting], now)):
            joined[flow.arrangement_id] = renewed
    return joined


def _fits(flow: ConsentRow, institution_id: str | None) -> bool:
    return flow.institution_id is None or flow.institution_id == institution_id


def _renewed(flow: ConsentRow, consents: Sequence[ConsentRow], now: datetime) -> str | None:
    """Return the known arrangement that the flow renewed."""
    if any(consent.arrangement_id == flow.renews for consent in consents):
        return flow.renews
    if len(consents) != 1:
        return None
    (only,) = consents
    is_old = flow.granted_at is not None and now - flow.granted_at > JOINED_WITHIN
    return only.arrangement_id if only.consent_id is None or is_old else None


def is_replaced(consent: ConsentRow, carried: Carried) -> bool:
    """Whether all records of its institution in this run came under other arrangements."""
    return consent.arrangement_id not in carried and consent.institution_id in set(carried.values())


def lists_with(resources: Iterable[str]) -> set[str]:
    """Return the lists that show whether these resources still have records; parts follow from their list."""
    return {FOLLOWING.get(resource, resource) for resource in resources}


# Columns that distinguish the records of one institution across consents, where platform ids may differ. `account` is
# the account's number, as its id may differ by consent.
NATURAL: dict[str, tuple[str, ...]] = {
    "accounts": ("account",),
    "transactions": ("account", "status", "day", "amount_minor", "currency", "description"),
    "payees": ("payee_id",),
    "scheduled_payments": ("scheduled_payment_id",),
    "direct_debits": ("account", "abn", "description"),
    "energy_accounts": ("account",),
    "invoices": ("account", "invoice_number"),
    "billing": ("account", "transaction_u_type", "execution_date_time", "start_date", "amount", "description"),
    "concessions": ("account", "display_name", "start_date"),
    "service_points": ("point",),
    "der_records": ("point",),
}


def ranked(consents: Iterable[ConsentRow], current: Collection[str] = ()) -> list[str]:
    """Rank the arrangements of one institution: those in force first, then the latest granted.

    current: those of the latest records; they go before others that only records show to be in force.
    """
    ranking = sorted(consents, key=lambda row: row.arrangement_id)
    ranking.sort(key=lambda row: str(row.granted_at or ""), reverse=True)
    ranking.sort(key=lambda row: row.raw is None and row.arrangement_id not in current)
    ranking.sort(key=lambda row: row.state != "active")
    return [row.arrangement_id for row in ranking]


def account_identity(row: Record) -> str:
    """Return the account's identity at its institution: its number, else the masked number, else its id."""
    number = row.get("account_number")
    return f"{row.get('bsb') or ''}/{number}" if number else str(row.get("masked_number") or row["account_id"])


def natural_key(table: str, row: Record, accounts: Mapping[str, str], points: Mapping[str, str]) -> Hashable:
    """Return a row's identity across consents. accounts, points: id → identity of the account or service point.

    Transactions need their `day` (see `tables.transaction_days`).
    """
    known = {
        "account": accounts.get(str(row.get("account_id")), row.get("account_id")),
        "point": points.get(str(row.get("service_point_id")), row.get("service_point_id")),
    }
    return tuple(known.get(name, row.get(name)) for name in NATURAL[table])


def superseded(groups: Sequence[tuple[str, Sequence[tuple[str, Hashable]]]]) -> dict[str, str]:
    """Return row id → preferred arrangement with the record. groups: (arrangement, [(row id, key)]), best first."""
    most: Counter[Hashable] = Counter()
    source: dict[Hashable, str] = {}
    found: dict[str, str] = {}
    for arrangement, rows in groups:
        here: Counter[Hashable] = Counter()
        for row_id, key in sorted(rows, key=lambda pair: pair[0]):
            here[key] += 1
            if here[key] <= most[key]:
                found[row_id] = source[key]
        for key, count in here.items():
            most[key] = max(most[key], count)
            source.setdefault(key, arrangement)
    return found
