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


def test_a_budget_counts_every_code_that_is_shown_as_its_category(tmp_path: Path) -> None:
    """Of $310 a month, $70 that the service calls GENERAL_SERVICES_CHILDCARE and $80 that a file's words name."""
    ctx = Context(tmp_path / "household.db", date(2026, 3, 19))
    service = {"primary_category": "GENERAL_SERVICES", "secondary_category": "GENERAL_SERVICES_CHILDCARE"}
    rows = (movement("-70.00", "2026-03-02", **service), movement("-80.00", "2026-03-16", "GOODSTART KEW"))
    with home(ctx.db, *rows):
        pass
    (budget,) = set_budget(ctx, "Childcare", "310").budgets
    assert budget.spent == Decimal("150.00")
    assert {each.spent for each in set_budget(ctx, "Services", "400").budgets} == {Decimal("150.00")}
