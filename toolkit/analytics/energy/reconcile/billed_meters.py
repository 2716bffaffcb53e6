"""Which meters an invoice bills: those that it names, else those that its account supplies, else the only one."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.tables.schema.energy import AccountPlanRow, InvoiceRow

_AS_PAPER = Message("check it as a bill from paper with the days printed on it", Remedy.TYPE_PAPER_BILL)


@dataclass(frozen=True, slots=True)
class Meters:
    """What an invoice bills; both are empty where nothing shows it."""

    points: tuple[str, ...] = ()
    """Ids of service points of this home."""
    unknown: tuple[str, ...] = ()
    """Names that are no meter of this home."""

    def may_be(self, wanted: Collection[str]) -> bool:
        """Return whether it bills, or may bill, one of these service points."""
        return not (self.points or self.unknown) or any(point in wanted for point in self.points)


@dataclass(frozen=True, slots=True)
class Supply:
    """A home's service points, and the plans of its accounts, which name those that they supply."""

    points: Mapping[str, frozenset[str]]
    """Service point → the ids that invoices and account plans may name it by."""
    plans: Mapping[str, Sequence[AccountPlanRow]]
    """By account."""

    @classmethod
    def of(cls, points: Mapping[str, frozenset[str]], plans: Sequence[AccountPlanRow]) -> Supply:
        by_account: dict[str, list[AccountPlanRow]] = defaultdict(list)
        for plan in plans:
            by_account[plan.account_id].append(plan)
        return cls(points, by_account)

    def billed_by(self, invoice: InvoiceRow) -> Meters:
        """Return the meters that an invoice bills."""
        if named := set(json.loads(invoice.service_points or "[]")):
            return self._called(named)
        supplied = self._called(self._supplied(invoice))
        if supplied.points:
            return Meters(supplied.points)
        return supplied if supplied.unknown or len(self.points) != 1 else Meters(tuple(self.points))

    def unclear(self, meters: Meters) -> str | None:
        """Return why an invoice cannot be recomputed for its meters; None where it can."""
        if meters.unknown:
            names = " and ".join(meters.unknown)
            return Message(f"it bills {names}, of which this home has no meter data: ", Remedy.ADD_METER_DATA, ".")
        if not meters.points:
            return Message(
                f"it does not say which meter it bills, and this home has several ({', '.join(self.points)}); where "
                "you know which, check it as a bill from paper of that one",
                Remedy.TYPE_PAPER_BILL_OF_METER,
                ".",
            )
        return None

    def _called(self, names: set[str]) -> Meters:
        matched = tuple(point for point, ids in self.points.items() if names & ids)
        known = set[str]().union(*(self.points[point] for point in matched))
        return Meters(matched, tuple(sorted(names - known)))

    def _supplied(self, invoice: InvoiceRow) -> set[str]:
        """Return names by the plans that the account was on in the invoice's days, by all of them where none was."""
        plans = self.plans.get(invoice.account_id, ())
        first, last = invoice.period_start or date.min, invoice.period_end or date.max
        then = [plan for plan in plans if (plan.start_date or first) <= last and first <= (plan.end_date or last)]
        return {name for plan in then or plans for name in json.loads(plan.service_point_ids or "[]")}


def without_period(invoice: InvoiceRow) -> Problem:
    """Return the problem of an invoice with days that are not known, or not in order."""
    first, last = invoice.period_start, invoice.period_end
    lacking = " and no ".join(name for name, day in (("first day", first), ("last day", last)) if day is None)
    what = f"no {lacking}" if lacking else f"a first day, {first}, after its last, {last}"
    name = f"Invoice {invoice.invoice_number}" if invoice.invoice_number else "An invoice without a number"
    return Problem(invoice.id, Message(f"{name} gives {what}, and is left out: ", _AS_PAPER, "."))
