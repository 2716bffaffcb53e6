"""Contract terms other than rates: feed-in, discounts, fees, green power, eligibility."""

from __future__ import annotations

from random import Random

from toolkit.wire import JsonObject

ALL_DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]


def contract_terms(chance: Random, *, solar: bool) -> JsonObject:
    """Draw the terms of a contract; some are in most plans and some in few. solar: whether it may have feed-in."""
    terms: JsonObject = {
        "timeZone": chance.choice(("LOCAL", "AEST", None)),
        "variation": "Prices may change after notice.",
        "coolingOffDays": 10,
        "billFrequency": [chance.choice(("P1M", "P3M"))],
        "termType": chance.choice(("ONGOING", "1_YEAR", "2_YEAR")),
        "fees": _fees(chance),
        "discounts": _discounts(chance),
        "greenPowerCharges": [_green_power(chance)] if chance.random() < 0.4 else None,
        "eligibility": [{"type": chance.choice(ELIGIBILITY)}] if chance.random() < 0.2 else None,
        "incentives": [SIGN_UP_CREDIT] if chance.random() < 0.15 else None,
        "solarFeedInTariff": _feed_in(chance) if solar and chance.random() < 0.8 else None,
    }
    return {name: value for name, value in terms.items() if value}


SIGN_UP_CREDIT = {
    "displayName": "Sign-up credit",
    "description": "50 dollars off the first bill for new customers",
    "category": "ACCOUNT_CREDIT",
}
ELIGIBILITY = ("NEW_CUSTOMER", "EXISTING_SOLAR", "SENIOR_CARD", "ONLINE_ONLY", "EXISTING_SMART_METER")


def _fees(chance: Random) -> list[JsonObject]:
    fees: list[JsonObject] = [
        {"type": "LATE_PAYMENT", "term": "FIXED", "amount": "14.00"},
        {"type": "CC_PROCESSING", "term": "PERCENT_OF_BILL", "rate": "0.0066"},
        {"type": "EXIT", "term": "FIXED", "amount": f"{chance.choice((0, 20, 75))}.00"},
    ]
    if chance.random() < 0.15:
        fees.append({"type": "MEMBERSHIP", "term": "ANNUAL", "amount": f"{chance.randint(39, 129)}.00"})
    if chance.random() < 0.1:
        fees.append({"type": "OTHER", "term": "MONTHLY", "amount": "2.50", "description": "Account keeping"})
    return fees


def _discounts(chance: Random) -> list[JsonObject]:
    if chance.random() < 0.5:
        return []
    method, terms = chance.choice(
        (
            ("percentOfBill", {"rate": f"0.{chance.randint(2, 12):02d}"}),
            ("percentOfUse", {"rate": f"0.{chance.randint(2, 15):02d}"}),
            ("fixedAmount", {"amount": "60.00"}),
            ("percentOverThreshold", {"rate": "0.10", "usageAmount": "300"}),
        )
    )
    kind, category = chance.choice((("GUARANTEED", "GUARANTEED_DISCOUNT"), ("CONDITIONAL", "PAY_ON_TIME")))
    named = {"displayName": category.replace("_", " ").title(), "type": kind, "category": category}
    return [{**named, "methodUType": method, method: terms}]


def _green_power(chance: Random) -> JsonObject:
    kind, amount = chance.choice((("FIXED_PER_UNIT", "0.0440"), ("FIXED_PER_WEEK", "2.20"), ("PERCENT_OF_BILL", None)))
    tier = {"percentGreen": "1.0", **({"amount": amount} if amount else {"rate": "0.05"})}
    return {"displayName": "Green choice", "scheme": "GREENPOWER", "type": kind, "tiers": [tier]}


def _feed_in(chance: Random) -> list[JsonObject]:
    """Draw one rate, blocks in one entry or in two, time-varying rates, or a second, closed premium scheme."""
    price = f"{chance.uniform(0.0, 0.09):.4f}"
    match chance.randrange(6):
        case 0 | 1:
            return [_single("Feed-in", {"unitPrice": price})]
        case 2:
            first, rest = {"unitPrice": "0.1200", "volume": 10}, {"unitPrice": price}
            return [_single("Feed-in", first, rest, period="P1D")]
        case 3:
            first = {"unitPrice": "0.1000", "volume": 6.85}
            return [_single("First 6.85 kWh a day", first), _single("Balance", {"unitPrice": price})]
        case 4:
            return [_time_varying(price)]
        case _:
            closed = _single("Closed scheme", {"unitPrice": "0.4400"}) | {
                "scheme": "PREMIUM",
                "payerType": "GOVERNMENT",
            }
            return [_single("Feed-in", {"unitPrice": price}), closed]


def _single(name: str, *rates: JsonObject, period: str | None = None) -> JsonObject:
    tariff = {"rates": list(rates), **({"period": period} if period else {})}
    return {**_entry(name), "tariffUType": "singleTariff", "singleTariff": tariff}


def _time_varying(price: str) -> JsonObject:
    parts = (("PEAK", "0.1100", "16:00", "21:00"), ("OFF_PEAK", price, "21:00", "16:00"))
    varying = [
        {
            "type": kind,
            "displayName": "Feed-in",
            "rates": [{"unitPrice": cost}],
            "timeVariations": [{"days": ALL_DAYS, "startTime": start, "endTime": end}],
        }
        for kind, cost, start, end in parts
    ]
    return {**_entry("Evening feed-in"), "tariffUType": "timeVaryingTariffs", "timeVaryingTariffs": varying}


def _entry(name: str) -> JsonObject:
    return {"displayName": name, "scheme": "OTHER", "payerType": "RETAILER"}
