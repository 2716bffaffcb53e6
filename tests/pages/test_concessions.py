"""Concessions on the Data page: chosen from the list, typed as on the bill, refused with what was typed kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.pages.seen import TODAY, beside, read
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.household.settings import set_home


def test_a_concession_is_chosen_typed_and_removed(db: Path, visit: Callable[..., AppTest]) -> None:
    ctx = Context(db, TODAY)
    set_home(ctx, postcode="3000")
    test = visit(db, "data")
    assert "lumoenergy" in read(test)
    test.button(key="concession-add-listed").click().run()
    (held,) = homes(ctx).households[0].concessions
    assert (held.shape, held.percent, held.amount) == ("percent_above", Decimal("17.5"), Decimal("171.60"))
    test = visit(db, "data")
    next(each for each in test.button_group if each.key == "concession-how").set_value("As on the bill").run()
    test.text_input(key="concession-amount").set_value("lots")
    first, last = (next(day for day in test.date_input if day.label.startswith(word)) for word in ("First", "Last"))
    first.set_value(date(2026, 7, 1))
    last.set_value(date(2026, 6, 30))
    _send(test)
    assert names(" ".join(beside(test, "Last day (if known)")), "30 Jun 2026")
    assert names(" ".join(beside(test, "concession-name")), "name")
    assert names(" ".join(beside(test, "concession-amount")), "lots")
    test.text_input(key="concession-name").set_value("Council rebate")
    next(day for day in test.date_input if day.label.startswith("Last")).set_value(None)
    _send(test)
    [below] = [column for column in test.columns if column.warning]
    assert "concession-amount" in [field.key for field in below.text_input]
    assert names(below.warning[0].value, "lots")
    assert test.text_input(key="concession-name").value == "Council rebate"
    test.text_input(key="concession-amount").set_value("120")
    _send(test)
    assert not test.exception
    kept = {each.name: each.amount for each in homes(ctx).households[0].concessions}
    assert kept["Council rebate"] == Decimal(120)
    next(each for each in test.button if each.key.startswith("concession-remove-")).click().run()
    assert len(homes(ctx).households[0].concessions) == 1


def _send(test: AppTest) -> None:
    [button] = [each for each in test.button if each.label == "Add this concession"]
    button.click().run()
