"""The stored invoices, and the meters that each bills."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from toolkit.analytics.energy.reconcile import BilledInvoice, read_invoice
from toolkit.errors import Problem, StoreError
from toolkit.flows.energy.bill import NO_METER
from toolkit.flows.household.service_points import ServicePoint, service_points
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow

NO_INVOICES = (
    "No invoice is stored: `toolkit sync` brings them from the service, or type one from paper: "
    "`toolkit reconcile --from D --to D --billed AMOUNT`."
)

_AS_PAPER = "check it as a bill from paper with the days printed on it (--from, --to, --billed)"
_BEFORE_LAST = timedelta(364)

Rows = Sequence[Mapping[str, Any]]
_Number = tuple[str, str | None]
"""An account and the number of one of its invoices."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One invoice and the service points that it bills. reason: why these are not known, where they are not."""

    invoice: BilledInvoice
    points: tuple[ServicePoint, ...]
    institution_id: str | None = None
    reason: str | None = None

    @property
    def span(self) -> tuple[tuple[ServicePoint, ...], date, date]:
        """Its service points and the days of reads: its own, and the year's up to its last, which charges may go by."""
        period = self.invoice.period
        return self.points, min(period.first, period.last - _BEFORE_LAST), period.last


@dataclass(frozen=True, slots=True)
class Invoices:
    """entries: all, in order of their periods. concerned: those that bill, or may bill, the service point in question.

    undated: a problem for each of these without a period, which is no entry.
    """

    entries: Sequence[Entry]
    concerned: Sequence[Entry]
    undated: Sequence[Problem]


def stored_invoices(store: Store, household: HouseholdRow, wanted: str | None) -> Invoices:
    """All of the household's. wanted: the service point in question (None: any); what bills several has them all.

    Raises StoreError where no invoice is stored, ChoiceRequiredError where no service point is called `wanted`.
    """
    home = household.household_id
    rows = [row for row in store.rows("invoices", home) if row["vanished_at"] is None]
    if not rows:
        raise StoreError(NO_INVOICES)
    asked = service_points(store, household, wanted)
    supply = Supply(service_points(store, household), _by_account(store.rows("account_plans", home)))
    lines = _lines_by_invoice(store, home)
    entries, concerned, undated = [], [], []
    for row in sorted(rows, key=_in_time):
        meters = supply.billed_by(row)
        entry = _entry(row, lines, meters, supply.unclear(meters))
        mine = wanted is None or meters.may_be(asked)
        entries += [entry] if entry else []
        concerned += [entry] if entry and mine else []
        undated += [_undated(row)] if mine and not entry else []
    return Invoices(entries, concerned, undated)


def _in_time(row: Mapping[str, Any]) -> tuple[date, str]:
    return row["period_start"] or date.min, str(row["invoice_number"])


@dataclass(frozen=True, slots=True)
class Meters:
    """What an invoice bills. unknown: names that are no meter of this home. Both empty: nothing tells."""

    points: tuple[ServicePoint, ...] = ()
    unknown: tuple[str, ...] = ()

    def may_be(self, wanted: Sequence[ServicePoint]) -> bool:
        return not (self.points or self.unknown) or any(point in wanted for point in self.points)


@dataclass(frozen=True, slots=True)
class Supply:
    """The home's service points, and the plans of its accounts, which name those that they supply."""

    points: Sequence[ServicePoint]
    plans: Mapping[str, Rows]

    def billed_by(self, row: Mapping[str, Any]) -> Meters:
        """Those the invoice names, else those its account supplies, else the home's only one."""
        named = set(json.loads(row["service_points"] or "[]"))
        if named:
            return self._called(named)
        supplied = self._called(self._supplied(row))
        if supplied.points:
            return Meters(supplied.points)
        return supplied if supplied.unknown or len(self.points) != 1 else Meters(tuple(self.points))

    def unclear(self, meters: Meters) -> str | None:
        """Why it cannot be recomputed for its meters; None where it can."""
        if not self.points:
            return NO_METER
        if meters.unknown:
            names = " and ".join(meters.unknown)
            return f"it bills {names}, of which this home has no meter data: import it, or `toolkit sync`."
        if not meters.points:
            which = ", ".join(point.id for point in self.points)
            return (
                f"it does not say which meter it bills, and this home has several ({which}); where you know which, "
                "check it as a bill from paper of that one (--service-point, --from, --to, --billed)."
            )
        return None

    def _called(self, names: set[str]) -> Meters:
        found = tuple(point for point in self.points if names & point.ids)
        known = set[str]().union(*(point.ids for point in found))
        return Meters(found, tuple(sorted(names - known)))

    def _supplied(self, row: Mapping[str, Any]) -> set[str]:
        """By the plans that its account was on in its days; by all of the account's where none was."""
        plans = self.plans.get(row["account_id"], ())
        first, last = row["period_start"] or date.min, row["period_end"] or date.max
        then = [p for p in plans if (p["start_date"] or first) <= last and first <= (p["end_date"] or last)]
        return {name for plan in then or plans for name in json.loads(plan["service_point_ids"] or "[]")}


def _entry(row: Mapping[str, Any], lines: Mapping[_Number, Rows], meters: Meters, reason: str | None) -> Entry | None:
    """None without a period."""
    invoice = read_invoice(row, lines.get((row["account_id"], row["invoice_number"]), ()))
    return Entry(invoice, meters.points, row["institution_id"], reason) if invoice else None


def _undated(row: Mapping[str, Any]) -> Problem:
    first, last = row["period_start"], row["period_end"]
    lacking = " and no ".join(name for name, day in (("first day", first), ("last day", last)) if day is None)
    what = f"no {lacking}" if lacking else f"a first day, {first}, after its last, {last}"
    name = f"Invoice {row['invoice_number']}" if row["invoice_number"] else "An invoice without a number"
    return Problem(row["id"], f"{name} gives {what}, and is left out: {_AS_PAPER}.")


def _lines_by_invoice(store: Store, home: str) -> dict[_Number, list[Mapping[str, Any]]]:
    found: dict[_Number, list[Mapping[str, Any]]] = {}
    for row in store.rows("billing", home):
        if row["vanished_at"] is None and row["invoice_number"]:
            found.setdefault((row["account_id"], row["invoice_number"]), []).append(row)
    return found


def _by_account(rows: Rows) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["account_id"], []).append(row)
    return found
