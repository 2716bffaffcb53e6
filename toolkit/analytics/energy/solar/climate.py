"""Sun and air of twelve Australian cities: what solar output is estimated from without weather data.

Sources. `ghi`: satellite mean of daily exposure (Bureau of Meteorology, as quoted by energy-without-carbon.org;
Sydney 16.3 MJ and Alice Springs 21.7 MJ from its climate tables). `clear_sky`: modelled, Ineichen clear sky with the
turbidity below, year 2019. `turbidity`: Linke turbidity of the SoDa grid as packaged by pvlib. `cec_yield`: Clean
Energy Council installer figures (average, best and worst month), kWh per kW of panels and day, facing north at the
latitude's tilt. Newcastle has none of its own and uses Sydney's; Townsville has none and uses Cairns'. Cities without
a satellite mean have `ghi` None: their clearness is that of the nearest city that has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians

from toolkit.tables.reference.places import postcode_text, state

__all__ = ["CITIES", "REAL_WORLD_FACTOR", "City", "city", "nearest"]

REAL_WORLD_FACTOR = (0.76, 0.86, 0.96)
"""Real homes against the installers' figure, low, mid, high: 300 metered Sydney-region homes made 1,231 kWh per kW in
2011–12 where the figure shows 1,424; one year, so the band is wide."""


@dataclass(frozen=True, slots=True)
class City:
    """latitude, longitude: degrees, south negative. ghi: kWh/m²/day, measured mean. cec_yield: kWh/kW/day.

    clear_sky: kWh/m²/day by month; turbidity: Linke turbidity by month.
    """

    name: str
    state: str
    latitude: float
    longitude: float
    ghi: float | None
    cec_yield: tuple[float, float, float]
    clear_sky: tuple[float, ...]
    turbidity: tuple[float, ...]

    @property
    def clearness(self) -> float | None:
        """Measured mean over the clear-sky mean; None where no mean was measured."""
        return None if self.ghi is None else self.ghi / (sum(self.clear_sky) / 12)


def _row(text: str) -> tuple[float, ...]:
    return tuple(float(value) for value in text.split())


CITIES: tuple[City, ...] = (
    City("Sydney", "NSW", -33.87, 151.21, 4.6, (3.94, 4.83, 2.82),
         _row("8.70 7.91 6.54 4.97 3.68 3.11 3.34 4.34 5.81 7.31 8.53 9.01"),
         _row("3.1 2.8 2.8 2.6 2.6 2.5 2.5 2.6 2.7 2.8 2.7 2.8")),
    City("Melbourne", "VIC", -37.81, 144.96, 4.2, (3.58, 4.59, 2.22),
         _row("8.57 7.54 6.12 4.46 3.08 2.51 2.79 3.73 5.20 6.91 8.22 8.80"),
         _row("3.3 3.3 3.0 2.8 3.0 2.9 2.6 3.1 3.4 3.2 3.2 3.3")),
    City("Brisbane", "QLD", -27.47, 153.03, 5.2, (4.04, 4.61, 3.34),
         _row("8.38 7.87 6.81 5.51 4.45 3.89 4.10 5.03 6.23 7.49 8.39 8.57"),
         _row("3.7 3.3 3.3 3.0 2.6 2.5 2.6 2.7 3.1 3.1 3.0 3.6")),
    City("Adelaide", "SA", -34.93, 138.60, 4.8, (4.25, 5.72, 2.51),
         _row("8.57 7.65 6.31 4.72 3.37 2.76 3.10 4.08 5.51 7.13 8.22 8.76"),
         _row("3.3 3.4 3.1 3.0 3.2 3.3 2.8 3.0 3.3 3.0 3.4 3.4")),
    City("Perth", "WA", -31.95, 115.86, 4.8, (4.40, 5.40, 2.93),
         _row("8.72 8.02 6.67 5.13 3.87 3.39 3.66 4.62 6.02 7.49 8.57 8.93"),
         _row("3.1 2.7 2.8 2.8 2.8 2.3 2.3 2.5 2.6 2.6 2.6 3.0")),
    City("Hobart", "TAS", -42.88, 147.33, 3.8, (3.54, 4.60, 2.14),
         _row("8.52 7.26 5.59 3.87 2.50 1.93 2.26 3.20 4.77 6.61 8.25 8.85"),
         _row("3.2 3.3 3.2 2.7 2.8 2.7 2.2 2.8 3.0 3.1 2.8 3.2")),
    City("Darwin", "NT", -12.46, 130.84, 5.9, (4.47, 5.11, 3.54),
         _row("7.50 7.56 7.19 6.58 5.92 5.46 5.56 6.11 6.68 7.21 7.54 7.64"),
         _row("4.7 4.1 4.1 3.5 3.0 3.1 3.3 3.6 4.4 4.5 4.3 4.1")),
    City("Canberra", "ACT", -35.28, 149.13, 4.8, (4.22, 5.32, 2.76),
         _row("8.96 8.02 6.59 4.89 3.57 2.96 3.22 4.27 5.78 7.39 8.69 9.23"),
         _row("2.9 2.8 2.6 2.6 2.5 2.4 2.4 2.5 2.7 2.7 2.6 2.8")),
    City("Alice Springs", "NT", -23.70, 133.88, 6.03, (4.81, 5.19, 4.21),
         _row("8.53 8.15 7.14 5.98 4.92 4.38 4.60 5.49 6.61 7.73 8.49 8.77"),
         _row("3.7 3.2 3.4 3.0 2.7 2.6 2.6 2.7 3.1 3.1 3.1 3.1")),
    City("Cairns", "QLD", -16.92, 145.77, None, (3.86, 4.44, 3.18),
         _row("8.05 7.75 7.35 6.31 5.54 5.04 5.19 5.92 6.79 7.46 7.99 8.18"),
         _row("3.7 4.0 3.1 3.5 2.8 2.9 3.0 3.1 3.4 3.9 3.5 3.5")),
    City("Newcastle", "NSW", -32.93, 151.78, None, (3.94, 4.83, 2.82),
         _row("8.68 7.94 6.61 5.06 3.79 3.20 3.47 4.45 5.88 7.34 8.55 8.99"),
         _row("3.2 2.8 2.8 2.7 2.6 2.6 2.5 2.6 2.8 2.9 2.6 2.8")),
    City("Townsville", "QLD", -19.26, 146.82, None, (3.86, 4.44, 3.18),
         _row("8.27 7.88 7.40 6.23 5.36 4.84 4.98 5.83 6.76 7.53 8.16 8.38"),
         _row("3.4 3.7 2.7 3.2 2.7 2.7 2.9 2.8 3.1 3.6 3.3 3.3")),
)  # fmt: skip
"""The climate cities; the tables stay tables for the eye."""

_BY_NAME = {entry.name: entry for entry in CITIES}
_CAPITALS = {
    "ACT": "Canberra",
    "NSW": "Sydney",
    "NT": "Darwin",
    "QLD": "Brisbane",
    "SA": "Adelaide",
    "TAS": "Hobart",
    "VIC": "Melbourne",
    "WA": "Perth",
}
_REGIONAL = (
    ("0870", "0875", "Alice Springs"),
    ("2250", "2339", "Newcastle"),
    ("2420", "2425", "Newcastle"),
    ("2580", "2639", "Canberra"),
    ("4800", "4849", "Townsville"),
    ("4850", "4895", "Cairns"),
)
"""Postcodes with the sky of another city than their capital's. Coarse on purpose: location hardly matters to
the estimates, orientation does."""


def city(state_code: str | None = None, postcode: str | int | None = None) -> City | None:
    """Return the climate city of a home; None where neither postcode nor state is known."""
    code = postcode_text(postcode)
    if code is not None:
        regional = next((name for first, last, name in _REGIONAL if first <= code <= last), None)
        if regional:
            return _BY_NAME[regional]
    given = (state_code or "").strip().upper()
    name = _CAPITALS.get(given if given in _CAPITALS else state(code) or "")
    return _BY_NAME[name] if name else None


def nearest(latitude: float, longitude: float) -> City:
    """Return the climate city closest to a point, by equirectangular distance."""

    def distance(entry: City) -> float:
        east = (entry.longitude - longitude) * cos(radians(latitude))
        return (entry.latitude - latitude) ** 2 + east**2

    return min(CITIES, key=distance)
