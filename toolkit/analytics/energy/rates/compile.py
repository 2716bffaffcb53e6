"""Compile a plan to flat rates."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from toolkit.analytics.energy.rates.contract import PlanMessages, Reading, text, time_zone_of
from toolkit.analytics.energy.rates.feed_in import read_feed_ins
from toolkit.analytics.energy.rates.model import PlanTimeZone, Rates, Tariff
from toolkit.analytics.energy.rates.other_charges import (
    note_offers,
    read_controlled_loads,
    read_discounts,
    read_recurring,
)
from toolkit.analytics.energy.rates.prices import note_unusual, scale_of
from toolkit.analytics.energy.rates.tariff_periods import order_of_dates, read_periods
from toolkit.analytics.energy.rates.windows import overlapping, unclaimed_minutes
from toolkit.errors import PricingError
from toolkit.tables.plans import Fuel, JsonObject, Plan

COMPILER_VERSION = 7
"""Raise it whenever plans compile to something else: the cache then recompiles what an earlier version compiled."""


def compile_plan(plan: Plan, fuel: Fuel, *, feed_in: str | None = None, on: date | None = None) -> Rates:
    """Return all prices of a plan for one fuel, in AUD, by the pricing rules (docs/pricing-rules.md).

    feed_in: display name of the feed-in tariff the account is on, where it is known (premium schemes included).
    on: the day the plan is priced for: controlled load, feed-in and discounts dated with a year are then on offer for
    all reads or not at all (pricing rule 8). None: the household's own plan, where they apply from first to last date.
    What cannot be priced stands in `problems` with its reason, the rest is there. Raises PricingError where the plan
    has no contract for the fuel.
    """
    contract = plan.contract(fuel)
    if contract is None:
        raise PricingError(plan.plan_id, f"it does not cover {fuel.lower()}")
    messages = PlanMessages(plan.plan_id)
    reading = _reading(contract, fuel, messages, on)
    periods, demands = read_periods(contract, reading)
    loads = read_controlled_loads(contract, reading)
    electric = fuel == "ELECTRICITY"
    feed_ins = read_feed_ins(contract, feed_in, reading) if electric else []
    recurring = read_recurring(contract, plan.metering_charges, reading)
    discounts = read_discounts(contract, reading)
    note_offers(contract, messages)
    if not periods:
        messages.problem("", "no tariff period with prices is published")
    rates = Rates(
        plan_id=plan.plan_id,
        name=plan.name or plan.plan_id,
        fuel=fuel,
        unit="kWh" if electric else "MJ",
        time_zone=_plan_time_zone(periods, reading),
        periods=tuple(periods),
        demands=tuple(demands),
        controlled_loads=tuple(loads),
        feed_ins=tuple(feed_ins),
        recurring=tuple(recurring),
        discounts=tuple(discounts),
    )
    _note_windows(rates, messages)
    return replace(rates, notes=messages.notes, problems=(*plan.problems, *messages.problems))


def _reading(contract: JsonObject, fuel: Fuel, messages: PlanMessages, on: date | None) -> Reading:
    unit = "kWh" if fuel == "ELECTRICITY" else "MJ"
    return Reading(
        messages=messages,
        unit=unit,
        scale=scale_of(contract, unit, messages),
        time_zone=time_zone_of(contract),
        other_time_zone=_other_time_zone(contract),
        order=order_of_dates(contract),
        quota=text(contract, "pricing_model").upper() == "QUOTA",
        on=on,
    )


def _other_time_zone(contract: JsonObject) -> PlanTimeZone:
    periods: list[JsonObject] = contract["tariff_period"]
    named = next((period for period in periods if text(period, "time_zone")), {})
    return time_zone_of(contract, time_zone_of(named))


def _plan_time_zone(periods: list[Tariff], reading: Reading) -> PlanTimeZone:
    time_zones = {period.time_zone for period in periods}
    if len(time_zones) > 1:
        reading.messages.note("several_time_zones")
    return periods[0].time_zone if periods else reading.other_time_zone


def _note_windows(rates: Rates, messages: PlanMessages) -> None:
    for component, tariff in rates.tariffs():
        note_unusual(component, tariff, rates.unit, messages)
        if len(tariff.bands) < 2 and not any(len(windows) > 1 for windows in tariff.bands):
            continue
        if overlapping(tariff.bands):
            messages.note("windows_overlap", label=tariff.label)
        if missing := unclaimed_minutes(tariff.bands):
            messages.note("windows_leave_gaps", label=tariff.label, minutes=missing)
