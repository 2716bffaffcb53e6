"""A stored bill that is not seen as paid is taken off the cash flow, once: on its due day, or today where that has
passed; what was paid of it is not. The calendar has the same."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from tests.command_line import Run
from tests.flows.energy.homes import flat_plan, import_plans
from toolkit.analytics.money.cash.energy_bill import IssuedBill
from toolkit.analytics.money.cash.scheduled import Planned
from toolkit.answers.base import Period
from toolkit.answers.money import Cashflow
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.money.cashflow import cashflow
from toolkit.flows.money.recurring import calendar_of, recurring

DUE = date(2026, 4, 2)
TODAY = date(2026, 4, 12)
QUARTERS = [date(2025, 3, 1), date(2025, 6, 1), date(2025, 9, 1), date(2025, 12, 1), date(2026, 3, 1)]
BEFORE, AFTER = "20/02/2026,-10.00,SHOP,900.00", "11/04/2026,-5.00,SHOP,80.00"
"""The account has rows from before the bill came to the day before today, and $80.00 in it."""


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home.db", TODAY)


def bank(ctx: Context, *rows: str) -> None:
    file = ctx.db.parent / "everyday.csv"
    file.write_text("\n".join(["Date,Amount,Description,Balance", *rows]) + "\n")
    load(ctx, [file])


def bill(
    ctx: Context,
    first: date = date(2025, 12, 1),
    last: date = date(2026, 2, 28),
    due: date = DUE,
    *,
    before: str | None = None,
    billed: str = "100",
    fuel: str = "ELECTRICITY",
    retailer: str = "Wren",
) -> None:
    """Store a bill of $100.00 for 1 December to 28 February, due on 2 April. before: the previous balance."""
    energy = ["300"]
    form = InvoiceForm(
        fuel, first, last, billed, energy=energy, retailer=retailer, due_date=due, balance_brought_forward=before
    )
    add_invoice(ctx, form)


def year_of_bills(ctx: Context, retailer: str = "Wren") -> None:
    for first, after in pairwise(QUARTERS):
        last = after - timedelta(1)
        bill(ctx, first, last, DUE if after == QUARTERS[-1] else last + timedelta(33), retailer=retailer)


def energy(answer: Cashflow) -> list[tuple[date, Decimal, str]]:
    items = [(day.date, item.amount, item.source) for day in answer.days for item in day.items]
    return [item for item in items if item[2] in ("issued_bill", "energy_bill")]


def test_an_overdue_bill_is_taken_off_today(ctx: Context) -> None:
    """$80.00 less $100.00 is $20.00 too little."""
    bank(ctx, BEFORE, AFTER)
    bill(ctx)
    answer = cashflow(ctx)
    assert energy(answer) == [(TODAY, Decimal("-100.00"), "issued_bill")]
    assert [item.overdue_since for item in answer.days[0].items] == [DUE]
    low = answer.low_point
    assert low is not None
    assert (low.date, low.p50) == (TODAY, Decimal("-20.00"))
    (account,) = answer.accounts
    assert account.low_point is not None
    assert account.low_point.p50 == Decimal("-20.00")
    (note,) = answer.bill_notes
    assert note.page == (
        "Your electricity bill of $100.00, which was due on 2 Apr 2026, is counted as paid today: no payment of it is "
        "known."
    )


def test_the_json_names_the_bill_and_what_is_left_of_it(ctx: Context, run: Run) -> None:
    bank(ctx, BEFORE, "30/03/2026,-40.00,WREN ENERGY,90.00", AFTER)
    bill(ctx)
    said = run("cashflow", "--db", ctx.db, "--today", TODAY, "--json").json
    assert said["bills"] == [
        {
            "fuel": "ELECTRICITY", "retailer": "Wren", "from": "2025-12-01", "to": "2026-02-28", "due": "2026-04-02",
            "amount": "100.00", "paid": "40.00", "left": "60.00", "counted_on": "2026-04-12",
        }
    ]  # fmt: skip
    assert said["days"][0]["p50"] == "20.00"  # 80 less 60
    assert said["days"][0]["items"] == [
        {"name": "Electricity bill", "amount": "-60.00", "source": "issued_bill", "overdue_since": "2026-04-02"}
    ]


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        (["30/03/2026,-100.00,WREN ENERGY,90.00"], None),  # paid
        (["30/03/2026,-30.00,WREN ENERGY,90.00", "06/04/2026,-50.00,WREN ENERGY,90.00"], "-20.00"),
        (["30/03/2026,-99.50,WREN ENERGY,90.00"], None),  # less than a dollar is left
        (["30/03/2026,-120.00,WREN ENERGY,90.00"], None),
        (["25/02/2026,-60.00,WREN ENERGY,90.00"], "-100.00"),  # before it came
        (["30/03/2026,-60.00,SHOP,90.00"], "-100.00"),
    ],
)
def test_what_is_paid_of_a_bill_is_not_taken_off_again(ctx: Context, rows: list[str], left: str | None) -> None:
    bank(ctx, BEFORE, *rows, AFTER)
    bill(ctx)
    expected = [] if left is None else [(TODAY, Decimal(left), "issued_bill")]
    assert energy(cashflow(ctx)) == expected
    assert [(each.date, each.amount, each.source) for each in recurring(ctx).upcoming] == expected


def test_a_payment_pays_the_first_bill_of_a_retailer_and_with_the_rest_the_next(ctx: Context) -> None:
    """$130.00 pay the $100.00 of electricity and $30.00 of the gas bill's $50.00."""
    bank(ctx, BEFORE, "30/03/2026,-130.00,WREN ENERGY,90.00", AFTER)
    bill(ctx)
    bill(ctx, due=DUE + timedelta(3), billed="50", fuel="GAS")
    assert energy(cashflow(ctx)) == [(TODAY, Decimal("-20.00"), "issued_bill")]


def test_an_overdue_bill_comes_once_beside_the_forecast_and_the_usual_payment(ctx: Context, tmp_path: Path) -> None:
    """The retailer was paid $95 to $99 every quarter; the bill of 2 April was not, the next one is of 31 May."""
    bank(
        ctx,
        *("03/04/2025,-95.15,ORIGIN ENERGY,805.00", "03/07/2025,-98.20,ORIGIN ENERGY,706.00"),
        *("02/10/2025,-96.55,ORIGIN ENERGY,610.00", "02/01/2026,-99.10,ORIGIN ENERGY,510.00", BEFORE, AFTER),
    )
    import_plans(ctx, tmp_path, flat_plan("MINE@EME", "0.30"))
    set_home(ctx, plan_id="MINE@EME", plan_since=date(2025, 1, 1), postcode="3000")
    year_of_bills(ctx, retailer="Origin")
    answer = cashflow(ctx, days=90)
    items = [(day.date, item.source) for day in answer.days for item in day.items]
    assert items[0] == (TODAY, "issued_bill")
    assert [source for _, source in items[1:]] == ["energy_bill"]
    assert items[1][0] > date(2026, 5, 31)
    upcoming = recurring(ctx).upcoming
    assert [(each.date, each.source) for each in upcoming] == items
    assert [each.amount for each in upcoming] == [item.amount for day in answer.days for item in day.items]


def test_regular_payments_name_the_bill_that_comes_in_place_of_the_next_payment(ctx: Context) -> None:
    bank(
        ctx,
        *("03/04/2025,-95.15,ORIGIN ENERGY,805.00", "03/07/2025,-98.20,ORIGIN ENERGY,706.00"),
        *("02/10/2025,-96.55,ORIGIN ENERGY,610.00", "02/01/2026,-99.10,ORIGIN ENERGY,510.00", BEFORE),
    )
    ahead = Context(ctx.db, date(2026, 3, 20))
    bill(ahead, retailer="Origin")
    (entry,) = recurring(ahead).recurring
    assert entry.next_bill is not None
    assert (entry.next_bill.date, entry.next_bill.amount, entry.next_bill.source) == (
        DUE, Decimal("-100.00"), "issued_bill",
    )  # fmt: skip


def test_what_a_later_bill_states_as_previous_balance_is_not_counted_twice(ctx: Context) -> None:
    """The March bill of $40.00 asks for the $100.00 of the one before, too."""
    bank(ctx, BEFORE, AFTER)
    bill(ctx)
    bill(ctx, date(2026, 3, 1), date(2026, 3, 31), date(2026, 4, 20), billed="40", before="100")
    assert energy(cashflow(ctx)) == [(date(2026, 4, 20), Decimal("-140.00"), "issued_bill")]


def test_two_bills_of_a_meter_are_both_counted(ctx: Context) -> None:
    bank(ctx, BEFORE, AFTER)
    bill(ctx)
    bill(ctx, date(2026, 3, 1), date(2026, 3, 31), date(2026, 4, 20), billed="40")
    assert energy(cashflow(ctx)) == [
        (TODAY, Decimal("-100.00"), "issued_bill"),
        (date(2026, 4, 20), Decimal("-40.00"), "issued_bill"),
    ]


def test_where_the_rows_begin_after_it_came_it_is_not_counted_and_that_is_said(ctx: Context) -> None:
    bank(ctx, "03/04/2026,-10.00,SHOP,85.00", AFTER)
    bill(ctx)
    answer = cashflow(ctx)
    assert not energy(answer)
    assert not answer.bills
    assert [note.code for note in answer.bill_notes] == ["energy_bill_not_seen"]


def test_where_the_rows_end_before_it_was_due_it_is_counted(ctx: Context) -> None:
    bank(ctx, BEFORE, "25/03/2026,-5.00,SHOP,80.00")
    bill(ctx)
    answer = cashflow(ctx)
    assert energy(answer) == [(TODAY, Decimal("-100.00"), "issued_bill")]
    assert answer.days[0].p50 == Decimal("-20.00")


def test_even_payments_pay_it(ctx: Context) -> None:
    """$18.00 each fortnight is $117.00 in the 91 days of a bill."""
    days = [date(2026, 4, 9) - timedelta(14 * number) for number in range(10)]
    bank(ctx, *(f"{day:%d/%m/%Y},-18.00,ORIGIN ENERGY,80.00" for day in reversed(days)))
    bill(ctx, retailer="Origin")
    answer = cashflow(ctx, days=20)
    assert not energy(answer)
    assert "energy_bill_spread" in answer.note_codes
    assert [item.amount for day in answer.days for item in day.items] == [Decimal("-18.00")]


def test_a_debit_of_another_service_does_not_pay_it(ctx: Context) -> None:
    """$5.00 a fortnight is $32.50 in the 90 days of a bill of $100.00: less than two fifths."""
    days = [date(2026, 4, 9) - timedelta(14 * number) for number in range(10)]
    bank(ctx, *(f"{day:%d/%m/%Y},-5.00,ORIGIN ENERGY,80.00" for day in reversed(days)))
    bill(ctx, retailer="Origin")
    # from 28 February to today 12 and 26 March and 9 April: $15.00
    assert energy(cashflow(ctx, days=20)) == [(TODAY, Decimal("-85.00"), "issued_bill")]


@pytest.mark.parametrize(
    ("today", "on", "is_among"),
    [
        (date(2026, 3, 20), date(2026, 4, 9), True),
        (date(2026, 3, 20), date(2026, 4, 10), False),
        (TODAY, date(2026, 4, 26), True),
        (TODAY, date(2026, 4, 27), False),
    ],
)
def test_a_bill_that_is_set_up_at_the_bank_is_that_payment(today: date, on: date, *, is_among: bool) -> None:
    """About its due day; an overdue one within a fortnight."""
    issued = IssuedBill(10000, DUE, Period(date(2025, 12, 1), date(2026, 2, 28)), (), 10000)
    planned = Planned("Wren", "everyday", -10000, None, on, "scheduled_payment")
    assert issued.is_among([planned], today) is is_among


def test_an_overdue_bill_stays_one_event_in_a_calendar(ctx: Context) -> None:
    bank(ctx, BEFORE, AFTER)
    bill(ctx)
    text = calendar_of(recurring(ctx))
    assert "SUMMARY:Electricity bill (overdue since 2 Apr 2026) $100.00" in text.replace("\r\n ", "")
    tomorrow = calendar_of(recurring(Context(ctx.db, TODAY + timedelta(1))))
    assert [line for line in text.splitlines() if line.startswith("UID")] == [
        line for line in tomorrow.splitlines() if line.startswith("UID")
    ]
