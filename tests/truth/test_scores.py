"""The answers come near the truth at a few homes and families; `python -m tests.truth.score` looks at more."""

from __future__ import annotations

import pytest

from tests.truth.score import score_forecast, score_solar, score_spending

pytestmark = pytest.mark.slow


def test_ranges_of_solar_hold_the_truth() -> None:
    scores = score_solar(6)
    assert scores["inside"] == 1
    assert scores["width"] < 2


def test_next_bills_are_in_their_ranges_more_often_than_not() -> None:
    scores = score_forecast(8)
    assert scores["inside"] >= 0.6
    assert scores["error"] < 0.1


def test_money_of_known_families_is_sorted_rightly() -> None:
    scores = score_spending(4)
    assert scores["in category"] > 0.95
    assert (scores["income"], scores["transfers"]) == (1, 1)
