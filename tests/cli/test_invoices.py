"""`toolkit invoices`: bills kept by hand, as a person types them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bill_pdfs import LABELS_AND_VALUES, SCAN
from tests.command_line import Run

BILL = ("--fuel", "gas", "--from", "2026-07-01", "--to", "2026-08-31", "--billed", "212.45")
TODAY = ("--today", "2026-11-20")


def test_a_bill_is_added_listed_changed_removed_and_brought_back(run: Run) -> None:
    added = run("invoices", "add", *BILL, "--energy", "4512", "--retailer", "Wombat Gas", *TODAY, "--json").json
    name = added["changed"]
    (kept,) = added["invoices"]
    assert {key: kept[key] for key in ("id", "fuel", "from", "to", "billed", "retailer", "source")} == {
        "id": name,
        "fuel": "GAS",
        "from": "2026-07-01",
        "to": "2026-08-31",
        "billed": "212.45",
        "retailer": "Wombat Gas",
        "source": "typed",
    }
    assert kept["energy"] == [{"register": "general", "quantity": 4512.0, "unit": "MJ"}]
    edited = run("invoices", "edit", name, "--billed", "200", "--energy", "", *TODAY, "--json").json["invoices"][0]
    assert (edited["billed"], edited["energy"], edited["to"]) == ("200.00", [], "2026-08-31")
    assert run("invoices", "remove", name, "--json").json["invoices"] == []
    assert run("undo", "--json").json["undone"]["kind"] == "invoice"
    assert run("invoices", "list", "--json").json["invoices"][0]["billed"] == "200.00"
    assert "$200.00" in run("invoices", "list").out


@pytest.mark.parametrize(
    "slip",
    [
        ("--fuel", "steam"),
        ("--billed", "ten"),
        ("--to", "2026-06-30"),
        ("--to", "2026-02-30"),
        ("--energy", "x=y"),
    ],
    ids=" ".join,
)
def test_a_slip_is_wrong_usage(run: Run, slip: tuple[str, str]) -> None:
    ended = run("invoices", "add", *BILL, *slip, *TODAY, "--json")
    assert (ended.code, ended.out) == (2, "")
    assert run("invoices", "list").code == 1  # nothing is stored


def test_a_bill_lacking_its_amount_is_wrong_usage(run: Run) -> None:
    assert run("invoices", "add", *BILL[:-2], *TODAY).code == 2


def test_a_pdf_fills_the_form_and_nothing_is_saved_unseen(run: Run, tmp_path: Path) -> None:
    bill = tmp_path / "bill.pdf"
    bill.write_bytes(LABELS_AND_VALUES)
    draft = run("invoices", "add", "--pdf", bill, *TODAY, "--json").json
    assert (draft["fuel"], draft["from"], draft["to"], draft["billed"]) == (
        *("ELECTRICITY", "2026-07-01", "2026-09-30", "441.14"),
    )
    assert draft["notes"]
    assert run("invoices", "list").code == 1  # nothing is stored
    kept = run("invoices", "add", "--pdf", bill, "--yes", "--billed", "440.00", *TODAY, "--json").json["invoices"][0]
    assert (kept["source"], kept["billed"], kept["service_point_id"]) == ("pdf", "440.00", "41030000015")
    assert [entry["register"] for entry in kept["energy"]] == ["general", "controlled load"]


def test_a_pdf_that_cannot_be_read_is_named(run: Run, tmp_path: Path) -> None:
    scan = tmp_path / "scan.pdf"
    scan.write_bytes(SCAN)
    ended = run("invoices", "add", "--pdf", scan, "--yes", *TODAY)
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert "scan.pdf" in ended.err


def test_importing_a_pdf_leads_to_the_bills(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bill.pdf").write_bytes(LABELS_AND_VALUES)
    ended = run("import", tmp_path / "bill.pdf")
    assert ended.code == 1
    assert "invoices add --pdf" in ended.err
