"""What a plan charges by interval, for deciding when to store and when to use; bills price exactly.

Energy: AUD per kWh of each interval. Demand: the half hours that demand charges go by, month by month, and how much
room each interval leaves below a limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.rates.model import DemandCharge, PlanTimeZone, Rates, Tariff, cells_of
from toolkit.analytics.energy.whatif.profile import Profile
from toolkit.units import AEST_NAME, NANO

Ints = NDArray[np.int64]
Values = NDArray[np.float64]

FREE = 1 << 60
"""Room of an interval that no demand charge looks at."""

_HALF_HOUR = 30
_US = 60_000_000
_EPOCH = date(1970, 1, 1)


def slot_prices(profile: Profile, rates: Rates, zone: str, holidays: frozenset[date] = frozenset()) -> Values:
    """Return [interval] → AUD per kWh bought, with GST, at the first block's price; 0 where the plan has none."""
    days, _ = local_days(profile, rates.time_zone, zone)
    out = np.zeros(len(days))
    for tariff, holds in zip(rates.periods, _covered(days, rates.periods), strict=True):
        own_days, minutes = local_days(profile, tariff.time_zone, zone)
        first = [float(rate.blocks[0].price) * (1.1 if rate.blocks[0].gst == "added" else 1) for rate in tariff.rates]
        band = cells_of(tariff.bands)[day_types(own_days, holidays), minutes]
        priced = np.append(first, 0.0)[np.where(band < len(first), band, -1)]
        out = np.where(holds, priced, out)
    return np.round(out, 6)


def local_days(profile: Profile, time_zone: PlanTimeZone, zone: str) -> tuple[Ints, Ints]:
    """Return the day, counted from 1970, and the minute of the day at which each interval starts."""
    at = pl.from_epoch(pl.Series(profile.starts_us), time_unit="us").dt.replace_time_zone("UTC")
    local = at.dt.convert_time_zone(str(ZoneInfo(AEST_NAME if time_zone == "AEST" else zone)))
    minutes = local.dt.hour().cast(pl.Int64) * 60 + local.dt.minute()
    return local.dt.date().cast(pl.Int32).cast(pl.Int64).to_numpy(), minutes.to_numpy()


def day_types(days: Ints, holidays: frozenset[date]) -> Ints:
    """Return rows of `cells_of`: 0 is Monday, 7 more on a public holiday. days: counted from 1970."""
    off = np.isin(days, [(day - _EPOCH).days for day in holidays])
    return np.asarray((days + _EPOCH.weekday()) % 7 + 7 * off)


def _covered(days: Ints, tariffs: Sequence[Tariff]) -> list[NDArray[np.bool_]]:
    """For each of them the intervals on days that its span is the first to cover."""
    distinct, where = np.unique(days, return_inverse=True)
    dates = [_EPOCH + timedelta(int(day)) for day in distinct]
    first = np.array([next((n for n, one in enumerate(tariffs) if one.span.covers(day)), -1) for day in dates])
    return [np.asarray(first[where] == n) for n in range(len(tariffs))]


@dataclass(frozen=True, slots=True)
class Peak:
    """One demand charge in one month of one billing period; power in 10^-9 kW.

    rows: the intervals in its window, in order of time; bought: their energy before any change. half: which half hour
    (or longer interval) each is in; energy, minutes: of each half hour. least: demand below it costs the same.
    """

    charge: DemandCharge
    rows: Ints
    bought: Ints
    lengths: Ints
    half: Ints
    energy: Ints
    minutes: Ints

    @property
    def highest(self) -> int:
        """Of the half hours as they were read, rounded up."""
        return int((-(-self.energy * 60 // self.minutes)).max(initial=0))

    @property
    def least(self) -> int:
        """Demand below this costs the same, in 10^-9 kW."""
        return int((self.charge.least or 0) * NANO)

    def room(self, limit: int) -> Ints:
        """Return [row] → how much more may be bought with every half hour kept at `limit`; negative: how much less.

        Within a half hour the room is shared by length, what is too much by what each interval buys.
        """
        allowed = limit * self.minutes // 60
        over, under = np.maximum(self.energy - allowed, 0), np.maximum(allowed - self.energy, 0)
        share = self.bought * (over / np.maximum(self.energy, 1))[self.half]
        less = np.minimum(np.ceil(share).astype(np.int64) + (over[self.half] > 0), self.bought)
        return np.asarray(under[self.half] * self.lengths // self.minutes[self.half] - less)


def peaks_of(
    profile: Profile, rates: Rates, zone: str, periods: Sequence[Period], holidays: frozenset[date] = frozenset()
) -> list[Peak]:
    """Return every peak that is billed in the periods, the dearest charges first, of each the latest first."""
    days, _ = local_days(profile, rates.time_zone, zone)
    peaks = []
    for charge in sorted(rates.demands, key=lambda charge: charge.price / (30 if charge.monthly else 1)):
        rows = np.flatnonzero(profile.known & _inside(profile, charge, zone, holidays))
        peaks += [_peak(profile, charge, rows[billed]) for billed in _billed(days[rows], charge, periods)]
    return peaks[::-1]


def _billed(days: Ints, charge: DemandCharge, periods: Sequence[Period]) -> Iterator[Ints]:
    """Which of the days, counted from 1970, are of each month of each billing period in which the charge holds."""
    distinct, where = np.unique(days, return_inverse=True)
    dates = [_EPOCH + timedelta(int(day)) for day in distinct]
    for period in periods:
        applies = [period.first <= day <= period.last and charge.span.covers(day) for day in dates]
        months = [(day.year, day.month) if applied else None for day, applied in zip(dates, applies, strict=True)]
        for month in sorted({month for month in months if month is not None}):
            yield np.flatnonzero(np.array([each == month for each in months])[where])


def _peak(profile: Profile, charge: DemandCharge, rows: Ints) -> Peak:
    lengths = profile.minutes[rows]
    whole = np.maximum(lengths, _HALF_HOUR)
    starts = profile.starts_us[rows] // (whole * _US) * whole
    _, first, half = np.unique(starts, return_index=True, return_inverse=True)
    energy = np.zeros(len(first), dtype=np.int64)
    np.add.at(energy, half, profile.bought[rows])
    return Peak(charge, rows, profile.bought[rows], lengths, half, energy, whole[first])


def _inside(profile: Profile, charge: DemandCharge, zone: str, holidays: frozenset[date]) -> NDArray[np.bool_]:
    """Intervals of half hours that start in the window; an hour counts where either of its half hours does."""
    days, minutes = local_days(profile, charge.time_zone, zone)
    at = minutes - minutes % _HALF_HOUR
    later = np.where(profile.minutes > _HALF_HOUR, np.minimum(at + _HALF_HOUR, 1439), at)
    cells, kinds = cells_of(charge.bands), day_types(days, holidays)
    return np.asarray((cells[kinds, at] >= 0) | (cells[kinds, later] >= 0))
