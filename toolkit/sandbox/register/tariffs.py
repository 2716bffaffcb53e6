"""Electricity and gas contracts in every form that retailers publish. Prices in dollars without GST."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

Json = dict[str, Any]

WEEKDAYS = ["MON", "TUE", "WED", "THU", "FRI"]
WEEKEND = ["SAT", "SUN"]
ALL_DAYS = [*WEEKDAYS, *WEEKEND]
Window = tuple[Sequence[str], str, str]


def price(chance: Random, middle: float, level: float) -> str:
    """About `middle` dollars at the dearest network."""
    return f"{middle * level * chance.uniform(0.88, 1.14):.4f}"


def season(rates: Json, supply: str | None, dates: tuple[str, str, str] = ("All year", "01-01", "12-31")) -> Json:
    """A tariff period; dates: name, first and last day as month-day."""
    name, first, last = dates
    charge = {"dailySupplyChargeType": "SINGLE", "dailySupplyCharge": supply} if supply else {}
    return {"type": "RETAIL_SERVICE", "displayName": name, "startDate": first, "endDate": last, **charge, **rates}


def single(*blocks: tuple[str, float | None], period: str | None = None) -> Json:
    """Blocks of (price, width)."""
    rates = [{"unitPrice": cost, **({} if width is None else {"volume": width})} for cost, width in blocks]
    return {
        "rateBlockUType": "singleRate",
        "singleRate": {"displayName": "Anytime", "rates": rates, **({"period": period} if period else {})},
    }


def band(kind: str, cost: str, *windows: Window) -> Json:
    return {
        "type": kind,
        "displayName": kind.replace("_", " ").title(),
        "rates": [{"unitPrice": cost}],
        "timeOfUse": [{"days": list(days), "startTime": start, "endTime": end} for days, start, end in windows],
    }


def bands(*listed: Json) -> Json:
    return {"rateBlockUType": "timeOfUseRates", "timeOfUseRates": list(listed)}


def supply(chance: Random, level: float) -> str:
    return price(chance, 1.12, level)


def flat(chance: Random, level: float) -> Json:
    return _contract("SINGLE_RATE", season(single((price(chance, 0.31, level), None)), supply(chance, level)))


def stepped(chance: Random, level: float) -> Json:
    """Two or three blocks a day, a month, a quarter or a year."""
    period, width = chance.choice((("P1D", 15.0), ("P1M", 330.0), ("P3M", 1020.0), ("P1Y", 4000.0)))
    blocks = [(price(chance, 0.28, level), width), (price(chance, 0.33, level), None)]
    if chance.random() < 0.3:
        blocks.insert(1, (price(chance, 0.30, level), width * 2))
    return _contract("SINGLE_RATE", season(single(*blocks, period=period), supply(chance, level)))


def two_bands(chance: Random, level: float) -> Json:
    """Every window of the peak ends with the minute before the next one begins, as one state's plans are written."""
    peak = band("PEAK", price(chance, 0.44, level), (ALL_DAYS, "15:00", "20:59"))
    rest = band("OFF_PEAK", price(chance, 0.24, level), (ALL_DAYS, "21:00", "14:59"))
    return _contract("TIME_OF_USE", season(bands(peak, rest), supply(chance, level)))


def three_bands(chance: Random, level: float) -> Json:
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


def free_hours(chance: Random, level: float) -> Json:
    """A midday allowance at nothing, then blocks; the evening and the rest."""
    midday = band("SHOULDER1", "0.0000", (ALL_DAYS, "11:00", "14:00"))
    midday |= {"period": "P1D", "rates": [{"unitPrice": "0.0000", "volume": 24}, {"unitPrice": "0.2800"}]}
    evening = band("PEAK", price(chance, 0.47, level), (ALL_DAYS, "16:00", "23:00"))
    rest = band("OFF_PEAK", price(chance, 0.27, level), (ALL_DAYS, "23:00", "11:00"), (ALL_DAYS, "14:00", "16:00"))
    return _contract("TIME_OF_USE", season(bands(midday, evening, rest), supply(chance, level)))


def seasons(chance: Random, level: float) -> Json:
    """Summer and the rest; month-day or day-month."""
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


def demand_beside(chance: Random, level: float) -> Json:
    """One energy rate, and demand charges in tariff periods of their own, which lie over it."""
    energy = season(single((price(chance, 0.24, level), None)), supply(chance, level))
    charged = [
        season(_demand(price(chance, cost, level)), None, dates)
        for cost, dates in ((0.30, ("High season", "11-01", "03-31")), (0.15, ("Low season", "04-01", "10-31")))
    ]
    return _contract("SINGLE_RATE", energy, *charged)


def demand_inside(chance: Random, level: float) -> Json:
    """Demand charges in the same tariff period as the time of use rates, some by the month with a least demand."""
    found = three_bands(chance, level)
    monthly = chance.random() < 0.3
    cost = price(chance, 7.5 if monthly else 0.26, level)
    charge = _demand(cost, minDemand="1.5" if monthly else "0", chargePeriod="MONTH" if monthly else "DAY")
    found["tariffPeriod"][0]["demandCharges"] = charge["demandCharges"]
    return found


def _demand(cost: str, **more: str) -> Json:
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


def controlled(chance: Random, level: float) -> Json:
    """With one or two controlled loads, single or by the clock; two are a choice."""
    found = flat(chance, level) if chance.random() < 0.5 else two_bands(chance, level)
    loads = [_load(chance, level, "Controlled load 1")]
    if chance.random() < 0.4:
        loads.append(_load(chance, level * 1.15, "Controlled load 2"))
    if chance.random() < 0.25:
        night = band("OFF_PEAK", price(chance, 0.16, level), (ALL_DAYS, "22:00", "07:00"))
        solar = band("SOLAR_SPONGE", price(chance, 0.12, level), (ALL_DAYS, "07:00", "22:00"))
        loads = [{"displayName": "Hot water", **bands(night, solar)}]
    return found | {"pricingModel": f"{found['pricingModel']}_CONT_LOAD", "controlledLoad": loads}


def _load(chance: Random, level: float, name: str) -> Json:
    rate: Json = {"displayName": name, "dailySupplyCharge": price(chance, 0.04, level)}
    rate["rates"] = [{"unitPrice": price(chance, 0.18, level)}]
    return {"displayName": name, "rateBlockUType": "singleRate", "singleRate": rate}


def banded_supply(chance: Random, level: float) -> Json:
    """The supply charge by the year's energy."""
    period = season(single((price(chance, 0.29, level), None)), None)
    bands_ = [
        {"unitPrice": price(chance, cost, level), "measureUnit": "DAYS", **more}
        for cost, more in ((1.05, {"volume": 20000}), (1.9, {"volume": 20000}), (2.8, {}))
    ]
    return _contract("SINGLE_RATE", period | {"dailySupplyChargeType": "BAND", "bandedDailySupplyCharges": bands_})


def quota(chance: Random, level: float) -> Json:
    """An allowance a day, and a price with GST beyond it."""
    period = season(single((price(chance, 0.26, level), 12.0), (price(chance, 0.35, level), None), period="P1D"), None)
    period["singleRate"]["generalUnitPrice"] = price(chance, 0.36, level)
    return _contract("QUOTA", period | {"dailySupplyChargeType": "SINGLE", "dailySupplyCharge": supply(chance, level)})


def older(chance: Random, level: float) -> Json:
    """As some years ago: cents, bare hours, days by kind, one object for controlled load and for feed-in."""

    def cents(middle: float) -> str:
        return f"{float(price(chance, middle, level)) * 100:.2f}"

    peak = band("PEAK", cents(0.41), (["BUSINESS_DAYS"], "700", "2159"))
    rest = band("OFF_PEAK", cents(0.22), (["BUSINESS_DAYS"], "2200", "659"), (["SATURDAY", "SUNDAY"], "0", "2359"))
    period = season(bands(peak, rest), None) | {"dailySupplyCharges": cents(1.1)}
    load = {"displayName": "Hot water", "rates": [{"unitPrice": cents(0.18)}], "dailyCharge": cents(0.04)}
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
                "singleTariff": {"amount": cents(0.05)},
            }
        ],
    }


def gas_flat(chance: Random, level: float) -> Json:
    return _contract("SINGLE_RATE", season(single((price(chance, 0.036, level), None)), price(chance, 0.75, level)))


def gas_blocks(chance: Random, level: float) -> Json:
    """Blocks by the day or by two months, dearer in winter in some plans."""
    daily = price(chance, 0.75, level)
    period, width = chance.choice((("P1D", 60.0), ("P2M", 3700.0)))
    dates = [("All year", "01-01", "12-31")]
    if chance.random() < 0.5:
        dates = [("Winter", "06-01", "09-30"), ("Other months", "10-01", "05-31")]
    blocks = ((price(chance, 0.039, level), width), (price(chance, 0.031, level), None))
    return _contract("SINGLE_RATE", *(season(single(*blocks, period=period), daily, named) for named in dates))


def _contract(model: str, *periods: Json) -> Json:
    return {
        "pricingModel": model,
        "isFixed": False,
        "paymentOption": ["DIRECT_DEBIT", "BPAY"],
        "tariffPeriod": list(periods),
    }


Form = Callable[[Random, float], Json]
ELECTRICITY_FORMS: tuple[tuple[str, Form], ...] = (
    ("Saver", flat),
    ("Steps", stepped),
    ("Evening", two_bands),
    ("Clock", three_bands),
    ("Midday", free_hours),
    ("Seasons", seasons),
    ("Peak", demand_beside),
    ("Peak Plus", demand_inside),
    ("Hot Water", controlled),
    ("Range", banded_supply),
    ("Allowance", quota),
    ("Classic", older),
)
GAS_FORMS: tuple[tuple[str, Form], ...] = (("Gas", gas_flat), ("Gas Steps", gas_blocks))
