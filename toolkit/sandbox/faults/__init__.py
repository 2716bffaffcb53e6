"""Deliberate faults: listed one by one, or drawn from a seed."""

from __future__ import annotations

from toolkit.sandbox.faults.fault import Change, Fault, Schedule
from toolkit.sandbox.faults.faulty import Faulty
from toolkit.sandbox.faults.schedule import KINDS, LASTING, PASSING, schedule, settled

__all__ = [
    "KINDS",
    "LASTING",
    "PASSING",
    "Change",
    "Fault",
    "Faulty",
    "Schedule",
    "schedule",
    "settled",
]
