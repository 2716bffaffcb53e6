"""Which movements are moves between the household's own accounts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.analytics.money.built import accounts, found, movement, overrides, transactions
from toolkit.analytics.money.classify import classify

OUT = movement("-500.00", "2026-03-05", "Transfer to savings", type="TRANSFER_OUTGOING")
IN = movement("500.00", "2026-03-06", "Transfer from everyday", type="TRANSFER_INCOMING", account_id="savings")


def test_a_pair_with_evidence_on_both_legs_is_a_transfer() -> None:
    assert found(OUT, IN) == ({("t0", "t1")}, set())


@pytest.mark.parametrize(
    ("out", "into"),
    [
        ({"type": "TRANSFER_OUTGOING"}, {"primary_category": "TRANSFER_IN"}),
        ({"description": "Tfr to xx5666"}, {"description": "INTERNET TRANSFER 123"}),
        ({"description": "BPAY", "secondary_category": "LOAN_PAYMENTS_CREDIT_CARD_PAYMENT"}, {"account_id": "card",
          "description": "PAYMENT RECEIVED - THANK YOU"}),
        ({"primary_category": "LOAN_PAYMENTS", "secondary_category": "LOAN_PAYMENTS_MORTGAGE_PAYMENT"},
         {"account_id": "loan", "description": "Repayment"}),
        ({"source": "file", "primary_category": "Internal transfers"}, {"type": "TRANSFER CREDIT"}),
        ({"description": "Osko to 444 555 666 ref 12"}, {"description": "Deposit"}),  # names the other account
        ({"description": "Payment"}, {"description": "Deposit from 062000 111222333"}),
        ({"description": "to xx7788"}, {"description": "Deposit", "account_id": "card"}),
        ({"end_to_end_id": "E2E-77"}, {"end_to_end_id": "E2E-77"}),
    ],
)  # fmt: skip
def test_every_kind_of_evidence_counts(out, into) -> None:
    legs = movement("-80.00", "2026-03-05", **out), movement("80.00", "2026-03-05", **{"account_id": "savings", **into})
    assert found(*legs) == ({("t0", "t1")}, set())


@pytest.mark.parametrize(
    ("out", "into"),
    [
        # a friend pays back dinner: the amounts are equal and opposite, and both rows must stay
        ({"description": "TRATTORIA", "primary_category": "FOOD_AND_DRINK"}, {"type": "TRANSFER_INCOMING"}),
        ({"description": "TRATTORIA", "merchant_category_code": "5812"}, {"description": "Transfer from Sam"}),
        ({"description": "WDL ATM SYDNEY", "type": "TRANSFER_OUTGOING"}, {"type": "TRANSFER_INCOMING"}),
        ({"description": "SHOP"}, {"description": "SHOP"}),
        ({"end_to_end_id": "NOTPROVIDED"}, {"end_to_end_id": "NOTPROVIDED"}),
    ],
)
def test_money_spent_and_money_from_others_is_no_transfer(out, into) -> None:
    legs = movement("-50.00", "2026-03-05", **out), movement("50.00", "2026-03-05", account_id="savings", **into)
    assert found(*legs)[0] == set()


def test_a_card_without_a_known_kind_says_itself_that_a_payment_was_received() -> None:
    """Westpac's and ANZ's exports of cards have no balance, by which a card would be known."""
    out = movement("-103.48", "2026-03-25", "ANZ INTERNET BANKING BPAY WESTPAC CARDS {552211}")
    into = movement("103.48", "2026-03-26", "PAYMENT BPAY  THANK YOU", account_id="unknown")
    assert found(out, into) == ({("t0", "t1")}, set())
    named = movement("-103.48", "2026-03-25", "PAYMENT TO KIM NGUYEN")
    assert found(named, into)[0] == set()


def test_one_silent_leg_makes_a_suggestion_only() -> None:
    silent = movement("500.00", "2026-03-06", "DEPOSIT", account_id="savings")
    assert found(OUT, silent) == (set(), {("t0", "t1")})


@pytest.mark.parametrize(
    "into",
    [
        {**IN, "account_id": "everyday"},
        {**IN, "execution_date_time": "2026-03-04"},  # money cannot come before it went
        {**IN, "execution_date_time": "2026-03-11"},  # six days later
        {**IN, "execution_date_time": None},
        {**IN, "amount_minor": 50001},
        {**IN, "currency": "NZD"},
        {**IN, "description": "from account 999888777"},  # names another own account as its source
    ],
)
def test_what_does_not_fit_is_no_pair(into) -> None:
    assert found(OUT, into)[0] == set()


def test_five_days_later_is_still_one_move() -> None:
    assert found(OUT, {**IN, "execution_date_time": "2026-03-10"})[0] == {("t0", "t1")}


def test_two_possible_partners_make_two_suggestions() -> None:
    other = {**IN, "account_id": "card", "description": "Transfer"}
    assert found(OUT, IN, other) == (set(), {("t0", "t1"), ("t0", "t2")})
    assert found(OUT, {**OUT, "account_id": "loan"}, IN) == (set(), {("t0", "t2"), ("t1", "t2")})
    assert found(OUT, IN, {**IN, "execution_date_time": "2026-03-07"})[0] == set()


def test_equal_moves_between_the_same_accounts_are_all_taken() -> None:
    next_out, next_in = {**OUT, "execution_date_time": "2026-03-06"}, {**IN, "execution_date_time": "2026-03-07"}
    assert found(OUT, next_out, IN, next_in)[0] == {("t0", "t2"), ("t1", "t3")}
    assert found(OUT, OUT, IN, IN)[0] == {("t0", "t2"), ("t1", "t3")}


def test_a_name_by_number_settles_what_would_be_doubtful() -> None:
    named = {**OUT, "description": "Transfer to 444555666"}
    other = {**IN, "account_id": "card", "description": "Transfer"}
    assert found(named, IN, other) == ({("t0", "t1")}, set())


def test_posted_legs_meet_before_pending_ones() -> None:
    assert found(OUT, {**IN, "status": "PENDING"}, IN)[0] == {("t0", "t2")}
    assert found(OUT, {**IN, "status": "PENDING"})[0] == {("t0", "t1")}


def test_a_person_accepts_and_rejects() -> None:
    silent = movement("500.00", "2026-03-20", "DEPOSIT", account_id="savings")
    assert found(OUT, silent, chosen=[("transfer", "t0", "t1")]) == ({("t0", "t1")}, set())
    assert found(OUT, IN, chosen=[("not_transfer", "t0", "t1")]) == (set(), set())
    assert found(OUT, IN, chosen=[("not_transfer", "t1", "t0")]) == (set(), set())
    assert found(OUT, IN, chosen=[("not_transfer", "t0", "")]) == (set(), set())
    assert found(OUT, IN, {**IN, "account_id": "loan"}, chosen=[("transfer", "t0", "t2")])[0] == {("t0", "t2")}
    taken_back = [("transfer", "t0", "t1"), ("not_transfer", "t1", "t0")]
    assert found(OUT, silent, chosen=taken_back) == (set(), set())  # the latest word counts
    assert found(OUT, silent, chosen=taken_back[::-1])[0] == {("t0", "t1")}
    assert found(OUT, IN, chosen=[("category", "t0", "RENT_AND_UTILITIES_RENT")]) == (set(), set())


def test_pairs_like_one_that_a_person_found_no_transfer_are_not_suggested() -> None:
    def pair(day: int, words: str, account: str = "savings") -> list[dict[str, Any]]:
        on = f"2026-03-{day:02d}"
        return [movement(f"-{day}.00", on, words), movement(f"{day}.00", on, "DEPOSIT 44", account_id=account)]

    rows = [*pair(2, "Transfer to Kim 1"), *pair(9, "Transfer to Kim 2"), *pair(16, "Transfer out")]
    rows += pair(23, "Transfer to Kim 3", "card")
    every = {("t0", "t1"), ("t2", "t3"), ("t4", "t5"), ("t6", "t7")}
    assert found(*rows) == (set(), every)
    assert found(*rows, chosen=[("not_transfer", "t0", "t1")]) == (set(), every - {("t0", "t1")})
    never = ("no_such_transfers", "t0", "t1")
    assert found(*rows, chosen=[never]) == (set(), {("t4", "t5"), ("t6", "t7")})
    assert found(*rows, chosen=[never, ("transfer", "t2", "t3")])[0] == {("t2", "t3")}


def test_a_vanished_leg_is_no_leg_and_a_linked_account_is_no_other_account() -> None:
    rows = transactions(OUT, IN)
    gone = rows.with_columns(vanished_at=rows["amount_minor"].cast(rows.schema["vanished_at"]))
    assert classify(gone, accounts(), zone="Australia/Sydney").rows.is_empty()
    linked = overrides(("link", "everyday", '[["everyday", "savings"]]'))
    rows = classify(rows, accounts(), zone="Australia/Sydney", overrides=linked).rows
    assert rows["kind"].to_list() == ["expense", "expense"]
