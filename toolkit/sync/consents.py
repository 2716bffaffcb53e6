"""Consents in force, inferred from records where the service lists none, and records that two consents give.

After a renewal or an overlap two consents give the same records, and each counts once. Rows match only on what the
institution itself wrote, as multisets: two identical purchases stay two, and a row that only the earlier consent gave
stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from toolkit.remedies import Message, Remedy
from toolkit.sync.list_sync import FOLLOWING
from toolkit.tables.schema import Record
from toolkit.tables.schema.identity import ConsentRow

Carried = Mapping[str, str | None]
"""Arrangement of records → their institution."""

JOINED_WITHIN = timedelta(days=7)
"""How long a consent flow's first records may take; later, the flow counts as a renewal of what is there."""
UNLISTED = "no longer listed"
"""Termination reason of a consent that the service no longer lists, without an end date."""
NO_RECORDS = "no more records"
"""Termination reason of a consent that gives no more records, for services without a list of consents."""


def not_renewed(consents: Iterable[ConsentRow]) -> list[ConsentRow]:
    """Return the consents that have ended, without those whose institution has another one in force."""
    every = list(consents)
    renewed = {consent.institution_id for consent in every if consent.state == "active"}
    return [row for row in every if row.state != "active" and row.institution_id not in renewed]


def ended(consent: ConsentRow) -> str:
    """Say that the consent has ended, and how to renew it or delete its data."""
    return Message(
        f"the consent with {consent.institution_id or 'its institution'} has ended ({_how(consent)}) and is no "
        "longer pulled: ",
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
