"""The pages Coming up and Accounts, for a household with files only."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.meters import level
from tests.pages.seen import TODAY, beside, metrics, press, read, with_bank_rows
from tests.problems import names
from toolkit.flows.desk.figures import current_figures
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.money.accounts import list_accounts, set_account
from toolkit.flows.money.recurring import recurring
from toolkit.flows.money.summary import spending
from toolkit.pages.money.coming_up import MONEY_IN, NOTHING_DUE

Visit = Callable[..., AppTest]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A file of 24 weeks: pay each fortnight, a gym whose price rose each month, shopping; balances run."""
    rows, balance = [], Decimal("500.00")
    for back in range(168, 0, -1):
        day = TODAY - timedelta(days=back)
        due = [("-20.00", "GROCER 12")] if back % 5 == 0 else []
        due += [("2000.00", "SALARY ACME PTY LTD")] if back % 14 == 9 else []
        due += [("-30.00" if day < date(2026, 4, 1) else "-35.00", "ANYTIME FITNESS")] if day.day == 3 else []
        for amount, text in due:
            balance += Decimal(amount)
            rows.append(f'{day:%d/%m/%Y},"{amount}","{text}","{balance}"')
    path = tmp_path / "home.db"
    (tmp_path / "everyday.csv").write_text("\n".join([*rows, ""]))
    (tmp_path / "loan.csv").write_text("Date,Amount,Description\n15/05/2026,900.00,REPAYMENT\n")
    load(Context(path, TODAY), [tmp_path / "everyday.csv", tmp_path / "loan.csv"])
    return path


def test_what_is_coming_is_listed_with_its_change_of_price(db: Path, visit: Visit) -> None:
    test = visit(db, "coming-up")
    assert not test.exception
    assert metrics(test)["Price rises"] == "1"
    frames = [table.value for table in visit(db, "coming-up", tab="Regular payments").dataframe]
    recurring = next(frame for frame in frames if "cadence" in frame.columns)
    assert set(recurring["usual"]) == {2000.0, -35.0}
    (gym,) = next(frame for frame in frames if "after" in frame.columns).to_dict("records")
    assert (gym["what"], gym["before"], gym["after"], gym["yearly"]) == ("Costs more", 30.0, 35.0, 60.0)
    assert gym["date"].date() == date(2026, 4, 3)


def test_money_that_comes_in_each_fortnight_is_no_subscription(tmp_path: Path, visit: Visit) -> None:
    days = [TODAY - timedelta(14 * back + 3) for back in range(12)]
    (tmp_path / "bank.csv").write_text("".join(f'{day:%d/%m/%Y},"150.00","ZORBLAX QUUX",""\n' for day in days))
    path = tmp_path / "home.db"
    load(Context(path, TODAY), [tmp_path / "bank.csv"])
    frames = [table.value for table in visit(path, "coming-up", tab="Regular payments").dataframe]
    again = next(frame for frame in frames if "cadence" in frame.columns)
    assert (list(again["usual"]), list(again["kind"])) == ([150.0], [MONEY_IN])


def test_the_next_income_is_pay_though_interest_comes_before_it(tmp_path: Path, visit: Visit) -> None:
    """Pay came on 11 June and comes again on the 25th; interest comes on the 22nd."""
    rows = [(TODAY - timedelta(14 * back + 9), "2000.00", "SALARY ACME PTY LTD") for back in range(12)]
    rows += [(date(2026, month, 22), "1.50", "INTEREST PAID") for month in range(1, 6)]
    ctx = with_bank_rows(tmp_path, "".join(f'{day:%d/%m/%Y},"{amount}","{text}",""\n' for day, amount, text in rows))
    page = visit(ctx.db, "coming-up")
    assert {entry.name: entry.date.day for entry in recurring(ctx).upcoming[:2]} == {"Interest Paid": 22, "Acme": 25}
    assert metrics(page)["Next income"] == "$2,000"


def test_the_calendar_opens_on_the_first_month_in_which_something_is_due(tmp_path: Path, visit: Visit) -> None:
    """Paid on the second of each month to June; today is 20 June."""
    paid = "".join(f'02/{month:02}/2026,"-64.80","WOMBAT FITNESS",""\n' for month in range(1, 7))
    page = visit(with_bank_rows(tmp_path, paid).db, "coming-up")
    assert page.button_group(key="coming-month").value == date(2026, 7, 1)


def test_where_only_a_yearly_payment_comes_again_and_not_soon_the_calendar_says_so(
    tmp_path: Path, visit: Visit
) -> None:
    paid = [f'03/03/{year},"-850.00","VICROADS REGISTRATION","{year}.00"\n' for year in (2024, 2025, 2026)]
    ctx = with_bank_rows(tmp_path, "".join([*paid, f'{TODAY:%d/%m/%Y},"-20.00","GROCER 12","2006.00"\n']))
    page = visit(ctx.db, "coming-up")
    assert metrics(page)["Regular payments a year"] == "$850"
    assert [info.value for info in page.info] == [NOTHING_DUE]
    assert not page.get("download_button")


def test_the_cash_flow_shows_the_lowest_balance_and_what_is_left_until_pay(db: Path, visit: Visit) -> None:
    test = visit(db, "coming-up", tab="Cash flow")
    assert not test.exception
    shown = metrics(test)
    assert "On 15 Jun 2026" in shown  # five days before today, the last with a transaction
    assert any(label.startswith("Lowest on") for label in shown)
    assert any(label.startswith("Left until pay on") for label in shown)


def test_an_account_gets_kind_and_balance_on_the_page_and_undo_takes_it_back(db: Path, visit: Visit) -> None:
    test = visit(db, "accounts")
    assert not test.exception
    before = metrics(test)["Net worth"]
    assert net_worth_note(test) == "on 20 Jun 2026, without loan"
    test.selectbox(key="account-to-set").set_value("loan").run()
    test.selectbox(key="kind-loan").set_value("loan")
    test.text_input(key="person-loan").set_value("Ana")
    test.text_input(key="balance-loan").set_value("lots")
    next(button for button in test.button if button.label == "Save").click()
    test.run()
    assert names(test.warning[0].value, "lots")
    assert "forward" not in test.warning[0].value  # a field of bills has the same name among commands
    assert test.text_input(key="balance-loan").value == "lots"
    test.text_input(key="balance-loan").set_value("-1000")
    next(button for button in test.button if button.label == "Save").click()
    test.run()
    assert not test.exception
    (loan,) = [row for row in list_accounts(Context(db, TODAY)).accounts if row.id == "loan"]
    assert (loan.kind, loan.balance, loan.balance_at) == ("loan", Decimal("-1000.00"), TODAY)
    assert loan.person == "Ana"
    assert metrics(test)["You owe"] == "$1,000"
    assert net_worth_note(test) == "on 20 Jun 2026"
    (correct,) = [part for part in test.expander if part.label == "Correct an account"]
    assert correct.success  # where it was pressed
    test.button(key="accounts-undo").click()
    test.run()
    assert metrics(test)["Net worth"] == before
    assert (test.selectbox(key="kind-loan").value, test.text_input(key="person-loan").value) == (None, "")


def test_what_is_owed_is_not_known_where_the_balance_of_a_loan_is_not(db: Path, visit: Visit) -> None:
    set_account(Context(db, TODAY), "loan", kind="loan")
    test = visit(db, "accounts")
    (owed,) = [metric for metric in test.metric if metric.label == "You owe"]
    assert (owed.value, owed.delta) == ("Not known", "without loan")


def net_worth_note(test: AppTest) -> str:
    (net,) = [metric for metric in test.metric if metric.label == "Net worth"]
    return str(net.delta).replace("\\", "")


def test_what_another_tab_set_of_an_account_stays(db: Path, visit: Visit) -> None:
    """One tab names the owner, the other renames; then both give a name, and the second is told of the first's."""
    first, second = visit(db, "accounts"), visit(db, "accounts")
    for test in (first, second):
        test.selectbox(key="account-to-set").set_value("loan").run()
    first.text_input(key="person-loan").set_value("Ana")
    press(first, "Save")
    second.text_input(key="name-loan").set_value("House")
    press(second, "Save")
    assert account_set(db) == ("House", "Ana")
    first.text_input(key="name-loan").set_value("Mortgage")
    press(first, "Save")
    assert [names(warning.value, "House") for warning in first.warning] == [True]
    assert account_set(db) == ("House", "Ana")
    press(first, "Save")
    assert account_set(db) == ("Mortgage", "Ana")


def account_set(db: Path) -> tuple[str | None, str | None]:
    (loan,) = [row for row in list_accounts(Context(db, TODAY)).accounts if row.id == "loan"]
    return loan.name, loan.person


def test_a_file_is_taken_back_on_the_page(db: Path, visit: Visit) -> None:
    test = visit(db, "accounts")
    assert "loan.csv" in list(next(t.value for t in test.dataframe if "holds" in t.value.columns)["name"])
    chosen = test.selectbox(key="file-to-forget")
    (sure,) = [box for box in test.checkbox if box.label == "Delete the file's data"]
    sure.check().run()
    chosen.set_value(next(value for value in chosen.options if value == "loan.csv")).run()
    (sure,) = [box for box in test.checkbox if box.label == "Delete the file's data"]
    assert not sure.value  # it was ticked for the other file
    sure.check().run()
    test.button(key="forget-file").click()
    test.run()
    assert not test.exception
    assert [row.id for row in list_accounts(Context(db, TODAY)).accounts] == ["everyday"]
    assert names(read(test), "loan.csv", "1 transaction")


def test_a_meters_file_that_is_taken_back_deletes_no_transactions(tmp_path: Path, visit: Visit) -> None:
    ctx = with_bank_rows(tmp_path, '18/06/2026,"-20.00","CORNER HOUSE",""\n')
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2026, 5, 1), 2))
    load(ctx, [tmp_path / "meter.csv"])
    test = visit(ctx.db, "accounts")
    test.selectbox(key="file-to-forget").set_value("meter.csv").run()
    (sure,) = [box for box in test.checkbox if box.label == "Delete the file's data"]
    sure.check().run()
    test.button(key="forget-file").click().run()
    assert not test.exception
    assert "what came only from it is deleted" in test.success[0].value
    assert "transaction" not in test.success[0].value
    assert str(spending(ctx).spent) == "20.00"


def test_a_balance_that_no_file_has_is_asked_for_on_the_page(tmp_path: Path, visit: Visit) -> None:
    """A file with running balances, and one without; what is typed wrong stays, with the reason below it."""
    ctx = Context(tmp_path / "home.db", TODAY)
    for name, balance in (("everyday", '"+480.00"'), ("anz", '""')):
        (tmp_path / f"{name}.csv").write_text(f'18/06/2026,"-20.00","CORNER HOUSE",{balance}\n')
        load(ctx, [tmp_path / f"{name}.csv"], account=name)
    current_figures(ctx)
    test = visit(ctx.db, "overview")
    assert "The balance of anz is not known, so your cash flow leaves it out." in read(test)
    test = next(button for button in test.button if button.label == "Enter its balance").click().run()
    test = visit(ctx.db, "accounts")
    field = "asked-balance-anz"
    save = next(button for button in test.button if button.label == "Save the balance")
    assert names(" ".join(beside(save.click().run(), field)), "Enter the balance")
    test.text_input(key=field).set_value("six thousand")
    test = next(button for button in test.button if button.label == "Save the balance").click().run()
    assert names(" ".join(beside(test, field)), "six thousand", "1250")
    assert test.text_input(key=field).value == "six thousand"
    test.text_input(key=field).set_value("$6,214.30")
    test = next(button for button in test.button if button.label == "Save the balance").click().run()
    assert "you have $6,214.30" in read(test)
    assert metrics(test)["Net worth"] == "$6,694"  # 6,214.30 and 480.00
    assert not [button for button in test.button if button.label == "Save the balance"]


def test_of_a_card_what_is_owed_is_asked_for_as_on_the_statement(tmp_path: Path, visit: Visit) -> None:
    """480.00 in the everyday account less the 1,482.15 of the statement, typed without a minus."""
    ctx = Context(tmp_path / "home.db", TODAY)
    for name, balance in (("everyday", '"+480.00"'), ("card", '""')):
        (tmp_path / f"{name}.csv").write_text(f'18/06/2026,"-20.00","CORNER HOUSE",{balance}\n')
        load(ctx, [tmp_path / f"{name}.csv"], account=name)
    set_account(ctx, "card", kind="card")
    test = visit(ctx.db, "accounts")
    field = test.text_input(key="asked-balance-card")
    assert field.label == "What you owe"
    field.set_value("1,482.15")
    test = next(button for button in test.button if button.label == "Save the balance").click().run()
    assert "you owe $1,482.15" in read(test)
    assert (metrics(test)["You owe"], metrics(test)["Net worth"]) == ("$1,482", "−$1,002")
    test.selectbox(key="account-to-set").set_value("card").run()
    test.text_input(key="balance-card").set_value("-20")  # in credit
    test = press(press(test, "Save"), "Save")  # $1,502.15 more than was known, so it is asked about
    assert metrics(test)["Net worth"] == "$500"


def test_a_balance_far_from_that_of_the_file_is_asked_about_before_it_is_saved(tmp_path: Path, visit: Visit) -> None:
    """The file's running balance is $49,211.00; $4,200 is $45,011.00 less."""
    ctx = with_bank_rows(tmp_path, '18/06/2026,"-20.00","CORNER HOUSE","+49211.00"\n')
    test = visit(ctx.db, "accounts")
    (account,) = list_accounts(ctx).accounts
    test.text_input(key=f"balance-{account.id}").set_value("4,200")
    test = press(test, "Save")
    assert "The balance known so far is $49,211.00 on 18 Jun 2026" in read(test)
    assert "$45,011.00 less" in read(test)
    assert list_accounts(ctx).accounts[0].balance == Decimal("49211.00")
    press(test, "Save")
    assert list_accounts(ctx).accounts[0].balance == Decimal("4200.00")


def test_a_balance_near_that_of_the_file_is_saved_at_once(tmp_path: Path, visit: Visit) -> None:
    ctx = with_bank_rows(tmp_path, '18/06/2026,"-20.00","CORNER HOUSE","+49211.00"\n')
    test = visit(ctx.db, "accounts")
    (account,) = list_accounts(ctx).accounts
    test.text_input(key=f"balance-{account.id}").set_value("48,900")
    press(test, "Save")
    assert list_accounts(ctx).accounts[0].balance == Decimal("48900.00")


def test_without_balances_the_page_says_what_to_do(tmp_path: Path, visit: Visit) -> None:
    path = tmp_path / "home.db"
    (tmp_path / "loan.csv").write_text("Date,Amount,Description\n15/05/2026,-9.00,CAFE\n")
    load(Context(path, TODAY), [tmp_path / "loan.csv"])
    test = visit(path, "coming-up", tab="Cash flow")
    assert not test.exception
    assert "Accounts" in read(test)
    assert not visit(path, "coming-up").exception


@pytest.mark.parametrize("page", ["coming-up", "accounts"])
def test_without_data_each_page_says_how_to_begin(tmp_path: Path, visit: Visit, page: str) -> None:
    test = visit(tmp_path / "none.db", page)
    assert not test.exception


PURCHASES = "".join(f'{day:02}/06/2026,"-{day}.50","WOOLWORTHS 1234",""\n' for day in range(1, 9))
PAID = '15/06/2026,"300.00","PAYMENT RECEIVED, THANK YOU",""\n'
PAY = '15/06/2026,"300.00","SALARY ACME",""\n'


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        (PURCHASES + PAID, "card"),
        (PURCHASES + PAID.replace("RECEIVED, THANK YOU", "- THANKYOU"), "card"),
        (PURCHASES + PAID.replace("RECEIVED, THANK YOU", "THANKYOU 443122"), "card"),
        (PURCHASES + PAID, "everyday"),  # the person knows better
        (PURCHASES + PAY, None),
        (PURCHASES + PAID + PAY.replace("15", "16") + PAY.replace("15", "17"), None),  # an account that pay goes to
        (PAID + PAID.replace("15", "16") + '17/06/2026,"-9.00","INTEREST CHARGED",""\n', None),  # a loan
        (PURCHASES.replace('""', '"90.00"') + PAID, None),  # with money in it
    ],
)
def test_a_card_from_a_file_is_asked_about_once(tmp_path: Path, visit: Visit, rows: str, kind: str | None) -> None:
    ctx = with_bank_rows(tmp_path, rows)
    test = visit(ctx.db, "accounts")
    asked = {str(button.key).split("-")[1]: button for button in test.button if str(button.key).startswith("is-")}
    assert bool(asked) is (kind is not None)
    if kind:
        assert not asked[kind].click().run().exception
        (account,) = list_accounts(ctx).accounts
        assert account.kind == kind
        assert test.selectbox(key=f"kind-{account.id}").value == kind  # in the form as well
        again = visit(ctx.db, "accounts")
        assert not [button for button in again.button if str(button.key).startswith("is-")]


@pytest.mark.parametrize(("answer", "spent"), [("Yes, one account", "100.00"), ("No, different accounts", "200.00")])
def test_two_files_that_may_be_of_one_account_are_asked_about(
    tmp_path: Path, visit: Visit, answer: str, spent: str
) -> None:
    ctx = with_bank_rows(tmp_path, "".join(f'{day:02}/05/2026,"-4.00","WOOLWORTHS 1234",""\n' for day in range(1, 26)))
    lines = [f"{day:02}/05/2026,WOOLWORTHS 1234,4.00,\n" for day in range(1, 26)]
    (tmp_path / "joint.csv").write_text("".join(["Date,Description,Debit,Credit\n", *lines]))
    load(ctx, [tmp_path / "joint.csv"])
    assert str(spending(ctx).spent) == "200.00"
    test = visit(ctx.db, "accounts")
    assert names(read(test), "everyday", "joint", "25 of 25")
    assert not press(test, answer).exception
    assert str(spending(ctx).spent) == spent
    assert answer not in [button.label for button in visit(ctx.db, "accounts").button]
