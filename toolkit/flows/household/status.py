"""What is stored: households, their consents, how fresh each resource is, how much of the meter data is there."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, datetime
from typing import Any

from msgspec.structs import replace

from toolkit.analytics.consents import state_on
from toolkit.answers.consents import Consent
from toolkit.errors import Problem
from toolkit.flows.consent.consents import consent_on, known_consents
from toolkit.flows.household.context import Context, choose_household
from toolkit.store import Store, open_store
from toolkit.store.integrity import is_stored
from toolkit.sync.consents import ended, not_renewed
from toolkit.sync.list_sync import Counts
from toolkit.tables.schema.identity import ConsentRow, HouseholdRow, InstitutionRow

_MINUTES = 1440


def status(ctx: Context) -> dict[str, Any]:
    """`status`: every household (or the one named), and what waits in quarantine; empty without a database."""
    if not is_stored(ctx.db):
        return {"households": [], "problems": []}
    with open_store(ctx.db) as store:
        chosen = [choose_household(store, ctx)] if ctx.household else store.load(HouseholdRow)
        homes = [_home(store, household, ctx.today) for household in sorted(chosen, key=lambda row: row.name)]
        kept = {row.household_id for row in chosen} | {""}
        waiting = [row for row in store.rows("quarantine") if row["household_id"] in kept]
        problems = [Problem(row["id"], f"{row['resource']}: {row['reason']}", "warning") for row in waiting]
        problems += [problem for row in chosen for problem in ended_consents(store, row.household_id, ctx.today)]
    return {"households": homes, "problems": [problem.as_json() for problem in problems]}


def ended_consents(store: Store, household_id: str, today: date) -> list[Problem]:
    """Consents that have ended and were not renewed with the same institution: their data may be deleted."""
    consents = [replace(row, state=state_on(row, today)) for row in store.load(ConsentRow, household_id)]
    return [Problem(row.arrangement_id, ended(row), "warning") for row in not_renewed(consents)]


def _home(store: Store, household: HouseholdRow, today: date) -> dict[str, Any]:
    household_id = household.household_id
    people = store.rows("end_users", household_id)
    return {
        "id": household_id,
        "name": household.name,
        "end_users": [_person(row) for row in people],
        "consents": _consents(store, household_id, today),
        "freshness": _freshness(store, household_id),
        "meter_coverage": meter_coverage(store, household_id),
        "last_run": _last_run(store, household_id),
    }


def _person(row: dict[str, Any]) -> dict[str, Any]:
    """Return an end user, with the consent link if an invitation is open."""
    person = {"id": row["end_user_id"], "name": row["name"], "email": row["email"], "state": row["state"]}
    if row["invite_url"] is None:
        return person
    return {**person, "invite_url": row["invite_url"], "invite_expires_at": row["invite_expires_at"]}


def _consents(store: Store, household_id: str, today: date) -> list[Consent]:
    known = {row.institution_id: row for row in store.load(InstitutionRow)}
    consents = known_consents(store, household_id, quickly=True)
    return [consent_on(row, known.get(row.institution_id or ""), today) for row in consents]


def _freshness(store: Store, household_id: str) -> dict[str, datetime]:
    """Resource → when it was last read to the end; of several people, the one read longest ago."""
    moments: dict[str, list[datetime]] = defaultdict(list)
    for row in store.rows("positions", household_id):
        if row["fresh_at"] is not None:
            moments[row["resource"]].append(row["fresh_at"])
    return {resource: min(found) for resource, found in sorted(moments.items())}


def meter_coverage(store: Store, household_id: str) -> list[dict[str, Any]]:
    """Share of intervals present between the first and the last meter day, by service point; reads of energy only."""
    names = ("service_point_id", "meter_id", "register_suffix", "date", "interval_minutes", "present", "direction")
    registers: dict[tuple[str, ...], list[tuple[date, float]]] = defaultdict(list)
    for point, meter, suffix, day, minutes, present, direction in store.tuples("register_days", names, household_id):
        if direction in ("import", "export"):
            registers[point, meter, suffix].append((date.fromisoformat(day), present * minutes / _MINUTES))
    points: dict[str, list[list[tuple[date, float]]]] = defaultdict(list)
    for (point, _, _), days in registers.items():
        points[point].append(days)
    return [_covered(point, found) for point, found in sorted(points.items())]


def _covered(point: str, registers: list[list[tuple[date, float]]]) -> dict[str, Any]:
    """Every register counts for its own first to last day, so that a new meter does not look like a gap."""
    first = min(days[0][0] for days in registers)
    last = max(days[-1][0] for days in registers)
    present = sum(share for days in registers for _, share in days)
    expected = sum((days[-1][0] - days[0][0]).days + 1 for days in registers)
    return {"service_point_id": point, "from": first, "to": last, "coverage": round(present / expected, 6)}


def _last_run(store: Store, household_id: str) -> dict[str, Any] | None:
    """Return the latest run that stored pages for the household, with its receipts by resource."""
    receipts = store.rows("receipts", household_id)
    runs = [row for row in store.rows("runs") if row["run_id"] in {receipt["run_id"] for receipt in receipts}]
    if not runs:
        return None
    run = max(runs, key=lambda row: row["started_at"])
    own = [receipt for receipt in receipts if receipt["run_id"] == run["run_id"]]
    return {
        "run": run["run_id"],
        "started_at": run["started_at"],
        "finished_at": run["finished_at"],
        "state": run["state"],
        "resources": _summed(own),
    }


def _summed(receipts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sums: dict[str, Counts] = defaultdict(Counts)
    for receipt in receipts:
        sums[receipt["resource"]] += Counts(**{name: receipt[name] for name in Counts().as_json()})
    return [{"resource": resource, **tally.as_json()} for resource, tally in sorted(sums.items())]
