"""Income and expenses, worked out by hand: averages, repayments whole, and how the sums differ from spending."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest

from tests.analytics.money.built import accounts, movement, transactions
from tests.many_cases import rest_slow
from toolkit.analytics.money.classify import classify
from toolkit.analytics.money.statement.averages import (
    EvenPayment,
    OwnDebt,
    Owned,
    income_and_expenses,
    statement_days,
)
from toolkit.analytics.money.statement.cycles import days_covered
from toolkit.analytics.money.sums.months import Question
from toolkit.analytics.money.sums.rows import spending_of_rows
from toolkit.answers.base import Period
from toolkit.answers.report.income_expenses import AsToldLine, IncomeExpenses, StatementPer

MARCH = Period(date(2026, 3, 2), date(2026, 3, 29))  # four weeks
DEBTS = {
    "card": OwnDebt("Visa", "CRED_AND_CHRG_CARDS"),
    "loan": OwnDebt("Home loan", "RESIDENTIAL_MORTGAGES"),
}
CENTRELINK = (
    ("CENTRELINK JOBSEEKER 301A", "300.00"),
    ("CTRLINK FAM TAX BENEFIT", "150.00"),
    ("SERVICES AUSTRALIA 1234", "20.00"),
)
ROWS = [
    movement("1400.00", "2026-03-05", "SALARY ACME PTY LTD"),
    movement("1400.00", "2026-03-19", "SALARY ACME PTY LTD"),
    *(movement(amount, "2026-03-10", text) for text, amount in CENTRELINK),
    movement(
        "-400.00",
        "2026-03-03",
        "RENT RAY WHITE",
        primary_category="RENT_AND_UTILITIES",
        secondary_category="RENT_AND_UTILITIES_RENT",
    ),
    movement(
        "-120.00",
        "2026-03-04",
        "AGL ENERGY",
        primary_category="RENT_AND_UTILITIES",
        secondary_category="RENT_AND_UTILITIES_GAS_AND_ELECTRICITY",
    ),
    movement(
        "-60.00",
        "2026-03-06",
        "WOOLWORTHS 1234",
        primary_category="FOOD_AND_DRINK",
        secondary_category="FOOD_AND_DRINK_GROCERIES",
    ),
    movement(
        "10.00",
        "2026-03-07",
        "WOOLWORTHS REFUND",
        primary_category="FOOD_AND_DRINK",
        secondary_category="FOOD_AND_DRINK_GROCERIES",
    ),
    movement("-25.00", "2026-03-08", "AFTERPAY"),
    movement("-25.00", "2026-03-22", "AFTERPAY"),
    movement(
        "-50.00",
        "2026-03-09",
        "SPORTSBET",
        primary_category="ENTERTAINMENT",
        secondary_category="ENTERTAINMENT_CASINOS_AND_GAMBLING",
    ),
    # bought on the card, then repaid from the everyday account
    movement(
        "-80.00",
        "2026-03-11",
        "BP FUEL",
        account_id="card",
        primary_category="TRANSPORTATION",
        secondary_category="TRANSPORTATION_GAS",
    ),
    movement(
        "-5.00",
        "2026-03-12",
        "INTEREST CHARGED",
        account_id="card",
        primary_category="BANK_FEES",
        secondary_category="BANK_FEES_INTEREST_CHARGE",
    ),
    movement("-200.00", "2026-03-20", "CREDIT CARD PAYMENT"),
    movement("200.00", "2026-03-20", "PAYMENT RECEIVED", account_id="card"),
]


def rows() -> pl.DataFrame:
    own = accounts(
        {"account_id": "everyday", "account_number": "111222333", "product_category": "TRANS_AND_SAVINGS_ACCOUNTS"},
        {"account_id": "card", "masked_number": "xxxx xxxx xxxx 7788", "product_category": "CRED_AND_CHRG_CARDS"},
    )
    return classify(transactions(*ROWS), own, zone="Australia/Sydney").rows


def worked_out(per: StatementPer = "fortnight", *stated: AsToldLine, even: EvenPayment | None = None) -> IncomeExpenses:
    return income_and_expenses(rows(), Owned(DEBTS), stated, even, period=MARCH, per=per)


def lines(answer: IncomeExpenses) -> dict[tuple[str, str], tuple[str, int | None]]:
    return {(line.section, line.name): (str(line.amount), line.payments) for line in answer.lines}


def test_averages_by_section_with_the_payments_behind_them() -> None:
    assert lines(worked_out()) == {
        ("pay", "Acme"): ("1400.00", 2),
        ("centrelink", "JobSeeker Payment"): ("150.00", 1),
        ("centrelink", "Family Tax Benefit"): ("75.00", 1),
        ("centrelink", "Centrelink"): ("10.00", 1),
        ("housing", "Rent"): ("200.00", 1),
        ("energy", "AGL"): ("60.00", 1),
        ("food", "Groceries"): ("25.00", 1),
        ("debts", "Visa (card repayments)"): ("100.00", 1),
        ("debts", "Afterpay"): ("25.00", 2),
        ("gambling", "Gambling"): ("25.00", 1),
    }


def test_sums_and_what_is_left() -> None:
    answer = worked_out(even=EvenPayment(Decimal("55.00"), Decimal("70.00")))
    assert (answer.income, answer.expenses, answer.left) == (Decimal("1635.00"), Decimal("435.00"), Decimal("1200.00"))
    assert answer.largest_payment == Decimal("1260.00")  # what is left, and the 60.00 that goes to energy now
    assert (answer.even_payment, answer.even_payment_p90) == (Decimal("55.00"), Decimal("70.00"))


def test_a_card_repaid_counts_once_and_the_difference_to_spending_is_explained() -> None:
    about = worked_out().difference
    spending = spending_of_rows(rows(), Question(MARCH.first, MARCH.last)).spent
    assert about.spending == spending == Decimal("755.00")  # 400 + 120 + 60 - 10 + 50 + 50 + 80 + 5
    assert (about.repayments, about.card_purchases, about.interest) == (
        Decimal("200.00"),
        Decimal("-80.00"),
        Decimal("-5.00"),
    )
    assert about.expenses == Decimal("870.00")
    assert about.expenses == sum(
        line.total or 0
        for line in worked_out().lines
        if line.section in ("housing", "energy", "food", "debts", "gambling")
    )


def test_what_was_bought_with_a_repaid_card_is_listed_apart() -> None:
    answer = worked_out()
    by_card = [(line.section, line.name, str(line.amount), str(line.total), line.payments) for line in answer.by_card]
    assert by_card == [("transport", "Fuel", "40.00", "80.00", 1)]  # 80 in four weeks; the interest is not bought
    assert "transport" not in {line.section for line in answer.lines}


def card_of_two_months(*repaid: str) -> IncomeExpenses:
    """A wage, and a card with power of 120, food of 480 and interest of 10, repaid by these amounts."""
    power = {"primary_category": "RENT_AND_UTILITIES", "secondary_category": "RENT_AND_UTILITIES_GAS_AND_ELECTRICITY"}
    food = {"primary_category": "FOOD_AND_DRINK", "secondary_category": "FOOD_AND_DRINK_GROCERIES"}
    interest = {"primary_category": "BANK_FEES", "secondary_category": "BANK_FEES_INTEREST_CHARGE"}
    rows = [
        movement("2000.00", "2026-03-02", "SALARY ACME PTY LTD"),
        movement("-120.00", "2026-03-05", "AGL ENERGY", account_id="card", **power),
        movement("-480.00", "2026-04-20", "WOOLWORTHS 1234", account_id="card", **food),
        movement("-10.00", "2026-04-21", "INTEREST CHARGED", account_id="card", **interest),
    ]
    for day, cents in enumerate(repaid, 10):
        rows += [
            movement(f"-{cents}", f"2026-03-{day}", "CREDIT CARD PAYMENT"),
            movement(cents, f"2026-03-{day}", "PAYMENT RECEIVED", account_id="card"),
        ]
    own = accounts(
        {"account_id": "everyday", "account_number": "111222333", "product_category": "TRANS_AND_SAVINGS_ACCOUNTS"},
        {"account_id": "card", "masked_number": "xxxx xxxx xxxx 7788", "product_category": "CRED_AND_CHRG_CARDS"},
    )
    classified = classify(transactions(*rows), own, zone="Australia/Sydney").rows
    period = Period(date(2026, 3, 2), date(2026, 4, 26))  # eight weeks
    return income_and_expenses(classified, Owned(DEBTS), (), None, period=period, per="week")


def test_a_card_that_takes_much_more_than_is_repaid_is_a_debt_that_grew() -> None:
    (grew,) = [note for note in card_of_two_months("200.00").notes if note.code == "debt_grew"]
    assert dict(grew.figures) == {"name": "Visa", "charged": Decimal("610.00"), "growth": Decimal("410.00")}


def test_a_card_repaid_but_for_a_months_purchases_did_not_grow() -> None:
    # 610 in 56 days are 331 a month
    assert "debt_grew" not in card_of_two_months("280.00").note_codes


@pytest.mark.parametrize(("repaid", "largest"), [("280.00", "230.00"), ("200.00", "225.00")])
def test_energy_paid_by_card_counts_toward_the_largest_payment_unless_the_debt_grew(repaid: str, largest: str) -> None:
    # 2000 in eight weeks less the repayments; and 15 a week of power where the card is repaid
    assert card_of_two_months(repaid).largest_payment == Decimal(largest)


def test_money_in_without_a_category_is_income_unless_it_comes_back_from_a_shop() -> None:
    """Otherwise 26 deposits of a parent would be an expense of less than nothing."""
    moved = transactions(
        movement("120.00", "2026-03-03", "QUUX ZORBLAX"),
        movement("120.00", "2026-03-17", "QUUX ZORBLAX"),
        movement("-90.00", "2026-03-04", "FROBNITZ HALL"),
        movement("30.00", "2026-03-06", "FROBNITZ HALL"),
        movement("55.00", "2026-03-08", "PAYMENT RECEIVED THANK YOU", account_id="card"),
    )
    own = accounts({"account_id": "card", "product_category": "CRED_AND_CHRG_CARDS"})
    classified = classify(moved, own, zone="Australia/Sydney").rows
    answer = income_and_expenses(classified, Owned(DEBTS), (), None, period=MARCH, per="fortnight")
    assert [(line.section, str(line.amount), line.payments) for line in answer.lines if line.total == 240] == [
        ("other_income", "120.00", 2)
    ]
    assert answer.income == 120
    about = answer.difference
    assert about.spending == spending_of_rows(classified, Question(MARCH.first, MARCH.last)).spent
    assert (about.uncategorised_income, about.expenses) == (240, about.spending + 240)


@pytest.mark.parametrize(
    ("text", "section", "name"),
    [
        ("PARENTING PAYMENT 305X", "centrelink", "Parenting Payment"),
        ("AGE PENSION 123A", "centrelink", "Age Pension"),
        ("CENTRELINK PENSION AGE 304X2211", "centrelink", "Age Pension"),
        ("DIRECT CREDIT 012721 CENTRELINK AUS GOV FAMILIES", "centrelink", "Family Tax Benefit"),
        ("AUS GOV FAMILIES 304X2211", "centrelink", "Family Tax Benefit"),
        ("DEPOSIT CSA CHILD SUPPORT", "other_income", "Child support"),
        ("SERVICES AUSTRALIA CHILD SUPPORT", "other_income", "Child support"),
    ],
)
def test_payments_are_named_by_what_they_are(text: str, section: str, name: str) -> None:
    paid = classify(transactions(movement("200.00", "2026-03-10", text)), accounts(), zone="Australia/Sydney").rows
    answer = income_and_expenses(paid, Owned(), (), None, period=MARCH, per="fortnight")
    assert lines(answer) == {(section, name): ("100.00", 1)}


def test_a_purchase_on_a_card_that_nobody_repaid_counts() -> None:
    before = income_and_expenses(
        rows(), Owned(DEBTS), (), None, period=Period(date(2026, 3, 9), date(2026, 3, 15)), per="week"
    )
    assert lines(before)["transport", "Fuel"] == ("80.00", 1)
    assert before.difference.expenses == before.difference.spending


def test_amounts_of_a_month_and_a_year() -> None:
    assert lines(worked_out("week"))["pay", "Acme"][0] == "700.00"  # 2,800 in four weeks
    assert lines(worked_out("month"))["pay", "Acme"][0] == "3041.67"  # 100 a day × 365 ÷ 12
    assert lines(worked_out("year"))["pay", "Acme"][0] == "36500.00"


@pytest.mark.parametrize("days", [43, 49, 56, 62, 90])
@pytest.mark.parametrize("first", rest_slow(range(14), quick=2))
def test_a_pay_each_fortnight_is_the_same_wherever_the_days_begin_and_end(first: int, days: int) -> None:
    """Of 43 days 42 to 56 are pay cycles: taken as 43 they made up to 30 % too much of the pay."""
    start = date(2026, 1, 5)
    paid = [start + timedelta(day) for day in range(first, days, 14)]
    pays = classify(transactions(*(movement("1400.00", str(day), "SALARY ACME PTY LTD") for day in paid)), accounts())
    period = Period(start, start + timedelta(days - 1))
    (line,) = income_and_expenses(pays.rows, Owned(), (), None, period=period, per="fortnight").lines
    assert (line.amount, line.payments, line.total) == (Decimal("1400.00"), len(paid), 1400 * len(paid))


@pytest.mark.parametrize(
    ("paid_on", "days", "covered"),
    [
        ([1, 29, 60], 62, Fraction(365, 4)),  # rent on the first of February, March and April, until the third
        ([0, 7, 14, 21], 22, Fraction(28)),
        ([0, 14], 15, Fraction(15)),  # two are no rhythm
        ([0, 14, 28], 90, Fraction(90)),  # the job ended
        ([0, 14, 42], 50, Fraction(50)),  # one was missed
        ([0, 1, 30, 45], 50, Fraction(50)),
        ([], 50, Fraction(50)),
    ],
)
def test_regular_payments_stand_for_a_cycle_each(paid_on: list[int], days: int, covered: Fraction) -> None:
    assert days_covered([date(2026, 1, 31) + timedelta(day) for day in paid_on], days) == covered


@pytest.mark.parametrize(
    ("paid_on", "days", "covered"),
    [
        ([2, 16], 31, Fraction(28)),  # a month of pays each fortnight: 1,400 is 1,400, not 1,264.52
        ([2, 17], 31, Fraction(28)),  # a public holiday
        ([0, 30], 61, Fraction(365, 6)),  # each month
        ([2, 19], 31, Fraction(31)),  # no cycle has 17 days
        ([2, 16], 60, Fraction(60)),  # the job ended, or began
        ([2], 31, Fraction(31)),
    ],
)
def test_two_pays_stand_for_a_cycle_each(paid_on: list[int], days: int, covered: Fraction) -> None:
    assert days_covered([date(2026, 3, 1) + timedelta(day) for day in paid_on], days, is_regular_income=True) == covered


def test_pay_and_centrelink_of_a_month_are_what_comes_each_fortnight() -> None:
    """A shop of the same days is averaged over the month: 100 × 2 ÷ 31 × 14."""
    rows = [
        movement(amount, f"2026-03-{day:02}", text)
        for day in (4, 18)
        for text, amount in (
            ("SALARY ACME PTY LTD", "2627.00"),
            ("CENTRELINK JOBSEEKER 301A", "781.10"),
            ("WOOLWORTHS 1234", "-100.00"),
        )
    ]
    of = classify(transactions(*rows), accounts()).rows
    period = Period(date(2026, 3, 1), date(2026, 3, 31))
    answer = income_and_expenses(of, Owned(), (), None, period=period, per="fortnight")
    assert [(line.section, str(line.amount)) for line in answer.lines] == [
        ("pay", "2627.00"),
        ("centrelink", "781.10"),
        ("food", "90.32"),
    ]


def test_stated_lines_are_marked_and_counted() -> None:
    stated = (
        AsToldLine(id="1", kind="income", name="Cash work", amount=Decimal("50.00"), per="week"),
        AsToldLine(id="2", kind="debt", name="Uncle", amount=Decimal("365.00"), per="year", balance=Decimal("900.00")),
        AsToldLine(id="3", kind="expense", name="School lunches", amount=Decimal("20.00"), per="week", section="food"),
        AsToldLine(id="4", kind="people", name="Two children"),
    )
    answer = worked_out("fortnight", *stated)
    shown = [(line.section, line.name, str(line.amount), line.balance) for line in answer.lines if line.is_stated]
    assert shown == [
        ("other_income", "Cash work", "100.00", None),
        ("food", "School lunches", "40.00", None),
        ("debts", "Uncle", "14.00", Decimal("900.00")),
    ]
    assert answer.people == ("Two children",)
    assert answer.left == Decimal("1246.00")  # 1,200 + 100 − 40 − 14
    assert answer.difference == worked_out().difference


def test_cash_that_may_pay_stated_expenses_is_warned_of() -> None:
    withdrawn = movement(
        "-100.00", "2026-03-10", "ATM", primary_category="TRANSFER_OUT", secondary_category="TRANSFER_OUT_WITHDRAWAL"
    )
    known = classify(transactions(*ROWS, withdrawn), accounts(), zone="Australia/Sydney").rows
    stated = (AsToldLine(id="3", kind="expense", name="Market", amount=Decimal(20), per="week"),)
    with_cash = income_and_expenses(known, Owned(DEBTS), stated, None, period=MARCH, per="week")
    assert "cash_may_count_twice" in with_cash.note_codes
    assert "cash_may_count_twice" not in worked_out("week", *stated).note_codes


def test_the_days_are_those_with_transactions() -> None:
    stored, today = Period(date(2024, 1, 1), date(2026, 3, 22)), date(2026, 6, 1)
    assert statement_days(stored, None, None, today) == Period(date(2025, 3, 23), date(2026, 3, 22))  # 365
    assert statement_days(stored, date(2020, 1, 1), date(2026, 3, 31), today) == stored
    assert statement_days(stored, None, None, date(2026, 3, 10)) == Period(date(2025, 3, 11), date(2026, 3, 10))
    assert statement_days(stored, date(2026, 3, 23), None, today) is None
    assert statement_days(None, None, None, today) is None


def test_without_transactions_only_what_was_stated_is_listed() -> None:
    stated = (AsToldLine(id="1", kind="income", name="Pay", amount=Decimal("500.00"), per="week"),)
    answer = income_and_expenses(rows().clear(), Owned(), stated, None, period=None, per="week")
    assert (answer.from_, answer.income, answer.note_codes) == (
        None,
        Decimal("500.00"),
        ("statement_without_transactions",),
    )
