"""The page Energy bills: bills are typed, listed, corrected, removed and brought back there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.seen import TODAY, beside, press, read
from tests.problems import names
from toolkit.answers.energy.invoice_list import Invoice
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice, list_invoices
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.pages.text import plain

Visit = Callable[..., AppTest]
BANK = """Date,Amount,Description,Balance
01/06/2026,-45.20,WOOLWORTHS 1234 SYDNEY NSW,954.80
10/06/2026,-148.96,ORIGIN ENERGY,834.80
"""


def kept(db: Path) -> tuple[Invoice, ...]:
    return list_invoices(Context(db, TODAY)).invoices


def typed(test: AppTest, **fields: object) -> AppTest:
    kinds = {"first": test.date_input, "last": test.date_input, "fuel": test.radio}
    for name, value in fields.items():
        kind = kinds.get(name, test.text_input)
        kind(key=f"new-bill-0-{name}").set_value(value)
    next(button for button in test.button if button.label == "Save this bill").click()
    return test.run()


def test_a_gas_bill_typed_into_an_empty_app_is_kept_corrected_removed_and_brought_back(
    tmp_path: Path, visit: Visit
) -> None:
    db = tmp_path / "home.db"
    test = visit(db, "bills")
    assert not test.exception
    days = {"first": date(2026, 3, 1), "last": date(2026, 4, 30)}
    test = typed(test, fuel="GAS", **days, billed="$212.45", general="4512", retailer="Wombat")
    assert not test.exception
    (bill,) = kept(db)
    assert (bill.fuel, bill.from_, bill.to, bill.billed, bill.retailer) == (
        *("GAS", date(2026, 3, 1), date(2026, 4, 30), Decimal("212.45"), "Wombat"),
    )
    assert [(entry.register, entry.quantity, entry.unit) for entry in bill.energy] == [("general", 4512.0, "MJ")]

    test.text_input(key=f"{bill.id}-billed").set_value("200")
    next(button for button in test.button if button.label == "Save the changes").click()
    test.run()
    assert not test.exception
    assert [each.billed for each in kept(db)] == [Decimal(200)]

    test.button(key=f"remove-{bill.id}").click()
    test.run()
    assert not test.exception
    assert kept(db) == ()


def test_each_wrong_field_of_a_bill_is_said_below_itself_and_stays(tmp_path: Path, visit: Visit) -> None:
    test = visit(tmp_path / "home.db", "bills")
    wrong = {"billed": "lots", "general": "many", "balance": "x", "payments": "y", "concession": "z"}
    days = {"first": date(2026, 4, 30), "last": date(2026, 3, 1)}
    test = typed(test, **days, **wrong, retailer="W" * 201, solar="12")
    fields = (*wrong, "retailer", "last")
    assert [len(beside(test, f"new-bill-0-{field}")) for field in fields] == [1] * len(fields)
    assert len(test.warning) == len(fields)
    assert {field: test.text_input(key=f"new-bill-0-{field}").value for field in wrong} == wrong
    right = {"billed": "100", "general": "1", "balance": "", "payments": "", "concession": "", "retailer": ""}
    test = typed(test, **right, last=date(2026, 5, 31), **{"service-point": "12"})
    assert len(beside(test, "new-bill-0-service-point")) == len(test.warning) == 1


def test_what_came_of_the_long_form_is_also_said_over_the_page(tmp_path: Path, visit: Visit) -> None:
    days = {"first": date(2026, 3, 1), "last": date(2026, 4, 30)}
    test = typed(visit(tmp_path / "home.db", "bills"), **days, billed="lots")
    assert [box.value for box in test.toast] == ["Not saved yet. The form says what to correct."]
    test = typed(test, billed="212.45")
    assert [box.value for box in test.toast] == [plain("The bill of 1 Mar 2026 to 30 Apr 2026 is saved.")]


def test_the_keyboard_goes_through_the_days_and_the_amount_before_the_energy(tmp_path: Path, visit: Visit) -> None:
    """It goes down each column before the next, as the page is built."""

    def keys(node: Any) -> Iterator[str]:
        for child in getattr(node, "children", {}).values():
            if child.type in ("date_input", "text_input"):
                yield str(child.key).removeprefix("new-bill-0-")
            yield from keys(child)

    test = visit(tmp_path / "home.db", "bills")
    assert list(keys(test.main))[:4] == ["first", "last", "billed", "general"]


def test_days_of_another_bill_and_a_meter_are_said_with_the_other_wrong_fields(tmp_path: Path, visit: Visit) -> None:
    db = tmp_path / "home.db"
    test = typed(visit(db, "bills"), billed="x", **{"service-point": "12"})
    fields = ("first", "billed", "service-point")
    assert [len(beside(test, f"new-bill-0-{field}")) for field in fields] == [1, 1, 1]
    test = typed(visit(db, "bills"), first=date(2026, 3, 1), last=date(2026, 4, 30), billed="212.45")
    assert len(kept(db)) == 1
    overlapping = {"first": date(2026, 4, 1), "last": date(2026, 5, 31)}
    test = typed(visit(db, "bills"), **overlapping, billed="x", **{"service-point": "12"})
    assert [len(beside(test, f"new-bill-0-{field}")) for field in fields] == [1, 1, 1]
    assert len(kept(db)) == 1


def test_a_bill_that_another_tab_has_changed_is_not_replaced_unseen(tmp_path: Path, visit: Visit) -> None:
    """The second tab showed 212.45; its form, saved after the first tab's 200, says so once and then replaces it."""
    db = tmp_path / "home.db"
    days = {"first": date(2026, 3, 1), "last": date(2026, 4, 30)}
    first = typed(visit(db, "bills"), **days, billed="$212.45", retailer="Wombat")
    (bill,) = kept(db)
    second = visit(db, "bills")
    first.text_input(key=f"{bill.id}-billed").set_value("200")
    press(first, "Save the changes")
    second.run()  # as any other click there does
    second.text_input(key=f"{bill.id}-retailer").set_value("Wren")
    press(second, "Save the changes")
    assert [names(warning.value, "200") for warning in second.warning] == [True]
    assert [(each.billed, each.retailer) for each in kept(db)] == [(Decimal(200), "Wombat")]
    press(second, "Save the changes")
    assert not second.warning
    assert [(each.billed, each.retailer) for each in kept(db)] == [(Decimal("212.45"), "Wren")]
    second.text_input(key=f"{bill.id}-billed").set_value("220")
    press(second, "Save the changes")
    assert not second.warning
    assert [each.billed for each in kept(db)] == [Decimal(220)]


def test_what_is_lacking_or_wrong_is_named_and_nothing_is_kept(tmp_path: Path, visit: Visit) -> None:
    db = tmp_path / "home.db"
    test = typed(visit(db, "bills"), billed="212.45")
    wrong = [column for column in test.columns if column.warning]
    assert [column.date_input[0].label for column in wrong] == ["First day", "Last day"]  # each below its field
    days = {"first": date(2026, 3, 1), "last": date(2026, 4, 30)}
    for wrong in ({"billed": "12.345"}, {"billed": "1", "general": "much"}, {"billed": "1", "last": date(2026, 2, 1)}):
        test = typed(visit(db, "bills"), **days | wrong)
        assert not test.exception
        assert test.warning
        assert "--" not in read(test)
    assert not db.exists()


def test_a_payment_in_the_bank_rows_fills_the_amount(tmp_path: Path, visit: Visit) -> None:
    db, rows = tmp_path / "home.db", tmp_path / "everyday.csv"
    rows.write_text(BANK)
    load(Context(db, TODAY), [rows])
    test = visit(db, "bills")
    choice = test.selectbox(key="paid-0")
    assert len(choice.options) == 2
    choice.set_value(1)
    test.run()
    assert "148.96" in [field.value for field in test.text_input]


@pytest.fixture(scope="module")
def home_of_bills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a quarter's gas bill, an electricity bill, and nothing else."""
    db = tmp_path_factory.mktemp("bills") / "home.db"
    for fuel, energy in (("GAS", "4500"), ("ELECTRICITY", "900")):
        form = InvoiceForm(fuel, date(2026, 3, 1), date(2026, 5, 31), "100", energy=[energy])
        add_invoice(Context(db, TODAY), form)
    return db


@pytest.mark.parametrize("page", ["overview", "spending", "bills", "plans", "usage", "solar", "data"])
def test_every_page_shows_a_home_that_has_bills_alone(home_of_bills: Path, visit: Visit, page: str) -> None:
    test = visit(home_of_bills, page)
    assert not test.exception
    assert not test.error


def test_what_was_paid_of_a_bill_is_said_where_the_bills_are(tmp_path: Path, visit: Visit) -> None:
    """$190.00 less $148.96 is $41.04."""
    ctx = Context(tmp_path / "home.db", TODAY)
    (tmp_path / "bank.csv").write_text(BANK + '01/05/2026,"-12.00","SHOP",""\n')
    load(ctx, [tmp_path / "bank.csv"])
    days = {"from_": date(2026, 3, 1), "to": date(2026, 5, 20)}
    form = InvoiceForm("ELECTRICITY", **days, billed="190", retailer="Origin", due_date=date(2026, 6, 12))
    add_invoice(ctx, form)
    assert (
        "$148.96 paid to Origin so far of the $190.00 on your electricity bill due on 12 Jun 2026: $41.04 is left."
        in read(visit(ctx.db, "bills"))
    )


def test_a_bill_paid_from_elsewhere_is_marked_as_paid_and_no_longer_due(tmp_path: Path, visit: Visit) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    (tmp_path / "bank.csv").write_text("Date,Amount,Description\n01/05/2026,-12.00,SHOP\n18/06/2026,-12.00,SHOP\n")
    load(ctx, [tmp_path / "bank.csv"])
    days = {"from_": date(2026, 3, 1), "to": date(2026, 5, 20)}
    add_invoice(ctx, InvoiceForm("ELECTRICITY", **days, billed="190", due_date=date(2026, 6, 12)))
    test = visit(ctx.db, "bills")
    assert any("was due on 12 Jun 2026" in warning.value for warning in test.warning)
    test = press(test, plain("I have paid the bill of $190.00 due on 12 Jun 2026"))
    assert [bill.paid for bill in kept(ctx.db)] == [True]
    assert not test.warning
    assert not [button.label for button in test.button if button.label.startswith("I have paid")]
    press(test, "Undo the last change")
    assert [bill.paid for bill in kept(ctx.db)] == [None]
