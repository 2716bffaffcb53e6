"""Bank files as they should not be: what is wrong is named with its line, the rest is kept, nothing is executed."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from toolkit.answers.data import ImportedFile
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.money.accounts import list_accounts
from toolkit.flows.money.edits.settings import list_categories
from toolkit.flows.money.overrides import undo
from toolkit.flows.money.rules import add_rule, set_categories
from toolkit.flows.money.summary import spending
from toolkit.flows.money.transactions import transactions

HEAD = "Date,Description,Amount\n"


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home.db", date(2026, 6, 20))


def imported(ctx: Context, tmp_path: Path, content: str | bytes, name: str = "a.csv") -> ImportedFile:
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (file,) = load(ctx, [tmp_path / name]).files
    return file


def amounts(ctx: Context) -> dict[str | None, Decimal]:
    return {row.description: row.amount for row in transactions(ctx).transactions}


def rejected(file: ImportedFile) -> list[str]:
    return [problem.where for problem in file.problems if problem.severity == "rejected"]


def test_a_second_date_order_in_one_file_is_named_by_its_lines(ctx: Context, tmp_path: Path) -> None:
    file = imported(ctx, tmp_path, HEAD + "13/05/2026,A,-1.00\n05/14/2026,B,-2.00\n15/05/2026,C,-3.00\n")
    assert rejected(file) == ["a.csv:3"]
    assert amounts(ctx) == {"A": Decimal("-1.00"), "C": Decimal("-3.00")}


def test_a_date_that_could_be_either_is_warned_of_where_a_file_has_two_orders(ctx: Context, tmp_path: Path) -> None:
    file = imported(ctx, tmp_path, HEAD + "13/05/2026,A,-1.00\n05/14/2026,B,-2.00\n1/02/2026,C,-3.00\n")
    assert [(problem.where, problem.severity) for problem in file.problems] == [
        ("a.csv:4", "warning"),
        ("a.csv:3", "rejected"),
    ]


def test_a_file_with_the_month_first_throughout_is_read_so(ctx: Context, tmp_path: Path) -> None:
    file = imported(ctx, tmp_path, HEAD + "05/13/2026,A,-1.00\n1/02/2026,B,-2.00\n")
    assert rejected(file) == []
    days = {row.description: row.date for row in transactions(ctx).transactions}
    assert days == {"A": date(2026, 5, 13), "B": date(2026, 1, 2)}


@pytest.mark.parametrize(
    "content",
    [
        "Date,Description,Amount\n31.12.2025,A,-1.50\n01.02.2026,B,1234.50\n",
        "Date;Description;Amount\n31/12/2025;A;-1.50\n01/02/2026;B;1234.50\n",
        "Date;Description;Amount\n31.12.2025;A;-1,50\n01.02.2026;B;1.234,50\n",
        "31.12.2025;-1,50;A;10,00\n01.02.2026;1.234,50;B;1.244,50\n",
        "Date\tDescription\tAmount\n31/12/2025\tA\t-1.50\n01/02/2026\tB\t1,234.50\n",
        "Date,Description,Amount\n2025/12/31,A,-1.50\n2026/02/01,B,1234.50\n",
    ],
)
def test_dots_semicolons_tabs_and_decimal_commas_are_read(ctx: Context, tmp_path: Path, content: str) -> None:
    file = imported(ctx, tmp_path, content)
    assert rejected(file) == []
    rows = {row.description: (row.date, row.amount) for row in transactions(ctx).transactions}
    assert rows == {"A": (date(2025, 12, 31), Decimal("-1.50")), "B": (date(2026, 2, 1), Decimal("1234.50"))}


def test_amounts_with_both_decimal_marks_are_named_where_they_cannot_be_read(ctx: Context, tmp_path: Path) -> None:
    file = imported(ctx, tmp_path, "Date;Description;Amount\n1/05/2026;A;-1,50\n2/05/2026;B;-2.50\n")
    assert rejected(file) == ["a.csv:2"]
    assert amounts(ctx) == {"B": Decimal("-2.50")}


@pytest.mark.parametrize("header", ["DR/CR", "Debit/Credit", "Credit or Debit", "Transaction Type"])
@pytest.mark.parametrize(("out", "in_"), [("DR", "CR"), ("Debit", "Credit")])
def test_a_column_says_whether_unsigned_amounts_are_out_or_in(
    ctx: Context, tmp_path: Path, header: str, out: str, in_: str
) -> None:
    imported(ctx, tmp_path, f"Date,Description,Amount,{header}\n1/05/2026,A,2.00,{out}\n2/05/2026,B,3.00,{in_}\n")
    assert amounts(ctx) == {"A": Decimal("-2.00"), "B": Decimal("3.00")}


def test_a_type_beside_signed_amounts_changes_no_sign(ctx: Context, tmp_path: Path) -> None:
    imported(ctx, tmp_path, "Date,Description,Amount,Type\n1/05/2026,A,-2.00,Debit\n2/05/2026,B,3.00,Debit\n")
    assert amounts(ctx) == {"A": Decimal("-2.00"), "B": Decimal("3.00")}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("CSVData.csv", "CommBank account"),
        ("CSVData (1).csv", "CommBank account 1"),
        ("Transactions 2026-11.csv", "Transactions 2026-11"),
        ("Smart Access.csv", "Smart Access"),
        ("Holiday data.csv", "Holiday data"),
    ],
)
def test_an_account_is_named_after_its_bank_where_the_file_has_a_name_of_any_export(
    ctx: Context, tmp_path: Path, name: str, shown: str
) -> None:
    imported(ctx, tmp_path, '13/05/2026,"-12.50","KIOSK","+100.00"\n', name)
    (account,) = list_accounts(ctx).accounts
    assert account.name == shown


def test_accounting_brackets_and_a_minus_behind_are_signs(ctx: Context, tmp_path: Path) -> None:
    rows = (
        '1/05/2026,A,$ (3.00)\n2/05/2026,B,"1,250.00-"\n3/05/2026,C,-$(4.00)\n4/05/2026,D,-5.00-\n5/05/2026,E,(6.00\n'
    )
    file = imported(ctx, tmp_path, HEAD + rows)
    assert rejected(file) == ["a.csv:4", "a.csv:5", "a.csv:6"]
    assert amounts(ctx) == {"A": Decimal("-3.00"), "B": Decimal("-1250.00")}


def test_a_debit_in_brackets_is_money_out_beside_debits_without(ctx: Context, tmp_path: Path) -> None:
    rows = "1/05/2026,A,(12.50),\n2/05/2026,B,4.00,\n3/05/2026,C,6.00,\n4/05/2026,D,,9.00\n"
    imported(ctx, tmp_path, "Date,Description,Debit,Credit\n" + rows)
    assert amounts(ctx) == {"A": Decimal("-12.50"), "B": Decimal("-4.00"), "C": Decimal("-6.00"), "D": Decimal("9.00")}


def test_a_credit_below_zero_is_named(ctx: Context, tmp_path: Path) -> None:
    rows = "1/05/2026,A,-5.00,CR\n2/05/2026,B,-6.00,DR\n3/05/2026,C,7.00,CR\n"
    file = imported(ctx, tmp_path, "Date,Description,Amount,DR/CR\n" + rows)
    assert rejected(file) == ["a.csv:2"]
    assert amounts(ctx) == {"B": Decimal("-6.00"), "C": Decimal("7.00")}


@pytest.mark.parametrize("day", ["31/12/0026", "01/01/9999", "31/12/1899", "9999-12-31"])
def test_a_year_that_no_bank_means_is_named(ctx: Context, tmp_path: Path, day: str) -> None:
    file = imported(ctx, tmp_path, HEAD + f"{day},A,-1.00\n2/05/2026,B,-2.00\n")
    assert rejected(file) == ["a.csv:2"]
    assert amounts(ctx) == {"B": Decimal("-2.00")}


def test_brackets_and_cr_dr_are_signs(ctx: Context, tmp_path: Path) -> None:
    rows = "1/05/2026,A,(12.50)\n2/05/2026,B,7.25 DR\n3/05/2026,C,100.00CR\n4/05/2026,D,-5.00 DR\n5/05/2026,E,$3.00cr\n"
    file = imported(ctx, tmp_path, HEAD + rows)
    assert rejected(file) == ["a.csv:5"]
    assert amounts(ctx) == {
        "A": Decimal("-12.50"),
        "B": Decimal("-7.25"),
        "C": Decimal("100.00"),
        "E": Decimal("3.00"),
    }


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_other_encodings_are_read(ctx: Context, tmp_path: Path, encoding: str) -> None:
    imported(ctx, tmp_path, (HEAD + "1/05/2026,CAFÉ ZOË,-1.00\n").encode(encoding))
    assert amounts(ctx) == {"CAFÉ ZOË": Decimal("-1.00")}


def test_a_field_of_a_million_characters_is_named_and_the_rest_kept(ctx: Context, tmp_path: Path) -> None:
    file = imported(ctx, tmp_path, HEAD + f"1/05/2026,{'x' * 1_000_000},-1.00\n2/05/2026,CAFE,-2.00\n")
    assert rejected(file) == ["a.csv:2"]
    assert amounts(ctx) == {"CAFE": Decimal("-2.00")}


def test_formulas_html_and_markdown_are_texts(ctx: Context, tmp_path: Path) -> None:
    hostile = ["=HYPERLINK(1)", "<img src=x onerror=alert(1)>", "[a](http://evil.example) **b**"]
    rows = "".join(f'{day}/05/2026,"{text}",-1.00\n' for day, text in enumerate(hostile, 1))
    assert rejected(imported(ctx, tmp_path, HEAD + rows)) == []
    assert set(amounts(ctx)) == set(hostile)


def test_ten_thousand_categories_are_kept_apart_and_undone(ctx: Context, tmp_path: Path) -> None:
    rows = "".join(f"{1 + number % 28}/05/2026,SHOP {number},-1.00,Own {number}\n" for number in range(10_000))
    file = imported(ctx, tmp_path, "Date,Description,Amount,Category\n" + rows)
    assert (file.added, rejected(file)) == (10_000, [])
    before = spending(ctx)
    assert (len(before.rows), before.spent) == (10_000, Decimal("10000.00"))
    add_rule(ctx, "/./", "Own 7")
    assert len(spending(ctx).rows) == 1
    undo(ctx)
    assert spending(ctx) == before
    some = [row.id for row in transactions(ctx, limit=500).transactions]
    set_categories(ctx, dict.fromkeys(some, "Groceries"))
    assert len(spending(ctx).rows) == 9_501
    undo(ctx)
    assert spending(ctx) == before
    assert len(list_categories(ctx).categories) < 1_000
