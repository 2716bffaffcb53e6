"""What comes again, found in the past or known from the bank."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest
from msgspec.structs import replace

from tests.analytics.money.built import accounts, frame, movement, transactions
from toolkit.analytics.money.accounts import account_rows
from toolkit.analytics.money.cash.own_moves import debt_payments
from toolkit.analytics.money.cash.recurring import find_recurring
from toolkit.analytics.money.cash.scheduled import loan_instalment, scheduled_payment
from toolkit.analytics.money.classify import classify
from toolkit.tables.cadences import of_duration
from toolkit.tables.schema.banking import ScheduledPaymentRow

TODAY = date(2026, 3, 20)


def found(*rows, today=TODAY, **known):
    classified = classify(transactions(*rows), accounts(), zone="Australia/Sydney").rows
    return find_recurring(debt_payments(classified, ["loan"]), today=today, **known)


def series(amount: str, days: list[str], name: str, **more) -> list[dict]:
    return [movement(amount, day, merchant_name=name, **more) for day in days]


def every(days: int, count: int, last: date = date(2026, 3, 12)) -> list[str]:
    return [str(last - timedelta(days=days * back)) for back in reversed(range(count))]


def monthly(day: int, months: list[int]) -> list[str]:
    return [f"2026-{month:02}-{day:02}" if month <= 3 else f"2025-{month:02}-{day:02}" for month in months]


@pytest.mark.parametrize(
    ("days", "cadence", "next_due", "yearly"),
    [
        (every(7, 6), "weekly", date(2026, 3, 26), -52000),
        (every(14, 5), "fortnightly", date(2026, 3, 26), -26000),
        (every(28, 5), "monthly", date(2026, 4, 9), -13000),  # thirteen times a year, and not twelve
        (monthly(12, [10, 11, 12, 1, 2, 3]), "monthly", date(2026, 4, 12), -12000),
        (["2025-03-31", "2025-06-30", "2025-09-30", "2025-12-31"], "quarterly", date(2026, 3, 31), -4000),
        (["2024-09-05", "2025-03-05", "2025-09-05", "2026-03-05"], "half-yearly", date(2026, 9, 5), -2000),
        (["2023-05-02", "2024-05-02", "2025-05-02"], "yearly", date(2026, 5, 2), -1000),
    ],
)
def test_every_cadence(days, cadence, next_due, yearly) -> None:
    (one,) = found(*series("-10.00", days, "Gym Co"))
    assert (one.cadence.name, one.next, one.yearly, one.source) == (cadence, next_due, yearly, "detected")
    assert (one.low, one.usual, one.high, one.account_id, one.name) == (-1000, -1000, -1000, "everyday", "Gym Co")


@pytest.mark.parametrize(
    ("amount", "name", "kind"),
    [
        ("-10.00", "Netflix", "subscription"),
        ("-10.00", "Anytime Fitness Gym", "subscription"),
        ("-10.00", "Zzyzx Holdings", "payment"),  # in no category
        ("-10.00", "Coles Market", "payment"),  # the same shop every week is neither
        ("-10.00", "AAMI", "bill"),
        ("-10.00", "VICROADS REGO", "bill"),
        ("-10.00", "SERVICE NSW REGISTRATION", "bill"),
        ("-10.00", "TMR QLD", "bill"),
        ("-10.00", "Mortgage repayment", "loan"),
    ],
)
def test_what_a_payment_is_shows_in_its_category(amount: str, name: str, kind: str) -> None:
    (one,) = found(*series(amount, every(7, 6), name))
    assert one.kind == kind


def test_weekends_move_payments_and_the_next_one_too() -> None:
    # due on the 1st: 1 November, 1 February and 1 March were on weekends, so the payments came on the Monday
    days = ["2025-10-01", "2025-11-03", "2025-12-01", "2026-01-01", "2026-02-02", "2026-03-02"]
    (one,) = found(*series("-30.00", days, "Gym Co"))
    assert (one.cadence.name, one.next) == ("monthly", date(2026, 4, 1))
    (later,) = found(*series("-30.00", days, "Gym Co"), today=date(2026, 4, 2))
    assert later.next == date(2026, 5, 1)


def test_a_rise_in_price_is_said() -> None:
    rows = series("-15.99", monthly(5, [9, 10, 11, 12]), "Streamer") + series(
        "-18.99", monthly(5, [1, 2, 3]), "Streamer"
    )
    (one,) = found(*rows)
    assert one.changes == ((date(2026, 1, 5), -1599, -1899, date(2025, 12, 5)),)
    assert (one.low, one.usual, one.high, one.yearly) == (-1899, -1899, -1899, -22788)


def test_a_yearly_bill_has_a_price_each_year() -> None:
    rego = [
        *series("-820.00", ["2024-03-12"], "Service NSW registration"),
        *series("-861.00", ["2025-03-12"], "Service NSW registration"),
        *series("-880.00", ["2026-03-12"], "Service NSW registration"),
    ]
    two, three = found(*rego[:2]), found(*rego)
    first = (date(2025, 3, 12), -82000, -86100, date(2024, 3, 12))
    assert [(one.cadence.name, one.usual, one.changes) for one in two] == [("yearly", -86100, (first,))]
    second = (date(2026, 3, 12), -86100, -88000, date(2025, 3, 12))
    assert [(one.low, one.usual, one.high, one.changes) for one in three] == [(-88000, -88000, -88000, (first, second))]


def test_unlike_yearly_amounts_are_no_change_of_price() -> None:
    rows = [
        *series("-400.00", ["2025-03-12"], "Insurer", type="DIRECT_DEBIT"),
        *series("-861.00", ["2026-03-12"], "Insurer", type="DIRECT_DEBIT"),
    ]
    assert [(one.cadence.name, one.changes) for one in found(*rows)] == [("yearly", ())]


def test_two_subscriptions_of_one_merchant_are_two() -> None:
    small, large = (3, [11, 12, 1, 2, 3]), (18, [11, 12, 1, 2])
    rows = series("-4.49", monthly(*small), "Fruit") + series("-14.99", monthly(*large), "Fruit")
    # the second is due on 18 March, two days ago: the next one is a month later
    assert [(one.usual, one.next) for one in found(*rows)] == [
        (-1499, date(2026, 4, 18)),
        (-449, date(2026, 4, 3)),
    ]


def test_bills_may_vary_and_a_bill_a_year_apart_is_enough() -> None:
    power = {"primary_category": "RENT_AND_UTILITIES", "secondary_category": "RENT_AND_UTILITIES_GAS_AND_ELECTRICITY"}
    quarters = ("2025-05-20", "2025-08-19", "2025-11-20", "2026-02-19")
    bills = [
        movement(amount, day, merchant_name="AGL", **power)
        for amount, day in zip(("-310.00", "-520.00", "-280.00", "-350.00"), quarters, strict=True)
    ]
    (one,) = found(*bills)
    assert (one.cadence.name, one.low, one.usual, one.high, one.changes) == ("quarterly", -52000, -35000, -28000, ())
    insurance = series("-900.00", ["2025-03-08", "2026-03-02"], "Insurer", type="DIRECT_DEBIT")
    assert [one.cadence.name for one in found(*insurance)] == ["yearly"]
    assert found(*series("-900.00", ["2025-03-08", "2026-03-02"], "Insurer")) == []


def test_pay_comes_again_too() -> None:
    pay = {"primary_category": "INCOME", "secondary_category": "INCOME_SALARY"}
    (one,) = found(*series("2500.00", every(14, 6), "Acme", **pay))
    assert (one.usual, one.yearly, one.cadence.name) == (250000, 6500000, "fortnightly")


@pytest.mark.parametrize(
    "rows",
    [
        series("-10.00", ["2026-01-03", "2026-01-09", "2026-02-20", "2026-03-01", "2026-03-15"], "Shop"),
        [
            movement(a, d, merchant_name="Grocer")
            for a, d in zip(("-20", "-95", "-230", "-55"), every(7, 4), strict=True)
        ],
        series("-10.00", monthly(12, [1, 2, 3]), "Awaited", status="PENDING"),
        series("-10.00", monthly(12, [1, 2, 3]), "Abroad", currency="USD"),
        series("130.00", ["2025-06-10", "2025-09-12", "2025-12-11", "2026-03-10"], "Clothes"),  # refunds now and then
    ],
)
def test_what_keeps_no_time_or_has_stopped_is_left_out(rows) -> None:
    assert found(*rows) == []


def test_what_stopped_is_marked_with_the_days_since() -> None:
    newer = movement("-7.00", "2026-03-18", merchant_name="Bakery")
    (one,) = found(*series("-10.00", monthly(5, [7, 8, 9, 10]), "Cancelled"), newer)
    assert (one.ended, one.due, one.missed[0], one.as_answer().next) == (True, (), date(2025, 11, 5), None)
    (late,) = found(*series("-10.00", monthly(5, [10, 11, 12, 1, 2]), "Late"), newer)
    assert (late.ended, late.missed, late.next) == (False, (date(2026, 3, 5),), date(2026, 4, 5))
    assert found(*series("-10.00", ["2024-01-05", "2024-02-05", "2024-03-05"], "Long gone"), newer) == []


def test_where_the_rows_end_nothing_is_missed() -> None:
    """A bank's file of October that is looked at in March: November to March are not known, and come as before."""
    (one,) = found(*series("-10.00", monthly(5, [7, 8, 9, 10]), "Gym Co"))
    assert (one.ended, one.missed, one.next, one.due[:2]) == (
        *(False, (), date(2026, 4, 5)),
        (date(2025, 11, 5), date(2025, 12, 5)),
    )


@pytest.mark.parametrize(("months", "ended"), [([9, 10, 11, 12, 1], False), ([7, 8, 9, 10, 11], True)])
def test_an_account_that_stays_behind_is_taken_for_closed_after_90_days(months: list[int], ended: bool) -> None:
    """Rows of the savings account end on 5 January (74 days before those of the other) or on 5 November (135 days)."""
    newer = movement("-7.00", "2026-03-20", merchant_name="Bakery")
    (one,) = found(*series("-10.00", monthly(5, months), "Gym Co", account_id="savings"), newer)
    assert (one.ended, bool(one.missed)) == (ended, ended)


def test_a_series_that_moved_to_another_account_did_not_end() -> None:
    before = series("-10.00", monthly(5, [7, 8, 9, 10]), "Streamer")
    now = series("-10.00", monthly(5, [12, 1, 2, 3]), "Streamer", account_id="card")
    assert [(one.account_id, one.ended) for one in found(*before, *now)] == [("card", False)]


def test_holidays_move_payments_where_weekends_do() -> None:
    days = ["2025-10-03", "2025-11-03", "2025-12-03", "2026-01-05", "2026-02-03", "2026-03-03"]  # 3 January: Saturday
    (one,) = found(*series("-30.00", days, "Gym Co"), holidays={date(2026, 4, 3), date(2026, 4, 6)})
    assert one.next == date(2026, 4, 7)  # Good Friday, the weekend, Easter Monday
    pay = {"primary_category": "INCOME", "secondary_category": "INCOME_SALARY"}
    (paid,) = found(*series("2500.00", every(14, 6, date(2026, 3, 20)), "Acme", **pay), holidays={date(2026, 4, 3)})
    assert paid.due[:2] == (date(2026, 4, 2), date(2026, 4, 17))


def test_what_is_bought_when_needed_needs_a_price_that_stays() -> None:
    food = {"primary_category": "FOOD_AND_DRINK", "secondary_category": "FOOD_AND_DRINK_GROCERIES"}
    near = [
        movement(amount, day, merchant_name="Grocer", **food)
        for amount, day in zip(("-95", "-101", "-99", "-104", "-97", "-100"), every(7, 6), strict=True)
    ]
    assert found(*near) == []
    assert [one.cadence.name for one in found(*series("-59.90", every(7, 6), "Veggie Box", **food))] == ["weekly"]


def test_a_loan_is_listed_once_whatever_is_paid() -> None:
    """The bank asks for 1,950 a month; 2,000 is paid, and 1,400 of interest is charged to the loan."""
    rows = [
        leg
        for day in monthly(12, [12, 1, 2, 3])
        for leg in (
            movement("-2000.00", day, "Home loan repayment"),
            movement("2000.00", day, "Repayment", account_id="loan"),
            movement("-1400.00", day, "Interest charged", account_id="loan"),
        )
    ]
    raw = {
        "loan": {"next_instalment_date": "2026-04-12", "min_instalment_amount": "1950", "repayment_frequency": "P1M"}
    }
    (row,) = account_rows(accounts({"account_id": "loan", "display_name": "Home loan", "raw": json.dumps(raw)}))
    (one,) = found(*rows, planned=[loan_instalment(row)])
    assert (one.usual, one.account_id, one.to_account, one.kind) == (-200000, "everyday", "loan", "loan")


def test_paying_off_the_home_loan_comes_again_but_saving_does_not() -> None:
    rows = [
        leg
        for day in monthly(12, [12, 1, 2, 3])
        for leg in (
            movement("-2000.00", day, "Home loan repayment"),
            movement("2000.00", day, "Repayment", account_id="loan"),
            movement("-300.00", day, "Transfer to savings"),
            movement("300.00", day, "Transfer from everyday", account_id="savings"),
        )
    ]
    assert [(one.usual, one.account_id) for one in found(*rows)] == [(-200000, "everyday")]


def scheduled(*amounts: str, **more):
    recurrence = {
        "recurrence_u_type": "intervalSchedule",
        "interval_schedule": {"intervals": [{"interval": "P1M"}], **more},
    }
    rows = frame(
        "scheduled_payments",
        [
            {
                "id": "s",
                "account_id": "everyday",
                "nickname": "Rent",
                "status": "ACTIVE",
                "next_payment_date": date(2026, 4, 1),
                "recurrence": json.dumps(recurrence),
                "payment_set": json.dumps([{"amount": amount} for amount in amounts or ("450.00", "50.00")]),
            }
        ],
    )
    return ScheduledPaymentRow(*rows.row(0))


def test_what_the_bank_will_pay_outranks_what_was_found() -> None:
    past = series("-500.00", monthly(1, [11, 12, 1, 2, 3]), "Ray White")
    (one,) = found(*past, planned=[scheduled_payment(scheduled())])
    assert (one.name, one.source, one.usual, one.next) == ("Rent", "scheduled_payment", -50000, date(2026, 4, 1))
    assert (one.last, one.merchants) == (date(2026, 3, 1), ("ray white",))
    assert found(planned=[scheduled_payment(scheduled(payments_remaining=1))], today=date(2026, 4, 2)) == []
    assert found(planned=[scheduled_payment(scheduled(final_payment_date="2026-03-31"))]) == []


@pytest.mark.parametrize("amount", ["1e999999", "Infinity", "NaN", "1e30", "about 450"])
def test_a_payment_whose_amount_cannot_be_read_comes_without_one(amount: str) -> None:
    planned = scheduled_payment(scheduled(amount, "50.00"))
    assert (planned.name, planned.amount_minor, planned.next) == ("Rent", None, date(2026, 4, 1))


def test_a_direct_debit_names_its_source() -> None:
    rows = series("-59.00", monthly(12, [1, 2, 3]), "Anytime Fitness Newtown")
    (one,) = found(*rows, debits={"everyday": ["ANYTIME FITNESS PTY LTD"]})
    assert one.source == "direct_debit"


def test_a_loan_says_its_next_instalment() -> None:
    raw = {
        "loan": {"next_instalment_date": "2026-04-03", "min_instalment_amount": "2000.00", "repayment_frequency": "P1M"}
    }
    (row,) = account_rows(accounts({"account_id": "loan", "display_name": "Home loan", "raw": json.dumps(raw)}))
    (one,) = found(planned=[loan_instalment(row)])
    assert (one.name, one.usual, one.next, one.source) == ("Home loan", -200000, date(2026, 4, 3), "loan")
    assert loan_instalment(replace(row, raw="not JSON")) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [("P1W", "weekly"), ("P14D", "fortnightly"), ("P3M", "quarterly"), ("P1Y", "yearly"), ("P5D", None)],
)
def test_durations(text: str, name: str | None) -> None:
    cadence = of_duration(text)
    assert (cadence and cadence.name) == name
