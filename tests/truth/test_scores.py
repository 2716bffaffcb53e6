"""The answers come near the truth at a few homes and families; `python -m tests.truth.score` looks at more."""

from __future__ import annotations

import pytest

from tests.truth.forecasts.__main__ import TUNING
from tests.truth.forecasts.homes import home, step_home
from tests.truth.forecasts.score import named_on, origins, plans
from tests.truth.score import score_forecast, score_solar, score_spending
from tests.truth.score_money import score as score_money

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


def test_a_quarterly_home_has_a_range_from_fifteen_months_on() -> None:
    (plan, *_) = plans()
    results = list(origins(home("quarterly", TUNING), 0, plan, days=[0], least=457))
    assert len(results) >= 2
    assert all(origin.low is not None and origin.high is not None for origin in results)


def test_use_that_doubles_is_named() -> None:
    (plan, *_) = plans()
    made = step_home(2.0, TUNING)
    assert made.change is not None
    at = (made.change - made.first).days
    before, after = named_on(made, plan, [at, at + 21])
    assert before is None
    assert after is not None
    assert abs(after.row - at) <= 7
    assert 1.5 < after.ratio < 2.5


def test_transfers_payees_and_recurring_payments_of_a_known_household_are_found() -> None:
    tally = score_money([100], cash=False)
    shares = {name: tally.right[name] / total for name, total in tally.all.items()}
    assert (shares["rows read"], shares["totals to the cent"]) == (1, 1)
    assert shares["transfer precision (legs)"] >= 0.995
    assert (
        min(shares[f"{kind} recall ({what})"] for kind, what in (("transfer", "legs"), ("recurring", "series"))) >= 0.95
    )
    assert min(shares["income recall (rows)"], shares["income precision (rows)"]) >= 0.97
    assert min(shares["recurring precision (series)"], shares["payees grouped right (rows)"]) >= 0.97
