"""One vectorised numpy pass over a year for one plan: bands, seasons, supply; no blocks, demand or rounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import polars as pl

from tests.benchmarks.homes import FIRST, INTERVALS
from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.rates import Rates, Tariff
from toolkit.analytics.energy.rates.model import cells_of


@dataclass(frozen=True)
class YearOfReads:
    """Per interval: kWh of each register, minute of the day, weekday, day of the year, billing period."""

    kwh: dict[str, np.ndarray]
    minute: np.ndarray
    weekday: np.ndarray
    day: np.ndarray
    period: np.ndarray
    dates: list[date]
    periods: int

    @classmethod
    def of(cls, reads: pl.DataFrame, periods: Sequence[Period]) -> YearOfReads:
        number = np.arange(INTERVALS)
        day = number // 288
        dates = [FIRST + timedelta(n) for n in range(365)]
        of_day = np.array([next(n for n, p in enumerate(periods) if p.first <= each <= p.last) for each in dates])
        kwh = {
            role: reads.filter(pl.col("register_suffix") == suffix)["energy_nano"].to_numpy() / 10**9
            for role, suffix in (("usage", "E1"), ("controlled_load", "E2"), ("feed_in", "B1"))
        }
        weekday = (day + FIRST.weekday()) % 7
        return cls(kwh, number % 288 * 5, weekday, day, of_day[day], dates, len(periods))

    def cost(self, rates: Rates) -> float:
        """AUD with GST of energy at its first price, and of supply."""
        total = sum(self._energy(component, tariff) for component, tariff in rates.tariffs())
        supplied = [tariff for tariff in rates.periods if tariff.supply is not None]
        return total + sum(float(t.supply.price(None)) * 1.1 * self._covered(t).sum() for t in supplied if t.supply)

    def _covered(self, tariff: Tariff) -> np.ndarray:
        return np.array([tariff.span.covers(day) for day in self.dates])

    def _energy(self, component: str, tariff: Tariff) -> float:
        band = cells_of(tariff.bands)[self.weekday, self.minute]
        inside = self._covered(tariff)[self.day] & (band >= 0)
        key = np.where(inside, self.period * len(tariff.rates) + band, 0)
        weights = np.where(inside, self.kwh[component], 0.0)
        sums = np.bincount(key, weights=weights, minlength=self.periods * len(tariff.rates))
        prices = [float(r.blocks[0].price) * (1.1 if r.blocks[0].gst == "added" else 1) for r in tariff.rates]
        sign = -1 if component == "feed_in" else 1
        return sign * float((sums.reshape(self.periods, -1) * prices).sum())
