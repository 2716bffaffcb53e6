"""The changes that can be tried, and what each of them assumes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.bills import Bill, Options, Period, price
from toolkit.analytics.energy.bills.concessions import Concession, with_concessions
from toolkit.analytics.energy.rates import Rates, Window
from toolkit.analytics.energy.rates.contract import window as read_window
from toolkit.analytics.energy.solar import Panels, service_point_solar
from toolkit.analytics.energy.solar.climate import City
from toolkit.analytics.energy.whatif.battery import Battery, Stored, with_battery
from toolkit.analytics.energy.whatif.charges import Peak, peaks_of, slot_prices
from toolkit.analytics.energy.whatif.loads import Charging, minutes_of, more_panels, moved, overlap, vehicle
from toolkit.analytics.energy.whatif.off_gas import GasHome, OffGas, electrified, off_gas_notes
from toolkit.analytics.energy.whatif.profile import Profile
from toolkit.answers.base import Note
from toolkit.answers.energy.whatif import Change
from toolkit.errors import UsageError
from toolkit.remedies import Message, Remedy, field_of
from toolkit.units import NANO

DAILY_DRIVE_KWH = 7.5
"""About 40 km a day at 0.18 kWh a kilometre; an assumption, to be replaced by the home's own."""

CHARGER_KW = 7.0
"""A single-phase 32 A wall charger."""

NIGHT = "00:00-06:00"

MIDDAY = "10:00-15:00"
"""When a timer heats water, mostly with the sun."""

EVENING = "16:00-22:00"
"""When rooms are heated: the dearest hours of most plans, so that heating is not made too cheap."""

MOST_COP = 10

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
    off_gas: OffGas = field(default_factory=OffGas)


Steps = Sequence[tuple[Change, Wanted]]
"""Changes that are made together."""


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
    concessions: Sequence[Concession] = ()
    gas: GasHome | None = None
    """Where the change is off gas."""

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
        priced = price(profile.reads(), self.rates, self.periods, zone=self.zone, options=self.options)
        return with_concessions(priced, self.concessions)


@dataclass(frozen=True, slots=True)
class Changed:
    """The home after a change."""

    profile: Profile
    assumptions: list[Note]
    way: str | None = None
    """How a battery is run."""


def battery(home: Home, wanted: Wanted, *, by_prices_only: bool = False) -> list[Changed]:
    """Run for self-consumption alone, by the prices of energy, and where there are demand charges by those first; the
    caller takes the cheapest.

    by_prices_only: leave self-consumption out, which is the same on every plan.
    """
    size = _amount("--kwh", wanted.kwh)
    power = _amount("--kw", wanted.kw if wanted.kw is not None else size / 2)
    if not LEAST_EFFICIENCY <= wanted.efficiency <= 1:
        raise UsageError(
            Message(
                field_of("--efficiency"), f" is the share of stored energy that comes back: {LEAST_EFFICIENCY:g} to 1."
            )
        )
    box = Battery(size, power, wanted.efficiency)
    about = [Note("battery_assumed", kwh=size, kw=power, efficiency=wanted.efficiency)]
    if home.panels.storage_kwh:
        about.append(Note("battery_there", kwh=home.panels.storage_kwh))
    prices = slot_prices(home.profile, home.rates, home.zone, home.options.holidays)
    peaks = peaks_of(home.profile, home.rates, home.zone, home.periods, home.options.holidays)
    tried = [] if by_prices_only else [("self-consumption", with_battery(home.profile, box))]
    tried.append(("tariff", with_battery(home.profile, box, prices, peaks, lower=False)))
    if peaks:
        tried.append(("demand", with_battery(home.profile, box, prices, peaks)))
    return [_stored(home, way, stored, peaks, about) for way, stored in tried]


def _stored(home: Home, way: str, stored: Stored, peaks: Sequence[Peak], about: list[Note]) -> Changed:
    supplied = int((home.profile.bought - stored.profile.bought)[home.inside].clip(min=0).sum())
    how = {"self-consumption": "battery_self_consumption", "tariff": "battery_tariff", "demand": "battery_demand"}
    assumptions = [*about, Note(how[way]), Note("battery_supplies", kwh=supplied / NANO)]
    if stored.limits:
        limits = [limit / NANO for limit in stored.limits]
        were = [peak.highest / NANO for peak in peaks]
        assumptions.append(Note("battery_lowers_demand", before=_range(were), after=_range(limits)))
    return Changed(stored.profile, assumptions, way)


def _range(values: Sequence[float]) -> str:
    low, high = f"{min(values):.1f}", f"{max(values):.1f}"
    return low if low == high else f"{low} to {high}"


def solar(home: Home, wanted: Wanted) -> list[Changed]:
    """Add panels like the home's own, estimated from its export; else typical ones of the nearest city."""
    size = _amount("--kw", wanted.kw)
    no_limit = Note("panels_without_limit")
    own = service_point_solar(home.reads, city=home.city, panels=home.panels)
    if own.slots is not None and own.answer.panels_kw:
        kw = own.answer.panels_kw
        assumed = Note("panels_like_own", kw=size, own_kw=kw)
        return [Changed(more_panels(home.profile, size, home.city, (own.slots, kw)), [assumed, no_limit])]
    assumed = Note("panels_typical", kw=size, city=home.city.name)
    return [Changed(more_panels(home.profile, size, home.city), [assumed, no_limit])]


def electric_vehicle(home: Home, wanted: Wanted) -> list[Changed]:
    """Charge a vehicle every day in a window."""
    kwh = _amount("--kwh", wanted.kwh if wanted.kwh is not None else DAILY_DRIVE_KWH)
    kw = _amount("--kw", wanted.kw if wanted.kw is not None else CHARGER_KW)
    text = wanted.window or NIGHT
    window = _window("--window", text)
    if kwh > kw * window.minutes / 60:
        raise UsageError(
            f"{kwh:g} kWh cannot be charged in {text} at {kw:g} kW: choose longer hours.", option="--window"
        )
    charging = vehicle(home.profile, kwh, kw, window)
    assumed = Note("vehicle_charging", kwh=kwh, window=text, kw=kw)
    return [Changed(charging.profile, [assumed, *_not_whole(charging, home, kwh)])]


def _not_whole(charging: Charging, home: Home, kwh: float) -> Iterator[Note]:
    """What of the range's days was not charged in full, and why."""
    asked = (charging.day >= _count(home.first)) & (charging.day <= _count(home.last))
    days, partly = _count(home.last) - _count(home.first) + 1, asked & (charging.share < 1)
    days_without_reads = days - int(asked.sum())
    if days_without_reads:
        yield Note("vehicle_days_without_reads", without=days_without_reads, days=days)
    if partly.any():
        given = charging.given[partly].sum() / NANO
        days_partly = int(partly.sum())
        yield Note("vehicle_partly_read", partly=days_partly, days=days, given=given, wanted=kwh * days_partly)
    left = int((charging.wanted - charging.given)[asked].sum())
    if left:
        yield Note("vehicle_short_nights", kwh=left / NANO)


def _count(day: date) -> int:
    return (day - date(1970, 1, 1)).days


def off_gas(home: Home, wanted: Wanted) -> list[Changed]:
    """Heat water and rooms with heat pumps in place of gas."""
    leaving, windows = wanted.off_gas, (wanted.window or MIDDAY, wanted.to_window or EVENING)
    assert home.gas is not None
    figures = (leaving.hot_water_efficiency, leaving.heating_efficiency, leaving.hot_water_cop, leaving.heating_cop)
    if not all(0 < share <= 1 for share in figures[:2]) or not all(1 <= cop <= MOST_COP for cop in figures[2:]):
        raise UsageError(f"A gas appliance's efficiency is above 0 and at most 1, a heat pump's COP 1 to {MOST_COP}.")
    if not (leaving.hot_water or leaving.heating):
        raise UsageError("Choose what leaves gas: hot water, heating or both.")
    hours = _window("--window", windows[0]), _window("--to-window", windows[1])
    done = electrified(home.profile, home.gas, leaving, *hours)
    return [Changed(done.profile, off_gas_notes(home.gas, leaving, done, windows))]


def with_loads(home: Home, steps: Steps) -> tuple[Home, list[Note]]:
    """Return the home after all changes but a battery, in the order given, and what they assume."""
    about: list[Note] = []
    for change, wanted in steps:
        if change != "battery":
            [changed] = CHANGES[change](home, wanted)
            home, about = replace(home, profile=changed.profile), [*about, *changed.assumptions]
    return home, about


def shift(home: Home, wanted: Wanted) -> list[Changed]:
    """Use a share of the grid power of one window in another window of the same day, or not at all."""
    share = 1.0 if wanted.share is None else wanted.share
    if not 0 < share <= 1:
        raise UsageError(
            Message(field_of("--share"), " is the part of the load to move and must be above 0 and at most 1.")
        )
    if wanted.window is None:
        raise UsageError(Message("Choose the hours to move load from", Remedy.EXAMPLE_WINDOW, "."))
    window = _window("--window", wanted.window)
    to = _window("--to-window", wanted.to_window) if wanted.to_window else None
    code = "load_saved" if to is None else _code_of_move(wanted, window, to)
    done = moved(home.profile, share, window, to)
    kwh = float(done.away[home.inside].sum() / NANO)
    assumed = Note(code, share=share, window=wanted.window, to_window=wanted.to_window, kwh=kwh)
    return [Changed(done.profile, [assumed, *_cut(home, wanted, [window, *([to] if to else [])])])]


def _code_of_move(wanted: Wanted, window: Window, to: Window) -> str:
    """Return the note on how much of the other window takes load. Raises UsageError where nothing of it does."""
    shared = minutes_of(to) & minutes_of(window)
    if shared.sum() == to.minutes:
        raise UsageError(
            Remedy.OTHER_HOURS.with_(to_window=wanted.to_window, window=wanted.window), option="--to-window"
        )
    return "load_moved_outside" if shared.any() else "load_moved"


def _cut(home: Home, wanted: Wanted, windows: Sequence[Window]) -> Iterator[Note]:
    lengths = home.profile.minutes
    named = " or ".join(map(str, sorted(set(lengths[home.inside].tolist()))))
    for text, window in zip((wanted.window, wanted.to_window), windows, strict=False):
        within = overlap(home.profile, minutes_of(window))
        if (home.inside & (within > 0) & (within < lengths)).any():
            yield Note("window_cuts_reads", window=text, minutes=named)


def _amount(name: str, value: float | None) -> float:
    if value is None or not value > 0:
        raise UsageError(Message(field_of(name), " is required and must be above 0."))
    most, what = _MOST[name]
    if value > most:
        raise UsageError(Message(field_of(name), f" must be at most {most:,.0f}, which is more than {what}."))
    return value


def _window(name: str, text: str) -> Window:
    start, _, end = text.partition("-")
    window = read_window({"start_time": start.strip(), "end_time": end.strip()}) if end.strip() else "it has no end"
    if isinstance(window, str):
        raise UsageError(Remedy.WRITE_WINDOW.with_(option=name, window=text, reason=window), option=name)
    return window


CHANGES: dict[Change, Callable[[Home, Wanted], list[Changed]]] = {
    "battery": battery,
    "solar": solar,
    "ev": electric_vehicle,
    "shift": shift,
    "gas": off_gas,
}
"""Each change as a function that tries it in one way or several."""
