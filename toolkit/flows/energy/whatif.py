"""What would change: a battery, more solar, an electric vehicle, or load at another time, on the home's own reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal, get_args

import polars as pl

from toolkit.analytics.energy.bills import Bill, Options, Period, prepare
from toolkit.analytics.energy.bills import price as price_reads
from toolkit.analytics.energy.bills.model import COMPONENTS, aud
from toolkit.analytics.energy.intervals.quality import Quality, ReadsAge, quality_of
from toolkit.analytics.energy.rates import Rates
from toolkit.analytics.energy.whatif import FEWEST_DAYS, Profile, days_read, profile_of
from toolkit.analytics.energy.whatif import yearly as saving_a_year
from toolkit.answers.notes import Note, sentences
from toolkit.errors import PricingError, Problem, UsageError
from toolkit.flows.energy.bill import billed_point, compiled
from toolkit.flows.energy.whatif_changes import Changed, Home, Wanted, battery, electric_vehicle, shift, solar
from toolkit.flows.household.billing_cycle import reads_age
from toolkit.flows.household.billing_periods import BillingQuestion, asked_periods, of_a_year, options_of, reads_for
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.classified import typed_cents
from toolkit.flows.plans.choice import resolve_plan
from toolkit.flows.plans.stored import ChosenPlan, fuel_of

Change = Literal["battery", "solar", "ev", "shift"]

_CHANGES: dict[str, Callable[[Home, Wanted], list[Changed]]] = {
    "battery": battery,
    "solar": solar,
    "ev": electric_vehicle,
    "shift": shift,
}
TOO_OLD = (
    "Meter data ends on {age.last_read}, {age.days} days before {age.today}: too long ago for a yearly figure. "
    "The saving is for these days only."
)
_DAYS_PER_YEAR = 365
_MOST_OF_A_YEAR = 335
"""Days read: with fewer, a month's weather or more is not in them."""


def whatif(  # noqa: PLR0913 - the options of the command
    ctx: Context,
    change: str,
    *,
    kwh: float | None = None,
    kw: float | None = None,
    efficiency: float = 0.9,
    price: Decimal | str | float | None = None,
    window: str | None = None,
    to_window: str | None = None,
    share: float | None = None,
    from_: date | None = None,
    to: date | None = None,
    plan: str | None = None,
) -> dict[str, Any]:
    """`whatif`: what the bills would have been, on one plan, with and without the change.

    battery: kwh usable, kw (default: half of kwh an hour), efficiency of the round trip; run for self-consumption, by
    the tariff's prices, and to hold demand down, whichever is cheapest; `ways` has all of them. solar: kw of panels
    more. ev: kwh a day (default 7.5), kw of the charger (default 7), window (default 00:00-06:00). shift: share (0 to
    1) of what is bought in `window`, to `to_window` of the same day; without one it is saved. Windows: `HH:MM-HH:MM`
    on the home's clock. Power is at most 1,000 kW, energy 24,000 kWh: more than a home's connection carries.
    price: of the change in AUD, for the payback. plan: default the one in force today, for days of the past, too.
    Default range: the last year of reads. Money in AUD; `saving` = before − after over the range, `yearly` that for
    365 days by `days_read`, the share of the `days` that was read by the interval: null below 28 of them, and where the
    reads end too long before `ctx.today` (`ReadsAge`).

    Notes and `missing_share` tell the quality of the stored reads, as `bill` does: what a change makes up is neither
    measured nor substituted. Raises PricingError where no interval was read in the range.
    """
    if change not in get_args(Change):
        raise UsageError(f"What if {change!r}? Known: {', '.join(get_args(Change))}.")
    wanted = Wanted(kwh, kw, efficiency, window, to_window, share)
    cost = None if price is None else typed_cents("--price", price)
    if cost is not None and cost <= 0:
        raise UsageError("--price is the cost of the change and must be greater than 0.")
    case = _case(ctx, BillingQuestion(from_, to, None), plan)
    before = case.bill(case.home.profile)
    tried = [(done, case.bill(done.profile)) for done in _CHANGES[change](case.home, wanted)]
    best, after = min(tried, key=lambda pair: pair[1].total_minor)
    answer = _answer(case, change, (before, after), best, cost)
    ways = [_way(done, before, bill) for done, bill in tried if done.way]
    return {**answer, "way": best.way, "ways": ways, "assumptions": [*answer["assumptions"], *_at_least(best, ways)]}


def _at_least(best: Changed, ways: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is saved without any foresight: the other end of what to expect."""
    plain = next((way for way in ways if way["way"] == "self-consumption"), None)
    if plain is None or best.way == plain["way"]:
        return []
    how = "Run for self-consumption alone, which needs to know nothing beforehand"
    return [f"{how}, it saves ${plain['saving']:,.2f} over the range."]


def _way(done: Changed, before: Bill, after: Bill) -> dict[str, Any]:
    return {
        "way": done.way,
        "after": aud(after.total_minor),
        "saving": aud(before.total_minor - after.total_minor),
    }


@dataclass(frozen=True)
class _Case:
    home: Home
    rates: Rates
    periods: list[Period]
    options: Options
    quality: Quality
    notes: list[Note]
    problems: list[Problem]
    on_plan: str
    age: ReadsAge

    @property
    def days(self) -> int:
        return sum(period.days for period in self.periods)

    @cached_property
    def days_read(self) -> float:
        home = self.home
        return days_read(home.profile, self.rates.clock, home.zone, self.periods, self.quality.expected)

    def bill(self, profile: Profile) -> Bill:
        return price_reads(profile.reads(), self.rates, self.periods, zone=self.home.zone, options=self.options)


def _case(ctx: Context, question: BillingQuestion, plan: str | None) -> _Case:
    with open_home(ctx) as (store, household):
        point = billed_point(store, household, ctx.service_point)
        if fuel_of(point) == "GAS":
            raise UsageError("Batteries, panels, vehicles and time of day apply to electricity, not to gas.")
        question = of_a_year(store, household, point, question, ctx.today)
        periods, notes = asked_periods(store, household, point, question, ctx.today)
        chosen = resolve_plan(store, household, point, plan, ctx.today)
        rates = compiled(chosen, point, ctx.today)
        reads, read_problems = reads_for(store, household.household_id, point, periods, year=rates.banded)
        age = reads_age(store, household, point, ctx.today)
        devices = store.rows("der_records", household.household_id, where={"service_point_id": point.id})
    options = options_of(question, [rates], point, periods)
    profile = profile_of(reads, point.zone)
    home = Home(profile, reads, rates, point, household, tuple(devices), periods, options.holidays)
    told, problems = [*point.notes, *notes, *chosen.notes], [*chosen.problems, *read_problems]
    case = _Case(
        home, rates, periods, options, _quality(reads, home), told, problems, _on_plan(chosen, rates, ctx), age
    )
    if not case.days_read:
        raise PricingError(
            rates.plan_id, "a change by time of day needs interval reads, and there are none on these days"
        )
    return case


def _quality(reads: pl.DataFrame, home: Home) -> Quality:
    """Of the reads as they are stored."""
    matrix = prepare(reads, zone=home.zone, unit=home.rates.unit).matrix(home.rates.clock)
    return quality_of([matrix.sliced(period.first, period.last) for period in home.periods])


def _on_plan(chosen: ChosenPlan, rates: Rates, ctx: Context) -> str:
    which = f"the plan in force on {ctx.today}" if chosen.own else "as requested"
    return f"Every day is priced on plan {rates.name}, {which}."


def _answer(case: _Case, change: str, bills: tuple[Bill, Bill], best: Changed, cost: int | None) -> dict[str, Any]:
    before, after = bills
    saving = before.total_minor - after.total_minor
    year = None if case.age.is_past_limit else saving_a_year(saving, case.days_read)
    parts = [bill.components_minor() for bill in bills]
    named = [name for name in COMPONENTS if name in parts[0] or name in parts[1]]
    return {
        "change": change,
        "plan_id": case.rates.plan_id,
        "plan_name": case.rates.name,
        "service_point_id": case.home.point.id,
        "from": case.periods[0].first,
        "to": case.periods[-1].last,
        "days": case.days,
        "days_read": round(case.days_read, 1),
        "before": aud(before.total_minor),
        "after": aud(after.total_minor),
        "saving": aud(saving),
        "yearly": None if year is None else aud(year),
        "components": {name: aud(parts[0].get(name, 0) - parts[1].get(name, 0)) for name in named},
        "before_components": {name: aud(minor) for name, minor in parts[0].items()},
        "after_components": {name: aud(minor) for name, minor in parts[1].items()},
        "energy": _energy(bills),
        "price": None if cost is None else aud(cost),
        "payback_years": _payback(cost, year),
        "missing_share": case.quality.missing_share,
        "assumptions": [*best.assumptions, *_about_range(case)],
        "notes": sentences([*case.notes, *after.assumed, *case.quality.notes(case.rates.unit)]),
        "problems": [problem.as_json() for problem in dict.fromkeys(_problems(case, before, after))],
    }


def _problems(case: _Case, before: Bill, after: Bill) -> list[Problem]:
    """With what is not priced afterwards, and what was not before: either makes the saving wrong."""
    gone = [problem for problem in before.unpriceable if problem not in after.unpriceable]
    unpriced = [
        *after.unpriceable,
        *(replace(problem, reason=f"before the change: {problem.reason}") for problem in gone),
    ]
    return [*case.problems, *unpriced, *case.quality.problems()]


def _energy(bills: tuple[Bill, Bill]) -> dict[str, dict[str, float]]:
    """kWh that are bought (general use) and sold, in the lines of both bills."""

    def of(bill: Bill, component: str) -> float:
        return round(float(sum(line.quantity for line in bill.lines if line.component == component)), 3)

    names = {"bought_kwh": "usage", "sold_kwh": "feed_in"}
    sides = zip(("before", "after"), bills, strict=True)
    return {side: {name: of(bill, component) for name, component in names.items()} for side, bill in sides}


def _about_range(case: _Case) -> list[str]:
    if case.age.is_past_limit:
        return [case.on_plan, TOO_OLD.format(age=case.age)]
    return [case.on_plan, *_about_year(case.days, round(case.days_read, 1))]


def _about_year(days: int, read: float) -> Iterator[str]:
    covered = f"Meter data covers {read:g} of {days} days"
    if read < FEWEST_DAYS:
        yield f"{covered}. A yearly figure needs at least {FEWEST_DAYS} days: add more meter data."
    elif read < _MOST_OF_A_YEAR:
        yield f"{covered}, scaled up to 365, so the yearly figure may not reflect every season."
    elif read < _DAYS_PER_YEAR:
        yield f"{covered}; the yearly figure scales them up to 365."


def _payback(cost: int | None, yearly: int | None) -> float | None:
    """Simple payback: cost ÷ yearly saving; None where nothing is saved, no cost was given or no year is known."""
    return None if cost is None or yearly is None or yearly <= 0 else round(cost / yearly, 1)
