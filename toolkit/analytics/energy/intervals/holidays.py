"""Public holidays, for the windows that name them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import holidays

from toolkit.analytics.energy.rates.model import Rates


def names_holidays(rates: Rates) -> bool:
    """Whether any window of the plan holds on public holidays only."""
    tariffs = (tariff.bands for _, tariff in rates.tariffs())
    every = (*tariffs, *(charge.bands for charge in rates.demands))
    return any(window.holidays_only for bands in every for windows in bands for window in windows)


def public_holidays(state: str | None, years: Iterable[int]) -> frozenset[date]:
    """Holidays of a state or territory (`NSW` …), national ones where it is unknown. Source: package `holidays`."""
    return frozenset(holidays.country_holidays("AU", subdiv=state, years=sorted(set(years))))
