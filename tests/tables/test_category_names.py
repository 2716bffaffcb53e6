"""Categories as Australians say them: one table, no two alike, no American word."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

import pytest

from toolkit.answers.money import SpendingRow
from toolkit.flows.wording import rows_by_name
from toolkit.tables.reference.categories import category_name, category_names, code_named

AMERICAN = re.compile(
    r"\b(centers?|theaters?|colou?rs?|checks?|gas station|transit|transportation|newsstands?|liquor|lodging|"
    r"telephone|cable|mortgage|veterinary|unemployment|pharmac\w+|movers)\b",
    re.IGNORECASE,
)


def test_no_two_categories_have_one_name() -> None:
    """Those of GENERAL_SERVICES are shown as one with those of SERVICES."""
    own = [code for code in category_names() if not code.startswith("GENERAL_SERVICES")]
    counts = Counter(category_name(code).casefold() for code in own)
    assert [name for name, count in counts.items() if count > 1] == []
    assert {category_name(code) for code in category_names() if code.startswith("GENERAL_SERVICES")} <= {
        category_name(code) for code in own if code.startswith("SERVICES")
    }


@pytest.mark.parametrize("code", list(category_names()))
def test_no_name_is_american_or_a_code(code: str) -> None:
    name = category_name(code)
    assert not AMERICAN.search(name)
    assert "_" not in name
    assert name[0].isupper()


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("TRANSPORTATION_GAS", "Fuel"),
        ("FOOD_AND_DRINK_GROCERIES", "Groceries"),
        ("RENT_AND_UTILITIES_RENT", "Rent"),
        ("INCOME_UNEMPLOYMENT", "Centrelink"),
        ("BANK_FEES_ATM_FEES", "ATM fees"),
        ("LOAN_PAYMENTS_STUDENT_LOAN_PAYMENT", "HECS-HELP"),
        ("Eating out", "Eating out"),
        ("PETS_KENNEL", "Pets kennel"),
    ],
)
def test_a_category_is_shown_by_its_name(code: str, name: str) -> None:
    assert category_name(code) == name


def test_a_name_leads_back_to_its_code() -> None:
    assert code_named("fuel") == "TRANSPORTATION_GAS"
    assert code_named("Services") == "SERVICES"
    assert code_named("Cassowaries") is None


def test_rows_of_one_name_are_added_up() -> None:
    """$20.00 and $5.50 of insurance under either code are $25.50 in 3 rows; the month keeps them apart."""
    rows = [
        SpendingRow(spent, n, month, primary_category=first, secondary_category=f"{first}_INSURANCE")
        for first, month, spent, n in (
            ("SERVICES", "2026-05", Decimal("20.00"), 2),
            ("GENERAL_SERVICES", "2026-05", Decimal("5.50"), 1),
            ("GENERAL_SERVICES", "2026-06", Decimal("7.00"), 1),
        )
    ]
    shown = [(row.month, row.spent, row.count) for row in rows_by_name(rows)]
    assert shown == [("2026-05", Decimal("25.50"), 3), ("2026-06", Decimal("7.00"), 1)]
