"""Energy contracts of the sandbox's retailers, in the service's shape; prices rise on each 1 July."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

from toolkit.sandbox.world.days import DAY
from toolkit.sandbox.world.people import Person
from toolkit.wire import JsonObject

WEEKDAYS = ["MON", "TUE", "WED", "THU", "FRI"]
WEEKEND = ["SAT", "SUN"]
ALL_DAYS = WEEKDAYS + WEEKEND
YEARLY_RISE = Decimal("1.062")
BASE_YEAR = 2024

NAMES = {"flat": "Steady Saver", "time_of_use": "Clockwise Home", "demand": "Sunny Demand"}


def plan_years(first: date, today: date) -> Iterator[tuple[date, date | None]]:
    """Yield (first day, last day) of each version of a plan, cut at every 1 July; the current one has no last day."""
    start = first
    while (july := date(start.year + (start.month >= 7), 7, 1)) <= today:
        yield start, july - DAY
        start = july
    yield start, None


def price_on(price: str, on: date) -> str:
    """Raise a price of the first half of 2024 to that of a later day, to a hundredth of a cent."""
    rises = on.year - BASE_YEAR - (on.month < 7)
    return str((Decimal(price) * YEARLY_RISE**rises).quantize(Decimal("0.0001")))


def electricity_contract(person: Person, on: date) -> JsonObject:
    """Return the contract in force on a day."""
    # Optional; no household has chosen it.
    green_power = {
        "description": "All of your usage from renewable sources",
        "display_name": "Green choice",
        "scheme": "GREENPOWER",
        "type": "FIXED_PER_UNIT",
        "tiers": [{"amount": price_on("0.0440", on), "percent_green": "1.0"}],
    }
    return {
        "additional_fee_information": "Fees are listed with GST.",
        "is_fixed": False,
        "on_expiry_description": "The plan continues at the prices of the day.",
        "variation": "Prices may change once a year, on 1 July.",
        "payment_option": ["BPAY", "DIRECT_DEBIT", "CREDIT_CARD"],
        "intrinsic_green_power": {"green_percentage": "0.1"},
        "eligibility": [{"description": "None", "information": "Open to all", "type": "OTHER"}],
        "fees": FEES + (MEMBERSHIP if person.tariff == "demand" else []),
        "discounts": DISCOUNTS + (GUARANTEED if person.tariff == "flat" else []),
        "incentives": [
            {
                "category": "OTHER",
                "description": "A tree is planted",
                "display_name": "Tree",
                "eligibility": "New customers",
            }
        ],
        "green_power_charges": [green_power],
        **_TARIFFS[person.tariff](person, on),
    }


def _flat(_person: Person, on: date) -> JsonObject:
    """Return two blocks per day; no time zone is given, so times are in AEST."""
    rates = [
        {"measure_unit": "KWH", "unit_price": price_on("0.2610", on), "volume": 8},
        {"measure_unit": "KWH", "unit_price": price_on("0.2935", on)},
    ]
    single = {"display_name": "Anytime", "description": "All day", "period": "P1D", "rates": rates}
    return {
        "pricing_model": "SINGLE_RATE",
        "tariff_period": [_season(("All year", "01-01", "31-12"), price_on("0.9850", on), single_rate=single)],
    }


def _time_of_use(person: Person, on: date) -> JsonObject:
    """Return local time, two seasons, three bands, controlled load, one feed-in rate."""
    supply = price_on("0.9270", on)
    summer, winter = ("Summer", "01-11", "31-03"), ("Winter", "01-04", "31-10")
    contract: JsonObject = {
        "pricing_model": "TIME_OF_USE",
        "time_zone": "LOCAL",
        "tariff_period": [
            _season(summer, supply, time_of_use_rates=_bands(on, "0.5140")),
            _season(winter, supply, time_of_use_rates=_bands(on, "0.4380")),
        ],
    }
    if person.controlled_load:
        rate = {"measure_unit": "KWH", "unit_price": price_on("0.1610", on)}
        single = {
            "daily_supply_charge": price_on("0.0420", on),
            "display_name": "Hot water",
            "description": "Off-peak hot water",
            "rates": [rate],
        }
        controlled_load = {
            "display_name": "Controlled load 1",
            "rate_block_u_type": "singleRate",
            "single_rate": single,
        }
        contract |= {"pricing_model": "TIME_OF_USE_CONT_LOAD", "controlled_load": [controlled_load]}
    if person.panels_kw:
        contract["solar_feed_in_tariff"] = [SINGLE_FEED_IN]
    return contract


def _bands(on: date, peak: str) -> list[JsonObject]:
    return [
        _band("PEAK", price_on(peak, on), (WEEKDAYS, "T15:00:00", "T21:00:00")),
        _band(
            "SHOULDER",
            price_on("0.2490", on),
            (WEEKDAYS, "T07:00:00", "T15:00:00"),
            (WEEKDAYS, "T21:00:00", "T22:00:00"),
            (WEEKEND, "T07:00:00", "T22:00:00"),
        ),
        _band("OFF_PEAK", price_on("0.1930", on), (ALL_DAYS, "T22:00:00", "T07:00:00")),
    ]


def _band(kind: str, price: str, *windows: tuple[list[str], str, str]) -> JsonObject:
    return {
        "display_name": kind.replace("_", " ").capitalize(),
        "description": f"{kind} usage",
        "type": kind,
        "rates": [{"measure_unit": "KWH", "unit_price": price}],
        "time_of_use": [{"days": days, "start_time": start, "end_time": end} for days, start, end in windows],
    }


SINGLE_FEED_IN: JsonObject = {
    "display_name": "Retailer feed-in",
    "description": "For what you send to the grid",
    "payer_type": "RETAILER",
    "scheme": "OTHER",
    "tariff_u_type": "singleTariff",
    "single_tariff": {"rates": [{"measure_unit": "KWH", "unit_price": "0.0500"}]},
}


def _demand(_person: Person, on: date) -> JsonObject:
    """Return one energy rate, a demand charge by season in a period of its own, and higher feed-in in the evening."""
    rate = {"measure_unit": "KWH", "unit_price": price_on("0.2275", on)}
    energy = _season(
        ("All year", "01-01", "31-12"), price_on("1.1420", on), single_rate={"display_name": "Anytime", "rates": [rate]}
    )
    seasons = (("Summer demand", "01-11", "31-03", "0.3120"), ("Winter demand", "01-04", "31-10", "0.1540"))
    return {
        "pricing_model": "SINGLE_RATE",
        "time_zone": "AEST",
        "tariff_period": [energy, *(_demand_season(season, on) for season in seasons)],
        "solar_feed_in_tariff": [_evening_feed_in()],
    }


def _demand_season(season: tuple[str, str, str, str], on: date) -> JsonObject:
    name, start, end, price = season
    return {
        "display_name": name,
        "start_date": start,
        "end_date": end,
        "type": "RETAIL_SERVICE",
        "rate_block_u_type": "demandCharges",
        "demand_charges": [
            {
                "amount": price_on(price, on),
                "charge_period": "DAY",
                "days": ALL_DAYS,
                "description": "Highest half hour of each month",
                "display_name": name,
                "start_time": "T16:00:00",
                "end_time": "T21:00:00",
                "measure_unit": "KW",
                "measurement_period": "MONTH",
            }
        ],
    }


def _evening_feed_in() -> JsonObject:
    evening = {"days": ALL_DAYS, "start_time": "T16:00:00", "end_time": "T21:00:00"}
    rest = {"days": ALL_DAYS, "start_time": "T21:00:00", "end_time": "T16:00:00"}
    tariffs = [
        {
            "display_name": "Feed-in",
            "type": kind,
            "rates": [{"measure_unit": "KWH", "unit_price": price}],
            "time_variations": [window],
        }
        for kind, price, window in (("PEAK", "0.1100", evening), ("OFF_PEAK", "0.0330", rest))
    ]
    return {
        "display_name": "Evening feed-in",
        "description": "More between 4 pm and 9 pm",
        "payer_type": "RETAILER",
        "scheme": "OTHER",
        "tariff_u_type": "timeVaryingTariffs",
        "time_varying_tariffs": tariffs[0],
        "time_varying_tariffs_v2": tariffs,
    }


def _season(season: tuple[str, str, str], supply: str, **rates: Any) -> JsonObject:
    name, start, end = season
    form = "singleRate" if "single_rate" in rates else "timeOfUseRates"
    return {
        "display_name": name,
        "start_date": start,
        "end_date": end,
        "type": "RETAIL_SERVICE",
        "daily_supply_charge": supply,
        "daily_supply_charge_type": "SINGLE",
        "rate_block_u_type": form,
        **rates,
    }


_TARIFFS = {"flat": _flat, "time_of_use": _time_of_use, "demand": _demand}


def gas_contract(on: date) -> JsonObject:
    """Return the gas contract in force on a day: blocks per day, in megajoules."""
    rates = [
        {"measure_unit": "MJ", "unit_price": price_on("0.0342", on), "volume": 60},
        {"measure_unit": "MJ", "unit_price": price_on("0.0271", on)},
    ]
    single = {"display_name": "Gas", "period": "P1D", "rates": rates}
    return {
        "is_fixed": False,
        "payment_option": ["BPAY"],
        "pricing_model": "SINGLE_RATE",
        "tariff_period": [_season(("All year", "01-01", "31-12"), price_on("0.7210", on), single_rate=single)],
    }


FEES: list[JsonObject] = [
    {"amount": "12.00", "description": "Paid late", "term": "FIXED", "type": "LATE_PAYMENT"},
    {"amount": "2.20", "description": "Bill on paper", "term": "FIXED", "type": "PAPER_BILL"},
    {"rate": "0.0066", "description": "Card payments", "term": "PERCENT_OF_BILL", "type": "CC_PROCESSING"},
]
MEMBERSHIP: list[JsonObject] = [
    {"amount": "79.00", "description": "Sunny Club membership", "term": "ANNUAL", "type": "MEMBERSHIP"}
]
DISCOUNTS: list[JsonObject] = [
    {
        "category": "PAY_ON_TIME",
        "description": "2 % off usage when paid by the due date",
        "display_name": "Pay on time",
        "type": "CONDITIONAL",
        "method_u_type": "percentOfUse",
        "percent_of_use": {"rate": "0.02"},
    }
]
GUARANTEED: list[JsonObject] = [
    {
        "category": "GUARANTEED_DISCOUNT",
        "description": "3 % off usage and supply",
        "display_name": "Always off",
        "type": "GUARANTEED",
        "method_u_type": "percentOfBill",
        "percent_of_bill": {"rate": "0.03"},
    }
]
