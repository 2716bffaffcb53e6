"""The form that names the columns of a bank's CSV once."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.pages.seen import TODAY
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home
from toolkit.flows.money.transactions import transactions

TEXT = "Wann,Wie viel,Was\n13/05/2026,20.00,<b>KIOSK</b>\n14/05/2026,-5.00,REFUND\n"


def test_columns_are_chosen_from_the_first_rows_and_the_file_is_read(
    tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    add_home(ctx, "Home")
    test = visit(ctx.db, "data")
    (field,) = [each for each in test.file_uploader if each.key == "unknown-csv"]
    field.upload("bank.csv", TEXT.encode(), "text/csv").run()
    assert not test.exception
    assert any("Was" in table.value.columns for table in test.dataframe)
    for name, column in {"date": "Wann", "amount": "Wie viel", "description": "Was"}.items():
        test.selectbox(key=f"column-{name}").set_value(column)
    test.selectbox(key="column-sign").set_value("out-positive")
    [button for button in test.button if button.label == "Import"][-1].click().run()
    assert not test.exception
    rows = {(row.description, row.amount) for row in transactions(ctx).transactions}
    assert rows == {("<b>KIOSK</b>", Decimal("-20.00")), ("REFUND", Decimal("5.00"))}
