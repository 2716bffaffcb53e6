"""How the money will last, worked by hand where nothing is drawn, and laws where something is."""

from __future__ import annotations

from datetime import date, timedelta

from tests.analytics.money.built import accounts, movement, transactions
from toolkit.analytics.money import classify
from toolkit.analytics.money.account_summary import Balance
from toolkit.analytics.money.cash.flow import cash_flow
from toolkit.analytics.money.cash.recurring import find_recurring
from toolkit.analytics.money.cash.scheduled import Planned
from toolkit.answers.notes import Note

TODAY = date(2026, 3, 20)
AHEAD = [TODAY + timedelta(days=number) for number in range(31)]
PAY = {"primary_category": "INCOME", "secondary_category": "INCOME_SALARY"}


def flow(*rows, balance: int | None = 100000, **more):
    classified = classify(transactions(*rows), accounts(), zone="Australia/Sydney").rows
    series = find_recurring(classified, today=TODAY)
    balances = [] if balance is None else [Balance("everyday", balance, TODAY)]
    return cash_flow(classified, series, balances=balances, days=AHEAD, **more)


def fortnights(amount: str, name: str, **more):
    days = [date(2026, 3, 12) - timedelta(days=14 * back) for back in range(10)]
    return [movement(amount, str(day), merchant_name=name, **more) for day in days]


def test_known_payments_fall_on_their_days() -> None:
    rows = [*fortnights("2000.00", "Acme", **PAY), *fortnights("-1500.00", "Landlord")]
    dentist = Planned("Dentist", "everyday", -80000, None, date(2026, 4, 1), "scheduled_payment")
    made = flow(*rows, once=[dentist])
    items = {day.date: [(item.name, str(item.amount)) for item in day.items] for day in made.days if day.items}
    assert items == {
        date(2026, 3, 26): [("Landlord", "-1500.00"), ("Acme", "2000.00")],
        date(2026, 4, 1): [("Dentist", "-800.00")],
        date(2026, 4, 9): [("Landlord", "-1500.00"), ("Acme", "2000.00")],
    }
    # 1000 + 500 - 800 + 500; nothing else ever happened, so there is no doubt
    assert [(day.p10, day.p50, day.p90) for day in made.days[:1]] == [(1000, 1000, 1000)]
    assert made.days[-1].p50 == 1200
    assert made.low_point is not None
    assert (made.low_point.date, made.low_point.p10) == (date(2026, 4, 1), 700)


def test_other_spending_makes_a_band_that_repeats_with_its_seed() -> None:
    shopping = [
        movement(f"-{20 + number % 7 * 13}.00", str(TODAY - timedelta(days=2 * number + number % 3)), "SHOP")
        for number in range(90)
    ]
    made, again = flow(*shopping), flow(*shopping)
    assert made == again
    assert all(day.p10 <= day.p50 <= day.p90 for day in made.days)
    assert made.days[-1].p10 < made.days[-1].p50 < made.days[-1].p90 < 1000
    average = sum(20 + number % 7 * 13 for number in range(90)) / 180
    assert abs(1000 - float(made.days[-1].p50) - 31 * average) < 0.2 * 31 * average


def test_what_cannot_be_known_is_null_and_said() -> None:
    few = flow(movement("-10.00", "2026-03-01", "SHOP"))
    assert (few.days[0].p10, few.days[0].p90) == (None, None)
    assert few.days[0].p50 is not None
    assert few.notes[-1] == Note("few_weeks_of_spending", needed=8)
    unknown = flow(movement("-10.00", "2026-03-01", "SHOP"), balance=None)
    assert unknown.low_point is None
    assert unknown.days[0].p50 is None
    assert unknown.note_codes[0] == "no_balance"
