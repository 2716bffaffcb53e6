"""Averages over the days that each account is known for, worked out by hand; and moves in one's own name."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from tests.analytics.money.built import accounts, movement, transactions
from toolkit.analytics.money.classify import classify
from toolkit.analytics.money.parties import people_called
from toolkit.analytics.money.statement.averages import OwnDebt, Owned, income_and_expenses
from toolkit.answers.base import Period
from toolkit.answers.report.income_expenses import IncomeExpenses

HALF_YEAR = Period(date(2026, 1, 1), date(2026, 6, 30))  # 181 days
NAMES = {"everyday": "Everyday", "card": "Visa"}


def each_week(amount: str, first: str, last: str, text: str, account: str = "everyday") -> list[dict[str, Any]]:
    day, rows = date.fromisoformat(first), []
    while day <= date.fromisoformat(last):
        rows.append(movement(amount, str(day), text, account_id=account))
        day += timedelta(7)
    return rows


def worked_out(*rows: dict[str, Any], owned: Owned | None = None, period: Period = HALF_YEAR) -> IncomeExpenses:
    own = accounts({"account_id": "everyday"}, {"account_id": "card", "product_category": "CRED_AND_CHRG_CARDS"})
    known = classify(transactions(*rows), own, zone="Australia/Sydney").rows
    return income_and_expenses(known, owned or Owned(accounts=NAMES), (), None, period=period, per="fortnight")


def shown(answer: IncomeExpenses) -> dict[str, tuple[str, int | None]]:
    return {line.name: (str(line.amount), line.days) for line in answer.lines}


def test_each_account_is_averaged_over_the_days_that_it_is_known_for() -> None:
    """The card's file begins on 1 April, so 91 of the 181 days: 91 dollars there are 14 a fortnight, not 7.04."""
    gifts = [movement(amount, day, "KMART", account_id="card") for day, amount in GIFTS]
    answer = worked_out(
        *each_week("-70.00", "2026-01-01", "2026-06-25", "WOOLWORTHS 1234"),
        *each_week("-50.00", "2026-04-01", "2026-06-30", "BP FUEL", "card"),
        *gifts,
        movement("-181.00", "2026-03-03", "JB HI-FI"),
    )
    assert shown(answer) == {
        "Groceries": ("140.00", 181),
        "Fuel": ("100.00", 91),  # 50.28 over all of the days
        "Discount department stores": ("14.00", 91),
        "Electronics": ("14.00", 181),
    }
    [note] = [note for note in answer.notes if note.code == "account_part_known"]
    assert dict(note.figures) == {
        "account": "Visa",
        "first": date(2026, 4, 1),
        "last": date(2026, 6, 30),
        "days": 91,
    }


GIFTS = (("2026-04-02", "-1.00"), ("2026-04-03", "-40.00"), ("2026-06-09", "-50.00"))


def test_what_is_paid_from_two_accounts_is_averaged_over_the_days_of_each_and_added() -> None:
    answer = worked_out(
        *each_week("-70.00", "2026-01-01", "2026-06-25", "WOOLWORTHS 1234"),
        *each_week("-30.00", "2026-04-01", "2026-06-30", "WOOLWORTHS 1234", "card"),
    )
    assert shown(answer) == {"Groceries": ("200.00", 181)}  # 140 + 60
    assert answer.lines[0].payments == 26 + 13


def test_a_file_that_ends_before_the_others_is_averaged_over_its_days() -> None:
    answer = worked_out(
        *each_week("-70.00", "2026-01-01", "2026-06-25", "WOOLWORTHS 1234"),
        *each_week("-50.00", "2026-01-01", "2026-05-28", "BP FUEL", "card"),
        movement("-148.00", "2026-03-03", "KMART", account_id="card"),
    )
    assert shown(answer)["Discount department stores"] == ("14.00", 148)  # to 28 May


def test_an_account_that_was_closed_is_known_to_the_end() -> None:
    answer = worked_out(
        *each_week("-70.00", "2026-01-01", "2026-06-25", "WOOLWORTHS 1234"),
        *each_week("-50.00", "2026-01-01", "2026-02-26", "BP FUEL", "card"),
        movement("-181.00", "2026-02-03", "KMART", account_id="card"),
    )
    assert shown(answer)["Discount department stores"] == ("14.00", 181)
    assert not any(note.code == "account_part_known" for note in answer.notes)


def test_accounts_that_follow_each_other_are_averaged_over_the_days_of_both() -> None:
    """Somebody changes banks in March; each account over its own days would give twice what is spent."""
    answer = worked_out(
        *each_week("-70.00", "2026-01-01", "2026-03-26", "WOOLWORTHS 1234"),
        *each_week("-70.00", "2026-04-02", "2026-06-25", "WOOLWORTHS 1234", "new"),
        movement("-181.00", "2026-05-05", "KMART", account_id="new"),
    )
    assert shown(answer) == {"Groceries": ("140.00", 181), "Discount department stores": ("14.00", 181)}


def test_a_card_is_no_debt_that_grew_for_days_of_which_no_repayment_can_be_known() -> None:
    """The card is known since January, the account that pays it since April."""
    owned = Owned({"card": OwnDebt("Visa", "CRED_AND_CHRG_CARDS")}, NAMES)
    repaid = [
        row
        for month in (4, 5, 6)
        for row in (
            movement("-200.00", f"2026-{month:02}-20", "CREDIT CARD PAYMENT"),
            movement("200.00", f"2026-{month:02}-20", "PAYMENT RECEIVED THANK YOU", account_id="card"),
        )
    ]
    rows = [
        *each_week("-50.00", "2026-01-01", "2026-06-25", "BP FUEL", "card"),
        *each_week("-70.00", "2026-04-01", "2026-06-24", "WOOLWORTHS 1234"),
        *repaid,
    ]
    answer = worked_out(*rows, owned=owned)
    assert answer.by_card[0].total == 1300  # 26 weeks, of which 13 were repaid
    assert "debt_grew" not in answer.note_codes


def test_moves_in_ones_own_name_are_neither_income_nor_expense() -> None:
    rows = (
        movement("1400.00", "2026-03-05", "SALARY ACME PTY LTD"),
        movement("300.00", "2026-03-06", "TRANSFER FROM S CITIZEN"),
        movement("-120.00", "2026-03-07", "TRANSFER TO S CITIZEN"),
        movement("80.00", "2026-03-08", "TRANSFER FROM M STRANGER"),
    )
    march = Period(date(2026, 3, 2), date(2026, 3, 29))
    own = Owned(people=people_called(["Sam Citizen"]))
    answer = worked_out(*rows, owned=own, period=march)
    assert [(line.section, line.total) for line in answer.lines] == [("pay", 1400), ("other_income", 80)]
    about = answer.difference
    assert (about.spending, about.uncategorised_income, about.own_moves) == (-260, 80, 180)
    assert about.expenses == 0 == about.spending + about.uncategorised_income + about.own_moves
    [said] = [note for note in answer.notes if note.code == "own_name_not_counted"]
    assert dict(said.figures) == {"name": "S Citizen", "came": Decimal(300), "went": Decimal(120)}


def test_a_payer_that_is_called_like_a_category_is_named_as_a_payer() -> None:
    rows = each_week("900.00", "2026-01-01", "2026-06-25", "WAGES TRANSPORT PTY LTD")
    assert shown(worked_out(*rows)) == {"Pay from “Transport”": ("1800.00", 181)}


def test_spending_by_month_has_the_sections_of_the_statement() -> None:
    food = {"primary_category": "FOOD_AND_DRINK", "secondary_category": "FOOD_AND_DRINK_COFFEE"}
    answer = worked_out(
        movement("-10.00", "2026-01-05", "CAFE", **food),
        movement("-30.00", "2026-01-06", "WOOLWORTHS 1234"),
        movement("-7.00", "2026-02-06", "AFTERPAY"),
    )
    by_month = [(each.month, each.section, each.spent) for each in answer.by_month]
    assert by_month == [("2026-01", "food", Decimal("40.00")), ("2026-02", "debts", Decimal("7.00"))]


def test_interest_of_a_home_loan_is_housing_as_its_repayments_are() -> None:
    interest = {"primary_category": "BANK_FEES", "secondary_category": "BANK_FEES_INTEREST_CHARGE"}
    rows = (
        movement("-900.00", "2026-01-31", "INTEREST CHARGED", account_id="loan", **interest),
        movement("-20.00", "2026-01-30", "INTEREST CHARGED", account_id="card", **interest),
    )
    owned = Owned({"loan": OwnDebt("Home loan", "RESIDENTIAL_MORTGAGES"), "card": OwnDebt("Visa", None)})
    answer = worked_out(*rows, owned=owned)
    assert [(each.section, each.spent) for each in answer.by_month] == [("debts", 20), ("housing", 900)]
    assert [(line.section, line.total) for line in answer.lines] == [("housing", 900), ("debts", 20)]
