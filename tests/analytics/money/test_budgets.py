"""Periods that are compared, budgets, unusual spending and sources of income, by hand."""

from __future__ import annotations

from datetime import date

import pytest

from tests.analytics.money.built import accounts, movement, overrides, transactions
from toolkit.analytics.money.classify import classify
from toolkit.analytics.money.years.budgets import budgets, budgets_of, income_sources, unusual_spending
from toolkit.analytics.money.years.periods import compared_with, financial_year, month_with
from toolkit.answers.base import Period

TODAY = date(2026, 3, 10)
FOOD = {"primary_category": "FOOD_AND_DRINK", "secondary_category": "FOOD_AND_DRINK_GROCERIES"}
PAY = {"primary_category": "INCOME", "secondary_category": "INCOME_SALARY"}


def days(first: str, last: str) -> Period:
    return Period(date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    ("period", "previous", "last_year"),
    [
        (("2026-03-01", "2026-03-31"), ("2026-02-01", "2026-02-28"), ("2025-03-01", "2025-03-31")),
        (("2026-01-01", "2026-03-31"), ("2025-10-01", "2025-12-31"), ("2025-01-01", "2025-03-31")),
        (("2026-03-15", "2026-04-14"), ("2026-02-15", "2026-03-14"), ("2025-03-15", "2025-04-14")),  # a pay month
        (("2025-07-01", "2026-06-30"), ("2024-07-01", "2025-06-30"), ("2024-07-01", "2025-06-30")),
        (("2026-03-02", "2026-03-08"), ("2026-02-23", "2026-03-01"), ("2025-03-02", "2025-03-08")),
        (("2024-02-29", "2024-02-29"), ("2024-02-28", "2024-02-28"), ("2023-02-28", "2023-02-28")),
        (("2024-02-01", "2024-02-29"), ("2024-01-01", "2024-01-31"), ("2023-02-01", "2023-02-28")),
    ],
)
def test_periods_compared_with(period, previous, last_year) -> None:
    assert compared_with(days(*period), "previous") == days(*previous)
    assert compared_with(days(*period), "last-year") == days(*last_year)


@pytest.mark.parametrize(
    ("period", "known_to", "previous", "last_year"),
    [
        (("2026-07-01", "2027-06-30"), "2026-11-28", ("2025-07-01", "2025-11-28"), ("2025-07-01", "2025-11-28")),
        (("2026-11-01", "2026-11-30"), "2026-11-28", ("2026-10-01", "2026-10-28"), ("2025-11-01", "2025-11-28")),
        (("2026-03-01", "2026-03-31"), "2026-03-30", ("2026-02-01", "2026-02-28"), ("2025-03-01", "2025-03-30")),
        (("2026-03-02", "2026-03-08"), "2026-03-04", ("2026-02-23", "2026-02-25"), ("2025-03-02", "2025-03-04")),
        (("2026-03-02", "2026-03-08"), "2026-03-08", ("2026-02-23", "2026-03-01"), ("2025-03-02", "2025-03-08")),
        (("2026-03-02", "2026-03-08"), "2026-02-28", ("2026-02-23", "2026-03-01"), ("2025-03-02", "2025-03-08")),
    ],
)
def test_a_period_so_far_is_compared_with_the_same_days(period, known_to, previous, last_year) -> None:
    so_far = date.fromisoformat(known_to)
    assert compared_with(days(*period), "previous", so_far) == days(*previous)
    assert compared_with(days(*period), "last-year", so_far) == days(*last_year)


def test_financial_years_and_months_from_a_chosen_day() -> None:
    assert financial_year(2026) == days("2025-07-01", "2026-06-30")
    assert month_with(date(2026, 3, 14), 15) == days("2026-02-15", "2026-03-14")
    assert month_with(date(2026, 3, 15), 15) == days("2026-03-15", "2026-04-14")
    assert month_with(date(2026, 1, 3), 28) == days("2025-12-28", "2026-01-27")


def rows(*movements):
    return classify(transactions(*movements), accounts(), zone="Australia/Sydney").rows


def test_a_budget_has_its_pace_and_the_latest_counts() -> None:
    chosen = overrides(
        ("budget", "FOOD_AND_DRINK", '{"amount_minor": 10000, "per": "month"}'),
        ("budget", "TRAVEL", '{"amount_minor": 5000, "per": "week"}'),
        ("budget", "FOOD_AND_DRINK", '{"amount_minor": 31000, "per": "month"}'),
        ("budget", "TRAVEL", '{"amount_minor": 0}'),
    )
    bought = rows(
        movement("-120.00", "2026-03-05", **FOOD),
        movement("20.00", "2026-03-06", **FOOD),
        movement("-999.00", "2026-02-28", **FOOD),
        movement("-50.00", "2026-03-07", **FOOD, status="PENDING"),
    )
    (food,) = budgets(bought, budgets_of(chosen), TODAY)
    assert (food.category, food.budget, food.spent, food.left, food.pace, food.state) == (
        *("FOOD_AND_DRINK", 310, 100, 210, 100, "ok"),  # ten of 31 days
    )
    (food,) = budgets(bought, budgets_of(chosen), date(2026, 3, 9))
    assert food.state == "fast"


def test_spending_is_unusual_by_the_households_own_months() -> None:
    usual = [movement("-200.00", f"2025-{month:02}-12", "GROCER", **FOOD) for month in range(7, 13)]
    more = [movement("-210.00", "2026-01-12", "GROCER", **FOOD), movement("-300.00", "2026-01-20", "CATERER", **FOOD)]
    (found,) = unusual_spending(rows(*usual, *more), days("2026-01-01", "2026-01-31"))
    assert (found.category, found.spent, found.usual, found.merchant, found.merchant_more) == (
        *("FOOD_AND_DRINK", 510, 200, "Caterer", 300),
    )
    assert unusual_spending(rows(*usual, *more[:1]), days("2026-01-01", "2026-01-31")) == ()
    assert unusual_spending(rows(*usual[3:], *more), days("2026-01-01", "2026-01-31")) == ()  # three months are too few


def test_codes_that_are_shown_as_one_category_are_unusual_together() -> None:
    """$200 a month of the service's GENERAL_SERVICES and of files' SERVICES in turn; in January $260 and $250."""
    words, service = {"primary_category": "SERVICES"}, {"primary_category": "GENERAL_SERVICES"}
    usual = [
        movement("-200.00", f"2025-{month:02}-12", "TUTOR", **(words if month % 2 else service))
        for month in range(7, 13)
    ]
    more = [movement("-260.00", "2026-01-12", "TUTOR", **words), movement("-250.00", "2026-01-20", "TUTOR", **service)]
    (found,) = unusual_spending(rows(*usual, *more), days("2026-01-01", "2026-01-31"))
    assert (found.category, found.spent, found.usual, found.merchant_more) == ("SERVICES", 510, 200, 310)


def test_income_by_source() -> None:
    paid = rows(
        movement("2000.00", "2026-03-01", merchant_name="Acme", **PAY),
        movement("2100.00", "2026-03-15", merchant_name="Acme", **PAY),
        movement("12.50", "2026-03-31", merchant_name="Bank", **PAY),
        movement("900.00", "2026-04-01", merchant_name="Acme", **PAY),
    )
    found = income_sources(paid, days("2026-03-01", "2026-03-31"))
    assert [(source.name, source.amount, source.count) for source in found] == [("Acme", 4100, 2), ("Bank", 12.5, 1)]
