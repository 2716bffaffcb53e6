"""Reads × rates → bill lines, exact to the cent."""

from __future__ import annotations

from toolkit.analytics.energy.bills.pricing import (
    PlanSegment,
    of_segments,
    on_one_time_zone,
    price,
    price_segments,
)
from toolkit.analytics.energy.intervals.matrix import IntervalMatrix
from toolkit.analytics.energy.intervals.prepare import Usage, prepare
from toolkit.analytics.energy.pricing.model import Bill, Line, Options, lines_frame
from toolkit.answers.base import Period

__all__ = [
    "Bill",
    "IntervalMatrix",
    "Line",
    "Options",
    "Period",
    "PlanSegment",
    "Usage",
    "lines_frame",
    "of_segments",
    "on_one_time_zone",
    "prepare",
    "price",
    "price_segments",
]
