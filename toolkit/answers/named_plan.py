"""The plan that a home is or was on: every command reads it with the household, few answer with it."""

from __future__ import annotations

from datetime import date

import msgspec


class NamedPlan(msgspec.Struct, frozen=True):
    """A plan that the home is or was on."""

    plan_id: str
    since: date | None
    """First day; null where it is not known."""
