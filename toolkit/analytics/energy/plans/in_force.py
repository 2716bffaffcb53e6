"""Which plan was in force on a day: one rule for bills, forecasts, invoices, solar and what-if.

An account's plans and their versions are kept, so that last year's invoice meets last year's prices. On a day counts,
of all versions that supply the service point:

1. one that holds on it (from its first to its last day) before one that does not; where none holds, the nearest: the
   latest that had begun, else the first to begin;
2. of those the one that began last. One that the retailer gives without a first day began when it was first seen,
   unless nothing was seen before it;
3. of versions with one first day (prices changed in place) the one seen last by that day, else the one seen first.

A version that the service gives no longer was a mistake, and is left out, where another, seen later, had begun before
it and holds on its first day, too.
Without an account it is the plan that the person named, else the only one stored, whatever the day; of its versions the
one with the latest first day (`effective_from`) by then. With an account the named plan is not used, which is noted;
any plan is priced by its id.

Prices are known of the days on which a version of the account holds, or, of a plan that the person named, from the day
since when the home is on it and from that version's own first day, whichever is later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby

from toolkit.analytics.energy.rates.feed_in import only_closed
from toolkit.answers.base import Note
from toolkit.problems import Problem
from toolkit.tables.rows.plans import Plan
from toolkit.units import AEST_OFFSET

_DAY = timedelta(1)

Days = tuple[date, date]
"""First and last day, inclusive."""


@dataclass(frozen=True, slots=True)
class ChosenPlan:
    """A plan and how it was chosen. own: it was chosen as the household's own, so its account's concessions apply.

    account_id: the energy account it came with. subscribed: the household is or was on it, however it was chosen.
    problems: entries of its file that cannot be read as a plan.
    """

    plan: Plan
    own: bool
    account_id: str | None = None
    notes: tuple[Note, ...] = ()
    problems: tuple[Problem, ...] = ()
    subscribed: bool = False

    def priced_for(self, today: date) -> date | None:
        """Return the day its dated components are read for; None on the household's own, where they keep their dates.

        See pricing rule 8.
        """
        return None if self.own or self.subscribed else priced_for(self.plan.effective_to, today)


def own_feed_in(chosen: ChosenPlan) -> str | None:
    """Return the closed feed-in tariff that an account is on: the only kind its plan names.

    None leaves it to the rules.
    """
    contract = chosen.plan.electricity_contract
    return None if chosen.account_id is None or contract is None else only_closed(contract)


@dataclass(frozen=True, slots=True)
class InForce:
    """A plan from `first` to `last`, both inclusive.

    unknown: why its prices are not known for all of these days; None where they are. known_from: the
    first later day from which they are.
    """

    chosen: ChosenPlan
    first: date
    last: date
    unknown: Note | None = None
    known_from: date | None = None


def assumed_plans(in_force: Iterable[InForce]) -> list[Note]:
    """Return what to note of days for which neither an account nor a person says since when the plan was in force."""
    return [
        Note("plan_assumed", first=part.first, last=part.last, plan=part.chosen.plan.title)
        for part in in_force
        if part.unknown and part.chosen.account_id is None
    ]


@dataclass(frozen=True, slots=True)
class Version:
    """One row of `account_plans`, with the day on which its content was first seen. start: date.min where unknown."""

    plan: Plan
    account_id: str
    start: date
    end: date | None
    current: bool
    seen: date

    @property
    def known_from(self) -> date:
        """Return the first day with known prices: that of the account, not before the plan's own."""
        began = self.seen if self.start == date.min else self.start
        return max(began, self.plan.first_day or began)

    def holds(self, day: date) -> bool:
        """Return whether the account is on this version that day."""
        return self.start <= day and (self.end is None or day <= self.end)

    @property
    def prices(self) -> tuple[object, ...]:
        """Return what decides a bill: versions that differ only in a nickname, a contact or a last day share it."""
        return self.account_id, *_prices(self.plan)

    def rank(self, day: date) -> tuple[bool, int, int, bool]:
        """Return a key by the rule at the top of the file; the version with the greatest is in force."""
        # Rules 1, 2 and 3 in turn; negated days make the nearest one win where none has begun, or was seen, by then.
        start, seen = self.start.toordinal(), self.seen.toordinal()
        begun, known = self.start <= day, self.seen <= day
        return self.holds(day), start if begun else -start, seen if known else -seen, self.current


@dataclass(frozen=True, slots=True)
class Versions:
    """Every version of the plans that one service point has been on by its account; empty without an account."""

    versions: tuple[Version, ...]

    @classmethod
    def of(cls, versions: Sequence[Version]) -> Versions:
        """Date versions without a first day, and leave out mistakes that were put right since."""
        # Dates first: whether a version was a mistake depends on when the others began.
        dated = [_dated(version, versions) for version in versions]
        return cls(tuple(version for version in dated if not _mistaken(version, dated)))

    def in_force(self, first: date, last: date) -> list[InForce]:
        """Return the days from `first` to `last`, cut where another plan or other prices come into force."""
        days = [first + _DAY * n for n in range((last - first).days + 1)]
        best = [(max(self.versions, key=lambda version: version.rank(day)), day) for day in days]
        return [self._part(list(run)) for _, run in groupby(best, key=lambda pair: pair[0].prices)]

    def _part(self, days: Sequence[tuple[Version, date]]) -> InForce:
        """Return consecutive days of the same prices as one part, with what is not known of them."""
        version = days[-1][0]
        gap = next((day for holder, day in days if not holder.holds(day)), None)
        notes = () if gap is None else (Note("plan_gap", day=gap),)
        chosen = ChosenPlan(version.plan, own=True, account_id=version.account_id, notes=notes)
        # The nearest version also stands in on days that the account does not cover: its prices are then a guess.
        unknown = [day for holder, day in days if not holder.holds(day) or day < holder.known_from]
        if not unknown:
            return InForce(chosen, days[0][1], days[-1][1])
        later = (each.known_from for each in self.versions if each.known_from > unknown[-1])
        known_from = min(later, default=None)
        why = Note("prices_known_from", day=known_from) if known_from else Note("account_without_plan", day=unknown[0])
        return InForce(chosen, days[0][1], days[-1][1], why, known_from)

    def others(self, parts: Sequence[InForce]) -> list[Plan]:
        """Return the versions that are in none of the parts, newest first."""
        used = [_prices(part.chosen.plan) for part in parts]
        rest = [version for version in self.versions if _prices(version.plan) not in used]
        return [v.plan for v in sorted(rest, key=lambda v: (v.start, v.seen), reverse=True)]


def _dated(version: Version, versions: Sequence[Version]) -> Version:
    """Return a version without a first day as begun when it was first seen, if others were there before."""
    earlier = any(other.seen < version.seen for other in versions)
    return replace(version, start=version.seen) if version.start == date.min and earlier else version


def _mistaken(version: Version, versions: Sequence[Version]) -> bool:
    """Return whether the retailer withdrew the version: one seen later had begun before it and covers its first day."""
    right = (other for other in versions if other.current and other.seen > version.seen)
    return not version.current and any(other.start < version.start and other.holds(version.start) for other in right)


def _prices(plan: Plan) -> tuple[object, ...]:
    """Return the parts of a plan that prices are read from."""
    return plan.plan_id, plan.electricity_contract, plan.gas_contract, plan.metering_charges


def with_unused_plan_noted(parts: list[InForce], named: Plan | None) -> list[InForce]:
    """Note on the last part that the plan that a person named is not used, where an account shows another."""
    if named is None or named.plan_id in {part.chosen.plan.plan_id for part in parts}:
        return parts
    chosen = parts[-1].chosen
    noted = replace(chosen, notes=(*chosen.notes, Note("plan_not_used", plan=named.title)))
    return [*parts[:-1], replace(parts[-1], chosen=noted)]


def _by_version(newest: Plan, versions: Sequence[Plan], span: Days) -> list[tuple[Plan, tuple[date, date]]]:
    """Return each version of one plan with its days of the span.

    On each day the one that began last is in force, else the first to begin; one without a first day is the earliest.
    The newest is in force throughout where it has no first day.
    """
    if newest.first_day is None:
        return [(newest, span)]
    begins = {version.first_day or date.min: version for version in versions}
    ordered = sorted(begins)
    cuts = [span[0], *(day for day in ordered[1:] if span[0] < day <= span[1])]
    ends = [*(day - _DAY for day in cuts[1:]), span[1]]
    on = (max((day for day in ordered if day <= cut), default=ordered[0]) for cut in cuts)
    return [(begins[day], (cut, end)) for day, cut, end in zip(on, cuts, ends, strict=True)]


def _of_person(plan: Plan, since: date | None, days: Days) -> InForce:
    """Return one version of the plan that a person named, with the day from which its prices are known."""
    first, last = days
    later = since is not None and since > first
    notes = (Note("plan_before_known", day=since),) if later else ()
    chosen = ChosenPlan(plan, own=True, notes=notes)
    begins = plan.first_day
    if since is None:
        why = Note("plan_since_unknown", plan=plan.title)
        if begins:
            why = Note("plan_since_unknown_with_prices", plan=plan.title, day=begins)
        return InForce(chosen, first, last, why, begins)
    known_from = max(since, begins or since)
    if known_from <= first:
        return InForce(chosen, first, last)
    return InForce(chosen, first, last, Note("prices_known_from", day=known_from), known_from)


def named_in_force(newest: Plan, versions: Sequence[Plan], since: date | None, span: Days) -> list[InForce]:
    """Return the plan that a person named, cut where another version begins.

    newest: its latest version. since: the day since when the home is on it, None where that is not known.
    """
    return [_of_person(plan, since, days) for plan, days in _by_version(newest, versions, span)]


_INSTANT = timedelta(microseconds=1)


def last_day(effective_to: str | None) -> date | None:
    """Return the last day of a plan from its `effectiveTo`: a date (inclusive), or the instant from which it is over.

    An instant is read in AEST: retailers write its midnight as `T14:00:00Z` (or `T13:00:00Z` in summer time).
    None where the plan names no end, or none that is readable.
    """
    if not effective_to:
        return None
    try:
        if len(effective_to) == len("YYYY-MM-DD"):
            return date.fromisoformat(effective_to)
        over = datetime.fromisoformat(effective_to)
        over = over if over.tzinfo else over.replace(tzinfo=UTC)
        return (over.astimezone(UTC).replace(tzinfo=None) + AEST_OFFSET - _INSTANT).date()
    except (ValueError, OverflowError):
        return None


def priced_for(effective_to: str | None, today: date) -> date:
    """Return the day that a plan is priced for: `today`, or its last day where it has ended."""
    last = last_day(effective_to)
    return today if last is None else min(last, today)
