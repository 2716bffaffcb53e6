"""Section 1, `import`: kinds by content, counts, what is rejected and where, whose account and household it is."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run
from tests.contracts.conftest import Bring

HALF_HOURS = ",".join(["0.5"] * 48)
NEM12 = f"""100,NEM12,202402010000,MDP,RET
200,4103000001,E1,1,E1,N1,M1,KWH,30,
300,20240101,{HALF_HOURS},A,,,20240102000000,
900
"""
NEM13 = (
    "100,NEM13,202407020000,MDP,RET\n"
    "250,6001000001,11,1,11,11,M1,E,100,20240401093206,A,,,131,20240701074053,A,,,31,KWH,20241001,20240702104410,\n900\n"
)
COMMBANK = '01/07/2024,"-12.30","SHOP","+87.70"\n02/07/2024,"-12.30","SHOP","+75.40"\n'
QIF = "!Type:Bank\nD1/7'24\nT-1.00\nPSHOP\n^\n"
OFX = """OFXHEADER:100
DATA:OFXSGML

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>AUD<BANKACCTFROM><BANKID>062000<ACCTID>12345678<ACCTTYPE>CHECKING
</BANKACCTFROM><BANKTRANLIST><DTSTART>20240701<DTEND>20240731<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20240705
<TRNAMT>-9.50<FITID>F1<NAME>SHOP</STMTTRN></BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
"""
PLAN = {
    "planId": "FLAT@EME",
    "fuelType": "ELECTRICITY",
    "electricityContract": {
        "pricingModel": "SINGLE_RATE",
        "tariffPeriod": [
            {
                "startDate": "01-01",
                "endDate": "12-31",
                "dailySupplyCharge": "1.00",
                "rateBlockUType": "singleRate",
                "singleRate": {"rates": [{"unitPrice": "0.30"}]},
            }
        ],
    },
}
USAGE_CSV = "NMI,Start,End,Usage (kWh)\n6001,01/07/2024 00:00,01/07/2024 00:30,0.5\n"


def files(run: Run, *arguments: object, code: int = 0) -> list[dict[str, Any]]:
    ended = run("import", *arguments, "--json")
    assert ended.code == code, ended.out + ended.err
    return ended.json["files"]


@pytest.mark.parametrize(
    ("kind", "text", "added"),
    [
        ("nem12", NEM12, 1),
        ("nem13", NEM13, 1),
        ("usage-csv", USAGE_CSV, 1),
        ("bank-csv", COMMBANK, 2),
        ("ofx", OFX, 1),
        ("qif", QIF, 1),
        ("plans", json.dumps(PLAN), 1),
    ],
)
def test_a_kind_is_told_by_content_and_a_second_time_adds_nothing(
    run: Run, tmp_path: Path, kind: str, text: str, added: int
) -> None:
    path = tmp_path / "download (3).dat"
    path.write_text(text)
    (first,) = files(run, path)
    assert {"path", "kind", "added", "updated", "unchanged", "rejected", "problems"} <= set(first)
    counts = ("added", "updated", "unchanged", "rejected")
    assert (first["path"], first["kind"], *(first[name] for name in counts)) == (str(path), kind, added, 0, 0, 0)
    (again,) = files(run, path, "--as", kind)
    assert [again[name] for name in counts] == [0, 0, added, 0]


def test_a_folder_with_bad_files_and_archives(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "poem.txt").write_text("Shall I compare thee\n")
    (folder / "empty.csv").write_text("")
    (folder / "meter.csv").write_text(NEM12)
    (folder / "bank.csv.gz").write_bytes(gzip.compress(COMMBANK.encode()))
    with zipfile.ZipFile(folder / "both.zip", "w") as archive:
        archive.writestr("a.qif", QIF)
        archive.writestr("b.json", json.dumps(PLAN))
    found = {Path(file["path"]).name: file for file in files(run, folder, tmp_path / "absent.csv", code=3)}
    assert {name: (file["kind"], file["added"]) for name, file in found.items()} == {
        "poem.txt": (None, 0),
        "empty.csv": (None, 0),
        "absent.csv": (None, 0),
        "meter.csv": ("nem12", 1),
        "bank.csv.gz": ("bank-csv", 2),
        "a.qif": ("qif", 1),
        "b.json": ("plans", 1),
    }
    assert [problem["severity"] for problem in found["poem.txt"]["problems"]] == ["rejected"]


def test_rows_that_cannot_be_true_are_rejected_by_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bank.csv"
    path.write_text(
        "Date,Description,Debit,Credit,Balance\n"
        "01/07/2024,SHOP,10.00,,90.00\n"
        "02/07/2024,BOTH,1.00,2.00,\n"
        "03/07/2024,NEITHER,,,\n"
        "31/06/2024,NO SUCH DAY,1.00,,\n"
        "04/07/2024,PART OF A CENT,1.005,,\n"
        "05/07/2024,PAY,,50.00,140.00\n"
    )
    (file,) = files(run, path, code=3)
    assert (file["added"], file["rejected"]) == (2, 4)
    rejected = [problem["where"] for problem in file["problems"] if problem["severity"] == "rejected"]
    assert rejected == [f"bank.csv:{line}" for line in (3, 4, 5, 6)]


GENERAL = [
    ("Date,Amount,Description,Balance\n01/07/2024,-12.30,SHOP,100.00\n", "file"),
    ("date,description,amount\n2024-07-01,SHOP,-12.30\n", "file"),
    ("Transaction Date,Account,Details,Amount (AUD)\n1 Jul 2024,Savings,SHOP,-12.30\n", "Savings"),
    ("Date,Account,Description,Debit,Credit,Balance\n01/07/2024,Savings,SHOP,12.30,,100\n", "Savings"),
    ("Posted Date,Payee,Money Out,Money In\n01/07/2024,SHOP,12.30,\n", "file"),
    ("Date,Narrative,Withdrawals,Deposits,Status\n2024-07-01T09:30:00+10:00,SHOP,12.30,,Posted\n", "file"),
]


@pytest.mark.parametrize(("text", "account"), GENERAL)
def test_a_header_in_plain_words_is_understood(run: Run, bring: Bring, text: str, account: str) -> None:
    bring(text)
    (entry,) = run("transactions", "--json").json["transactions"]
    assert (entry["date"], entry["amount"], entry["account_id"]) == ("2024-07-01", "-12.30", account)


def test_a_status_column_says_what_is_pending(run: Run, bring: Bring) -> None:
    bring("Date,Description,Amount,Status\n01/07/2024,SHOP,-1.00,Pending\n01/07/2024,SHOP,-2.00,Posted\n")
    answer = run("spending", "--json").json
    assert (answer["spent"], answer["pending"]) == ("2.00", "1.00")


def test_the_files_account_outranks_the_one_named(run: Run, bring: Bring) -> None:
    bring("Date,Account,Description,Amount\n01/07/2024,Savings,A,-1.00\n01/07/2024,,B,-2.00\n", "--account", "Mine")
    bring(COMMBANK, "--account", "Ours", name="bank.csv")
    rows = run("transactions", "--json").json["transactions"]
    assert sorted({(row["account_id"], row["amount"]) for row in rows}) == [
        ("Mine", "-2.00"),
        ("Ours", "-12.30"),
        ("Savings", "-1.00"),
    ]


def test_an_overlapping_export_adds_only_what_is_new(run: Run, bring: Bring) -> None:
    first = "01/07/2024,-4.50,CAFE,+95.50\n01/07/2024,-4.50,CAFE,+91.00\n02/07/2024,-1.00,SHOP,+90.00\n"
    bring(first)
    bring(first + "03/07/2024,-2.00,SHOP,+88.00\n", name="later.csv")
    assert (run("spending", "--json").json["spent"], len(run("transactions", "--json").json["transactions"])) == (
        "12.00",
        4,
    )


def test_a_household_that_is_new_is_made_and_stays_apart(run: Run, bring: Bring) -> None:
    bring(COMMBANK, "--household", "Ours")
    bring(COMMBANK, "--household", "Theirs", name="same.csv")
    bring("03/07/2024,-1.00,SHOP,+74.40\n", "--household", "Theirs", name="more.csv")
    homes = run("household", "list", "--json").json["households"]
    assert [home["name"] for home in homes] == ["Ours", "Theirs"]
    assert run("spending", "--household", "Ours", "--json").json["spent"] == "24.60"
    assert run("spending", "--household", homes[1]["id"], "--json").json["spent"] == "25.60"
    unsaid = run("import", "nothing.csv", "--json")
    assert (unsaid.code, unsaid.out) == (2, "")
    assert "Ours, Theirs" in unsaid.err


def test_the_zone_is_of_accounts_and_tables_and_never_moves_nem_files(run: Run, bring: Bring) -> None:
    half_hours = [f"6001000001,01/07/2024 {n // 2:02}:{n % 2 * 30:02},1\n" for n in range(48)]
    bring("NMI,Start,Usage (Wh)\n" + "".join(half_hours), "--timezone", "Australia/Perth", name="usage.csv")
    bring(NEM12, "--timezone", "Australia/Perth")
    points = {point["service_point_id"]: point for point in run("usage", "--json").json["service_points"]}
    # a Perth day begins at 02:00 AEST: it lies on two meter days; Wh are stored as kWh
    assert (points["6001000001"]["from"], points["6001000001"]["to"]) == ("2024-07-01", "2024-07-02")
    assert points["6001000001"]["import_kwh"] == pytest.approx(0.048)
    assert (points["4103000001"]["from"], points["4103000001"]["to"]) == ("2024-01-01", "2024-01-01")
    assert {point["timezone"] for point in points.values()} == {"Australia/Perth"}


def test_gas_in_a_usage_table_is_in_megajoules(run: Run, bring: Bring) -> None:
    bring("MIRN,Date,Usage (MJ)\n5310000001,01/07/2024,120.5\n5310000001,02/07/2024,99.5\n")
    (point,) = run("usage", "--json").json["service_points"]
    assert (point["fuel"], point["unit"], point["registers"][0]["unit"], point["registers"][0]["total"]) == (
        "GAS",
        "MJ",
        "MJ",
        220.0,
    )
    assert (point["import_kwh"], point["base_load_kw"], point["peak"]) == (None, None, None)


def test_the_latest_update_of_a_plan_counts_and_earlier_ones_are_kept(run: Run, bring: Bring) -> None:
    def priced(price: str, updated: str | None) -> str:
        plan = json.loads(json.dumps(PLAN))
        plan["electricityContract"]["tariffPeriod"][0]["singleRate"]["rates"][0]["unitPrice"] = price
        return json.dumps({**plan, "lastUpdated": updated} if updated else plan)

    bring(NEM12)
    bring(priced("0.50", "2024-03-01T00:00:00Z"), name="new.json")
    bring(priced("0.10", "2023-03-01T00:00:00Z"), name="old.json")
    ask = ("bill", "--plan", "FLAT@EME", "--from", "2024-01-01", "--to", "2024-01-01", "--json")
    assert run(*ask).json["components"]["usage"] == "13.20"  # 24 kWh at 50 c with GST


def test_where_nothing_can_be_read_it_fails_in_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "poem.txt").write_text("Shall I compare thee\n")
    for path in (tmp_path / "poem.txt", tmp_path / "absent.csv"):
        ended = run("import", path, "--json")
        assert (ended.code, ended.out) == (1, "")
        assert [line.startswith("error: ") for line in ended.err.splitlines()].count(True) == 1
    assert run("household", "list", "--json").json == {"households": []}
