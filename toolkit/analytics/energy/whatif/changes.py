"""The changes that can be tried, and what each of them assumes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.bills import Bill, Options, Period, price
from toolkit.analytics.energy.rates import Rates, Window
from toolkit.analytics.energy.rates.contract import window as read_window
from toolkit.analytics.energy.solar import Panels, service_point_solar
from toolkit.analytics.energy.solar.climate import City
from toolkit.analytics.energy.whatif.battery import Battery, Stored, with_battery
from toolkit.analytics.energy.whatif.charges import Peak, peaks_of, slot_prices
from toolkit.analytics.energy.whatif.loads import Charging, minutes_of, more_panels, moved, overlap, vehicle
from toolkit.analytics.energy.whatif.profile import Profile
from toolkit.answers.energy.whatif import Change
from toolkit.errors import UsageError
from toolkit.units import NANO

DAILY_DRIVE_KWH = 7.5
"""About 40 km a day at 0.18 kWh a kilometre; an assumption, to be replaced by the home's own."""

CHARGER_KW = 7.0
"""A single-phase 32 A wall charger."""

NIGHT = "00:00-06:00"

MOST_KW = 1000.0
"""What one transformer gives to a whole street: no connection that such a meter stands at carries more."""

MOST_KWH = 24 * MOST_KW
"""All of that for a day."""

LEAST_EFFICIENCY = 0.01

_MOST = {"--kw": (MOST_KW, "a home's connection carries"), "--kwh": (MOST_KWH, "a home's connection carries in a day")}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of a change; None is the default of the change."""

    kwh: float | None = None
    kw: float | None = None
    efficiency: float = 0.9
    window: str | None = None
    to_window: str | None = None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Home:
    """One service point and the plan that its bills are priced on."""

    profile: Profile
    reads: pl.DataFrame
    """Frame `reads`; like the profile it reaches a little beyond the periods."""
    rates: Rates
    options: Options
    periods: Sequence[Period]
    """The billing periods in question."""
    zone: str
    """IANA name."""
    city: City
    """Where typical generation is known of."""
    panels: Panels
    """As the household or the register of devices has them."""

    @property
    def first(self) -> date:
        """First day of the periods."""
        return self.periods[0].first

    @property
    def last(self) -> date:
        """Last day of the periods."""
        return self.periods[-1].last

    @property
    def inside(self) -> NDArray[np.bool_]:
        """[interval] → whether it is of the days in question, in the home's time zone."""
        day = self.profile.day
        return (day >= _count(self.first)) & (day <= _count(self.last))

    def bill(self, profile: Profile) -> Bill:
        """Price a profile over the periods."""
        return price(profile.reads(), self.rates, self.periods, zone=self.zone, options=self.options)


@dataclass(frozen=True, slots=True)
class Changed:
    """The home after a change."""

    profile: Profile
    assumptions: list[str]
    way: str | None = None
    """How a battery is run."""


def battery(home: Home, wanted: Wanted) -> list[Changed]:
    """Run for self-consumption alone, by the prices of energy, and where there are demand charges by those first; the
    caller takes the cheapest.
    """
    size = _amount("--kwh", wanted.kwh)
    power = _amount("--kw", wanted.kw if wanted.kw is not None else size / 2)
    if not LEAST_EFFICIENCY <= wanted.efficiency <= 1:
        raise UsageError(f"--efficiency is the share of stored energy that comes back: {LEAST_EFFICIENCY:g} to 1.")
    box = Battery(size, power, wanted.efficiency)
    fate = f"it returns {wanted.efficiency:.0%} of the energy put in. Ageing is ignored."
    has = home.panels.storage_kwh
    already_there = [f"The home already has a battery of {has:g} kWh; this one comes on top."] if has else []
    about = [f"A battery of {size:g} kWh usable and {power:g} kW, empty at first; {fate}", *already_there]
    prices = slot_prices(home.profile, home.rates, home.zone, home.options.holidays)
    peaks = peaks_of(home.profile, home.rates, home.zone, home.periods, home.options.holidays)
    tried = [
        ("self-consumption", with_battery(home.profile, box)),
        ("tariff", with_battery(home.profile, box, prices, peaks, lower=False)),
    ]
    if peaks:
        tried.append(("demand", with_battery(home.profile, box, prices, peaks)))
    return [_stored(home, way, stored, peaks, about) for way, stored in tried]


_WAYS = {
    "self-consumption": (
        "Run for self-consumption: it stores surplus solar, and supplies the home whenever it would buy from the grid."
    ),
    "tariff": (
        "Run by the tariff: it keeps energy for dearer hours, and buys in the cheapest hours where a later price pays "
        "for the losses; each day's use is taken as known beforehand."
    ),
    "demand": (
        "Run for the demand charge: it holds each month's demand at the lowest that it can, then keeps energy for "
        "dearer hours; every half hour is taken as known beforehand, which no battery knows, so this is the most that "
        "can be saved."
    ),
}


def _stored(home: Home, way: str, stored: Stored, peaks: Sequence[Peak], about: list[str]) -> Changed:
    supplied = int((home.profile.bought - stored.profile.bought)[home.inside].clip(min=0).sum())
    assumptions = [*about, _WAYS[way], f"It supplies {supplied / NANO:.0f} kWh over the range."]
    if stored.limits:
        limits = [limit / NANO for limit in stored.limits]
        were = [peak.highest / NANO for peak in peaks]
        assumptions.append(f"Monthly demand of {_range(were)} kW is reduced to {_range(limits)} kW.")
    return Changed(stored.profile, assumptions, way)


def _range(values: Sequence[float]) -> str:
    low, high = f"{min(values):.1f}", f"{max(values):.1f}"
    return low if low == high else f"{low} to {high}"


def solar(home: Home, wanted: Wanted) -> list[Changed]:
    """Add panels like the home's own, estimated from its export; else typical ones of the nearest city."""
    size = _amount("--kw", wanted.kw)
    own = service_point_solar(home.reads, zone=home.zone, city=home.city, panels=home.panels)
    if own.slots is not None and own.answer.panels_kw:
        kw = own.answer.panels_kw
        assumed = f"{size:g} kW more panels, as productive per kW as the home's own {kw:g} kW, by their export."
        return [Changed(more_panels(home.profile, size, home.city, (own.slots, kw)), [assumed, _NO_LIMIT])]
    assumed = (
        f"{size:g} kW of panels facing north at 20°, with typical generation in {home.city.name} on clear days; "
        "real days vary."
    )
    return [Changed(more_panels(home.profile, size, home.city), [assumed, _NO_LIMIT])]


_NO_LIMIT = "Ignores export limits and any inverter upgrade."


def electric_vehicle(home: Home, wanted: Wanted) -> list[Changed]:
    """Charge a vehicle every day in a window."""
    kwh = _amount("--kwh", wanted.kwh if wanted.kwh is not None else DAILY_DRIVE_KWH)
    kw = _amount("--kw", wanted.kw if wanted.kw is not None else CHARGER_KW)
    text = wanted.window or NIGHT
    window = _window("--window", text)
    if kwh > kw * window.minutes / 60:
        raise UsageError(f"{kwh:g} kWh do not fit into {text} at {kw:g} kW.")
    charging = vehicle(home.profile, kwh, kw, window)
    assumed = (
        f"{kwh:g} kWh every day, charged from the start of {text} at up to {kw:g} kW; surplus solar is used first."
    )
    return [Changed(charging.profile, [assumed, *_not_whole(charging, home, kwh)])]


def _not_whole(charging: Charging, home: Home, kwh: float) -> Iterator[str]:
    """What of the range's days was not charged in full, and why."""
    asked = (charging.day >= _count(home.first)) & (charging.day <= _count(home.last))
    days, partly = _count(home.last) - _count(home.first) + 1, asked & (charging.share < 1)
    days_without_reads = days - int(asked.sum())
    if days_without_reads:
        yield f"On {days_without_reads} of {days} days there are no reads for these hours: no charging is included."
    if partly.any():
        given = charging.given[partly].sum() / NANO
        yield (
            f"On {int(partly.sum())} of {days} days there are reads for only some of these hours, and charging covers "
            f"those: {given:.1f} of {kwh * int(partly.sum()):g} kWh."
        )
    left = int((charging.wanted - charging.given)[asked].sum())
    if left:
        yield f"{left / NANO:.1f} kWh could not be charged on nights shortened by daylight saving."


def _count(day: date) -> int:
    return (day - date(1970, 1, 1)).days


def shift(home: Home, wanted: Wanted) -> list[Changed]:
    """Use a share of the grid power of one window in another window of the same day, or not at all."""
    share = 1.0 if wanted.share is None else wanted.share
    if not 0 < share <= 1:
        raise UsageError("--share is the part of the load to move and must be above 0 and at most 1.")
    if wanted.window is None:
        raise UsageError("Choose the hours whose load moves, for example --window 15:00-21:00.")
    window = _window("--window", wanted.window)
    to = _window("--to-window", wanted.to_window) if wanted.to_window else None
    done = moved(home.profile, share, window, to)
    where = "is not used at all" if to is None else f"moves evenly into {_outside(wanted, window, to)} of the same day"
    energy = done.away[home.inside].sum() / NANO
    assumed = f"{share:.0%} of grid power in {wanted.window} {where}: {energy:.1f} kWh. Controlled load does not move."
    return [Changed(done.profile, [assumed, *_cut(home, wanted, [window, *([to] if to else [])])])]


def _outside(wanted: Wanted, window: Window, to: Window) -> str:
    """What of the other window takes load. Raises UsageError where nothing of it does."""
    shared = minutes_of(to) & minutes_of(window)
    if shared.sum() == to.minutes:
        raise UsageError(
            f"No load can move: --to-window {wanted.to_window} has no minute outside --window {wanted.window}."
        )
    return f"{wanted.to_window}, as far as it is outside {wanted.window}," if shared.any() else str(wanted.to_window)


def _cut(home: Home, wanted: Wanted, windows: Sequence[Window]) -> Iterator[str]:
    lengths = home.profile.minutes
    named = " or ".join(map(str, sorted(set(lengths[home.inside].tolist()))))
    for text, window in zip((wanted.window, wanted.to_window), windows, strict=False):
        within = overlap(home.profile, minutes_of(window))
        if (home.inside & (within > 0) & (within < lengths)).any():
            yield (
                f"{text} is finer than the reads, of {named} minutes: of an interval that it cuts, the part "
                "inside counts, as if its energy flowed evenly."
            )


def _amount(name: str, value: float | None) -> float:
    if value is None or not value > 0:
        raise UsageError(f"{name} is required and must be above 0.")
    most, what = _MOST[name]
    if value > most:
        raise UsageError(f"{name} must be at most {most:,.0f}, which is more than {what}.")
    return value


def _window(name: str, text: str) -> Window:
    start, _, end = text.partition("-")
    window = read_window({"start_time": start.strip(), "end_time": end.strip()}) if end.strip() else "it has no end"
    if isinstance(window, str):
        raise UsageError(f"{name} {text!r}: {window}. Write it as 22:00-06:00.")
    return window


CHANGES: dict[Change, Callable[[Home, Wanted], list[Changed]]] = {
    "battery": battery,
    "solar": solar,
    "ev": electric_vehicle,
    "shift": shift,
}
"""Each change as a function that tries it in one way or several."""
