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
        ("PAYPAL *SPOTIFY 4029357733", "Spotify"),
        ("Refund Purchase WOOLWORTHS 1294 STRATHFIELD", "Woolworths"),
        ("EFTPOS", "Eftpos"),
        ("  ", None),
        (None, None),
    ],
)
def test_the_wrapping_is_taken_off(description: str | None, expected: str | None) -> None:
    assert merchant(movement("-9.00", description=description)) == expected


def test_a_name_that_is_given_goes_first_and_stays_as_it_is() -> None:
    row = movement("-9.00", description="EFTPOS WDL COLES 0456", payee="J Citizen", payer="B Builder")
    assert merchant({**row, "merchant_name": " COLES Bondi ", "biller_name": "AGL"}) == "COLES Bondi"
    assert merchant({**row, "biller_name": "AGL"}) == "AGL"
    assert merchant(row) == "J Citizen"
    assert merchant({**row, "payee": "Priya Sharma 938201 313355025"}) == "Priya Sharma"
    assert merchant({**row, "amount": "9.00", "amount_minor": 900}) == "B Builder"
