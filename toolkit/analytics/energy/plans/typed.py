"""Turn a plan typed from a bill into the shape of published plans, so that the one engine prices both alike."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from itertools import combinations, groupby

import msgspec
import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.rates.charges import MONTHLY_ABOVE
from toolkit.analytics.energy.rates.contract import weekdays
from toolkit.analytics.energy.rates.model import EVERY_WEEKDAY, UNCLAIMED, Window, cells_of, windows_text
from toolkit.answers.energy.typed_plans import TypedDemand, TypedDiscount, TypedPlan, TypedPrice, TypedRate
from toolkit.errors import UsageError
from toolkit.tables.rows.plans import JsonObject
from toolkit.units import DAY_MINUTES

TYPED = "typed"
"""Key of a stored plan under which it is kept as it was typed."""
PERIODS = {"day": "P1D", "month": "P1M", "quarter": "P3M", "year": "P1Y"}

_DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_MONTHS = tuple(name.upper() for name in calendar.month_abbr[1:])
_TIME = re.compile(r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s*(?P<half>[ap]\.?m\.?)?", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*(?:-|–|\bto\b)\s*", re.IGNORECASE)
_GST = Fraction(11, 10)
_DECIMALS = Decimal(1).scaleb(-20)
_LONGEST = 100

_USUAL = {
    "supply": (Decimal("0.05"), Decimal(20)),
    "load_supply": (Decimal("0.002"), Decimal(20)),
    "electricity": (Decimal("0.01"), Decimal(3)),
    "gas": (Decimal("0.002"), Decimal("0.3")),
    "feed_in": (Decimal("0.001"), Decimal(1)),
}
"""AUD without GST; what is outside was typed in another unit. The upper ends are those of pricing rule 12."""

Minutes = NDArray[np.bool_]
"""[weekday, minute]: whether a rate holds."""


def published_form(plan: TypedPlan, plan_id: str) -> JsonObject:
    """Return the plan as a retailer would publish it, with what was typed under `typed`.

    Raises UsageError, with the place, for prices that are in another unit, for times that cannot be read, and for hours
    or months without a price or with two.
    """
    for field, words in (("name", plan.name), ("retailer", plan.retailer)):
        if len(words) > _LONGEST or (field == "name" and not any(letter.isalnum() for letter in words)):
            raise _refused(field, f"write the plan's {field} as on the bill, at most {_LONGEST} letters.")
    contract: JsonObject = {
        "timeZone": plan.clock.upper(),
        "tariffPeriod": _tariff_periods(plan),
        "discounts": [_discount(discount) for discount in plan.discounts],
    }
    if load := plan.controlled_load:
        supply = {"dailySupplyCharge": _price(plan, load.supply, "controlled_load.supply", "load_supply")}
        single = _with_prices(plan, load, "controlled_load", plan.fuel)
        contract["controlledLoad"] = [{"displayName": load.name or "Controlled load", "singleRate": single | supply}]
    if plan.feed_in:
        contract["solarFeedInTariff"] = [_feed_in(plan)]
    kept = msgspec.to_builtins(plan)
    return {
        "planId": plan_id,
        "displayName": plan.name.strip(),
        "brandName": plan.retailer.strip() or None,
        "fuelType": plan.fuel.upper(),
        "effectiveFrom": plan.from_.isoformat() if plan.from_ else None,
        "lastUpdated": plan.from_.isoformat() if plan.from_ else None,
        f"{plan.fuel}Contract": contract,
        TYPED: kept,
    }


def as_typed(given: JsonObject) -> TypedPlan | None:
    """Return a stored plan as it was typed; None for one that was not."""
    kept = given.get(TYPED)
    return msgspec.convert(kept, TypedPlan) if isinstance(kept, dict) else None


# ---- usage, by season and time


def _tariff_periods(plan: TypedPlan) -> list[JsonObject]:
    """Return a tariff period for each run of months with the same rates. Raises UsageError for a month without any."""
    if not plan.usage:
        raise _refused("usage", "a plan needs at least one price of usage.")
    named: dict[str, list[TypedRate]] = {}
    for rate in plan.usage:
        named.setdefault(rate.months.strip(), []).append(rate)
    of_month: dict[int, str] = {}
    for season in filter(None, named):
        for month in _months(season):
            if month in of_month:
                raise _refused("usage", f"{_MONTHS[month].title()} is in {of_month[month]!r} and in {season!r}.")
            of_month[month] = season
    missing = [month for month in range(12) if month not in of_month]
    if missing and "" not in named:
        raise _refused("usage", f"no price for {', '.join(_MONTHS[month].title() for month in missing)}.")
    if not missing and "" in named:
        raise _refused("usage", "the rates with months leave no month for those without.")
    return [
        {
            "displayName": season or ("All year" if len(named) == 1 else "Other months"),
            "startDate": f"{months[0] + 1:02d}-01",
            "endDate": f"{months[-1] + 1:02d}-{calendar.monthrange(2023, months[-1] + 1)[1]:02d}",
            "dailySupplyCharge": _price(plan, plan.supply, "supply", "supply"),
            **_usage(plan, named[season], season),
            "demandCharges": [_demand(plan, plan.demand)] if plan.demand else [],
        }
        for season, months in _runs([of_month.get(month, "") for month in range(12)])
    ]


def _runs(seasons: Sequence[str]) -> list[tuple[str, list[int]]]:
    """Return (season, months in order) for each run of months, one that passes the new year as one."""
    runs = [(season, list(months)) for season, months in groupby(range(12), key=seasons.__getitem__)]
    if len(runs) > 1 and runs[0][0] == runs[-1][0]:
        season, first = runs.pop(0)
        runs[-1] = season, runs[-1][1] + first
    return runs


def _usage(plan: TypedPlan, rates: Sequence[TypedRate], season: str) -> JsonObject:
    """Return the rates of a season: a single one, or by time with every hour of the week covered once."""
    where = f"usage ({season})" if season else "usage"
    if len(rates) == 1 and not (rates[0].days or rates[0].hours):
        return {"rateBlockUType": "singleRate", "singleRate": _with_prices(plan, rates[0], where, plan.fuel)}
    bands = [
        {**_with_prices(plan, rate, f"{where}, {name}", plan.fuel), "timeOfUse": _written(windows)}
        for rate, name, windows in _by_time(rates, where)
    ]
    return {"rateBlockUType": "timeOfUseRates", "timeOfUseRates": bands}


def _by_time(rates: Sequence[TypedRate], where: str) -> list[tuple[TypedRate, str, tuple[Window, ...]]]:
    """Return each rate with its name and windows. Raises UsageError for hours without a price, or with two."""
    names = [rate.name or f"rate {number}" for number, rate in enumerate(rates, start=1)]
    timed = [bool(rate.days or rate.hours) for rate in rates]
    if timed.count(False) > 1:
        rest = " and ".join(name for name, own in zip(names, timed, strict=True) if not own)
        raise _refused(where, f"{rest} have no days or hours. Only one rate can be for all other times.")
    claimed = [
        _minutes(_windows(rate.days, rate.hours, f"{where}, {name}")) if own else np.zeros((7, DAY_MINUTES), dtype=bool)
        for rate, name, own in zip(rates, names, timed, strict=True)
    ]
    for one, other in combinations(range(len(rates)), 2):
        if (both := claimed[one] & claimed[other]).any():
            hours = windows_text(_as_windows(both))
            raise _refused(where, f"{names[one]} and {names[other]} both have a price for {hours}.")
    rest = ~np.logical_or.reduce(claimed)
    if False in timed:
        claimed[timed.index(False)] = rest
    elif rest.any():
        hours = windows_text(_as_windows(rest))
        raise _refused(where, f"no price for {hours}. Add a rate for these hours, or one without days and hours.")
    empty = [name for name, minutes in zip(names, claimed, strict=True) if not minutes.any()]
    if empty:
        raise _refused(where, f"the other rates leave no hours for {empty[0]}.")
    return list(zip(rates, names, map(_as_windows, claimed), strict=True))


def _minutes(windows: Sequence[Window]) -> Minutes:
    claimed: Minutes = cells_of((tuple(windows),))[:7] != UNCLAIMED
    return claimed


def _as_windows(minutes: Minutes) -> tuple[Window, ...]:
    """Return the windows that make up the minutes, equal hours of several days as one."""
    days_of: dict[tuple[int, int], set[int]] = {}
    for day in range(7):
        edges = np.flatnonzero(np.diff(minutes[day].astype(np.int8), prepend=0, append=0))
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            days_of.setdefault((start, end), set()).add(day)
    return tuple(Window(start, end, frozenset(days)) for (start, end), days in sorted(days_of.items()))


def _written(windows: Sequence[Window]) -> list[JsonObject]:
    """Return windows as published: without days where every day is meant, `00:00` for the day's end."""
    return [
        {
            "days": [_DAYS[day] for day in sorted(window.days)],
            "startTime": _clock(window.start),
            "endTime": _clock(window.end % DAY_MINUTES),
        }
        for window in windows
    ]


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


def _windows(days: str, hours: str | Sequence[str], where: str) -> tuple[Window, ...]:
    """Read days and hours as typed. Raises UsageError where they cannot be read."""
    named = _days(days, where)
    listed = re.split(r"\s*(?:,|;|\band\b|&)\s*", hours) if isinstance(hours, str) else hours
    spans = [_span(span, where) for span in listed if span.strip()]
    return tuple(Window(start, end, named) for start, end in spans) or (Window(0, DAY_MINUTES, named),)


def _span(written: str, where: str) -> tuple[int, int]:
    """Read `15:00-21:00` or `3pm-9pm` as minutes of the day, the end exclusive."""
    ends = _BETWEEN.split(written.strip())
    read = [_minute(end) for end in ends]
    start, end = read if len(read) == 2 else (None, None)
    if start is None or end is None or start == DAY_MINUTES:
        raise _refused(where, f"{written!r} are not hours. Write them as 15:00-21:00 or 3pm-9pm.")
    end = end + 1 if end % 60 == 59 else end or DAY_MINUTES  # 20:59 means 21:00, and midnight the day's end
    if start == end:
        raise _refused(where, f"the hours {written!r} are empty. Leave them out for the whole day.")
    return start, end


def _minute(written: str) -> int | None:
    """Read a time of the day as minutes since midnight; None where it is not one."""
    word = written.strip().casefold()
    if word in ("midnight", "noon", "midday"):
        return 0 if word == "midnight" else DAY_MINUTES // 2
    match = _TIME.fullmatch(word)
    if match is None:
        return None
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if half := match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    elif match["minute"] is None:
        return None
    return hour * 60 + minute if minute < 60 and (hour < 24 or (hour, minute) == (24, 0)) else None


def _days(written: str, where: str) -> frozenset[int]:
    """Read `Mon-Fri`, `Sat, Sun`, `weekdays`, `weekends`, or nothing for every day; 0 is Monday."""
    days: set[int] = set()
    for part in re.split(r"\s*(?:,|;|\band\b|&)\s*", written.strip(), flags=re.IGNORECASE):
        word = part.strip().upper()
        if word in ("", "EVERY DAY", "DAILY", "ALL DAYS"):
            days |= EVERY_WEEKDAY
            continue
        ends = [_place(end, _DAYS) for end in _BETWEEN.split(word)]
        if word in ("WEEKDAYS", "WEEKENDS", "WEEKEND", "BUSINESS DAYS"):
            days |= weekdays([word.replace(" ", "_")])[0]
        elif None in ends or len(ends) > 2:
            raise _refused(where, f"{part!r} are not days. Write them as Mon-Fri or Sat, Sun.")
        else:
            days |= set(_in_cycle(ends, 7))
    return frozenset(days)


def _months(written: str) -> list[int]:
    """Read `Jun-Sep`, `Nov-Mar` or `Jan, Jul`; 0 is January."""
    months: list[int] = []
    for part in written.split(","):
        ends = [_place(end, _MONTHS) for end in _BETWEEN.split(part.strip().upper())]
        if None in ends or len(ends) > 2:
            raise _refused("usage", f"{part!r} are not months. Write them as Jun-Sep.")
        months += _in_cycle(ends, 12)
    return sorted(set(months))


def _place(word: str, names: Sequence[str]) -> int | None:
    return names.index(word[:3]) if len(word) >= 3 and word[:3] in names else None


def _in_cycle(ends: Sequence[int | None], length: int) -> list[int]:
    """Return the places from the first to the last end, past the end of the cycle where need be."""
    first, last = ends[0] or 0, ends[-1] or 0
    return [(first + step) % length for step in range((last - first) % length + 1)]


# ---- prices


def _with_prices(plan: TypedPlan, price: TypedPrice, where: str, kind: str) -> JsonObject:
    """Return name, block period and rates of a price. Raises UsageError unless it is one price, or tiers."""
    if (price.price is None) == (not price.tiers):
        raise _refused(where, "give one price, or tiers.")
    unlimited = [number for number, tier in enumerate(price.tiers) if tier.first is None or tier.first <= 0]
    if price.tiers and unlimited != [len(price.tiers) - 1]:
        raise _refused(where, "every tier but the last needs the energy that it is for (first).")
    rates = (
        [{"unitPrice": _price(plan, price.price, where, kind)}]
        if price.price is not None
        else [
            {"unitPrice": _price(plan, tier.price, where, kind)}
            | ({} if tier.first is None else {"volume": f"{tier.first:f}"})
            for tier in price.tiers
        ]
    )
    return {"displayName": price.name or "Anytime", "period": PERIODS[price.per], "rates": rates}


def _refused(where: str, reason: str) -> UsageError:
    """Return the refusal of what is at a place of the plan, such as `usage, Peak`."""
    return UsageError(f"{where}: {reason}", option=re.split("[,.]", where)[0])


def _price(plan: TypedPlan, typed: Decimal, where: str, kind: str) -> str:
    """Return a price in AUD without GST, as published. Raises UsageError where it must be in another unit.

    A price with GST is rounded up at the 20th decimal, so that with 10 % it is never below what was typed, and an
    amount of exactly half a cent is rounded as on the bill.
    """
    if not typed.is_finite() or typed < 0:
        raise _refused(where, f"{typed} is not a price.")
    dollars = Fraction(typed) / (100 if plan.prices.startswith("cents") else 1)
    without = dollars / (_GST if plan.prices.endswith("with GST") and kind != "feed_in" else 1)
    least, most = _USUAL.get(kind, (Decimal(0), Decimal(1000)))
    if not (least <= without <= most or (without == 0 and typed == 0)):
        raise _refused(
            where,
            f"{typed:f} {plan.prices.split()[0]} is not a usual price. "
            "Check whether the prices are in cents or in dollars.",
        )
    with localcontext(prec=60):
        exact = Decimal(without.numerator) / Decimal(without.denominator)
        return f"{exact.quantize(_DECIMALS, ROUND_CEILING).normalize():f}"


def _feed_in(plan: TypedPlan) -> JsonObject:
    """Return the feed-in tariff: a single rate, or by time."""
    rates = plan.feed_in
    if any(rate.months for rate in rates):
        raise _refused("feed_in", "a feed-in price cannot differ by month here.")
    named = {"displayName": rates[0].name or "Solar feed-in", "payerType": "RETAILER", "scheme": "OTHER"}
    if len(rates) == 1 and not (rates[0].days or rates[0].hours):
        return {
            **named,
            "tariffUType": "singleTariff",
            "singleTariff": _with_prices(plan, rates[0], "feed_in", "feed_in"),
        }
    varying = [
        {**_with_prices(plan, rate, f"feed_in, {name}", "feed_in"), "timeVariations": _written(windows)}
        for rate, name, windows in _by_time(rates, "feed_in")
    ]
    return {**named, "tariffUType": "timeVaryingTariffs", "timeVaryingTariffs": varying}


def _demand(plan: TypedPlan, demand: TypedDemand) -> JsonObject:
    """Return a demand charge. Raises UsageError where its price is not one of its period (pricing rule 7)."""
    windows = _windows(demand.days, demand.hours, "demand")
    if len(windows) > 1:
        raise _refused("demand", "give one time, for example 15:00-21:00.")
    price = _price(plan, demand.price, "demand", "demand")
    if (Decimal(price) > MONTHLY_ABOVE) != (demand.per == "month"):
        raise _refused(
            "demand",
            f"{demand.price:f} is not a usual price of a kW for each {demand.per}. "
            "Check whether it is for a day or a month.",
        )
    [window] = _written(windows)
    period = demand.per.upper()
    charge = {"displayName": demand.name, "amount": price, "measureUnit": "KW", "chargePeriod": period}
    return {**charge, "measurementPeriod": "MONTH", **window}


def _discount(discount: TypedDiscount) -> JsonObject:
    if not 0 < discount.percent < 100:
        raise _refused(f"discounts, {discount.name}", f"{discount.percent} is not a percentage from 0 to 100.")
    base = "percentOfUse" if discount.of == "usage" else "percentOfBill"
    kind = "CONDITIONAL" if discount.conditional else "GUARANTEED"
    return {"displayName": discount.name, "type": kind, base: {"rate": f"{discount.percent.scaleb(-2):f}"}}
