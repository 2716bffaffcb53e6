"""A loan repayment and its interest count once, whichever legs are stored."""

from __future__ import annotations

import pytest

from tests.analytics.money.built import accounts, frame, movement, overrides, transactions
from toolkit.analytics.money.classify import classify
from toolkit.analytics.money.sums.months import Question
from toolkit.analytics.money.sums.rows import spending_of_rows

MONTHS = ("2026-01", "2026-02", "2026-03")
PAID = {"description": "HOME LOAN REPAYMENT"}


def out(month: str, amount: str = "-2000.00", day: str = "15", **more):
    return movement(amount, f"{month}-{day}", **{**PAID, **more})


def into(month: str, amount: str = "2000.00", day: str = "15"):
    return movement(amount, f"{month}-{day}", "REPAYMENT RECEIVED", account_id="loan")


def interest(month: str):
    return movement("-1400.00", f"{month}-28", "INTEREST CHARGED", account_id="loan")


def answer(*rows, own=None, chosen=()):
    owned = accounts() if own is None else own
    known = classify(transactions(*rows), owned, zone="Australia/Sydney", overrides=overrides(*chosen))
    return spending_of_rows(known.rows, Question()), known


def sums(*rows, **more):
    made, _ = answer(*rows, **more)
    return (float(made.spent), float(made.income), float(made.transfers), made.note_codes)


def test_both_legs_and_interest() -> None:
    rows = [leg for month in MONTHS for leg in (out(month), into(month), interest(month))]
    assert sums(*rows) == (4200, 0, 6000, ())


def test_a_missing_leg_of_a_known_series_is_a_transfer_too() -> None:
    rows = [leg for month in MONTHS[:2] for leg in (out(month), into(month), interest(month))]
    assert sums(*rows, out("2026-03"), interest("2026-03")) == (4200, 0, 6000, ())


def test_a_repayment_that_names_the_loan_needs_no_other_leg_where_its_interest_is_known() -> None:
    named = [out(month, description="LOAN REPAYMENT TO 999888777") for month in MONTHS]
    assert sums(*named, *map(interest, MONTHS)) == (4200, 0, 6000, ())
    assert sums(*named) == (6000, 0, 0, ("repayments_hold_principal",))


def test_without_the_loans_account_the_repayment_is_spending_once() -> None:
    without = accounts({"account_id": "everyday", "account_number": "111222333"})
    assert sums(*map(out, MONTHS), own=without) == (6000, 0, 0, ("repayments_hold_principal",))


def test_a_repayment_from_an_account_that_is_not_stored_is_no_refund() -> None:
    assert sums(*map(into, MONTHS), *map(interest, MONTHS)) == (4200, 0, 0, ())


@pytest.mark.parametrize("apart", ["16", "22", "25"])
def test_legs_further_apart_than_transfers_never_count_twice(apart: str) -> None:
    rows = [out("2026-03"), into("2026-03", day=apart), interest("2026-03")]
    spent, _, transfers, _ = sums(*rows)
    assert spent == 1400
    assert transfers in (0, 2000)  # a doubtful pair cancels out until somebody decides


def test_the_loan_of_another_bank_stays_spending() -> None:
    """The only stored loan is the mortgage; the car's is elsewhere."""
    rows = [leg for month in MONTHS for leg in (out(month), into(month), interest(month))]
    car = [out(month, "-450.00", "03", description="TOYOTA FINANCE CAR LOAN") for month in MONTHS]
    car = [
        {**row, "primary_category": "LOAN_PAYMENTS", "secondary_category": "LOAN_PAYMENTS_CAR_PAYMENT"} for row in car
    ]
    made, _ = answer(*rows, *car)
    assert (float(made.spent), float(made.transfers)) == (4200 + 1350, 6000)
    assert made.note_codes == ("repayments_hold_principal",)
    assert made.notes[0].figures["spent"] == 1350


def test_a_files_loan_counts_once_its_kind_is_set() -> None:
    own = frame(
        "accounts",
        [
            {"household_id": "h", "source": "file", "id": name, "account_id": name, "display_name": name}
            for name in ("everyday", "loan")
        ],
    )
    legs = [leg for month in MONTHS for leg in (out(month), into(month), interest(month))]
    rows = [{**row, "source": "file"} for row in legs]
    assert sums(*rows, own=own, chosen=[("account", "loan", '{"kind": "loan"}')]) == (4200, 0, 6000, ())


def owed(row, balance: str):
    return {**row, "source": "file", "balance_minor": int(balance.replace(".", ""))}


def test_a_files_account_of_unknown_kind_that_always_owes_is_a_loan() -> None:
    own = accounts({"account_id": "everyday"}, {"account_id": "loan"})
    received = [owed(into(month), "-298000.00") for month in MONTHS]
    charged = [owed(interest(month), "-299400.00") for month in MONTHS]
    assert sums(*received, *charged, own=own) == (4200, 0, 0, ())
    paid = [out(month, description="DIRECT DEBIT ATHENA MORTGAGE") for month in MONTHS]
    assert sums(*paid, *received, *charged, own=own) == (4200, 0, 6000, ())
    held = owed(interest("2026-04"), "0.50")  # an account that has held money owes no loan
    assert sums(*received, *charged, held, own=own)[0] == 4 * 1400 - 6000


def test_a_files_account_of_unknown_kind_that_always_owes_and_buys_is_a_card() -> None:
    own = accounts({"account_id": "everyday"}, {"account_id": "card"})
    days = ("03", "05", "09", "12", "16", "23")
    bought = [movement("-50.00", f"2026-03-{day}", "KMART", account_id="card") for day in days]
    received = movement("300.00", "2026-03-20", "PAYMENT RECEIVED THANK YOU", account_id="card")
    rows = [owed(row, "-400.00") for row in (*bought, received)]
    assert sums(*rows, own=own) == (300, 0, 0, ())


def test_card_payments_neither_reduce_spending_nor_count_twice() -> None:
    bought = [movement("-300.00", f"{month}-05", "KMART", account_id="card") for month in MONTHS]
    refund = movement("40.00", "2026-03-06", "REFUND KMART CREDIT", account_id="card")
    received = [movement("300.00", f"{month}-20", "PAYMENT RECEIVED THANK YOU", account_id="card") for month in MONTHS]
    assert sums(*bought, refund, *received) == (860, 0, 0, ())
    sent = [movement("-300.00", f"{month}-19", "CREDIT CARD PAYMENT XX7788") for month in MONTHS]
    assert sums(*bought, refund, *sent) == (860, 0, 900, ())
    assert sums(*bought, refund, *sent, *received) == (860, 0, 900, ())
    assert sums(*sent)[0] == 900  # what they paid for is not stored


@pytest.mark.parametrize(
    ("description", "spent", "transfers"),
    [
        ("BPAY WESTPAC CARDS 5363 4000110022", 300, 300),  # names nobody but a bank
        ("BPAY AMERICAN EXPRESS 12345", 300, 300),
        ("BPAY ZORBLATT 12345", 300, 0),  # somebody: both legs cancel out, and the pair is suggested
        ("BPAY SYNERGY 12345", 600, None),  # a bill of the same amount
    ],
)
def test_a_card_payment_whose_outgoing_leg_hardly_says_so_counts_once(
    description: str, spent: int, transfers: int | None
) -> None:
    bought = movement("-300.00", "2026-03-05", "KMART", account_id="card")
    received = movement("300.00", "2026-03-20", "PAYMENT THANKYOU BPAY", account_id="card")
    made, known = answer(bought, received, movement("-300.00", "2026-03-20", description))
    assert (made.spent, made.transfers) == (spent, transfers or 0)
    assert known.suggestions.height == (transfers == 0)


def test_a_person_may_decide_that_it_is_no_transfer() -> None:
    named = [out(month, description="LOAN REPAYMENT TO 999888777") for month in MONTHS]
    decided = [("not_transfer", "t0", "")]
    assert sums(*named, *map(interest, MONTHS), chosen=decided)[:3] == (6200, 0, 4000)


def test_what_a_repayment_pays_off_is_known() -> None:
    _, known = answer(out("2026-03"), into("2026-03"), interest("2026-03"))
    assert known.rows.select("id", "repays").rows() == [("t0", "loan"), ("t1", None), ("t2", None)]
