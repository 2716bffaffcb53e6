"""What a kWh costs in each interval on a plan, for deciding when to store and when to use. Bills price exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.usage import AEST
from toolkit.analytics.energy.rates.cells import cells_of
from toolkit.analytics.energy.rates.model import Clock, Rates, Span, Tariff
from toolkit.analytics.energy.whatif.profile import Profile

Values = NDArray[np.float64]

DEMAND_PREMIUM = 10.0
"""AUD per kWh added inside demand windows, so that stored energy is kept for them before anything else."""

_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class SlotPrices:
    """AUD per kWh with GST of each interval, first blocks; demand windows carry a premium in `worth` only."""

    buying: Values
    worth: Values


def slot_prices(profile: Profile, rates: Rates, zone: str) -> SlotPrices:
    buying = _prices(profile, rates.periods, rates.clock, zone)
    worth = buying.copy()
    for charge in rates.demands:
        days, minutes = _on_clock(profile, charge.clock, zone)
        inside = cells_of(charge.bands)[_weekday(days), minutes] >= 0
        worth[inside & _covered(days, (charge,))[0]] += DEMAND_PREMIUM
    return SlotPrices(buying, worth)


def _prices(profile: Profile, tariffs: tuple[Tariff, ...], clock: Clock, zone: str) -> Values:
    days, minutes = _on_clock(profile, clock, zone)
    out = np.zeros(len(days))
    for tariff, holds in zip(tariffs, _covered(days, tariffs), strict=True):
        first = [float(rate.blocks[0].price) * (1.1 if rate.blocks[0].gst == "added" else 1) for rate in tariff.rates]
        band = cells_of(tariff.bands)[_weekday(days), minutes]
        priced = np.append(first, 0.0)[np.where(band < len(first), band, -1)]
        out = np.where(holds, priced, out)
    return out


def _on_clock(profile: Profile, clock: Clock, zone: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    at = pl.from_epoch(pl.Series(profile.starts_us), time_unit="us").dt.replace_time_zone("UTC")
    local = at.dt.convert_time_zone(str(ZoneInfo(AEST if clock == "AEST" else zone)))
    minutes = local.dt.hour().cast(pl.Int64) * 60 + local.dt.minute()
    return local.dt.date().cast(pl.Int32).cast(pl.Int64).to_numpy(), minutes.to_numpy()


def _weekday(days: NDArray[np.int64]) -> NDArray[np.int64]:
    return (days + _EPOCH.weekday()) % 7


class _Dated(Protocol):
    """A tariff or a demand charge: something that holds on the days of its span."""

    @property
    def span(self) -> Span: ...


def _covered(days: NDArray[np.int64], held: Sequence[_Dated]) -> list[NDArray[np.bool_]]:
    """For each of them the intervals on days that its span is the first to cover."""
    distinct, where = np.unique(days, return_inverse=True)
    dates = [_EPOCH + timedelta(int(day)) for day in distinct]
    first = np.array([next((n for n, one in enumerate(held) if one.span.covers(day)), -1) for day in dates])
    return [np.asarray(first[where] == n) for n in range(len(held))]
