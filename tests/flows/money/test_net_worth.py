"""Balances of files, net worth by month, and which file gave what."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import Run

ROWS = "".join(
    f"<STMTTRN><TRNTYPE>OTHER<DTPOSTED>{day}<TRNAMT>{amount}<FITID>{place}<NAME>{name}</STMTTRN>"
    for place, (day, amount, name) in enumerate(
        [("20260110", "-100.00", "SHOP"), ("20260205", "250.00", "PAY"), ("20260310", "-30.00", "SHOP")]
    )
)
OFX = (
    "<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>AUD<BANKACCTFROM><BANKID>062000<ACCTID>12345678"
    f"<ACCTTYPE>SAVINGS</BANKACCTFROM><BANKTRANLIST>{ROWS}</BANKTRANLIST>"
    "<LEDGERBAL><BALAMT>620.00<DTASOF>20260312</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n"
)
LOAN = "Date,Amount,Description\n15/01/2026,2000.00,REPAYMENT\n31/01/2026,-1400.00,INTEREST CHARGED\n"


@pytest.fixture
def files(tmp_path: Path, run: Run) -> Path:
    (tmp_path / "everyday.ofx").write_text(OFX)
    (tmp_path / "loan.csv").write_text(LOAN)
    assert run("import", tmp_path / "everyday.ofx", tmp_path / "loan.csv").code == 0
    return tmp_path


def months(run: Run, *options: object) -> list[tuple[str, str | None, str | None, str | None]]:
    answer = run("networth", "--today", "2026-03-20", "--json", *options).json
    return [(row["month"], row["assets"], row["debts"], row["net"]) for row in answer["months"]]


def test_the_ledger_balance_moves_with_the_accounts_own_rows(run: Run, files: Path) -> None:
    """620.00 on 12 March: before its rows 500.00, so 400 after January, 650 after February."""
    answer = run("networth", "--today", "2026-03-20", "--json").json
    assert (answer["from"], answer["without_balance"], answer["note_codes"]) == (
        "2026-01-09",
        ["loan"],
        ["accounts_without_balance"],
    )
    assert [(row["month"], row["net"], row["date"]) for row in answer["months"]] == [
        ("2026-01", "400.00", "2026-01-31"),
        ("2026-02", "650.00", "2026-02-28"),
        ("2026-03", "620.00", "2026-03-20"),
    ]


def test_rows_that_a_bank_dates_on_the_next_business_day_count_from_then(run: Run, tmp_path: Path) -> None:
    """Saturday 21 March: the purchase of that day is dated on Monday; 940.00 were there before it."""
    (tmp_path / "everyday.csv").write_text(
        "Date,Amount,Description,Balance\n20/03/2026,-60.00,SHOP,940.00\n23/03/2026,-40.00,CAFE,900.00\n"
    )
    run("import", tmp_path / "everyday.csv")
    saturday, monday = (run("networth", "--today", day, "--json").json for day in ("2026-03-21", "2026-03-23"))
    assert (saturday["without_balance"], saturday["months"][-1]["net"]) == ([], "940.00")
    assert monday["months"][-1]["net"] == "900.00"


def test_a_balance_typed_once_completes_it(run: Run, files: Path) -> None:
    """-300,000 owed at the end of January: 298,600 before the interest of the 31st."""
    assert run("accounts", "set", "loan", "--kind", "loan", "--balance", "-300000", "--at", "2026-01-31").code == 0
    assert months(run) == [
        ("2026-01", "400.00", "300000.00", "-299600.00"),
        ("2026-02", "650.00", "300000.00", "-299350.00"),
        ("2026-03", "620.00", "300000.00", "-299380.00"),
    ]
    assert months(run, "--from", "2026-02-01", "--to", "2026-02-10") == [
        ("2026-02", "650.00", "300000.00", "-299350.00")
    ]
    run("undo")
    assert months(run)[0] == ("2026-01", "400.00", "0.00", "400.00")


def test_months_before_a_balance_is_known_have_no_total(run: Run, files: Path) -> None:
    run("accounts", "set", "loan", "--balance", "-300000", "--at", "2026-01-31")
    (files / "old.csv").write_text("Date,Amount,Description,Balance\n10/11/2025,-5.00,CAFE,95.00\n")
    run("import", files / "old.csv")
    first, *_, last = run("networth", "--today", "2026-03-20", "--json").json["months"]
    assert (first["month"], first["net"], len(first["missing"])) == ("2025-11", None, 2)
    assert (last["net"], last["missing"]) == ("-299285.00", [])


def test_a_file_taken_back_takes_its_balance(run: Run, files: Path) -> None:
    assert run("forget", "--file", "everyday.ofx", "--yes").code == 0
    assert months(run) == []


def test_each_file_is_listed_with_account_days_and_rows(run: Run, files: Path) -> None:
    (files / "more.ofx").write_text(OFX.replace("620.00", "621.00"))
    run("import", files / "more.ofx")
    (home,) = run("status", "--json").json["households"]
    found = {file["name"]: (file["from"], file["to"], file["rows"], file["kind"]) for file in home["files"]}
    assert found == {
        "everyday.ofx": ("2026-01-10", "2026-03-10", 3, "ofx"),
        "loan.csv": ("2026-01-15", "2026-01-31", 2, "bank-csv"),
        "more.ofx": ("2026-01-10", "2026-03-10", 3, "ofx"),
    }
    assert {file["account_id"] for file in home["files"]} == {"loan", home["files"][0]["account_id"]}
