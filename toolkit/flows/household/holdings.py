"""Which kinds of data a household has, and the names of its accounts, meters and plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolkit.analytics.money.account_summary import name_of
from toolkit.answers.base import with_signs
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.facts import arrays_of
from toolkit.flows.household.service_points import bills_by_point, fuel_of, service_points
from toolkit.flows.money.spending import accounts_as_set
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.meters import DerRecordRow
from toolkit.tables.schema.typed import TypedInvoiceRow

MOST_TO_CHOOSE_FROM = 500
"""Published plans are offered for choice up to this number of stored plans."""
_FROM_PANELS = ("export", "generation")
_MOST_ENERGY = 2**63 - 1
SOLAR_REGISTER = '"solar"'
"""As a typed bill's energy names it."""
_LONGEST_LABEL = 200
"""Characters of a label; no honest name is longer."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """Which kinds of data a household has at all."""

    transactions: bool = False
    meter: bool = False
    """Meter data, or bills that state energy."""
    reads: bool = False
    """Meter data itself: reads of a meter, not the energy that bills state."""
    electricity: bool = False
    """A service point for electricity among them."""
    solar: bool = False
    """Solar exports or generation among them, or panels that are known."""
    plans: bool = False
    own_plans: bool = False
    """A plan of the household's own among them: from its energy account, or typed."""


def holdings(ctx: Context) -> Holdings:
    """Return which kinds of data the household has; plans include published ones. Raises as `open_home`."""
    with open_home(ctx) as (store, household):
        own = household.household_id
        reads = store.count("register_days", own) + store.count("meter_reads", own) > 0
        billed = bills_by_point(store, own)
        meter = reads or bool(billed)
        electricity = meter and any(fuel_of(point) == "ELECTRICITY" for point in service_points(store, household))
        return Holdings(
            transactions=store.count("transactions", own) > 0,
            meter=meter,
            reads=reads,
            electricity=electricity,
            solar=electricity and _has_solar(store, household, billed),
            plans=store.count("plans", where={"household_id": ["", own]}) > 0,
            own_plans=store.count("plans", own) > 0,
        )


def _has_solar(store: Store, household: HouseholdRow, billed: Mapping[str, Sequence[TypedInvoiceRow]]) -> bool:
    """Return whether the home exports or generates power, or has panels. billed: its bills that state energy."""
    own = household.household_id
    if household.panels_kw or arrays_of(household):
        return True
    if any(row.panels_kw for row in store.load(DerRecordRow, own)):
        return True
    if any(SOLAR_REGISTER in (bill.energy or "") for bills in billed.values() for bill in bills):
        return True
    exported = {"direction": _FROM_PANELS}
    return any(
        store.count(table, own, where={**exported, energy: ("between", 1, _MOST_ENERGY)}) > 0
        for table, energy in (("register_days", "total_nano"), ("meter_reads", "value_nano"))
    )


def account_labels(ctx: Context) -> dict[str, str]:
    """Return account id → the name a person set, else the bank's, with the number as the bank masks it."""
    with open_home(ctx) as (store, household):
        accounts = accounts_as_set(store, household.household_id)
    labels = {}
    for row in accounts:
        name, number = name_of(row) or "", row.masked_number or ""
        label = name if number and name.endswith(number) else f"{name} {number}".strip() or row.account_id
        labels[row.account_id] = with_signs(label, length=_LONGEST_LABEL)
    return labels


def meter_labels(ctx: Context) -> dict[str, str]:
    """Return service point id → `Electricity meter ending 3521`; with the whole NMI or MIRN where two end alike."""
    with open_home(ctx) as (store, household):
        points = service_points(store, household)
    of_bills = {point.id for point in points if point.id.endswith("-bills")}
    numbers = {point.id: point.national_metering_id or point.id for point in points}
    endings = Counter(number[-4:] for number in numbers.values())
    labels = {}
    for point in points:
        number = numbers[point.id]
        known = with_signs(f"ending {number[-4:]}" if endings[number[-4:]] == 1 else number, length=_LONGEST_LABEL)
        labels[point.id] = f"{point.fuel.capitalize()} {'bills' if point.id in of_bills else f'meter {known}'}"
    return labels


def plan_names(ctx: Context, plans: Sequence[str] | None = None) -> dict[str, str]:
    """Return plan id → name of the household's and the published plans that have one; only of `plans` if given."""
    with open_home(ctx) as (store, household):
        chosen = {} if plans is None else {"plan_id": list(plans)}
        where = {"household_id": ["", household.household_id], **chosen}
        named = store.tuples("plans", ("plan_id", "name"), where=where)
    return {plan: with_signs(name, length=_LONGEST_LABEL) for plan, name in named if name}


def plan_choices(ctx: Context, chosen: str | None) -> dict[str, str]:
    """Return plan id → label, by label: the household's plans, published ones if few are stored, and the chosen one."""
    labels = {chosen: chosen} if chosen else {}
    with open_home(ctx) as (store, household):
        published = [""] if store.count("plans") <= MOST_TO_CHOOSE_FROM else []
        owners = [*published, household.household_id]
        named = store.tuples("plans", ("plan_id", "name"), where={"household_id": owners})
    labels |= {plan: f"{name} ({plan})" if name else plan for plan, name in named}
    return dict(sorted(labels.items(), key=lambda label: label[1].lower()))
