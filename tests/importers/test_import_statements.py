"""OFX, QIF and published plans."""

from __future__ import annotations

import json
import re

import pytest

from tests.importers.imported_text import read_text, said
from tests.problems import names
from toolkit.answers.base import Note
from toolkit.errors import ImportFailedError

SGML = """OFXHEADER:100
DATA:OFXSGML
VERSION:102

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS>
<CURDEF>AUD
<BANKACCTFROM><BANKID>062000<ACCTID>12345678<ACCTTYPE>SAVINGS</BANKACCTFROM>
<BANKTRANLIST>
{rows}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
"""
ROW = "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>{day}<TRNAMT>{amount}<FITID>{fitid}<NAME>{name}<MEMO></STMTTRN>\n"


def ofx(*rows: dict[str, str], **options):
    usual = {"day": "20240701", "amount": "-12.30", "fitid": "A1", "name": "SHOP &amp; CO"}
    return read_text(SGML.format(rows="".join(ROW.format(**(usual | row)) for row in rows)), **options)


def test_an_ofx_statement():
    imported = ofx({}, {"fitid": "A2", "day": "20240702103000.000[+10:AEST]", "amount": "100"}, account="ignored")
    first, second = imported.tables["transactions"]
    assert (first["amount_minor"], first["posting_date_time"]) == (-1230, "2024-07-01T00:00:00Z")
    assert (first["description"], first["transaction_id"], first["type"]) == ("SHOP & CO", "A1", "DEBIT")
    assert second["posting_date_time"] == "2024-07-02T10:30:00+10:00"
    [account] = imported.tables["accounts"]
    assert (account["bsb"], account["masked_number"]) == ("062000", "…5678")
    assert first["account_id"] == account["account_id"]


@pytest.mark.parametrize("bad", [{"day": ""}, {"day": "20240231"}, {"amount": "x"}, {"amount": "1.005"}])
def test_a_bad_ofx_row_costs_itself(bad):
    imported = ofx(bad, {"fitid": "A2"})
    assert [row["transaction_id"] for row in imported.tables["transactions"]] == ["A2"]
    assert imported.problems[0].where == "file.csv:9"
    assert imported.problems[0].reason.startswith("transaction A1: ")


@pytest.mark.parametrize(
    ("written", "cents"), [("1234.50", 123450), ("-88,10", -8810), ("1.005", None), ("x", None), ("", None)]
)
def test_the_ledger_balance_of_an_ofx_statement(written, cents):
    text = SGML.format(rows=ROW.format(day="20240701", amount="-1.00", fitid="A1", name="SHOP"))
    stated = f"</BANKTRANLIST><LEDGERBAL><BALAMT>{written}<DTASOF>20240702</LEDGERBAL>"
    imported = read_text(text.replace("</BANKTRANLIST>", stated))
    assert len(imported.tables["transactions"]) == 1
    assert [row["current_balance_minor"] for row in imported.tables["balances"]] == ([] if cents is None else [cents])
    assert bool(imported.problems) == (cents is None)


def test_an_ofx_id_given_twice():
    same = ofx({}, {})
    assert (len(same.tables["transactions"]), said(same)) == (1, [("file.csv:10", "warning")])
    other = ofx({}, {"amount": "-1.00"})
    assert len({row["id"] for row in other.tables["transactions"]}) == 2
    assert said(other) == [("file.csv:10", "warning")]


@pytest.mark.parametrize("text", ["<OFX></OFX>", "<OFX>", "<OFX><A>x</A>tail</OFX>", "OFXHEADER:100\n"])
def test_a_broken_ofx_file_is_refused_in_one_sentence(text):
    with pytest.raises(ImportFailedError, match="OFX"):
        read_text(text, kind="ofx")


def test_a_qif_file():
    text = (
        "!Account\nNEveryday\nTBank\n^\n!Type:Bank\n"
        "D25/12/2024\nT-1,012.30\nPShop\nMpresent\nLGifts\nN7\n^\n"
        "D1/ 7'24\nT5.00\nPMe\nL[Savings]\n^\n"
        "D31/02/2024\nT5.00\n^\nD1/7/24\nTx\n^\n"
        "!Type:Invst\nD1/7/24\nNBuy\n^\n"
    )
    imported = read_text(text)
    first, second = imported.tables["transactions"]
    assert (first["amount_minor"], first["posting_date_time"][:10]) == (-101230, "2024-12-25")
    assert (first["description"], first["primary_category"], first["reference"]) == ("Shop present", "Gifts", "7")
    assert (second["posting_date_time"][:10], second.get("primary_category")) == ("2024-07-01", None)
    assert {row["account_id"] for row in (first, second)} == {"Everyday"}
    assert said(imported) == [("file.csv:18", "rejected"), ("file.csv:21", "rejected")]
    assert imported.notes[0] == Note("investments_left_out", count=1)


def test_qif_dates_are_month_first_only_where_that_is_shown():
    ambiguous = "!Type:Bank\nD1/2/24\nT1\n^\n"
    assert read_text(ambiguous).tables["transactions"][0]["posting_date_time"][:10] == "2024-02-01"
    american = ambiguous + "D1/31/24\nT1\n^\n"
    assert read_text(american).tables["transactions"][0]["posting_date_time"][:10] == "2024-01-02"


def plan(plan_id: str, **more) -> dict:
    return {"planId": plan_id, "displayName": "Plan", "electricityContract": {"tariffPeriod": []}, **more}


def plan_ids(text: str, **options) -> list[str]:
    return [row["plan_id"] for row in read_text(text, **options).tables["plans"]]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(plan("P1")) + "\n" + json.dumps(plan("P2")),
        json.dumps([plan("P1"), plan("P2")]),
        json.dumps({"data": {"plans": [plan("P1"), plan("P2")]}}, indent=2),
        json.dumps({"data": plan("P1")}) + "\n\n" + json.dumps({"data": plan("P2")}) + "\n",
    ],
)
def test_plans_in_every_packing(text):
    assert plan_ids(text) == ["P1", "P2"]


def test_one_plan_written_over_many_lines_may_take_its_files_name():
    given = plan("x")
    del given["planId"]
    assert plan_ids(json.dumps(given, indent=2), name="folder/ORI1@EME.json") == ["ORI1@EME"]


@pytest.mark.parametrize(
    "bad", ['{"planId": "P1"', '{"a": 1}', "3", "[]", '{"planId": "P1", "electricityContract": NaN}']
)
def test_a_line_that_is_no_plan_is_left_out(bad):
    imported = read_text(json.dumps(plan("P0")) + f"\n{bad}\n" + json.dumps(plan("P2")))
    assert [row["plan_id"] for row in imported.tables["plans"]] == ["P0", "P2"]
    assert ("file.csv:2", "rejected") in said(imported)


def test_a_file_without_one_plan_is_refused():
    with pytest.raises(ImportFailedError, match=r"^file\.csv"):
        read_text('{"planId": "P1"}')


def test_rows_of_an_ofx_file_that_are_not_read_are_told():
    def row(kind: str, fitid: str) -> str:
        return f"<{kind}><TRNTYPE>DEBIT<DTPOSTED>20240701<TRNAMT>-1.00<FITID>{fitid}</{kind}>"

    bank = f"<STMTRS><BANKTRANLIST>{row('STMTTRN', 'A1')}</BANKTRANLIST></STMTRS>"
    pending = f"<BANKTRANLISTP>{row('STMTTRNP', 'A2')}</BANKTRANLISTP>"
    investments = f"<INVSTMTRS><INVTRANLIST><INVBANKTRAN>{row('STMTTRN', 'A3')}</INVBANKTRAN></INVTRANLIST></INVSTMTRS>"
    imported = read_text(f"<OFX>{bank.replace('</STMTRS>', pending + '</STMTRS>')}{investments}</OFX>")
    assert [entry["transaction_id"] for entry in imported.tables["transactions"]] == ["A1"]
    waiting = "pending transactions were left out (1): add a newer file once they have gone through"
    assert [problem.reason for problem in imported.problems] == [
        "rows that are not of a bank account or card were left out (1)",
        waiting,
    ]


def test_qif_records_that_nothing_ends_but_the_next_are_all_read():
    imported = read_text("!Type:Bank\nD1/7/24\nT1\nD2/7/24\nT2\nPTwo\n!Type:CCard\nD3/7/24\nT3")
    rows = [(row["posting_date_time"][:10], row["amount"]) for row in imported.tables["transactions"]]
    assert rows == [("2024-07-01", "1"), ("2024-07-02", "2"), ("2024-07-03", "3")]


def test_qif_sections_that_are_not_read_are_told():
    record = "D1/7/24\nT1\n^\n"
    before = f"# a remark\n\n{record}!Type:Cat\nNFood\n^\n"
    imported = read_text(f"{before}!Type:Bank\n{record}!Type:Invoice\n{record}{record}")
    assert len(imported.tables["transactions"]) == 1
    before_any, of_invoices = imported.problems
    assert (before_any.severity, of_invoices.severity) == ("warning", "warning")
    assert names(before_any.reason, "(1)")
    assert names(of_invoices.reason, "“invoice”", "(2)")


def test_what_is_no_plan_in_a_list_of_plans_is_left_out_by_its_number():
    text = json.dumps({"data": {"plans": [plan("P1"), {"plan": "odd"}, plan("P2")]}, "meta": {"totalRecords": 3}})
    imported = read_text(text)
    assert [row["plan_id"] for row in imported.tables["plans"]] == ["P1", "P2"]
    assert said(imported) == [("file.csv:1", "rejected")]


XML = """<?xml version="1.0" encoding="UTF-8"?>
<?OFX OFXHEADER="200" VERSION="211"?>
<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>AUD</CURDEF>
<BANKACCTFROM><BANKID>484799</BANKID><ACCTID>123456789</ACCTID></BANKACCTFROM><BANKTRANLIST>
<STMTTRN><TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20240701</DTPOSTED><TRNAMT>-200,00</TRNAMT><FITID>A1</FITID>
<NAME><![CDATA[{name}]]></NAME><MEMO><![CDATA[{memo}]]></MEMO></STMTTRN>
</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
"""


def in_sgml(text: str) -> str:
    """The same without end tags of elements, as OFX 1 allows."""
    return re.sub(r"</(?:CURDEF|BANKID|ACCTID|TRNTYPE|DTPOSTED|TRNAMT|FITID|NAME|MEMO)>", "", text)


@pytest.mark.parametrize("form", [str, in_sgml])
@pytest.mark.parametrize(
    ("name", "memo", "description"),
    [
        ("SHOP & CO <SYDNEY>", "CARD 1", "SHOP & CO <SYDNEY> CARD 1"),
        ("A ]] > B", "", "A ]] > B"),
        ("", "ONLY MEMO", "ONLY MEMO"),
        ("AT&amp;T", "x", "AT&amp;T x"),  # what CDATA holds is text, not markup
        ("LINE 1\nLINE 2", "<STMTTRN>", "LINE 1 LINE 2 <STMTTRN>"),
    ],
)
def test_ofx_descriptions_in_cdata(form, name, memo, description):
    imported = read_text(form(XML.format(name=name, memo=memo)))
    [row] = imported.tables["transactions"]
    assert (row["description"], row["amount_minor"], row["transaction_id"]) == (description, -20000, "A1")
    assert imported.problems == []


def test_entities_of_an_ofx_description():
    text = ofx({"name": "JOE&apos;S &quot;BAR&quot; &#38; GRILL &#x2013; R&D &copy"})
    assert text.tables["transactions"][0]["description"] == 'JOE\'S "BAR" & GRILL \u2013 R&D &copy'


@pytest.mark.parametrize(
    ("written", "cents"),
    [("-200,00", -20000), ("200,5", 20050), ("+,5", 50), ("-1,5", -150), ("1,234.50", 123450), ("1.234,50", 123450),
     ("-1 234,50", -123450), ("1,00", 100), ("12", 1200)],
)  # fmt: skip
def test_a_comma_is_the_decimal_mark_of_an_ofx_amount(written, cents):
    rows = ofx({"amount": written}).tables["transactions"]
    assert [row["amount_minor"] for row in rows] == ([] if cents is None else [cents])


@pytest.mark.parametrize("written", ["-1,234", "1,234,567", "1.234.567", "1,2,3", "1.2,34,5", "-0,005"])
def test_an_ofx_amount_of_parts_of_a_cent_or_of_several_marks_is_left_out(written):
    imported = ofx({"amount": written}, {"fitid": "A2"})
    assert [row["transaction_id"] for row in imported.tables["transactions"]] == ["A2"]
    [problem] = imported.problems
    assert (problem.where, problem.severity) == ("file.csv:9", "rejected")
    assert problem.reason.startswith("transaction A1: ")
    assert written in problem.reason


def test_a_comma_that_cannot_stand_between_thousands_is_left_out_of_usage_and_bank_tables():
    usage = read_text('Start,kWh\n2026-03-01 00:00,"0,532"\n2026-03-01 00:30,"1,5"\n2026-03-01 01:00,"1,034.5"\n')
    assert [row["total_nano"] for row in usage.tables["register_days"]] == [1_034_500_000_000]
    assert said(usage) == [("file.csv:2", "rejected"), ("file.csv:3", "rejected")]
    bank = read_text('Date,Description,Amount\n01/07/2024,SHOP,"-0,500"\n02/07/2024,SHOP,"-1,500.00"\n')
    assert [row["amount_minor"] for row in bank.tables["transactions"]] == [-150000]
    assert said(bank) == [("file.csv:2", "rejected")]


@pytest.mark.parametrize("cut", [0.5, 0.8, 0.95])
def test_an_ofx_file_that_was_cut_short_is_refused(cut):
    whole = XML.format(name="SHOP", memo="")
    with pytest.raises(ImportFailedError, match=r"^file\.csv:[0-9]+: .*OFX"):
        read_text(whole[: int(len(whole) * cut)])
