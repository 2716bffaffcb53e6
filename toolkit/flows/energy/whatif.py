"""What would change: a battery, more solar, an electric vehicle, or load at another time, on the home's own reads."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from msgspec.structs import replace

from toolkit.analytics.energy.intervals.matrix import ReadsAge
from toolkit.analytics.energy.solar import Panels, climate, registered_devices
from toolkit.analytics.energy.whatif import CHANGES, MOST_KW, MOST_KWH, Home, Wanted, profile_of, try_change
from toolkit.answers.base import Note
from toolkit.answers.energy.whatif import WhatIf
from toolkit.errors import UsageError
from toolkit.flows.energy.bill import compiled
from toolkit.flows.household.billing_periods import (
    BillingQuestion,
    asked_periods,
    of_a_year,
    options_of,
    reads_age,
    reads_for,
)
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import billed_point, fuel_of
from toolkit.flows.money.spending import typed_cents
from toolkit.flows.plans.choice import resolve_plan
from toolkit.remedies import Message, field_of
from toolkit.tables.schema.meters import DerRecordRow

__all__ = ["MOST_KW", "MOST_KWH", "whatif"]


def whatif(  # noqa: PLR0913 - the options of the command
    ctx: Context,
    change: str,
    *,
    kwh: float | None = None,
    kw: float | None = None,
    efficiency: float = 0.9,
    price: Decimal | str | float | None = None,
    window: str | None = None,
    to_window: str | None = None,
    share: float | None = None,
    from_: date | None = None,
    to: date | None = None,
    plan: str | None = None,
) -> WhatIf:
    """Answer `whatif`: what the bills would have been, on one plan, with and without the change.

    battery: kwh usable, kw (default: half of kwh an hour), efficiency of the round trip; run for self-consumption, by
    the tariff's prices, and to hold demand down, whichever is cheapest; `ways` has all of them. solar: kw of panels
    more. ev: kwh a day (default 7.5), kw of the charger (default 7), window (default 00:00-06:00). shift: share (0 to
    1) of what is bought in `window`, to `to_window` of the same day; without one it is saved. Windows: `HH:MM-HH:MM`
    in the home's time zone. Power is at most 1,000 kW, energy 24,000 kWh: more than a home's connection carries.
    price: of the change in AUD, for the payback. plan: default the one in force today, for days of the past, too.
    Default range: the last year of reads. Money in AUD; `saving` = before − after over the range, `yearly` that for
    365 days by `days_read`, the share of the `days` that was read by the interval: null below 28 of them, and where the
    reads end too long before `ctx.today` (`ReadsAge`).

    Raises PricingError where no interval was read in the range.
    """
    if change not in CHANGES:
        raise UsageError(f"{change!r} is not a known change (expected {', '.join(CHANGES)}).")
    price_minor = None if price is None else typed_cents("--price", price)
    if price_minor is not None and price_minor <= 0:
        raise UsageError(Message(field_of("--price"), " is the cost of the change and must be greater than 0."))
    with open_home(ctx) as (store, household):
        home_id = household.household_id
        point = billed_point(store, household, ctx.service_point)
        if fuel_of(point) == "GAS":
            raise UsageError("Batteries, panels, vehicles and time of day apply to electricity, not to gas.")
        question = of_a_year(store, household, point, BillingQuestion(from_, to, None), ctx.today)
        periods, notes = asked_periods(store, household, point, question, ctx.today)
        chosen = resolve_plan(store, household, point, plan, ctx.today)
        rates = compiled(chosen, point, ctx.today)
        reads, read_problems = reads_for(store, home_id, point, periods, year=rates.banded)
        age: ReadsAge = reads_age(store, household, point, ctx.today)
        devices = registered_devices(store.load(DerRecordRow, home_id), point.id)
    home = Home(
        profile_of(reads, point.zone),
        reads,
        rates,
        options_of(question, [rates], point, periods),
        periods,
        zone=point.zone,
        city=climate.city(point.state, point.postcode) or climate.CITIES[0],
        panels=Panels(kw=household.panels_kw or devices.kw, storage_kwh=devices.storage_kwh),
    )
    requested = Note("priced_as_requested", plan=rates.name)
    answer = try_change(
        home,
        change,
        Wanted(kwh, kw, efficiency, window, to_window, share),
        price_minor=price_minor,
        age=age,
        on_plan=Note("priced_as_in_force", plan=rates.name, day=ctx.today) if chosen.own else requested,
    )
    return replace(
        answer,
        service_point_id=point.id,
        notes=tuple(dict.fromkeys([*point.notes, *notes, *chosen.notes, *answer.notes])),
        problems=tuple(dict.fromkeys([*chosen.problems, *read_problems, *answer.problems])),
    )
