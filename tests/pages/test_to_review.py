"""The tab To review of the Spending page: one decision a keystroke, applied to all alike."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.seen import read, with_bank_rows
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.money.edits.review import mark_fine
from toolkit.flows.money.summary import spending
from toolkit.pages.money import to_review
from toolkit.pages.text import plain

Visit = Callable[..., AppTest]
TWO_OF_ONE_PAYEE = """\
01/04/2026,"-100.00","WOOLWORTHS 1234 SYDNEY","+900.00"
05/04/2026,"-50.00","ZZYZX <b>HOLDINGS</b>","+850.00"
07/05/2026,"-30.00","ZZYZX <b>HOLDINGS</b>","+2800.00"
"""


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return with_bank_rows(tmp_path, TWO_OF_ONE_PAYEE)


def opened(visit: Visit, ctx: Context) -> AppTest:
    test = visit(ctx.db, "spending", tab="To review")
    assert not test.exception
    return test


def press(test: AppTest, key: str) -> None:
    test.button(key=key).click().run()
    assert not test.exception


def press_first(test: AppTest, key: str) -> None:
    """Press the button of an item, whose key begins so."""
    press(test, next(str(each.key) for each in test.button if str(each.key).startswith(key)))


def read_label(label: str) -> str:
    return label.replace("\\", "").replace("\u2060", "")


def categorise(test: AppTest, category: str) -> None:
    """Choose a category that has no key."""
    key = next(str(each.key) for each in test.selectbox if str(each.key).startswith("review-other-"))
    test.selectbox(key=key).set_value(category).run()
    press_first(test, "review-save-")


def keys(test: AppTest) -> dict[str, str]:
    """Categories with a key, and it."""
    offered = [each for each in test.button if str(each.key).startswith("review-category-")]
    return {read_label(each.label): str(each.key).split("-")[2] for each in offered}


def spent(ctx: Context) -> dict[str | None, Decimal]:
    return {row.secondary_category or row.primary_category: row.spent for row in spending(ctx).rows}


def test_what_is_to_review_is_decided_once_for_all_alike(ctx: Context, visit: Visit) -> None:
    test = opened(visit, ctx)
    assert "2 transactions" in read(test)
    categorise(test, "Rent")
    assert spent(ctx)["RENT_AND_UTILITIES_RENT"] == Decimal("80.00")
    assert to_review.NOTHING in read(test)


@pytest.mark.parametrize(("payee", "billed"), [("LYREBIRD GAS", None), ("LYREBIRD", "Lyrebird Energy")])
def test_energy_is_suggested_for_a_retailer_by_its_name_or_by_a_bill(
    tmp_path: Path, visit: Visit, payee: str, billed: str | None
) -> None:
    ctx = with_bank_rows(
        tmp_path, f'04/05/2026,"-8.00","CHEMIST WAREHOUSE"\n07/05/2026,"-90.00","DIRECT DEBIT 551 {payee}"\n'
    )
    if billed:
        add_invoice(ctx, InvoiceForm("ELECTRICITY", date(2026, 2, 1), date(2026, 4, 30), "90.00", retailer=billed))
    test = opened(visit, ctx)
    press_first(test, "review-category-y-")
    assert spent(ctx)["RENT_AND_UTILITIES_GAS_AND_ELECTRICITY"] == Decimal("90.00")


def test_a_category_of_money_in_has_the_same_key_whether_it_looks_like_pay_or_not(tmp_path: Path, visit: Visit) -> None:
    pay = "".join(
        f'{date(2026, 5, 8) - timedelta(14 * back):%d/%m/%Y},"1900.00","DIRECT CREDIT ZZYZX"\n' for back in range(9)
    )
    ctx = with_bank_rows(tmp_path, f'{pay}01/04/2026,"75.00","QUUX"\n')

    test = opened(visit, ctx)
    assert "Is it pay?" in read(test)
    of_pay = keys(test)
    press_first(test, "review-fine-")
    assert "Is it pay?" not in read(test)
    assert keys(test) == {"Salary": "s", **of_pay}
    assert [key for label, key in of_pay.items() if "housemate" in label] == ["h"]


@pytest.mark.parametrize(
    ("payee", "likely"),
    [("ZYX PHONE", "Phone"), ("QUUX WIFI", "Internet and TV"), ("VRRM TRADIE", "Repairs and maintenance")],
)
def test_a_word_in_the_payees_name_suggests_its_category(tmp_path: Path, visit: Visit, payee: str, likely: str) -> None:
    ctx = with_bank_rows(tmp_path, f'06/05/2026,"-45.00","WOOLWORTHS 1"\n07/05/2026,"-90.00","{payee}"\n')
    test = opened(visit, ctx)
    assert test.subheader[0].value.lower().startswith(payee.lower())
    assert keys(test) == {"Groceries": "1", likely: "y"}


def test_a_category_is_found_by_what_people_call_it(tmp_path: Path, visit: Visit) -> None:
    test = opened(visit, with_bank_rows(tmp_path, '07/05/2026,"-90.00","QUUX"\n'))
    (field,) = [each for each in test.selectbox if str(each.key).startswith("review-other-")]
    for word, category in (("mobile", "Phone"), ("petrol", "Fuel"), ("rego", "Car"), ("pharmacy", "Chemist")):
        assert next(each for each in field.options if word in each.lower()).startswith(category)


def test_all_fine_and_undo(ctx: Context, visit: Visit) -> None:
    test = opened(visit, ctx)
    press(test, "review-all-fine")
    assert to_review.NOTHING in read(test)
    press(test, "undo-money")
    assert to_review.NOTHING not in read(test)


PAIR = """\
02/05/2026,"-400.00","TRANSFER TO ZZYZX","+100.00"
03/05/2026,"-8.00","QUUX","+92.00"
"""
OTHER_LEG = '02/05/2026,"400.00","ACCOUNT DEPOSIT","+700.00"\n'


def test_all_fine_leaves_a_likely_transfer_to_be_decided(tmp_path: Path, visit: Visit) -> None:
    ctx = with_bank_rows(tmp_path, PAIR)
    (tmp_path / "saver.csv").write_text(OTHER_LEG)
    load(ctx, [tmp_path / "saver.csv"])
    test = opened(visit, ctx)
    assert to_review.UNTIL_DECIDED in read(test)
    press(test, "review-all-fine")
    assert [each.label for each in test.button if str(each.key).startswith("review-fine-")] == []
    assert spending(ctx).transfers == Decimal("0.00")
    press_first(test, "review-yes-")
    assert spending(ctx).transfers == Decimal("400.00")
    assert to_review.NOTHING in read(test)


def test_what_was_left_as_it_is_is_reached_from_the_note_about_it(tmp_path: Path, visit: Visit) -> None:
    ctx = with_bank_rows(tmp_path, '01/04/2026,"-100.00","WOOLWORTHS 1"\n02/04/2026,"1500.00","DIRECT CREDIT ZZYZX"\n')
    mark_fine(ctx)
    test = visit(ctx.db, "spending")
    press(test, "review-deposits")
    assert to_review.NOTHING in read(test)
    press(test, next(str(each.key) for each in test.button if each.label.startswith("Salary")))
    assert spending(ctx).income == Decimal("1500.00")


def test_what_a_taken_back_decision_was_about_is_shown_again(tmp_path: Path, visit: Visit) -> None:
    ctx = with_bank_rows(tmp_path, '07/05/2026,"-90.00","QUUX"\n06/05/2026,"-80.00","ZZYZX"\n')
    test = opened(visit, ctx)
    assert test.subheader[0].value.startswith("Quux")
    press_first(test, "review-fine-")
    assert test.subheader[0].value.startswith("Zzyzx")
    press(test, "undo-money")
    assert test.subheader[0].value.startswith("Quux")


def test_an_answer_is_confirmed_until_the_next_and_undo_names_what_it_undoes(tmp_path: Path, visit: Visit) -> None:
    """What stands below the confirmation does not move: its place is there before, and it stays."""
    rows = '07/05/2026,"-90.00","QUUX"\n06/05/2026,"-80.00","ZZYZX"\n05/05/2026,"-70.00","XYZZY"\n'
    test = opened(visit, with_bank_rows(tmp_path, rows))
    assert "Each answer is confirmed here" in read(test)
    categorise(test, "Groceries")
    done = "Quux is Groceries now: all of its transactions, and those to come."
    assert [each.value for each in test.success] == [plain(done)]
    press(test, "review-later")
    assert [each.value for each in test.success] == [plain(done)]
    assert read_label(test.button(key="undo-money").label).startswith("Undo: Quux is Groceries")
    press(test, "undo-money")
    assert [each.value for each in test.success] == [plain(f"Taken back: {done}")]
    assert "undo-money" not in [each.key for each in test.button]  # what was decided before is not known by name


def test_income_categories_are_offered_for_money_that_came_in(tmp_path: Path, visit: Visit) -> None:
    ctx = with_bank_rows(tmp_path, '07/05/2026,"90.00","QUUX"\n06/05/2026,"90.00","QUUX"\n')
    test = opened(visit, ctx)
    press(test, next(each.key for each in test.button if each.label == "Other income"))
    assert spending(ctx).income == Decimal("180.00")


def test_a_key_is_of_the_same_category_for_the_whole_visit(tmp_path: Path, visit: Visit) -> None:
    """Groceries have a key though nothing is one; six categories have a number before seven cafes become restaurants.

    A payee whose name suggests a category, and money that came in, leave the numbers where they are.
    """
    known = {"CHEMIST WAREHOUSE": 6, "BP FUEL 1": 5, "NETFLIX": 4, "LINKT SYDNEY": 3, "DAN MURPHYS": 2}
    open_ = {"QUUX": 7, "PADDOCK HOTEL": 1}
    names = [who for who, times in (known | open_).items() for _ in range(times)]
    rows = "".join(f'{n % 28 + 1:02}/05/2026,"-{90 - n}.00","{who}"\n' for n, who in enumerate(names))
    ctx = with_bank_rows(tmp_path, f'{rows}07/05/2026,"9.00","XYZZY"\n')
    test = opened(visit, ctx)
    before = keys(test)
    assert list(before.values()) == ["1", "2", "3", "4", "5", "6"]
    assert list(before)[:3] == ["Groceries", "Chemist", "Fuel"]
    categorise(test, "Restaurants")
    assert test.subheader[0].value.startswith("Paddock Hotel")
    assert keys(test) == {**before, "Accommodation": "y"}
    press_first(test, "review-fine-")
    assert test.subheader[0].value.startswith("Xyzzy")
    assert set(keys(test).values()).isdisjoint(before.values())


def test_nothing_takes_the_place_of_save(tmp_path: Path, visit: Visit) -> None:
    """It is there before something is chosen, so that *Fine as it is* does not move under the mouse."""
    test = opened(visit, with_bank_rows(tmp_path, '07/05/2026,"-90.00","QUUX"\n06/05/2026,"-80.00","ZZYZX"\n'))

    def order() -> list[str]:
        names = [str(each.key).split("-")[1] for each in test.button if str(each.key).startswith("review-")]
        return [name for name in names if name in ("save", "fine")]

    def can_save() -> bool:
        return not next(each for each in test.button if str(each.key).startswith("review-save-")).disabled

    assert (order(), can_save()) == (["save", "fine"], False)
    categorise(test, "Fuel")
    assert test.subheader[0].value.startswith("Zzyzx")
    assert (order(), can_save()) == (["save", "fine"], False)


def test_the_confirmation_says_what_else_an_answer_answers(tmp_path: Path, visit: Visit) -> None:
    """Zzyzx is an own account: the unusual amount sent there is no question any more either."""
    earlier = "".join(f'0{day}/02/2026,"-50.00","TRANSFER TO ZZYZX"\n' for day in range(1, 6))
    rows = f'{earlier}04/05/2026,"-700.00","TRANSFER TO ZZYZX"\n05/05/2026,"-8.00","QUUX"\n06/05/2026,"-7.00","XYZZY"\n'
    test = opened(visit, with_bank_rows(tmp_path, rows))
    assert "4 things to look at" in read(test)
    press_first(test, "review-yes-own_account")
    assert "2 things to look at" in read(test)
    assert "It answers 1 other on the list, too." in read(test)
    press_first(test, "review-fine-")
    assert "on the list, too" not in read(test)


def test_an_own_account_is_asked_about_once_whatever_the_bank_calls_money_from_it(tmp_path: Path, visit: Visit) -> None:
    rows = '07/05/2026,"-450.00","Transfer to xx3720 Savings"\n08/05/2026,"300.00","Transfer from xx3720 Top up"\n'
    test = opened(visit, with_bank_rows(tmp_path, f'{rows}09/05/2026,"-8.00","QUUX"\n'))
    assert "3 things to look at" in read(test)
    press_first(test, "review-yes-own_account")
    assert "and Top Up are Own account now, as they name the same account" in read(test)
    assert "1 thing to look at" in read(test)


def test_refunds_are_taken_off_what_a_payee_is_about(tmp_path: Path, visit: Visit) -> None:
    rows = '05/05/2026,"-100.00","QUUX"\n07/05/2026,"30.00","REFUND QUUX"\n'
    test = opened(visit, with_bank_rows(tmp_path, rows))
    assert "Quux: $70.00 in 2 transactions" in read(test)
