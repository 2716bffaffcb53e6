"""The invented market: retailers, networks and the plans on offer; the same seed and day give the same plans."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from random import Random
from typing import Any

from toolkit.sandbox.register.tariffs import ELECTRICITY_TARIFFS, GAS_TARIFFS
from toolkit.sandbox.register.terms import contract_terms
from toolkit.sandbox.world.chance import random_stream
from toolkit.wire import JsonObject

PLANS_OF_A_RETAILER = 160
RISE_EVERY, RISE_FACTOR = 5, 1.04
"""Every fifth plan rises by 4 % on each 1 July."""
RISING_FIELDS = ("unitPrice", "dailySupplyCharge")
LISTED_FIELDS = (
    *("planId", "effectiveFrom", "effectiveTo", "lastUpdated", "displayName", "description", "type", "fuelType"),
    *("brand", "brandName", "applicationUri", "customerType", "geography"),
)
"""Fields of a plan that the list endpoint serves."""
METERING_CHARGE = {"displayName": "Meter reading", "minimumValue": "0.09", "period": "P1D"}


@dataclass(frozen=True, slots=True)
class Retailer:
    """An invented retailer."""

    slug: str
    """Its path below the register."""
    prefix: str
    """Start of its plan ids."""
    brands: tuple[tuple[str, str], ...]
    """(brand, brand name); a retailer may have several."""


RETAILERS = (
    Retailer("lyrebird", "LYR", (("lyrebird", "Lyrebird Energy"),)),
    Retailer("quoll", "QUO", (("quoll", "Quoll Power & Gas"),)),
    Retailer("bilby", "BIL", (("bilby", "Bilby Electric"),)),
    Retailer("banksia", "BAN", (("banksia", "Banksia Energy"), ("banksia-direct", "Banksia Direct"))),
    Retailer("bandicoot", "BDC", (("bandicoot", "Bandicoot Power"),)),
    Retailer("cassowary", "CAS", (("cassowary", "Cassowary Electricity"),)),
    Retailer("dugong", "DUG", (("dugong", "Dugong Energy"),)),
    Retailer("galah", "GLH", (("galah", "Galah Gas & Power"),)),
    Retailer("jarrah", "JAR", (("jarrah", "Jarrah Retail"),)),
    Retailer("mulga", "MUL", (("mulga", "Mulga Energy"),)),
    Retailer("numbat", "NUM", (("numbat", "Numbat Power"),)),
    Retailer("potoroo", "POT", (("potoroo", "Potoroo Energy"),)),
    Retailer("waratah", "WAR", (("waratah", "Waratah Community Energy"),)),
    Retailer("yabby", "YAB", (("yabby", "Yabby Electric"),)),
)


@dataclass(frozen=True, slots=True)
class Network:
    """A distribution network, with some of the postcodes it supplies."""

    name: str
    state: str
    postcodes: tuple[str, ...]
    level: float
    """Its price level as a share of the dearest network's."""


ELECTRICITY_NETWORKS = (
    Network("Ausgrid", "NSW", ("2000", "2010", "2042", "2204", "2260", "2300"), 0.90),
    Network("Endeavour", "NSW", ("2145", "2150", "2170", "2500", "2750"), 0.92),
    Network("Essential Energy", "NSW", ("2260", "2350", "2480", "2640", "2830"), 1.0),
    Network("Evoenergy", "ACT", ("2600", "2612", "2617", "2913"), 0.84),
    Network("Energex", "QLD", ("4000", "4032", "4101", "4215", "4305"), 0.88),
    Network("Ergon Energy", "QLD", ("4350", "4670", "4740", "4870"), 0.91),
    Network("SA Power Networks", "SA", ("5000", "5045", "5108", "5290"), 1.0),
    Network("TasNetworks", "TAS", ("7000", "7005", "7250", "7320"), 0.80),
    Network("CitiPower", "VIC", ("3000", "3011", "3056", "3121"), 0.78),
    Network("Powercor", "VIC", ("3011", "3030", "3215", "3350"), 0.80),
    Network("Jemena", "VIC", ("3011", "3044", "3056", "3073"), 0.79),
    Network("United Energy", "VIC", ("3121", "3162", "3199", "3910"), 0.77),
    Network("AusNet Services", "VIC", ("3073", "3134", "3690", "3825"), 0.86),
)
"""Electricity networks; a postcode may belong to several."""

GAS_NETWORKS = (
    Network("Jemena Gas Networks", "NSW", ("2000", "2150", "2204", "2300"), 1.0),
    Network("Multinet Gas", "VIC", ("3121", "3162", "3199"), 0.82),
    Network("Australian Gas Networks", "SA", ("5000", "5045", "5108", "3030"), 1.0),
    Network("AusNet Gas", "VIC", ("3011", "3030", "3350"), 0.80),
    Network("Evoenergy Gas", "ACT", ("2600", "2612", "2617"), 0.93),
)


class Market:
    """Plans of 14 retailers, 160 each, in force on `today`; their dates count from the day `born`."""

    def __init__(self, seed: int, born: date) -> None:
        self.seed, self.today = seed, born
        self._by_retailer = {retailer.slug: RetailerPlans(retailer, seed, born) for retailer in RETAILERS}

    def retailer_plans(self, slug: str) -> RetailerPlans | None:
        """Return the plans of a retailer as of today; None for an unknown retailer."""
        plans = self._by_retailer.get(slug)
        if plans is not None:
            plans.today = self.today
        return plans


class RetailerPlans:
    """Plans of one retailer. Some rise in price on each 1 July after the day `born`."""

    def __init__(self, retailer: Retailer, seed: int, born: date) -> None:
        self.retailer, self._seed, self._born = retailer, seed, born
        self.today = born

    @property
    def plans(self) -> dict[str, JsonObject]:
        """Return the plans in force or to come, by id."""
        rises = [date(year, 7, 1) for year in range(self._born.year, self.today.year + 1)]
        passed = [day for day in rises if self._born < day <= self.today]
        return {
            key: with_price_rises(plan, passed) if passed and nth % RISE_EVERY == 0 else plan
            for nth, (key, plan) in enumerate(self._plans_at_birth.items())
            if plan.get("effectiveTo", "9999") > str(self.today)
        }

    @cached_property
    def _plans_at_birth(self) -> dict[str, JsonObject]:
        made = (self._plan(nth) for nth in range(PLANS_OF_A_RETAILER))
        return {plan["planId"]: plan for plan in made}

    def _plan(self, nth: int) -> JsonObject:
        """Make a plan; tariffs and networks rotate, so that every network has every tariff."""
        chance = random_stream(self._seed, "plan", self.retailer.slug, nth)
        network = ELECTRICITY_NETWORKS[(nth + nth // len(ELECTRICITY_NETWORKS)) % len(ELECTRICITY_NETWORKS)]
        fuel = "GAS" if nth % 8 == 7 else "DUAL" if nth % 53 == 52 else "ELECTRICITY"
        if fuel == "GAS":
            network = chance.choice(GAS_NETWORKS)
        business = chance.random() < 0.2
        named, contracts = _contracts(chance, nth, fuel, network, business=business)
        brand, brand_name = chance.choice(self.retailer.brands)
        customer = "BUSINESS" if business else "RESIDENTIAL"
        number = f"{self.retailer.prefix}{100_000 + nth * 17}{'S' if nth % 11 == 0 else 'M'}{customer[0]}E1"
        return {
            "planId": f"{number}@{'VEC' if network.state == 'VIC' else 'EME'}",
            **_dates(chance, self._born),
            "displayName": f"{brand_name.split()[0]} {named}",
            "description": f"{named} for {network.name}. An invented plan.",
            "type": "STANDING" if nth % 11 == 0 else "MARKET",
            "fuelType": fuel,
            "brand": brand,
            "brandName": brand_name,
            "applicationUri": f"https://{self.retailer.slug}.example/plans/{number}",
            "customerType": customer,
            "geography": _geography(chance, network),
            **({} if chance.random() > 0.1 else {"meteringCharges": [METERING_CHARGE]}),
            **contracts,
        }


def _contracts(chance: Random, nth: int, fuel: str, network: Network, *, business: bool) -> tuple[str, JsonObject]:
    """Return the plan's name and its contracts. Businesses pay a little less per unit."""
    level = network.level * (0.93 if business else 1.0)
    name, tariff = ELECTRICITY_TARIFFS[(nth // len(ELECTRICITY_NETWORKS) + nth) % len(ELECTRICITY_TARIFFS)]
    gas_name, gas_tariff = GAS_TARIFFS[nth // 8 % len(GAS_TARIFFS)]
    contracts: JsonObject = {}
    if fuel != "GAS":
        contracts["electricityContract"] = {**contract_terms(chance, solar=True), **tariff(chance, level)}
    if fuel != "ELECTRICITY":
        contracts["gasContract"] = {**contract_terms(chance, solar=False), **gas_tariff(chance, level)}
    return {"GAS": gas_name, "DUAL": f"{name} & {gas_name}"}.get(fuel, name), contracts


def _dates(chance: Random, today: date) -> JsonObject:
    """Draw dates: most plans are in force, some start later, some end."""
    start = today - timedelta(days=chance.randint(5, 500))
    if chance.random() < 0.03:
        start = today + timedelta(days=chance.randint(3, 40))
    dates = {"effectiveFrom": f"{start}T00:00:00Z"}
    if chance.random() < 0.1:
        dates["effectiveTo"] = f"{today + timedelta(days=chance.randint(20, 300))}T00:00:00Z"
    updated = min(start, today) - timedelta(days=chance.randint(0, 4))
    return {**dates, "lastUpdated": f"{updated}T{chance.randint(0, 23):02d}:30:00Z"}


def _geography(chance: Random, network: Network) -> JsonObject:
    geography: JsonObject = {"distributors": [network.name], "includedPostcodes": list(network.postcodes)}
    if chance.random() < 0.1:
        geography["excludedPostcodes"] = [network.postcodes[-1]]
        geography["includedPostcodes"] = list(network.postcodes[:-1])
    return geography


def with_price_rises(plan: JsonObject, rises: list[date]) -> JsonObject:
    """Return the version of a plan after these price rises."""
    factor = RISE_FACTOR ** len(rises)

    def _raised(value: Any) -> Any:
        if isinstance(value, list):
            return [_raised(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {
            key: f"{float(inner) * factor:.4f}" if key in RISING_FIELDS and isinstance(inner, str) else _raised(inner)
            for key, inner in value.items()
        }

    return {**_raised(plan), "lastUpdated": f"{rises[-1]}T00:30:00Z"}
