"""Kinds of tariff, for comparing like with like."""

from __future__ import annotations

from typing import Literal

from toolkit.analytics.energy.rates.model import Rates

TariffKind = Literal["single", "time_of_use", "demand"]


def tariff_kind(rates: Rates) -> TariffKind:
    """Whether demand is charged, else whether prices of general use go by the time of day or week."""
    if rates.demands:
        return "demand"
    return "time_of_use" if any(len(period.rates) > 1 for period in rates.periods) else "single"
