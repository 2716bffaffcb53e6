"""The canonical shape of a plan's contract, which `Shaper` makes of every published form.

Keys are the service's; which are there depends on the retailer. Lists have objects of one kind. Everything else is as
written (`object`): prices, dates and codes may be texts, numbers or something unreadable, and are read by the rates.
"""

from __future__ import annotations

from typing import TypedDict


class Dated(TypedDict, total=False):
    """A part of a contract that may apply on some days only: `MM-DD`, `DD-MM` or dates with a year."""

    start_date: object
    end_date: object


class Described(TypedDict, total=False):
    """A part of a contract with a name and a text."""

    display_name: object
    description: object


class Rate(TypedDict, total=False):
    """A block: its price per unit, and its width (`volume`)."""

    unit_price: object
    volume: object
    measure_unit: object


class TimeWindow(TypedDict, total=False):
    """Hours of some days; `days` are upper-case names."""

    start_time: object
    end_time: object
    days: list[str]


class Band(Described, total=False):
    """A single rate, or the rate of some hours: its blocks, and how long a block's width lasts (`period`)."""

    name: object
    type: object
    period: object
    rates: list[Rate]
    general_unit_price: object
    daily_supply_charge: object
    time_of_use: list[TimeWindow]
    time_variations: list[TimeWindow]


class WrittenDemand(TimeWindow, Described, total=False):
    """A demand charge."""

    amount: object
    measure_unit: object
    min_demand: object
    max_demand: object


class TariffPeriod(Dated, Described, total=False):
    """The prices of a season."""

    time_zone: object
    rate_block_u_type: object
    daily_supply_charge: object
    daily_supply_charge_type: object
    banded_daily_supply_charges: list[Rate]
    single_rate: Band | None
    time_of_use_rates: list[Band]
    demand_charges: list[WrittenDemand]


class ControlledLoad(Dated, Described, total=False):
    """The prices of a circuit that is switched by the network."""

    single_rate: Band | None
    time_of_use_rates: list[Band]


class FeedIn(Dated, Described, total=False):
    """A price for exported energy."""

    scheme: object
    payer_type: object
    single_tariff: Band | None
    time_varying_tariffs: list[Band]


class WrittenDiscount(Dated, Described, total=False):
    """A discount; its method is an object under its own key, such as `percent_of_bill`."""

    type: object
    fixed_amount: object


class Fee(Described, total=False):
    """A fee, regular or for what a customer does."""

    type: object
    term: object
    amount: object


class MeteringCharge(Described, total=False):
    """A charge for the meter; of the plan, not of a contract."""

    period: object
    minimum_value: object
    maximum_value: object


class Condition(Described, total=False):
    """Whom a plan is for."""

    type: object
    information: object


class Incentive(Described, total=False):
    """A gift or an advantage besides the prices."""

    eligibility: object


class Contract(TypedDict, total=False):
    """The contract of a plan for one fuel."""

    pricing_model: object
    time_zone: object
    tariff_period: list[TariffPeriod]
    controlled_load: list[ControlledLoad]
    solar_feed_in_tariff: list[FeedIn]
    discounts: list[WrittenDiscount]
    fees: list[Fee]
    green_power_charges: list[Described]
    incentives: list[Incentive]
    eligibility: list[Condition]
    intrinsic_green_power: object
    term_type: object
    benefit_period: object
    on_expiry_description: object
    bill_frequency: object
    cooling_off_days: object
    payment_option: object
    meter_types: object
    terms: object
    variation: object
    additional_fee_information: object
