"""The whole market on one household's reads, to the cent what a bill gives."""

from __future__ import annotations

from toolkit.analytics.energy.compare.market import Market
from toolkit.analytics.energy.compare.pricing import Priced, price_market

__all__ = ["Market", "Priced", "price_market"]
