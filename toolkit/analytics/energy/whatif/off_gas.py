"""Off gas: what a home's gas hot water and heating would take as electricity, and what is left of its gas bill.

Gas energy of a day is hot water up to the base of days without heating, and heating above it. Heat is kept: MJ of gas ×
the gas appliance's efficiency = MJ of heat = kWh of electricity × 3.6 × the heat pump's coefficient of performance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.bills import Bill, Options, Period, price
from toolkit.analytics.energy.bills.concessions import Concession, with_concessions
from toolkit.analytics.energy.rates import Rates, Window
from toolkit.analytics.energy.whatif.loads import minutes_of, overlap, spread_over
from toolkit.analytics.energy.whatif.profile import Profile
from toolkit.answers.base import Note
from toolkit.units import NANO

MJ_PER_KWH = 3.6

SUMMER = (12, 1, 2)
"""Months in which gas is taken to heat no rooms: their mean day is the base."""

_FEWEST_SUMMER_DAYS = 14
_BASE_DAYS = 28
_EPOCH = date(1970, 1, 1)

Ints = NDArray[np.int64]
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OffGas:
    """What leaves gas. efficiency: share of the gas energy that becomes useful heat. cop: heat out ÷ electricity in.

    The defaults are published figures (docs/commands.md): a gas water heater loses 35 % even when new, a room heater
    10 %; hot-water heat pumps have a COP of 3 to 4, reverse-cycle heating of about 3.8. Ducted gas loses far more.
    """

    hot_water: bool = True
    heating: bool = True
    hot_water_efficiency: float = 0.65
    hot_water_cop: float = 3.0
    heating_efficiency: float = 0.9
    heating_cop: float = 3.8

    @property
    def all(self) -> bool:
        """Return whether nothing is left on gas, so that its supply charge goes, too."""
        return self.hot_water and self.heating


@dataclass(frozen=True)
class GasHome:
    """The home's gas. reads: frame `reads` in MJ, over the periods and a little beyond."""

    reads: pl.DataFrame
    rates: Rates
    options: Options
    periods: Sequence[Period]
    zone: str
    concessions: Sequence[Concession] = ()

    def bill(self, reads: pl.DataFrame, rates: Rates | None = None) -> Bill:
        """Price gas reads over the periods, on another plan where one is given."""
        priced = price(reads, rates or self.rates, self.periods, zone=self.zone, options=self.options)
        return with_concessions(priced, self.concessions)

    @cached_property
    def daily(self) -> pl.DataFrame:
        """Return date, mj, hot_water and heating of each day in the periods."""
        first, last = self.periods[0].first, self.periods[-1].last
        known = self.reads.filter((pl.col("direction") == "import") & pl.col("energy_nano").is_not_null())
        days = known.group_by("date").agg(mj=pl.col("energy_nano").sum() / NANO).sort("date")
        base = base_of(days)
        hot_water = pl.min_horizontal("mj", pl.lit(base))
        return days.filter(pl.col("date").is_between(first, last)).with_columns(
            hot_water=hot_water, heating=pl.col("mj") - hot_water
        )

    def left(self, leaving: OffGas) -> pl.DataFrame:
        """Return the reads without what leaves gas."""
        kept = pl.lit(0.0)
        for name, leaves in (("hot_water", leaving.hot_water), ("heating", leaving.heating)):
            kept = kept if leaves else kept + pl.col(name)
        share = pl.when(pl.col("mj") > 0).then(kept / pl.col("mj")).otherwise(0.0)
        shares = self.daily.select("date", share=share)
        joined = self.reads.join(shares, on="date", how="left", maintain_order="left")
        energy = (pl.col("energy_nano") * pl.col("share").fill_null(0.0)).round().cast(pl.Int64)
        return joined.with_columns(energy_nano=energy).select(self.reads.columns)


def base_of(days: pl.DataFrame) -> float:
    """Return MJ a day without heating: the mean of summer days, else of the 28 days in a row with the least.

    days: date and mj, in order.
    """
    summer = days.filter(pl.col("date").dt.month().is_in(SUMMER))["mj"]
    if len(summer) >= _FEWEST_SUMMER_DAYS:
        return float(np.mean(summer.to_numpy()))
    least = days["mj"].rolling_mean(min(_BASE_DAYS, len(days))).min() if len(days) else None
    return float(least) if isinstance(least, (int, float)) else 0.0


@dataclass(frozen=True, slots=True)
class Electrified:
    """The home with the electricity that replaces gas. kwh: added in the periods. unread: days without reads for it."""

    profile: Profile
    kwh: float
    unread: int


def electrified(profile: Profile, gas: GasHome, leaving: OffGas, hot_water: Window, heating: Window) -> Electrified:
    """Add the electricity of each day, evenly over the hours of its appliance; own export then serves first."""
    added = np.zeros(len(profile.bought), dtype=np.int64)
    unread: set[int] = set()
    parts = (
        ("hot_water", leaving.hot_water, leaving.hot_water_efficiency / leaving.hot_water_cop, hot_water),
        ("heating", leaving.heating, leaving.heating_efficiency / leaving.heating_cop, heating),
    )
    for name, leaves, ratio, window in parts:
        if not leaves:
            continue
        wanted = {
            (day - _EPOCH).days: round(mj * ratio / MJ_PER_KWH * NANO)
            for day, mj in gas.daily.select("date", name).iter_rows()
        }
        minutes = np.where(profile.known, overlap(profile, minutes_of(window)), 0)
        given, missed = spread_over(profile, wanted, minutes)
        added += given
        unread |= missed
    return Electrified(profile.with_load(added), float(added.sum()) / NANO, len(unread))


def off_gas_notes(gas: GasHome, leaving: OffGas, done: Electrified, windows: tuple[str, str]) -> list[Note]:
    """Return what is assumed: energy by use, efficiencies, hours, and what happens with the gas bill."""
    totals = {name: float(gas.daily[name].sum()) for name in ("mj", "hot_water", "heating")}
    notes = [Note("gas_split", mj=totals["mj"], hot_water=totals["hot_water"], heating=totals["heating"])]
    if leaving.hot_water:
        figures = (leaving.hot_water_efficiency, leaving.hot_water_cop, windows[0])
        notes.append(Note("gas_hot_water", efficiency=figures[0], cop=figures[1], window=figures[2]))
    if leaving.heating:
        figures = (leaving.heating_efficiency, leaving.heating_cop, windows[1])
        notes.append(Note("gas_heating", efficiency=figures[0], cop=figures[1], window=figures[2]))
    notes.append(Note("gas_electricity", kwh=done.kwh))
    notes.append(Note("gas_disconnected" if leaving.all else "gas_stays"))
    if done.unread:
        notes.append(Note("gas_days_without_reads", days=done.unread))
    return notes
