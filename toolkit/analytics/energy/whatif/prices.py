"""What a kWh costs in each interval on a plan, for deciding when to store and when to use. Bills price exactly."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.rates.model import Clock, Rates, Tariff
from toolkit.analytics.energy.rates.windows import cells_of
from toolkit.analytics.energy.whatif.profile import Profile
from toolkit.units import AEST_NAME

Ints = NDArray[np.int64]
Values = NDArray[np.float64]

_EPOCH = date(1970, 1, 1)


def slot_prices(profile: Profile, rates: Rates, zone: str, holidays: frozenset[date] = frozenset()) -> Values:
    """[interval] → AUD per kWh bought, with GST, at the first block's price; 0 where the plan has none."""
    days, _ = on_clock(profile, rates.clock, zone)
    out = np.zeros(len(days))
    for tariff, holds in zip(rates.periods, _covered(days, rates.periods), strict=True):
        own_days, minutes = on_clock(profile, tariff.clock, zone)
        first = [float(rate.blocks[0].price) * (1.1 if rate.blocks[0].gst == "added" else 1) for rate in tariff.rates]
        band = cells_of(tariff.bands)[day_types(own_days, holidays), minutes]
        priced = np.append(first, 0.0)[np.where(band < len(first), band, -1)]
        out = np.where(holds, priced, out)
    return np.round(out, 6)


def on_clock(profile: Profile, clock: Clock, zone: str) -> tuple[Ints, Ints]:
    """Of each interval's start: the day, counted from 1970, and the minute of the day."""
    at = pl.from_epoch(pl.Series(profile.starts_us), time_unit="us").dt.replace_time_zone("UTC")
    local = at.dt.convert_time_zone(str(ZoneInfo(AEST_NAME if clock == "AEST" else zone)))
    minutes = local.dt.hour().cast(pl.Int64) * 60 + local.dt.minute()
    return local.dt.date().cast(pl.Int32).cast(pl.Int64).to_numpy(), minutes.to_numpy()


def day_types(days: Ints, holidays: frozenset[date]) -> Ints:
    """Rows of `cells_of`: 0 is Monday, 7 more on a public holiday. days: counted from 1970."""
    off = np.isin(days, [(day - _EPOCH).days for day in holidays])
    return np.asarray((days + _EPOCH.weekday()) % 7 + 7 * off)


def _covered(days: Ints, tariffs: Sequence[Tariff]) -> list[NDArray[np.bool_]]:
    """For each of them the intervals on days that its span is the first to cover."""
    distinct, where = np.unique(days, return_inverse=True)
    dates = [_EPOCH + timedelta(int(day)) for day in distinct]
    first = np.array([next((n for n, one in enumerate(tariffs) if one.span.covers(day)), -1) for day in dates])
    return [np.asarray(first[where] == n) for n in range(len(tariffs))]
