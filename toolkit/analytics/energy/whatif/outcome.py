"""The bills before and after a change, and what it saves over the days in question and in a year."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from toolkit.analytics.energy.bills import Bill, Period, prepare
from toolkit.analytics.energy.intervals.matrix import ReadsAge, quality_of
from toolkit.analytics.energy.pricing.model import COMPONENTS, aud
from toolkit.analytics.energy.rates.model import DAYS_PER_YEAR, PlanTimeZone
from toolkit.analytics.energy.whatif.changes import CHANGES, Changed, Home, Wanted
from toolkit.analytics.energy.whatif.charges import local_days
from toolkit.analytics.energy.whatif.profile import Profile
from toolkit.answers.base import Note
from toolkit.answers.energy.whatif import Change, Exchanged, ExchangedBoth, Way, WhatIf
from toolkit.errors import PricingError, Problem

FEWEST_DAYS = 28
"""Four whole weeks: every weekday as often as the others, and as much as the shortest month that a demand charge or a
bill goes by. Fewer days would be scaled up more than thirteenfold, single ones by their weather."""

_MOST_OF_A_YEAR = 335
"""Days read: with fewer, a month's weather or more is not in them."""

_EPOCH = date(1970, 1, 1)


def try_change(
    home: Home, change: Change, wanted: Wanted, *, price_minor: int | None, age: ReadsAge, on_plan: Note
) -> WhatIf:
    """Price the home's bills without and with a change, the cheapest way of running it; without a service point.

    price_minor: cents that the change costs, for the payback. age: of the stored reads; where they are too old there
    is not a yearly saving. on_plan: the assumption about the plan. The quality of the reads is that of the reads as
    stored: what a change makes up is neither measured nor substituted. Raises PricingError where no interval was read
    in the periods, UsageError where options do not fit.
    """
    matrix = prepare(home.reads, zone=home.zone, unit=home.rates.unit).matrix(home.rates.time_zone)
    quality = quality_of([matrix.sliced(period.first, period.last) for period in home.periods])
    read = days_read(home.profile, home.rates.time_zone, home.zone, home.periods, quality.expected)
    if not read:
        raise PricingError(
            home.rates.plan_id, "a change by time of day needs interval reads, and there are none on these days"
        )
    before = home.bill(home.profile)
    tried = [(changed, home.bill(changed.profile)) for changed in CHANGES[change](home, wanted)]
    best, after = min(tried, key=lambda pair: pair[1].total_minor)
    saving = before.total_minor - after.total_minor
    year = None if age.is_past_limit else yearly(saving, read)
    old, new = before.components_minor(), after.components_minor()
    ways = tuple(
        Way(changed.way, aud(bill.total_minor), aud(before.total_minor - bill.total_minor))
        for changed, bill in tried
        if changed.way
    )
    days = sum(period.days for period in home.periods)
    about_year = (
        [Note("too_old_for_year", last_read=age.last_read, age=age.days, today=age.today)]
        if age.is_past_limit
        else _about_year(days, round(read, 1))
    )
    return WhatIf(
        change=change,
        plan_id=home.rates.plan_id,
        plan_name=home.rates.name,
        service_point_id="",
        from_=home.first,
        to=home.last,
        days=days,
        days_read=round(read, 1),
        before=aud(before.total_minor),
        after=aud(after.total_minor),
        saving=aud(saving),
        yearly=None if year is None else aud(year),
        components={
            name: aud(old.get(name, 0) - new.get(name, 0)) for name in COMPONENTS if name in old or name in new
        },
        before_components={name: aud(minor) for name, minor in old.items()},
        after_components={name: aud(minor) for name, minor in new.items()},
        energy=ExchangedBoth(_exchanged(before), _exchanged(after)),
        price=None if price_minor is None else aud(price_minor),
        payback_years=round(price_minor / year, 1) if price_minor is not None and year and year > 0 else None,
        missing_share=quality.missing_share,
        assumptions=(*best.assumptions, on_plan, *about_year, *_without_foresight(best, ways)),
        notes=tuple(dict.fromkeys([*after.assumed, *quality.notes(home.rates.unit)])),
        problems=(*_unpriced(before, after), *quality.problems()),
        way=best.way,
        ways=ways,
    )


def _unpriced(before: Bill, after: Bill) -> list[Problem]:
    """Return what is not priced afterwards, and what was not before: either makes the saving wrong."""
    gone = [problem for problem in before.unpriceable if problem not in after.unpriceable]
    return [
        *after.unpriceable,
        *(replace(problem, reason=f"before the change: {problem.reason}") for problem in gone),
    ]


def _exchanged(bill: Bill) -> Exchanged:
    def energy(component: str) -> float:
        return round(float(sum(line.quantity for line in bill.lines if line.component == component)), 3)

    return Exchanged(bought_kwh=energy("usage"), sold_kwh=energy("feed_in"))


def _about_year(days: int, read: float) -> Iterator[Note]:
    if read < FEWEST_DAYS:
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
    """How many of the periods' days were read by the interval, by the share of their time; all of them at most.

    time_zone: whose days the periods count. expected: minutes of the periods.
    """
    days, _ = local_days(profile, time_zone, zone)
    first, last = ((day - _EPOCH).days for day in (periods[0].first, periods[-1].last))
    minutes = int(profile.minutes[profile.known & (days >= first) & (days <= last)].sum())
    return sum(period.days for period in periods) * min(1.0, minutes / expected)


def yearly(minor: int, days: float) -> int | None:
    """Of 365 days, from cents of so many days read; None from fewer than `FEWEST_DAYS`."""
    return None if round(days, 1) < FEWEST_DAYS else round(minor * DAYS_PER_YEAR / days)
