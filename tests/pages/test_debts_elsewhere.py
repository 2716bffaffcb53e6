"""A card or loan that is paid each month and is not among the accounts: what is owed on it is in no figure, and the
pages say so where they say what is owed and whether the money lasts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.seen import metrics, read, with_bank_rows
from toolkit.flows.imports.load import load
from toolkit.flows.money.accounts import set_account
from toolkit.flows.money.cashflow import cashflow, net_worth

Visit = Callable[..., AppTest]
LAST = '18/06/2026,"-20.00","CORNER HOUSE","+6480.00"\n'


def monthly(text: str, cents: str, months: tuple[int, ...] = (4, 5, 6)) -> str:
    return "".join(f'05/{month:02}/2026,"-{cents}","{text}","+6500.00"\n' for month in months)


LOAN = monthly("LOAN REPAYMENT WESTPAC PERSONAL LOAN", "410.00")
CARD = monthly("CREDIT CARD PAYMENT CITIBANK", "655.10")


def owed(test: AppTest) -> tuple[str, str]:
    (metric,) = [metric for metric in test.metric if metric.label == "You owe"]
    return metric.value, str(metric.delta).replace("\\", "")


def test_you_owe_says_that_it_is_of_the_accounts_here(tmp_path: Path, visit: Visit) -> None:
    ctx = with_bank_rows(tmp_path, LOAN + LAST)
    (name,) = net_worth(ctx).loans_elsewhere
    test = visit(ctx.db, "accounts")
    assert owed(test) == ("$0", f"in the accounts here, without {name}")
    assert f"You pay {name} each month, and none of your accounts here is that debt" in read(test)
    assert "Add its transactions, or connect it, on the Data page." in read(test)


@pytest.mark.parametrize("rows", ["", monthly("LOAN REPAYMENT WESTPAC PERSONAL LOAN", "410.00", (5, 6))])
def test_without_a_loan_that_is_paid_each_month_nothing_is_said(tmp_path: Path, visit: Visit, rows: str) -> None:
    ctx = with_bank_rows(tmp_path, monthly("CORNER HOUSE", "20.00") + rows + LAST)
    (metric,) = [metric for metric in visit(ctx.db, "accounts").metric if metric.label == "You owe"]
    assert (metric.value, metric.delta) == ("$0", "")


def test_a_loan_among_the_accounts_is_owed_there(tmp_path: Path, visit: Visit) -> None:
    ctx = with_bank_rows(tmp_path, LOAN + LAST)
    received = "".join(f'05/{month:02}/2026,"410.00","LOAN REPAYMENT RECEIVED","-9000.00"\n' for month in (4, 5, 6))
    (tmp_path / "loan.csv").write_text(received)
    load(ctx, [tmp_path / "loan.csv"], account="loan")
    set_account(ctx, "loan", kind="loan")
    assert not net_worth(ctx).loans_elsewhere
    assert metrics(visit(ctx.db, "accounts"))["You owe"] == "$9,000"


def test_a_card_that_is_not_among_the_accounts_is_in_the_sentence_that_the_money_lasts(
    tmp_path: Path, visit: Visit
) -> None:
    ctx = with_bank_rows(tmp_path, CARD + LAST)
    (name,) = cashflow(ctx).cards_elsewhere
    words = read(visit(ctx.db, "coming-up", tab="Cash flow"))
    assert (
        f"Yes, your money lasts until 17 Sep 2026, as far as the accounts here show (without the card that you pay as "
        f"{name}): the lowest is likely "
    ) in words
    assert "what you buy with it counts only when you pay it" in words


def test_an_account_without_a_balance_is_in_that_sentence_too(tmp_path: Path, visit: Visit) -> None:
    ctx = with_bank_rows(tmp_path, LAST)
    (tmp_path / "visa.csv").write_text("Date,Amount,Description\n15/06/2026,-9.00,CAFE\n")
    load(ctx, [tmp_path / "visa.csv"], account="Visa")
    words = read(visit(ctx.db, "coming-up", tab="Cash flow"))
    assert "Yes, your money lasts until 17 Sep 2026, as far as the accounts here show (without Visa): the " in words


def test_the_balance_is_asked_for_before_the_figures(tmp_path: Path, visit: Visit) -> None:
    """“Enter the balance” of the cash flow leads to the page: its field is the first on it."""
    ctx = with_bank_rows(tmp_path, LAST)
    (tmp_path / "visa.csv").write_text("Date,Amount,Description\n15/06/2026,-9.00,CAFE\n")
    load(ctx, [tmp_path / "visa.csv"], account="Visa")
    drawn = [element.type for element in visit(ctx.db, "accounts").main if element.type in ("metric", "text_input")]
    assert drawn.index("text_input") < drawn.index("metric")
