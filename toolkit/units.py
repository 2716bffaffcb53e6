"""Constants that the whole package shares, each defined once, with its unit."""

from __future__ import annotations

from datetime import timedelta, timezone
from zoneinfo import ZoneInfo

NANO = 1_000_000_000
"""Energy is stored in whole 10^-9 of its unit (kWh, gas MJ): `energy_nano / NANO` is the energy."""
NANO_DECIMALS = 9
"""Decimals that a whole number of 10^-9 units holds: NANO is 10 to this power."""

DAY_MINUTES = 1440
"""Minutes of every meter day, and of the times of day that tariff windows divide."""

AEST_OFFSET = timedelta(hours=10)
"""Meter days run from midnight to midnight at UTC+10 all year, whatever the clocks of the state show."""
AEST = timezone(AEST_OFFSET)
"""The time zone of meter days."""
AEST_NAME = "Etc/GMT-10"
"""The same zone for polars and zoneinfo; POSIX signs are reversed, so GMT-10 is UTC+10."""

MEDIAN_DEVIATION = 0.6745
"""Median distance of a normal variable from its mean, in standard deviations."""

MOST_KWH_A_DAY = 1_044
"""Three phases of 63 A at 230 V, all day: the usual largest connection of a home."""

LEAST_KWH_A_DAY = 0.1
"""A meter and a clock alone use more on the fullest of `DAYS_OF_LEAST` days."""
DAYS_OF_LEAST = 7

MOST_SOLAR_KWH_A_DAY = 400
"""Beyond what the panels of a home generate on any day: 40 kW on a clear day of summer."""

DEFAULT_ZONE = "Australia/Sydney"
"""Time zone where neither the person, the state nor the postcode gives one."""


def zone_key(name: str) -> str | None:
    """Return the key of an IANA time zone; None where no zone has that name."""
    try:
        return ZoneInfo(name).key
    except (KeyError, OSError, ValueError):  # an unknown name; that of a folder of zones; no name at all
        return None


HOME_CURRENCY = "AUD"
"""The currency of every sum; rows in others are listed apart."""
