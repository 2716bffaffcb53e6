"""What bills would have been with a battery, more solar, an electric vehicle, use at other hours, or without gas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from decimal import Decimal
from typing import TypedDict

import msgspec
import polars as pl
from msgspec.structs import replace

from toolkit.analytics.energy.bills import Options, Period
from toolkit.analytics.energy.intervals.age import ReadsAge
from toolkit.analytics.energy.pricing.model import billing_periods
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.analytics.energy.rates.compile import collector_paused
from toolkit.analytics.energy.solar import Panels, climate
from toolkit.analytics.energy.whatif import CHANGES, Asked, GasHome, Home, OffGas, Wanted, profile_of, try_change
from toolkit.answers.base import Note
from toolkit.answers.energy.bills import Cut
from toolkit.answers.energy.whatif import Change, WhatIf
from toolkit.answers.wording.invalid_values import invalid_value
from toolkit.errors import FrameError
from toolkit.frames.checks import FrameLike, check_period, checked, checked_postcode, checked_reads
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


@checked
def whatif(  # noqa: PLR0913 - what a change depends on
    reads: FrameLike,
    plan: Plan,
    changes: Mapping[Change, ChangeOptions],
    from_: date,
    to: date,
    *,
    today: date | None = None,
    price: Decimal | float | None = None,
    gas_reads: FrameLike | None = None,
    gas_plan: Plan | None = None,
    postcode: str | None = None,
    panels_kw: float | None = None,
    storage_kwh: float | None = None,
    zone: str = DEFAULT_ZONE,
    state: str | None = None,
    period: Cut = "month",
) -> WhatIf:
    """Price one home's bills with and without changes, as the command `toolkit whatif` does.

    A battery is run in the way that costs least on the plan.

    Args:
        reads: Interval reads of one electricity service point: frame `reads`, from `toolkit.reads` or
            `toolkit.read_usage`.
        plan: The plan that both are priced on, from `toolkit.read_plans`.
        changes: One or more of battery, solar, ev, shift and gas, each with its options (below).
        from_: First day, in the plan's time zone.
        to: Last day, inclusive.
        today: Where the reads end too long before it there is no yearly saving. Default: the last day with reads.
        price: Cost of the changes after rebates, AUD, for the payback.
        gas_reads: Reads of the home's gas meter, for the change off gas.
        gas_plan: The home's gas plan, for the change off gas.
        postcode: Where the home is, for the sun of added panels. Default: Sydney's.
        panels_kw: Size of the panels that are there already, kW.
        storage_kwh: Size of the battery that is there already, kWh.
        zone: IANA time zone of the home.
        state: State of the public holidays, for plans with windows that name them: ACT, NSW, NT, QLD, SA, TAS, VIC or
            WA. Default: the state of the plan's network, else of the time zone, which is warned about.
        period: How the days are cut into billing periods: calendar months (as which `invoice` counts here), or the
            whole as one.

    Returns:
        The bills before and after, AUD with GST: `saving` = before − after over the days, `yearly` that for 365 days by
        the share of the days that was read, None below 28 days read. `assumptions` lists what the changes were taken
        to be.

    Raises:
        FrameError: The reads are not those of one electricity service point, or a change or option is not known.
        PricingError: No interval was read in these days, or a plan does not cover its fuel.

    Examples:
        >>> year = date(2025, 7, 1), date(2026, 6, 30)
        >>> answer = toolkit.whatif(reads, plan, {"battery": {"kwh": 10}}, *year, price=9000)
        >>> answer.before, answer.after, answer.saving
        (Decimal('1978.74'), Decimal('1124.57'), Decimal('854.17'))

        362 of the 365 days were read, so that the saving of a year is 854.17 × 365 ÷ 362 and the payback 9000 ÷ that.

        >>> answer.yearly, answer.payback_years
        (Decimal('861.25'), 10.4)
        >>> str(answer.assumptions[0])
        'A battery of 10 kWh usable and 5 kW, empty at first; it returns 90% of the energy put in. Ageing is ignored.'
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
            city=climate.city(None, checked_postcode(postcode)) or climate.CITIES[0],
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
    of_gas = {name: value for name, value in options.items() if name in _OF_GAS}
    others = {name: value for name, value in options.items() if name not in _OF_GAS}
    try:
        return msgspec.convert({**others, "off_gas": of_gas}, Wanted)
    except msgspec.ValidationError as error:
        place, reason = invalid_value(error)
        option = place.removeprefix("off_gas.")
        raise FrameError(f"changes[{change!r}]: {option} {reason}.") from error


def _priced(plan: Plan, fuel: Fuel, days: tuple[date, date], state: str | None, zone: str) -> tuple[Rates, Options]:
    rates = compile_plan(plan, fuel)
    return rates, Options(holidays=holidays_for([plan], [rates], Period(*days), state=state, zone=zone))
