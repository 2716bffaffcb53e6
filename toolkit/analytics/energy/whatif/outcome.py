"""The bills before and after a change, and what it saves over the days in question and in a year."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

import polars as pl
from msgspec import structs

from toolkit.analytics.energy.bills import Bill, Period, prepare
from toolkit.analytics.energy.bills.concessions import credited
from toolkit.analytics.energy.intervals.age import ReadsAge
from toolkit.analytics.energy.intervals.matrix import quality_of
from toolkit.analytics.energy.pricing import price_market
from toolkit.analytics.energy.pricing.model import COMPONENTS, aud
from toolkit.analytics.energy.rates.model import DAYS_PER_YEAR, PlanTimeZone
from toolkit.analytics.energy.whatif.best import Candidates, Cheapest, cheapest_with
from toolkit.analytics.energy.whatif.changes import Changed, Home, Steps, Wanted, battery, with_loads
from toolkit.analytics.energy.whatif.charges import local_days
from toolkit.analytics.energy.whatif.off_gas import GasHome, OffGas
from toolkit.analytics.energy.whatif.profile import Profile
from toolkit.answers.base import Note
from toolkit.answers.energy.whatif import BestPlans, Exchanged, ExchangedBoth, OffGasPart, Way, WhatIf
from toolkit.errors import PricingError
from toolkit.problems import Problem

FEWEST_DAYS = 28
"""Four whole weeks: every weekday as often as the others, and as much as the shortest month that a demand charge or a
bill goes by. Fewer days would be scaled up more than thirteenfold, single ones by their weather."""

_MOST_OF_A_YEAR = 335
"""Days read: with fewer, a month's weather or more is not in them."""

_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about a change.

    steps: the changes made together. price_minor: cents that they cost, for the payback. age: of the stored reads;
    where they are too old there is not a yearly saving. on_plan: the assumption about the plan. candidates: plans for
    the best one, None where it is not asked for or not known; gas_candidates likewise.
    """

    steps: Steps
    price_minor: int | None
    age: ReadsAge
    on_plan: Note
    candidates: Candidates | None = None
    gas_candidates: Candidates | None = None

    @property
    def battery(self) -> Wanted | None:
        """Return the battery among the changes; it comes last, after all that changes the load."""
        return next((wanted for change, wanted in self.steps if change == "battery"), None)

    @property
    def leaving(self) -> OffGas | None:
        """Return what leaves gas."""
        return next((wanted.off_gas for change, wanted in self.steps if change == "gas"), None)


def try_change(home: Home, asked: Asked) -> WhatIf:
    """Price the home's bills without and with changes, a battery run the cheapest way; without a service point.

    The quality of the reads is that of the reads as stored: what a change makes up is neither measured nor substituted.
    Raises PricingError where no interval was read in the periods, UsageError where options do not fit.
    """
    matrix = prepare(home.reads, zone=home.zone, unit=home.rates.unit).matrix(home.rates.time_zone)
    quality = quality_of([matrix.sliced(period.first, period.last) for period in home.periods])
    read = days_read(home.profile, home.rates.time_zone, home.zone, home.periods, quality.expected)
    if not read:
        raise PricingError(
            home.rates.plan_id, "a change by time of day needs interval reads, and there are none on these days"
        )
    before = home.bill(home.profile)
    loaded, about = with_loads(home, asked.steps)
    changed = battery(loaded, asked.battery) if asked.battery else [Changed(loaded.profile, [])]
    tried = [(each, home.bill(each.profile)) for each in changed]
    run, after = min(tried, key=lambda pair: pair[1].total_minor)
    gas = _gas_part(home, asked)
    saved = _Saved(asked, read, 0 if gas is None else int((gas.before - gas.after) * 100))
    saving = before.total_minor - after.total_minor + saved.gas
    old, new = before.components_minor(), after.components_minor()
    ways = tuple(
        Way(each.way, aud(bill.total_minor), aud(before.total_minor - bill.total_minor))
        for each, bill in tried
        if each.way
    )
    days = sum(period.days for period in home.periods)
    about_year = _about_year(asked.age, days, round(read, 1))
    best, about_best = _best(home, loaded, asked, changed, after.total_minor) if asked.candidates else (None, [])
    if best is not None:
        cents = int(best.saving * 100)
        best = structs.replace(best, yearly=saved.yearly(cents), payback_years=saved.payback(cents))
    components = {name: aud(old.get(name, 0) - new.get(name, 0)) for name in COMPONENTS if name in old or name in new}
    gas_before = gas.before if gas else Decimal(0)
    return WhatIf(
        change=asked.steps[-1][0],
        changes=tuple(change for change, _ in asked.steps),
        plan_id=home.rates.plan_id,
        plan_name=home.rates.name,
        service_point_id="",
        from_=home.first,
        to=home.last,
        days=days,
        days_read=round(read, 1),
        before=aud(before.total_minor) + gas_before,
        after=aud(after.total_minor) + (gas.after if gas else Decimal(0)),
        saving=aud(saving),
        yearly=saved.yearly(saving),
        components=components | ({"gas": gas.before - gas.after} if gas else {}),
        before_components={name: aud(minor) for name, minor in old.items()} | ({"gas": gas.before} if gas else {}),
        after_components={name: aud(minor) for name, minor in new.items()} | ({"gas": gas.after} if gas else {}),
        energy=ExchangedBoth(_exchanged(before), _exchanged(after)),
        price=None if asked.price_minor is None else aud(asked.price_minor),
        payback_years=saved.payback(saving),
        missing_share=quality.missing_share,
        assumptions=(*about, *run.assumptions, asked.on_plan, *about_year, *_without_foresight(run, ways), *about_best),
        notes=tuple(dict.fromkeys([*after.assumed, *quality.notes(home.rates.unit)])),
        problems=(*_unpriced(before, after), *quality.problems()),
        way=run.way,
        ways=ways,
        best=best,
        gas=gas,
    )


def _unpriced(before: Bill, after: Bill) -> list[Problem]:
    """Return what is not priced on either side of the change: it makes the saving wrong."""
    gone = [problem for problem in before.unpriceable if problem not in after.unpriceable]
    return [*after.unpriceable, *(structs.replace(each, reason=f"before the change: {each.reason}") for each in gone)]


@dataclass(frozen=True, slots=True)
class _Saved:
    """Turns cents saved over the range into those of a year and into a payback. gas: cents of gas saved."""

    asked: Asked
    read: float
    gas: int

    def yearly(self, cents: int) -> Decimal | None:
        year = self._cents(cents)
        return None if year is None else aud(year)

    def payback(self, cents: int) -> float | None:
        year, price_minor = self._cents(cents), self.asked.price_minor
        return round(price_minor / year, 1) if price_minor is not None and year and year > 0 else None

    def _cents(self, cents: int) -> int | None:
        return None if self.asked.age.is_past_limit else yearly(cents, self.read)


def _gas_part(home: Home, asked: Asked) -> OffGasPart | None:
    """Price the home's gas before and after."""
    leaving, gas = asked.leaving, home.gas
    if leaving is None or gas is None:
        return None
    before = gas.bill(gas.reads)
    after = None if leaving.all else gas.bill(gas.left(leaving))
    old = before.components_minor()
    return OffGasPart(
        plan_id=gas.rates.plan_id,
        plan_name=gas.rates.name,
        mj=round(float(gas.daily["mj"].sum()), 1),
        hot_water_mj=round(float(gas.daily["hot_water"].sum()), 1),
        heating_mj=round(float(gas.daily["heating"].sum()), 1),
        before=aud(before.total_minor),
        after=aud(after.total_minor) if after else Decimal("0.00"),
        supply_saved=aud(0 if after else old.get("supply", 0)),
    )


def _best(
    home: Home, loaded: Home, asked: Asked, changed: Sequence[Changed], own: int
) -> tuple[BestPlans | None, list[Note]]:
    """Return the cheapest plans without and with the change, both of each fuel where gas is left.

    own: cents of today's plan with the change, the cheapest way of running it.
    """
    candidates = asked.candidates
    assert candidates is not None
    before = candidates.cheapest(candidates.priced(home, home.profile), after=False)
    storage = asked.battery.kwh if asked.battery and asked.battery.kwh else 0.0
    run: Callable[[Home], list[Changed]] | None = None
    if wanted := asked.battery:
        run = lambda on_plan: battery(replace(on_plan, profile=loaded.profile), wanted, by_prices_only=True)  # noqa: E731
    after, reruns = cheapest_with(candidates, home, changed, run, storage)
    if before is None or after is None:
        return None, []
    if own < after.cents:
        after = Cheapest(candidates.plans[-1], own)
    old, new = before.cents, after.cents
    if asked.leaving is not None and home.gas is not None and asked.gas_candidates is not None:
        own_gas = _gas_cents_on(asked.gas_candidates, home.gas, home.gas.reads)
        old += own_gas
        new += 0 if asked.leaving.all else _gas_cents_on(asked.gas_candidates, home.gas, home.gas.left(asked.leaving))
    notes = [Note("best_of_plans", count=len(candidates.plans))]
    if reruns:
        notes.append(Note("best_battery_reruns", count=reruns))
    return (
        BestPlans(
            plan_id=after.candidate.rates.plan_id,
            plan_name=after.candidate.name,
            before_plan_id=before.candidate.rates.plan_id,
            before_plan_name=before.candidate.name,
            before=aud(old),
            after=aud(new),
            saving=aud(old - new),
            yearly=None,
            payback_years=None,
            plans=len(candidates.plans),
        ),
        notes,
    )


def _gas_cents_on(candidates: Candidates, gas: GasHome, reads: pl.DataFrame) -> int:
    """Return the cents of gas reads on the cheapest gas plan that the home can have."""
    usage = prepare(reads, zone=gas.zone, unit="MJ")
    priced = credited(price_market(candidates.market, usage, gas.periods, gas.options), gas.concessions)
    best = candidates.cheapest(priced, after=False)
    return best.cents if best else gas.bill(reads).total_minor


def _exchanged(bill: Bill) -> Exchanged:
    def energy(component: str) -> float:
        return round(float(sum(line.quantity for line in bill.lines if line.component == component)), 3)

    return Exchanged(bought_kwh=energy("usage"), sold_kwh=energy("feed_in"))


def _about_year(age: ReadsAge, days: int, read: float) -> Iterator[Note]:
    if age.is_past_limit:
        yield Note("too_old_for_year", last_read=age.last_read, age=age.days, today=age.today)
    elif read < FEWEST_DAYS:
        yield Note("too_few_days_for_year", read=read, days=days, needed=FEWEST_DAYS)
    elif read < _MOST_OF_A_YEAR:
        yield Note("part_of_year", read=read, days=days)
    elif read < DAYS_PER_YEAR:
        yield Note("most_of_year", read=read, days=days)


def _without_foresight(best: Changed, ways: Sequence[Way]) -> list[Note]:
    """Note what is saved without knowing anything beforehand: the other end of what to expect."""
    plain = next((way for way in ways if way.way == "self-consumption"), None)
    if plain is None or best.way == plain.way:
        return []
    return [Note("battery_without_foresight", saving=plain.saving)]


def days_read(profile: Profile, time_zone: PlanTimeZone, zone: str, periods: Sequence[Period], expected: int) -> float:
    """Return how many of the periods' days were read by the interval, by the share of their time; all of them at most.

    time_zone: in which the periods' days begin. expected: minutes of the periods.
    """
    days, _ = local_days(profile, time_zone, zone)
    first, last = ((day - _EPOCH).days for day in (periods[0].first, periods[-1].last))
    minutes = int(profile.minutes[profile.known & (days >= first) & (days <= last)].sum())
    return sum(period.days for period in periods) * min(1.0, minutes / expected)


def yearly(minor: int, days: float) -> int | None:
    """Return what 365 days make, from cents of so many days read; None from fewer than `FEWEST_DAYS`."""
    return None if round(days, 1) < FEWEST_DAYS else round(minor * DAYS_PER_YEAR / days)
