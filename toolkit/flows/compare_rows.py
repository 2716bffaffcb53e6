"""The rows of a comparison: what each plan costs on a home's reads, and why it stands where it does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from toolkit.flows.market import Offer

if TYPE_CHECKING:
    from toolkit.analytics.energy.bills import Options, Period, Usage
    from toolkit.analytics.energy.compare import Priced

_SHOWN_REASONS = 3


@dataclass(frozen=True, slots=True)
class Case:
    """One household's reads, what they are priced over, and on which plans. has: eligibility types that it meets.

    today: the household's own plan, where it is known.
    """

    usage: Usage
    periods: Sequence[Period]
    options: Options
    offers: Sequence[Offer]
    today: Offer | None
    has: frozenset[str]

    @property
    def plans(self) -> list[Offer]:
        """All that are priced, today's last."""
        return [*self.offers, *([self.today] if self.today else [])]


def compared(case: Case, top: int) -> dict[str, Any]:
    """The plans whose total is the whole of it, cheapest first; today's; and the others, with their reasons.

    A saving is told only where today's total is whole, too.
    """
    rows = _Rows.of(case)
    numbers = range(len(case.offers))
    reasons = {n: rows.why_not(n) for n in numbers}
    ranked = sorted((n for n in numbers if not reasons[n]), key=lambda n: (rows.totals[n], case.offers[n].plan_id))
    current = rows.current()
    return {
        "priced": len(ranked),
        "current": current,
        "plans": [_against(rows.row(n), current) for n in (ranked[:top] if top else ranked)],
        "by_network": _by_network([(case.offers[n], rows.totals[n]) for n in ranked]),
        "unpriced": [{**_partly(rows.row(n)), "reason": reasons[n]} for n in numbers if reasons[n]],
    }


@dataclass(frozen=True, slots=True)
class _Rows:
    """totals, at_best: cents of every plan; at_best with the discounts that hang on conditions."""

    case: Case
    priced: Priced
    totals: list[int]
    at_best: list[int]

    @classmethod
    def of(cls, case: Case) -> _Rows:
        from toolkit.analytics.energy.compare import Market, price_market

        market = Market.of([offer.rates for offer in case.plans])
        priced = price_market(market, case.usage, case.periods, case.options)
        best = price_market(market, case.usage, case.periods, replace(case.options, discounts="all"))
        return cls(case, priced, priced.totals.tolist(), best.totals.tolist())

    def row(self, n: int) -> dict[str, Any]:
        """Everything that explains a plan's place. `total` is `components` summed; `conditional` is not taken off."""
        from toolkit.analytics.energy.bills.model import COMPONENTS, aud

        offer, amounts = self.case.plans[n], self.priced.cents[n].tolist()
        restricted = offer.restrictions(self.case.has)
        return {
            "plan_id": offer.plan_id,
            "name": offer.name,
            "retailer": offer.retailer,
            "customer_type": offer.customer_type,
            "networks": list(offer.networks),
            "eligibility": list(offer.compiled.eligibility),
            "open": not restricted,
            "green_share": offer.compiled.green_share,
            "total": aud(sum(amounts)),
            "components": {name: aud(value) for name, value in zip(COMPONENTS, amounts, strict=True) if value},
            "conditional": aud(sum(amounts) - self.at_best[n]),
            "notes": [*(f"Not for everyone: {words}." for words in restricted), *offer.rates.notes],
            "problems": [problem.as_json() for problem in self.priced.problems(n)],
        }

    def current(self) -> dict[str, Any] | None:
        """Today's plan. `reason`: why `total` is not the whole of it; None where it is."""
        if self.case.today is None:
            return None
        n = len(self.case.offers)
        return {**self.row(n), "reason": self.why_not(n) or None}

    def why_not(self, n: int) -> str:
        """Why the plan's total would be no fair figure; empty where it is one."""
        reasons = self.priced.reasons(n)
        more = f" and {len(reasons) - _SHOWN_REASONS} more" if len(reasons) > _SHOWN_REASONS else ""
        return "; ".join(reasons[:_SHOWN_REASONS]) + more


def _against(row: dict[str, Any], current: dict[str, Any] | None) -> dict[str, Any]:
    known = current is not None and current["reason"] is None
    return {**row, "saving": current["total"] - row["total"] if current and known else None}


def _partly(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("plan_id", "name", "retailer", "total", "components")}


def _by_network(ranked: Sequence[tuple[Offer, int]]) -> list[dict[str, Any]]:
    """For each network how many plans there are and the cheapest. ranked: with totals in cents, cheapest first."""
    from toolkit.analytics.energy.bills.model import aud

    cheapest: dict[str, tuple[Offer, int]] = {}
    count = Counter(network for offer, _ in ranked for network in offer.networks)
    for offer, total in ranked:
        for network in offer.networks:
            cheapest.setdefault(network, (offer, total))
    return [
        {"network": name, "priced": count[name], "plan_id": offer.plan_id, "total": aud(total)}
        for name, (offer, total) in sorted(cheapest.items())
    ]
