"""Budgets over a store: what was spent of them, and as of which day."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.analytics.money.built import movement
from tests.flows.money.homes import home
from toolkit.flows.household.context import Context
from toolkit.flows.money.years.budgets import set_budget

SHOPS = [movement("-30.00", f"2026-03-{day:02}", merchant_name="Coles") for day in (2, 9, 16)]


@pytest.mark.parametrize(
    ("today", "as_of", "pace"),
    [
        # 31 days have 310 dollars: 10 a day
        (date(2026, 3, 19), date(2026, 3, 19), "190.00"),
        (date(2026, 4, 25), date(2026, 3, 16), "160.00"),  # nothing is known of April
    ],
)
def test_a_budget_is_of_the_last_day_that_the_transactions_show(
    tmp_path: Path, today: date, as_of: date, pace: str
) -> None:
    ctx = Context(tmp_path / "household.db", today)
    with home(ctx.db, *SHOPS):
        pass
    answer = set_budget(ctx, "FOOD_AND_DRINK", "310")
    (budget,) = answer.budgets
    assert (answer.as_of, budget.from_, budget.to) == (as_of, date(2026, 3, 1), date(2026, 3, 31))
    assert (budget.spent, budget.pace, budget.state) == (Decimal("90.00"), Decimal(pace), "ok")
