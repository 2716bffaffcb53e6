"""Make rows of every table that a page of records fills; rows of consents and institutions.

A field that no row can store (an impossible date …) is left empty; if it is essential (see `wire.records.essential`),
its record goes to the quarantine. Fields left empty are reported; a row is compared with what is stored
column by column, so a later version that reads the field fills it as soon as the record is read again, at the latest
by the next full sync.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, cast

from msgspec import DecodeError, Raw, Struct
from msgspec import json as wire_json

from toolkit.problems import Problem
from toolkit.tables.rows import banking, energy, meters, usage
from toolkit.tables.rows.values import ColumnRows, RecordRow, Scope, UnreadableValueError, instant, whole
from toolkit.wire.decoding.lenient import Spelling, members, normalised, with_surrogates_replaced
from toolkit.wire.decoding.pages import UnparsedField
from toolkit.wire.records.banking import Transaction
from toolkit.wire.records.essential import without
from toolkit.wire.records.identity import ConsentRecord, Institution

_HOUSE = Spelling()
_OWNER_COLUMNS = ("arrangement_id", "account_id", "service_point_id")
_ALL_READ: Mapping[bytes, Sequence[UnparsedField]] = {}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record for the quarantine. id: platform_id, or a hash of the record. raw: as given; the rest where readable."""

    id: str
    reason: str
    raw: str
    arrangement_id: str | None = None
    account_id: str | None = None
    service_point_id: str | None = None


@dataclass(slots=True)
class PageRows:
    """The rows made from a page.

    counted: table → rows, one for each record that could be read. further: rows that the same records also fill.
    unparsed: fields left empty in these.
    """

    counted: dict[str, list[RecordRow] | ColumnRows] = field(default_factory=dict)
    further: dict[str, list[RecordRow]] = field(default_factory=dict)
    refused: list[Refusal] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unparsed: list[UnparsedField] = field(default_factory=list)

    def count(self, table: str, rows: Sequence[RecordRow]) -> None:
        """Add rows of one record: the first counts for the record, the others are further rows."""
        if rows:
            counted = self.counted.setdefault(table, [])
            assert isinstance(counted, list)
            counted.append(rows[0])
            self.also(table, rows[1:])

    def also(self, table: str, rows: Sequence[RecordRow]) -> None:
        """Add further rows of a record that is counted in another table."""
        if rows:
            self.further.setdefault(table, []).extend(rows)


# ---- consents and institutions


def consent(record: ConsentRecord, scope: Scope, raw: str) -> RecordRow:
    """Return the row of table `consents`, of the end user asked for; `state` is active, expired, revoked or ended."""
    state = consent_state(record)
    # without a time of its own, a consent has ended by the time it is read
    ended_at = instant("revoked_at", record.revoked_at) or instant("updated_at", record.updated_at) or scope.seen_at
    return {
        "household_id": scope.household_id,
        "arrangement_id": record.arrangement_id,
        "consent_id": record.consent_id,
        "end_user_id": record.end_user_id or scope.end_user_id,
        "institution_id": record.institution_id,
        "state": state,
        "termination_reason": record.termination_reason,
        "granted_at": instant("granted_at", record.granted_at or record.created_at),
        "ends_at": instant("expires_at", record.expires_at),
        "ended_at": ended_at if state != "active" else None,
        "renews": None,
        "raw": raw,
    }


def consent_state(record: ConsentRecord) -> str:
    """Return one word for the state of a consent: the service gives `active`, a reason and times, but no status."""
    reason = (record.termination_reason or "").lower()
    if record.active or (record.active is None and not (reason or record.revoked_at)):
        return "active"
    if "expir" in reason:
        return "expired"
    if record.revoked_at or any(word in reason for word in ("revok", "withdr", "delet", "user")):
        return "revoked"
    return "ended"


def institution(record: Institution, scope: Scope, raw: str) -> RecordRow:  # noqa: ARG001 every reader has this form
    """Return the row of table `institutions`."""
    connections = record.status.connections if record.status else None
    return {
        "institution_id": record.id,
        "name": record.name,
        "industry": record.industry,
        "is_accessible": record.is_accessible,
        "priority": whole("priority", record.priority),
        "connection_status": connections.status if connections else None,
        "raw": raw,
    }


# ---- pages of any resource

Reader = Callable[[Any, Scope, str], RecordRow]

_READERS: dict[str, tuple[str, Reader]] = {
    "banking.accounts": ("accounts", banking.account),
    "banking.balances": ("balances", banking.balance),
    "banking.transactions": ("transactions", banking.transaction),
    "banking.payees": ("payees", banking.payee),
    "banking.scheduled_payments": ("scheduled_payments", banking.scheduled_payment),
    "banking.direct_debits": ("direct_debits", banking.direct_debit),
    "banking.products": ("products", banking.product),
    "energy.accounts": ("energy_accounts", energy.account),
    "energy.invoices": ("invoices", energy.invoice),
    "energy.billing": ("billing", energy.billing),
    "energy.service_points": ("service_points", meters.service_point),
    "energy.der_records": ("der_records", meters.der_record),
    "energy.concessions": ("concessions", energy.concession),
    "consents": ("consents", consent),
    "institutions": ("institutions", institution),
}


# Nobody knows what a service may send one day: such a record is set aside, and the rest of its page goes in.
_OF_NO_KNOWN_FORM = (
    UnreadableValueError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def rows_of(
    resource: str,
    records: Sequence[Struct],
    raws: Sequence[bytes],
    scope: Scope,
    unparsed: Mapping[bytes, Sequence[UnparsedField]] = _ALL_READ,
) -> PageRows:
    """Convert records of a resource, with their texts as given, to rows by table name.

    unparsed: what a page left empty, by raw record. Raises KeyError for an unknown resource; unreadable records are in
    `refused`, doubts in `problems`, fields left empty in `unparsed`.
    """
    if resource != "energy.usage" and resource not in _READERS:
        raise KeyError(resource)
    page = PageRows()
    if resource == "banking.transactions" and records:
        with suppress(*_OF_NO_KNOWN_FORM):  # of one record: then each is read by itself
            texts = [given.decode("utf-8", "replace") for given in raws]
            page.counted["transactions"] = banking.transactions(cast(Sequence[Transaction], records), scope, texts)
            page.unparsed += [field for given in raws for field in unparsed.get(given, ())] if unparsed else ()
            return page
    for record, given in zip(records, raws, strict=True):
        try:
            _add(page, resource, record, scope, given.decode("utf-8", "replace"))
        except _OF_NO_KNOWN_FORM as error:
            if not _added_without(page, resource, record, scope, given, error):
                continue
        if unparsed:
            page.unparsed += unparsed.get(given, ())
    return page


def _added_without(page: PageRows, resource: str, record: Any, scope: Scope, given: bytes, error: Exception) -> bool:
    """Add the record with the field left empty that no row can hold; where that is essential, refuse it."""
    field = getattr(error, "field", "")
    emptied = without(record, field)
    if emptied is None:
        reason = str(error) if isinstance(error, UnreadableValueError) else "its form is not known"
        page.refused.append(refusal(given, reason, record))
        return False
    try:
        _add(page, resource, emptied, scope, given.decode("utf-8", "replace"))
    except _OF_NO_KNOWN_FORM as further:
        if not _added_without(page, resource, emptied, scope, given, further):
            return False
    page.unparsed.append(UnparsedField(refusal(given, "", record).id, field, str(error)))
    return True


def refusal(given: bytes, reason: str, record: object = None, spelling: Spelling = _HOUSE) -> Refusal:
    """Build the refusal of a record; its id is its platform_id, else a hash of the record."""
    known = _identifiers(spelling.to_house(given))
    named = known.get("platform_id") or getattr(record, "platform_id", None) or sha256(given).hexdigest()
    owner = {name: known.get(name) for name in _OWNER_COLUMNS}
    return Refusal(named, reason, given.decode("utf-8", "replace"), **owner)


def _identifiers(given: bytes) -> dict[str, str]:
    """Return the ids of a record and its owner, in any spelling; empty if it cannot be decoded."""
    try:
        decoded = wire_json.decode(with_surrogates_replaced(given))
    except (DecodeError, RecursionError, UnicodeDecodeError):
        return {}
    texts = {normalised(k): v for k, v in decoded.items() if isinstance(v, str)} if isinstance(decoded, dict) else {}
    return {name: texts[normalised(name)] for name in ("platform_id", *_OWNER_COLUMNS) if normalised(name) in texts}


def _add(page: PageRows, resource: str, record: Any, scope: Scope, raw: str) -> None:
    if resource == "energy.usage":
        _add_usage(page, record, scope, raw)
        return
    table, reader = _READERS[resource]
    row = reader(record, scope, raw)
    if resource == "energy.accounts":
        _add_plans(page, record, scope, raw)
    elif resource == "energy.service_points":
        page.also("registers", meters.registers(record, scope))
        page.problems += meters.register_problems(record)
    elif resource == "energy.der_records":
        page.problems += meters.der_problems(record)
    page.count(table, [row])


def _add_usage(page: PageRows, record: Any, scope: Scope, raw: str) -> None:
    """Add reads. A record without an id is identified by its whole text, so that two records of one read stay two."""
    kept = without_values(raw)
    own = {} if record.platform_id else {"id": sha256(raw.encode()).hexdigest()}
    days = [{**row, **own} for row in usage.day_rows(record, scope, kept)]
    if days:
        page.count("register_days", days)
        if partly := usage.too_few_values(record, days):
            page.problems.append(Problem(record.service_point_id, f"energy.usage: {partly}", "warning"))
    else:
        page.count("meter_reads", [{**row, **own} for row in usage.read_rows(record, scope, kept)])
    if not record.unit_of_measure:
        page.problems.append(Problem(record.service_point_id, "reads without a unit are taken as kWh", "warning"))


def _add_plans(page: PageRows, record: Any, scope: Scope, raw: str) -> None:
    account_plans, plans, problems = energy.plans_of(record, scope, raw)
    page.also("account_plans", account_plans)
    page.also("plans", plans)
    page.problems += problems


def without_values(raw: str) -> str:
    """Return a usage record as given, but for its array of values, which the register-day holds exactly."""
    outer = members(raw.encode())
    for name in ("interval_read", "intervalRead"):
        if name in outer and outer[name] != b"null":
            inner = members(outer[name])
            outer[name] = _joined({k: v for k, v in inner.items() if k not in ("interval_reads", "intervalReads")})
    return _joined(outer).decode()


def _joined(parts: Mapping[str, bytes]) -> bytes:
    return wire_json.encode({name: Raw(text) for name, text in parts.items()})
