"""What if: the same home with a battery, more panels, an electric vehicle, or its load at another time of day."""

from __future__ import annotations

from toolkit.analytics.energy.whatif.battery import Battery, Stored, with_battery
from toolkit.analytics.energy.whatif.best import Candidate, Candidates
from toolkit.analytics.energy.whatif.changes import CHANGES, MOST_KW, MOST_KWH, Home, Wanted
from toolkit.analytics.energy.whatif.charges import Peak, peaks_of, slot_prices
from toolkit.analytics.energy.whatif.loads import Charging, Moved, minutes_of, more_panels, moved, overlap, vehicle
from toolkit.analytics.energy.whatif.off_gas import GasHome, OffGas
from toolkit.analytics.energy.whatif.outcome import FEWEST_DAYS, Asked, days_read, try_change, yearly
from toolkit.analytics.energy.whatif.profile import Profile, profile_of

__all__ = [
    "CHANGES",
    "FEWEST_DAYS",
    "MOST_KW",
    "MOST_KWH",
    "Asked",
    "Battery",
    "Candidate",
    "Candidates",
    "Charging",
    "GasHome",
    "Home",
    "Moved",
    "OffGas",
    "Peak",
    "Profile",
    "Stored",
    "Wanted",
    "days_read",
    "minutes_of",
    "more_panels",
    "moved",
    "overlap",
    "peaks_of",
    "profile_of",
    "slot_prices",
    "try_change",
    "vehicle",
    "with_battery",
    "yearly",
]
