"""Rank the plans of a comparison: what each costs on a home's reads, and why it ranks there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from msgspec.structs import asdict

from toolkit.analytics.energy.bills.concessions import Concession, credited
from toolkit.analytics.energy.intervals.prepare import Usage
from toolkit.analytics.energy.plans.offers import Offer, price_summary
from toolkit.analytics.energy.pricing import Market, Priced, price_market
from toolkit.analytics.energy.pricing.model import COMPONENTS, Options, aud
from toolkit.analytics.energy.rates.model import Rates
from toolkit.answers.base import Note, Period
from toolkit.answers.energy.plans import (
    ComparedPlan,
    CurrentPlan,
    NetworkPlans,
    PlanCost,
    Ranking,
    SavingRange,
    StandingOffer,
    UnpricedPlan,
)

_SHOWN_REASONS = 3


@dataclass(frozen=True, slots=True)
class Reads:
    """Reads and the billing periods that they are priced over."""

    usage: Usage
    periods: Sequence[Period]
    options: Options


@dataclass(frozen=True, slots=True)
class Case:
    """One household's reads, and the plans on which they are priced."""

    reads: Reads
    offers: Sequence[Offer]
    market: Market
    """The offers as published, in their order."""
    today: Offer | None
    """The household's own plan, where it is known; an offer that is this plan has its rates."""
    has: frozenset[str]
    """Eligibility types that the household meets."""
    network: str | None = None
    """The home's network, where it is known."""
    can_save: bool = True
    """Whether it is known which plans can be had here."""
    concessions: Sequence[Concession] = ()
    """Those typed for the home, which hold on every plan."""
    yardsticks: Sequence[Offer] = ()
    """Standing offers that the home can have, whatever is compared."""
    earlier: Sequence[Reads] = field(default=())
    """Whole years before, newest first; empty where the days in question are not a year."""

    @property
    def plans(self) -> list[Offer]:
        """All that are priced, today's last."""
        return [*self.offers, *([self.today] if self.today else [])]

    @property
    def days(self) -> int:
        """Return the days of all billing periods."""
        return sum(period.days for period in self.reads.periods)

    def priced(self, market: Market, reads: Reads) -> Priced:
        """Price the market on reads of the home, concessions credited."""
        priced = price_market(market, reads.usage, reads.periods, reads.options)
        return credited(priced, self.concessions) if self.concessions else priced


def rank(case: Case, top: int, *, distinct: bool = False) -> Ranking:
    """Rank the plans with a complete total, cheapest first, against today's; the others are listed with their reasons.

    A saving is shown only where today's total is complete, too. Of plans that cost the same, those that the home can
    simply take come first. top: how many rows, 0 for all. distinct: one row for all plans of the same total.
    """
    rows = _Rows.of(case)
    numbers = range(len(case.offers))
    reasons = {n: rows.why_not(n) for n in numbers}
    ranked = sorted((n for n in numbers if not reasons[n]), key=rows.order)
    current = rows.current()
    saves = case.can_save and current is not None and current.reason is None
    alike = _same_totals(case, rows, ranked)
    listed = list({rows.totals[n]: n for n in reversed(ranked)}.values())[::-1] if distinct else ranked
    shown = listed[:top] if top else listed
    # The cheapest may be variable or not for everyone; a headline names the cheapest that the home can simply take.
    headline = next((n for n in ranked if rows.can_be_headline(n)), None)
    wanted = [*shown, *([headline] if headline is not None and headline not in shown else [])]
    ranges = _ranges(case, wanted) if saves else {}
    full = {n: rows.compared(n, current if saves else None, ranges.get(n), alike) for n in wanted}
    return Ranking(
        priced=len(ranked),
        current=current,
        plans=tuple(full[n] for n in shown),
        headline=None if headline is None else full[headline],
        standing=rows.standing,
        by_network=_by_network([(case.offers[n], rows.totals[n]) for n in ranked]),
        unpriced=tuple(rows.unpriced(n, reasons[n]) for n in numbers if reasons[n]),
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """priced: the offers, then today's plan. places: number in `priced` of each plan, and its number there.

    totals, at_best: cents of every plan; at_best with the discounts that hang on conditions.
    """

    case: Case
    priced: Sequence[Priced]
    places: Sequence[tuple[int, int]]
    totals: list[int]
    at_best: list[int]
    standing: StandingOffer | None

    @classmethod
    def of(cls, case: Case) -> _Rows:
        """Price all plans of a case, once as billed and once with conditional discounts."""
        today, reads = case.today.rates if case.today else None, case.reads
        # Today's plan has the household's own rates, so it is a market by itself.
        markets = [case.market, *([Market.of([today])] if today else [])]
        places = [(1, 0) if plan.rates is today else (0, n) for n, plan in enumerate(case.plans)]

        def priced(options: Options) -> list[Priced]:
            return [case.priced(market, replace(reads, options=options)) for market in markets]

        def totals(of_markets: Sequence[Priced]) -> list[int]:
            by_market = [each.totals.tolist() for each in of_markets]
            return [by_market[market][place] for market, place in places]

        billed = priced(reads.options)
        # Priced again with conditional discounts: the difference is shown as `conditional`, never taken off a total.
        at_best = totals(priced(replace(reads.options, discounts="all")))
        return cls(case, billed, places, totals(billed), at_best, _standing(case))

    def order(self, n: int) -> tuple[int, bool, str]:
        """Return the key that plans are ranked by."""
        return self.totals[n], not self.can_be_headline(n), self.case.offers[n].plan_id

    def _place(self, n: int) -> tuple[Priced, int]:
        """Return where the plan is priced, and its number there."""
        market, place = self.places[n]
        return self.priced[market], place

    def why_not(self, n: int) -> str:
        """Return why the plan's total is incomplete, the first few reasons; empty where it is complete."""
        priced, place = self._place(n)
        reasons = priced.reasons(place)
        more = f" and {len(reasons) - _SHOWN_REASONS} more" if len(reasons) > _SHOWN_REASONS else ""
        return "; ".join(reasons[:_SHOWN_REASONS]) + more

    def row(self, n: int) -> PlanCost:
        """Return what explains a plan's place. `total` is `components` summed; `conditional` is not taken off."""
        offer, (priced, place) = self.case.plans[n], self._place(n)
        amounts = priced.cents[place].tolist()
        header, terms, restricted = offer.header, offer.compiled.terms, offer.restrictions(self.case.has)
        notes = (*(Note("not_for_everyone", condition=words) for words in restricted), *offer.rates.notes)
        return PlanCost(
            plan_id=offer.plan_id,
            name=header.name,
            retailer=header.retailer,
            customer_type=header.customer_type,
            plan_type=header.plan_type,
            networks=tuple(offer.networks),
            eligibility=tuple(terms.eligibility),
            open=not restricted,
            green_share=offer.compiled.green_share,
            total=aud(sum(amounts)),
            components={name: aud(value) for name, value in zip(COMPONENTS, amounts, strict=True) if value},
            conditional=aud(sum(amounts) - self.at_best[n]),
            as_of=header.as_of,
            ended="expired" in offer.barriers,
            conditions=tuple(offer.conditions),
            variable=terms.variable,
            exit_fee=terms.exit_fee,
            term=terms.term,
            below_standing=self._below_standing(sum(amounts)),
            notes=notes,
            problems=tuple(priced.problems(place)),
            prices=price_summary(offer.rates),
        )

    def _below_standing(self, cents: int) -> float | None:
        if self.standing is None or self.standing.total <= 0:
            return None
        return round(1 - cents / 100 / float(self.standing.total), 4)

    def compared(
        self, n: int, current: CurrentPlan | None, saving_range: SavingRange | None, alike: Mapping[int, Sequence[str]]
    ) -> ComparedPlan:
        """Return the row with what it saves against today's plan; null without one."""
        row = self.row(n)
        return ComparedPlan(
            **asdict(row),
            saving=current.total - row.total if current else None,
            saving_days=self.case.days if current else None,
            saving_range=saving_range,
            same_as=tuple(plan_id for plan_id in alike[self.totals[n]] if plan_id != row.plan_id),
        )

    def current(self) -> CurrentPlan | None:
        """Return the row of today's plan."""
        if self.case.today is None:
            return None
        n = len(self.case.offers)
        return CurrentPlan(**asdict(self.row(n)), reason=self.why_not(n) or None)

    def unpriced(self, n: int, reason: str) -> UnpricedPlan:
        """Return the row of a plan with an incomplete total."""
        row = self.row(n)
        return UnpricedPlan(row.plan_id, row.name, row.retailer, row.total, row.components, reason)

    def can_be_headline(self, n: int) -> bool:
        """Return whether the plan has fixed prices, no condition that the home contradicts and no restriction."""
        offer = self.case.offers[n]
        return not (offer.compiled.terms.variable or offer.conditions or offer.restrictions(self.case.has))


def _same_totals(case: Case, rows: _Rows, ranked: Sequence[int]) -> dict[int, list[str]]:
    """Return total in cents → ids of the plans that cost as much."""
    found: dict[int, list[str]] = {}
    for n in ranked:
        found.setdefault(rows.totals[n], []).append(case.offers[n].plan_id)
    return found


def _ranges(case: Case, numbers: Sequence[int]) -> dict[int, SavingRange]:
    """Return by plan the lowest and highest saving of the earlier years in which both plans can be priced."""
    savings: dict[int, list[int]] = {}
    for year in case.earlier:
        for n, saving in _savings(case, numbers, year):
            savings.setdefault(n, []).append(saving)
    return {n: SavingRange(aud(min(found)), aud(max(found))) for n, found in savings.items()}


def _savings(case: Case, numbers: Sequence[int], year: Reads) -> Iterator[tuple[int, int]]:
    """Yield (plan's number, saving in cents) in one year."""
    assert case.today is not None
    plans = [*(case.offers[n] for n in numbers), case.today]
    priced = case.priced(Market.of([offer.rates for offer in plans]), year)
    totals = priced.totals.tolist()
    if priced.reasons(len(numbers)):
        return
    for place, n in enumerate(numbers):
        if not priced.reasons(place):
            yield n, totals[-1] - totals[place]


def _tariff_kind(rates: Rates) -> Literal["single", "time_of_use", "demand"]:
    """Return whether demand is charged, else whether prices of general use depend on the time of day or week."""
    if rates.demands:
        return "demand"
    return "time_of_use" if any(len(period.rates) > 1 for period in rates.periods) else "single"


def _standing(case: Case) -> StandingOffer | None:
    """Return the cheapest standing offer of today's tariff kind; None if today's plan or the network is not known."""
    if case.today is None:
        return None
    kind = _tariff_kind(case.today.rates)
    alike = [offer for offer in case.yardsticks if _tariff_kind(offer.rates) == kind]
    # Standing prices are set by network: with several and no known network there is no one yardstick.
    networks = {offer.networks for offer in alike} if case.network is None else set()
    if not alike or len(networks) > 1:
        return None
    priced = case.priced(Market.of([offer.rates for offer in alike]), case.reads)
    totals = priced.totals.tolist()
    whole = [(totals[n], offer.plan_id) for n, offer in enumerate(alike) if not priced.reasons(n)]
    return StandingOffer(min(whole)[1], aud(min(whole)[0])) if whole else None


def _by_network(ranked: Sequence[tuple[Offer, int]]) -> tuple[NetworkPlans, ...]:
    """Return for each network how many plans there are and the cheapest. ranked: totals in cents, cheapest first."""
    cheapest: dict[str, tuple[Offer, int]] = {}
    count = Counter(network for offer, _ in ranked for network in offer.networks)
    for offer, total in ranked:
        for network in offer.networks:
            cheapest.setdefault(network, (offer, total))
    return tuple(
        NetworkPlans(name, count[name], offer.plan_id, aud(total), offer.header.name, offer.header.retailer)
        for name, (offer, total) in sorted(cheapest.items())
    )
