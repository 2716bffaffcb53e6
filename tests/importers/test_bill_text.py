"""Bills' PDFs of six layouts become drafts; hostile, locked, scanned and endless ones a reason."""

from __future__ import annotations

import io
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter

from tests import bill_pdfs as bills
from tests.bill_pdfs import pdf, rows
from toolkit.errors import ImportFailedError
from toolkit.importers.bills.draft import BillDraft, read_bill
from toolkit.importers.bills.extract import MOST_PAGES, REASONS, pdf_pages


def draft(data: bytes) -> BillDraft:
    return read_bill("\n".join(pdf_pages(data, "bill.pdf")))


def energy(read: BillDraft) -> dict[str, str]:
    return {each.name: f"{each.quantity.normalize():f} {each.unit}" for each in read.registers}


def test_labels_left_and_values_right() -> None:
    read = draft(bills.LABELS_AND_VALUES)
    assert (read.fuel, read.meter, read.retailer) == ("ELECTRICITY", "41030000015", "Origin Energy")
    assert (read.first, read.last, read.issued, read.due) == (
        *(date(2026, 7, 1), date(2026, 9, 30)),
        *(date(2026, 10, 5), date(2026, 10, 26)),
    )
    assert (read.billed, read.carried, read.payments) == (Decimal("441.14"), Decimal(476), Decimal(476))
    assert (read.number, read.plan, read.estimated) == ("1200 345 678", "Everyday Saver", False)
    assert energy(read) == {"general": "812.5 kWh", "controlled load": "150 kWh"}
    assert (read.missing, read.doubts) == ([], [])


def test_values_under_headings_and_gas_in_blocks() -> None:
    read = draft(bills.VALUES_UNDER_HEADINGS)
    assert (read.fuel, read.meter, read.retailer) == ("GAS", "53101234567", "AGL")
    assert (read.first, read.last, read.due) == (date(2026, 7, 1), date(2026, 8, 31), date(2026, 9, 21))
    assert (read.billed, read.carried, read.payments) == (Decimal("212.45"), Decimal("120.50"), Decimal(100))
    assert (read.number, read.plan, read.estimated) == ("INV-20931", "Value Gas", True)
    assert energy(read) == {"general": "4512 MJ"}
    assert (read.missing, read.doubts) == ([], [])


def test_running_text() -> None:
    read = draft(bills.IN_SENTENCES)
    assert (read.first, read.last, read.due) == (date(2026, 8, 12), date(2026, 9, 11), date(2026, 9, 28))
    assert (read.billed, read.retailer, read.plan) == (Decimal("98.70"), "Powershop", "Mega Pack")
    assert energy(read) == {"peak": "120.5 kWh", "off-peak": "210 kWh", "solar": "94.2 kWh"}


def test_a_bill_in_credit_with_a_rebate() -> None:
    read = draft(bills.IN_CREDIT)
    assert (read.first, read.last, read.due) == (date(2026, 6, 15), date(2026, 9, 14), date(2026, 10, 6))
    assert (read.billed, read.carried, read.concession) == (Decimal("95.30"), Decimal("-210.40"), Decimal("71.25"))
    assert (read.meter, read.retailer, read.plan) == ("QB061234567", "EnergyAustralia", None)
    assert "plan" in read.missing


def test_ligatures_a_table_of_reads_and_a_concession_stated_twice() -> None:
    """As a browser prints it: the new charges are before the concession, which the charge lines repeat."""
    read = read_bill("""
Origin                                                         Tax invoice
Total due $283.17
Previous balance                                               $214.60
Payment received 24 Apr 26 - thank you                      $214.60 cr
New charges and credits                                        $344.22
Concessions                                                  $61.05 cr
Total due (includes GST)                                       $283.17
Bill period: 18 Mar 2026 to 16 Jun 2026 (91 days)
National Meter Identi\N{LATIN SMALL LIGATURE FI}er (NMI)      41030000016
Your plan      Value\N{RIGHT-TO-LEFT OVERRIDE} Saver
    Meter         Read type      Start read    End read       Usage       Unit price     Charge
Peak               Actual        10234          10654        420 kWh      $0.4378       $183.88
O\N{LATIN SMALL LIGATURE FF} peak           Actual        7001           7200         199 kWh      $0.2233       $44.44
Low Income Household Rebate $61.05 cr
Medical Energy Rebate: you may be eligible for $350.00 a year
""")
    assert energy(read) == {"peak": "420 kWh", "off-peak": "199 kWh"}
    assert (read.billed, read.concession) == (Decimal("283.17"), Decimal("61.05"))
    assert (read.retailer, read.plan, read.meter, read.estimated) == (
        *("Origin Energy", "Value Saver"),
        *("41030000016", False),
    )
    assert read.doubts == []


def test_two_concessions_are_added() -> None:
    read = read_bill("Low Income Household Rebate $61.05 CR\nMedical Energy Rebate $40.00 CR\nConcessions  $101.05 CR")
    assert read.concession == Decimal("101.05")


def test_a_number_of_another_column_or_field_is_not_the_bills() -> None:
    """Rates without amounts still show which register used what."""
    read = read_bill("""
Kookaburra Energy Pty Ltd
                                                       Billing period
Customer no.                                           01/05/2026 - 31/05/2026
                                                       Date issued
Invoice no.                                            05/06/2026
KB-000991
NMI                                                    26/06/2026
4103000001
New charges              -$25.30
General usage      130.25 kWh     30.79 c/kWh
Solar exported     1205.0 kWh     8.0 c/kWh
This reading is an estimate.
""")
    assert (read.number, read.issued, read.billed) == ("KB-000991", date(2026, 6, 5), Decimal("-25.30"))
    assert energy(read) == {"general": "130.25 kWh", "solar": "1205 kWh"}
    assert read.estimated is True
    assert read_bill("Invoice number\nNMI 4103000001").number is None


@pytest.mark.parametrize(
    ("row", "estimated"),
    [
        ("000556612      Actual      10234.1      11115.9      881.844 kWh", False),
        ("000556612      Estimated   10,234       11,115       881 kWh", True),
        ("000556612      10234       11115        881 kWh", None),
    ],
)
def test_the_kind_of_read_is_a_column_of_the_table_of_reads(row: str, estimated: bool | None) -> None:
    assert read_bill(f"Meter          Read type   Start        End          Usage\n{row}\n").estimated is estimated


def test_a_number_in_groups_and_what_is_owed_from_before() -> None:
    read = read_bill("""
Bill number 99 123 456
Amount owing from last bill  $100.00
Payments made                -$60.00
Total electricity charges    $472.34
""")
    assert (read.number, read.billed, read.doubts) == ("99 123 456", Decimal("472.34"), [])


def test_a_web_address_names_the_retailer() -> None:
    assert read_bill("Electricity bill\nwww.redenergy.com.au\nTotal amount due $10.00").retailer == "Red Energy"


def test_only_an_amount_due_is_taken_with_a_doubt() -> None:
    read = draft(bills.ONLY_AMOUNT_DUE)
    assert (read.billed, read.doubts) == (Decimal("318.20"), ["new_charges"])
    assert (read.first, read.last) == (date(2026, 7, 1), date(2026, 9, 30))
    assert energy(read) == {"peak": "400 kWh", "shoulder": "200 kWh"}


def test_days_that_do_not_agree_are_a_doubt() -> None:
    read = draft(bills.BOXES)
    assert (read.fuel, read.meter, read.plan) == ("GAS", "56001234567", "Gas Saver")
    assert (read.billed, read.carried, read.payments) == (Decimal("187.90"), Decimal(165), Decimal(165))
    assert energy(read) == {"general": "4100.25 MJ"}
    assert read.doubts == ["days"]


def test_a_bill_of_both_fuels_is_not_split_by_guessing() -> None:
    read = draft(bills.BOTH_FUELS)
    assert (read.fuel, read.meter, read.registers) == (None, None, ())
    assert "both_fuels" in read.doubts


def test_words_as_on_published_sample_bills() -> None:
    """The figures and words of sample bills that comparison sites publish; one states only the energy used."""
    power = read_bill(
        "Issue date: 1 Oct 2018\nDue Date: 23 Oct 2018\nAmount due if paid after due date: $555.26\n"
        "Amount including discount if paid by due date: $527.50\nPLAN SuperSaver\nOpening Balance $476\n"
        "Payment received thank you 15 Jul 2018 Direct Debit $476 Credit\nBalance carried forward $0.00\n"
        "Current charges (incl. GST) $555.26\nTotal amount due $555.26\n"
        "5% pay on time discount (ex. GST) $25.24 Credit\nBilling period: 2 July 2018 – 1 Oct 2018\n"
        "Meter read: Actual read on 1 Oct 2018\nNMI 4102000001"
    )
    assert (power.first, power.last, power.due) == (date(2018, 7, 2), date(2018, 10, 1), date(2018, 10, 23))
    assert (power.billed, power.carried, power.payments) == (Decimal("555.26"), Decimal(476), Decimal(476))
    assert (power.estimated, power.doubts) == (False, [])
    gas = read_bill(
        "Issue date 2 April 2018\nDue Date 23 April 2018\nOpening balance $250.67\nPayment received $250.67CR\n"
        "Balance carried forward $0.00\nTotal new charges $309.45\nGas usage 6,000 MJ\nAverage daily usage 65.9 MJ"
    )
    assert (gas.fuel, gas.billed, gas.payments) == ("GAS", Decimal("309.45"), Decimal("250.67"))
    assert energy(gas) == {"general": "6000 MJ"}
    assert "period" in gas.missing


def test_amounts_without_gst_are_not_the_bill() -> None:
    read = draft(pdf(rows(["Total charges excl. GST $100.00"], ["Total charges incl. GST $110.00"])))
    assert read.billed == Decimal(110)


def test_amounts_that_do_not_add_up_are_a_doubt() -> None:
    read = draft(pdf(rows(["Opening balance $50.00"], ["New charges $100.00"], ["Total amount due $100.00"])))
    assert (read.billed, read.carried, read.doubts) == (Decimal(100), Decimal(50), ["due"])


def reason(data: bytes) -> str:
    with pytest.raises(ImportFailedError) as refused:
        pdf_pages(data, "bill.pdf")
    return next(code for code, text in REASONS.items() if text == refused.value.reason)


def locked(password: str) -> bytes:
    writer, out = PdfWriter(clone_from=PdfReader(io.BytesIO(bills.BOXES))), io.BytesIO()
    writer.encrypt(password, "owner", algorithm="AES-256")
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (bills.SCAN, "scan"),
        (pdf(*[rows(["Amount due $1.00"])] * 500), "pages"),
        (bills.BOXES[:700], "damaged"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 40, "damaged"),
        (b"not a PDF", "damaged"),
        (b"\x89PNG\r\n\x1a\n", "picture"),
        (pdf(b" " * 40_000_000, packed=True), "limits"),
        (pdf(b"q " * 6_000_000, packed=True), "limits"),
    ],
    ids=["scan", "500 pages", "cut", "noise", "text", "picture", "zip bomb", "endless content"],
)
def test_what_is_no_readable_bill_has_a_reason(data: bytes, code: str) -> None:
    assert reason(data) == code


def test_a_password_is_asked_to_be_taken_off_and_an_empty_one_opens() -> None:
    assert reason(locked("secret")) == "protected"
    assert draft(locked("")).billed == Decimal("187.90")


def test_a_bill_at_the_limit_of_pages_is_read() -> None:
    pages = [rows(["Amount due $1.00"]), *[rows(["page"])] * (MOST_PAGES - 1)]
    assert draft(pdf(*pages)).billed == Decimal(1)


@given(st.text(max_size=2_000))
def test_no_text_makes_reading_fail(text: str) -> None:
    read_bill(text)


WORDS = st.sampled_from(
    [
        "NMI",
        "MIRN",
        "New charges",
        "Due date",
        "Plan:",
        "$",
        "-",
        "1 Jul 2026",
        "99/99/99",
        "12.34",
        "1,",
        " to ",
        "kWh",
    ]
)


@given(st.lists(WORDS | st.text(max_size=5), max_size=200), st.sampled_from(["", " ", "  ", "\n"]))
def test_no_words_of_a_bill_make_reading_fail(words: list[str], between: str) -> None:
    read_bill(between.join(words))


@pytest.mark.parametrize(
    "hostile", ["1 " * 200_000, "$1," * 200_000, "Plan: " + "a " * 200_000, "a\n" * 200_000, "A1" * 200_000]
)
def test_hostile_text_is_read_in_bounded_steps(hostile: str) -> None:
    read = read_bill(hostile)
    assert (read.first, read.due) == (None, None)


@pytest.mark.parametrize(
    ("top", "retailer"),
    [
        ("Lyrebird Energy          Electricity bill", "Lyrebird Energy"),
        ("Quoll Power & Gas", "Quoll Power & Gas"),
        ("Wren Energy Retail Pty Ltd", "Wren Energy Retail Pty Ltd"),
        ("Your Energy    Natural Gas", None),
        ("Account Electricity    Total Power", None),
    ],
)
def test_a_retailer_that_is_no_known_brand_is_read_from_the_top_of_the_bill(top: str, retailer: str | None) -> None:
    assert read_bill(f"{top}\nBilling period 1 May 2026 to 31 May 2026").retailer == retailer


def test_the_postcode_of_the_supply_address_not_of_the_letter() -> None:
    address = [["GPO Box 4136"], ["SYDNEY NSW 2001"], ["Supply address:", "14 Alice Street NEWTOWN NSW 2042"]]
    assert draft(pdf(rows(*address))).postcode == "2042"
    below = [["ACME VIC 3001"], ["Site address", "NMI"], ["Unit 4", "4103000001"], ["BALLARAT, VIC  3350"]]
    assert draft(pdf(rows(*below))).postcode == "3350"
    assert draft(pdf(rows(["GPO Box 4136"], ["SYDNEY NSW 2001"]))).postcode is None
