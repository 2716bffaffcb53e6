"""The checks of a bill that seems too high: in order, a problem, or not known."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run
from tests.flows.energy.homes import NMI, TODAY
from tests.flows.energy.invoices import (
    CREDIT,
    JULY,
    SUPPLY,
    USAGE,
    contract,
    on_plan,
    read,
    stated,
    stated_line,
    supply,
    written,
)
from tests.flows.energy.invoices import solar as solar_line
from tests.flows.energy.invoices import usage as usage_line
from toolkit.answers.energy.invoices import CheckedInvoice, CheckName, CheckState
from toolkit.flows.energy.reconcile import reconcile
from toolkit.flows.household.context import Context
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm

NAMES = ["reads", "days", "balance", "concession", "discount", "fees", "sum"]
HIGH = JULY + 10


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """Reads from 1 May to 8 August 2024: 24 kWh in and 4.8 kWh out a day, on a plan since January."""
    ctx = Context(tmp_path / "home.db", TODAY)
    read(ctx, NMI, date(2024, 5, 1), 100, "0.5")
    read(ctx, NMI, date(2024, 5, 1), 100, "0.1", "B1")
    on_plan(ctx, contract())
    return ctx


def typed(ctx: Context, amount: object = JULY, **more: Any) -> CheckedInvoice:
    first, last = more.pop("days", (date(2024, 7, 1), date(2024, 7, 31)))
    add_invoice(ctx, InvoiceForm("ELECTRICITY", first, last, str(amount), **more))
    return reconcile(ctx).invoices[-1]


def state(invoice: CheckedInvoice, name: CheckName) -> tuple[CheckState, str]:
    (check,) = [check for check in invoice.checks if check.name == name]
    assert str(check.text)
    return check.state, check.code


def test_a_right_bill_of_actual_reads(ctx: Context) -> None:
    typed(ctx, days=(date(2024, 6, 1), date(2024, 6, 30)))
    invoice = typed(ctx, estimated=False, balance_brought_forward="0")
    assert [check.name for check in invoice.checks] == NAMES
    assert {check.name: check.state for check in invoice.checks} == {
        **dict.fromkeys(NAMES, "ok"),
        "concession": "unknown",  # whether somebody holds a card, nobody said
    }


@pytest.mark.parametrize(
    ("name", "code", "bill"),
    [
        ("reads", "check_reads_estimated", {"estimated": True}),
        ("balance", "check_balance_owed", {"balance_brought_forward": "80", "payments": "20"}),
        ("days", "check_days", {"days": (date(2024, 6, 5), date(2024, 7, 31))}),
        ("sum", "check_sum_above", {"amount": HIGH}),
    ],
)
def test_what_makes_a_bill_high_is_a_problem(ctx: Context, name: CheckName, code: str, bill: dict[str, Any]) -> None:
    typed(ctx, days=(date(2024, 5, 5), date(2024, 6, 4)))
    assert state(typed(ctx, **bill), name) == ("problem", code)


def test_amounts_are_in_the_sentences(ctx: Context) -> None:
    invoice = typed(ctx, HIGH, balance_brought_forward="80", payments="20")
    texts = {check.name: str(check.text) for check in invoice.checks}
    assert "$60.00" in texts["balance"]
    assert f"${JULY}" in texts["sum"]
    assert "$10.00" in texts["sum"]


def test_what_only_a_total_cannot_show_is_not_known(tmp_path: Path) -> None:
    """A bill of a home without plan and meter data: nothing but its total."""
    invoice = typed(Context(tmp_path / "home.db", TODAY), "300")
    assert {check.state for check in invoice.checks} == {"unknown"}


@pytest.mark.parametrize(("energy", "agrees"), [("general=744", True), ("general=750", False), (None, False)])
def test_the_energy_on_a_bill_shows_that_its_prices_are_right_where_reads_are_missing(
    tmp_path: Path, energy: str | None, agrees: bool
) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    read(ctx, NMI, date(2024, 5, 1), 65, "0.5")  # to 4 July
    read(ctx, NMI, date(2024, 7, 6), 30, "0.5")
    on_plan(ctx, contract())
    # 31 days at 24 kWh and $0.33; ours has 30 of them
    invoice = typed(ctx, SUPPLY + 31 * Decimal("7.92"), energy=[] if energy is None else [energy])
    assert (invoice.verdict, invoice.difference) == ("cannot check", Decimal("7.92"))
    assert any("the plan's prices give the amount billed" in reason for reason in invoice.reasons) is agrees
    assert invoice.prices_agree is agrees
    assert "missing for 3.2% of the time (2024-07-05), about $7.92" in invoice.reasons[0]
    assert state(invoice, "sum") == ("unknown", "check_sum_open")


def test_a_charge_that_is_not_on_the_plan_is_a_fee_to_ask_about(ctx: Context) -> None:
    lines = (supply(SUPPLY), usage_line(USAGE), solar_line(CREDIT))
    late = {"transaction_u_type": "onceOff", "description": "Late payment fee", "amount": "12.00"}
    written(ctx, "invoices", stated(JULY + 12))
    written(ctx, "billing", *(stated_line(n, line) for n, line in enumerate((*lines, late))))
    (invoice,) = reconcile(ctx).invoices
    assert state(invoice, "fees") == ("problem", "check_fees_extra")
    assert "$12.00" in next(str(check.text) for check in invoice.checks if check.name == "fees")


def test_a_concession_that_is_held_but_left_out(ctx: Context) -> None:
    held = {"display_name": "Rebate", "type": "FIXED_AMOUNT", "amount": "20", "account_id": "acc"}
    written(ctx, "concessions", {"id": "c1", "arrangement_id": "a", "institution_id": "i", **held})
    written(ctx, "invoices", stated(JULY))
    (invoice,) = reconcile(ctx).invoices
    assert state(invoice, "concession") == ("problem", "check_concession_missing")


def test_a_discount_that_ended_with_june(ctx: Context) -> None:
    terms = {"method_u_type": "percentOfBill", "percent_of_bill": {"rate": "0.10"}, "type": "GUARANTEED"}
    ended = {"display_name": "Welcome", "start_date": "2024-01-01", "end_date": "2024-06-30", **terms}
    on_plan(ctx, contract(discounts=[ended]))
    assert state(typed(ctx), "discount") == ("problem", "check_discount_ended")


def test_the_command_shows_each_check(ctx: Context, run: Run) -> None:
    typed(ctx, HIGH)
    (invoice,) = run("reconcile", "--db", ctx.db, "--json").json["invoices"]
    assert [(check["name"], check["state"]) for check in invoice["checks"]][-1] == ("sum", "problem")
    assert all(check["text"] in run("reconcile", "--db", ctx.db).out for check in invoice["checks"][:1])
