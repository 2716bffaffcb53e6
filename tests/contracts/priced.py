"""Plans of one rule each, and the bills of a home on them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from tests.contracts.referee_bill import referee
from tests.contracts.referee_site import Household, toolkit_bill
from toolkit.analytics.energy.bills import Bill

JUNE = (date(2024, 6, 1), date(2024, 6, 30))

WEEK = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]


def home(first: date, last: date, zone: str = "Australia/Sydney", **kwh: float) -> Household:
    """The same energy in every half hour of each register, from a day before to a day after."""
    count = ((last - first).days + 3) * 48
    registers = {name: [round(value * 10**9)] * count for name, value in kwh.items()}
    return Household(first - timedelta(1), 30, zone, registers)


def flat(price: str = "0.30", *, supply: str | None = None, **contract: Any) -> dict[str, Any]:
    return stepped({"rates": [{"unitPrice": price}]}, supply=supply, **contract)


def stepped(single: dict[str, Any], *, supply: str | None = None, **contract: Any) -> dict[str, Any]:
    period: dict[str, Any] = {"displayName": "All year", "startDate": "01-01", "endDate": "12-31"}
    period |= {"rateBlockUType": "singleRate", "singleRate": single}
    return plan([period | ({} if supply is None else {"dailySupplyCharges": supply})], **contract)


def timed(*bands: tuple[str, list[dict[str, Any]]], **contract: Any) -> dict[str, Any]:
    """Bands of (price, windows)."""
    rates = [{"rates": [{"unitPrice": price}], "timeOfUse": windows, "type": "PEAK"} for price, windows in bands]
    return plan([{"rateBlockUType": "timeOfUseRates", "timeOfUseRates": rates}], **contract)


def plan(
    periods: list[dict[str, Any]], *, metering: list[dict[str, Any]] | None = None, **contract: Any
) -> dict[str, Any]:
    return {
        "planId": "P",
        "electricityContract": {"tariffPeriod": periods} | contract,
        "meteringCharges": metering or [],
    }


def window(start: str, end: str, *days: str) -> dict[str, Any]:
    return {"startTime": start, "endTime": end} | ({"days": list(days)} if days else {})


def billed(offer: dict[str, Any], household: Household, *periods: tuple[date, date], **options: Any) -> Bill:
    """The engine's bill, once the referee has agreed with it."""
    asked = list(periods) or [JUNE]
    bill = toolkit_bill(offer, "electricity", household, asked, **options)
    expected = referee(offer, "electricity", household.site(), asked, **options)
    assert expected is not None
    assert {name: cents for name, cents in expected.components.items() if cents} == cents(bill)
    assert expected.gst == bill.gst_minor
    return bill


def cents(bill: Bill) -> dict[str, int]:
    return {str(name): amount for name, amount in bill.components_minor().items() if amount}


def codes(bill: Bill) -> list[str]:
    return [note.code for note in bill.notes]


def orders(bill: Bill) -> set[tuple[str, str]]:
    """What is dated by day and month, and in which order its dates are read."""
    notes = [note.figures for note in bill.notes if note.code == "date_order"]
    return {(str(figures["kind"]).lower(), str(figures["order"])) for figures in notes}


def said(bill: Bill) -> str:
    return " ".join([*map(str, bill.notes), *(problem.reason for problem in bill.problems)]).lower()


def solar(price: str, **more: Any) -> dict[str, Any]:
    single = {"rates": [{"unitPrice": price}]}
    head = {"displayName": "Solar", "payerType": "RETAILER", "scheme": "OTHER", "tariffUType": "singleTariff"}
    return head | {"singleTariff": single} | more


def with_demand(offer: dict[str, Any], *charges: dict[str, Any]) -> dict[str, Any]:
    offer["electricityContract"]["tariffPeriod"][0]["demandCharges"] = list(charges)
    return offer


def season(
    price: str, start: str, end: str, *, supply: str | None = None, single: dict[str, Any] | None = None
) -> dict[str, Any]:
    item = {"displayName": f"{start}", "startDate": start, "endDate": end, "rateBlockUType": "singleRate"}
    item |= {"singleRate": single or {"rates": [{"unitPrice": price}]}}
    return item if supply is None else item | {"dailySupplyCharges": supply}


def controlled(price: str, supply: str | None = None, **more: Any) -> dict[str, Any]:
    single: dict[str, Any] = {"rates": [{"unitPrice": price}]}
    single |= {} if supply is None else {"dailySupplyCharge": supply}
    return {"displayName": "Hot water", "rateBlockUType": "singleRate", "singleRate": single} | more


def discount(method: str, rate: str, kind: str = "GUARANTEED") -> dict[str, Any]:
    return {"type": kind, "methodUType": method, "displayName": "Discount", method: {"rate": rate}}
