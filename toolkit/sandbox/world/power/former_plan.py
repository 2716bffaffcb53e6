"""A former plan with every field of the specification, which ended before the history begins and makes no bill."""

from __future__ import annotations

from datetime import date, timedelta

from toolkit.sandbox.world.power.plans import ALL_DAYS, FEES, WEEKDAYS
from toolkit.wire import JsonObject

RATES: list[JsonObject] = [
    {"measure_unit": "KWH", "unit_price": "0.2200", "volume": 10},
    {"measure_unit": "KWH", "unit_price": "0.2500"},
]
DEMAND_CHARGE: JsonObject = {
    "amount": "0.1800",
    "charge_period": "TARIFF_PERIOD",
    "days": WEEKDAYS,
    "description": "Highest of the season",
    "display_name": "Winter demand",
    "start_time": "T16:00:00",
    "end_time": "T20:00:00",
    "max_demand": "30",
    "min_demand": "1",
    "measure_unit": "KVA",
    "measurement_period": "DAY",
}
DISCOUNTS: list[JsonObject] = [
    {
        "category": "OTHER",
        "description": f"By {method}",
        "display_name": method,
        "end_date": "2030-06-30",
        "type": "CONDITIONAL",
        "method_u_type": method,
        name: terms,
    }
    for method, name, terms in (
        ("fixedAmount", "fixed_amount", {"amount": "50.00"}),
        ("percentOfBill", "percent_of_bill", {"rate": "0.05"}),
        ("percentOfUse", "percent_of_use", {"rate": "0.03"}),
        ("percentOverThreshold", "percent_over_threshold", {"rate": "0.10", "usage_amount": "1000"}),
    )
]
INFO = {"additional_info": "On working days.", "additional_info_uri": "https://energy.example/times"}


def former_plan(first: date, service_point_id: str) -> JsonObject:
    """Return a plan of an account for both fuels that ended the day before `first`."""
    end = first - timedelta(days=1)
    return {
        "nickname": "Old plan",
        "service_point_ids": [service_point_id],
        "authorised_contacts": [
            {"first_name": "Alex", "last_name": "Quill", "middle_names": ["Jo"], "prefix": "Dr", "suffix": "PhD"}
        ],
        "plan_overview": {
            "display_name": "Everything Plan (closed)",
            "start_date": str(end - timedelta(days=364)),
            "end_date": str(end),
        },
        "plan_detail": {
            "fuel_type": "DUAL",
            "is_contingent_plan": True,
            "electricity_contract": _contract(),
            "gas_contract": _contract(),
            "metering_charges": [
                {
                    "display_name": "Meter exchange",
                    "description": "When asked for",
                    "minimum_value": "0.00",
                    "maximum_value": "120.00",
                    "period": "P1Y",
                }
            ],
        },
    }


def _contract() -> JsonObject:
    return {
        "additional_fee_information": "As listed",
        "is_fixed": True,
        "on_expiry_description": "Moves to the standing offer",
        "pricing_model": "TIME_OF_USE_CONT_LOAD",
        "time_zone": "AEST",
        "variation": "Once a year",
        "payment_option": ["BPAY", "PAPER_BILL"],
        "intrinsic_green_power": {"green_percentage": "0.25"},
        "controlled_load": _controlled_loads(),
        "discounts": DISCOUNTS,
        "eligibility": [{"description": "Seniors", "information": "Card needed", "type": "SENIOR_CARD"}],
        "fees": FEES,
        "green_power_charges": [
            {
                "display_name": "Quarter green",
                "description": "A quarter from the sun",
                "scheme": "OTHER",
                "type": "PERCENT_OF_USE",
                "tiers": [{"amount": "1.10", "percent_green": "0.25", "rate": "0.02"}],
            }
        ],
        "incentives": [{"category": "GIFT", "description": "A kettle", "display_name": "Kettle", "eligibility": "All"}],
        "solar_feed_in_tariff": _feed_ins(),
        "tariff_period": _tariff_periods(),
    }


def _controlled_loads() -> list[JsonObject]:
    single: JsonObject = {"daily_supply_charge": "0.03", "display_name": "Night", "description": "10 pm to 7 am"}
    single |= {"period": "P1M", "rates": RATES, "general_unit_price": "0.16"}
    dates = {"start_date": "2020-01-01", "end_date": "9999-12-31"}
    return [
        {"display_name": "Night", **dates, "rate_block_u_type": "singleRate", "single_rate": single},
        {
            "display_name": "Day",
            **dates,
            "rate_block_u_type": "timeOfUseRates",
            "time_of_use_rates": [_band("OFF_PEAK") | {"daily_supply_charge": "0.04"}],
        },
    ]


def _band(kind: str) -> JsonObject:
    return {
        "display_name": kind.title(),
        "description": "By the clock",
        "period": "P1M",
        "rates": RATES,
        "time_of_use": [{"days": WEEKDAYS, "start_time": "T14:00:00", "end_time": "T20:00:00", **INFO}],
        "type": kind,
    }


def _feed_ins() -> list[JsonObject]:
    window = {"days": ALL_DAYS, "start_time": "T10:00:00", "end_time": "T14:00:00"}
    varying = {"display_name": "Noon", "period": "P1D", "rates": RATES, "time_variations": [window], "type": "PEAK"}
    common = {"description": "Sent out", "start_date": "2020-01-01", "end_date": "9999-12-31", "scheme": "PREMIUM"}
    return [
        {
            "display_name": "State scheme",
            **common,
            "payer_type": "GOVERNMENT",
            "tariff_u_type": "singleTariff",
            "single_tariff": {"period": "P1D", "rates": RATES},
        },
        {
            "display_name": "Noon",
            **common,
            "payer_type": "RETAILER",
            "tariff_u_type": "timeVaryingTariffs",
            "time_varying_tariffs": varying,
            "time_varying_tariffs_v2": [varying],
        },
    ]


def _tariff_periods() -> list[JsonObject]:
    named = {"time_zone": "AEST", "type": "RETAIL_SERVICE"}
    summer = {"display_name": "Summer", "start_date": "01-10", "end_date": "31-03", **named}
    winter = {"display_name": "Winter", "start_date": "01-04", "end_date": "30-09", **named}
    single = {"display_name": "Anytime", "description": "All day", "period": "P1D", "rates": RATES}
    return [
        summer
        | {
            "banded_daily_supply_charges": [{"measure_unit": "DAYS", "unit_price": "0.90", "volume": 100}],
            "daily_supply_charge_type": "BAND",
            "rate_block_u_type": "timeOfUseRates",
            "time_of_use_rates": [_band("PEAK") | {"daily_supply_charge": "0.10"}],
        },
        winter
        | {
            "daily_supply_charges": "0.95",
            "daily_supply_charge": "0.95",
            "daily_supply_charge_type": "SINGLE",
            "rate_block_u_type": "singleRate",
            "single_rate": single | {"general_unit_price": "0.31", "daily_supply_charge": "0.95"},
        },
        winter | {"rate_block_u_type": "demandCharges", "demand_charges": [DEMAND_CHARGE]},
    ]
