"""Tariffs that mean the same as a published plan and as terms of Utilityrate5.

2018 is the year of both: 365 days, the first a Monday.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate

from tests.analytics.energy.bills.utilityrate import NO_LIMIT, Charges, Demand, Hours, Step, Terms

YEAR = 2018
GST = Decimal("1.1")
WEEKDAYS, WEEKEND = ["MON", "TUE", "WED", "THU", "FRI"], ["SAT", "SUN"]
PER_DAY_AT_MOST = 2
"""A demand price up to this is per kW and day, above it per kW and month (pricing rule 7)."""

Day = str
"""The band in force in each of 24 hours, a digit each."""


@dataclass(frozen=True)
class Week:
    weekday: Day
    weekend: Day


@dataclass(frozen=True)
class Season:
    """Calendar months from 1, in a row. Bands hold (width, price) blocks, the last of no width; $/kW of each demand."""

    months: tuple[int, ...]
    week: Week
    bands: tuple[tuple[tuple[int, Decimal], ...], ...]
    demand_week: Week
    demand: tuple[Decimal, ...]


@dataclass(frozen=True)
class Tariff:
    """Prices without GST; widths hold `every` month or day (P1M, P1D). fee: dollars a month with GST."""

    seasons: tuple[Season, ...]
    every: str
    sell_week: Week
    sell: tuple[Decimal, ...]
    fee: Decimal


def band_name(season: int, band: int) -> str:
    return f"S{season} band {band}"


def demand_name(season: int, charge: int) -> str:
    return f"S{season} demand {charge}"


# As a plan in the service's shape


def plan_of(tariff: Tariff) -> dict[str, object]:
    contract = {
        "time_zone": "AEST",
        "tariff_period": [_period(n, season, tariff.every) for n, season in enumerate(tariff.seasons)],
        "solar_feed_in_tariff": [_feed_in(tariff)],
        "fees": [{"type": "MEMBERSHIP", "term": "MONTHLY", "amount": str(tariff.fee)}],
    }
    return {"plan_id": "P", "electricity_contract": contract}


def _period(number: int, season: Season, every: str) -> dict[str, object]:
    first, last = season.months[0], season.months[-1]
    charges = [
        {"display_name": demand_name(number, n), "amount": str(price), **window}
        for n, price in enumerate(season.demand)
        for window in _windows(season.demand_week, n)
    ]
    dates = {"start_date": f"{first:02}-01", "end_date": f"{last:02}-{monthrange(YEAR, last)[1]}"}
    return {"display_name": f"S{number}", **dates, **_energy(number, season, every), "demand_charges": charges}


def _energy(number: int, season: Season, every: str) -> dict[str, object]:
    rates = [
        {"display_name": band_name(number, band), "period": every, "rates": _blocks(steps)}
        for band, steps in enumerate(season.bands)
    ]
    if len(rates) == 1:
        return {"single_rate": rates[0]}
    timed = [rate | {"time_of_use": list(_windows(season.week, band))} for band, rate in enumerate(rates)]
    return {"time_of_use_rates": [rate for rate in timed if rate["time_of_use"]]}


def _blocks(steps: Sequence[tuple[int, Decimal]]) -> list[dict[str, object]]:
    return [{"unit_price": str(price), **({"volume": width} if width else {})} for width, price in steps]


def _feed_in(tariff: Tariff) -> dict[str, object]:
    prices = [[{"unit_price": str(price)}] for price in tariff.sell]
    if len(prices) == 1:
        return {"single_tariff": {"rates": prices[0]}}
    varying = [
        {"rates": rates, "time_variations": list(_windows(tariff.sell_week, n))} for n, rates in enumerate(prices)
    ]
    return {"time_varying_tariffs": [each for each in varying if each["time_variations"]]}


def _windows(week: Week, band: int) -> Iterator[dict[str, object]]:
    """The runs of hours that a band holds; a run over midnight is one window that wraps."""
    if week.weekday == week.weekend:
        yield from (run | {"days": [*WEEKDAYS, *WEEKEND]} for run in _runs(week.weekday, band))
        return
    for names, day in ((WEEKDAYS, week.weekday), (WEEKEND, week.weekend)):
        yield from (run | {"days": names} for run in _runs(day, band))


def _runs(day: Day, band: int) -> Iterator[dict[str, object]]:
    inside = [int(each) == band for each in day]
    if all(inside):
        yield {"start_time": "00:00", "end_time": "00:00"}
        return
    for start in range(24):
        if inside[start] and not inside[start - 1]:
            end = next(hour % 24 for hour in range(start + 1, start + 24) if not inside[hour % 24])
            yield {"start_time": f"{start:02}:00", "end_time": f"{end:02}:00"}


# As terms of Utilityrate5


def terms_of(tariff: Tariff) -> Terms:
    """Each season's bands, once for each feed-in band that may be in force beside them, are periods of their own."""
    steps = [
        Step(_number(tariff, season, band, sold), tier, limit, float(price * GST), float(earned))
        for season, band, sold in _combinations(tariff)
        for earned in [tariff.sell[sold]]
        for tier, (limit, price) in enumerate(_cumulative(tariff.seasons[season].bands[band]), start=1)
    ]
    weekday, weekend = [], []
    for number, season in _by_month(tariff):
        for schedule, bought, sold in (
            (weekday, season.week.weekday, tariff.sell_week.weekday),
            (weekend, season.week.weekend, tariff.sell_week.weekend),
        ):
            schedule.append([_number(tariff, number, int(b), int(s)) for b, s in zip(bought, sold, strict=True)])
    limits = "month" if tariff.every == "P1M" else "day"
    return Terms(Hours(weekday, weekend), steps, limits, float(tariff.fee), _demand(tariff))


def _combinations(tariff: Tariff) -> list[tuple[int, int, int]]:
    """(season, band, feed-in band)."""
    return [
        (n, band, sold)
        for n, season in enumerate(tariff.seasons)
        for band in range(len(season.bands))
        for sold in range(len(tariff.sell))
    ]


def _number(tariff: Tariff, season: int, band: int, sold: int) -> int:
    return _combinations(tariff).index((season, band, sold)) + 1


def _by_month(tariff: Tariff) -> list[tuple[int, Season]]:
    return [(n, season) for n, season in enumerate(tariff.seasons) for _ in season.months]


def _cumulative(steps: Sequence[tuple[int, Decimal]]) -> list[tuple[float, Decimal]]:
    """(upper limit, price) of (width, price)."""
    limits = accumulate(float(width or NO_LIMIT) for width, _ in steps)
    return [(limit, price) for limit, (_, price) in zip(limits, steps, strict=True)]


MOST_CHARGES = 4


def _demand(tariff: Tariff) -> Demand:
    """A charge at all hours is the month's one price; others are periods, apart where months differ in length."""
    flat, weekday, weekend = [], [], []
    prices: dict[int, float] = {}
    for month, (_, season) in enumerate(_by_month(tariff)):
        each = [float(price * GST * (_days(month) if price <= PER_DAY_AT_MOST else 1)) for price in season.demand]
        first = _first_demand(tariff, month)
        always = len(each) == 1
        flat.append(each[0] if always else 0.0)
        prices |= {first + n: 0.0 for n in range(MOST_CHARGES)}
        prices |= {} if always else {first + n: price for n, price in enumerate(each)}
        weekday.append([first + int(n) for n in season.demand_week.weekday])
        weekend.append([first + int(n) for n in season.demand_week.weekend])
    return Demand(flat, Hours(weekday, weekend), [prices[period] for period in sorted(prices)])


def _days(month: int) -> int:
    return monthrange(YEAR, month + 1)[1]


def _first_demand(tariff: Tariff, month: int) -> int:
    """The period of the month's first charge; Utilityrate5 knows 36 periods."""
    kinds = [(number, _days(n)) for n, (number, _) in enumerate(_by_month(tariff))]
    return 1 + MOST_CHARGES * list(dict.fromkeys(kinds)).index(kinds[month])


def named(tariff: Tariff, found: Charges) -> dict[tuple[int, str], float]:
    """Dollars by month (from 1) and the label that a bill's line has."""
    amounts: dict[tuple[int, str], float] = {}
    for (month, period, tier), dollars in found.usage.items():
        season, band, _ = _combinations(tariff)[period - 1]
        stepped = f", block {tier}" if len(tariff.seasons[season].bands[band]) > 1 else ""
        key = (month + 1, band_name(season, band) + stepped)
        amounts[key] = amounts.get(key, 0.0) + dollars
    for month, (number, season) in enumerate(_by_month(tariff)):
        if len(season.demand) == 1:
            amounts[month + 1, demand_name(number, 0)] = found.flat_demand[month]
        else:
            for n in range(len(season.demand)):
                amounts[month + 1, demand_name(number, n)] = found.demand[month, _first_demand(tariff, month) + n]
        amounts[month + 1, "fee"] = found.fixed[month]
        amounts[month + 1, "feed_in"] = -found.earned[month]
    return amounts
