"""Homes drawn at random, and their energy after a change."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
from hypothesis import strategies as st

from tests.analytics.energy.bills.built import meter_days, reads_frame
from toolkit.analytics.energy.whatif import (
    Profile,
    profile_of,
)

ZONE = "Australia/Sydney"

FIRST = date(2024, 3, 1)


def profile(days: int, seed: int, minutes: int = 30) -> Profile:
    """Any home: energy of every interval drawn, sun only by day."""
    draw = np.random.default_rng(seed)

    def bought(_at: datetime) -> str:
        return f"{draw.integers(0, 2000) / 1000:.3f}"

    def sold(at: datetime) -> str:
        return f"{draw.integers(0, 1500) / 1000 if 8 <= at.hour < 16 else 0:.3f}"

    rows = meter_days(FIRST, days, bought, minutes=minutes)
    rows += meter_days(FIRST, days, sold, role="export", minutes=minutes)
    return profile_of(reads_frame(rows), ZONE)


def net(home: Profile) -> int:
    return int(home.bought.sum() - home.sold.sum())


homes = st.builds(profile, st.integers(1, 3), st.integers(0, 10_000), st.sampled_from([15, 30, 60]))
