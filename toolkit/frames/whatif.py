"""What bills would have been with a battery, more solar, an electric vehicle, use at other hours, or without gas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from decimal import Decimal
from typing import TypedDict

import polars as pl
from msgspec.structs import replace

from toolkit.analytics.energy.bills import Options, Period
from toolkit.analytics.energy.intervals.matrix import ReadsAge
from toolkit.analytics.energy.pricing.model import billing_periods
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.analytics.energy.rates.compile import collector_paused
from toolkit.analytics.energy.solar import Panels, climate
from toolkit.analytics.energy.whatif import CHANGES, Asked, GasHome, Home, OffGas, Wanted, profile_of, try_change
from toolkit.answers.base import Note
from toolkit.answers.energy.bills import Cut
from toolkit.answers.energy.whatif import Change, WhatIf
from toolkit.errors import FrameError
from toolkit.frames.checks import check_period, checked_reads
from toolkit.frames.holidays import holidays_for
from toolkit.tables.rows.plans import Fuel, Plan
from toolkit.units import DEFAULT_ZONE


class ChangeOptions(TypedDict, total=False):
    """The options of a change; each change has its own."""

    kwh: float
    """battery: what can be used of it. ev: kWh a day (default 7.5)."""
    kw: float
    """battery: power (default: half of kwh an hour). solar: size of the panels added. ev: the charger (default 7)."""
    efficiency: float
    """battery: share of what is stored that comes back (default 0.9)."""
    window: str
    """`HH:MM-HH:MM`, local. shift: from when. ev: when charged (default 00:00-06:00). gas: when water is heated."""
    to_window: str
    """shift: to when; without it the energy is saved. gas: when rooms are heated."""
    share: float
    """shift: share of what is bought in `window`, 0 to 1."""
    hot_water: bool
    """gas: whether hot water leaves gas (default True)."""
    heating: bool
    """gas: whether rooms do (default True)."""
    hot_water_efficiency: float
    """gas: share of its energy that heats water today (default 0.65)."""
    hot_water_cop: float
    """gas: heat out ÷ electricity in of what heats water then (default 3.0)."""
    heating_efficiency: float
    """gas: share of its energy that heats rooms today (default 0.9)."""
    heating_cop: float
    """gas: heat out ÷ electricity in of what heats rooms then (default 3.8)."""


def whatif(  # noqa: PLR0913 - what a change depends on
    reads: pl.DataFrame,
    plan: Plan,
    changes: Mapping[Change, ChangeOptions],
    from_: date,
    to: date,
    *,
    today: date | None = None,
    price: Decimal | float | None = None,
    gas_reads: pl.DataFrame | None = None,
    gas_plan: Plan | None = None,
    postcode: str | None = None,
    panels_kw: float | None = None,
    storage_kwh: float | None = None,
    zone: str = DEFAULT_ZONE,
    state: str | None = None,
    period: Cut = "month",
) -> WhatIf:
    """Price one home's bills with and without changes, as the command `whatif` does; a battery is run the cheapest way.

    reads: frame `reads` of one electricity service point. changes: battery, solar, ev, shift or gas, each with its
    options, for example `{"solar": {"kw": 5}, "battery": {"kwh": 10}}`. from_, to: days in the plan's time zone,
    inclusive, cut into billing periods by `period`. today: where the reads end too long before it there is no yearly
    saving; default: the last day with reads. price: AUD of the changes after rebates, for the payback. gas_reads,
    gas_plan: of the home's gas meter, where gas is left. postcode: for the sun of added panels; Sydney's without it.
    panels_kw, storage_kwh: what is there already. zone: IANA. state: whose public holidays count; default: of the
    plan's network, else of the zone.

    Amounts in AUD with GST; `saving` = before − after over the days, `yearly` that for 365 days by the share that was
    read, None below 28 days read. Raises FrameError for a change that is not known, PricingError where no interval was
    read in these days.
    """
    checked = checked_reads(reads, fuel="ELECTRICITY")
    check_period(from_, to)
    unknown = [change for change in changes if change not in CHANGES]
    if unknown or not changes:
        raise FrameError(f"changes={list(changes)!r}: name one or more of {', '.join(CHANGES)}.")
    if "gas" in changes and (gas_reads is None or gas_plan is None):
        raise FrameError("A change off gas needs gas_reads= and gas_plan=.")
    if price is not None and price <= 0:
        raise FrameError(f"price={price} is the cost of the change in AUD and must be greater than 0.")
    periods = billing_periods(from_, to, period)
    with collector_paused():
        rates, options = _priced(plan, "ELECTRICITY", (from_, to), state, zone)
        gas = None
        if "gas" in changes and gas_reads is not None and gas_plan is not None:
            of_gas = _priced(gas_plan, "GAS", (from_, to), state, zone)
            gas = GasHome(checked_reads(gas_reads, fuel="GAS"), *of_gas, periods, zone, ())
        home = Home(
            profile=profile_of(checked, zone),
            reads=checked,
            rates=rates,
            options=options,
            periods=periods,
            zone=zone,
            city=climate.city(None, postcode) or climate.CITIES[0],
            panels=Panels(kw=panels_kw, storage_kwh=storage_kwh),
            gas=gas,
        )
        last = checked.filter(pl.col("energy_nano").is_not_null())["date"].max()
        last_read = last if isinstance(last, date) else to
        asked = Asked(
            [(change, _wanted(change, given)) for change, given in changes.items()],
            None if price is None else round(Decimal(str(price)) * 100),
            ReadsAge(min(last_read, today or last_read), today or last_read, periods[-1].days),
            Note("priced_as_requested", plan=rates.name),
        )
        answer = try_change(home, asked)
    return replace(answer, service_point_id=str(checked["service_point_id"][0]) if checked.height else "")


_OF_GAS = {field.name for field in fields(OffGas)}


def _wanted(change: Change, options: ChangeOptions) -> Wanted:
    unknown = options.keys() - ChangeOptions.__annotations__.keys()
    if unknown:
        known = ", ".join(ChangeOptions.__annotations__)
        raise FrameError(f"changes[{change!r}]: {', '.join(sorted(unknown))} is not an option. Options are {known}.")
    off_gas = OffGas(**{name: value for name, value in options.items() if name in _OF_GAS})  # type: ignore[arg-type]
    return Wanted(**{name: value for name, value in options.items() if name not in _OF_GAS}, off_gas=off_gas)  # type: ignore[arg-type]


def _priced(plan: Plan, fuel: Fuel, days: tuple[date, date], state: str | None, zone: str) -> tuple[Rates, Options]:
    rates = compile_plan(plan, fuel)
    return rates, Options(holidays=holidays_for([plan], [rates], Period(*days), state=state, zone=zone))
