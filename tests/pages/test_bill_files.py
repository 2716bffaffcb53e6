"""A bill's PDF dropped on the Data page fills the form, which is checked before anything is saved."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.bill_pdfs import BOXES, SCAN, pdf, rows
from tests.pages.seen import TODAY, press, read, said
from tests.pages.test_pages import field
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home, homes
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice, doubt_of, list_invoices, remove_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.pages.energy.bills import UNSAVED
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.text import plain

Visit = Callable[..., AppTest]


def dropped(test: AppTest, **files: bytes) -> AppTest:
    test.file_uploader[0].set_value([(f"{name}.pdf", data, "application/pdf") for name, data in files.items()]).run()
    next(button for button in test.button if button.label == "Import").click()
    return test.run()


def test_a_pdf_is_checked_corrected_and_saved(tmp_path: Path, visit: Visit) -> None:
    db = tmp_path / "home.db"
    test = dropped(visit(db, "data"), bill=BOXES, photo=SCAN)
    assert not test.exception
    assert not db.exists()
    assert "bill.pdf" in read(test)
    assert test.warning  # the scan
    amount = next(field for field in test.text_input if field.value == "187.90")
    amount.set_value("187.00")
    next(button for button in test.button if button.label == "Save this bill").click()
    test.run()
    assert not test.exception
    (bill,) = list_invoices(Context(db, TODAY)).invoices
    assert (bill.billed, bill.fuel, bill.source) == (Decimal(187), "GAS", "pdf")


def imported(test: AppTest) -> list[tuple[str, str]]:
    """File and what was added, of the table of imported files."""
    (table,) = [each.value for each in test.dataframe if "path" in each.value]
    return list(zip(table["path"], table["added"], strict=True))


def test_a_bill_among_other_files_is_named_where_their_result_stands(tmp_path: Path, visit: Visit) -> None:
    test = visit(tmp_path / "home.db", "data")
    bank = b'18/06/2026,"-40.00","MARKET STALL","+60.00"\n'
    test.file_uploader[0].set_value([("bank.csv", bank, "text/csv"), ("bill.pdf", BOXES, "application/pdf")]).run()
    next(button for button in test.button if button.label == "Import").click().run()
    assert "Added: 1 transaction." in read(test)
    assert test.info[0].value == "1 bill to check and save below."
    assert imported(test) == [("bank.csv", "1 transaction"), ("bill.pdf", "to check and save below")]
    next(button for button in test.button if button.label == "Save this bill").click().run()
    assert "to check and save" not in read(test)
    assert imported(test) == [("bank.csv", "1 transaction")]


JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(range(256))


@pytest.mark.parametrize(("data", "what"), [(SCAN, "scan"), (JPEG, "picture")])
def test_a_scan_or_a_picture_is_typed_in_a_form_below_it(tmp_path: Path, visit: Visit, data: bytes, what: str) -> None:
    db = tmp_path / "home.db"
    test = dropped(visit(db, "data"), bill=data)
    assert what in test.warning[0].value
    field(test, "Amount, $").set_value("159.67")
    for label, day in (("First day", date(2026, 5, 1)), ("Last day", date(2026, 5, 31))):
        next(box for box in test.date_input if box.label == label).set_value(day)
    next(button for button in test.button if button.label == "Save this bill").click().run()
    assert not test.exception
    (bill,) = list_invoices(Context(db, TODAY)).invoices
    assert (bill.billed, bill.to, bill.source) == (Decimal("159.67"), date(2026, 5, 31), "typed")
    assert not test.warning


def test_a_banks_statement_is_not_called_a_bill(tmp_path: Path, visit: Visit) -> None:
    statement = ["Classic Banking Account"], ["1 Oct 2026 to 31 Oct 2026"], ["1 Oct 2026", "WOOLWORTHS", "45.20"]
    test = dropped(visit(tmp_path / "home.db", "data"), bill=pdf(rows(*statement)))
    assert any("may not be an energy bill" in box.value for box in test.info)
    test = dropped(visit(tmp_path / "other.db", "data"), bill=BOXES)
    assert not any("may not be an energy bill" in box.value for box in test.info)


def test_a_bill_over_days_of_another_is_refused_and_stays_in_the_form(tmp_path: Path, visit: Visit) -> None:
    db = tmp_path / "home.db"
    form = InvoiceForm("GAS", date(2026, 1, 1), date(2026, 5, 31), "100")
    kept = add_invoice(Context(db, TODAY), form).changed or ""
    test = dropped(visit(db, "data"), bill=BOXES)
    next(button for button in test.button if button.label == "Save this bill").click()
    test.run()
    assert not test.exception
    assert "1 Jan 2026 to 31 May 2026" in read(test)
    assert kept not in read(test)
    assert "187.90" in [field.value for field in test.text_input]
    assert len(list_invoices(Context(db, TODAY)).invoices) == 1


HOSTILE = "![x](https://evil.example) <img src=x> =1+1"


def test_hostile_words_in_a_pdf_are_only_text(tmp_path: Path, visit: Visit) -> None:
    lines = [
        [f"Retailer {HOSTILE}"],
        [f"Plan: {HOSTILE}"],
        ["Gas bill 1 Jun 2025 to 30 Jun 2025"],
        ["New charges $9.00"],
    ]
    test = dropped(visit(tmp_path / "home.db", "data"), bill=pdf(rows(*lines)))
    assert not test.exception
    assert "evil.example" not in said(test)  # fields of the form have it as text


def test_a_pdf_is_put_aside(tmp_path: Path, visit: Visit) -> None:
    test = dropped(visit(tmp_path / "home.db", "data"), bill=BOXES)
    next(button for button in test.button if button.label == "Don't save this bill").click()
    test.run()
    assert not test.exception
    assert "187.90" not in [field.value for field in test.text_input]
    assert not (tmp_path / "home.db").exists()


def test_an_unsaved_bill_outlives_a_reload_and_is_asked_for_on_energy_bills(tmp_path: Path, visit: Visit) -> None:
    """A reload is a new visit. The first household is made between, by a bank file."""
    db = tmp_path / "home.db"
    dropped(visit(db, "data"), bill=BOXES)
    load(Context(db, TODAY), [statement(tmp_path)])
    assert any(UNSAVED in box.value for box in visit(db, "bills").markdown)
    again = visit(db, "data")
    assert "187.90" in [field.value for field in again.text_input]
    next(button for button in again.button if button.label == "Save this bill").click()
    assert not again.run().exception
    assert [bill.billed for bill in list_invoices(Context(db, TODAY)).invoices] == [Decimal("187.90")]
    assert "187.90" not in [field.value for field in visit(db, "data").text_input]
    assert not any(UNSAVED in box.value for box in visit(db, "bills").markdown)


def statement(folder: Path) -> Path:
    path = folder / "bank.csv"
    path.write_text('01/06/2026,"-10.00","TEA ROOM",""\n')
    return path


def test_an_unsaved_bill_stays_while_other_files_are_imported(tmp_path: Path, visit: Visit) -> None:
    test = dropped(visit(tmp_path / "home.db", "data"), bill=BOXES)
    test.file_uploader[0].set_value([("bank.csv", statement(tmp_path).read_bytes(), "text/csv")]).run()
    next(button for button in test.button if button.label == "Import").click()
    assert "187.90" in [field.value for field in test.run().text_input]
    assert [field.value for field in dropped(test, bill=BOXES).text_input].count("187.90") == 1


def test_a_bill_read_before_anything_was_stored_is_shown_to_the_first_household_alone(
    tmp_path: Path, visit: Visit
) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    dropped(visit(ctx.db, "data"), bill=BOXES)
    load(ctx, [statement(tmp_path)])
    first = homes(ctx).households[0].id
    visit(ctx.db, "data")
    second = next(home.id for home in add_home(ctx, "Quolls").households if home.id != first)
    for household, shown in ((second, False), (first, True)):
        test = visit(ctx.db, "data", household=lambda of=household: launched.in_address(of))
        assert ("187.90" in [field.value for field in test.text_input]) is shown


def bill_with_address(days: str, *, meter: str = "4103000001", amount: str = "$159.67") -> bytes:
    return pdf(
        rows(
            ["Lyrebird Energy", "", "Electricity bill"],
            ["Supply address:", "14 Alice Street NEWTOWN NSW 2042"],
            ["NMI", meter],
            ["Billing period", days],
            ["Total new charges (incl. GST)", amount],
        )
    )


MAY = bill_with_address("1 May 2026 to 31 May 2026 (31 days)")
JUNE = bill_with_address("1 Jun 2026 to 14 Jun 2026 (14 days)")


def test_a_bill_that_is_stored_is_named_and_not_asked_for_again(tmp_path: Path, visit: Visit) -> None:
    db = tmp_path / "home.db"
    test = press(dropped(visit(db, "data"), may=MAY), "Save this bill")
    test = dropped(test, again=MAY)
    assert [box.value for box in test.info] == [
        plain("again.pdf: already stored: the bill of 1 May 2026 to 31 May 2026.")
    ]
    assert "Save this bill" not in [button.label for button in test.button]
    dearer = bill_with_address("1 May 2026 to 31 May 2026 (31 days)", amount="$201.67")
    test = dropped(visit(db, "data"), dearer=dearer)
    assert "It is stored with $159.67; this file says $201.67." in read(test)
    assert len(list_invoices(Context(db, TODAY)).invoices) == 1
    other_meter = bill_with_address("1 May 2026 to 31 May 2026 (31 days)", meter="4103000028")
    assert "Save this bill" in [button.label for button in dropped(visit(db, "data"), other=other_meter).button]


def test_one_bill_in_two_files_is_one_form_and_dropping_a_bill_says_which(tmp_path: Path, visit: Visit) -> None:
    db = tmp_path / "home.db"
    test = dropped(visit(db, "data"), first=MAY, copy=MAY, june=JUNE)
    assert [field.value for field in test.text_input].count("159.67") == 2
    assert "copy.pdf: the same bill as first.pdf, which is below." in read(test)
    press(test, "Don't save this bill")
    said = "first.pdf is dropped: nothing of it is saved. Still to check and save: june.pdf."
    assert [box.value for box in test.success] == [box.value for box in test.toast] == [plain(said)]
    press(test, "Save this bill")
    saved = "The bill of 1 Jun 2026 to 14 Jun 2026 is saved."
    assert [box.value for box in test.toast] == [plain(f"{saved} 2042 is saved as the postcode of the home.")]
    assert [bill.to for bill in list_invoices(Context(db, TODAY)).invoices] == [date(2026, 6, 14)]


def test_the_postcode_of_a_bill_is_checked_and_becomes_that_of_the_home(tmp_path: Path, visit: Visit) -> None:
    db = tmp_path / "home.db"
    test = dropped(visit(db, "data"), bill=MAY)
    assert field(test, "Postcode of the home").value == "2042"
    field(test, "Postcode of the home").set_value("2043")
    next(button for button in test.button if button.label == "Save this bill").click()
    test.run()
    assert not test.exception
    assert [home.postcode for home in homes(Context(db, TODAY)).households] == ["2043"]
    second = dropped(visit(db, "data"), bill=JUNE)  # the home's own stays
    assert "Save this bill" in [button.label for button in second.button]
    assert "Postcode of the home" not in [field.label for field in second.text_input]


# ---- a bill of another home


def test_a_bill_of_another_households_meter_is_saved_only_once_somebody_says_it_is_of_this_home(
    tmp_path: Path, visit: Visit
) -> None:
    db = tmp_path / "homes.db"
    for name, number in (("Abernathy", "6001234567"), ("Carrington", "6007654321")):
        add_home(Context(db, TODAY), name)
        meter = tmp_path / f"{name}.csv"
        meter.write_text(
            f"100,NEM12,202605020000,MDP,RET\n200,{number},E1,1,E1,N1,M1,kWh,480,\n"
            "300,20260501,1,1,1,A,,,20260502000000,\n900\n"
        )
        load(Context(db, TODAY, name), [meter])
    bill = bill_with_address("1 May 2026 to 31 May 2026 (31 days)", meter="6001234567")
    here = next(home.id for home in homes(Context(db, TODAY)).households if home.name == "Carrington")
    test = dropped(visit(db, "data", household=lambda: launched.in_address(here)), bill=bill)
    assert "another household here has it" in read(test)
    next(button for button in test.button if button.label == "Save this bill").click().run()
    assert not test.exception
    assert "Nothing is saved. Tick" in read(test)
    assert not list_invoices(Context(db, TODAY, "Carrington")).invoices
    next(box for box in test.checkbox if box.label == "It is a bill of this home").check()
    next(button for button in test.button if button.label == "Save this bill").click().run()
    assert [bill.billed for bill in list_invoices(Context(db, TODAY, "Carrington")).invoices] == [Decimal("159.67")]
    (saved,) = list_invoices(Context(db, TODAY, "Carrington")).invoices
    remove_invoice(Context(db, TODAY, "Carrington"), saved.id)
    again = dropped(visit(db, "data", household=lambda: launched.in_address(here)), bill=bill)
    assert "another household here has it" in read(again)  # a bill that was removed leaves no meter behind


def test_a_bill_that_another_household_has_is_saved_only_once_somebody_says_it_is_of_this_home(
    tmp_path: Path, visit: Visit
) -> None:
    """No meter speaks for either home: the number of the bill alone does."""
    db = tmp_path / "homes.db"
    for name in ("Abernathy", "Carrington"):
        add_home(Context(db, TODAY), name)
    form = InvoiceForm("ELECTRICITY", date(2026, 5, 1), date(2026, 5, 31), "159.67", number="100 245 781")
    first = add_invoice(Context(db, TODAY, "Abernathy"), form)
    assert "bill_stored_elsewhere" not in first.note_codes
    here = next(home.id for home in homes(Context(db, TODAY)).households if home.name == "Carrington")

    def typed() -> AppTest:
        test = visit(db, "bills", household=lambda: launched.in_address(here), tab="Your bills")
        field(test, "Amount, $").set_value("159.67")
        field(test, "Bill number").set_value("100245781")
        for label, day in (("First day", date(2026, 5, 1)), ("Last day", date(2026, 5, 31))):
            next(box for box in test.date_input if box.label == label).set_value(day)
        return test

    test = typed()
    next(button for button in test.button if button.label == "Save this bill").click().run()
    assert "Another household here has a bill with this number." in read(test)
    assert not list_invoices(Context(db, TODAY, "Carrington")).invoices
    next(box for box in test.checkbox if box.label == "It is a bill of this home").check()
    next(button for button in test.button if button.label == "Save this bill").click().run()
    assert len(list_invoices(Context(db, TODAY, "Carrington")).invoices) == 1
    edited = list_invoices(Context(db, TODAY, "Abernathy")).invoices[0]
    remove_invoice(Context(db, TODAY, "Abernathy"), edited.id)  # now it is of one home alone
    assert doubt_of(Context(db, TODAY, "Carrington"), number="100245781", meter="", fuel=None) is None
