"""Electricity and gas tariffs in every form that retailers publish, drawn at random.

Prices are in dollars without GST. Every tariff function takes the price level of the network (1 is the dearest) and
returns a contract.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from toolkit.wire import JsonObject

WEEKDAYS = ["MON", "TUE", "WED", "THU", "FRI"]
WEEKEND = ["SAT", "SUN"]
ALL_DAYS = [*WEEKDAYS, *WEEKEND]
Window = tuple[Sequence[str], str, str]
"""(days, start, end)."""


def price(chance: Random, middle: float, level: float) -> str:
    """Draw a price of about `middle` dollars at the dearest network."""
    return f"{middle * level * chance.uniform(0.88, 1.14):.4f}"


def season(
    rates: JsonObject, supply: str | None, dates: tuple[str, str, str] = ("All year", "01-01", "12-31")
) -> JsonObject:
    """Build a tariff period; dates: name, first and last day as month-day."""
    name, first, last = dates
    charge = {"dailySupplyChargeType": "SINGLE", "dailySupplyCharge": supply} if supply else {}
    return {"type": "RETAIL_SERVICE", "displayName": name, "startDate": first, "endDate": last, **charge, **rates}


def single(*blocks: tuple[str, float | None], period: str | None = None) -> JsonObject:
    """Build a single rate from blocks of (price, width)."""
    rates = [{"unitPrice": cost, **({} if width is None else {"volume": width})} for cost, width in blocks]
    return {
        "rateBlockUType": "singleRate",
        "singleRate": {"displayName": "Anytime", "rates": rates, **({"period": period} if period else {})},
    }


def band(kind: str, cost: str, *windows: Window) -> JsonObject:
    """Build a time-of-use rate."""
    return {
        "type": kind,
        "displayName": kind.replace("_", " ").title(),
        "rates": [{"unitPrice": cost}],
        "timeOfUse": [{"days": list(days), "startTime": start, "endTime": end} for days, start, end in windows],
    }


def bands(*listed: JsonObject) -> JsonObject:
    """Build the rates of a time-of-use tariff period."""
    return {"rateBlockUType": "timeOfUseRates", "timeOfUseRates": list(listed)}


def supply(chance: Random, level: float) -> str:
    """Draw a daily supply charge."""
    return price(chance, 1.12, level)


def flat(chance: Random, level: float) -> JsonObject:
    """Draw one rate all day."""
    return _contract("SINGLE_RATE", season(single((price(chance, 0.31, level), None)), supply(chance, level)))


def tiered(chance: Random, level: float) -> JsonObject:
    """Draw two or three blocks per day, month, quarter or year."""
    period, width = chance.choice((("P1D", 15.0), ("P1M", 330.0), ("P3M", 1020.0), ("P1Y", 4000.0)))
    blocks = [(price(chance, 0.28, level), width), (price(chance, 0.33, level), None)]
    if chance.random() < 0.3:
        blocks.insert(1, (price(chance, 0.30, level), width * 2))
    return _contract("SINGLE_RATE", season(single(*blocks, period=period), supply(chance, level)))


def two_bands(chance: Random, level: float) -> JsonObject:
    """Draw peak and off-peak rates; windows end a minute before the next begins, as Victorian plans are written."""
    peak = band("PEAK", price(chance, 0.44, level), (ALL_DAYS, "15:00", "20:59"))
    rest = band("OFF_PEAK", price(chance, 0.24, level), (ALL_DAYS, "21:00", "14:59"))
    return _contract("TIME_OF_USE", season(bands(peak, rest), supply(chance, level)))


def three_bands(chance: Random, level: float) -> JsonObject:
    """Draw peak, shoulder and off-peak rates."""
    listed = bands(
        band("PEAK", price(chance, 0.48, level), (WEEKDAYS, "15:00", "21:00")),
        band(
            "SHOULDER",
            price(chance, 0.29, level),
            (WEEKDAYS, "07:00", "15:00"),
            (WEEKDAYS, "21:00", "22:00"),
            (WEEKEND, "07:00", "22:00"),
        ),
        band("OFF_PEAK", price(chance, 0.20, level), (ALL_DAYS, "22:00", "07:00")),
    )
    return _contract("TIME_OF_USE", season(listed, supply(chance, level)))


def free_hours(chance: Random, level: float) -> JsonObject:
    """Draw a free midday allowance, then a price beyond it; an evening peak; and off-peak."""
    midday = band("SHOULDER1", "0.0000", (ALL_DAYS, "11:00", "14:00"))
    midday |= {"period": "P1D", "rates": [{"unitPrice": "0.0000", "volume": 24}, {"unitPrice": "0.2800"}]}
    evening = band("PEAK", price(chance, 0.47, level), (ALL_DAYS, "16:00", "23:00"))
    rest = band("OFF_PEAK", price(chance, 0.27, level), (ALL_DAYS, "23:00", "11:00"), (ALL_DAYS, "14:00", "16:00"))
    return _contract("TIME_OF_USE", season(bands(midday, evening, rest), supply(chance, level)))


def seasons(chance: Random, level: float) -> JsonObject:
    """Draw rates for summer and for the other months; dates as month-day or day-month."""
    daily = supply(chance, level)
    dates = (("Summer", "11-01", "03-31"), ("Other months", "04-01", "10-31"))
    if chance.random() < 0.4:
        dates = (("Summer", "01-11", "31-03"), ("Other months", "01-04", "31-10"))
    periods = []
    for named, cost in zip(dates, (0.49, 0.38), strict=True):
        peak = band("PEAK", price(chance, cost, level), (WEEKDAYS, "14:00", "20:00"))
        rest = band("OFF_PEAK", price(chance, 0.23, level), (WEEKDAYS, "20:00", "14:00"), (WEEKEND, "00:00", "00:00"))
        periods.append(season(bands(peak, rest), daily, named))
    return _contract("TIME_OF_USE", *periods)


def demand_in_own_periods(chance: Random, level: float) -> JsonObject:
    """Draw one energy rate, and demand charges in tariff periods of their own, which overlap its period."""
    energy = season(single((price(chance, 0.24, level), None)), supply(chance, level))
    charged = [
        season(_demand(price(chance, cost, level)), None, dates)
        for cost, dates in ((0.30, ("High season", "11-01", "03-31")), (0.15, ("Low season", "04-01", "10-31")))
    ]
    return _contract("SINGLE_RATE", energy, *charged)


def demand_with_energy(chance: Random, level: float) -> JsonObject:
    """Draw demand charges in the tariff period of the time-of-use rates, some per month with a minimum demand."""
    contract = three_bands(chance, level)
    monthly = chance.random() < 0.3
    cost = price(chance, 7.5 if monthly else 0.26, level)
    charge = _demand(cost, minDemand="1.5" if monthly else "0", chargePeriod="MONTH" if monthly else "DAY")
    contract["tariffPeriod"][0]["demandCharges"] = charge["demandCharges"]
    return contract


def _demand(cost: str, **more: str) -> JsonObject:
    charge = {
        "displayName": "Demand",
        "description": "Highest half hour of the month, per kW per day",
        "amount": cost,
        "measureUnit": "KW",
        "startTime": "16:00",
        "endTime": "21:00",
        "days": WEEKDAYS,
        "measurementPeriod": "MONTH",
        "chargePeriod": "DAY",
        **more,
    }
    return {"rateBlockUType": "demandCharges", "demandCharges": [charge]}


def controlled_load(chance: Random, level: float) -> JsonObject:
    """Draw one or two controlled loads (two are alternatives), at a single or a time-of-use rate."""
    contract = flat(chance, level) if chance.random() < 0.5 else two_bands(chance, level)
    loads = [_load(chance, level, "Controlled load 1")]
    if chance.random() < 0.4:
        loads.append(_load(chance, level * 1.15, "Controlled load 2"))
    if chance.random() < 0.25:
        night = band("OFF_PEAK", price(chance, 0.16, level), (ALL_DAYS, "22:00", "07:00"))
        solar = band("SOLAR_SPONGE", price(chance, 0.12, level), (ALL_DAYS, "07:00", "22:00"))
        loads = [{"displayName": "Hot water", **bands(night, solar)}]
    return contract | {"pricingModel": f"{contract['pricingModel']}_CONT_LOAD", "controlledLoad": loads}


def _load(chance: Random, level: float, name: str) -> JsonObject:
    rate: JsonObject = {"displayName": name, "dailySupplyCharge": price(chance, 0.04, level)}
    rate["rates"] = [{"unitPrice": price(chance, 0.18, level)}]
    return {"displayName": name, "rateBlockUType": "singleRate", "singleRate": rate}


def banded_supply(chance: Random, level: float) -> JsonObject:
    """Draw a supply charge that depends on the year's energy."""
    period = season(single((price(chance, 0.29, level), None)), None)
    supply_bands = [
        {"unitPrice": price(chance, cost, level), "measureUnit": "DAYS", **more}
        for cost, more in ((1.05, {"volume": 20000}), (1.9, {"volume": 20000}), (2.8, {}))
    ]
    return _contract(
        "SINGLE_RATE", period | {"dailySupplyChargeType": "BAND", "bandedDailySupplyCharges": supply_bands}
    )


def quota(chance: Random, level: float) -> JsonObject:
    """Draw a daily allowance, and a general price beyond it, which includes GST (pricing rule 1)."""
    period = season(single((price(chance, 0.26, level), 12.0), (price(chance, 0.35, level), None), period="P1D"), None)
    period["singleRate"]["generalUnitPrice"] = price(chance, 0.36, level)
    return _contract("QUOTA", period | {"dailySupplyChargeType": "SINGLE", "dailySupplyCharge": supply(chance, level)})


def superseded_form(chance: Random, level: float) -> JsonObject:
    """Draw a contract as published some years ago.

    Prices are in cents, times without colons, days by kind; controlled load and feed-in are single objects.
    """

    def _cents(middle: float) -> str:
        return f"{float(price(chance, middle, level)) * 100:.2f}"

    peak = band("PEAK", _cents(0.41), (["BUSINESS_DAYS"], "700", "2159"))
    rest = band("OFF_PEAK", _cents(0.22), (["BUSINESS_DAYS"], "2200", "659"), (["SATURDAY", "SUNDAY"], "0", "2359"))
    period = season(bands(peak, rest), None) | {"dailySupplyCharges": _cents(1.1)}
    load = {"displayName": "Hot water", "rates": [{"unitPrice": _cents(0.18)}], "dailyCharge": _cents(0.04)}
    return _contract("TIME_OF_USE_CONT_LOAD", period) | {
        "controlledLoad": load,
        "discounts": [
            {
                "displayName": "Pay on time",
                "type": "CONDITIONAL",
                "category": "PAY_ON_TIME",
                "methodUType": "percentOfBill",
                "percentOfBill": {"rate": "5"},
            }
        ],
        "solarFeedInTariff": [
            {
                "displayName": "Feed-in",
                "scheme": "OTHER",
                "payerType": "RETAILER",
                "tariffUType": "singleTariff",
                "singleTariff": {"amount": _cents(0.05)},
            }
        ],
    }


def gas_flat(chance: Random, level: float) -> JsonObject:
    """Draw one gas rate, per megajoule."""
    return _contract("SINGLE_RATE", season(single((price(chance, 0.036, level), None)), price(chance, 0.75, level)))


def gas_blocks(chance: Random, level: float) -> JsonObject:
    """Draw gas blocks per day or two months, in some plans with a period of their own for winter."""
    daily = price(chance, 0.75, level)
    period, width = chance.choice((("P1D", 60.0), ("P2M", 3700.0)))
    dates = [("All year", "01-01", "12-31")]
    if chance.random() < 0.5:
        dates = [("Winter", "06-01", "09-30"), ("Other months", "10-01", "05-31")]
    blocks = ((price(chance, 0.039, level), width), (price(chance, 0.031, level), None))
    return _contract("SINGLE_RATE", *(season(single(*blocks, period=period), daily, named) for named in dates))


def _contract(model: str, *periods: JsonObject) -> JsonObject:
    return {
        "pricingModel": model,
        "isFixed": False,
        "paymentOption": ["DIRECT_DEBIT", "BPAY"],
        "tariffPeriod": list(periods),
    }


Tariff = Callable[[Random, float], JsonObject]
ELECTRICITY_TARIFFS: tuple[tuple[str, Tariff], ...] = (
    ("Saver", flat),
    ("Steps", tiered),
    ("Evening", two_bands),
    ("Clock", three_bands),
    ("Midday", free_hours),
    ("Seasons", seasons),
    ("Peak", demand_in_own_periods),
    ("Peak Plus", demand_with_energy),
    ("Hot Water", controlled_load),
    ("Range", banded_supply),
    ("Allowance", quota),
    ("Classic", superseded_form),
)
GAS_TARIFFS: tuple[tuple[str, Tariff], ...] = (("Gas", gas_flat), ("Gas Steps", gas_blocks))
