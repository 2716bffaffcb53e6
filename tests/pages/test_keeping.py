"""The Data page: files to take back, a copy for another computer, and deletion of everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict
from streamlit.testing.v1 import AppTest

from tests.bill_pdfs import BOXES, pdf, rows
from tests.meters import day, days, nem12, register
from tests.pages.seen import TODAY, beside, read
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.household.newer_data import data_sources
from toolkit.flows.household.status import status
from toolkit.flows.imports.folder import kept_folder
from toolkit.flows.imports.load import load
from toolkit.pages import keeping
from toolkit.pages.importing.folder import AGAIN, LEFT, LOOK, NOTHING_NEW
from toolkit.pages.text import plain
from toolkit.store import open_store
from toolkit.tables.schema.journal import QuarantineRow

Visit = Callable[..., AppTest]
TODAY_AT = datetime(2026, 6, 20, tzinfo=UTC)


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
    assert names(read(test), "june.csv: Bank export (CSV), 1 transaction, 19 Jun 2026 to 19 Jun 2026")
    test.button(key=f"take-back-{june}").click().run()
    (stored,) = status(ctx).households
    assert [file.name for file in stored.files] == ["other.csv"]
    with open_store(ctx.db) as store:
        assert store.count("transactions") == 1


def test_an_account_is_renamed_beside_its_days(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "data")
    assert "june.csv: 1 transaction, 19 Jun 2026 to 19 Jun 2026" in read(test)
    field = next(each for each in test.text_input if each.value == "june.csv")
    field.set_value(" ")
    save = next(button for button in test.button if button.form_id == field.form_id)
    save.click().run()
    assert len(beside(test, field.key)) == 1
    next(each for each in test.text_input if each.key == field.key).set_value("Household card")
    next(button for button in test.button if button.form_id == field.form_id).click().run()
    assert not test.exception
    assert "The account is called Household card now" in read(test)
    assert "Household card: 1 transaction" in read(test)


def test_a_meters_file_is_counted_in_days_whatever_its_registers(ctx: Context, visit: Visit, tmp_path: Path) -> None:
    reads = [day(when, ["0.1"] * 48) for when in days("2026-06-01", 3)]
    (tmp_path / "meter.csv").write_text(nem12(register("E1"), *reads, register("B1"), *reads))
    load(ctx, [tmp_path / "meter.csv"])
    held = "meter.csv: Meter data (NEM12), 3 days of meter data, 1 Jun 2026 to 3 Jun 2026"
    assert held in read(visit(ctx.db, "data"))


def test_a_record_that_cannot_be_read_is_named_by_its_kind_not_by_its_id(ctx: Context, visit: Visit) -> None:
    home = homes(ctx).households[0].id
    row = QuarantineRow(home, "banking.transactions", "tx-8f3a1c", "its amount is missing", "{}", "", TODAY_AT)
    with open_store(ctx.db) as store, store.transaction():
        store.upsert("quarantine", [asdict(row)])
    assert "- Transactions: its amount is missing" in read(visit(ctx.db, "data"))


def test_each_account_says_to_which_day_it_is_stored_and_what_to_do_at_its_bank(ctx: Context, visit: Visit) -> None:
    """Two of no bank with steps of its own, and one of NAB by the columns of its file."""
    nab = ctx.db.parent / "nab.csv"
    nab.write_text(
        "Date,Amount,Account Number,,Transaction Type,Transaction Details,Balance,Category,Merchant Name\n"
        "17 Jun 26,-5.00,,,PURCHASE,TEA ROOM,100.00,,\n"
    )
    load(ctx, [nab])
    first, *others = data_sources(ctx)
    assert (first.to, first.page is not None) == (date(2026, 6, 17), True)
    assert [(source.to, source.page) for source in others] == [(date(2026, 6, 19), None)] * 2
    shown = read(visit(ctx.db, "data"))
    assert all(source.steps and names(shown, source.label, source.steps) for source in (first, *others))


def test_a_gas_meter_of_a_file_is_among_what_can_be_brought_up_to_date(ctx: Context, visit: Visit) -> None:
    gas = ctx.db.parent / "gas.csv"
    gas.write_text("MIRN,Date,Usage (MJ)\n5201234567,17/06/2026,30.5\n5201234567,18/06/2026,31\n")
    load(ctx, [gas])
    (meter,) = [source for source in data_sources(ctx) if names(source.label, "4567")]
    assert meter.to == date(2026, 6, 18)
    assert meter.steps
    assert names(read(visit(ctx.db, "data")), meter.label, meter.steps)


def test_a_folder_is_looked_at_again_for_what_is_new(ctx: Context, visit: Visit, tmp_path: Path) -> None:
    """First a bank file, a bill, and two papers that are neither; a month later one more file; then nothing."""
    folder = tmp_path / "Power and bank"
    folder.mkdir()
    (folder / "july.csv").write_text('01/07/2026,"-10.00","TEA ROOM",""\n')
    (folder / "bill.pdf").write_bytes(BOXES)
    (folder / "letter.pdf").write_bytes(pdf(rows(["Dear neighbour"])))
    (folder / "holidays.txt").write_text("Bring sunscreen.\n")
    test = visit(ctx.db, "data")
    test.text_input(key="folder-typed-None").set_value(str(folder))
    press(test, LOOK)
    assert not test.exception
    assert [file.path.endswith("july.csv") for file in test.session_state["import-result"]] == [True]
    assert [name for _, name, _ in test.session_state["bill-drafts"]] == ["bill.pdf"]
    assert sorted(name for name, _ in test.session_state[LEFT]) == ["holidays.txt", "letter.pdf"]
    assert test.button(key="folder-again")
    press(test, "Save this bill")
    (folder / "august.csv").write_text('01/08/2026,"-11.00","TEA ROOM",""\n')
    test = press(visit(ctx.db, "data"), AGAIN)
    assert [file.path.endswith("august.csv") for file in test.session_state["import-result"]] == [True]
    assert test.session_state["bill-drafts"] == []
    assert [line for line in read(test).split("\n") if line.startswith("Added:")] == ["Added: 1 transaction."]
    test = press(visit(ctx.db, "data"), AGAIN)
    assert NOTHING_NEW in read(test)
    with open_store(ctx.db) as store:
        assert store.count("transactions") == 4


def test_what_came_of_a_file_is_counted_in_days_and_transactions(ctx: Context, visit: Visit, tmp_path: Path) -> None:
    """A meter with use and export: three days, then these and two more, beside a bank file with one row more."""
    folder = tmp_path / "both"
    folder.mkdir()

    def written(days_read: int, bank_rows: int) -> None:
        reads = [day(when, ["0.1"] * 48) for when in days("2026-06-01", days_read)]
        (folder / "meter.csv").write_text(nem12(register("E1"), *reads, register("B1"), *reads))
        rows_of = [f'{number:02}/06/2026,"-10.00","TEA ROOM",""' for number in range(1, bank_rows + 1)]
        (folder / "bank.csv").write_text("\n".join(rows_of))

    written(3, 4)
    test = visit(ctx.db, "data")
    test.text_input(key="folder-typed-None").set_value(str(folder))
    test = press(test, LOOK)
    assert "Added: 4 transactions, 3 days of meter data." in read(test)
    written(5, 5)
    test = press(visit(ctx.db, "data"), AGAIN)
    outcome = "Added: 1 transaction, 2 days of meter data. 4 transactions were already stored."
    assert f"{outcome} Days that are stored already, or in two files, count once." in read(test)
    [table] = [frame.value for frame in test.dataframe if "stored" in frame.value]
    assert table[["path", "added", "stored"]].to_numpy().tolist() == [
        ["bank.csv", "1 transaction", "4 transactions"],
        ["meter.csv", "2 days of meter data", "some of its days"],
    ]


def test_a_folder_that_is_not_there_is_refused_and_not_kept(ctx: Context, visit: Visit, tmp_path: Path) -> None:
    test = visit(ctx.db, "data")
    test.text_input(key="folder-typed-None").set_value(str(tmp_path / "nowhere"))
    press(test, LOOK)
    assert [names(warning.value, "nowhere") for warning in test.warning] == [True]
    assert test.text_input(key="folder-typed-None").value == str(tmp_path / "nowhere")
    assert kept_folder(ctx) is None


def test_a_copy_holds_everything(ctx: Context, visit: Visit, tmp_path: Path) -> None:
    test = press(visit(ctx.db, "data"), "Make a copy")
    copy = tmp_path / "copy.db"
    copy.write_bytes(test.session_state["keeping-copy"])
    assert homes(Context(copy, TODAY)) == homes(ctx)


def test_a_file_that_is_no_copy_is_named_and_replaces_nothing(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "data")
    test.file_uploader(key="copy-file").set_value(("ANZ.csv", b"01/06/2026,-42.50,TEA ROOM", "text/csv"))
    test.checkbox(key="copy-sure").check()
    press(test, "Open the copy")
    assert [warning.value for warning in test.warning] == [plain(keeping.NO_COPY.format(name="ANZ.csv"))]
    assert "home-finance-and-energy-backup" in keeping.NO_COPY
    assert len(homes(ctx).households) == 1


def test_what_is_current_is_a_line_and_its_steps_are_folded(tmp_path: Path, visit: Visit) -> None:
    """The everyday account ends the day before; the other three weeks before."""
    home = Context(tmp_path / "household.db", TODAY)
    for name, last in (("Everyday", "19/06/2026"), ("Savings", "30/05/2026")):
        (tmp_path / f"{name}.csv").write_text(f'{last},"-42.50","TEA ROOM",""\n')
        load(home, [tmp_path / f"{name}.csv"], account=name)
    test = visit(home.db, "data")
    folded = next(box for box in test.expander if box.label == "How to bring newer data later")
    assert "Up to date:  \n**Everyday**, to 19 Jun 2026" in read(test)
    assert [text.value for text in folded.markdown if "Savings" in text.value] == []
    assert [text.value for text in folded.markdown if "Everyday" in text.value] != []
    assert sum("**Savings**" in text.value for text in test.markdown) == 1


def test_everything_is_deleted_only_when_confirmed(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "data")
    test.text_input(key="delete-everything-name").set_value("everything")
    press(test, "Delete everything")
    assert len(homes(ctx).households) == 1
    test.text_input(key="delete-everything-name").set_value("Delete everything")
    press(test, "Delete everything")
    assert homes(ctx).households == ()
    assert not test.exception


def test_what_stands_below_a_confirmation_keeps_its_place(ctx: Context, visit: Visit) -> None:
    """Streamlit closes what was opened where it moves: the answer to a wrong word was hidden."""

    def places(node: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[str, tuple[int, ...]]]:
        for number, child in getattr(node, "children", {}).items():
            if child.type == "expander":
                yield child.label, (*path, number)
            yield from places(child, (*path, number))

    test = visit(ctx.db, "data", tab="Stored data")
    before = dict(places(test.main))
    assert "Delete everything" in before
    test.session_state[keeping.DONE] = "A file is taken back"
    test.run()
    assert [said.value for said in test.success] == ["A file is taken back"]
    assert dict(places(test.main)) == before
