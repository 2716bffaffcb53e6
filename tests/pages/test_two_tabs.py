"""Two tabs of one household: what one has decided meanwhile, the other says once, and never replaces unseen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.flows.energy.homes import NMI, flat_plan, import_plans
from tests.flows.energy.invoices import read as read_meter
from tests.pages.seen import TODAY, press, read, with_bank_rows
from tests.problems import names
from toolkit import settings
from toolkit.errors import UsageError
from toolkit.flows.energy.concessions import TypedConcession, add_concession
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home, homes
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.money.accounts import list_accounts
from toolkit.flows.money.edits.settings import list_categories, name_category, split
from toolkit.flows.money.overrides import latest_decision, undo
from toolkit.flows.money.rules import add_rule, list_rules, set_categories
from toolkit.flows.money.transactions import transactions
from toolkit.flows.money.years.budgets import list_budgets, set_budget
from toolkit.pages import widgets
from toolkit.pages.money import to_review
from toolkit.pages.text import WORD_JOINER

Visit = Callable[..., AppTest]
GROCERIES = "FOOD_AND_DRINK_GROCERIES"
ROWS = """\
01/04/2026,"-100.00","WOOLWORTHS 1234 SYDNEY","+900.00"
05/04/2026,"-50.00","ZZYZX HOLDINGS","+850.00"
03/05/2026,"-20.00","QUOKKA TRADERS","+2830.00"
07/05/2026,"-30.00","ZZYZX HOLDINGS","+2800.00"
"""


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """Four bank rows, of two payees that are not known and of a supermarket."""
    return with_bank_rows(tmp_path, ROWS)


def spending(visit: Visit, ctx: Context, tab: str) -> AppTest:
    test = visit(ctx.db, "spending")
    test.session_state["spending-tab"] = tab
    return test.run()


def click(test: AppTest, key: str) -> None:
    """Click the button whose key begins so."""
    next(button for button in test.button if str(button.key).startswith(key)).click().run()
    assert not test.exception


def warned(test: AppTest, *words: str) -> bool:
    """Return whether there is one warning, and it names the words; without what keeps markdown from reading it."""
    shown = [warning.value.replace("\\", "").replace(WORD_JOINER, "") for warning in test.warning]
    return [names(text, *words) for text in shown] == [True]


def test_a_budget(ctx: Context, visit: Visit) -> None:
    def kept() -> list[Decimal]:
        return [budget.budget for budget in list_budgets(ctx).budgets]

    test = spending(visit, ctx, "Budgets")
    test.selectbox(key="budget-category").set_value("Groceries")
    test.text_input(key="budget-amount").set_value("400")
    set_budget(ctx, GROCERIES, "250")
    press(test, "Save")
    assert warned(test, "Groceries", "$250.00")
    assert kept() == [Decimal("250.00")]
    press(test, "Save")
    assert kept() == [Decimal("400.00")]
    test.selectbox(key="budget-to-remove").set_value("Groceries").run()
    set_budget(ctx, GROCERIES, "300")
    press(test, "Remove")
    assert warned(test, "Groceries", "$300.00")
    assert kept() == [Decimal("300.00")]
    press(test, "Remove")
    assert kept() == []


def test_what_is_to_review_is_never_decided_unseen(ctx: Context, visit: Visit) -> None:
    """The payee on screen is decided elsewhere: the click meant for it does not decide about the next one."""
    test = spending(visit, ctx, "To review")
    assert names(read(test), "Zzyzx Holdings")
    add_rule(ctx, "Zzyzx Holdings", "Fuel", payee=True)
    click(test, "review-fine")
    assert to_review.DECIDED in read(test)
    assert to_review.NOTHING not in read(test)
    click(test, "review-fine")
    assert to_review.NOTHING in read(test)


def test_undo_takes_back_what_was_shown(ctx: Context, visit: Visit) -> None:
    test = spending(visit, ctx, "Budgets")
    test.selectbox(key="budget-category").set_value("Groceries")
    test.text_input(key="budget-amount").set_value("400")
    press(test, "Save")
    add_rule(ctx, "quokka", "Fuel")
    click(test, "undo-money")
    assert len(test.warning) == 1
    assert [rule.subject for rule in list_rules(ctx).rules if rule.kind == "rule"] == ["quokka"]
    assert [budget.category for budget in list_budgets(ctx).budgets] == [GROCERIES]
    with pytest.raises(UsageError):
        undo(ctx, shown=1)
    undo(ctx, shown=latest_decision(ctx))
    assert [rule.subject for rule in list_rules(ctx).rules if rule.kind == "rule"] == []


def listed(visit: Visit, ctx: Context) -> tuple[AppTest, str]:
    """The list of transactions, and the key of its table."""
    test = visit(ctx.db, "spending")
    test.session_state["every-transaction"] = True
    test.run()
    (editor,) = [each for each in test.data_editor if str(each.key).startswith("transactions-")]
    return test, str(editor.key)


def edit(test: AppTest, key: str, row: int, **cells: object) -> None:
    test.session_state[key] = {"edited_rows": {row: cells}, "added_rows": [], "deleted_rows": []}
    test.run()


def test_a_category(ctx: Context, visit: Visit) -> None:
    test, key = listed(visit, ctx)
    newest = transactions(ctx).transactions[0]
    edit(test, key, 0, category="Chemist")
    set_categories(ctx, {newest.id: "Fuel"})
    click(test, "category-one")
    assert warned(test, "Fuel")
    assert [row.secondary_category for row in transactions(ctx).transactions[:1]] == ["TRANSPORTATION_GAS"]
    click(test, "category-one")
    (code,) = [row.secondary_category for row in transactions(ctx).transactions[:1]]
    assert code == "MEDICAL_PHARMACIES_AND_SUPPLEMENTS"


def test_a_transaction_that_was_split_meanwhile(ctx: Context, visit: Visit) -> None:
    test, key = listed(visit, ctx)
    newest = transactions(ctx).transactions[0]
    edit(test, key, 0, edit=True)
    test.text_input(key=f"note-{newest.id}").set_value("Tyres")
    split(ctx, newest.id, [("10", "Fuel"), ("20", "Groceries")])
    press(test, "Save")
    assert len(test.warning) == 1
    assert [row.note for row in transactions(ctx).transactions[:2]] == [None, None]


def test_a_category_renamed_or_moved(ctx: Context, visit: Visit) -> None:
    test = spending(visit, ctx, "Categories and rules")
    test.selectbox(key="category-to-change").set_value("Fuel").run()
    test.selectbox(key="group-of-Fuel").set_value("Health")
    name_category(ctx, "Fuel", group="Entertainment")
    press(test, "Save")
    assert warned(test, "group", "Entertainment")
    name_category(ctx, "Fuel", name="Petrol")
    press(test, "Save")
    assert any(names(warning.value, "Fuel") for warning in test.warning)
    assert {row.group for row in list_categories(ctx).categories if row.name == "Petrol"} == {"ENTERTAINMENT"}


def test_concessions_are_removed_by_name_not_by_place(ctx: Context, visit: Visit) -> None:
    add_concession(ctx, TypedConcession("Alpha", "yearly", "100"))
    add_concession(ctx, TypedConcession("Beta", "yearly", "200"))
    first, second = visit(ctx.db, "data"), visit(ctx.db, "data")
    (alpha,) = [each.id for each in homes(ctx).households[0].concessions if each.name == "Alpha"]
    for test in (first, second):
        test.button(key=f"concession-remove-{alpha}").click().run()
    assert [each.name for each in homes(ctx).households[0].concessions] == ["Beta"]


def test_a_concession_that_another_tab_added_is_replaced_only_when_it_was_seen(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "data")
    test.segmented_control(key="concession-how").set_value("As on the bill").run()
    test.text_input(key="concession-name").set_value("Alpha")
    test.text_input(key="concession-amount").set_value("300")
    add_concession(ctx, TypedConcession("Alpha", "yearly", "100"))
    press(test, "Add this concession")
    assert any(names(warning.value, "Alpha", "$100") for warning in test.warning)
    assert [each.amount for each in homes(ctx).households[0].concessions] == [100]
    press(test, "Add this concession")
    assert [each.amount for each in homes(ctx).households[0].concessions] == [300]


def test_a_household_stays_selected_where_others_come(ctx: Context, visit: Visit) -> None:
    """A row is selected by its place: a household that comes before it must not take its place."""
    (home,) = homes(ctx).households
    add_home(ctx, "Zebras")
    test = visit(ctx.db, "households")
    place = test.dataframe[0].value["name"].to_list().index("Zebras")
    test.session_state["table-households"] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    test.run()
    add_home(ctx, "Aardvarks")
    press(test, "Archive")
    archived = [each.name for each in homes(ctx).households if each.archived_on]
    assert archived == ["Zebras"]
    assert home.name not in archived


def test_when_the_app_locks(ctx: Context, visit: Visit) -> None:
    first, second = visit(ctx.db, "settings"), visit(ctx.db, "settings")
    first.selectbox(key="idle-minutes").set_value(5).run()
    second.run()
    assert settings.load().idle_minutes == 5
    assert second.selectbox(key="idle-minutes").value == 5


def test_the_address_of_the_service(ctx: Context, visit: Visit) -> None:
    first, second = visit(ctx.db, "settings"), visit(ctx.db, "settings")

    def enter(test: AppTest, name: str, text: str) -> None:
        test.text_input(key=f"setting-{name}").set_value(text)
        press(test, "Save")

    enter(first, "TOOLKIT_BASE_URL", "https://one.example.com")
    enter(second, "TOOLKIT_CLIENT_ID", "abc")
    assert (settings.load().base_url, settings.load().client_id) == ("https://one.example.com", "abc")
    enter(second, "TOOLKIT_BASE_URL", "https://two.example.com")
    enter(first, "TOOLKIT_BASE_URL", "https://three.example.com")
    assert warned(first, "https://two.example.com")
    assert settings.load().base_url == "https://two.example.com"
    press(first, "Save")
    assert settings.load().base_url == "https://three.example.com"


def test_the_plan_of_the_home(tmp_path: Path, visit: Visit) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    read_meter(ctx, NMI, date(2026, 5, 1), 31, "0.5")
    set_home(ctx, postcode="2000", network="Ausgrid")
    here = {"distributors": ["Ausgrid"], "includedPostcodes": ["2000"]}
    plans = [flat_plan(f"{name}1", "30", brandName="Alpha", displayName=name, geography=here) for name in "ABC"]
    import_plans(ctx, tmp_path, *plans)
    set_home(ctx, plan_id="A1")
    test = visit(ctx.db, "data")
    test.selectbox(key="my-retailer-ELECTRICITY").set_value("Alpha").run()
    test.selectbox(key="my-plan-ELECTRICITY-Alpha").set_value("B1").run()
    set_home(ctx, plan_id="C1")
    press(test, "This is my plan")
    assert warned(test, "Electricity", "C")
    assert homes(ctx).households[0].plan_id == "C1"
    press(test, "This is my plan")
    assert homes(ctx).households[0].plan_id == "B1"


def test_accounts_that_are_named_alike_can_be_told_apart(ctx: Context, visit: Visit, tmp_path: Path) -> None:
    """Of options that read alike Streamlit takes the last: two accounts of one name could not be joined."""
    text = "Date,Amount,Description\n15/05/2026,900.00,REPAYMENT\n"
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text(text.replace("900", "900" if name == "one" else "800"))
        load(ctx, [tmp_path / f"{name}.csv"], account=name)
    test = visit(ctx.db, "accounts")
    for account in ("one", "two"):
        test.selectbox(key="account-to-set").set_value(account).run()
        test.text_input(key=f"name-{account}").set_value("Joint")
        press(test, "Save")
    assert len({*test.multiselect(key="to-join").options}) == 3
    test.multiselect(key="to-join").set_value(["one", "two"]).run()
    click(test, "join")
    linked = {row.id: row.linked_to for row in list_accounts(ctx).accounts if row.linked_to}
    assert set(linked) == {"one", "two"}
    assert widgets.distinct({1: "A", 2: "B", 3: "A"}) == {1: "A", 2: "B", 3: "A (2)"}
