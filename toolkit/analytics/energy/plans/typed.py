"""Turn a plan typed from a bill into the shape of published plans, so that the one engine prices both alike."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from functools import partial
from itertools import combinations, groupby

import msgspec
import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.plans.typed_times import DAYS, MONTHS, months_of, refused, windows_of
from toolkit.analytics.energy.rates.charges import MONTHLY_ABOVE
from toolkit.analytics.energy.rates.model import UNCLAIMED, Window, cells_of, windows_text
from toolkit.answers.energy.typed_plans import TypedDemand, TypedDiscount, TypedLoad, TypedPlan, TypedPrice, TypedRate
from toolkit.errors import UsageError, refusals_of
from toolkit.tables.rows.plans import JsonObject
from toolkit.units import DAY_MINUTES

TYPED = "typed"
"""Key of a stored plan under which it is kept as it was typed."""
PERIODS = {"day": "P1D", "month": "P1M", "quarter": "P3M", "year": "P1Y"}

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
_NEVER: Minutes = np.zeros((7, DAY_MINUTES), dtype=bool)


def published_form(plan: TypedPlan, plan_id: str) -> JsonObject:
    """Return the plan as a retailer would publish it, with what was typed under `typed`.

    Raises UsageError, with the place, for prices that are in another unit, for times that cannot be read, and for hours
    or months without a price or with two.
    """
    _check_name("name", plan.name)
    _check_name("retailer", plan.retailer)
    contract: JsonObject = {
        "timeZone": plan.clock.upper(),
        "tariffPeriod": _tariff_periods(plan),
        "discounts": [_discount(discount) for discount in plan.discounts],
    }
    if plan.controlled_load:
        contract["controlledLoad"] = [_controlled_load(plan, plan.controlled_load)]
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


def refusals(plan: TypedPlan) -> tuple[UsageError, ...]:
    """Return why a typed plan is refused: each name, price and time that is wrong, not the first alone.

    Where all of usage can be read: also the months and hours that have no price, or two. A price of NaN could not be
    read, which whoever read it has refused: nothing else is wrong with it.
    """
    load, demand = plan.controlled_load, plan.demand
    others = refusals_of(
        partial(_check_name, "name", plan.name),
        partial(_check_name, "retailer", plan.retailer),
        partial(_price, plan, plan.supply, "supply", "supply"),
        *([partial(_with_prices, plan, load, "controlled_load", plan.fuel)] if load else []),
        *([partial(_controlled_load, plan, load)] if load else []),
        *([partial(_feed_in, plan)] if plan.feed_in else []),
        *([partial(windows_of, demand.days, demand.hours, "demand")] if demand else []),
        *([partial(_demand, plan, demand)] if demand else []),
        *(partial(_discount, discount) for discount in plan.discounts),
    )
    rates = [
        (rate, f"usage, {rate.name or f'rate {number}'}" if len(plan.usage) > 1 else "usage")
        for number, rate in enumerate(plan.usage, start=1)
    ]
    prices = refusals_of(*(partial(_with_prices, plan, rate, where, plan.fuel) for rate, where in rates))
    times = refusals_of(
        *(partial(windows_of, rate.days, rate.hours, where) for rate, where in rates),
        *(partial(months_of, rate.months, where) for rate, where in rates),
    )
    if not times and not (times := refusals_of(partial(_seasons, plan))):
        times = refusals_of(
            *(partial(_by_time, of_season, _usage_in(season)) for season, of_season in _by_season(plan).items())
        )
    refused = {str(error): error for error in (*others, *prices, *times)}
    return tuple(error for error in refused.values() if not isinstance(error, _UnreadPriceError))


class _UnreadPriceError(UsageError):
    """A price was not a number when it was read."""


def _check_name(field: str, words: str) -> None:
    """Raise UsageError for a name that no bill has."""
    if len(words) > _LONGEST or (field == "name" and not any(letter.isalnum() for letter in words)):
        raise refused(field, f"write the plan's {field} as on the bill, at most {_LONGEST} letters.")


def _controlled_load(plan: TypedPlan, load: TypedLoad) -> JsonObject:
    supply = {"dailySupplyCharge": _price(plan, load.supply, "controlled_load.supply", "load_supply")}
    single = _with_prices(plan, load, "controlled_load", plan.fuel)
    return {"displayName": load.name or "Controlled load", "singleRate": single | supply}


def as_typed(given: JsonObject) -> TypedPlan | None:
    """Return a stored plan as it was typed; None for one that was not."""
    kept = given.get(TYPED)
    return msgspec.convert(kept, TypedPlan) if isinstance(kept, dict) else None


# ---- usage, by season and time


def _by_season(plan: TypedPlan) -> dict[str, list[TypedRate]]:
    """Return the rates of usage by their months as written, empty for those of all other months."""
    named: dict[str, list[TypedRate]] = {}
    for rate in plan.usage:
        named.setdefault(rate.months.strip(), []).append(rate)
    return named


def _seasons(plan: TypedPlan) -> list[str]:
    """Return the months as written that each month's rates have. Raises UsageError for a month without any, or two."""
    if not plan.usage:
        raise refused("usage", "enter at least one price of energy.")
    named = _by_season(plan)
    of_month: dict[int, str] = {}
    for season in filter(None, named):
        for month in months_of(season, "usage"):
            if month in of_month:
                raise refused("usage", f"{MONTHS[month].title()} is in {of_month[month]!r} and in {season!r}.")
            of_month[month] = season
    missing = [month for month in range(12) if month not in of_month]
    if missing and "" not in named:
        raise refused("usage", f"no price for {', '.join(MONTHS[month].title() for month in missing)}.")
    if not missing and "" in named:
        raise refused("usage", "the prices with months cover the whole year, so no month is left for the others.")
    return [of_month.get(month, "") for month in range(12)]


def _tariff_periods(plan: TypedPlan) -> list[JsonObject]:
    """Return a tariff period for each run of months with the same rates. Raises UsageError for a month without any."""
    seasons, named = _seasons(plan), _by_season(plan)
    return [
        {
            "displayName": season or ("All year" if len(named) == 1 else "Other months"),
            "startDate": f"{months[0] + 1:02d}-01",
            "endDate": f"{months[-1] + 1:02d}-{calendar.monthrange(2023, months[-1] + 1)[1]:02d}",
            "dailySupplyCharge": _price(plan, plan.supply, "supply", "supply"),
            **_usage(plan, named[season], season),
            "demandCharges": [_demand(plan, plan.demand)] if plan.demand else [],
        }
        for season, months in _runs(seasons)
    ]


def _runs(seasons: Sequence[str]) -> list[tuple[str, list[int]]]:
    """Return (season, months in order) for each run of months, one that passes the new year as one."""
    runs = [(season, list(months)) for season, months in groupby(range(12), key=seasons.__getitem__)]
    if len(runs) > 1 and runs[0][0] == runs[-1][0]:
        season, first = runs.pop(0)
        runs[-1] = season, runs[-1][1] + first
    return runs


def _usage_in(season: str) -> str:
    return f"usage ({season})" if season else "usage"


def _usage(plan: TypedPlan, rates: Sequence[TypedRate], season: str) -> JsonObject:
    """Return the rates of a season: a single one, or by time with every hour of the week covered once."""
    where = _usage_in(season)
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
        raise refused(where, f"{rest} have no days or hours. Only one price can be for all other times.")
    claimed = [
        _minutes(windows_of(rate.days, rate.hours, f"{where}, {name}")) if own else _NEVER
        for rate, name, own in zip(rates, names, timed, strict=True)
    ]
    for one, other in combinations(range(len(rates)), 2):
        if (both := claimed[one] & claimed[other]).any():
            hours = windows_text(as_windows(both))
            raise refused(where, f"{names[one]} and {names[other]} both have a price for {hours}.")
    rest = ~np.logical_or.reduce(claimed)
    if False in timed:
        claimed[timed.index(False)] = rest
    elif rest.any():
        hours = windows_text(as_windows(rest))
        raise refused(where, f"no price for {hours}. Add one for these hours, or one without days and hours.")
    empty = [name for name, minutes in zip(names, claimed, strict=True) if not minutes.any()]
    if empty:
        raise refused(where, f"the other prices leave no hours for {empty[0]}.")
    return list(zip(rates, names, map(as_windows, claimed), strict=True))


def _minutes(windows: Sequence[Window]) -> Minutes:
    claimed: Minutes = cells_of((tuple(windows),))[:7] != UNCLAIMED
    return claimed


def as_windows(minutes: Minutes) -> tuple[Window, ...]:
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
            "days": [DAYS[day] for day in sorted(window.days)],
            "startTime": _clock(window.start),
            "endTime": _clock(window.end % DAY_MINUTES),
        }
        for window in windows
    ]


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


# ---- prices


def _with_prices(plan: TypedPlan, price: TypedPrice, where: str, kind: str) -> JsonObject:
    """Return name, block period and rates of a price. Raises UsageError unless it is one price, or tiers."""
    if (price.price is None) == (not price.tiers):
        raise refused(where, "give one price, or tiers.")
    unlimited = [number for number, tier in enumerate(price.tiers) if tier.first is None or tier.first <= 0]
    if price.tiers and unlimited != [len(price.tiers) - 1]:
        raise refused(where, "every tier but the last needs the energy that it is for (first).")
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


def _price(plan: TypedPlan, typed: Decimal, where: str, kind: str) -> str:
    """Return a price in AUD without GST, as published. Raises UsageError where it must be in another unit.

    A price with GST is rounded up at the 20th decimal, so that with 10 % it is never below what was typed, and an
    amount of exactly half a cent is rounded as on the bill.
    """
    if typed.is_nan():
        raise _UnreadPriceError(f"{where}: {typed} is not a price.", option=where)
    if not typed.is_finite() or typed < 0:
        raise refused(where, f"{typed} is not a price.")
    dollars = Fraction(typed) / (100 if plan.prices.startswith("cents") else 1)
    without = dollars / (_GST if plan.prices.endswith("with GST") and kind != "feed_in" else 1)
    least, most = _USUAL.get(kind, (Decimal(0), Decimal(1000)))
    if not (least <= without <= most or (without == 0 and typed == 0)):
        raise refused(
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
        raise refused("feed_in", "a feed-in price cannot differ by month here.")
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
    windows = windows_of(demand.days, demand.hours, "demand")
    if len(windows) > 1:
        raise refused("demand", "give one time, for example 15:00-21:00.")
    price = _price(plan, demand.price, "demand", "demand")
    if (Decimal(price) > MONTHLY_ABOVE) != (demand.per == "month"):
        raise refused(
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
        raise refused(f"discounts, {discount.name}", f"{discount.percent} is not a percentage from 0 to 100.")
    base = "percentOfUse" if discount.of == "usage" else "percentOfBill"
    kind = "CONDITIONAL" if discount.conditional else "GUARANTEED"
    return {"displayName": discount.name, "type": kind, base: {"rate": f"{discount.percent.scaleb(-2):f}"}}
