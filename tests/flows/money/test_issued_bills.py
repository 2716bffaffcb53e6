"""An energy bill that has come and is not paid is due on its day: in the cash flow, where no forecast takes its place,
and among what is coming up, where no past payment of the retailer does."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from tests.flows.energy.homes import flat_plan, import_plans
from toolkit.answers.money import Cashflow
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.money.cashflow import cashflow
from toolkit.flows.money.recurring import recurring

TODAY = date(2026, 3, 20)
DUE = date(2026, 4, 2)
QUARTERS = [date(2025, 3, 1), date(2025, 6, 1), date(2025, 9, 1), date(2025, 12, 1), date(2026, 3, 1)]


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home.db", TODAY)


def bank_rows(ctx: Context, *rows: str) -> None:
    file = ctx.db.parent / "everyday.csv"
    file.write_text("\n".join(["Date,Amount,Description,Balance", "01/03/2026,-10.00,SHOP,900.00", *rows]) + "\n")
    load(ctx, [file])


def year_of_bills(ctx: Context, *, owed_before: str | None = None, retailer: str = "Wren") -> None:
    """A year of bills by quarter, $100.00 each; the last, to 28 February, is due on 2 April."""
    for first, after in pairwise(QUARTERS):
        last = after - timedelta(1)
        due = DUE if after == QUARTERS[-1] else last + timedelta(33)
        form = InvoiceForm(
            fuel="ELECTRICITY", from_=first, to=last, billed="100", energy=["300"], retailer=retailer, due_date=due,
            balance_brought_forward=owed_before if after == QUARTERS[-1] else None,
        )  # fmt: skip
        add_invoice(ctx, form)


def energy(answer: Cashflow) -> Sequence[tuple[date, Decimal, str]]:
    items = [(day.date, item.amount, item.source) for day in answer.days for item in day.items]
    return [item for item in items if item[2] in ("issued_bill", "energy_bill")]


def test_a_bill_that_is_due_is_added_with_what_earlier_ones_left(ctx: Context) -> None:
    bank_rows(ctx)
    year_of_bills(ctx, owed_before="23.45")
    answer = cashflow(ctx)
    assert energy(answer) == [(DUE, Decimal("-123.45"), "issued_bill")]
    assert "energy_bill_issued" in answer.note_codes


def upcoming(ctx: Context) -> list[tuple[date, Decimal, str]]:
    return [(entry.date, entry.amount, entry.source) for entry in recurring(ctx).upcoming]


def test_a_bill_that_is_due_is_coming_up_in_place_of_the_usual_payment(ctx: Context) -> None:
    """The retailer was paid $95 to $99 every quarter: the payment around 2 April is that of the bill."""
    bank_rows(
        ctx,
        *("03/04/2025,-95.15,ORIGIN ENERGY,805.00", "03/07/2025,-98.20,ORIGIN ENERGY,706.00"),
        *("02/10/2025,-96.55,ORIGIN ENERGY,610.00", "02/01/2026,-99.10,ORIGIN ENERGY,510.00"),
    )
    assert [(day, source) for day, _, source in upcoming(ctx)] == [(DUE, "detected")]
    year_of_bills(ctx, retailer="Origin")
    assert upcoming(ctx) == [(DUE, Decimal("-100.00"), "issued_bill")]


def test_a_bill_that_the_bank_rows_have_paid_is_not(ctx: Context) -> None:
    bank_rows(ctx, "12/03/2026,-100.00,WREN ENERGY,800.00")
    year_of_bills(ctx)
    assert not energy(cashflow(ctx))
    assert not upcoming(ctx)


def test_the_forecast_bills_come_after_it(ctx: Context, tmp_path: Path) -> None:
    """The forecast bill is of the quarter from 1 March, and so due after 31 May."""
    bank_rows(ctx)
    import_plans(ctx, tmp_path, flat_plan("MINE@EME", "0.30"))
    set_home(ctx, plan_id="MINE@EME", plan_since=date(2025, 1, 1), postcode="3000")
    year_of_bills(ctx)
    first, *later = energy(cashflow(ctx, days=180))
    assert first == (DUE, Decimal("-100.00"), "issued_bill")
    assert later
    assert all(source == "energy_bill" and day > date(2026, 5, 31) for day, _, source in later)
