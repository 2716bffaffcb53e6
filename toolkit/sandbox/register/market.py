"""The market: which plans there are, each made when first asked for; the same seed and day give the same plans."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cached_property
from random import Random
from typing import Any

from toolkit.sandbox.register.extras import extras
from toolkit.sandbox.register.places import ELECTRICITY, GAS, RETAILERS, Network, Retailer
from toolkit.sandbox.register.tariffs import ELECTRICITY_FORMS, GAS_FORMS
from toolkit.sandbox.world.chance import dice

Json = dict[str, Any]

PLANS_OF_A_RETAILER = 160
DEARER_EVERY, DEARER_BY = 5, 1.04
PRICES = ("unitPrice", "dailySupplyCharge")
OF_THE_LIST = (
    *("planId", "effectiveFrom", "effectiveTo", "lastUpdated", "displayName", "description", "type", "fuelType"),
    *("brand", "brandName", "applicationUri", "customerType", "geography"),
)
"""Fields that a list shows of each plan."""


class Market:
    """14 retailers with 160 plans each, as they stand on `today`; `born` is the day that the plans are counted from."""

    def __init__(self, seed: int, born: date) -> None:
        self.seed, self.today = seed, born
        self._by_retailer = {retailer.slug: RetailerPlans(retailer, seed, born) for retailer in RETAILERS}

    def retailer_plans(self, slug: str) -> RetailerPlans | None:
        """The retailer's plans of today; None for a retailer that is not there."""
        found = self._by_retailer.get(slug)
        if found is not None:
            found.today = self.today
        return found


class RetailerPlans:
    """One retailer's plans, by id. Some become dearer on each first of July that the clock passes."""

    def __init__(self, retailer: Retailer, seed: int, born: date) -> None:
        self.retailer, self._seed, self._born = retailer, seed, born
        self.today = born

    @property
    def plans(self) -> dict[str, Json]:
        """Those in force or to come."""
        rises = [date(year, 7, 1) for year in range(self._born.year, self.today.year + 1)]
        passed = [day for day in rises if self._born < day <= self.today]
        return {
            key: dearer(plan, passed) if passed and nth % DEARER_EVERY == 0 else plan
            for nth, (key, plan) in enumerate(self._first.items())
            if plan.get("effectiveTo", "9999") > str(self.today)
        }

    @cached_property
    def _first(self) -> dict[str, Json]:
        made = (self._plan(nth) for nth in range(PLANS_OF_A_RETAILER))
        return {plan["planId"]: plan for plan in made}

    def _plan(self, nth: int) -> Json:
        """Every form comes round; the first plans are the same form for each network."""
        chance = dice(self._seed, "plan", self.retailer.slug, nth)
        network = ELECTRICITY[(nth + nth // len(ELECTRICITY)) % len(ELECTRICITY)]
        fuel = "GAS" if nth % 8 == 7 else "DUAL" if nth % 53 == 52 else "ELECTRICITY"
        if fuel == "GAS":
            network = chance.choice(GAS)
        business = chance.random() < 0.2
        named, contracts = _contracts(chance, nth, fuel, network, business=business)
        brand, brand_name = chance.choice(self.retailer.brands)
        customer = "BUSINESS" if business else "RESIDENTIAL"
        number = f"{self.retailer.prefix}{100_000 + nth * 17}{'S' if nth % 11 == 0 else 'M'}{customer[0]}E1"
        return {
            "planId": f"{number}@{'VEC' if network.state == 'VIC' else 'EME'}",
            **_times(chance, self._born),
            "displayName": f"{brand_name.split()[0]} {named}",
            "description": f"{named} for {network.name}. An invented plan.",
            "type": "STANDING" if nth % 11 == 0 else "MARKET",
            "fuelType": fuel,
            "brand": brand,
            "brandName": brand_name,
            "applicationUri": f"https://{self.retailer.slug}.example/plans/{number}",
            "customerType": customer,
            "geography": _geography(chance, network),
            **_metering(chance),
            **contracts,
        }


def _contracts(chance: Random, nth: int, fuel: str, network: Network, *, business: bool) -> tuple[str, Json]:
    """The plan's name and its contracts. Businesses pay a little less a unit."""
    level = network.level * (0.93 if business else 1.0)
    name, form = ELECTRICITY_FORMS[(nth // len(ELECTRICITY) + nth) % len(ELECTRICITY_FORMS)]
    gas_name, gas_form = GAS_FORMS[nth // 8 % len(GAS_FORMS)]
    found: Json = {}
    if fuel != "GAS":
        found["electricityContract"] = {**extras(chance, solar=True), **form(chance, level)}
    if fuel != "ELECTRICITY":
        found["gasContract"] = {**extras(chance, solar=False), **gas_form(chance, level)}
    return {"GAS": gas_name, "DUAL": f"{name} & {gas_name}"}.get(fuel, name), found


def _times(chance: Random, today: date) -> Json:
    """Most plans are in force, some from later on; some end."""
    start = today - timedelta(days=chance.randint(5, 500))
    if chance.random() < 0.03:
        start = today + timedelta(days=chance.randint(3, 40))
    found = {"effectiveFrom": f"{start}T00:00:00Z"}
    if chance.random() < 0.1:
        found["effectiveTo"] = f"{today + timedelta(days=chance.randint(20, 300))}T00:00:00Z"
    updated = min(start, today) - timedelta(days=chance.randint(0, 4))
    return {**found, "lastUpdated": f"{updated}T{chance.randint(0, 23):02d}:30:00Z"}


def _geography(chance: Random, network: Network) -> Json:
    found: Json = {"distributors": [network.name], "includedPostcodes": list(network.postcodes)}
    if chance.random() < 0.1:
        found["excludedPostcodes"] = [network.postcodes[-1]]
        found["includedPostcodes"] = list(network.postcodes[:-1])
    return found


def _metering(chance: Random) -> Json:
    if chance.random() > 0.1:
        return {}
    charge = {"displayName": "Meter reading", "minimumValue": "0.09", "period": "P1D"}
    return {"meteringCharges": [charge]}


def dearer(plan: Json, rises: list[date]) -> Json:
    """The version of a plan after these price rises."""
    factor = DEARER_BY ** len(rises)

    def risen(value: Any) -> Any:
        if isinstance(value, list):
            return [risen(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {
            key: f"{float(inner) * factor:.4f}" if key in PRICES and isinstance(inner, str) else risen(inner)
            for key, inner in value.items()
        }

    return {**risen(plan), "lastUpdated": f"{rises[-1]}T00:30:00Z"}
