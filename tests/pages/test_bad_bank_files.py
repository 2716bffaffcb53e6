"""Bank files as they should not be, on the pages: what is wrong is named by its line, the rest is there as text."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.pages.seen import TODAY, press, read
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home
from toolkit.flows.imports.load import load
from toolkit.flows.money.summary import spending
from toolkit.flows.money.transactions import transactions

Visit = Callable[..., AppTest]
TAB, EVERYTHING = "spending-tab", "/./"
HOSTILE = ("=HYPERLINK(1)", "<img src=x onerror=alert(1)>", "[a](http://evil.example) **b**")
ROWS = (
    "Date,Description,Amount",
    "13/05/2026,KIOSK,(12.50)",
    "05/14/2026,OTHER ORDER OF DATES,-2.00",
    f"15/05/2026,{'x' * 1_000_000},-3.00",
    "16/05/2026,BOTH SIGNS,-5.00 DR",
    *(f'{17 + number}/05/2026,"{text}",7.25 DR' for number, text in enumerate(HOSTILE)),
)


def test_lines_that_cannot_be_read_are_named_on_the_page_and_the_rest_is_listed(tmp_path: Path, visit: Visit) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    add_home(ctx, "Home")
    test = visit(ctx.db, "data")
    test.file_uploader[0].set_value([("bank.csv", "\n".join(ROWS).encode("utf-16"), "text/csv")]).run()
    press(test, "Import")
    assert not test.exception
    shown = [str(value) for table in test.dataframe for value in table.value.to_numpy().ravel()]
    assert names(read(test) + "\n".join(shown), "bank.csv:3", "bank.csv:4", "bank.csv:5")
    assert {row.description: row.amount for row in transactions(ctx).transactions} == {
        "KIOSK": Decimal("-12.50"),
        **dict.fromkeys(HOSTILE, Decimal("-7.25")),
    }
    test = visit(ctx.db, "spending")
    test.session_state["every-transaction"] = True
    test.run()
    assert not test.exception
    (listed,) = [editor.value for editor in test.data_editor if str(editor.key).startswith("transactions-")]
    assert listed["amount"].sum() == -12.50 - 3 * 7.25


def test_what_is_noted_of_several_files_is_one_sentence(tmp_path: Path, visit: Visit) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    add_home(ctx, "Home")
    test = visit(ctx.db, "data")
    rows = {name: f"Date,Description,Amount\n13/05/2026,{name},-1.00\n".encode() for name in ("one", "two", "three")}
    test.file_uploader[0].set_value([(f"{name}.csv", text, "text/csv") for name, text in rows.items()]).run()
    press(test, "Import")
    (noted,) = [text for each in test.caption if "one.csv" in (text := each.value.replace("\\", ""))]
    assert names(noted, "one.csv", "two.csv", "three.csv")


def test_ten_thousand_categories_and_a_rule_that_fits_everything_are_shown_and_undone(
    tmp_path: Path, visit: Visit
) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    rows = "".join(f"{1 + number % 28}/05/2026,SHOP {number},-1.00,Own {number}\n" for number in range(10_000))
    (tmp_path / "bank.csv").write_text("Date,Description,Amount,Category\n" + rows)
    load(ctx, [tmp_path / "bank.csv"])
    before = spending(ctx)
    test = visit(ctx.db, "spending")
    assert not test.exception
    test.session_state[TAB] = "Categories and rules"
    test.run()
    test.text_input(key="rule-words").set_value(EVERYTHING).run()
    assert names(read(test), "10,000 transactions", "$10,000.00")
    test.selectbox(key="rule-category").set_value("Gym").run()
    test.button(key="save-rule").click().run()
    assert not test.exception
    assert [(row.secondary_category, row.count) for row in spending(ctx).rows] == [
        ("PERSONAL_CARE_GYMS_AND_FITNESS_CENTERS", 10_000)
    ]
    test.button(key="undo-money").click().run()
    assert not test.exception
    assert spending(ctx) == before
