"""Laws that are checked over many generated cases: some in CI, as many as BILL_EXAMPLES says, others in each run where
TOOLKIT_TEST_EXPLORE is set.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.strategies import SearchStrategy

EXPLORE = bool(os.environ.get("TOOLKIT_TEST_EXPLORE"))
"""Whether property tests generate other examples than those of every run."""
ASKED = os.environ.get("BILL_EXAMPLES")
PARTS = 5
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example, HealthCheck.filter_too_much]

QUICK = 4
"""`pytest -m quick` generates one of so many examples."""


def examples(number: int) -> int:
    """Return how many examples to generate: all in a full run, fewer while working (`pytest -m quick`)."""
    return -(-number // QUICK) if settings.get_current_profile_name() == "quick" else number


def rest_slow(cases: Iterable[Any], *, quick: int = 1) -> list[Any]:
    """Return cases to parametrize with, of which those after the first few run only in a full run.

    Of a test that repeats itself over many cases, where the first cases show as much to somebody at work.
    """
    return [case if n < quick else _slow(case) for n, case in enumerate(cases)]


def _slow(case: Any) -> Any:
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)


each_part = pytest.mark.parametrize("part", range(PARTS))
"""So that the workers of a run share the cases."""


def look(part: int, law: Callable[..., None], *of: SearchStrategy[Any], in_ci: int) -> None:
    """Check one part of the cases that `of` generates."""
    cases = settings(max_examples=int(ASKED or in_ci) // PARTS, suppress_health_check=SLOW)(given(*of)(law))
    seed(random.getrandbits(64) if EXPLORE else part)(cases)()
