"""Bills ahead take the place of the payments that such bills were paid with, and of no other payment for energy."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from toolkit.analytics.money.cash.energy_bill import NextBill, with_energy_bills
from toolkit.analytics.money.cash.energy_paid import without_paid_bills
from toolkit.tables.reference.categories import ENERGY

QUARTERLY = {"2025-10-21": 354, "2026-01-21": 332, "2026-04-21": 322, "2026-07-21": 335, "2026-10-21": 374}
"""Electricity. The next bill is of $340, due on 21 Jan 2027."""
EVERY_TWO_MONTHS = {
    "2025-11-21": 198, "2026-01-21": 156, "2026-03-21": 142, "2026-05-21": 156, "2026-07-21": 268, "2026-09-21": 288,
    "2026-11-21": 224,
}  # fmt: skip
"""Gas of the same retailer."""
SHOP = {"2026-06-01": 50}


def bill(due: date = date(2027, 1, 21), days: int = 92, dollars: int = 340, fuel: str = "ELECTRICITY") -> NextBill:
    return NextBill("Electricity bill", due, None, dollars * 100, None, days, fuel=fuel)


def left(bills: list[NextBill], *energy: dict[str, int]) -> list[tuple[str, int]]:
    """Day and dollars of the payments that stay, in order."""
    paid = [(day, dollars, ENERGY) for payments in energy for day, dollars in payments.items()]
    paid += [(day, dollars, None) for day, dollars in SHOP.items()]
    frame = pl.DataFrame(
        {
            "day": [date.fromisoformat(day) for day, _, _ in paid],
            "amount_minor": [-100 * dollars for _, dollars, _ in paid],
            "secondary_category": [category for _, _, category in paid],
            "merchant": ["Retailer"] * len(paid),
        },
        schema_overrides={"secondary_category": pl.String},
    )
    ahead = with_energy_bills([], bills, account_id="a", first=date(2026, 11, 30), last=date(2027, 2, 27))
    rows = without_paid_bills(frame, ahead).sort("day", "amount_minor")
    return [(str(day), -cents // 100) for day, cents in rows.select("day", "amount_minor").iter_rows()]


def test_payments_for_gas_stay_where_the_bills_ahead_are_of_electricity() -> None:
    assert left([bill()], QUARTERLY, EVERY_TWO_MONTHS) == sorted([*EVERY_TWO_MONTHS.items(), *SHOP.items()])


def test_nothing_stays_of_the_only_fuel_also_where_bills_vary_or_are_paid_in_parts() -> None:
    assert left([bill()], {"2026-07-21": 600, "2026-10-21": 90}) == [*SHOP.items()]
    assert left([bill()], {"2026-10-21": 200, "2026-11-04": 140}) == [*SHOP.items()]


def test_nothing_stays_where_bills_of_both_fuels_are_ahead_and_all_without_any() -> None:
    both = [bill(), bill(dollars=200, days=61, fuel="GAS")]
    assert left(both, QUARTERLY, EVERY_TWO_MONTHS) == [*SHOP.items()]
    assert len(left([], QUARTERLY, EVERY_TWO_MONTHS)) == 13


@pytest.mark.parametrize(("winter", "stays"), [(600, 224), (230, 600)])
def test_the_past_period_tells_which_payment_was_for_it(winter: int, stays: int) -> None:
    """In the quarter to 30 Sep the meter's bill was of $600, or of $230: the other payment is for something else."""
    mine = bill()
    past = ((date(2026, 9, 30), winter * 100),)
    known = NextBill(mine.name, mine.due, None, mine.p50, None, mine.period_days, fuel=mine.fuel, past=past)
    assert left([known], {"2026-10-21": 600, "2026-11-01": 224}) == [
        *SHOP.items(),
        *[(day, paid) for day, paid in (("2026-10-21", 600), ("2026-11-01", 224)) if paid == stays],
    ]


def test_a_payment_whose_day_is_not_known_is_of_no_bill() -> None:
    """Rows that a bank gives without a date are in no day of a cash flow."""
    day, cents, category = [None, date(2026, 10, 21), None], [-34000, -34000, -5000], [ENERGY, ENERGY, None]
    frame = pl.DataFrame({"day": day, "amount_minor": cents, "secondary_category": category, "merchant": ["R"] * 3})
    ahead = with_energy_bills([], [bill()], account_id="a", first=date(2026, 11, 30), last=date(2027, 2, 27))
    assert without_paid_bills(frame, ahead)["amount_minor"].to_list() == [-5000]
