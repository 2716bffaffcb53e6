"""Bills, page by page: what is right, what differs, what cannot be checked and what was left out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.flows.energy.homes import NMI
from tests.flows.energy.invoices import contract, on_plan, stated, written
from tests.meters import level
from tests.pages.seen import TODAY, metrics, problems, read
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.pages.energy.invoices import NO_INVOICES, NO_PERIODS

OTHER = "4103000002"
Visit = Callable[..., AppTest]


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """Two meters with 24 kWh a day from 1 March to 15 June 2026; the first is on a plan: 8.91 a day."""
    ctx = Context(tmp_path / "home.db", TODAY)
    for nmi in (NMI, OTHER):
        meter = tmp_path / f"{nmi}.csv"
        meter.write_text(level(nmi, date(2026, 3, 1), 107, "0.5"))
        load(ctx, [meter])
    on_plan(ctx, contract(), first="2026-01-01")
    return ctx


def invoice(month: int, amount: str, **more: object) -> dict[str, object]:
    first = date(2026, month, 1)
    last = date(2026, month + 1, 1) - timedelta(1)
    number = f"INV-{month}"
    return stated(amount, id=number, invoice_number=number, period_start=str(first), period_end=str(last)) | more


def listed(test: AppTest) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = next(
        frame.value for frame in test.dataframe if "verdict" in frame.value.columns
    ).to_dict("records")
    return rows


def test_every_bill_of_the_home_has_a_verdict_whatever_meter_is_looked_at(ctx: Context, visit: Visit) -> None:
    """31 × 8.91 = 276.21; April's is 30.00 above 267.30; May's is of an account that nothing says the meter of."""
    silent = invoice(5, "200.00", account_id="unknown", service_points="[]")
    written(ctx, "invoices", invoice(3, "276.21"), invoice(4, "297.30"), silent)
    test = visit(ctx.db, "bills", tab="Are they correct?")
    for meter in (NMI, OTHER):
        test.selectbox(key="meter").select(meter).run()
        assert not test.exception
        shown = metrics(test)
        assert [shown[name] for name in ("Correct", "Differ", "Cannot be checked")] == ["1", "1", "1"]
        assert [(row["invoice_number"], row["verdict"], row["meter"]) for row in listed(test)] == [
            ("INV-5", "Cannot be checked", "Not known"),
            ("INV-4", "Different", "Electricity meter ending 0001"),
            ("INV-3", "Correct", "Electricity meter ending 0001"),
        ]
        assert names(read(test), "$297.30", "$267.30")


def test_a_bill_that_cannot_be_checked_says_why_and_what_to_do(ctx: Context, visit: Visit) -> None:
    written(ctx, "invoices", invoice(3, "276.21"), invoice(4, "200.00", account_id="unknown", service_points="[]"))
    test = visit(ctx.db, "bills", tab="Are they correct?")
    newest = listed(test)[0]
    assert (newest["invoice_number"], newest["billed"]) == ("INV-4", 200.0)
    assert newest["why"]
    assert "$200.00" in read(test)


def test_bills_without_days_are_listed_with_what_to_do(ctx: Context, visit: Visit) -> None:
    written(ctx, "invoices", invoice(3, "276.21", period_start=None))
    test = visit(ctx.db, "bills", tab="Are they correct?")
    assert NO_PERIODS in read(test)
    assert "Correct" not in metrics(test)
    assert [names(problem, "INV-3") for problem in problems(test)] == [True]


def test_a_bill_that_gives_no_amount_shows_what_it_should_be(ctx: Context, visit: Visit) -> None:
    written(ctx, "invoices", invoice(3, "0.00", invoice_amount=None, invoice_amount_minor=None))
    test = visit(ctx.db, "bills", tab="Are they correct?")
    assert "$276.21" in read(test)
    assert listed(test)[0]["recomputed"] == 276.21


def test_bills_since_a_switch_stand_beside_the_old_plan(ctx: Context, visit: Visit) -> None:
    """From 1 April a day costs 0.99 + 24 × 0.22 = 6.27, 2.64 less: April 188.10 against 267.30."""
    on_plan(ctx, contract(), first="2026-01-01", last="2026-03-31")
    on_plan(ctx, contract("0.20"), first="2026-04-01", name="Cheaper")
    written(ctx, "invoices", invoice(3, "276.21"), invoice(4, "188.10"))
    test = visit(ctx.db, "bills", tab="Are they correct?")
    assert not test.exception
    assert metrics(test)["Saved since you switched"] == "$79.20"
    assert [row["old_plan"] == 267.30 for row in listed(test)] == [True, False]


def test_switches_at_two_meters_stand_side_by_side(ctx: Context, visit: Visit) -> None:
    """Since April a day costs 6.27 at the first meter, 8.91 before; 11.55 = 0.99 + 24 × 0.44 at the other, as before.

    The second's new plan is dearer by 30 × 2.64 = 79.20 in April.
    """
    for nmi, price in ((NMI, "0.20"), (OTHER, "0.40")):
        on_plan(ctx, contract(), first="2026-01-01", last="2026-03-31", nmi=nmi)
        on_plan(ctx, contract(price), first="2026-04-01", name="Other", nmi=nmi)
    other = {"service_points": f'["{OTHER}"]', "account_id": f"acc-{OTHER}", "id": "OTHER-4"}
    written(ctx, "invoices", invoice(4, "188.10"), invoice(4, "346.50", **other))
    test = visit(ctx.db, "bills", tab="Are they correct?")
    assert not test.exception
    shown = metrics(test)
    assert shown[f"Saved since you switched: Electricity meter ending {NMI[-4:]}"] == "$79.20"
    assert shown[f"Extra cost since you switched: Electricity meter ending {OTHER[-4:]}"] == "$79.20"


def test_without_bills_the_page_says_so(ctx: Context, visit: Visit) -> None:
    assert NO_INVOICES in read(visit(ctx.db, "bills", tab="Are they correct?"))


def test_a_database_that_fails_is_not_taken_for_one_without_bills(ctx: Context, visit: Visit) -> None:
    with closing(sqlite3.connect(ctx.db)) as database:
        database.execute("DROP TABLE invoices")
    test = visit(ctx.db, "bills", tab="Are they correct?")
    assert not test.exception
    assert NO_INVOICES not in read(test)


def test_a_bill_with_missing_reads_whose_prices_are_right_is_not_called_uncheckable(
    tmp_path: Path, visit: Visit
) -> None:
    """30 of May's 31 days are read, each $8.91; the bill states all 744 kWh of it, and $276.21."""
    ctx = Context(tmp_path / "home.db", TODAY)
    for first, days in ((date(2026, 4, 1), 40), (date(2026, 5, 12), 30)):
        meter = tmp_path / f"{first}.csv"
        meter.write_text(level(NMI, first, days, "0.5"))
        load(ctx, [meter])
    on_plan(ctx, contract(), first="2026-01-01")
    add_invoice(ctx, InvoiceForm("ELECTRICITY", date(2026, 5, 1), date(2026, 5, 31), "276.21", energy=["744"]))
    test = visit(ctx.db, "bills", tab="Are they correct?")
    assert not test.exception
    shown = metrics(test)
    assert [shown[name] for name in ("Prices correct", "Cannot be checked")] == ["1", "0"]
    assert [row["verdict"] for row in listed(test)] == ["Prices correct"]
    assert "Prices correct: billed $276.21" in read(test)
    assert "Hold the paper beside this table" not in read(test)
