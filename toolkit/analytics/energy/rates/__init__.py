"""A plan becomes one flat set of typed rates, with notes on what was assumed and problems on what cannot be priced."""

from __future__ import annotations

from toolkit.analytics.energy.rates.compile import compile_plan
from toolkit.analytics.energy.rates.model import (
    BandRate,
    Block,
    DemandCharge,
    Discount,
    Rates,
    RecurringCharge,
    Span,
    Supply,
    Tariff,
    Window,
)

__all__ = [
    "BandRate",
    "Block",
    "DemandCharge",
    "Discount",
    "Rates",
    "RecurringCharge",
    "Span",
    "Supply",
    "Tariff",
    "Window",
    "compile_plan",
]
