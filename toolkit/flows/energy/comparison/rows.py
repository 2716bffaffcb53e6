"""The rows of a comparison: what each plan costs on a home's reads, and why it stands where it does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from toolkit.analytics.energy.bills import Options, Period, Usage
from toolkit.analytics.energy.bills.model import COMPONENTS, aud
from toolkit.analytics.energy.compare import Market, Priced, price_market
from toolkit.analytics.energy.plans.terms import STANDING, tariff_kind
from toolkit.answers.notes import Note
from toolkit.flows.plans.offers import Offer

_SHOWN_REASONS = 3


@dataclass(frozen=True, slots=True)
class Reads:
    """Reads and the billing periods that they are priced over."""

    usage: Usage
    periods: Sequence[Period]
    options: Options


@dataclass(frozen=True, slots=True)
class Case:
    """One household's reads, and on which plans they are priced. has: eligibility types that it meets.

    today: the household's own plan; network: the home's; each where it is known. can_save: whether it is known which
    plans can be had here. earlier: whole years before, newest first; empty where the days in question are not one.
    """

    reads: Reads
    offers: Sequence[Offer]
    today: Offer | None
    has: frozenset[str]
    network: str | None = None
    can_save: bool = True
    earlier: Sequence[Reads] = field(default=())

    @property
    def plans(self) -> list[Offer]:
        """All that are priced, today's last."""
        return [*self.offers, *([self.today] if self.today else [])]

    @property
    def days(self) -> int:
        return sum(period.days for period in self.reads.periods)


def compared(case: Case, top: int) -> dict[str, Any]:
    """The plans whose total is the whole of it, cheapest first; today's; and the others, with their reasons.

    A saving is shown only where today's total is whole, too. `headline`: the cheapest plan without variable prices,
    conditions, or customers that it is meant for.
    """
    rows = _Rows.of(case)
    numbers = range(len(case.offers))
    reasons = {n: rows.why_not(n) for n in numbers}
    ranked = sorted((n for n in numbers if not reasons[n]), key=lambda n: (rows.totals[n], case.offers[n].plan_id))
    current = rows.current()
    saves = case.can_save and current is not None and current["reason"] is None
    shown = ranked[:top] if top else ranked
    headline = next((n for n in ranked if rows.can_be_headline(n)), None)
    wanted = [*shown, *([headline] if headline is not None and headline not in shown else [])]
    ranges = _ranges(case, wanted) if saves else {}
    alike = _same_totals(case, rows, ranked)
    full = {n: rows.against(n, current if saves else None, ranges.get(n), alike) for n in wanted}
    return {
        "priced": len(ranked),
        "current": current,
        "plans": [full[n] for n in shown],
        "headline": None if headline is None else full[headline],
        "standing": _standing(case, rows, ranked),
        "by_network": _by_network([(case.offers[n], rows.totals[n]) for n in ranked]),
        "unpriced": [{**_partly(rows.row(n)), "reason": reasons[n]} for n in numbers if reasons[n]],
    }


def as_of(offers: Sequence[Offer]) -> date | None:
    """The newest date among the plans' prices."""
    return max((found for offer in offers if (found := offer.header.as_of)), default=None)


@dataclass(frozen=True, slots=True)
class _Rows:
    """totals, at_best: cents of every plan; at_best with the discounts that hang on conditions."""

    case: Case
    priced: Priced
    totals: list[int]
    at_best: list[int]

    @classmethod
    def of(cls, case: Case) -> _Rows:
        market, reads = Market.of([offer.rates for offer in case.plans]), case.reads
        priced = price_market(market, reads.usage, reads.periods, reads.options)
        best = price_market(market, reads.usage, reads.periods, replace(reads.options, discounts="all"))
        return cls(case, priced, priced.totals.tolist(), best.totals.tolist())

    def row(self, n: int) -> dict[str, Any]:
        """Everything that explains a plan's place. `total` is `components` summed; `conditional` is not taken off."""
        offer, amounts = self.case.plans[n], self.priced.cents[n].tolist()
        header, terms, restricted = offer.header, offer.compiled.terms, offer.restrictions(self.case.has)
        notes = [*(Note("not_for_everyone", condition=words) for words in restricted), *offer.rates.notes]
        return {
            "plan_id": offer.plan_id,
            "name": header.name,
            "retailer": header.retailer,
            "customer_type": header.customer_type,
            "plan_type": header.plan_type,
            "networks": list(offer.networks),
            "eligibility": list(terms.eligibility),
            "open": not restricted,
            "green_share": offer.compiled.green_share,
            "total": aud(sum(amounts)),
            "components": {name: aud(value) for name, value in zip(COMPONENTS, amounts, strict=True) if value},
            "conditional": aud(sum(amounts) - self.at_best[n]),
            "as_of": header.as_of,
            "ended": "expired" in offer.barriers,
            "conditions": list(offer.conditions),
            "variable": terms.variable,
            "exit_fee": terms.exit_fee,
            "notes": notes,
            "note_codes": [note.code for note in notes],
            "problems": [problem.as_json() for problem in self.priced.problems(n)],
        }

    def against(
        self,
        n: int,
        current: Mapping[str, Any] | None,
        saving_range: dict[str, Any] | None,
        alike: dict[int, list[str]],
    ) -> dict[str, Any]:
        """The row with what it saves against today's plan; null without one."""
        row = self.row(n)
        return {
            **row,
            "saving": current["total"] - row["total"] if current else None,
            "saving_days": self.case.days if current else None,
            "saving_range": saving_range,
            "same_as": [plan_id for plan_id in alike[self.totals[n]] if plan_id != row["plan_id"]],
        }

    def current(self) -> dict[str, Any] | None:
        """Today's plan. `reason`: why `total` is not the whole of it; None where it is."""
        if self.case.today is None:
            return None
        n = len(self.case.offers)
        return {**self.row(n), "reason": self.why_not(n) or None}

    def can_be_headline(self, n: int) -> bool:
        offer = self.case.offers[n]
        return not (offer.compiled.terms.variable or offer.conditions or offer.restrictions(self.case.has))

    def why_not(self, n: int) -> str:
        """Why the plan's total would be no fair figure; empty where it is one."""
        reasons = self.priced.reasons(n)
        more = f" and {len(reasons) - _SHOWN_REASONS} more" if len(reasons) > _SHOWN_REASONS else ""
        return "; ".join(reasons[:_SHOWN_REASONS]) + more


def _same_totals(case: Case, rows: _Rows, ranked: Sequence[int]) -> dict[int, list[str]]:
    """Total in cents → ids of the plans that cost as much."""
    found: dict[int, list[str]] = {}
    for n in ranked:
        found.setdefault(rows.totals[n], []).append(case.offers[n].plan_id)
    return found


def _ranges(case: Case, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
    """By plan the lowest and the highest saving of the earlier years, as far as both plans can be priced in them."""
    savings: dict[int, list[int]] = {}
    for year in case.earlier:
        for n, saving in _savings(case, numbers, year):
            savings.setdefault(n, []).append(saving)
    return {n: {"low": aud(min(found)), "high": aud(max(found))} for n, found in savings.items()}


def _savings(case: Case, numbers: Sequence[int], year: Reads) -> Iterator[tuple[int, int]]:
    """(plan's number, saving in cents) in one year."""
    assert case.today is not None
    plans = [*(case.offers[n] for n in numbers), case.today]
    priced = price_market(Market.of([offer.rates for offer in plans]), year.usage, year.periods, year.options)
    totals = priced.totals.tolist()
    if priced.reasons(len(numbers)):
        return
    for place, n in enumerate(numbers):
        if not priced.reasons(place):
            yield n, totals[-1] - totals[place]


def _standing(case: Case, rows: _Rows, ranked: Sequence[int]) -> dict[str, Any] | None:
    """The cheapest standing offer of today's tariff kind; null where today's plan or the network is not known."""
    if case.today is None:
        return None
    kind = tariff_kind(case.today.rates)
    standing = [n for n in ranked if case.offers[n].header.plan_type in STANDING and not case.offers[n].barriers]
    standing = [n for n in standing if tariff_kind(case.offers[n].rates) == kind]
    networks = {case.offers[n].networks for n in standing} if case.network is None else set()
    if not standing or len(networks) > 1:
        return None
    return {"plan_id": case.offers[standing[0]].plan_id, "total": aud(rows.totals[standing[0]])}


def _partly(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("plan_id", "name", "retailer", "total", "components")}


def _by_network(ranked: Sequence[tuple[Offer, int]]) -> list[dict[str, Any]]:
    """For each network how many plans there are and the cheapest. ranked: with totals in cents, cheapest first."""
    cheapest: dict[str, tuple[Offer, int]] = {}
    count = Counter(network for offer, _ in ranked for network in offer.networks)
    for offer, total in ranked:
        for network in offer.networks:
            cheapest.setdefault(network, (offer, total))
    return [
        {"network": name, "priced": count[name], "plan_id": offer.plan_id, "total": aud(total)}
        for name, (offer, total) in sorted(cheapest.items())
    ]
