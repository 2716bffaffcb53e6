"""Deliberate faults: listed one by one, or drawn from a seed."""

from __future__ import annotations

from toolkit.sandbox.faults.fault import KINDS, LASTING, PASSING, Change, Fault, Schedule, resolve_faults, schedule
from toolkit.sandbox.faults.injection import FaultInjector

__all__ = [
    "KINDS",
    "LASTING",
    "PASSING",
    "Change",
    "Fault",
    "FaultInjector",
    "Schedule",
    "resolve_faults",
    "schedule",
]
