"""Plans says what the bank shows as paid to the retailer, and why that is not what the plan gives."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.seen import TODAY, read
from tests.pages.test_compared_plans import home_on_mine, plan
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load

WHOLE_YEAR = ["01/06/2025,-5.00,COLES 1234", "19/06/2026,-5.00,COLES 1234"]
"""Rows of the bank before and after the year of the reads, 19 June 2025 to 18 June 2026."""


def home(db: Path, folder: Path, *rows: str) -> Path:
    """A home whose plan, of Origin Energy, gives 365 × $1.10 + 4,380 kWh × 44 c = $2,328.70, with these bank rows."""
    home_on_mine(db, folder, [plan("MINE", "0.40", brandName="Origin Energy")])
    (folder / "bank.csv").write_text("Date,Amount,Description\n" + "\n".join(rows) + "\n")
    load(Context(db, TODAY), [folder / "bank.csv"])
    return db


def test_fewer_bills_than_a_year_has(db: Path, tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    rows = [f"{day},-{amount},ORIGIN ENERGY" for day, amount in (("10/09/2025", 600), ("10/12/2025", 510.25))]
    home(db, tmp_path, *WHOLE_YEAR, *rows, "12/03/2026,-580.10,ORIGIN ENERGY")
    set_home(Context(db, TODAY), billing="quarterly")
    text = read(visit(db, "plans"))
    # 2,328.70 − 1,690.35
    assert names(text, "19 Jun 2025 to 18 Jun 2026", "$1,690.35 paid to", "Origin", "3 payments", "$638.35 less")
    assert names(text, "every three months, so 3 payments are for 9 months, not 12")
    assert not names(text, "The bank data begins")


def test_a_bank_that_begins_later(db: Path, tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    home(db, tmp_path, "05/03/2026,-5.00,COLES 1234", "12/03/2026,-580.10,ORIGIN ENERGY", WHOLE_YEAR[1])
    text = read(visit(db, "plans"))
    assert names(text, "$580.10 paid to", "1 payment", "$1,748.60 less", "The bank data begins on 5 Mar 2026")
    assert not names(text, "not 12")


def test_refunds_are_taken_off_and_another_payee_is_not_the_retailer(
    db: Path, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    rows = ["10/09/2025,-2400.00,ORIGIN ENERGY", "20/09/2025,50.00,ORIGIN ENERGY", "10/10/2025,-90.00,AGL SALES"]
    home(db, tmp_path, *WHOLE_YEAR, *rows)
    assert names(read(visit(db, "plans")), "$2,350.00 paid to", "about what your plan gives")  # $21.30 more: 0.9 %


def test_even_payments(db: Path, tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    months = [*(f"2025-{month:02d}" for month in range(7, 13)), *(f"2026-{month:02d}" for month in range(1, 7))]
    rows = [f"{date.fromisoformat(f'{month}-05'):%d/%m/%Y},-150.00,ORIGIN ENERGY" for month in months]
    home(db, tmp_path, *WHOLE_YEAR, *rows)
    text = read(visit(db, "plans"))
    assert names(text, "$1,800.00 paid to", "12 payments", "$528.70 less", "the same each time")
    assert not names(text, "for the bill of earlier days")


@pytest.mark.parametrize("rows", [[], ["10/09/2025,-90.00,CITY WATER"]])
def test_a_bank_without_such_payments_says_nothing(
    db: Path, tmp_path: Path, visit: Callable[..., AppTest], rows: list[str]
) -> None:
    home(db, tmp_path, *WHOLE_YEAR, *rows)
    assert not names(read(visit(db, "plans")), "the bank shows")
