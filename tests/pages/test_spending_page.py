"""The tabs of the Spending page: what people change there is what the commands then say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.seen import beside, metrics, problems, read, with_bank_rows
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.money.accounts import set_account
from toolkit.flows.money.edits.settings import list_categories
from toolkit.flows.money.rules import add_rule, list_rules
from toolkit.flows.money.summary import spending
from toolkit.flows.money.transactions import transactions
from toolkit.flows.money.years.budgets import list_budgets, set_budget
from toolkit.pages.money.budgets import STATES
from toolkit.pages.money.spending import BY
from toolkit.pages.money.transaction_list import Only

Visit = Callable[..., AppTest]
TAB = "spending-tab"
ROWS = """\
01/04/2026,"-100.00","WOOLWORTHS 1234 SYDNEY","+900.00"
05/04/2026,"-50.00","ZZYZX <b>HOLDINGS</b>","+850.00"
10/04/2026,"+2000.00","SALARY ACME PTY LTD","+2850.00"
03/05/2026,"-20.00","WOOLWORTHS METRO","+2830.00"
07/05/2026,"-30.00","ZZYZX <b>HOLDINGS</b>","+2800.00"
"""


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return with_bank_rows(tmp_path, ROWS)


@pytest.fixture
def db(ctx: Context) -> Path:
    return ctx.db


def opened(visit: Visit, db: Path, tab: str = "Spending") -> AppTest:
    test = visit(db, "spending")
    if tab == "Spending":
        test.session_state["every-transaction"] = True
    else:
        test.session_state[TAB] = tab
    test.run()
    assert not test.exception
    return test


def listing(test: AppTest) -> tuple[str, list[str]]:
    """Key of the editable list of transactions, and its payees in order."""
    (editor,) = [each for each in test.data_editor if each.key and each.key.startswith("transactions-")]
    return str(editor.key), editor.value["who"].to_list()


def edit(test: AppTest, payee: str, **cells: object) -> None:
    key, payees = listing(test)
    test.session_state[key] = {
        "edited_rows": {payees.index(payee): cells},
        "added_rows": [],
        "deleted_rows": [],
    }
    test.run()
    assert not test.exception


def press(test: AppTest, key: str) -> None:
    test.button(key=key).click().run()
    assert not test.exception


def submit(test: AppTest, label: str) -> None:
    next(button for button in test.button if button.label == label).click().run()
    assert not test.exception


def spent(ctx: Context) -> dict[str | None, Decimal]:
    return {row.secondary_category or row.primary_category: row.spent for row in spending(ctx).rows}


def test_deposits_without_a_category_are_named_and_lead_to_what_they_are(tmp_path: Path, visit: Visit) -> None:
    ctx = with_bank_rows(
        tmp_path,
        """\
01/04/2026,"-100.00","WOOLWORTHS 1234 SYDNEY","+900.00"
10/04/2026,"+1500.00","DIRECT CREDIT 301500 ZZYZX HOLDINGS","+2400.00"
""",
    )
    assert spending(ctx).spent == Decimal("-1400.00")
    overview = visit(ctx.db, "overview")
    assert names(read(overview), "$1,500.00")
    assert "review-deposits" in [each.key for each in overview.button]
    test = opened(visit, ctx.db)
    press(test, "review-deposits")
    assert test.session_state[TAB] == "To review"
    press(test, next(str(each.key) for each in test.button if each.label.startswith("Salary")))
    assert (spending(ctx).spent, spending(ctx).income) == (Decimal("100.00"), Decimal("1500.00"))
    assert "review-deposits" not in [each.key for each in opened(visit, ctx.db).button]


def test_a_category_changed_for_one_or_for_all_of_the_payee_and_undone(db: Path, ctx: Context, visit: Visit) -> None:
    test = opened(visit, db)
    before = spending(ctx)
    edit(test, "Woolworths", category="Chemist")
    assert any(
        names(read_label(each.label), "2", "Woolworths", "$120.00", "Apr 2026", "May 2026") for each in test.button
    )
    press(test, "category-one")
    assert spent(ctx)["MEDICAL_PHARMACIES_AND_SUPPLEMENTS"] == Decimal("20.00")
    buttons = [each.key for each in test.button]
    assert buttons.index("undo-money") > buttons.index("made-of-Between your accounts")  # with the list, in sight
    press(test, "undo-money")
    assert spending(ctx) == before
    edit(test, "Woolworths", category="Chemist")
    press(test, "category-payee")
    assert spent(ctx)["MEDICAL_PHARMACIES_AND_SUPPLEMENTS"] == Decimal("120.00")
    assert metrics(test)["Spent"] == "$200.00"
    (editor,) = [each for each in test.data_editor if each.key == listing(test)[0]]
    assert any(names(why, "rule", "Woolworths") for why in editor.value["why"])


def read_label(label: str) -> str:
    return label.replace("\\", "").replace("\u2060", "")


def test_a_bars_transactions_are_listed_and_all_again(db: Path, visit: Visit) -> None:
    test = opened(visit, db)
    assert len(listing(test)[1]) == 5
    test.session_state["shown-transactions"] = Only("Groceries", category="Groceries", below="in-detail")
    test.run()
    assert set(listing(test)[1]) == {"Woolworths"}
    press(test, "show-all")
    assert len(listing(test)[1]) == 5


def test_the_transactions_of_a_person_are_listed(db: Path, ctx: Context, visit: Visit) -> None:
    everyone = transactions(ctx, kind="expense").transactions
    account = everyone[0].account_id
    set_account(ctx, account, person="Ana")
    own = [row.id for row in everyone if row.account_id == account]
    assert [row.id for row in transactions(ctx, kind="expense", person="Ana").transactions] == own
    assert len(transactions(ctx, kind="expense", person="").transactions) == len(everyone) - len(own)
    test = opened(visit, db)
    test.session_state["shown-transactions"] = Only("Ana", person="Ana", below="in-detail")
    test.run()
    assert not test.exception
    assert len(listing(test)[1]) == len(own)


@pytest.mark.parametrize("group", [name for name in BY if name != "Category"])
def test_spending_is_grouped_as_the_command_groups_it(db: Path, ctx: Context, visit: Visit, group: str) -> None:
    test = opened(visit, db)
    test.segmented_control(key="by").set_value(group).run()
    assert not test.exception
    assert not test.error
    (shown,) = [table.value for table in test.dataframe if "spent" in table.value.columns]
    by = BY[group].by
    assert shown["spent"].to_list() == [float(row.spent) for row in spending(ctx, by=by).rows]


def test_left_over_leads_to_the_transactions_that_it_is_made_of(db: Path, visit: Visit) -> None:
    test = opened(visit, db)
    press(test, "made-of-Left over")
    payees = listing(test)[1]
    assert (len(payees), payees.count("Acme"), payees.count("Woolworths")) == (5, 1, 2)


def test_note_tag_and_exclusion_of_one_transaction(db: Path, ctx: Context, visit: Visit) -> None:
    test = opened(visit, db)
    edit(test, "Woolworths", edit=True)
    (chosen,) = [row for row in transactions(ctx).transactions if row.amount == Decimal("-20.00")]
    test.text_input(key=f"tag-{chosen.id}").set_value("Party")
    test.text_input(key=f"note-{chosen.id}").set_value("=cake <i>")
    test.checkbox(key=f"exclude-{chosen.id}").check()
    submit(test, "Save")
    (row,) = [row for row in transactions(ctx).transactions if row.id == chosen.id]
    assert (row.tag, row.note, row.kind) == ("Party", "=cake <i>", "excluded")
    assert metrics(test)["Spent"] == "$180.00"
    assert metrics(test)["Excluded by you"] == "$20.00"


def test_too_long_a_tag_is_refused_below_it_and_stays_typed(db: Path, ctx: Context, visit: Visit) -> None:
    test = opened(visit, db)
    edit(test, "Woolworths", edit=True)
    (chosen,) = [row for row in transactions(ctx).transactions if row.amount == Decimal("-20.00")]
    test.text_input(key=f"tag-{chosen.id}").set_value("x" * 61)
    submit(test, "Save")
    assert names(test.warning[0].value, "60")
    assert "500" not in test.warning[0].value  # what a note may be
    assert test.text_input(key=f"tag-{chosen.id}").value == "x" * 61
    test.text_input(key=f"note-{chosen.id}").set_value("y" * 501)
    submit(test, "Save")
    assert [names(warning.value, longest) for warning, longest in zip(test.warning, ("60", "500"), strict=True)] == [
        True,
        True,
    ]


def test_a_file_of_rules_brings_what_can_be_read_and_lists_the_rest(db: Path, ctx: Context, visit: Visit) -> None:
    test = opened(visit, db, "Categories and rules")
    text = "Text: zzyzx = Rent\n<b>no rule</b>\nText: = Rent\n"
    test.file_uploader(key="rules-file").set_value(("my rules.txt", text.encode(), "text/plain")).run()
    press(test, "add-rules-file")
    shown = [table.value for table in test.dataframe]
    assert any("zzyzx" in str(table["rule"].to_list()) for table in shown if "rule" in table.columns)
    assert [problem.split(":")[1] for problem in problems(test)] == ["2", "3"]
    assert spent(ctx)["RENT_AND_UTILITIES_RENT"] == Decimal("80.00")


def test_what_another_tab_wrote_of_a_transaction_stays(db: Path, ctx: Context, visit: Visit) -> None:
    """One tab sets a tag, the other a note; then the first sets a note too and is told of the second's."""
    first, second = opened(visit, db), opened(visit, db)
    (chosen,) = [row for row in transactions(ctx).transactions if row.amount == Decimal("-20.00")]
    for test in (first, second):
        edit(test, "Woolworths", edit=True)

    def write(test: AppTest, field: str, text: str) -> tuple[str | None, str | None]:
        test.text_input(key=f"{field}-{chosen.id}").set_value(text)
        submit(test, "Save")
        (row,) = [row for row in transactions(ctx).transactions if row.id == chosen.id]
        return row.tag, row.note

    assert write(first, "tag", "Party") == ("Party", None)
    assert write(second, "note", "Cake") == ("Party", "Cake")
    for test in (first, second):
        test.run()
        edit(test, "Woolworths", edit=True)
    assert write(second, "note", "Two cakes") == ("Party", "Two cakes")
    assert write(first, "note", "No cake") == ("Party", "Two cakes")
    assert [names(warning.value, "Two cakes") for warning in first.warning] == [True]
    assert write(first, "note", "No cake") == ("Party", "No cake")


def test_a_transaction_is_split_and_made_whole(db: Path, ctx: Context, visit: Visit) -> None:
    test = opened(visit, db)
    (chosen,) = [row for row in transactions(ctx).transactions if row.amount == Decimal("-20.00")]
    edit(test, "Woolworths", edit=True)
    test.session_state[f"parts-{chosen.id}"] = {
        "edited_rows": {0: {"amount": 12.5}, 1: {"amount": 7.5}},
        "added_rows": [],
        "deleted_rows": [],
    }
    test.run()
    assert test.button(key=f"split-{chosen.id}").disabled  # the second part has no category yet
    assert "$7.50" not in read(test)  # though nothing is left
    test.text_input(key=f"tag-{chosen.id}").set_value("Party")  # and not saved: it goes with the split
    test.session_state[f"parts-{chosen.id}"] = {
        "edited_rows": {0: {"amount": 12.5}, 1: {"amount": 7.5, "category": "Chemist"}},
        "added_rows": [],
        "deleted_rows": [],
    }
    test.run()
    press(test, f"split-{chosen.id}")
    assert spent(ctx)["MEDICAL_PHARMACIES_AND_SUPPLEMENTS"] == Decimal("7.50")
    assert len(listing(test)[1]) == 6
    assert [row.tag for row in transactions(ctx).transactions if row.id.startswith(f"{chosen.id}#")] == ["Party"] * 2
    edit(test, "Woolworths", edit=True)
    press(test, f"unsplit-{chosen.id}")
    assert len(listing(test)[1]) == 5


def test_a_name_a_rule_and_a_budget_are_taken_back_where_they_were_confirmed(
    db: Path, ctx: Context, visit: Visit
) -> None:
    before = (category_names(ctx), list_rules(ctx).rules, list_budgets(ctx).budgets, spent(ctx))
    test = opened(visit, db, "Categories and rules")
    test.selectbox(key="category-to-change").set_value("Groceries").run()
    test.text_input(key="name-of-Groceries").set_value("Food shop")
    submit(test, "Save")
    assert "Food shop" in category_names(ctx)
    press(test, "undo-money")
    test.text_input(key="rule-words").set_value("woolworths").run()
    test.selectbox(key="rule-category").set_value("Rent").run()
    press(test, "save-rule")
    assert spent(ctx) != before[-1]
    press(test, "undo-money")
    test = opened(visit, db, "Budgets")
    test.selectbox(key="budget-category").set_value("Groceries")
    test.text_input(key="budget-amount").set_value("400")
    submit(test, "Save")
    assert len(list_budgets(ctx).budgets) == 1
    press(test, "undo-money")
    assert (category_names(ctx), list_rules(ctx).rules, list_budgets(ctx).budgets, spent(ctx)) == before


def test_a_budget_that_was_removed_comes_back(db: Path, ctx: Context, visit: Visit) -> None:
    set_budget(ctx, "FOOD_AND_DRINK_GROCERIES", "400")
    test = opened(visit, db, "Budgets")
    test.selectbox(key="budget-to-remove").set_value("Groceries").run()
    press(test, "remove-budget")
    assert list_budgets(ctx).budgets == ()
    press(test, "undo-money")
    assert [budget.budget for budget in list_budgets(ctx).budgets] == [Decimal("400.00")]


def category_names(ctx: Context) -> set[str]:
    return {category.name for category in list_categories(ctx).categories}


def test_a_budget_without_an_amount_asks_for_one(db: Path, visit: Visit) -> None:
    test = opened(visit, db, "Budgets")
    test.selectbox(key="budget-category").set_value("Groceries")
    submit(test, "Save")
    (said,) = beside(test, "budget-amount")
    assert read_label(said) == "Type an amount, for example 400."
    assert "''" not in read(test)


def test_a_budget_is_set_and_its_pace_shown(db: Path, ctx: Context, visit: Visit) -> None:
    test = opened(visit, db, "Budgets")
    submit(test, "Save")
    assert beside(test, "budget-category")  # no category is chosen until somebody does
    test.text_input(key="budget-amount").set_value("lots")
    submit(test, "Save")
    assert names(" ".join(beside(test, "budget-category")), "category")
    assert names(" ".join(beside(test, "budget-amount")), "lots")
    test.selectbox(key="budget-category").set_value("Groceries")
    submit(test, "Save")
    assert beside(test, "budget-category") == []
    assert names(" ".join(beside(test, "budget-amount")), "lots")
    assert test.text_input(key="budget-amount").value == "lots"
    test.text_input(key="budget-amount").set_value("400")
    submit(test, "Save")
    (budget,) = list_budgets(ctx).budgets
    assert (budget.category, budget.budget) == ("FOOD_AND_DRINK_GROCERIES", Decimal("400.00"))
    assert STATES["ok"] in read(test)


def test_the_financial_year_is_that_of_the_command(db: Path, visit: Visit) -> None:
    test = opened(visit, db, "Financial year")
    assert metrics(test)["Spent"] == "$200"
    assert metrics(test)["Income"] == "$2,000"
    by_category = next(table.value for table in test.dataframe if "group" in table.value.columns)
    assert by_category["spent"].sum() == 200.0
    assert "before" not in by_category.columns  # the first row is of this year: nothing is known of the one before


def test_a_financial_year_so_far_is_compared_with_the_same_days(tmp_path: Path, visit: Visit) -> None:
    rows = """\
03/07/2024,"-40.00","WOOLWORTHS 1234 SYDNEY","+900.00"
20/08/2024,"-500.00","WOOLWORTHS 1234 SYDNEY","+400.00"
03/07/2025,"-70.00","WOOLWORTHS 1234 SYDNEY","+330.00"
09/08/2025,"-5.00","WOOLWORTHS 1234 SYDNEY","+325.00"
"""
    test = opened(visit, with_bank_rows(tmp_path, '01/07/2024,"-1.00","QUUX","+940.00"\n' + rows).db, "Financial year")
    (figure,) = [metric for metric in test.metric if metric.label == "Spent"]
    assert (figure.value, figure.delta) == ("$75", "$41 before")
    assert names(read(test), "Compared with 1 Jul 2024 to 9 Aug 2024.")


def test_no_change_is_stated_against_days_of_which_a_part_is_known(tmp_path: Path, visit: Visit) -> None:
    rows = '20/07/2024,"-40.00","WOOLWORTHS 1","+9.00"\n09/08/2025,"-75.00","WOOLWORTHS 1","+3.00"\n'
    test = opened(visit, with_bank_rows(tmp_path, rows).db, "Financial year")
    assert [metric.delta for metric in test.metric if metric.label == "Spent"] == [""]
    by_category = next(table.value for table in test.dataframe if "before" in table.value.columns)
    assert (by_category["before"].sum(), "more" in by_category.columns) == (40.0, False)
    assert names(read(test), "The transactions begin on 20 Jul 2024")


def test_a_rule_for_a_payee_that_no_transaction_has_is_named(db: Path, ctx: Context, visit: Visit) -> None:
    for payee in ("Quokka Cafe", "Woolworths"):
        add_rule(ctx, payee, "TRAVEL", payee=True)
    test = opened(visit, db, "Categories and rules")
    assert [names(warning.value, "Quokka Cafe") for warning in test.warning] == [True]


def test_every_category_is_listed_once(db: Path, visit: Visit) -> None:
    """Both codes of Childcare, the service's and that of a file's words, are one category on the page."""
    test = opened(visit, db, "Categories and rules")
    listed = [frame for frame in (table.value for table in test.dataframe) if "group" in frame.columns]
    (categories,) = ([tuple(row) for row in frame[["group", "name"]].to_numpy()] for frame in listed)
    assert ("Services", "Childcare") in categories
    assert len(categories) == len(set(categories))


def test_own_categories_and_rules_are_made_on_the_page(db: Path, ctx: Context, visit: Visit) -> None:
    test = opened(visit, db, "Categories and rules")
    submit(test, "Add")
    assert test.warning  # without a name
    test.text_input(key="new-category-name-0").set_value("Cat & dog")
    test.selectbox(key="new-category-group-0").set_value("Health")
    submit(test, "Add")
    assert test.text_input(key="new-category-name-1").value == ""
    assert ("Cat & dog", "MEDICAL") in {(row.name, row.group) for row in list_categories(ctx).categories}
    test.text_input(key="rule-words").set_value("zzyzx").run()
    test.selectbox(key="rule-category").set_value("Cat & dog").run()
    assert names(read(test), "2 transactions", "$80.00")
    press(test, "save-rule")
    assert (test.text_input(key="rule-words").value, test.selectbox(key="rule-category").value) == ("", None)
    assert spent(ctx)["CAT_DOG"] == Decimal("80.00")
    (number,) = [rule.number for rule in list_rules(ctx).rules if rule.kind == "rule"]
    test.selectbox(key="rule-to-remove").set_value(number).run()
    press(test, "remove-rule")
    assert "CAT_DOG" not in spent(ctx)


def test_a_category_is_renamed_without_a_warning_and_not_to_an_empty_name(db: Path, ctx: Context, visit: Visit) -> None:
    test = opened(visit, db, "Categories and rules")
    test.selectbox(key="category-to-change").set_value("Fast food").run()

    def rename(name: str) -> None:
        next(field for field in test.text_input if field.label == "New name").set_value(name)
        submit(test, "Save")

    rename(" ")
    assert test.warning
    assert next(field for field in test.text_input if field.label == "New name").value == " "
    rename("Eating out with friends")
    assert not test.warning
    assert "Eating out with friends" in {row.name for row in list_categories(ctx).categories}


def test_a_month_from_the_fifteenth_is_compared_with_the_one_before(db: Path, ctx: Context, visit: Visit) -> None:
    test = opened(visit, db)
    test.selectbox(key="period").set_value("A month").run()
    test.number_input(key="month-start").set_value(6).run()
    test.selectbox(key="against").set_value("The period before").run()
    assert not test.exception
    first, last = date(2026, 5, 6), date(2026, 6, 5)
    expected = spending(ctx, from_=first, to=last, against="previous")
    assert metrics(test)["Spent"] == "$30.00"
    assert expected.against.spent == Decimal("0.00")  # the last row is of 7 May, the second day
    assert "6 Apr 2026 to 7 Apr 2026" in read(test)
    table = next(each.value for each in test.dataframe if "more" in each.value.columns)
    assert table["more"].sum() == 30.0
    test.selectbox(key="which-month").set_value(1).run()  # 6 April to 5 May is over
    assert "6 Mar 2026 to 5 Apr 2026" in read(test)
