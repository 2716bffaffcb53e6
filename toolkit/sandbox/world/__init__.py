"""Invented households: the same seed and day give the same bytes."""

from __future__ import annotations

from toolkit.sandbox.world.households import World
from toolkit.sandbox.world.people import Person

__all__ = ["Person", "World"]
