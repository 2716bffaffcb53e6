"""Homes with a known roof, so that what is estimated can be held against what was generated."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.truth.homes import SolarHome, solar_home

Home = Callable[..., SolarHome]


@pytest.fixture(scope="session")
def solar_reads() -> Home:
    return solar_home
