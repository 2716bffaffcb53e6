"""What form a published plan has, so that a few plans stand for all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tests.contracts.referee_plan import snake

Json = Mapping[str, Any]
Form = tuple[object, ...]
FUELS = ("electricity", "gas")
METHODS = ("percent_of_bill", "percent_of_use", "percent_over_threshold", "fixed_amount")


def one_of_each(plans: Iterable[Json]) -> list[Json]:
    """For each form of tariff one plan, as it was given: that with the rarest extras."""
    known = [(plan, tariff(plain), extras(plain)) for plan in plans for plain in [snake(plan.get("data", plan))]]
    common = Counter((form, more) for _, form, more in known)
    rarest: dict[Form, Json] = {}
    for plan, form, _ in sorted(known, key=lambda each: common[each[1:]]):
        rarest.setdefault(form, plan)
    return list(rarest.values())


def tariff(plan: Json) -> Form:
    """Fuels, pricing model, and how energy, demand and controlled load are written, contract by contract."""
    return tuple((fuel, *_tariff(contract)) for fuel, contract in contracts(plan))


def contracts(plan: Json) -> list[tuple[str, Json]]:
    return [(fuel, plan[f"{fuel}_contract"]) for fuel in FUELS if plan.get(f"{fuel}_contract")]


def _tariff(contract: Json) -> Form:
    periods = contract.get("tariff_period") or []
    demand = frozenset(bool(period.get("demand_charges")) for period in periods)
    supply = frozenset(name for period in periods for name in period if "supply" in name)
    energy = frozenset(map(_energy, periods))
    return contract.get("pricing_model"), _few(periods), energy, demand, supply, _load(contract.get("controlled_load"))


def _energy(period: Json) -> Form:
    """Bands, the most blocks of one, and what their widths hold for."""
    single, timed = period.get("single_rate"), period.get("time_of_use_rates") or []
    rates = [single] if single else timed
    return bool(single), _few(rates), max((_few(r.get("rates")) for r in rates), default=0), _periods(rates)


def _periods(rates: Iterable[Json]) -> frozenset[str | None]:
    return frozenset(rate.get("period") for rate in rates if _few(rate.get("rates")) > 1)


def _load(given: Any) -> Form:
    loads = [given] if isinstance(given, Mapping) else given or []
    return type(given).__name__, _few(loads), any(load.get("time_of_use_rates") for load in loads)


def extras(plan: Json) -> Form:
    """Feed-in, discounts, fees that come again, and the clock."""
    return tuple(_extras(contract) for _, contract in contracts(plan))


def _extras(contract: Json) -> Form:
    paid = contract.get("solar_feed_in_tariff") or []
    feed_in = frozenset((bool(each.get("time_varying_tariffs")), each.get("scheme")) for each in paid)
    given = contract.get("discounts") or []
    discounts = frozenset((each.get("type"), name) for each in given for name in METHODS if each.get(name))
    fees = frozenset(fee.get("term") for fee in contract.get("fees") or []) - {"FIXED", "PERCENT_OF_BILL"}
    return _few(paid), feed_in, discounts, fees, contract.get("time_zone")


def _few(listed: Any) -> int:
    """How many, above three as three."""
    return min(len(listed or []), 3)
