"""What if: the same home with a battery, more panels, an electric vehicle, or its load at another time of day."""

from __future__ import annotations

from toolkit.analytics.energy.whatif.battery import Battery, Stored, with_battery
from toolkit.analytics.energy.whatif.loads import Charging, Moved, minutes_of, moved, overlap, vehicle
from toolkit.analytics.energy.whatif.panels import more_panels
from toolkit.analytics.energy.whatif.peaks import Peak, peaks_of
from toolkit.analytics.energy.whatif.prices import slot_prices
from toolkit.analytics.energy.whatif.profile import Profile, profile_of
from toolkit.analytics.energy.whatif.yearly import FEWEST_DAYS, days_read, yearly

__all__ = [
    "FEWEST_DAYS",
    "Battery",
    "Charging",
    "Moved",
    "Peak",
    "Profile",
    "Stored",
    "days_read",
    "minutes_of",
    "more_panels",
    "moved",
    "overlap",
    "peaks_of",
    "profile_of",
    "slot_prices",
    "vehicle",
    "with_battery",
    "yearly",
]
