"""The Data page: files to take back, a copy for another computer, and deletion of everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.seen import TODAY, read
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.household.status import status
from toolkit.flows.imports.load import load
from toolkit.store import open_store

Visit = Callable[..., AppTest]


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """Two bank files of one account each, with a row each."""
    home = Context(tmp_path / "home" / "household.db", TODAY)
    for name, text in (("june.csv", "CORNER CAFE"), ("other.csv", "BOOK SHOP")):
        (tmp_path / name).write_text(f'19/06/2026,"-42.50","{text}",""\n')
        load(home, [tmp_path / name], account=name)
    return home


def press(test: AppTest, label: str) -> AppTest:
    return next(button for button in test.button if button.label == label).click().run()


def test_a_file_is_taken_back_with_its_rows(ctx: Context, visit: Visit) -> None:
    (stored,) = status(ctx).households
    june = next(file.id for file in stored.files if file.name == "june.csv")
    test = visit(ctx.db, "data")
    assert names(read(test), "june.csv", "1 row", "19 Jun 2026")
    test.button(key=f"take-back-{june}").click().run()
    (stored,) = status(ctx).households
    assert [file.name for file in stored.files] == ["other.csv"]
    with open_store(ctx.db) as store:
        assert store.count("transactions") == 1


def test_each_account_says_to_which_day_it_is_stored(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "data")
    (table,) = [table.value for table in test.dataframe if "how" in table.value]
    assert [str(day)[:10] for day in table["to"]] == ["2026-06-19"] * 2
    assert all("19 Jun 2026" in how for how in table["how"])


def test_a_copy_holds_everything(ctx: Context, visit: Visit, tmp_path: Path) -> None:
    test = press(visit(ctx.db, "data"), "Make a copy")
    copy = tmp_path / "copy.db"
    copy.write_bytes(test.session_state["keeping-copy"])
    assert homes(Context(copy, TODAY)) == homes(ctx)


def test_everything_is_deleted_only_when_confirmed(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "data")
    test.text_input(key="delete-everything-name").set_value("everything")
    press(test, "Delete everything")
    assert len(homes(ctx).households) == 1
    test.text_input(key="delete-everything-name").set_value("Delete everything")
    press(test, "Delete everything")
    assert homes(ctx).households == ()
    assert not test.exception
