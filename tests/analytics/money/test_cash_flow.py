"""How the money will last, worked by hand where nothing is drawn, and laws where something is."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import numpy as np

from tests.analytics.money.built import accounts, movement, transactions
from toolkit.analytics.money.account_summary import Balance
from toolkit.analytics.money.cash.backtest import Check, backtest_of, widths_of
from toolkit.analytics.money.cash.energy_bill import NextBill, with_energy_bills
from toolkit.analytics.money.cash.flow import (
    answer_days,
    expected_payments,
    low_point_of,
    other_weeks,
    project,
    spendable,
    until_pay,
)
from toolkit.analytics.money.cash.own_moves import OnItsWay, on_their_way, own_transfers
from toolkit.analytics.money.cash.recurring import Series, find_recurring
from toolkit.analytics.money.cash.scheduled import Planned
from toolkit.analytics.money.classify import classify
from toolkit.tables.cadences import FORTNIGHTLY, MONTHLY, QUARTERLY
from toolkit.tables.reference.categories import ENERGY

TODAY = date(2026, 3, 20)
AHEAD = [TODAY + timedelta(days=number) for number in range(31)]
PAY = {"primary_category": "INCOME", "secondary_category": "INCOME_SALARY"}


def flow(*rows, balance: int = 100000, once=(), widths=()):
    classified = classify(transactions(*rows), accounts(), zone="Australia/Sydney").rows
    series = find_recurring(classified, today=TODAY)
    due = expected_payments(series, once, AHEAD[0], AHEAD[-1])
    start = spendable([Balance("everyday", balance, TODAY)], classified)
    projection = project(start, due, other_weeks(classified, series, before=TODAY), AHEAD, widths=widths)
    return answer_days(projection, due, AHEAD)


def fortnights(amount: str, name: str, **more):
    days = [date(2026, 3, 12) - timedelta(days=14 * back) for back in range(10)]
    return [movement(amount, str(day), merchant_name=name, **more) for day in days]


def test_known_payments_fall_on_their_days() -> None:
    rows = [*fortnights("2000.00", "Acme", **PAY), *fortnights("-1500.00", "Landlord")]
    dentist = Planned("Dentist", "everyday", -80000, None, date(2026, 4, 1), "scheduled_payment")
    made = flow(*rows, once=[dentist])
    items = {day.date: [(item.name, str(item.amount)) for item in day.items] for day in made if day.items}
    assert items == {
        date(2026, 3, 26): [("Landlord", "-1500.00"), ("Acme", "2000.00")],
        date(2026, 4, 1): [("Dentist", "-800.00")],
        date(2026, 4, 9): [("Landlord", "-1500.00"), ("Acme", "2000.00")],
    }
    # 1000 + 500 - 800 + 500; nothing else ever happened, so there is no doubt
    assert [(day.p10, day.p50, day.p90) for day in made[:1]] == [(1000, 1000, 1000)]
    assert made[-1].p50 == 1200
    low = low_point_of(made)
    assert low is not None
    assert (low.date, low.p10, low.p50) == (date(2026, 4, 1), 700, 700)
    assert [(item.name, item.amount) for item in low.cause] == [("Landlord", -1500), ("Dentist", -800)]


def test_what_a_bank_dates_on_monday_is_not_expected_once_more() -> None:
    """On Saturday 21 March the rent of Monday the 23rd has a row, and the balance of 1000.00 is after it."""
    rents = [
        movement("-500.00", str(date(2026, 3, 23) - timedelta(weeks=back)), merchant_name="Landlord")
        for back in range(10)
    ]
    classified = classify(transactions(*rents), accounts(), zone="Australia/Sydney").rows
    (rent,) = find_recurring(classified, today=date(2026, 3, 21))
    assert (rent.last, rent.next) == (date(2026, 3, 23), date(2026, 3, 30))
    (before,) = find_recurring(classified, today=date(2026, 3, 15))  # rows of days to come, not of the next one
    assert (before.last, before.next) == (date(2026, 3, 16), date(2026, 3, 23))


def test_other_spending_makes_a_band_that_repeats_with_its_seed() -> None:
    shopping = [
        movement(f"-{20 + number % 7 * 13}.00", str(TODAY - timedelta(days=2 * number + number % 3)), "SHOP")
        for number in range(90)
    ]
    made, again = flow(*shopping), flow(*shopping)
    assert made == again
    assert all(day.p10 <= day.p50 <= day.p90 for day in made)
    assert made[-1].p10 < made[-1].p50 < made[-1].p90 < 1000
    average = sum(20 + number % 7 * 13 for number in range(90)) / 180
    assert abs(1000 - float(made[-1].p50) - 31 * average) < 0.2 * 31 * average


def test_a_short_past_has_no_range() -> None:
    few = flow(movement("-10.00", "2026-03-01", "SHOP"))
    assert (few[0].p10, few[0].p90, few[0].p50) == (None, None, 1000)


def test_the_width_of_the_range_is_a_factor_about_its_middle() -> None:
    shopping = [
        movement(f"-{20 + n % 7 * 13}.00", str(TODAY - timedelta(days=2 * n + n % 3)), "SHOP") for n in range(90)
    ]
    narrow, wide = flow(*shopping), flow(*shopping, widths=(1.0, 1.0, 2.0))
    # 14 days ahead as before, 30 days ahead twice as wide, and evenly between
    for number, factor in ((14, 1), (22, Decimal("1.5")), (30, 2)):
        usual, own = narrow[number], wide[number]
        assert usual.p50 == own.p50
        assert abs((own.p90 - own.p50) - factor * (usual.p90 - usual.p50)) <= Decimal("0.02")


def test_the_range_widens_by_what_past_weeks_cannot_show() -> None:
    """The rule by another way: weeks drawn one future at a time, 15 % wider up to 30 days ahead, 35 % from 60 on."""
    chance, futures = np.random.default_rng(7), []
    weeks = list(chance.integers(-20_000, 0, (16, 7)))
    days = [TODAY + timedelta(days=number) for number in range(90)]
    for _ in range(4000):
        typical = [weeks[number] for number in chance.integers(0, 16, 16)]
        drawn = np.concatenate([typical[number] for number in chance.integers(0, 16, 14)])
        futures.append(np.cumsum(drawn[TODAY.weekday() : TODAY.weekday() + 90]))
    low, middle, high = np.quantile(futures, [0.1, 0.5, 0.9], axis=0)
    bands = project(0, [], weeks, days).bands
    for number, factor in ((20, 1.15), (30, 1.15), (45, 1.25), (60, 1.35), (89, 1.35)):
        assert abs((bands[2] - bands[0])[number] / (high - low)[number] / factor - 1) < 0.08
        assert abs(bands[1][number] - middle[number]) < 0.1 * (high - low)[number]


def test_days_of_the_past_that_were_off_widen_the_range() -> None:
    good, bad = Check(0, 1000_00, 2000_00, 1500_00), Check(0, 1000_00, 2000_00, 5000_00)
    assert (good.needed, bad.needed, bad.holds(1.0), bad.holds(4.0)) == (0.5, 4.0, False, True)
    assert widths_of([[bad]] * 2) == ()  # too few to say
    assert widths_of([[bad]] * 12) == (3.0,)
    (narrow,), (wide,) = widths_of([[good]] * 12), widths_of([[bad]] * 4)
    assert narrow < 1 < wide


def test_each_number_of_days_ahead_has_the_width_that_its_own_past_needs() -> None:
    """Of nine past days the eighth error in order, ⌈0.8 × 10⌉, counts nine times and the width 1 six times."""
    near = [Check(0, 1000_00, 2000_00, 1000_00 + cents) for cents in range(10_000, 100_000, 10_000)]
    far = [Check(0, 1000_00, 2000_00, 1000_00 - 2 * cents) for cents in range(10_000, 100_000, 10_000)]
    first, second = widths_of([list(pair) for pair in zip(near, reversed(far), strict=True)])
    assert abs(first - (9 * 0.8 + 6) / 15) < 1e-12
    assert abs(second - (9 * 1.6 + 6) / 15) < 1e-12


def test_a_past_that_was_right_holds_its_days() -> None:
    good = Check(0, 1000_00, 2000_00, 1500_00)
    tested = backtest_of([[good]] * 6)
    assert tested is not None
    assert (tested.origins, tested.checks, tested.coverage, tested.mae) == (6, 6, 1.0, 500)


POWER = Series("Retailer", "everyday", MONTHLY, -21000, -18000, -15000, None, TODAY, 0.9, "detected", category=ENERGY)


def test_an_unequal_payment_gives_way_to_the_forecast_bills() -> None:
    due = tuple(TODAY + timedelta(days=number) for number in (10, 40, 70))
    unequal = replace(POWER, due=due, recent=(-15012, -18077, -21033))
    second = NextBill("Energy bill", TODAY + timedelta(days=42), 9000, 9500, 10000, 30)
    bill = NextBill("Energy bill", TODAY + timedelta(days=12), 15000, 16000, 18000, 30, (second,))
    last = TODAY + timedelta(days=89)
    ahead = with_energy_bills([unequal], [bill], account_id="other", first=TODAY, last=last)
    assert [(entry.day, entry.cents, entry.account_id) for entry in ahead.expected] == [
        (bill.due, -16000, "everyday"),
        (second.due, -9500, "everyday"),
    ]
    assert ahead.series[0].due == due[2:]
    assert ahead.replaced == {0: ahead.expected[0]}
    assert abs(np.quantile(ahead.expected[0].draws, 0.1) + 18000) < 500


def test_equal_payments_are_the_cash_flow_and_no_bill_is_added() -> None:
    bill = NextBill("Energy bill", TODAY + timedelta(days=12), 15000, 16000, 18000, 30)
    for smooth in (replace(POWER, low=-18000, high=-18000, recent=(-18000,)), replace(POWER, cadence=FORTNIGHTLY)):
        ahead = with_energy_bills([smooth], [bill], account_id=None, first=TODAY, last=AHEAD[-1])
        assert (ahead.series, ahead.expected, ahead.spread) == ([smooth], [], [bill])


def test_payments_of_whole_dollars_once_a_bill_are_no_even_ones() -> None:
    """A person rounds each quarter's bill: $310.00, $270.00 and $340.00 are three bills."""
    rounded = replace(POWER, cadence=QUARTERLY, low=-34000, usual=-31000, high=-27000, recent=(-31000, -27000, -34000))
    bill = NextBill("Electricity bill", TODAY, 30000, 30000, 30000, 91)
    ahead = with_energy_bills([rounded], [bill], account_id=None, first=TODAY, last=AHEAD[-1])
    assert [entry.cents for entry in ahead.expected] == [-30000]


def test_without_a_series_bills_come_on_their_own_due_dates() -> None:
    days = [TODAY + timedelta(days=number) for number in (5, 36, 66, 97)]
    later = tuple(NextBill("Energy bill", day, None, 9000, None, 30) for day in days[1:])
    bill = NextBill("Energy bill", days[0], None, 16000, None, 30, later)
    last = TODAY + timedelta(days=89)
    ahead = with_energy_bills([], [bill], account_id="everyday", first=TODAY, last=last)
    assert [(entry.day, entry.cents) for entry in ahead.expected] == [
        (days[0], -16000),
        (days[1], -9000),
        (days[2], -9000),
    ]


def test_what_is_left_until_pay_day() -> None:
    rows = [*fortnights("2000.00", "Acme", **PAY), *fortnights("-1500.00", "Landlord")]
    classified = classify(transactions(*rows), accounts(), zone="Australia/Sydney").rows
    series = find_recurring(classified, today=TODAY)
    dentist = Planned("Dentist", "everyday", -80000, None, date(2026, 3, 24), "scheduled_payment")
    due = expected_payments(series, [dentist], AHEAD[0], AHEAD[-1])
    left = until_pay(series, 100000, due, project(100000, due, [], AHEAD))
    assert left is not None
    assert (left.date, left.name, left.amount, left.left, left.p50) == (date(2026, 3, 26), "Acme", 2000, 200, 200)


def test_a_day_that_is_counted_already_is_not_spent_again() -> None:
    week = np.array([-7000] * 7)
    before, after = (project(100000, [], [week] * 8, AHEAD, first_day_counted=counted) for counted in (False, True))
    assert before.bands[1, :2].tolist() == [93000, 86000]
    assert after.bands[1, :2].tolist() == [100000, 93000]


def test_a_transfer_is_in_no_account_until_it_arrives() -> None:
    always = OnItsWay(AHEAD[5], 30000, (2,))
    balances = project(100000, [], [], AHEAD, moves_between=[always]).bands[1]
    assert balances[4:8].tolist() == [100000, 70000, 70000, 100000]
    last = OnItsWay(AHEAD[-1], 30000, (2,))  # it arrives after the last day
    assert project(100000, [], [], AHEAD, moves_between=[last]).bands[1][-2:].tolist() == [100000, 70000]
    sometimes = OnItsWay(AHEAD[5], 30000, (0, 0, 0, 2))
    low, middle, high = project(100000, [], [], AHEAD, moves_between=[sometimes]).bands[:, 5:8]
    assert middle.tolist() == high.tolist() == [100000] * 3
    assert low.round().tolist() == [65500, 65500, 100000]  # 300 dollars, 15 % wider as every range of these days


def moves_that_took(*lags: int) -> list[OnItsWay]:
    """What is expected after a transfer each fortnight that took so many days, the newest first."""
    rows = []
    for back, lag in enumerate(lags):
        day = date(2026, 3, 13) - timedelta(days=14 * back)
        rows.append(movement("-250.00", str(day), "TRANSFER TO 444555666"))
        rows.append(movement("250.00", str(day + timedelta(days=lag)), "FROM 111222333", account_id="savings"))
    classified = classify(transactions(*rows), accounts(), zone="Australia/Sydney").rows
    return list(on_their_way(classified, find_recurring(own_transfers(classified), today=TODAY)))


def test_transfers_take_as_long_as_they_took_before() -> None:
    coming = moves_that_took(0, 0, 3, 0, 1, 0)
    assert [(move.day, move.cents) for move in coming[:2]] == [(date(2026, 3, 27), 25000), (date(2026, 4, 10), 25000)]
    assert sorted(coming[0].lags) == [0, 0, 0, 0, 1, 3]
    assert moves_that_took(0, 0, 0, 0, 0, 0) == []
