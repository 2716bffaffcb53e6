"""Energy accounts with their plans: contracts, tariff periods, rates, feed-in, discounts, fees."""

from __future__ import annotations

from toolkit.wire.records.base import EndUserRecord, Number, Wire


class Rate(Wire):
    """volume: the width of this block, not a cumulative threshold."""

    measure_unit: str | None = None
    unit_price: str | None = None
    volume: Number | None = None


class SingleRate(Wire):
    """daily_supply_charge: in controlled load only."""

    daily_supply_charge: str | None = None
    description: str | None = None
    display_name: str | None = None
    general_unit_price: str | None = None
    period: str | None = None
    rates: list[Rate] | None = None


class TimeOfUse(Wire):
    additional_info: str | None = None
    additional_info_uri: str | None = None
    days: list[str] | None = None
    start_time: str | None = None
    end_time: str | None = None


class TimeOfUseRate(Wire):
    """daily_supply_charge: in controlled load only."""

    daily_supply_charge: str | None = None
    description: str | None = None
    display_name: str | None = None
    period: str | None = None
    rates: list[Rate] | None = None
    time_of_use: list[TimeOfUse] | None = None
    type: str | None = None


class ControlledLoad(Wire):
    display_name: str | None = None
    start_date: str | None = None
    end_date: str | None = None
    rate_block_u_type: str | None = None
    single_rate: SingleRate | None = None
    time_of_use_rates: list[TimeOfUseRate] | None = None


class DemandCharge(Wire):
    amount: str | None = None
    charge_period: str | None = None
    days: list[str] | None = None
    description: str | None = None
    display_name: str | None = None
    start_time: str | None = None
    end_time: str | None = None
    max_demand: str | None = None
    min_demand: str | None = None
    measure_unit: str | None = None
    measurement_period: str | None = None


class TariffPeriod(Wire):
    """start_date and end_date: day and month only."""

    banded_daily_supply_charges: list[Rate] | None = None
    daily_supply_charge: str | None = None
    daily_supply_charge_type: str | None = None
    daily_supply_charges: str | None = None
    display_name: str | None = None
    start_date: str | None = None
    end_date: str | None = None
    rate_block_u_type: str | None = None
    time_zone: str | None = None
    type: str | None = None
    single_rate: SingleRate | None = None
    time_of_use_rates: list[TimeOfUseRate] | None = None
    demand_charges: list[DemandCharge] | None = None


class SingleTariff(Wire):
    period: str | None = None
    rates: list[Rate] | None = None


class TimeVariation(Wire):
    days: list[str] | None = None
    start_time: str | None = None
    end_time: str | None = None


class TimeVaryingTariff(Wire):
    display_name: str | None = None
    period: str | None = None
    rates: list[Rate] | None = None
    time_variations: list[TimeVariation] | None = None
    type: str | None = None


class SolarFeedIn(Wire):
    """time_varying_tariffs is one object; its successor `_v2`, side by side with it, is an array."""

    description: str | None = None
    display_name: str | None = None
    start_date: str | None = None
    end_date: str | None = None
    payer_type: str | None = None
    scheme: str | None = None
    tariff_u_type: str | None = None
    single_tariff: SingleTariff | None = None
    time_varying_tariffs: TimeVaryingTariff | None = None
    time_varying_tariffs_v2: list[TimeVaryingTariff] | None = None


class PlanAmount(Wire):
    amount: str | None = None


class Percentage(Wire):
    rate: str | None = None


class PercentOverThreshold(Wire):
    rate: str | None = None
    usage_amount: str | None = None


class PlanDiscount(Wire):
    category: str | None = None
    description: str | None = None
    display_name: str | None = None
    end_date: str | None = None
    type: str | None = None
    method_u_type: str | None = None
    fixed_amount: PlanAmount | None = None
    percent_of_bill: Percentage | None = None
    percent_of_use: Percentage | None = None
    percent_over_threshold: PercentOverThreshold | None = None


class PlanEligibility(Wire):
    description: str | None = None
    information: str | None = None
    type: str | None = None


class PlanFee(Wire):
    amount: str | None = None
    description: str | None = None
    rate: str | None = None
    term: str | None = None
    type: str | None = None


class GreenPowerTier(Wire):
    amount: str | None = None
    percent_green: str | None = None
    rate: str | None = None


class GreenPowerCharge(Wire):
    description: str | None = None
    display_name: str | None = None
    scheme: str | None = None
    type: str | None = None
    tiers: list[GreenPowerTier] | None = None


class Incentive(Wire):
    category: str | None = None
    description: str | None = None
    display_name: str | None = None
    eligibility: str | None = None


class IntrinsicGreenPower(Wire):
    green_percentage: str | None = None


class Contract(Wire):
    additional_fee_information: str | None = None
    is_fixed: bool | None = None
    on_expiry_description: str | None = None
    pricing_model: str | None = None
    time_zone: str | None = None
    variation: str | None = None
    payment_option: list[str] | None = None
    intrinsic_green_power: IntrinsicGreenPower | None = None
    controlled_load: list[ControlledLoad] | None = None
    discounts: list[PlanDiscount] | None = None
    eligibility: list[PlanEligibility] | None = None
    fees: list[PlanFee] | None = None
    green_power_charges: list[GreenPowerCharge] | None = None
    incentives: list[Incentive] | None = None
    solar_feed_in_tariff: list[SolarFeedIn] | None = None
    tariff_period: list[TariffPeriod] | None = None


class MeteringCharge(Wire):
    description: str | None = None
    display_name: str | None = None
    maximum_value: str | None = None
    minimum_value: str | None = None
    period: str | None = None


class PlanDetail(Wire):
    fuel_type: str | None = None
    is_contingent_plan: bool | None = None
    electricity_contract: Contract | None = None
    gas_contract: Contract | None = None
    metering_charges: list[MeteringCharge] | None = None


class PlanOverview(Wire):
    display_name: str | None = None
    start_date: str | None = None
    end_date: str | None = None


class AuthorisedContact(Wire):
    first_name: str | None = None
    last_name: str | None = None
    middle_names: list[str] | None = None
    prefix: str | None = None
    suffix: str | None = None


class AccountPlan(Wire):
    nickname: str | None = None
    service_point_ids: list[str] | None = None
    authorised_contacts: list[AuthorisedContact] | None = None
    plan_overview: PlanOverview | None = None
    plan_detail: PlanDetail | None = None


class EnergyAccount(EndUserRecord, kw_only=True):
    account_id: str
    account_number: str | None = None
    creation_date: str | None = None
    display_name: str | None = None
    open_status: str | None = None
    plans: list[AccountPlan] | None = None
