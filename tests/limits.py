"""Limits of the program set lower for one test, where reaching the real one would take minutes or gigabytes."""

from __future__ import annotations

from types import ModuleType

import pytest


def set_limits(patch: pytest.MonkeyPatch, module: ModuleType, **limits: float | tuple[float, ...]) -> None:
    """Set constants of `module` for the duration of a test. Raises AttributeError for a name that is none of it."""
    for name, value in limits.items():
        assert isinstance(value, tuple) is isinstance(getattr(module, name), tuple)
        patch.setattr(module, name, value)
