"""A named third party is evidence against an own transfer, a name of the household's own people for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analytics.money.built import found, movement
from tests.command_line import Run

PEOPLE = ("Kim Thi Nguyen", "Alex O'Brien", "Christopher Murphy")
TAKEN, SUGGESTED, NEITHER = ({("t0", "t1")}, set()), (set(), {("t0", "t1")}), (set(), set())


def judged(out: str, into: str, **more: str):
    legs = movement("-500.00", "2026-03-05", out), movement("500.00", "2026-03-06", into, account_id="savings", **more)
    return found(*legs, people=PEOPLE)


@pytest.mark.parametrize(
    ("out", "into"),
    [
        ("Transfer to J Smith", "Transfer from Mum"),
        ("Transfer To Jane Smith NetBank Rent", "Fast Transfer From JOHN CITIZEN to PayID Phone"),
        ("ANZ INTERNET BANKING FUNDS TFER TRANSFER 546251 TO RENTAL MANAGER", "TRANSFER FROM R T WILSON"),
        ("WITHDRAWAL ONLINE 1087186 TFR J SMITH", "TRANSFER FROM L TRAN TO K NGUYEN"),
        ("Tfr to Bill", "Transfer from April"),
        ("Transfer to Nguyen Plumbing", "Transfer from O'Brien and Sons"),
        ("Transfer to Kevin Nguyen", "Transfer from Ky Nguyen"),
        ("Transfer to Mr K Nguyen & Mrs L Tran", "Transfer from A O'BRIEN PTY LTD"),
    ],
)
def test_money_to_one_person_and_from_another_is_not_even_suggested(out: str, into: str) -> None:
    assert judged(out, into) == NEITHER


@pytest.mark.parametrize(
    ("out", "into"),
    [
        ("Transfer to J Smith", "Transfer from everyday"),
        ("Transfer to savings", "Transfer from Mum"),
        ("Transfer to savings", "Osko Payment from Ky Nguyen"),
        ("Transfer to savings", "Osko Payment from K NGUYEN PTY LTD"),
        ("Transfer to savings", "Fast Transfer From KIM NGUYEN dinner"),  # a business of that name looks the same
        ("Transfer to savings", "Fast Transfer From DCW Enterprises Pty L DCW 10707"),
        ("Transfer to savings", "Direct credit to K Nguyen"),  # whom it went to, not who paid
        ("Transfer to J Citizen", "Transfer from J Citizen"),  # perhaps the household's own, under a name not known
        ("Transfer to other Bank NetBank rent", "Osko Payment from K Nguyen"),
        ("Transfer to savings", "Direct Credit 301500 ACME PTY LTD"),
        ("TRANSFER TO CITIZEN SUPER FUND", "Transfer"),
        ("E-BANKING TFR 00123 J SMITH", "Transfer"),
        ("Internal Transfer - Receipt 123456 Sam Gym", "Internal Transfer - Receipt 123456"),
        ("Transfer to Mr K Nguyen & Mrs L Nguyen", "Transfer"),
        ("Pay Anyone Transfer to Day", "Transfer"),
    ],
)
def test_one_leg_that_names_somebody_else_makes_a_suggestion_at_most(out: str, into: str) -> None:
    assert judged(out, into) == SUGGESTED


@pytest.mark.parametrize(
    ("out", "into"),
    [
        ("Transfer to other Bank NetBank savings", "Osko Payment from K Nguyen"),
        ("Transfer To Kim Nguyen NetBank Rent", "Transfer"),
        ("Osko Payment to NGUYEN, KIM", "Direct Credit 123456 MISS K T NGUYEN"),
        ("Osko Payment to KT Nguyen", "Transfer"),
        ("PayID Payment to Alex OBrien", "Fast Transfer From KIM NGUYEN to PayID Phone"),
        ("Transfer", "Fast Transfer From Kim Nguyen to birthday"),  # a comment behind the payer's own name
        ("Osko Payment to Mr K Nguyen and Mr A O'Brien", "Transfer"),
        ("ANZ INTERNET BANKING FUNDS TFER TRANSFER 546251 TO CHRISTOPHER MURP", "Transfer"),
        ("ANZ M-BANKING PAYMENT TRANSFER 111111 TO MY SAVING ACCOUNT", "ANZ INTERNET BANKING FUNDS TFER TRANSFER 1"),
        ("WITHDRAWAL MOBILE 1087186 TFR Westpac Sav", "DEPOSIT ONLINE 1087187 TFR Westpac Cho"),
        ("Transfer to xx5666 CommBank app holiday", "Transfer from xx2333 CommBank app holiday"),
        ("Internal Transfer - Receipt 1 Sam Gym", "Internal Transfer - Receipt 1 Sam Gym"),  # one comment on both
        ("ONLINE Y1234567890 TRANSFER Linked Acc Trns", "ONLINE X1234567890 TRANSFER Linked Acc Trns"),
        ("Round Ups to Saver", "Round ups from everyday"),
    ],
)
def test_own_names_and_words_of_moving_money_make_a_transfer(out: str, into: str) -> None:
    assert judged(out, into) == TAKEN


def test_the_other_party_may_stand_in_a_field_of_its_own() -> None:
    assert judged("Transfer", "OSKO PAYMENT received dinner", payer="KIM NGUYEN") == TAKEN
    assert judged("Transfer", "TRANSFER", payer="J Smith") == SUGGESTED
    assert judged("Transfer", "TRANSFER", reference="Mum") == SUGGESTED
    assert judged("Transfer", "TRANSFER", merchant_name="Spotify") == SUGGESTED


def test_a_name_is_nobodys_while_the_household_has_not_said_it() -> None:
    legs = (
        movement("-500.00", "2026-03-05", "Transfer to other Bank NetBank savings"),
        movement("500.00", "2026-03-05", "Osko Payment from K Nguyen", account_id="savings"),
    )
    assert found(*legs) == SUGGESTED
    assert found(*legs, people=["Lee Tran"]) == SUGGESTED
    assert found(*legs, people=["Lee Tran", "Kim Nguyen"]) == TAKEN


def test_an_account_number_of_somebody_else_makes_no_pair() -> None:
    assert judged("Transfer to xx9999 CommBank app", "Transfer from everyday") == NEITHER
    assert judged("Transfer to savings", "Transfer from account xx9999") == NEITHER
    assert judged("Transfer to xx5666 CommBank app", "Transfer from everyday") == TAKEN  # the savings account's own


def monthly(month: int, amount: str = "500.00", words: str = "OSKO J CITIZEN 7781"):
    return (
        movement(f"-{amount}", f"2026-{month:02}-05", f"To J Citizen {month}"),
        movement(amount, f"2026-{month:02}-06", words, account_id="savings"),
    )


def test_a_pair_accepted_once_is_accepted_for_its_series() -> None:
    rows = (*monthly(1), *monthly(2), *monthly(3, "650.00"))
    accepted = [("transfer", "t0", "t1")]
    assert found(*rows)[0] == set()
    assert found(*rows, chosen=accepted)[0] == {("t0", "t1"), ("t2", "t3"), ("t4", "t5")}
    assert found(*rows, chosen=[*accepted, ("not_transfer", "t2", "t3")])[0] == {("t0", "t1"), ("t4", "t5")}
    assert found(*monthly(1), *monthly(2, words="OSKO L TRAN 7781"), chosen=accepted)[0] == {("t0", "t1")}
    elsewhere = [{**row, "account_id": "loan"} if row["account_id"] == "savings" else row for row in monthly(2)]
    assert found(*monthly(1), *elsewhere, chosen=accepted)[0] == {("t0", "t1")}
    twice = found(*monthly(1), *monthly(2), monthly(2)[1], chosen=accepted)
    assert twice[0] == {("t0", "t1")}  # which of two equal deposits it was is not known


BANK = """\
Date,Amount,Description
05/01/2026,-500.00,Transfer to other Bank NetBank savings
05/02/2026,-500.00,Transfer to other Bank NetBank savings
"""
SAVER = """\
Date,Amount,Description
05/01/2026,500.00,Osko Payment from K Nguyen
05/02/2026,500.00,Osko Payment from K Nguyen
"""


def test_people_are_added_to_a_household_and_their_transfers_recognised(run: Run, tmp_path: Path) -> None:
    for account, text in (("Everyday", BANK), ("Saver", SAVER)):
        (tmp_path / f"{account}.csv").write_text(text)
        assert run("import", tmp_path / f"{account}.csv", "--account", account).code == 0
    assert run("spending", "--json").json["transfers"] == "0.00"
    listed = run("household", "set", "--person", "Lee Tran", "--person", " Kim  Nguyen ", "--json").json
    assert listed["households"][0]["persons"] == ["Kim Nguyen", "Lee Tran"]
    answer = run("spending", "--json").json
    assert (answer["transfers"], answer["spent"], answer["income"]) == ("1000.00", "0.00", "0.00")
    again = run("household", "set", "--person", "Kim Nguyen", "--postcode", "2000", "--json").json["households"][0]
    assert (again["persons"], again["postcode"]) == (["Kim Nguyen", "Lee Tran"], "2000")
    assert "people: Kim Nguyen, Lee Tran" in run("household", "list").out
    assert run("household", "set", "--person", "123").code == 2
    assert run("household", "set", "--person", "", "--json").json["households"][0]["persons"] == []
    assert run("spending", "--json").json["transfers"] == "0.00"


def test_a_confirmed_pair_named_in_any_order_counts_for_its_series(run: Run, tmp_path: Path) -> None:
    for account, text in (("Everyday", BANK), ("Saver", SAVER)):
        (tmp_path / f"{account}.csv").write_text(text)
        run("import", tmp_path / f"{account}.csv", "--account", account)
    first = run("rules", "list", "--json").json["suggestions"][0]
    assert run("rules", "transfer", first["incoming"], first["outgoing"]).code == 0
    assert run("spending", "--json").json["transfers"] == "1000.00"
    run("rules", "undo")
    assert run("spending", "--json").json["transfers"] == "0.00"
