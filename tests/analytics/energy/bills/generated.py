"""Generated plans (the service's shape) and homes, for both engines."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

from hypothesis import strategies as st

DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
AEST = timedelta(hours=10)
KWH = [Decimal(watt_hours) / 1000 for watt_hours in range(2501)]
"""What an interval may hold."""


@dataclass(frozen=True)
class Read:
    """One interval. role: general, controlled or export. kwh None is flagged missing."""

    start: datetime
    minutes: int
    role: str
    kwh: Decimal | None


@dataclass(frozen=True)
class Case:
    """day_first: published are day-month dates where `contract`, which the referee takes, has month-day."""

    contract: dict
    day_first: bool
    metering: list[dict]
    reads: list[Read]
    periods: list[tuple[date, date]]
    zone: str
    holidays: frozenset[date]
    blocks: str
    discounts: str


def priced(low: int, high: int) -> st.SearchStrategy[str]:
    """A price between low and high 1/10,000, as text."""
    return st.integers(low, high).map(lambda n: f"{Decimal(n) / 10000:f}")


def times(draw, minute: int, *, end: bool = False) -> str:
    """The minute in one of the published spellings."""
    if end:
        minute %= 1440
        if minute % 60 == 0 and draw(st.booleans()):
            minute = (minute - 1) % 1440
    hour, rest = divmod(minute, 60)
    form = draw(st.sampled_from(["colon", "seconds", "iso", "digits"]))
    return {
        "colon": f"{hour:02}:{rest:02}",
        "seconds": f"{hour:02}:{rest:02}:00",
        "iso": f"T{hour:02}:{rest:02}:00",
        "digits": str(hour * 100 + rest),
    }[form]


def day_names() -> st.SearchStrategy[list[str]]:
    some = st.lists(st.sampled_from([*DAYS, "PUBLIC_HOLIDAYS", "BUSINESS_DAYS"]), unique=True, max_size=5)
    return st.one_of(st.just([]), st.just(list(DAYS)), st.just(["PUBLIC_HOLIDAYS"]), some)


@st.composite
def windows(draw) -> dict:
    """Any window: it may wrap, overlap others, or start at odd minutes."""
    step = draw(st.sampled_from([60, 30, 5, 1]))
    start = draw(st.integers(0, 1439 // step)) * step
    length = draw(st.integers(1, 1439 // step)) * step
    if (start + length) % 60 == 59 or length < 2:  # an end of HH:59 means something else; a minute cannot be spelt
        length = 60
    return {
        "start_time": times(draw, start),
        "end_time": times(draw, start + length, end=True),
        "days": draw(day_names()),
    }


@st.composite
def tiled(draw, count: int) -> list[list[dict]]:
    """Windows of `count` bands that tile the day, on weekdays and weekends alike or apart."""
    bands: list[list[dict]] = [[] for _ in range(count)]
    groups = draw(st.sampled_from([[[]], [DAYS[:5], DAYS[5:]], [["BUSINESS_DAYS"], ["SAT", "SUN"]]]))
    for days in groups:
        cuts = sorted(draw(st.sets(st.integers(0, 47), min_size=1, max_size=4)))
        for n, cut in enumerate(cuts):
            band = draw(st.integers(0, count - 1))
            until = cuts[n + 1] if n + 1 < len(cuts) else cuts[0] + 48
            whole = len(cuts) == 1
            start, end = (0, 1440) if whole else (cut * 30, until * 30)
            bands[band].append(
                {"start_time": times(draw, start), "end_time": times(draw, end, end=True), "days": list(days)}
            )
    return bands


@st.composite
def rates(draw, low: int, high: int, *, widths: tuple[int, int] = (1, 90)) -> list[dict]:
    count = draw(st.sampled_from([1, 1, 1, 2, 3]))
    made = []
    for n in range(count):
        price = draw(st.one_of(priced(low, high), priced(low, high), st.just("0"), st.just("0.0005")))
        rate: dict = {"unit_price": price}
        if n < count - 1 or draw(st.booleans()):
            rate["volume"] = draw(st.one_of(st.integers(*widths), st.sampled_from([27.4, 45.5, 0.5, 3.25])))
        made.append(rate)
    return made


PERIODS = st.sampled_from([None, "P1D", "P1D", "P1M", "P3M", "P1Y", "P2M", "P1W"])


@st.composite
def energy(draw, low: int, high: int) -> dict:
    """The priced part of a tariff period or controlled load."""
    if draw(st.booleans()):
        return {"single_rate": {"rates": draw(rates(low, high)), "period": draw(PERIODS)}}
    count = draw(st.integers(1, 3))
    shapes = draw(tiled(count)) if draw(st.integers(0, 3)) else [[draw(windows())] for _ in range(count)]
    bands = [
        {"rates": draw(rates(low, high)), "period": draw(PERIODS), "time_of_use": shape} for shape in shapes if shape
    ]
    return {"time_of_use_rates": bands}


SEASONS = st.sampled_from(
    [
        [(None, None)],
        [("07-15", "07-14")],
        [("03-03", "11-30")],
        [("04-01", "10-31"), ("11-01", "03-31")],
        [("03-01", "11-30"), ("12-01", "02-28")],
        [("06-01", "08-31"), ("09-01", "11-30"), ("12-01", "02-29"), ("03-01", "05-31")],
    ]
)


DATES = st.sampled_from(
    [
        *[{}, {}, {}],
        {"start_date": "2023-01-01", "end_date": "2024-03-10"},
        {"start_date": "2024-02-27"},
        {"end_date": "2024-02-28"},
        {"start_date": "03-01", "end_date": "02-28"},
        {"start_date": "12-01", "end_date": "02-28"},
        {"start_date": "10-01", "end_date": "02-29"},
        {"start_date": "03-02", "end_date": "12-31"},
        {"start_date": "04-01", "end_date": "10-01"},
        {"start_date": "01-04", "end_date": "09-03"},
        {"end_date": "02-28"},
    ]
)
"""Of what stands beside the seasons: once or every year, next to 29 February, also readable as day-month."""

DATED = ("tariff_period", "controlled_load", "solar_feed_in_tariff", "discounts")
ENDS = ("start_date", "end_date")


def shows_order(contract: dict) -> bool:
    """Whether some day is no month: then the dates can be read one way only."""
    dates = [entry.get(end) for key in DATED for entry in contract[key] for end in ENDS]
    return any(date and len(date) == 5 and int(date[3:]) > 12 for date in dates)


def day_first(contract: dict) -> dict:
    """The same contract with its month-day dates as day-month."""
    return contract | {key: [entry | turned(entry) for entry in contract[key]] for key in DATED}


def turned(entry: dict) -> dict[str, str]:
    return {end: f"{date[3:]}-{date[:2]}" for end in ENDS if (date := entry.get(end)) and len(date) == 5}


@st.composite
def demand_charges(draw, low: int, high: int) -> dict:
    window = draw(windows())
    if not draw(st.integers(0, 4)):
        window = {**window, "start_time": "00:00", "end_time": "0000"}
    charge = {**window, "amount": draw(priced(low, high)), "measurement_period": "DAY", "charge_period": "MONTH"}
    if draw(st.booleans()):
        charge["min_demand"] = "1.5"
    if draw(st.booleans()):
        charge["max_demand"] = "4.25"
    return charge


@st.composite
def contracts(draw) -> dict:
    cents = draw(st.booleans())
    low, high = (30001, 600000) if cents else (0, 15000)
    seasons = draw(SEASONS)
    periods = []
    for first, last in seasons:
        period = {"start_date": first, "end_date": last, "daily_supply_charge": draw(priced(low, high))}
        period |= draw(energy(low, high))
        if draw(st.integers(0, 3)) == 0:
            period["demand_charges"] = [draw(demand_charges(low, high))]
        periods.append(period)
    if draw(st.integers(0, 2)) == 0:
        first, last = draw(st.sampled_from([("12-01", "03-31"), (None, None), ("05-01", "02-28")]))
        periods.append({"start_date": first, "end_date": last, "demand_charges": [draw(demand_charges(low, high * 8))]})
    if cents:  # the scale must show in a usage price, whatever else was drawn
        holder = periods[0].get("single_rate") or periods[0]["time_of_use_rates"][0]
        holder["rates"][-1]["unit_price"] = "31.5"
    made = {"time_zone": draw(st.sampled_from([None, "AEST", "LOCAL"])), "tariff_period": periods}
    made["controlled_load"] = draw(st.lists(controlled_loads(low, high), max_size=2))
    made["solar_feed_in_tariff"] = [tariff | draw(DATES) for tariff in draw(feed_ins(low, high))]
    made["discounts"] = draw(st.lists(discounts(), max_size=3))
    made["fees"] = draw(st.lists(fees(), max_size=2))
    return made


@st.composite
def controlled_loads(draw, low: int, high: int) -> dict:
    load = draw(energy(low, high))
    holder = load.get("single_rate") or load["time_of_use_rates"][0]
    holder["daily_supply_charge"] = draw(priced(low, high))
    return load | draw(DATES)


@st.composite
def feed_ins(draw, low: int, high: int) -> list[dict]:
    closed = {"scheme": "PREMIUM", "payer_type": "RETAILER", "single_tariff": {"rates": [{"unit_price": "0.60"}]}}
    paid = {"scheme": "OTHER", "payer_type": "RETAILER"}
    kind = draw(st.sampled_from(["none", "single", "steps", "varying", "alternatives"]))
    if kind == "none":
        return [closed] if draw(st.booleans()) else []
    single = {**paid, "display_name": "A", "single_tariff": {"rates": draw(rates(low, high, widths=(1, 12)))}}
    if kind == "single":
        return [closed, single]
    price = {"unit_price": draw(priced(low, high))}
    if kind == "steps":
        step = {**paid, "single_tariff": {"rates": [{**price, "volume": draw(st.integers(1, 12))}]}}
        return [step, {**paid, "single_tariff": {"rates": [{"unit_price": draw(priced(low, high))}]}}]
    if kind == "alternatives":
        single["single_tariff"] = {"rates": [price]}
        return [single, closed, {**single, "display_name": "B"}]
    shapes = draw(tiled(2))
    bands = [{"rates": draw(rates(low, high)), "time_variations": shape} for shape in shapes if shape]
    return [{**paid, "display_name": "T", "time_varying_tariffs": bands}, single]


@st.composite
def discounts(draw) -> dict:
    kind = draw(st.sampled_from(["percent_of_bill", "percent_of_use", "fixed_amount"]))
    terms = {"amount": "50"} if kind == "fixed_amount" else {"rate": draw(st.sampled_from(["0.05", "5", "1", "0.125"]))}
    head = {"type": draw(st.sampled_from(["GUARANTEED", "CONDITIONAL"])), "display_name": "D"}
    return head | {kind: terms} | draw(DATES)


@st.composite
def fees(draw) -> dict:
    term = draw(st.sampled_from(["ANNUAL", "MONTHLY", "WEEKLY", "DAILY", "FIXED"]))
    return {"type": draw(st.sampled_from(["MEMBERSHIP", "OTHER"])), "term": term, "amount": "9.90"}


@st.composite
def homes(draw) -> tuple[list[Read], date, int]:
    """Reads of a home from a day on: mixed interval lengths, gaps, flagged nulls."""
    first = draw(st.sampled_from([date(2024, 2, 25), date(2024, 3, 27), date(2023, 9, 28), date(2023, 12, 20)]))
    days = draw(st.integers(2, 12) | st.integers(2, 35))  # few are quick; many have a whole month in them
    dice = random.Random(draw(st.integers(0, 10**6)))
    roles = ["general", *draw(st.lists(st.sampled_from(["controlled", "export"]), unique=True))]
    reads = []
    for role in roles:
        for n in range(-1, days + 1):
            midnight = datetime(first.year, first.month, first.day, tzinfo=UTC) - AEST + timedelta(n)
            if dice.random() < 0.03:
                continue
            length = dice.choice([*[30] * 10, 5, 15])
            times = range(0, 1440, length)
            reads += [
                Read(midnight + timedelta(minutes=at), length, role, None if dice.random() < 0.003 else kwh)
                for at, kwh in zip(times, dice.choices(KWH, k=len(times)), strict=True)
            ]
    return reads, first, days


@st.composite
def cases(draw) -> Case:
    reads, first, days = draw(homes())
    contract = draw(contracts())
    cuts = sorted(draw(st.sets(st.integers(1, days - 1), max_size=2))) if days > 1 else []
    edges = [0, *cuts, days]
    periods = [(first + timedelta(a), first + timedelta(b - 1)) for a, b in pairwise(edges)]
    return Case(
        contract=contract,
        day_first=shows_order(contract) and draw(st.booleans()),
        metering=draw(st.sampled_from([[], [{"minimum_value": "0.10", "period": "P1D", "display_name": "Meter"}]])),
        reads=reads,
        periods=periods,
        zone=draw(st.sampled_from(["Australia/Sydney", "Australia/Adelaide", "Australia/Perth"])),
        holidays=frozenset({date(2024, 3, 29), date(2023, 12, 25), date(2024, 4, 1)}),
        blocks=draw(st.sampled_from(["pooled", "daily"])),
        discounts=draw(st.sampled_from(["all", "guaranteed", "none"])),
    )
