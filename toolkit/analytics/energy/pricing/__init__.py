"""The pricing engine: plans × billing periods for one household, totals and lines, exact to the cent."""

from __future__ import annotations

from toolkit.analytics.energy.pricing.engine import Priced, price_home, price_market
from toolkit.analytics.energy.pricing.market import Market

__all__ = ["Market", "Priced", "price_home", "price_market"]
