"""`toolkit invoices`: bills kept by hand, as a person types them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.bill_pdfs import LABELS_AND_VALUES, SCAN, pdf, rows
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


WITH_MEMBERSHIP = (
    ["Lyrebird Energy", "", "", "Electricity bill"],
    ["NMI", "4138939314"],
    ["Billing period", "1 October 2026 to 31 October 2026 (31 days)"],
    ["Opening balance", "", "", "$112.08"],
    ["Payments received", "", "", "$112.08 CR"],
    ["Total new charges (incl. GST)", "", "", "$116.01"],
    ["Actual meter read"],
    ["Sunny Club membership", "", "", "$6.71"],
    ["Anytime", "231.453 kWh", "28.226 c/kWh", "$65.33"],
    ["Loyalty bonus", "", "", "$12.50 CR"],
    ["Daily supply", "31 days", "$1.4168/day", "$43.92"],
    ["Adjustment (incl. GST)", "", "", "$12.55"],
    ["Amount due", "", "", "$116.01"],
)
"""6.71 + 65.33 - 12.50 + 43.92 + 12.55 = 116.01."""


def lines_of(run: Run, folder: Path, *page: Sequence[str]) -> list[tuple[str, str | None, str]]:
    """Keep a bill's PDF, and return the lines as they are stored: name, quantity and amount."""
    bill = folder / "bill.pdf"
    bill.write_bytes(pdf(rows(*page, left=(50, 220, 350, 480))))
    kept = run("invoices", "add", "--pdf", bill, "--yes", *TODAY, "--json").json["invoices"][0]
    return [(line["name"], line["quantity"], line["amount"]) for line in kept["lines"]]


def test_lines_with_an_amount_alone_are_kept_with_the_priced_ones(run: Run, tmp_path: Path) -> None:
    assert sorted(lines_of(run, tmp_path, *WITH_MEMBERSHIP)) == [
        ("Adjustment (incl. GST)", None, "12.55"),
        ("Anytime", "231.453", "65.33"),
        ("Daily supply", "31", "43.92"),
        ("Loyalty bonus", None, "-12.50"),
        ("Sunny Club membership", None, "6.71"),
    ]


def test_lines_with_an_amount_alone_that_do_not_add_up_to_the_new_charges_are_not_kept(
    run: Run, tmp_path: Path
) -> None:
    """A line is missing: 116.01 - 12.55 = 103.46."""
    page = [line for line in WITH_MEMBERSHIP if not line[0].startswith("Adjustment")]
    assert [name for name, *_ in lines_of(run, tmp_path, *page)] == ["Anytime", "Daily supply"]
