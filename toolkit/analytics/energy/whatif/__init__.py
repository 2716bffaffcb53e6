"""What if: the same home with a battery, more panels, an electric vehicle, or its load at another time of day."""

from __future__ import annotations

from toolkit.analytics.energy.whatif.battery import Battery, Stored, with_battery
from toolkit.analytics.energy.whatif.loads import Charging, moved, vehicle
from toolkit.analytics.energy.whatif.panels import more_panels
from toolkit.analytics.energy.whatif.peaks import Peak, peaks_of
from toolkit.analytics.energy.whatif.prices import slot_prices
from toolkit.analytics.energy.whatif.profile import Profile, profile_of

__all__ = [
    "Battery",
    "Charging",
    "Peak",
    "Profile",
    "Stored",
    "more_panels",
    "moved",
    "peaks_of",
    "profile_of",
    "slot_prices",
    "vehicle",
    "with_battery",
]
