"""The form that names the columns of a bank's CSV once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.seen import TODAY, read
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home
from toolkit.flows.money.transactions import transactions
from toolkit.pages.importing.folder import LOOK

TEXT = "Wann,Ort,Was,Wie viel\n13/05/2026,,<b>KIOSK</b>,20.00\n14/05/2026,,REFUND,-5.00\n"
LATER = "Wann,Ort,Was,Wie viel\n13/06/2026,,BAKER,30.00\n"
PLACES = {"date": "Wann", "amount": "Wie viel", "description": "Was"}
Visit = Callable[..., AppTest]


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    ctx = Context(tmp_path / "home.db", TODAY)
    add_home(ctx, "Home")
    return ctx


def upload(test: AppTest, *files: tuple[str, str], field: str) -> AppTest:
    (uploader,) = [each for each in test.file_uploader if str(each.key).startswith(field)]
    uploader.set_value([(name, text.encode(), "text/csv") for name, text in files]).run()
    assert not test.exception
    return test


def field(test: AppTest, name: str) -> Any:
    """The choice of what a column holds, or how dates and signs are written."""
    (found,) = [each for each in test.selectbox if str(each.key).startswith(f"column-{name}-")]
    return found


def choose(test: AppTest, *, sign: str = "out-positive", **places: str) -> AppTest:
    for name, column in places.items():
        field(test, name).set_value(column)
    field(test, "sign").set_value(sign).run()
    assert not test.exception
    return test


def stored(ctx: Context) -> set[tuple[str | None, Decimal]]:
    return {(row.description, row.amount) for row in transactions(ctx).transactions}


def test_columns_are_chosen_from_the_first_rows_and_the_file_is_read(ctx: Context, visit: Visit) -> None:
    test = upload(visit(ctx.db, "data"), ("bank.csv", TEXT), field="unknown-csv")
    assert any("Was" in table.value.columns for table in test.dataframe)
    choose(test, **PLACES).button(key="import-columns").click().run()
    assert not test.exception
    assert stored(ctx) == {("<b>KIOSK</b>", Decimal("-20.00")), ("REFUND", Decimal("5.00"))}


def test_files_that_were_not_recognised_wait_for_their_columns_which_are_named_once(ctx: Context, visit: Visit) -> None:
    test = upload(visit(ctx.db, "data"), ("may.csv", TEXT), ("june.csv", LATER), field="files-")
    test.button(key="import-files").click().run()
    assert "may.csv, june.csv are not recognised" in read(test)
    assert ["NEM12" in each.value for each in test.warning] == [False]
    choose(test, **PLACES).button(key="import-columns").click().run()
    assert not test.exception
    assert ("BAKER", Decimal("-30.00")) in stored(ctx)
    assert len(stored(ctx)) == 3
    assert not [each for each in test.selectbox if str(each.key).startswith("column-")]  # nothing waits any more


def test_nothing_can_be_imported_until_the_columns_suffice(ctx: Context, visit: Visit) -> None:
    test = upload(visit(ctx.db, "data"), ("bank.csv", TEXT), field="unknown-csv")
    choose(test, date="Wann")
    assert not [each for each in test.button if each.key == "import-columns"]


def test_the_rows_are_shown_as_they_will_be_read_and_a_sign_that_makes_purchases_income_is_doubted(
    ctx: Context, visit: Visit
) -> None:
    rows = "".join(f"{day}/05/2026,20.00,KIOSK\n" for day in range(13, 20))
    test = upload(visit(ctx.db, "data"), ("card.csv", f"Wann,Wie viel,Was\n{rows}"), field="unknown-csv")
    choose(test, sign="out-negative", **PLACES)
    assert set(test.dataframe[-1].value["amount"]) == {20.0}
    doubts = len(test.warning)
    choose(test, sign="out-positive")
    assert set(test.dataframe[-1].value["amount"]) == {-20.0}
    assert len(test.warning) == doubts - 1
    assert not stored(ctx)


def test_a_stored_file_is_not_read_by_other_columns_beside_its_first_reading(ctx: Context, visit: Visit) -> None:
    test = upload(visit(ctx.db, "data"), ("bank.csv", TEXT), field="unknown-csv")
    choose(test, sign="out-negative", **PLACES).button(key="import-columns").click().run()
    before = stored(ctx)
    test = upload(visit(ctx.db, "data"), ("bank.csv", TEXT), field="unknown-csv")
    choose(test, sign="out-positive", **PLACES).button(key="import-columns").click().run()
    assert not test.exception
    assert test.warning
    assert stored(ctx) == before


def test_columns_named_wrongly_are_forgotten(ctx: Context, visit: Visit) -> None:
    test = upload(visit(ctx.db, "data"), ("may.csv", TEXT), field="unknown-csv")
    choose(test, date="Wann", amount="Wie viel", description="Ort").button(key="import-columns").click().run()
    test = visit(ctx.db, "data")
    (header,) = test.selectbox(key="header-to-forget").options
    test.selectbox(key="header-to-forget").set_value(header).run()
    test.button(key="forget-columns").click().run()
    assert not test.exception
    assert [each.key for each in test.selectbox if each.key == "header-to-forget"] == []
    test = upload(visit(ctx.db, "data"), ("june.csv", LATER), field="files-")
    test.button(key="import-files").click().run()
    assert len(stored(ctx)) == 2  # of May alone: June waits for its columns
    assert field(test, "date").value is None


def test_a_header_in_another_language_is_asked_about_whatever_the_shape_of_the_rows(ctx: Context, visit: Visit) -> None:
    text = "Datum,Betrag,Zweck\n03/04/2026,20.00,KIOSK\n04/04/2026,-5.00,REFUND\n"  # rows as those of ANZ
    test = upload(visit(ctx.db, "data"), ("bank.csv", text), field="files-")
    test.button(key="import-files").click().run()
    assert not test.exception
    choose(test, date="Datum", amount="Betrag", description="Zweck")
    field(test, "dates").set_value("m/d/y").run()
    test.button(key="import-columns").click().run()
    assert {(row.date, row.amount) for row in transactions(ctx).transactions} == {
        (date(2026, 3, 4), Decimal("-20.00")),
        (date(2026, 4, 4), Decimal("5.00")),
    }


def test_files_of_a_folder_wait_for_their_columns_too(ctx: Context, visit: Visit, tmp_path: Path) -> None:
    folder = tmp_path / "bank"
    folder.mkdir()
    (folder / "may.csv").write_text(TEXT)
    (folder / "june.csv").write_text(LATER)
    (folder / "notes.txt").write_text("Bring sunscreen.\n")
    test = visit(ctx.db, "data")
    test.text_input(key="folder-typed-None").set_value(str(folder))
    next(button for button in test.button if button.label == LOOK).click().run()
    choose(test, **PLACES).button(key="import-columns").click().run()
    assert not test.exception
    assert len(stored(ctx)) == 3
    assert ("BAKER", Decimal("-30.00")) in stored(ctx)


def test_the_order_of_dates_chosen_for_one_file_is_not_taken_for_another(ctx: Context, visit: Visit) -> None:
    american = "Booked,What,Money\n05/13/2026,KIOSK,-20.00\n"
    test = upload(visit(ctx.db, "data"), ("a.csv", american), ("b.csv", TEXT), field="files-")
    test.button(key="import-files").click().run()
    choose(test, sign="out-positive", date="Booked", amount="Money", description="What")
    field(test, "dates").set_value("m/d/y").run()
    test.button(key="import-columns").click().run()
    assert not test.exception
    assert [field(test, name).value for name in ("date", "dates", "sign")] == [None, "any", "out-negative"]
