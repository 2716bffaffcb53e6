"""Laws that are checked over many generated cases: some in CI, as many as BILL_EXAMPLES says, others in each run where
TOOLKIT_TEST_EXPLORE is set.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.strategies import SearchStrategy

EXPLORE = bool(os.environ.get("TOOLKIT_TEST_EXPLORE"))
"""Whether property tests generate other examples than those of every run."""
ASKED = os.environ.get("BILL_EXAMPLES")
PARTS = 5
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example, HealthCheck.filter_too_much]

each_part = pytest.mark.parametrize("part", range(PARTS))
"""So that the workers of a run share the cases."""


def look(part: int, law: Callable[..., None], *of: SearchStrategy[Any], in_ci: int) -> None:
    """Check one part of the cases that `of` generates."""
    cases = settings(max_examples=int(ASKED or in_ci) // PARTS, suppress_health_check=SLOW)(given(*of)(law))
    seed(random.getrandbits(64) if EXPLORE else part)(cases)()
