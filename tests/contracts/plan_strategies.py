"""Plans as retailers could publish them, tidy and untidy, and usage; for the two engines to price alike."""

from __future__ import annotations

import re
from datetime import date, timedelta
from random import Random
from typing import Any

from hypothesis import strategies as st

from tests.contracts.referee_site import Household

WEEK = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]


def money(low: int, high: int) -> st.SearchStrategy[str]:
    """Decimal text of that many hundredths of a cent."""
    return st.integers(low, high).map(lambda n: f"{n / 10_000:.4f}")


def sometimes(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


PERIODS = st.sampled_from([None, "P1D", "P1D", "P1M", "P3M", "P1Y", "P2M", "P6M", "P1W", "P2Y", "P7D"])
VOLUMES = st.sampled_from([0, 1, 2.5, 6.85, 11, 24, 100, 340.06, 1020, 3650])


@st.composite
def rates(draw: Any, low: int = 0, high: int = 6000, *, most: int = 4) -> list[dict[str, Any]]:
    out = [{"unitPrice": draw(money(low, high))} for _ in range(draw(st.integers(1, most)))]
    for rate in out[:-1]:
        rate["volume"] = draw(VOLUMES)
    if draw(st.integers(0, 5)) == 0:
        out[-1]["volume"] = draw(VOLUMES)
    if draw(st.integers(0, 4)) == 0:
        out[0] |= {"unitPrice": draw(st.sampled_from(["0", "0.000001", "0.0005", "0.0006"]))}
    return out


def written(minute: int, style: str) -> str:
    hour, rest = divmod(minute % 1440, 60)
    return {
        "iso": f"T{hour:02}:{rest:02}:00",
        "colon": f"{hour:02}:{rest:02}",
        "seconds": f"{hour:02}:{rest:02}:00",
    }.get(style, str(hour * 100 + rest))


TIMES = st.sampled_from([0, 30, 60, 7 * 60, 9 * 60 + 30, 14 * 60, 15 * 60, 20 * 60, 21 * 60, 22 * 60, 23 * 60 + 30])
STYLES = st.sampled_from(["iso", "colon", "seconds", "digits"])
DAYS = st.sampled_from(
    [None, [], WEEK, WEEK[:5], WEEK[5:], ["BUSINESS_DAYS"], ["SATURDAY", "SUNDAY"], ["MON", "WED"], ["SUN"],
     ["PUBLIC_HOLIDAYS"], ["BUSINESS_DAYS", "PUBLIC_HOLIDAYS"], ["SUN", "PUBLIC_HOLIDAYS"]]
)  # fmt: skip


@st.composite
def window(draw: Any, start: int | None = None, end: int | None = None) -> dict[str, Any]:
    """A window; an end is written as the minute after or as the last minute of the hour."""
    style = draw(STYLES)
    first = draw(TIMES) if start is None else start
    last = draw(TIMES.filter(lambda m: m % 1440 != first % 1440 or m == 0)) if end is None else end
    shown = last - 1 if last % 60 == 0 and draw(st.booleans()) else last
    out = {"startTime": written(first, style), "endTime": written(shown, style)}
    days = draw(DAYS) if start is None else None
    return out if days is None else out | {"days": days}


@st.composite
def tiled(draw: Any, key: str) -> list[list[dict[str, Any]]]:
    """Windows of two or three bands that tile the day, or any windows at all."""
    if draw(st.integers(0, 2)) == 0:
        return [draw(st.lists(window(), min_size=1, max_size=3)) for _ in range(draw(st.integers(1, 3)))]
    cuts = sorted(draw(st.sets(TIMES, min_size=2, max_size=4)))
    spans = list(zip(cuts, [*cuts[1:], cuts[0]], strict=True))
    groups: list[list[dict[str, Any]]] = [[], []]
    for n, (first, last) in enumerate(spans):
        groups[n % 2].append(draw(window(first, last)))
    return groups


@st.composite
def banded(draw: Any, windows: str, low: int, high: int) -> list[dict[str, Any]]:
    out = []
    for n, group in enumerate(draw(tiled(windows))):
        band = {"displayName": f"Band {n}", windows: group, "rates": draw(rates(low, high, most=3)), "type": "PEAK"}
        period = draw(PERIODS)
        out.append(band if period is None else band | {"period": period})
    return out


@st.composite
def single(draw: Any, low: int = 0, high: int = 6000) -> dict[str, Any]:
    out: dict[str, Any] = {"displayName": "All day", "rates": draw(rates(low, high))}
    period = draw(PERIODS)
    return out if period is None else out | {"period": period}


SEASONS = st.sampled_from(
    [
        [("01-01", "12-31")],
        [("07-01", "06-30")],
        [("01-07", "30-06")],
        [("04-01", "09-30"), ("10-01", "03-31")],
        [("01-04", "30-09"), ("01-10", "31-03")],
        [("03-01", "11-30"), ("12-01", "02-28")],
        [("01-03", "30-11"), ("01-12", "28-02")],
        [("03-01", "02-28")],
        [("06-01", "06-07"), ("06-08", "05-31")],
        [(None, None)],
        [("01-01", "06-30")],
        [("03-03", "11-30")],
        [("03-04", "04-03"), ("04-04", "03-03")],
        [("04-03", "03-04"), ("04-04", "03-03")],
    ]
)
ZONES = st.sampled_from([None, "AEST", "LOCAL"])


@st.composite
def demand(draw: Any) -> dict[str, Any]:
    times = draw(st.sampled_from(["none", "whole", "some", "some", "some"]))
    out = draw(window()) if times == "some" else {"startTime": "0000", "endTime": "00:00"}
    if times == "whole":
        out["days"] = draw(st.sampled_from([WEEK, WEEK[:5], ["BUSINESS_DAYS"]]))
    out |= {"displayName": "Demand", "amount": draw(money(100, 100_000)), "measurementPeriod": "MONTH"}
    limits = {"minDemand": draw(sometimes(money(0, 30_000))), "maxDemand": draw(sometimes(money(20_000, 60_000)))}
    return out | {key: value for key, value in limits.items() if value is not None}


@st.composite
def tariff_periods(draw: Any) -> list[dict[str, Any]]:
    out = []
    zones = draw(st.one_of(ZONES.map(lambda zone: [zone] * 9), st.lists(ZONES, min_size=9, max_size=9)))
    for n, (start, end) in enumerate(draw(SEASONS)):
        item: dict[str, Any] = {"displayName": f"Season {n}", "dailySupplyCharges": draw(money(2000, 20_000))}
        if start:
            item |= {"startDate": start, "endDate": end}
        if draw(st.booleans()):
            item |= {"rateBlockUType": "singleRate", "singleRate": draw(single())}
        else:
            item |= {"rateBlockUType": "timeOfUseRates", "timeOfUseRates": draw(banded("timeOfUse", 0, 6000))}
        out.append(item if zones[n] is None else item | {"timeZone": zones[n]})
    if draw(st.integers(0, 2)) == 0:
        out[0]["demandCharges"] = draw(st.lists(demand(), min_size=1, max_size=2))
    if draw(st.integers(0, 3)) == 0:
        over = {"displayName": "Demand only", "rateBlockUType": "demandCharges", "demandCharges": [draw(demand())]}
        over |= {} if zones[-1] is None else {"timeZone": zones[-1]}
        out.append(over | draw(st.sampled_from([{}, {"startDate": "12-01", "endDate": "03-31"}])))
    return out


ONCE = [
    {"startDate": "2024-03-10", "endDate": "2024-04-09"},
    {"startDate": "2024-01-01", "endDate": "2024-12-31"},
    {"startDate": "2022-07-01", "endDate": "2023-06-30"},
    {"startDate": "2024-04-09", "endDate": "2030-06-30"},
    {"startDate": "2023-04-10", "endDate": "2024-04-07"},
    {"startDate": "2024-03-20"},
    {"endDate": "2024-03-20"},
    {"endDate": "2024-02-28"},
]
MONTH_FIRST = [("12-01", "02-28"), ("03-01", "02-28"), ("03-01", "11-30"), ("02-29", "04-05"), (None, "02-28")]
DAY_FIRST = [("01-12", "28-02"), ("01-03", "28-02"), ("01-03", "30-11"), ("29-02", "05-04"), (None, "28-02")]
EITHER = [("04-01", "09-01"), ("01-04", "01-09"), ("03-04", "04-03"), ("04-03", "03-04"), ("04-04", "03-03")]
SPANS = [*MONTH_FIRST, *DAY_FIRST, *EITHER, ("03-05", None), ("01-01", "12-31")]
EVERY_YEAR = [{} | ({"startDate": start} if start else {}) | ({"endDate": end} if end else {}) for start, end in SPANS]
DATES = st.just({}) | st.sampled_from(ONCE) | st.sampled_from(EVERY_YEAR)
"""Month-day and day-month, some of them readable as both, over 29 February or next to it."""


@st.composite
def controlled(draw: Any) -> dict[str, Any]:
    shape = draw(st.sampled_from(["single", "bands", "old"]))
    supply = draw(sometimes(money(0, 3000)))
    head = {"displayName": "Controlled load"} | draw(DATES)
    if shape == "bands":
        bands = draw(banded("timeOfUse", 500, 3000))
        if supply:
            bands[0]["dailySupplyCharge"] = supply
        return head | {"rateBlockUType": "timeOfUseRates", "timeOfUseRates": bands}
    body = draw(single(500, 3000))
    if shape == "old":
        return head | body | ({"dailyCharge": supply} if supply else {})
    return head | {
        "rateBlockUType": "singleRate",
        "singleRate": body | ({"dailySupplyCharge": supply} if supply else {}),
    }


@st.composite
def feed_in(draw: Any) -> dict[str, Any]:
    payer, scheme = draw(
        st.sampled_from([("RETAILER", "OTHER")] * 4 + [("RETAILER", "PREMIUM"), ("GOVERNMENT", "OTHER")])
    )
    head = {"displayName": draw(st.sampled_from(["Solar", "Solar", "Extra"])), "payerType": payer, "scheme": scheme}
    head |= draw(DATES)
    if draw(st.booleans()):
        body = draw(st.one_of(single(-300, 2000), st.builds(lambda amount: {"amount": amount}, money(0, 2000))))
        return head | {"tariffUType": "singleTariff", "singleTariff": body}
    bands = draw(banded("timeVariations", -300, 2000))
    form = draw(st.sampled_from(["list", "v2", "object"]))
    key = "timeVaryingTariffsV2" if form == "v2" else "timeVaryingTariffs"
    return head | {"tariffUType": "timeVaryingTariffs", key: bands[0] if form == "object" else bands}


@st.composite
def discount(draw: Any) -> dict[str, Any]:
    method = draw(st.sampled_from(["percentOfBill", "percentOfUse", "fixedAmount"]))
    head = {
        "displayName": "Discount",
        "methodUType": method,
        "type": draw(st.sampled_from(["GUARANTEED", "CONDITIONAL"])),
    }
    amount = (
        {"amount": "50"}
        if method == "fixedAmount"
        else {"rate": draw(st.sampled_from(["0.05", "5", "1", "0.125", "12"]))}
    )
    return head | {method: amount} | draw(DATES)


FEES = st.sampled_from(
    [
        {"type": "MEMBERSHIP", "term": "ANNUAL", "amount": "197.88"},
        {"type": "MEMBERSHIP", "term": "FIXED", "amount": "99.00"},
        {"type": "OTHER", "term": "MONTHLY", "amount": "16.49"},
        {"type": "OTHER", "term": "WEEKLY", "amount": "1.10"},
        {"type": "OTHER", "term": "DAILY", "amount": "0.077"},
        {"type": "CC_PROCESSING", "term": "PERCENT_OF_BILL", "rate": "0.45"},
        {"type": "OTHER", "term": "FIXED", "amount": "20"},
    ]
)
METERING = st.sampled_from(
    [
        {"displayName": "Meter", "minimumValue": "0.1234", "period": "P1D"},
        {"displayName": "Meter", "minimumValue": "33.30", "maximumValue": "33.30", "period": "P1Y"},
        {"displayName": "Meter", "minimumValue": "3.10", "period": "P1M"},
        {"displayName": "Change of meter", "minimumValue": "100"},
    ]
)


@st.composite
def plans(draw: Any) -> dict[str, Any]:
    """A whole plan: register's or service's spelling, bare or under `data`, dollars or cents."""
    cents = draw(st.sampled_from([0, 0, 1]))
    contract: dict[str, Any] = {"pricingModel": "TIME_OF_USE", "tariffPeriod": draw(tariff_periods())}
    zone = draw(ZONES)
    parts = {
        "controlledLoad": st.lists(controlled(), min_size=0, max_size=2),
        "solarFeedInTariff": st.lists(feed_in(), max_size=3),
        "discounts": st.lists(discount(), max_size=2),
        "fees": st.lists(FEES, max_size=2),
    }
    contract |= {key: draw(part) for key, part in parts.items()} | ({"timeZone": zone} if zone else {})
    if isinstance(contract["controlledLoad"], list) and len(contract["controlledLoad"]) == 1 and draw(st.booleans()):
        contract["controlledLoad"] = contract["controlledLoad"][0]
    plan = {"planId": "P", "fuelType": "ELECTRICITY", "electricityContract": contract}
    plan["meteringCharges"] = draw(st.lists(METERING, max_size=1))
    plan = in_cents(plan) if cents else plan
    return draw(st.sampled_from([plan, {"data": plan}, {"plan_detail": snaked(plan)}]))


PRICED = {"unitPrice", "dailySupplyCharges", "dailySupplyCharge", "dailyCharge", "minimumValue", "maximumValue"}


def in_cents(value: Any, key: str = "") -> Any:
    """The same plan with cents where dollars were; a high usage price makes that plain."""
    if isinstance(value, dict):
        scaled = {k: in_cents(v, k) for k, v in value.items()}
        if "minDemand" in value or "measurementPeriod" in value:
            scaled["amount"] = hundredfold(value["amount"])
        if key == "singleTariff" and "amount" in value:
            scaled["amount"] = hundredfold(value["amount"])
        return scaled
    if isinstance(value, list):
        return [in_cents(each, key) for each in value]
    return hundredfold(value) if key in PRICED and isinstance(value, str) else value


def hundredfold(text: str) -> str:
    return f"{float(text) * 100:.4f}"


def snaked(value: Any) -> Any:
    if isinstance(value, dict):
        return {re.sub(r"(?<=[a-z0-9])([A-Z])|(?<=U)(Type)", r"_\1\2", k).lower(): snaked(v) for k, v in value.items()}
    return [snaked(each) for each in value] if isinstance(value, list) else value


# Usage

FIRST = date(2024, 2, 26)  # over 29 February and the end of daylight saving on 7 April
DAYS_READ = 46


@st.composite
def households(draw: Any) -> Household:
    minutes = draw(st.sampled_from([30, 60, 30, 15]))
    size = DAYS_READ * 1440 // minutes
    chance = Random(draw(st.integers(0, 2**32)))
    registers: dict[str, list[int | None]] = {"general": series(chance, size, draw(st.sampled_from([3_000, 300, 0])))}
    for name in ("controlled", "export"):
        if draw(st.integers(0, 3)):
            registers[name] = series(chance, size, draw(st.sampled_from([2_000, 500, 0])))
    zone = draw(st.sampled_from(["Australia/Sydney", "Australia/Adelaide", "Australia/Brisbane", "Australia/Perth"]))
    return Household(FIRST, minutes, zone, registers, holidays=frozenset({date(2024, 3, 11), date(2024, 3, 29)}))


def series(chance: Random, size: int, high: int) -> list[int | None]:
    """Watt-hours, now and then missing."""
    some = [chance.randrange(high + 1) * 1_000_000 for _ in range(97)]
    gap = chance.randrange(3) == 0
    return [None if gap and n % 211 == 7 else some[n * 31 % 97] for n in range(size)]


CUTS = st.sampled_from(
    [
        [(2, 44)],
        [(2, 5), (6, 35), (36, 44)],
        [(1, 31)],
    ]
).map(lambda spans: [(FIRST + timedelta(first), FIRST + timedelta(last)) for first, last in spans])
