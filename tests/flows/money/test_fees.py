"""Fees and interest by account and financial year, and the rates that are known."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

from tests.analytics.money.built import movement
from tests.flows.money.homes import home
from tests.pages.seen import with_bank_rows
from toolkit.charts import values
from toolkit.charts.money_flow import flow_chart
from toolkit.flows.household.context import Context
from toolkit.flows.money.years.budgets import review
from toolkit.flows.money.years.fees import fees

FEE = {"primary_category": "BANK_FEES", "secondary_category": "BANK_FEES_ATM_FEES"}
CHARGE = {"primary_category": "BANK_FEES", "secondary_category": "BANK_FEES_INTEREST_CHARGE"}
EARNED = {"primary_category": "INCOME", "secondary_category": "INCOME_INTEREST_EARNED"}
PAY = {"primary_category": "INCOME", "secondary_category": "INCOME_SALARY"}
FOOD = {"primary_category": "FOOD_AND_DRINK"}
ROWS = (
    movement("-5.00", "2025-06-30", "ATM FEE", **FEE),
    movement("-2.50", "2025-07-01", "ATM FEE", **FEE),
    movement("1.00", "2025-08-01", "FEE REFUND", **FEE),
    movement("-30.00", "2025-09-01", "INTEREST", **CHARGE),
    movement("12.00", "2026-06-30", "INTEREST", account_id="savings", **EARNED),
    movement("1000.00", "2026-03-01", "ACME", **PAY),
    movement("-200.00", "2026-03-02", "SHOP", **FOOD),
)


def test_fees_and_interest_by_year_with_own_and_published_rate(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "household.db", date(2026, 7, 1))
    with home(ctx.db, *ROWS) as store:
        key = {"household_id": "h", "id": "savings"}
        store.update("accounts", {"institution_id": "b", "product_name": "Saver"}, key)
        store.update("accounts", {"raw": json.dumps({"deposit_rate": "0.045"})}, key)
        raw = json.dumps({"deposit_rates": [{"rate": "0.05"}, {"rate": "0.0475"}, {"rate": "later"}]})
        store.upsert("products", [{"institution_id": "b", "product_id": "p", "name": "Saver", "raw": raw}])
    listed = [
        (
            row.year,
            row.account_id,
            row.fees,
            row.interest_charged,
            row.interest_earned,
            row.own_rate,
            row.published_rate,
        )
        for row in fees(ctx).accounts
    ]
    zero = Decimal("0.00")
    assert listed == [
        (2026, "everyday", Decimal("1.50"), Decimal("30.00"), zero, None, None),
        (2026, "savings", zero, zero, Decimal("12.00"), 0.045, 0.0475),
        (2025, "everyday", Decimal("5.00"), zero, zero, None, None),
    ]


def test_both_sides_of_the_year_in_review_are_equal(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "household.db", date(2026, 7, 1))
    with home(ctx.db, *ROWS):
        pass
    drawn = values.rows(flow_chart(review(ctx, year=2026)))
    into = sum(float(str(row["Amount"])) for row in drawn if row["To"] == "Money in")
    out = {row["To"]: row["Amount"] for row in drawn if row["From"] == "Money in"}
    assert into == 1012.0
    assert sum(out.values()) == 1012.0
    assert out["Left over"] == 780.5  # 1,012 - 200 - 31.50


def test_money_back_that_exceeds_the_purchases_is_money_in(tmp_path: Path) -> None:
    ctx = with_bank_rows(
        tmp_path,
        """\
01/04/2026,"-100.00","WOOLWORTHS 1234 SYDNEY","+900.00"
02/04/2026,"-20.00","NETFLIX.COM MELBOURNE","+880.00"
10/04/2026,"+400.00","WOOLWORTHS 1234 SYDNEY","+1280.00"
11/04/2026,"+2000.00","SALARY ACME PTY LTD","+3280.00"
""",
    )
    drawn = values.rows(flow_chart(review(ctx, year=2026)))
    into = {row["From"]: row["Amount"] for row in drawn if row["To"] == "Money in"}
    out = {row["To"]: row["Amount"] for row in drawn if row["From"] == "Money in"}
    assert (into["Money back"], sum(into.values())) == (300.0, 2300.0)
    assert (out["Left over"], sum(out.values())) == (2280.0, 2300.0)  # 2,000 + 400 - 100 - 20
