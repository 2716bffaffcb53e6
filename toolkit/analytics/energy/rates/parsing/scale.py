"""Dollars or cents: decided per contract by its highest usage price (pricing rule 12)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from toolkit.analytics.energy.rates.messages import PlanMessages
from toolkit.analytics.energy.rates.model import DemandCharge, Tariff
from toolkit.analytics.energy.rates.parsing.values import number

CENTS_ABOVE = {"kWh": Decimal(3), "MJ": Decimal("0.3")}
"""AUD per unit; measured on published plans (no dollar price reaches it, no cent price stays below)."""

_USUAL_USAGE = {"kWh": Decimal("1.5"), "MJ": Decimal("0.15")}
_USUAL_SUPPLY = Decimal(20)
_USUAL_FEED_IN = Decimal(1)


def scale_of(contract: dict[str, Any], unit: str, messages: PlanMessages) -> Decimal:
    """0.01 where the contract's prices are cents, noted; else 1."""
    highest = max(usage_prices(contract), default=Decimal(0))
    if highest <= CENTS_ABOVE[unit]:
        return Decimal(1)
    messages.note("prices_in_cents", price=highest, unit=unit)
    return Decimal("0.01")


def usage_prices(contract: dict[str, Any]) -> Iterator[Decimal]:
    """Every readable usage price of the tariff periods, as written."""
    for period in contract["tariff_period"]:
        single = period["single_rate"] or {"rates": []}
        for holder in (single, *period["time_of_use_rates"]):
            yield from (p for rate in holder["rates"] if (p := number(rate.get("unit_price"))) is not None)
        general = number(single.get("general_unit_price"))
        if general is not None:
            yield general


def note_unusual(component: str, tariff: Tariff, unit: str, messages: PlanMessages) -> None:
    """Prices out of the usual range are noted, never changed."""
    limit = _USUAL_FEED_IN if component == "feed_in" else _USUAL_USAGE[unit]
    for rate in tariff.rates:
        for block in rate.blocks:
            if not 0 <= block.price <= limit:
                messages.note("unusual_energy_price", label=rate.label, price=block.price, unit=unit)
    for _, price in tariff.supply.steps if tariff.supply else ():
        if not 0 <= price <= _USUAL_SUPPLY:
            messages.note("unusual_supply_charge", label=tariff.label, price=price)


def note_unusual_demand(charge: DemandCharge, messages: PlanMessages) -> None:
    if not 0 <= charge.price <= (100 if charge.monthly else 2):
        messages.note("unusual_demand_charge", label=charge.label, price=charge.price)
