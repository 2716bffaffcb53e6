"""The answer of `status`: households, consents, how fresh the data is, how much of the meter data is stored."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict
from datetime import date, datetime

from msgspec.structs import replace

from toolkit.analytics.consents import state_on
from toolkit.answers.households import EndUser, HouseholdStatus, ImportedFile, LastRun, MeterCoverage, Status
from toolkit.answers.sync import ResourceCounts
from toolkit.flows.consent.consents import consent_on, known_consents
from toolkit.flows.household.context import Context, choose_household
from toolkit.problems import Problem
from toolkit.store import Store, open_store
from toolkit.store.connection import is_stored
from toolkit.sync.list_sync import Counts, ended, not_renewed
from toolkit.tables.schema.identity import ConsentRow, EndUserRow, HouseholdRow, InstitutionRow
from toolkit.tables.schema.journal import FileRow, PositionRow, QuarantineRow, ReceiptRow, RunRow
from toolkit.units import DAY_MINUTES


def status(ctx: Context) -> Status:
    """Return what is stored for every household (or the one named), by name; nothing without a database."""
    if not is_stored(ctx.db):
        return Status(households=())
    with open_store(ctx.db) as store:
        chosen = [choose_household(store, ctx)] if ctx.household else store.load(HouseholdRow)
        shown = {home.household_id for home in chosen} | {""}
        problems = [
            Problem(row.id, f"{row.resource}: {row.reason}", "warning")
            for row in store.load(QuarantineRow)
            if row.household_id in shown
        ]
        problems += [problem for home in chosen for problem in ended_consents(store, home.household_id, ctx.today)]
        by_name = sorted(chosen, key=lambda home: home.name)
        return Status(
            households=tuple(_household_status(store, home, ctx.today) for home in by_name), problems=tuple(problems)
        )


def ended_consents(store: Store, household_id: str, today: date) -> list[Problem]:
    """Return consents that have ended and were not renewed with the same institution: their data may be deleted."""
    consents = [replace(row, state=state_on(row, today)) for row in store.load(ConsentRow, household_id)]
    return [Problem(row.arrangement_id, ended(row), "warning") for row in not_renewed(consents)]


def _household_status(store: Store, household: HouseholdRow, today: date) -> HouseholdStatus:
    household_id = household.household_id
    institutions = {row.institution_id: row for row in store.load(InstitutionRow)}
    return HouseholdStatus(
        id=household_id,
        name=household.name,
        end_users=tuple(map(_end_user, store.load(EndUserRow, household_id))),
        consents=tuple(
            consent_on(row, institutions.get(row.institution_id or ""), today)
            for row in known_consents(store, household_id, quickly=True)
        ),
        freshness=_freshness(store, household_id),
        meter_coverage=meter_coverage(store, household_id),
        last_run=_last_run(store, household_id),
        files=files_of(store, household_id),
    )


def files_of(store: Store, household_id: str) -> tuple[ImportedFile, ...]:
    """Return the household's imported files by name, each with account, days and rows."""
    contents: dict[str, list[tuple[str | None, str | None, str | None, int, int]]] = defaultdict(list)
    for file_id, account, first, last, rows, days in store.file_contents(household_id):
        contents[file_id].append((account, first, last, rows, days))
    files = sorted(store.load(FileRow, household_id), key=lambda row: (row.name, row.file_id))
    return tuple(
        ImportedFile(
            id=file.file_id,
            name=file.name,
            kind=file.kind,
            account_id=account,
            from_=date.fromisoformat(first) if first else None,
            to=date.fromisoformat(last) if last else None,
            rows=rows,
            days=days,
            imported_at=file.imported_at,
        )
        for file in files
        for account, first, last, rows, days in contents.get(file.file_id, [(None, None, None, 0, 0)])
    )


def _end_user(row: EndUserRow) -> EndUser:
    """Return an end user, with the consent link if an invitation is open."""
    user = EndUser(id=row.end_user_id, name=row.name, email=row.email, state=row.state)
    if row.invite_url is None:
        return user
    return replace(user, invite_url=row.invite_url, invite_expires_at=row.invite_expires_at)


def _freshness(store: Store, household_id: str) -> dict[str, datetime]:
    """Return by resource when it was last read to its end; of several people, the one read longest ago."""
    oldest: dict[str, datetime] = {}
    for row in store.load(PositionRow, household_id):
        if row.fresh_at is not None:
            oldest[row.resource] = min(row.fresh_at, oldest.get(row.resource, row.fresh_at))
    return dict(sorted(oldest.items()))


def meter_coverage(store: Store, household_id: str) -> tuple[MeterCoverage, ...]:
    """Return the share of intervals stored between first and last meter day, by service point; reads of energy only."""
    names = ("service_point_id", "meter_id", "register_suffix", "date", "interval_minutes", "present", "direction")
    registers: dict[tuple[str, ...], list[tuple[date, float]]] = defaultdict(list)
    for point, meter, suffix, day, minutes, present, direction in store.tuples("register_days", names, household_id):
        if direction in ("import", "export"):
            registers[point, meter, suffix].append((date.fromisoformat(day), present * minutes / DAY_MINUTES))
    points: dict[str, list[list[tuple[date, float]]]] = defaultdict(list)
    for (point, _, _), days in registers.items():
        points[point].append(days)
    return tuple(_covered(point, registers_of_point) for point, registers_of_point in sorted(points.items()))


def _covered(point: str, registers: list[list[tuple[date, float]]]) -> MeterCoverage:
    """Count every register from its own first to its own last day, so that a new meter does not look like a gap."""
    first = min(days[0][0] for days in registers)
    last = max(days[-1][0] for days in registers)
    present = sum(share for days in registers for _, share in days)
    expected = sum((days[-1][0] - days[0][0]).days + 1 for days in registers)
    return MeterCoverage(service_point_id=point, from_=first, to=last, coverage=round(present / expected, 6))


def _last_run(store: Store, household_id: str) -> LastRun | None:
    """Return the latest run that stored pages for the household, with its receipts summed by resource."""
    receipts = store.load(ReceiptRow, household_id)
    runs = [run for run in store.load(RunRow) if run.run_id in {receipt.run_id for receipt in receipts}]
    if not runs:
        return None
    run = max(runs, key=lambda run: run.started_at)
    sums: dict[str, Counts] = defaultdict(Counts)
    for receipt in receipts:
        if receipt.run_id == run.run_id:
            sums[receipt.resource] += Counts(
                receipt.fetched,
                receipt.added,
                receipt.updated,
                receipt.unchanged,
                receipt.removed,
                receipt.rejected,
            )
    return LastRun(
        run=run.run_id,
        started_at=run.started_at,
        finished_at=run.finished_at,
        state=run.state,
        resources=tuple(ResourceCounts(resource=name, **asdict(counts)) for name, counts in sorted(sums.items())),
    )
