"""Bank exports, in the layouts that public parsers of them show."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.importers.imported_text import read_text, said

NAB_HEAD = (
    "Date,Amount,Account Number,,Transaction Type,Transaction Details,Balance,Category,Merchant Name,Processed On\n"
)


def rows(text: str, **options):
    imported = read_text(text, **options)
    assert imported.kind == "bank-csv"
    return imported.tables["transactions"]


def account_names(text: str, **options) -> list[str]:
    """Display names; of an account that the file does not name, the bank whose layout the file has."""
    accounts = read_text(text, **options).tables["accounts"]
    return [
        row["layout"].removeprefix("bank-csv ").partition(":")[0] if row["layout"] else row["display_name"]
        for row in accounts
    ]


def test_commbank():
    text = '01/07/2024,"-12.30","WOOLWORTHS 1234 SYDNEY","+987.70"\n30/06/2024,"+1,000.00","SALARY","+1,000.00"\n'
    first, second = rows(text)
    assert (first["amount"], first["amount_minor"], first["currency"]) == ("-12.30", -1230, "AUD")
    assert (first["description"], first["status"]) == ("WOOLWORTHS 1234 SYDNEY", "POSTED")
    assert (first["posting_date_time"], first["execution_date_time"]) == ("2024-07-01T00:00:00Z", None)
    assert (second["amount"], second["amount_minor"]) == ("1000.00", 100000)
    assert first["raw"] == '01/07/2024,"-12.30","WOOLWORTHS 1234 SYDNEY","+987.70"'
    assert account_names(text) == ["CommBank"]
    assert account_names(text, account="Everyday") == ["Everyday"]


def test_commbank_with_its_category():
    [row] = rows('01/07/2024,"-12.30","SHOP","+87.70","Groceries"\n')
    assert row["primary_category"] == "Groceries"


def test_nab_of_2023_with_a_pending_row():
    text = (
        f"{NAB_HEAD}"
        "02 Jul 24,-20.00,123456789,,EFTPOS DEBIT,V1234 01/07 SHOP,,Groceries,Woolworths,\n"
        "01 Jul 24,-5.50,123456789,,EFTPOS DEBIT,CAFE,100.00,Eating out,Cafe,02 Jul 24\n"
    )
    pending, posted = rows(text)
    assert (pending["status"], pending["posting_date_time"]) == ("PENDING", None)
    assert pending["execution_date_time"] == "2024-07-02T00:00:00Z"
    assert (posted["status"], posted["posting_date_time"]) == ("POSTED", "2024-07-02T00:00:00Z")
    assert posted["execution_date_time"] == "2024-07-01T00:00:00Z"
    assert (posted["merchant_name"], posted["primary_category"], posted["type"]) == (
        "Cafe",
        "Eating out",
        "EFTPOS DEBIT",
    )


def test_the_files_account_outranks_the_one_named_and_its_number_is_masked():
    text = f"{NAB_HEAD}01 Jul 24,-5.50,123456789,,EFTPOS,CAFE,100.00,,,01 Jul 24\n"
    [account] = read_text(text, account="Mine").tables["accounts"]
    assert (account["account_number"], account["masked_number"], account["display_name"]) == (
        "123456789",
        "…6789",
        "NAB …6789",
    )
    assert "123456789" not in account["account_id"]


NAB_2022 = "Date,Amount,Account Number,,Transaction Type,Transaction Details,Balance,Category,Merchant Name\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{NAB_2022}28 Dec 17,-12.00,123456789,,EFTPOS,SHOP,100.00,Groceries,Shop\n",
        f"{NAB_2022}28 Dec 17,-12.00,123456789,,EFTPOS,SHOP,100.00\n",
        '"28 Dec 17","-12.00","123456789","","EFTPOS","SHOP","+100.00"\n',
        "28/12/2017,-12.00,123456789,SHOP,100.00\n",
    ],
)
def test_nab_before_2023(text):
    [row] = rows(text)
    assert (row["amount"], row["posting_date_time"], row["description"]) == ("-12.00", "2017-12-28T00:00:00Z", "SHOP")
    assert account_names(text) == ["NAB …6789"]


WESTPAC = "Bank Account,Date,Narrative,Debit Amount,Credit Amount,Balance,Categories,Serial\n"
WESTPAC_CORPORATE = "TRAN_DATE,ACCOUNT_NO,ACCOUNT_NAME,CCY,CLOSING_BAL,AMOUNT,TRAN_CODE,NARRATIVE,SERIAL\n"
UP = (
    "Time,BSB / Account Number,Transaction Type,Payee,Description,Category,Tags,Subtotal (AUD),Currency,"
    "Subtotal (Transaction Currency),Fee (AUD),Round Up (AUD),Total (AUD),Payment Method,Settled Date\n"
)
UBANK = (
    "Date and time,Description,Debit,Credit,From account,To account,Payment type,Category,Receipt number,"
    "Transaction ID\n"
)
BANKWEST = "BSB Number,Account Number,Transaction Date,Narration,Cheque,Debit,Credit,Balance,Transaction Type\n"
MACQUARIE = (
    "Transaction Date,Details,Account,Category,Subcategory,Tags,Notes,Debit,Credit,Balance,Original Description\n"
)


@pytest.mark.parametrize(
    ("account", "text", "amount", "day"),
    [
        ("Westpac …3456", f"{WESTPAC}032001123456,01/07/2024,SHOP,5.00,,95.00,PAYMENT,\n", "-5.00", "2024-07-01"),
        ("Westpac …3456", f"{WESTPAC}032001123456,01/07/2024,PAY,,5.00,95.00,DEP,\n", "5.00", "2024-07-01"),
        (
            "Westpac Corporate …3456",
            f"{WESTPAC_CORPORATE}20240701,032001123456,CO,AUD,95.00,-5.00,050,SHOP,\n",
            "-5.00",
            "2024-07-01",
        ),
        ("ANZ", "1/07/2024,-5.00,SHOP\n", "-5.00", "2024-07-01"),
        ("Bendigo …4818", '"633-000 223214818",01/07/2024,JDR10,-5.00,DIRECT DEBIT,SHOP,H1\n', "-5.00", "2024-07-01"),
        ("ANZ", '1/07/2024,"-5.00",SHOP,,,,,\n', "-5.00", "2024-07-01"),
        ("ING", "Date,Description,Credit,Debit,Balance\n01/07/2024,SHOP,,-5.00,95.00\n", "-5.00", "2024-07-01"),
        (
            "Up …6789",
            f"{UP}2024-07-01T08:15:00+10:00,633-123 123456789,Purchase,Cafe,CAFE,Life,,,AUD,,,,-5.00,,2024-07-02\n",
            "-5.00",
            "2024-07-02",
        ),
        ("ubank", f"{UBANK}31/05/2026 8:18,Cafe,$4.50,,Spend,Cafe,Card,Eating out,,t1\n", "-4.50", "2026-05-31"),
        ("ubank", f'{UBANK}13:03 26-09-25,Pay,,"$1,004.50",Boss,Spend,,,,t2\n', "1004.50", "2025-09-26"),
        ("Bankwest …4567", f"{BANKWEST}302-100,1234567,01/07/2024,SHOP,,5.00,,95.00,WDL\n", "-5.00", "2024-07-01"),
        ("Bankwest …4567", f"{BANKWEST}302-100,1234567,01/07/2024,SHOP,,-5.00,,95.00,WDL\n", "-5.00", "2024-07-01"),
        ("Spend", f"{MACQUARIE}01 Jul 2024,Shop,Spend,Food,,,,5.00,,95.00,\n", "-5.00", "2024-07-01"),
        ("St.George", "Date,Description,Debit,Credit,Balance\n01/07/2024,SHOP,5.00,,95.00\n", "-5.00", "2024-07-01"),
        ("St.George", "Date,Description,Debit,Credit\n01/07/2024,PAY,,5.00\n", "5.00", "2024-07-01"),
        ("Latitude …1234", "Date,Card,Description,Debits,Credits\n01/07/2024,XX-1234,A,5,\n", "-5", "2024-07-01"),
    ],
)  # fmt: skip
def test_every_other_bank(account, text, amount, day):
    [row] = rows(text)
    assert (row["amount"], row["posting_date_time"][:10]) == (amount, day)
    assert account_names(text) == [account]


def test_a_time_keeps_the_offset_written_or_gets_that_of_the_zone():
    up = f"{UP}2024-07-01T08:15:00+10:00,633-123 1,Purchase,Cafe,CAFE,,,,AUD,,,,-5.00,,2024-07-02\n"
    assert rows(up)[0]["execution_date_time"] == "2024-07-01T08:15:00+10:00"
    ubank = f"{UBANK}31/12/2025 8:18,Cafe,$4.50,,Spend,Cafe,Card,,,t1\n"
    assert rows(ubank, timezone="Australia/Perth")[0]["execution_date_time"] == "2025-12-31T08:18:00+08:00"
    assert rows(ubank)[0]["execution_date_time"] == "2025-12-31T08:18:00+11:00"


def test_bankwest_writes_debits_with_either_sign_and_pending_rows():
    text = (
        f"{BANKWEST}"
        "302-100,1234567,02/07/2024,AUTHORISATION ONLY - CAFE,,5.00,,,DAU\n"
        "302-100,1234567,01/07/2024,SHOP,,5.00,,90.00,WDL\n"
        "302-100,1234567,01/07/2024,REVERSAL,,-1.00,,95.00,WDL\n"
    )
    assert [(row["amount"], row["status"]) for row in rows(text)] == [
        ("-5.00", "PENDING"),
        ("-5.00", "POSTED"),
        ("1.00", "POSTED"),
    ]


def test_several_accounts_in_one_file():
    text = f"{WESTPAC}032001111111,01/07/2024,A,5.00,,1,,\n032001222222,01/07/2024,A,5.00,,1,,\n"
    assert account_names(text) == ["Westpac …1111", "Westpac …2222"]
    assert len({row["id"] for row in rows(text)}) == 2


@pytest.mark.parametrize(
    "bad",
    [
        "31/02/2024,-1.00,X,1.00",
        "29/02/2023,-1.00,X,1.00",
        "2024-07-32,-1.00,X,1.00",
        "01/07/2024,-1.005,X,1.00",
        "01/07/2024,1e3,X,1.00",
        "01/07/2024,١٢,X,1.00",
        '01/07/2024,"1,00",X,1.00',
        "01/07/2024,,X,1.00",
        "01/07/2024,nan,X,1.00",
        "01/07/2024,-1.00,X,Y,1.00,1,2",
        "Totals,,,",
    ],
)
def test_a_row_that_cannot_be_true_is_left_out_by_line(bad):
    imported = read_text(
        f"02/07/2024,-2.00,GOOD,8.00\n{bad}\n01/07/2024,-1.00,GOOD,10.00\n03/07/2024,-1.00,GOOD,7.00\n"
    )
    assert [row["description"] for row in imported.tables["transactions"]] == ["GOOD"] * 3
    assert ("file.csv:2", "rejected") in said(imported)
    assert imported.rejected == 1


def test_titles_above_the_header_are_no_rows():
    text = (
        "Account History for Everyday\n2 items,\n\n"
        "Date,Description,Amount,Balance\n27/04/2026,SHOP,-5.00,$100.00\n26/04/2026,CAFE,-6.00,$105.00\n"
    )
    assert [(row["description"], row["amount"]) for row in rows(text)] == [("SHOP", "-5.00"), ("CAFE", "-6.00")]


def test_a_short_first_row_with_a_date_is_no_title():
    text = '01/07/2024,"-12.30"\n30/06/2024,"-5.00","CAFE","+1,000.00"\n29/06/2024,"-6.00","SHOP","+1,005.00"\n'
    assert [row["amount"] for row in rows(text)] == ["-12.30", "-5.00", "-6.00"]


def test_both_or_neither_of_debit_and_credit():
    text = (
        "Date,Description,Credit,Debit,Balance\n"
        "01/07/2024,BOTH,1.00,-1.00,95.00\n"
        "01/07/2024,NEITHER,,,95.00\n"
        "01/07/2024,GOOD,0.00,-5.00,95.00\n"
    )
    imported = read_text(text)
    assert [row["amount"] for row in imported.tables["transactions"]] == ["-5.00"]
    assert said(imported) == [("file.csv:2", "rejected"), ("file.csv:3", "rejected")]


def test_a_record_over_two_lines_is_named_by_its_first():
    imported = read_text('01/07/2024,-1.00,"TWO\nLINES",9.00\nxx,-1.00,X,8.00\n02/07/2024,-1.00,Y,8.00\n')
    assert said(imported) == [("file.csv:3", "rejected")]


@pytest.mark.parametrize("third", ['"C"', "C", '"C', 'a 5" C', '"a 5" C"', '"a ""5"" C"'])
def test_a_quote_that_is_not_closed_costs_no_row_below_it(third):
    imported = read_text(
        '01/07/2024,-1.00,"OPEN,9.00\n'
        '02/07/2024,-2.00,"B",7.00\n'
        f"03/07/2024,-3.00,{third},4.00\n"
        '04/07/2024,-4.00,"TWO\nLINES",0.00\n'
    )
    rows = imported.tables["transactions"]
    assert [row["amount"] for row in rows] == ["-1.00", "-2.00", "-3.00", "-4.00"]
    assert (rows[1]["description"], rows[3]["description"]) == ("B", "TWO\nLINES")
    assert rows[0]["raw"] == '01/07/2024,-1.00,"OPEN,9.00'


def test_a_cell_beyond_all_measure_costs_its_own_line_alone():
    rows = [f"0{day}/07/2024,-{day}.00,{'x' * (140_000 if day == 2 else 1)},9.00\n" for day in range(1, 6)]
    imported = read_text("".join(rows))
    assert [row["amount"] for row in imported.tables["transactions"]] == ["-1.00", "-3.00", "-4.00", "-5.00"]
    assert said(imported)[0] == ("file.csv:2", "rejected")


def test_balances_that_do_not_follow_are_noted():
    chain = "03/07/2024,-1.00,C,7.00\n02/07/2024,-2.00,B,8.00\n01/07/2024,-1.00,A,10.00\n"
    assert read_text(chain).problems == []
    assert read_text("".join(reversed(chain.splitlines(keepends=True)))).problems == []
    gap = chain + "30/06/2024,-1.00,LOST,99.00\n29/06/2024,-1.00,OLD,100.00\n"
    assert said(read_text(gap)) == [("file.csv:3", "warning")]


def test_two_identical_purchases_stay_two_and_an_overlap_adds_nothing():
    coffee = "01/07/2024,-5.00,COFFEE,{}\n"
    small = rows(coffee.format("95.00"))
    large = rows(coffee.format("90.00") + coffee.format("95.00"))
    assert len({row["id"] for row in large}) == 2
    assert {row["id"] for row in small} <= {row["id"] for row in large}
    assert [row["occurrence"] for row in large] == [1, 2]


def test_the_time_of_day_is_no_part_of_the_identity():
    text = f"{UP}2024-07-01T{{}}+10:00,633-123 1,Purchase,Cafe,CAFE,,,,AUD,,,,-5.00,,2024-07-02\n"
    assert rows(text.format("08:15:00"))[0]["id"] == rows(text.format("00:00:00"))[0]["id"]


cents = st.integers(-(10**9), 10**9)


in_years = st.dates(min_value=date(1900, 1, 1), max_value=date(2199, 12, 31))


@given(st.lists(st.tuples(in_years, cents, st.sampled_from(["A", "B", "=1+1", "café"])), min_size=1, max_size=20))
def test_money_is_conserved_and_rows_keep_apart(entries):
    text = "".join(
        f'{day:%d/%m/}{day.year:04},"{Decimal(amount) / 100:.2f}",{words},\n' for day, amount, words in entries
    )
    found = rows(text)
    assert [row["amount_minor"] for row in found] == [amount for _, amount, _ in entries]
    assert len({row["id"] for row in found}) == len(entries)


@given(st.permutations(["01/07/2024,-5.00,A,\n", "01/07/2024,-5.00,A,\n", "01/07/2024,-7.00,B,\n"]))
def test_the_order_of_rows_does_not_matter(lines):
    assert sorted(row["id"] for row in rows("".join(lines))) == sorted(
        row["id"] for row in rows("01/07/2024,-5.00,A,\n01/07/2024,-5.00,A,\n01/07/2024,-7.00,B,\n")
    )


@pytest.mark.parametrize(
    ("file", "account"),
    [
        ("Everyday July.csv", "Everyday July"),
        ("Transactions_123456789.csv", "Transactions_…6789"),
        ("export-20240731.csv", "export-20240731"),
        ("export_31072024.csv", "export_31072024"),
        ("statement 202407.csv", "statement 202407"),
    ],
)
def test_a_file_that_names_no_account_gives_it_its_name_but_no_long_number(file: str, account: str) -> None:
    [row] = read_text("01/07/2024,-5.00,SHOP,95.00\n", name=file).tables["accounts"]
    assert (row["account_id"], row["display_name"]) == (account, account)


def test_running_balances_are_kept_in_cents() -> None:
    rows = read_text("01/07/2024,-5.00,SHOP,95.00\n02/07/2024,-5.00,SHOP,\n").tables["transactions"]
    assert [row["balance_minor"] for row in rows] == [9500, None]
