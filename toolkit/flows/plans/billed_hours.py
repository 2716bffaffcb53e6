"""The hours of the prices on a bill that does not print them, from published plans and the meter's own reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from toolkit.analytics.energy.intervals.prepare import Usage, prepare
from toolkit.analytics.energy.plans.billed_hours import Times, bands_all_year, order_that_agrees, times_of
from toolkit.analytics.energy.rates.model import Bands, PlanTimeZone
from toolkit.answers.base import Period
from toolkit.errors import StoreError
from toolkit.flows.household.billing_periods import reads_for
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import ServicePoint, service_points
from toolkit.flows.plans.billed_prices import BilledPrices
from toolkit.flows.plans.catalogue import compiled_plans
from toolkit.flows.plans.my_plan import headers_here, retailer_in
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import AEST_OFFSET


@dataclass(frozen=True, slots=True)
class BilledHours:
    """Days and hours of each price of a bill, in its order. clock: of the hours, as of a typed plan."""

    times: tuple[Times, ...]
    clock: Literal["local", "AEST"]


@dataclass(frozen=True, slots=True)
class _Published:
    """Hours that published plans have, and how many plans; those of the bill's retailer apart."""

    bands: Bands
    zone: PlanTimeZone
    plans: int
    of_retailer: int


def billed_hours(ctx: Context, prices: BilledPrices) -> BilledHours | None:
    """Return the hours with which the reads of a bill's days give the energy that it states for each price.

    They are looked for among those of the published plans that the home can have, of the bill's retailer first. None
    where no hours agree or several do, reads are missing, or no plans are stored.
    """
    try:
        with open_home(ctx) as (store, household):
            points = service_points(store, household, fuel="ELECTRICITY")
            named = prices.service_point
            point = next((each for each in points if named is None or each.is_called(named)), None)
            if point is None or len(prices.usage) < 2:
                return None
            published = list(_published(store, household, prices, ctx))
            reads, _ = reads_for(store, household.household_id, point, [Period(prices.first, prices.last)])
    except StoreError:
        return None
    return _agreeing(prepare(reads, zone=point.zone), point, prices, published)


def _published(store: Store, household: HouseholdRow, prices: BilledPrices, ctx: Context) -> Iterator[_Published]:
    """Yield each set of hours, of as many prices as the bill has, that plans for the home have."""
    headers = headers_here(store, household.household_id, "ELECTRICITY", ctx.today)
    own = retailer_in(prices.retailer, sorted({header.retailer for header in headers if header.retailer}))
    plans = compiled_plans(store, "ELECTRICITY", headers)
    every: Counter[tuple[Bands, PlanTimeZone]] = Counter()
    of_retailer: Counter[tuple[Bands, PlanTimeZone]] = Counter()
    for header in headers:
        rates = plans[header.version].rates_on(prices.last) if header.version in plans else None
        bands = bands_all_year(rates) if rates else None
        if rates is not None and bands is not None and len(bands) == len(prices.usage):
            every[bands, rates.time_zone] += 1
            of_retailer[bands, rates.time_zone] += own is not None and header.retailer == own
    for (bands, zone), count in every.items():
        yield _Published(bands, zone, count, of_retailer[bands, zone])


def _agreeing(
    usage: Usage, point: ServicePoint, prices: BilledPrices, published: list[_Published]
) -> BilledHours | None:
    """Return the hours that give the billed energy, if no others do; by the clock of most plans that have them."""
    billed = [band.quantity for band in prices.usage]
    plans: Counter[BilledHours] = Counter()
    of_retailer: Counter[BilledHours] = Counter()
    for each in published:
        times = times_of(each.bands)
        order = order_that_agrees(usage, prices.first, prices.last, each.bands, each.zone, billed) if times else None
        if times is None or order is None:
            continue
        clock: Literal["local", "AEST"] = "local" if each.zone == "LOCAL" or _is_always_aest(point.zone) else "AEST"
        hours = BilledHours(tuple(times[band] for band in order), clock)
        plans[hours] += each.plans
        of_retailer[hours] += each.of_retailer
    likely = +of_retailer or plans
    if len({hours.times for hours in likely}) != 1:
        return None
    return max(likely, key=lambda hours: (likely[hours], hours.clock))


def _is_always_aest(zone: str) -> bool:
    days = (datetime(2026, month, 1, tzinfo=ZoneInfo(zone)) for month in (1, 7))
    return all(day.utcoffset() == AEST_OFFSET for day in days)
