"""Invented households: the same seed and day give the same bytes."""

from __future__ import annotations

from toolkit.sandbox.world.cast import Person, cast
from toolkit.sandbox.world.households import World

__all__ = ["Person", "World", "cast"]
