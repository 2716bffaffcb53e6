"""One account, counted once: files that name none, files beside the service, links, suggestions, and undo."""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analytics.money.built import accounts, movement, overrides, transactions
from tests.command_line import Run
from tests.contracts.served import pull, row
from toolkit.frames.money import spending

Put = Callable[..., dict[str, Any]]

HEAD = "Date,Description,Amount\n"
JUNE = HEAD + "2026-06-01,RENT,-400.00\n2026-06-09,SHOP,-25.00\n2026-06-20,CAFE,-5.00\n"
JULY = HEAD + "2026-07-01,RENT,-400.00\n2026-07-12,SHOP,-31.00\n"


@pytest.fixture
def put(run: Run, tmp_path: Path) -> Put:
    """Import a text as a file of that name; the report on it."""

    def imported(name: str, text: str, *options: object) -> dict[str, Any]:
        (tmp_path / name).write_text(text)
        ended = run("import", tmp_path / name, "--json", *options)
        assert ended.code == 0, ended.err
        return ended.json["files"][0]

    return imported


def listed(run: Run) -> dict[str, dict[str, Any]]:
    ended = run("accounts", "list", "--json")
    assert ended.code == 0, ended.err
    return {entry["id"]: entry for entry in ended.json["accounts"]}


def spent(run: Run) -> str:
    return run("spending", "--json").json["spent"]


def warnings(run: Run) -> list[str]:
    return [problem["reason"] for problem in run("spending", "--json").json["problems"]]


def test_two_files_of_one_bank_that_name_no_account_are_two_accounts(run: Run, put: Put) -> None:
    """The transfer between them is out of one and into the other: neither spent nor earned."""
    put("everyday.csv", "01/07/2026,-500.00,Transfer to savings,1500.00\n02/07/2026,-20.00,SHOP,1480.00\n")
    put("savings.csv", "01/07/2026,500.00,Transfer from everyday,900.00\n")
    assert list(listed(run)) == ["everyday", "savings"]
    answer = run("spending", "--json").json
    assert (answer["spent"], answer["transfers"], answer["problems"]) == ("20.00", "500.00", [])


def test_files_of_one_name_from_two_folders_are_two_accounts(run: Run, tmp_path: Path) -> None:
    for folder, line in (("one", "01/07/2026,-5.00,SHOP,95.00\n"), ("two", "01/07/2026,-7.00,CAFE,193.00\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "export.csv").write_text(line)
        assert run("import", tmp_path / folder / "export.csv", "--json").code == 0
    assert {name: entry["transactions"] for name, entry in listed(run).items()} == {"export": 1, "export 2": 1}
    assert spent(run) == "12.00"


PARTS = {
    "june.csv": "29/06/2026,-5.00,SHOP,95.00\n30/06/2026,-5.00,SHOP,90.00\n",
    "july.csv": "01/07/2026,-7.00,CAFE,83.00\n31/07/2026,-3.00,CAFE,80.00\n",
    "august.csv": "01/08/2026,-10.00,SHOP,70.00\n",
}


@pytest.mark.parametrize("order", list(permutations(PARTS)))
def test_a_running_balance_that_goes_on_makes_one_account_in_any_order(run: Run, put: Put, order: tuple[str]) -> None:
    for name in order:
        put(name, PARTS[name])
    answer = run("spending", "--by", "account", "--json").json
    assert [entry["spent"] for entry in answer["rows"]] == ["30.00"]
    assert answer["problems"] == []
    assert sum(entry["transactions"] for entry in listed(run).values()) == 5


def test_rows_that_go_on_make_one_account_also_under_another_name(run: Run, put: Put) -> None:
    """The later file begins with the last three rows of the earlier one."""
    put("to june.csv", JUNE)
    later = put("to july.csv", HEAD + JUNE.removeprefix(HEAD) + JULY.removeprefix(HEAD))
    assert (later["added"], later["unchanged"], later["problems"]) == (2, 3, [])
    assert list(listed(run)) == ["to june"]
    assert spent(run) == "861.00"


def test_monthly_files_that_neither_overlap_nor_carry_balances_are_suggested_once_for_all(run: Run, put: Put) -> None:
    put("june.csv", JUNE)
    put("july.csv", JULY)
    report = put("august.csv", HEAD + "2026-08-01,RENT,-400.00\n")
    [problem] = report["problems"]
    assert problem["severity"] == "warning"
    assert all(name in problem["reason"] for name in ("'june'", "'july'", "'august'"))
    assert len(warnings(run)) == 1
    assert run("accounts", "link", "june", "july", "august", "--json").code == 0
    assert warnings(run) == []
    assert listed(run)["july"]["linked_to"] == ["june", "august"]
    assert [entry["spent"] for entry in run("spending", "--by", "account", "--json").json["rows"]] == ["1261.00"]
    run("undo")
    assert len(warnings(run)) == 1


# ---- the same account in several forms


def as_ofx(number: str, bsb: str, *rows: tuple[str, str, str]) -> str:
    listed = "".join(
        f"<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>{day.replace('-', '')}<TRNAMT>{amount}<FITID>{place}<NAME>{text}</STMTTRN>"
        for place, (day, text, amount) in enumerate(rows)
    )
    return (
        "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>AUD"
        f"<BANKACCTFROM><BANKID>{bsb}<ACCTID>{number}<ACCTTYPE>CHECKING</BANKACCTFROM>"
        f"<BANKTRANLIST>{listed}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n"
    )


def as_csv(number: str, bsb: str, *rows: tuple[str, str, str]) -> str:
    head = "BSB Number,Account Number,Transaction Date,Narration,Cheque,Debit,Credit,Balance,Transaction Type\n"
    turned = ((f"{day[8:]}/{day[5:7]}/{day[:4]}", text, amount) for day, text, amount in rows)
    return head + "".join(f"{bsb},{number},{day},{text},,{amount},,,WDL\n" for day, text, amount in turned)


def as_qif(*rows: tuple[str, str, str]) -> str:
    turned = ((f"{day[8:]}/{day[5:7]}/{day[:4]}", text, amount) for day, text, amount in rows)
    return "!Type:Bank\n" + "".join(f"D{day}\nT{amount}\nP{text}\n^\n" for day, text, amount in turned)


FEW = (("2026-03-02", "SHOP", "-10.00"), ("2026-03-02", "SHOP", "-10.00"), ("2026-03-05", "CAFE", "-4.50"))
MANY = tuple((f"2026-03-{day:02}", f"SHOP {day}", f"-{day}.00") for day in range(1, 21))
"""20 rows, $210 in all."""


def test_full_bsb_and_number_link_two_formats_without_asking(run: Run, put: Put) -> None:
    """Two equal purchases of one day stay two: $24.50, not $49 and not $14.50."""
    put("bank.csv", as_csv("123456789", "306-089", *FEW))
    put("bank.ofx", as_ofx("123456789", "306089", *FEW))
    assert (spent(run), warnings(run)) == ("24.50", [])
    assert run("transactions", "--json").json["transactions"].__len__() == 3
    first, second = listed(run).values()
    assert (first["linked_to"], second["linked_to"]) == ([second["id"]], [first["id"]])
    assert "123456789" not in run("accounts", "list").out
    assert run("accounts", "unlink", first["id"], second["id"], "--json").code == 0
    assert spent(run) == "49.00"
    run("undo")
    assert spent(run) == "24.50"


@pytest.mark.parametrize(
    ("rows", "alike", "counted"),
    [
        (MANY, MANY, "210.00"),
        (MANY, (*MANY[:19], ("2026-03-20", "SHOP 20", "-20.01")), "230.01"),  # 19 of 20 are 95 %
        (MANY, (*MANY[:18], ("2026-03-19", "A", "-1.19"), ("2026-03-20", "B", "-1.20")), "383.39"),  # 18 of 20 are not
        (MANY[:19], MANY[:19], "380.00"),  # 19 rows are not enough
    ],
)
def test_a_masked_number_links_only_with_20_rows_and_95_percent(
    run: Run, put: Put, rows: tuple, alike: tuple, counted: str
) -> None:
    """The CSV gives the whole number without a BSB; the statement's number is masked to its last four digits."""
    head = "Date,Description,Amount,Account\n"
    put("a.csv", head + "".join(f"{day},{text},{amount},123456789\n" for day, text, amount in rows))
    put("b.ofx", as_ofx("xxxxx6789", "BANK", *alike))
    assert spent(run) == counted
    assert len(warnings(run)) == (0 if counted in ("210.00", "230.01") else 1)


def test_a_balance_that_contradicts_makes_a_suggestion_of_a_link(run: Run, put: Put) -> None:
    head = "Date,Description,Amount,Account,Balance\n"
    for name, number, balance in (("a.csv", "123456789", "900.00"), ("b.csv", "xxxxx6789", "55.00")):
        put(name, head + "".join(f"{day},{text},{amount},{number},{balance}\n" for day, text, amount in MANY))
    assert spent(run) == "420.00"
    [reason] = warnings(run)
    assert "20 of 20" in reason


def test_two_formats_without_numbers_are_suggested_and_count_until_somebody_decides(run: Run, put: Put) -> None:
    put("mine.csv", HEAD + "".join(f"{day},{text},{amount}\n" for day, text, amount in FEW))
    [problem] = put("mine.qif", as_qif(*FEW))["problems"]
    assert all(name in problem["reason"] for name in ("'mine'", "'mine 2'"))
    assert (spent(run), warnings(run)) == ("49.00", [problem["reason"]])
    run("accounts", "link", "mine", "mine 2")
    assert (spent(run), warnings(run)) == ("24.50", [])
    run("accounts", "unlink", "mine 2")
    assert (spent(run), warnings(run)) == ("49.00", [])
    run("undo")
    run("undo")
    assert (spent(run), warnings(run)) == ("49.00", [problem["reason"]])


def test_the_service_and_a_file_count_once_when_linked_everywhere(run: Run, put: Put, home: Path) -> None:
    """A purchase of 1 March is booked on 3 March: the file knows only that day."""
    first = row(1, "-10.00", "2026-03-01T00:00:00Z", posting_date_time="2026-03-03T00:00:00Z")
    pull(home, first, row(2, "-4.50", "2026-03-05T00:00:00Z", description="CAFE"))
    put("export.csv", HEAD + "2026-03-03,SHOP,-10.00\n2026-03-05,CAFE,-4.50\n2026-03-31,LATER,-2.00\n")
    assert spent(run) == "31.00"
    assert "'export'" in warnings(run)[0]
    linked = run("accounts", "link", "everyday", "export", "--json")
    assert linked.code == 0, linked.err
    assert spent(run) == "16.50"
    rows = run("transactions", "--json").json["transactions"]
    assert {(entry["account_id"], entry["amount"]) for entry in rows} == {
        ("everyday", "-10.00"),
        ("everyday", "-4.50"),
        ("everyday", "-2.00"),
    }
    assert len(run("transactions", "--account", "export", "--json").json["transactions"]) == 3
    run("export", "--out", home / "out")
    exported = list(csv.DictReader((home / "out" / "transactions.csv").read_text().splitlines()))
    assert sorted((entry["amount"], entry["date"], bool(entry["same_as"])) for entry in exported) == [
        ("-10.00", "2026-03-01", False),
        ("-10.00", "2026-03-03", True),
        ("-2.00", "2026-03-31", False),
        ("-4.50", "2026-03-05", False),
        ("-4.50", "2026-03-05", True),
    ]


def test_a_decision_about_the_row_that_counts_no_more_goes_with_its_purchase(run: Run, put: Put, home: Path) -> None:
    pull(home, row(1, "-10.00"))
    put("export.csv", HEAD + "2026-03-10,SHOP,-10.00\n")
    [own] = [entry["id"] for entry in run("transactions", "--json").json["transactions"] if entry["id"] != "t1"]
    run("rules", "category", own, "TRAVEL")
    run("accounts", "link", "export", "everyday")
    [only] = run("transactions", "--json").json["transactions"]
    assert (only["id"], only["primary_category"]) == ("t1", "TRAVEL")


@pytest.mark.parametrize("order", list(permutations(("bank.csv", "bank.ofx", "mine.qif"))))
def test_three_forms_of_one_account_give_the_same_totals_in_any_order(run: Run, put: Put, order: tuple[str]) -> None:
    """CSV and OFX share BSB and number; the QIF names nothing, so $24.50 of it counts until it is linked."""
    csv_text, ofx_text = as_csv("123456789", "306-089", *FEW), as_ofx("123456789", "306089", *FEW)
    texts = {"bank.csv": csv_text, "bank.ofx": ofx_text, "mine.qif": as_qif(*FEW)}
    for name in order:
        put(name, texts[name])
    assert (spent(run), len(warnings(run))) == ("49.00", 1)
    numbered = next(name for name, entry in listed(run).items() if entry["linked_to"])
    run("accounts", "link", "mine", numbered)
    assert (spent(run), warnings(run)) == ("24.50", [])
    run("accounts", "unlink", "mine")
    assert spent(run) == "49.00"


def test_merged_households_keep_accounts_apart_that_files_of_one_name_made(run: Run, put: Put) -> None:
    put("export.csv", JUNE, "--household", "A", "--new")
    put("export.csv", JULY, "--household", "B", "--new")
    assert run("household", "merge", "A", "B").code == 0
    assert {name: entry["transactions"] for name, entry in listed(run).items()} == {"export": 3, "export 2": 2}


# ---- names, kinds and balances


def test_a_name_a_kind_and_a_balance_are_set_and_taken_back(run: Run, put: Put) -> None:
    put("june.csv", JUNE)
    before = listed(run)["june"]
    assert (before["name"], before["kind"], before["balance"], before["from"], before["to"]) == (
        "june",
        None,
        None,
        "2026-06-01",
        "2026-06-20",
    )
    run("accounts", "set", "june", "--name", "Bills", "--kind", "savings")
    run("accounts", "set", "Bills", "--balance", "1,250.40", "--at", "2026-06-10")
    after = listed(run)["june"]
    assert (after["name"], after["kind"], after["balance"], after["balance_at"]) == (
        "Bills",
        "savings",
        "1250.40",
        "2026-06-10",
    )
    flow = run("cashflow", "--days", "1", "--today", "2026-06-21", "--json").json
    assert flow["days"][0]["date"] == "2026-06-21"
    assert "2026-06-10" in flow["notes"][0]
    run("undo")
    run("undo")
    assert listed(run)["june"] == before


def test_a_loans_file_of_a_kind_that_nobody_set_comes_again_as_its_repayment_alone(run: Run, put: Put) -> None:
    """1,500 a month go to the loan, which charges 1,000 of interest: what comes again costs 1,500 × 12."""
    months, owed, paid, charged = [f"{number:02}/2026" for number in range(1, 7)], -400_000, [], []
    for month in months:
        paid.append(f"15/{month},HOME LOAN REPAYMENT,-1500.00,9000.00")
        charged += [f"15/{month},REPAYMENT RECEIVED,1500.00,{owed + 1500}.00"]
        charged += [f"28/{month},INTEREST CHARGED,-1000.00,{owed + 500}.00"]
        owed += 500
    head = ["Date,Description,Amount,Balance"]
    put("pay.csv", "\n".join([*head, *paid]))
    put("loan.csv", "\n".join([*head, *charged]))
    answer = run("recurring", "--today", "2026-07-01", "--json").json
    assert [(row["kind"], row["yearly"]) for row in answer["recurring"]] == [("loan", "-18000.00")]


def test_a_files_last_running_balance_is_the_accounts(run: Run, put: Put) -> None:
    put("june.csv", PARTS["june.csv"])
    assert (listed(run)["june"]["balance"], listed(run)["june"]["balance_at"]) == ("90.00", "2026-06-30")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("link", "june"), "Name two accounts"),
        (("unlink", "june"), "linked to no other"),
        (("link", "june", "nope"), "No account is called 'nope'"),
        (("set", "june"), "Nothing is set"),
        (("set", "june", "--at", "2026-06-01"), "Add --balance"),
        (("set", "june", "--balance", "a lot"), "--balance"),
    ],
)
def test_what_cannot_be_decided_is_refused_and_changes_nothing(
    run: Run, put: Put, command: tuple[str, ...], reason: str
) -> None:
    put("june.csv", JUNE)
    ended = run("accounts", *command)
    assert (ended.code, reason in ended.err) == (2, True), ended.err
    assert run("rules", "list", "--json").json["rules"] == []


def test_a_forgotten_account_takes_the_decisions_about_it_with_it(run: Run, put: Put) -> None:
    put("june.csv", JUNE)
    put("july.csv", JULY)
    run("accounts", "link", "june", "july")
    assert run("forget", "--account", "july", "--yes").code == 0
    assert run("rules", "list", "--json").json["rules"] == []
    assert (list(listed(run)), spent(run)) == (["june"], "430.00")


# ---- laws

RECORDS = st.lists(st.tuples(st.integers(1, 28), st.integers(1, 9)), min_size=1, max_size=12)


@given(RECORDS, st.data())
def test_linking_counts_each_purchase_once_whatever_each_source_gives(
    records: list[tuple[int, int]], data: st.DataObject
) -> None:
    """Two sources give the same purchases, each perhaps only some: together the union of multisets counts."""
    kept = data.draw(st.lists(st.booleans(), min_size=len(records), max_size=len(records)))
    rows = [movement(f"-{dollars}.00", f"2026-03-{day:02}") for day, dollars in records]
    others = [{**one, "account_id": "export"} for one, keep in zip(rows, kept, strict=True) if keep]
    both = accounts({"account_id": "everyday"}, {"account_id": "export", "source": "file"})
    linked = overrides(("link", "everyday", '[["everyday", "export"]]'))
    stored = transactions(*rows, *others)
    shuffled = stored.sample(fraction=1, shuffle=True, seed=data.draw(st.integers(0, 99)))
    total = sum(dollars for _, dollars in records)
    assert spending(shuffled, both, overrides=linked).spent == total
    undone = linked.with_columns(active=False)
    apart = spending(stored, both, overrides=undone)
    assert 100 * apart.spent == 100 * total - sum(one["amount_minor"] for one in others)
    assert sum(row.count for row in apart.rows) == stored.height
