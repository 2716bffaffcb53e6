"""Who was paid, out of what Australian banks write."""

from __future__ import annotations

import pytest

from tests.analytics.money.built import accounts, movement, transactions
from toolkit.analytics.money.classify import classify


def merchant(row) -> str | None:
    return classify(transactions(row), accounts(), zone="Australia/Sydney").rows["merchant"].item()


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("VISA DEBIT PURCHASE CARD 0500 WOOLWORTHS 1234 SYDNEY NSW AUS", "Woolworths"),
        ("WOOLWORTHS 1294 STRATHF STRATHFIELD NS AUS Card xx5566 Value Date: 03/01/2024", "Woolworths"),
        ("EFTPOS WDL COLES 0456 BONDI NSW", "Coles"),
        ("ANZ INTERNET BANKING BPAY SYDNEY WATER {123456}", "Sydney Water"),
        ("V1234 25/12 BUNNINGS 334000 ALEXANDRIA", "Bunnings"),
        ("Osko Withdrawal 12Mar Jane Citizen", "Jane Citizen"),
        ("Direct Debit 123456 AGL SALES PTY LTD 998877", "AGL"),
        ("Netflix.com - Visa Purchase - Receipt 123456 Date 01 Mar 2024 Card 462263xxxxxx1234", "Netflix"),
        ("AUTHORISATION ONLY - UBER *TRIP HELP.UBER.COM", "Uber"),
        ("SQ *SINGLE O SURRY HILLS", "Single O"),
        ("SQ *DARK HORSE COFFEE NEWCASTLE AU", "Dark Horse Coffee"),
        ("RAY WHITE RENT", "Ray White"),
        ("SERVICES AUSTRALIA", "Services Australia"),
        ("FTB 8842113A SERVICES AUSTRALIA", "FTB Services Australia"),
        ("ZZYZX PEST SERVICES AUSTRALIA", "Zzyzx Pest Services"),
        ("P NGUYEN ROOM", "P Nguyen"),
        ("S OKAFOR DINNER THANKS", "S Okafor"),
        ("THE DINING ROOM", "The Dining Room"),
        ("RANDWICK CITY COUNCIL RATES BPAY", "Randwick City Council"),
        ("Direct Debit 552018 LITTLE ACORNS ELC", "Little Acorns ELC"),
        ("PAYPAL *SPOTIFY 4029357733", "Spotify"),
        ("Refund Purchase WOOLWORTHS 1294 STRATHFIELD", "Woolworths"),
        ("EFTPOS", "Eftpos"),
        ("  ", None),
        (None, None),
    ],
)
def test_the_wrapping_is_taken_off(description: str | None, expected: str | None) -> None:
    assert merchant(movement("-9.00", description=description)) == expected


@pytest.mark.parametrize(
    ("descriptions", "expected"),
    [
        (["UBER *EATS HELP.UBER.COM", "UBER* EATS SYDNEY AU", "UBER EATS"], "Uber Eats"),
        (["UBER   *TRIP", "UberBV Help.uber.com"], "Uber"),
        (["AMZNPRIMEAU MEMBERSHIP SYDNEY SOUTH", "AMAZON PRIME AU SYDNEY"], "Amazon Prime"),
        (["DEBITSUCCESS ANYTIME FITNESS", "EZI*Anytime Fitness Brisbane"], "Anytime Fitness"),
        (["LS Bakehouse on Miller Cammeray", "SMP*BAKEHOUSE ON MILLER"], "Bakehouse On Miller"),
        (["MICROSOFT*XBOX", "MSFT * OFFICE 365"], "Microsoft"),
        (["ATO PAYMENTS", "PAYMENT TO AUSTRALIAN TAXATION OFFICE", "TAX OFFICE PAYMENTS 1234567"], "ATO"),
        (["REVENUE NSW"], "Revenue NSW"),
        (["UNI OF SYDNEY"], "Uni Of Sydney"),
        (["Transfer To NetBank Saver"], "Netbank Saver"),
        (["MONTHLY ACCOUNT FEE", "ACCOUNT KEEPING FEE"], "Account fee"),
        (["ATM OPERATOR FEE"], "ATM operator fee"),
        (["WITHDRAWAL ATM WESTPAC BONDI"], "ATM"),
        (
            ["ANYTIME FITNESS PENRITH DD", "Anytime Fitness D/D 12345", "ANYTIME FITNESS DIRECT DEBIT"],
            "Anytime Fitness",
        ),
        (["DIRECT DEBIT 551 LYREBIRD ENERGY", "LYREBIRD ENERGY DDR 21/03", "LYREBIRD ENERGY EFT"], "Lyrebird Energy"),
        (["AMAYSIM MOBILE 04XXXXX221", "AMAYSIM MOBILE 04XX XXX 221", "AMAYSIM MOBILE 0412***221"], "Amaysim Mobile"),
        (["BPAY LYREBIRD WATER 4XX1 XXXX XXXX 2210", "LYREBIRD WATER XXXX XXXX 2210"], "Lyrebird Water"),
        (
            ["DD KOALA GYM", "D/D 551 KOALA GYM", "REF 551 KOALA GYM", "INV NO 00551 KOALA GYM", "DEBIT 123 KOALA GYM"],
            "Koala Gym",
        ),
        (["KOALA GYM RECURRING", "KOALA GYM AUTO PAY", "KOALA GYM AUTOPAY 12345"], "Koala Gym"),
        (["Direct Credit 302169 WESTMEAD HOSP PAY", "WESTMEAD HOSP PAY 0012345"], "Westmead Hosp"),
        (["Osko Deposit From WATTLE PTY LTD PAY", "PAY WATTLE PTY LTD"], "Wattle"),
    ],
)
def test_ways_of_writing_one_payee_give_one_name(descriptions: list[str], expected: str) -> None:
    assert {merchant(movement("-9.00", description=description)) for description in descriptions} == {expected}


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("PAYMENT FROM PRIYA NAIR PAYID SHARE OF RENT", "Priya Nair"),
        ("PAYID PRIYA NAIR HALF OF BILLS", "Priya Nair"),
        ("PAYMENT BY PAYID TO PRIYA NAIR", "Priya Nair"),
        ("DEPOSIT SALARY BRIGALOW FOODS PTY LTD", "Brigalow Foods"),
        ("DEPOSIT - WAGES BRIGALOW FOODS 123456", "Brigalow Foods"),
        ("WAGES BRIGALOW FOODS", "Brigalow Foods"),
        ("PAY BRIGALOW FOODS PTY LTD", "Brigalow Foods"),
        ("DIRECT CREDIT 458106 PAY BRIGALOW FOODS", "Brigalow Foods"),
        ("PAY AS YOU GO PHONES", "Pay As You Go Phones"),
        ("PAY & GO PARKING", "Pay & Go Parking"),
        ("PAY", "Pay"),
        ("FORTNIGHTLY PAY", "Fortnightly Pay"),
        ("APPLE PAY", "Apple Pay"),
        ("DIRECT DEBIT", "Direct Debit"),
        ("99 BIKES", "99 Bikes"),
        ("ÜNÏ BÄCKEREI", "Ünï Bäckerei"),
        ("DEPOSIT BRIGALOW FOODS SALARY", "Brigalow Foods"),
        ("**Fern** bakery", "Fern Bakery"),
        ("FERN BAKERY, BONDI", "Fern Bakery"),
    ],
)
def test_what_stands_around_a_payer_or_payee_is_no_part_of_the_name(description: str, expected: str) -> None:
    assert merchant(movement("-9.00", description=description)) == expected


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("Transfer To 062000 12345678", "Transfer To …5678"),
        ("TRANSFER TO 062-000 87654321 - Receipt 1234", "Transfer To …4321"),
        ("Transfer to xx1234 CommBank app", "Transfer To …1234"),
        ("TRANSFER 123456 TO XXXXXX9876", "Transfer To …9876"),
        ("Transfer to 062-000 12345678 Rent", "Transfer To Rent …5678"),
        ("Osko Payment 062000-12345678", "Osko Payment …5678"),
        ("BPAY 5678 912345678901", "BPAY …8901"),
        ("PayID 0412345678", "Payid …5678"),
        ("TFR WDL 733-123 456789", "Tfr Wdl …6789"),
        ("TRANSFER TO J CITIZEN 062-000 12345678", "J Citizen"),
        ("Pay Anyone 062-000 123456789 JANE", "Jane"),
        ("PayID +61 412 345 678 Bob", "Bob"),
        ("Transfer To Jane Citizen PayID Phone from CommBank App", "Jane Citizen"),
        ("DEPOSIT ONLINE 2345678 PYMT J SMITH", "J Smith"),
        ("CREDIT CARD PAYMENT 5163 1234 5678 9012", "Credit Card Payment"),
    ],
)
def test_a_number_is_no_name_and_only_its_end_tells_unnamed_accounts_apart(description: str, expected: str) -> None:
    assert merchant(movement("-9.00", description=description)) == expected


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("EFTPOS LITTLE OWL BAKERY BONDI JUNCTIO", "Little Owl Bakery"),
        ("EFTPOS LITTLE OWL BAKERY MT DRUITT NSW", "Little Owl Bakery"),
        ("EFTPOS LITTLE OWL BAKERY MT MISERY", "Little Owl Bakery Mt Misery"),
        ("EFTPOS THE LITTLE BON", "The Little Bon"),
        ("EFTPOS STUDIO 54 2000 SYDNEY", "Studio 54"),
        ("EFTPOS 7-ELEVEN 2134", "7-Eleven"),
        ("EFTPOS 13 CABS", "13 Cabs"),
    ],
)
def test_places_are_known_cut_and_short_and_numbers_of_a_name_stay(description: str, expected: str) -> None:
    assert merchant(movement("-9.00", description=description)) == expected


def test_a_name_that_is_given_goes_first_and_stays_as_it_is() -> None:
    row = movement("-9.00", description="EFTPOS WDL COLES 0456", payee="J Citizen", payer="B Builder")
    assert merchant({**row, "merchant_name": " COLES Bondi ", "biller_name": "AGL"}) == "COLES Bondi"
    assert merchant({**row, "biller_name": "AGL"}) == "AGL"
    assert merchant(row) == "J Citizen"
    assert merchant({**row, "payee": "Priya Sharma 938201 313355025"}) == "Priya Sharma"
    assert merchant({**row, "payee": "062-000 1234 5678 - Priya (Sharma)."}) == "Priya (Sharma)."
    assert merchant({**row, "payee": "* #1 Tilers, J. Smith:"}) == "* #1 Tilers, J. Smith:"  # spelt as given
    assert merchant({**row, "amount": "9.00", "amount_minor": 900}) == "B Builder"
