"""Visits to the app: what was added since the last one."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from typing import get_args
from zoneinfo import ZoneInfo

from toolkit.analytics.money.edits.settings import PAYEE_RULE
from toolkit.answers.insights import Added, AddedKind, SinceLastVisit
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import counted_invoices
from toolkit.flows.money.overrides import in_force
from toolkit.flows.money.summary import zone_of
from toolkit.store import Store
from toolkit.tables.schema.desk import VisitRow
from toolkit.tables.schema.energy import PlanRow
from toolkit.tables.schema.journal import FileRow, OverrideRow, ReceiptRow, RunRow
from toolkit.tables.schema.typed import AsToldRow, TypedConcessionRow, TypedInvoiceRow

_RESOURCES = {
    "banking.accounts": "accounts",
    "banking.transactions": "transactions",
    "energy.usage": "meter_days",
    "energy.invoices": "bills",
}
_OF_FILES = {"transactions": "transactions", "register_days": "meter_days", "meter_reads": "meter_days"}
_EACH = {"register_days": ("service_point_id", "date")}
"""Columns of a table that name what is counted: a day of a meter counts once, however many registers it has."""


def visit(ctx: Context, launch: str) -> SinceLastVisit:
    """Keep that the household was looked at, and return what was added since the visit before.

    launch: a hash that is new for each start of the app; later pages of the same start belong to the same visit.
    """
    with open_home(ctx) as (store, household):
        home = household.household_id
        before = _recorded(store, home, launch)
        zone = ZoneInfo(zone_of(household))
        return SinceLastVisit(
            visited_at=before.astimezone(zone) if before else None, added=_added(store, home, before) if before else ()
        )


def record_visit(ctx: Context, launch: str) -> None:
    """Keep that the household was looked at, on whatever page. launch: as `visit` takes it."""
    with open_home(ctx) as (store, household):
        _recorded(store, household.household_id, launch)


def _recorded(store: Store, home: str, launch: str) -> datetime | None:
    """Keep a visit, once for each launch, and return when the one before it was."""
    known = store.first(VisitRow, home)
    if known is not None and known.launch == launch:
        return known.before
    before = known.at if known else None
    store.upsert("visits", [VisitRow(home, launch, datetime.now(UTC), before)])
    return before


def _added(store: Store, home: str, since: datetime) -> tuple[Added, ...]:
    counts: Counter[str] = Counter()
    runs = {run.run_id for run in store.load(RunRow) if run.started_at >= since}
    for receipt in store.load(ReceiptRow, home):
        if receipt.run_id in runs and receipt.resource in _RESOURCES:
            counts[_RESOURCES[receipt.resource]] += receipt.added
    files = {row.file_id for row in store.load(FileRow, home) if row.imported_at >= since}
    counts["files"] = len(files)
    for table, what in _OF_FILES.items() if files else ():
        counts[what] += store.count_new(table, home, files, each=_EACH.get(table, ()))
    counts["accounts"] += len(_accounts_of_files(store, home, files)) if files else 0
    # Published plans belong to no household: the file does.
    counts["plans"] = store.count("plans", where={"file_id": sorted(files)}) if files else 0
    plans = store.load(PlanRow, home, where={"source": "typed"})
    counts["plans"] += len({row.plan_id for row in plans if _is_new(row, since)})
    counts["bills"] += sum(_is_new(row, since) for row in counted_invoices(store, home))
    counts["concessions"] = sum(_is_new(row, since) for row in store.load(TypedConcessionRow, home))
    decided = [row for row in in_force(store, home) if _is_new(row, since)]
    balances = [row for row in decided if row.kind == "account" and "balance_minor" in json.loads(row.value)]
    counts["balances"] = len({row.subject for row in balances})
    counts["rules"] = sum(row.kind in ("rule", PAYEE_RULE) for row in decided)
    counts["stated_lines"] = sum(_is_new(row, since) for row in store.load(AsToldRow, home))
    return tuple(Added(what=what, count=counts[what]) for what in get_args(AddedKind) if counts[what])


def _accounts_of_files(store: Store, home: str, files: set[str]) -> set[str]:
    """Return the bank accounts with rows of these files and of no other."""
    accounts: dict[bool, set[str]] = {True: set(), False: set()}
    for file, account, *_ in store.file_contents(home):
        if account is not None:
            accounts[file in files].add(account)
    return accounts[True] - accounts[False]


def _is_new(row: TypedInvoiceRow | TypedConcessionRow | AsToldRow | PlanRow | OverrideRow, since: datetime) -> bool:
    return row.entered_at is not None and row.entered_at >= since
