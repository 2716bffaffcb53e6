"""Are the invoices right? Each recomputed from its reads and the plan in force then."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import groupby
from typing import TYPE_CHECKING, Any

from toolkit.errors import StoreError, WrongUsage
from toolkit.flows.bill import billed_point
from toolkit.flows.context import Context, open_home
from toolkit.flows.money import typed_cents
from toolkit.flows.reconcile_payments import Billed, payments_of
from toolkit.flows.reconcile_reads import Recomputer
from toolkit.flows.reconcile_said import account_json, invoice_json
from toolkit.flows.service_points import ServicePoint, service_points

if TYPE_CHECKING:
    from toolkit.analytics.energy.reconcile import Checked, Conventions, Stated
    from toolkit.flows.reconcile_reads import Recomputed
    from toolkit.store import Store

NO_INVOICES = (
    "No invoice is stored: `toolkit sync` brings them from the service, or type one from paper: "
    "`toolkit reconcile --from D --to D --billed AMOUNT`."
)


def reconcile(
    ctx: Context, *, from_: date | None = None, to: date | None = None, billed: Decimal | str | None = None
) -> dict[str, Any]:
    """`reconcile`: contract section 7. Invoices newest last.

    from_, to: only invoices that reach into these days; with `billed` (AUD with GST) the period of a paper bill. An
    invoice agrees where its amount is within `tolerance` of the recomputed; `reasons` are sentences, `causes` their
    kinds. `accounts` says how each account states GST and credits. Raises WrongUsage where a paper bill lacks a date,
    StoreError where there is nothing to check.
    """
    with open_home(ctx) as (store, household):
        points = service_points(store, household, ctx.service_point)
        known = (
            _stored(store, household, points)
            if billed is None
            else [_typed(store, household, ctx, (from_, to, billed))]
        )
        entries = [entry for entry in known if entry.points and _reaches(entry, from_, to)]
        recomputer = Recomputer(store, household, [_span(entry) for entry in entries])
        checks, ways = _checked(entries, recomputer)
        paid = payments_of(store, household, [_billed(entry, ways) for entry in known])
        settled = {id(entry): payment for entry, payment in zip(known, paid, strict=True)}
        return _answer(checks, ways, [settled[id(entry)] for entry in entries], recomputer)


@dataclass(frozen=True, slots=True)
class Entry:
    """One invoice and the service points that it bills."""

    stated: Stated
    points: tuple[ServicePoint, ...]
    institution_id: str | None = None


_Check = tuple[Entry, "Recomputed", "Checked"]


def _billed(entry: Entry, ways: Mapping[str | None, Conventions]) -> Billed:
    """Invoices that were not asked for count as well: a payment may settle them together with one that was."""
    way = ways.get(entry.stated.account_id)
    return Billed(entry.stated, way.billed(entry.stated) if way else entry.stated.minor, entry.institution_id)


def _span(entry: Entry) -> tuple[tuple[ServicePoint, ...], date, date]:
    return entry.points, entry.stated.period.first, entry.stated.period.last


def _typed(
    store: Store,
    household: Mapping[str, Any],
    ctx: Context,
    asked: tuple[date | None, date | None, Decimal | str],
) -> Entry:
    from toolkit.analytics.energy.bills import Period
    from toolkit.analytics.energy.reconcile import Stated

    first, last, billed = asked
    if first is None or last is None or first > last:
        raise WrongUsage("A paper bill needs its first and last day, in order: --from D --to D --billed AMOUNT.")
    total = typed_cents("--billed", billed)
    return Entry(Stated(None, None, Period(first, last), total), (billed_point(store, household, ctx.service_point),))


def _stored(store: Store, household: Mapping[str, Any], points: Sequence[ServicePoint]) -> list[Entry]:
    """All of the household's, with those of the points that each bills."""
    home = str(household["household_id"])
    rows = [row for row in store.rows("invoices", home) if row["vanished_at"] is None]
    if not rows:
        raise StoreError(NO_INVOICES)
    lines = _lines_by_invoice(store, home)
    supplied = _points_by_account(store, home)
    entries = []
    for row in sorted(rows, key=lambda row: (row["period_start"] or date.min, str(row["invoice_number"]))):
        billed = _billed_points(row, points, supplied)
        entry = _entry(row, lines, billed)
        if entry is not None:
            entries.append(entry)
    return entries


def _entry(
    row: Mapping[str, Any], lines: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]], points: Sequence[ServicePoint]
) -> Entry | None:
    from toolkit.analytics.energy.reconcile import read_invoice

    stated = read_invoice(row, lines.get((row["account_id"], str(row["invoice_number"])), ()))
    return Entry(stated, tuple(points), row["institution_id"]) if stated else None


def _lines_by_invoice(store: Store, home: str) -> dict[tuple[str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in store.rows("billing", home):
        if row["vanished_at"] is None and row["invoice_number"]:
            found.setdefault((row["account_id"], row["invoice_number"]), []).append(row)
    return found


def _points_by_account(store: Store, home: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in store.rows("account_plans", home):
        found.setdefault(row["account_id"], set()).update(json.loads(row["service_point_ids"] or "[]"))
    return found


def _billed_points(
    row: Mapping[str, Any], points: Sequence[ServicePoint], supplied: Mapping[str, set[str]]
) -> list[ServicePoint]:
    """Those the invoice names, else those its account supplies, else the home's only one."""
    named = set(json.loads(row["service_points"] or "[]") or supplied.get(row["account_id"], ()))
    if named:
        return [point for point in points if named & {point.id, point.row.get("national_metering_id")}]
    return list(points) if len(points) == 1 else []


def _reaches(entry: Entry, first: date | None, last: date | None) -> bool:
    period = entry.stated.period
    return (first is None or period.last >= first) and (last is None or period.first <= last)


def _checked(entries: Sequence[Entry], recomputer: Recomputer) -> tuple[list[_Check], dict[str | None, Conventions]]:
    """Every invoice recomputed and judged by its account's conventions, which all its invoices tell together."""
    from toolkit.analytics.energy.reconcile import conventions_of

    done = {id(entry): recomputer.recomputed(entry.points, entry.stated) for entry in entries}
    by_account = sorted(entries, key=lambda entry: entry.stated.account_id or "")
    ways: dict[str | None, Conventions] = {}
    for account, group in groupby(by_account, key=lambda entry: entry.stated.account_id):
        members = list(group)
        totals = [done[id(entry)].total for entry in members]
        ways[account] = conventions_of([entry.stated for entry in members], totals)
    checked = [recomputer.checked(done[id(entry)], ways[entry.stated.account_id]) for entry in entries]
    return [(entry, done[id(entry)], found) for entry, found in zip(entries, checked, strict=True)], ways


def _answer(
    checks: Sequence[_Check],
    ways: Mapping[str | None, Conventions],
    payments: Sequence[dict[str, Any] | None],
    recomputer: Recomputer,
) -> dict[str, Any]:
    verdicts = Counter(found.verdict for _, _, found in checks)
    return {
        "invoices": [
            invoice_json(done, entry.points, found, payment)
            for (entry, done, found), payment in zip(checks, payments, strict=True)
        ],
        "accounts": [account_json(account, way) for account, way in ways.items() if account is not None],
        "agrees": verdicts["agrees"],
        "differs": verdicts["differs"],
        "cannot_check": verdicts["cannot check"],
        "problems": recomputer.problems_json(),
    }
