"""`plans list`: the stored plans, by retailer, words, place, customer, fuel and whether they are still on offer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from toolkit.answers.energy.plans import ListedPlan, PlanList
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.household.facts import checked_postcode
from toolkit.flows.plans.choice import open_plans
from toolkit.remedies import Message, field_of
from toolkit.store.plan_repository import latest_rows
from toolkit.tables.reference import places
from toolkit.tables.schema.energy import PUBLISHED

_COLUMNS = (
    *("plan_id", "name", "retailer", "fuel_type", "customer_type", "plan_type", "last_updated"),
    *("distributors", "vanished_at", "included_postcodes", "excluded_postcodes"),
)
_POSTCODE = re.compile(r"(?<!\d)\d{4}(?!\d)")


@dataclass(frozen=True, slots=True)
class ListFilters:
    """Which stored plans are listed; None and empty: any.

    retailer, text: words of the brand; of name, brand, id or distributor, in any case and order. address: a text with
    the postcode in it. customer: residential or business. fuel: ELECTRICITY or GAS. offered: only plans that the plan
    register still lists.
    """

    retailer: str | None = None
    text: str | None = None
    postcode: str | None = None
    address: str | None = None
    customer: str | None = None
    fuel: str | None = None
    offered: bool = False


EVERY_PLAN = ListFilters()


def plan_list(ctx: Context, filters: ListFilters = EVERY_PLAN) -> PlanList:
    """Return the stored plans in order of id, the latest version of each. Raises UsageError for an unusable filter."""
    code = _postcode_of(filters)
    tests: list[Callable[[ListedPlan], bool]] = []
    if filters.retailer:
        tests.append(lambda plan: _has_words(filters.retailer, plan.retailer))
    if filters.text:
        tests.append(lambda plan: _has_words(filters.text, plan.name, plan.retailer, plan.plan_id, *plan.distributors))
    if filters.customer:
        tests.append(lambda plan: (plan.customer_type or filters.customer or "").casefold() == filters.customer)
    if filters.fuel:
        tests.append(lambda plan: plan.fuel_type in (filters.fuel, "DUAL", None))
    if filters.offered:
        tests.append(lambda plan: plan.offered)
    plans = []
    with open_plans(ctx) as (store, home):
        rows = latest_rows(store, _COLUMNS, {"household_id": [PUBLISHED, home]})
    for plan_id, name, brand, fuel, customer, kind, updated, networks, vanished_at, included, excluded in rows:
        known = (plan_id, name, brand, fuel, customer, kind, updated)
        plan = ListedPlan(*known, tuple(json.loads(networks or "[]")), vanished_at is None)
        here = code is None or places.is_served(code, json.loads(included or "[]"), json.loads(excluded or "[]"))
        if here and all(test(plan) for test in tests):
            plans.append(plan)
    return PlanList(plans=tuple(plans))


def _postcode_of(filters: ListFilters) -> str | None:
    if filters.address is None:
        return None if filters.postcode is None else checked_postcode(filters.postcode)
    codes: list[str] = _POSTCODE.findall(filters.address)
    if not codes:
        raise UsageError(Message(field_of("--address"), f" {filters.address!r} has no postcode: add its four digits."))
    return codes[-1]


def _has_words(wanted: str | None, *texts: str | None) -> bool:
    found = " ".join(filter(None, texts)).casefold()
    return all(word in found for word in (wanted or "").casefold().split())
