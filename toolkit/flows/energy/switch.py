"""Did the switch pay? The bills since the last change of plan, and what the old plan would have charged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from toolkit.analytics.energy.plans.in_force import ChosenPlan
from toolkit.analytics.energy.pricing.model import aud
from toolkit.analytics.energy.rates import Rates
from toolkit.analytics.energy.rates.model import DAYS_PER_YEAR
from toolkit.analytics.energy.reconcile import Recomputed
from toolkit.analytics.energy.reconcile.switch import OnOldPlan, on_old_plan
from toolkit.answers.base import Period
from toolkit.answers.energy.invoices import OldPlanBill, PlanSwitch
from toolkit.errors import StoreError, UsageError
from toolkit.flows.energy.invoices import Entry
from toolkit.flows.energy.recompute import Recomputer
from toolkit.flows.household.billing_periods import BillingQuestion, days_read, options_of
from toolkit.flows.household.context import named_plans
from toolkit.flows.household.service_points import ServicePoint
from toolkit.flows.plans.choice import plans_in_force, resolve_plan
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow


@dataclass(frozen=True, slots=True)
class _Change:
    """The last change of plan at a service point. on: first day of the new plan."""

    on: date
    old: ChosenPlan
    new: ChosenPlan


@dataclass(frozen=True, slots=True)
class Switched:
    """What the bills since the last change of plan came to. bills: by entry."""

    bills: Mapping[Entry, OldPlanBill]
    switches: tuple[PlanSwitch, ...]


def since_switch(
    store: Store,
    household: HouseholdRow,
    billed: Mapping[Entry, int | None],
    done: Mapping[Entry, Recomputed],
    recomputer: Recomputer,
    old_plan: str | None = None,
) -> Switched:
    """Price the bills that lie wholly after the last change of plan on the plan before it.

    billed: cents of each bill, in order of its days. old_plan: the plan before, where the household's accounts do not
    show it; then the change is the day since when the home is on its plan. Raises UsageError where that day is not set.
    """
    bills: dict[Entry, OldPlanBill] = {}
    switches = []
    points = {entry.points[0].id: entry.points[0] for entry in billed if len(entry.points) == 1}
    for point in points.values():
        own = [entry for entry in billed if entry.points == (point,) and done[entry].reason is None]
        change = _last_change(store, household, point, own, old_plan) if own else None
        old = recomputer.rates(change.old, point) if change else None
        if change is None or old is None or not old.priceable:
            continue
        since = [entry for entry in own if entry.invoice.period.first >= change.on and billed[entry] is not None]
        priced = {entry: _on_old_plan(done[entry], old, point) for entry in since}
        for entry, result in priced.items():
            saved = result.minor - (billed[entry] or 0)
            bills[entry] = OldPlanBill(old.plan_id, aud(result.minor), aud(saved))
        if since:
            switches.append(_switch(point, change, priced, [bills[entry] for entry in since]))
    return Switched(bills, tuple(switches))


def _last_change(
    store: Store, household: HouseholdRow, point: ServicePoint, own: Sequence[Entry], old_plan: str | None
) -> _Change | None:
    """Return the last change of plan from the first read to the last bill; None where there is none."""
    last = max(entry.invoice.period.last for entry in own)
    try:
        began = [plan.since - timedelta(1) for plan in named_plans(household) if plan.since]
        first = min([days_read(store, household.household_id, point)[0], last, *began])
        segments = plans_in_force(store, household, point, (first, last))
    except (StoreError, UsageError):
        return None
    if old_plan is not None:
        if household.plan_since is None:
            raise UsageError(Message("The day of the switch is not known. Set it: ", Remedy.SET_SINCE, "."))
        old = resolve_plan(store, household, point, old_plan, household.plan_since)
        return _Change(household.plan_since, old, segments[-1].chosen)
    changes = [
        _Change(after.first, before.chosen, after.chosen)
        for before, after in pairwise(segments)
        if not _is_one_plan(before.chosen, after.chosen)
    ]
    return changes[-1] if changes else None


def _is_one_plan(before: ChosenPlan, after: ChosenPlan) -> bool:
    """Return whether it is the same plan, at other prices perhaps.

    The service lists each price change as another plan of the account, under the same name.
    """
    if before.plan.plan_id == after.plan.plan_id:
        return True
    name = before.plan.name
    return name is not None and name == after.plan.name and before.account_id == after.account_id is not None


def _on_old_plan(done: Recomputed, old: Rates, point: ServicePoint) -> OnOldPlan:
    metered, period = done.metered[0], done.invoice.period
    with_year_before = Period(period.first - timedelta(DAYS_PER_YEAR), period.last)
    options = options_of(BillingQuestion(), [old], point, [with_year_before])
    return on_old_plan(metered, old, options.holidays)


def _switch(
    point: ServicePoint, change: _Change, priced: Mapping[Entry, OnOldPlan], bills: Sequence[OldPlanBill]
) -> PlanSwitch:
    before = [result.year_before for result in priced.values()]
    promised = None if None in before else sum(minor for minor in before if minor is not None)
    return PlanSwitch(
        service_point_id=point.id,
        on=change.on,
        from_plan=change.old.plan.plan_id,
        to_plan=change.new.plan.plan_id,
        bills=len(bills),
        days=sum(entry.invoice.period.days for entry in priced),
        saved=sum((bill.saved for bill in bills), start=aud(0)),
        year_before=None if promised is None else aud(promised),
    )
