"""What people change on the pages of Spending is what the command, the report, the fleet and the frames then say."""

from __future__ import annotations

import csv
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import toolkit
from tests.browser.visitor import command
from tests.pages.seen import metrics, with_bank_rows
from tests.pages.test_spending_page import edit, opened, press, submit
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.transactions import transactions

Visit = Callable[..., AppTest]
ROWS = """\
01/05/2026,"-100.00","WOOLWORTHS 1234 SYDNEY","+900.00"
05/05/2026,"-50.00","ZZYZX HOLDINGS","+850.00"
10/05/2026,"+2000.00","SALARY ACME PTY LTD","+2850.00"
11/05/2026,"-40.00","CHEMIST WAREHOUSE RYDE","+2810.00"
12/05/2026,"-20.00","MCDONALDS RYDE","+2790.00"
13/05/2026,"-9.00","KMART 1099 RYDE","+2781.00"
"""
PETS, DINING = "Pets & <b>birds</b>", "Eating out with friends"
SPENT = {"Groceries": 70, PETS: 80, "Chemist": 40, DINING: 20}
"""By hand: $30 of Woolworths and Zzyzx's $50 are for pets; Kmart is excluded."""


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return with_bank_rows(tmp_path, ROWS)


def id_of(ctx: Context, amount: str) -> str:
    return next(row.id for row in transactions(ctx).transactions if row.amount == Decimal(amount))


def change(ctx: Context, visit: Visit) -> None:
    """Add a category and rename one, make a rule, split, exclude and tag, each on the page."""
    test = opened(visit, ctx.db, "Categories and rules")
    test.text_input(key="new-category-name-0").set_value(PETS)
    submit(test, "Add")
    test.selectbox(key="category-to-change").set_value("Fast food").run()
    next(field for field in test.text_input if field.label == "New name").set_value(DINING)
    submit(test, "Save")
    test.text_input(key="rule-words").set_value("zzyzx").run()
    test.selectbox(key="rule-category").set_value(PETS).run()
    press(test, "save-rule")

    test = opened(visit, ctx.db)
    whole, excluded = id_of(ctx, "-100.00"), id_of(ctx, "-9.00")
    edit(test, "Woolworths", edit=True)
    test.session_state[f"parts-{whole}"] = {
        "edited_rows": {0: {"amount": 70.0}, 1: {"amount": 30.0, "category": PETS}},
        "added_rows": [],
        "deleted_rows": [],
    }
    test.run()
    press(test, f"split-{whole}")
    edit(test, "Kmart", edit=True)
    test.checkbox(key=f"exclude-{excluded}").check()
    submit(test, "Save")
    tagged = id_of(ctx, "-40.00")
    edit(test, "Chemist Warehouse", edit=True)
    test.text_input(key=f"tag-{tagged}").set_value("Winter")
    submit(test, "Save")


def test_what_is_changed_on_the_page_counts_in_command_report_fleet_and_frames(
    ctx: Context, tmp_path: Path, visit: Visit
) -> None:
    change(ctx, visit)
    test = opened(visit, ctx.db)
    assert metrics(test)["Spent"] == "$210.00"
    assert metrics(test)["Excluded by you"] == "$9.00"
    table = next(table.value for table in test.dataframe if {"name", "category"} <= {*table.value.columns})
    on_page = dict(zip(table["name"], table["spent"], strict=True))
    assert on_page == SPENT

    answer = command(ctx.db, "spending")
    codes = {row["secondary_category"] or row["primary_category"]: row["spent"] for row in answer["rows"]}
    named = {answer["category_names"].get(code, code): float(amount) for code, amount in codes.items()}
    assert {name: named[name] for name in (PETS, DINING)} == {PETS: 80, DINING: 20}
    assert sorted(named.values()) == sorted(SPENT.values())
    assert (answer["spent"], answer["income"], answer["excluded"]) == ("210.00", "2000.00", "9.00")
    tags = {row["tag"]: row["spent"] for row in command(ctx.db, "spending", "--by=tag")["rows"]}
    assert tags == {"Winter": "40.00", None: "170.00"}

    (home,) = command(ctx.db, "fleet", "--analysis=spending", "--workers=1")["households"]
    assert (home["spent"], home["income"]) == ("210.00", "2000.00")

    with open_home(ctx) as (store, household):
        tables = [store.read(name, household.household_id) for name in ("transactions", "accounts", "choices")]
    rows, accounts, choices = tables
    framed = toolkit.spending(rows, accounts, overrides=choices)
    assert {row.secondary_category or row.primary_category: str(row.spent) for row in framed.rows} == codes

    command(ctx.db, "report", f"--out={tmp_path / 'r.html'}", f"--csv={tmp_path / 'r.csv'}", "--per=year")
    page = (tmp_path / "r.html").read_text()
    assert "Pets &amp; &lt;b&gt;birds&lt;/b&gt;" in page
    assert DINING in page
    with (tmp_path / "r.csv").open() as file:
        totals = {line["name"]: line["total"] for line in csv.DictReader(file) if line["section"] in ("food", "other")}
    assert {name: float(total) for name, total in totals.items()} == SPENT
