"""A stored bill is among what needs attention until a payment of its amount is known; another amount is pointed out."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from toolkit.flows.desk.insights import insights
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice, edit_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.invoices.to_pay import bills_to_pay, notes_on_past_bills
from toolkit.flows.money.cashflow import cashflow

DUE = date(2026, 11, 8)
FIRST = "01/07/2026,-12.00,SHOP"


def home(tmp_path: Path, today: date, *rows: str, retailer: str = "Origin Energy") -> Context:
    """A bill of $378.29 for 16 Jul to 15 Oct, due on 8 Nov. rows: more of the bank: day, amount, description."""
    ctx = Context(tmp_path / "home.db", today)
    if rows:
        (tmp_path / "everyday.csv").write_text("\n".join(["Date,Amount,Description", FIRST, *rows, ""]))
        load(ctx, [tmp_path / "everyday.csv"])
    form = InvoiceForm(
        fuel="ELECTRICITY", from_=date(2026, 7, 16), to=date(2026, 10, 15), billed="378.29", energy=["882"],
        retailer=retailer, due_date=DUE,
    )  # fmt: skip
    add_invoice(ctx, form)
    return ctx


@pytest.mark.parametrize(
    ("balance", "payments", "due"),
    [("342.18", "342.18", "378.29"), ("0", "342.18", "378.29"), ("342.18", "300", "420.47"), ("-50", None, "328.29")],
)
def test_payments_settle_the_previous_balance_and_are_no_credit_without_one(
    tmp_path: Path, balance: str, payments: str | None, due: str
) -> None:
    ctx = Context(tmp_path / "home.db", date(2026, 10, 29))
    form = InvoiceForm(
        fuel="ELECTRICITY", from_=date(2026, 7, 16), to=date(2026, 10, 15), billed="378.29", energy=["882"],
        retailer="Origin Energy", due_date=DUE, balance_brought_forward=balance, payments=payments,
    )  # fmt: skip
    add_invoice(ctx, form)
    assert texts(ctx) == [f"Your electricity bill of ${due} is due on 8 Nov 2026."]


def texts(ctx: Context) -> list[str]:
    return [each.text.page for each in insights(ctx).insights if each.kind in ("due", "payment")]


def test_a_bill_is_listed_in_the_fortnight_before_it_is_due(tmp_path: Path) -> None:
    ctx = home(tmp_path, date(2026, 10, 29), "28/10/2026,-20.00,SHOP")
    assert texts(ctx) == ["Your electricity bill of $378.29 is due on 8 Nov 2026."]
    assert not notes_on_past_bills(ctx)  # the calendar has it
    assert not texts(Context(ctx.db, date(2026, 10, 24)))  # 15 days before


def test_a_bill_past_its_day_without_a_payment_is_listed(tmp_path: Path) -> None:
    ctx = home(tmp_path, date(2026, 11, 20), "18/11/2026,-20.00,SHOP")
    said = (
        "Your electricity bill of $378.29 was due on 8 Nov 2026. Your bank's transactions to 18 Nov 2026 show no "
        "payment of it."
    )
    assert texts(ctx) == [said]
    assert [note.code for note in notes_on_past_bills(ctx)] == ["insight_bill_overdue"]


def test_where_the_bank_rows_end_before_the_day_it_is_not_known_whether_it_is_paid(tmp_path: Path) -> None:
    ctx = home(tmp_path, date(2026, 11, 20), "29/10/2026,-20.00,SHOP")
    assert texts(ctx) == [
        (
            "Your electricity bill of $378.29 was due on 8 Nov 2026. Your bank's transactions end on 29 Oct 2026, so "
            "they do not show whether it is paid."
        )
    ]


def test_what_is_paid_so_far_is_said_with_what_is_left(tmp_path: Path) -> None:
    """$378.29 less $336.29 is $42.00."""
    ctx = home(tmp_path, date(2026, 11, 20), "08/11/2026,-336.29,ORIGIN ENERGY BPAY", "18/11/2026,-20.00,SHOP")
    (bill,) = bills_to_pay(ctx)
    assert [(payment.date, payment.amount) for payment in bill.payments] == [(DUE, Decimal("-336.29"))]
    assert bill.left == Decimal("42.00")
    assert texts(ctx) == [
        (
            "Your accounts show $336.29 paid to Origin Energy so far of the $378.29 on your electricity bill due on 8 "
            "Nov 2026: $42.00 is left."
        )
    ]


def test_instalments_are_added_up(tmp_path: Path) -> None:
    """$100.00, $50.00 and $100.00 are $250.00; $378.29 less that is $128.29."""
    paid = (("25/10/2026", "100.00"), ("01/11/2026", "50.00"), ("08/11/2026", "100.00"))
    rows = [f"{day},-{amount},ORIGIN ENERGY" for day, amount in paid]
    (bill,) = bills_to_pay(home(tmp_path, date(2026, 11, 20), *rows, "18/11/2026,-20.00,SHOP"))
    assert bill.left == Decimal("128.29")


def test_even_payments_are_not_short_of_a_bill(tmp_path: Path) -> None:
    """$60.00 each fortnight: 6 or 7 of them come to a bill of 92 days."""
    days = [date(2026, 11, 12) - timedelta(14 * number) for number in range(9)]
    rows = [f"{day:%d/%m/%Y},-60.00,ORIGIN ENERGY DIRECT DEBIT" for day in reversed(days)]
    assert not texts(home(tmp_path, date(2026, 11, 20), *rows, "18/11/2026,-20.00,SHOP"))


def test_even_payments_that_have_stopped_are_a_part(tmp_path: Path) -> None:
    """The last of them was on 22 October: four weeks without one; $60.00 was paid since the bill came."""
    days = [date(2026, 10, 22) - timedelta(14 * number) for number in range(7)]
    rows = [f"{day:%d/%m/%Y},-60.00,ORIGIN ENERGY DIRECT DEBIT" for day in reversed(days)]
    (bill,) = bills_to_pay(home(tmp_path, date(2026, 11, 20), *rows, "18/11/2026,-20.00,SHOP"))
    assert bill.left == Decimal("318.29")


def test_more_than_the_bill_asks_for_is_said_too(tmp_path: Path) -> None:
    """$400.00 less $378.29 is $21.71; with $900.00 another bill is likely to be paid."""
    row = "08/11/2026,-400.00,ORIGIN ENERGY BPAY"
    assert texts(home(tmp_path, date(2026, 11, 20), row, "18/11/2026,-20.00,SHOP")) == [
        (
            "Your accounts show $400.00 paid to Origin Energy since your electricity bill of $378.29 due on 8 Nov 2026 "
            "came: $21.71 more than it asks for."
        )
    ]
    (folder := tmp_path / "other").mkdir()
    paid = "08/11/2026,-740.00,ORIGIN ENERGY BPAY"
    assert not texts(home(folder, date(2026, 11, 20), paid, "18/11/2026,-20.00,SHOP"))


def test_where_the_rows_begin_after_the_bill_came_no_part_of_it_is_told(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "home.db", date(2026, 11, 20))
    rows = ["05/11/2026,-20.00,SHOP", "08/11/2026,-336.29,ORIGIN ENERGY BPAY", "18/11/2026,-20.00,SHOP"]
    (tmp_path / "later.csv").write_text("\n".join(["Date,Amount,Description", *rows, ""]))
    load(ctx, [tmp_path / "later.csv"])
    home(tmp_path, date(2026, 11, 20))
    assert texts(ctx) == [
        (
            "Your electricity bill of $378.29 was due on 8 Nov 2026. Your bank's transactions begin on 5 Nov 2026, so "
            "they do not show whether it is paid."
        )
    ]


@pytest.mark.parametrize(
    "row",
    [
        "08/11/2026,-378.29,ORIGIN ENERGY BPAY",  # its own payment
        "08/11/2026,-378.29,BPAY 4711",  # one that may be
    ],
)
def test_a_bill_that_is_paid_is_not_listed(tmp_path: Path, row: str) -> None:
    assert not texts(home(tmp_path, date(2026, 11, 20), row, "18/11/2026,-20.00,SHOP"))


@pytest.mark.parametrize(
    "row",
    [
        "08/11/2026,-336.29,WOOLWORTHS",  # another payee
        "12/10/2026,-120.00,ORIGIN ENERGY BPAY",  # before it came
        "27/08/2026,-336.29,ORIGIN ENERGY BPAY",  # of the bill before
    ],
)
def test_what_cannot_be_its_payment_leaves_it_open(tmp_path: Path, row: str) -> None:
    (bill,) = bills_to_pay(home(tmp_path, date(2026, 11, 20), row, "18/11/2026,-20.00,SHOP"))
    assert not bill.payments
    assert bill.left == Decimal("378.29")


def test_a_bill_of_months_ago_is_left_alone(tmp_path: Path) -> None:
    assert not bills_to_pay(home(tmp_path, date(2027, 1, 8), "05/01/2027,-20.00,SHOP"))  # 61 days


def test_a_bill_that_a_person_says_is_paid_is_not_due_nor_taken_off_the_cash_flow(tmp_path: Path) -> None:
    ctx = home(tmp_path, date(2026, 11, 20), "18/11/2026,-20.00,SHOP")
    (bill,) = bills_to_pay(ctx)
    assert bill.id is not None
    edited = edit_invoice(ctx, bill.id, InvoiceForm(paid=True))
    assert [each.paid for each in edited.invoices] == [True]
    assert not bills_to_pay(ctx)
    assert not texts(ctx)
    assert not cashflow(ctx).bills
    edit_invoice(ctx, bill.id, InvoiceForm(paid=False))
    assert [each.amount for each in bills_to_pay(ctx)] == [Decimal("378.29")]


def test_a_later_payment_for_gas_to_the_same_retailer_is_none_of_the_bill(tmp_path: Path) -> None:
    """$378.29 less $339.79 is $38.50; of the $224.41 two weeks later most would be too much."""
    rows = ("08/11/2026,-339.79,ORIGIN ENERGY", "22/11/2026,-224.41,ORIGIN ENERGY")
    (bill,) = bills_to_pay(home(tmp_path, date(2026, 11, 30), *rows, "29/11/2026,-20.00,SHOP"))
    assert [payment.amount for payment in bill.payments] == [Decimal("-339.79")]
    assert bill.left == Decimal("38.50")
