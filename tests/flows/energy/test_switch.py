"""Did the switch pay? Bills after a change of plan beside what the old plan would have charged."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.flows.energy.homes import NMI, flat_plan, import_plans
from tests.flows.energy.invoices import contract, on_plan, read
from toolkit.errors import UsageError
from toolkit.flows.energy.reconcile import reconcile
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm

TODAY = date(2024, 8, 20)


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """24 kWh a day from May 2023 to 8 August 2024."""
    ctx = Context(tmp_path / "home.db", TODAY)
    read(ctx, NMI, date(2023, 5, 1), 466, "0.5")
    return ctx


def add(ctx: Context, month: int, amount: str) -> None:
    days = {5: 31, 6: 30, 7: 31}[month]
    add_invoice(ctx, InvoiceForm("ELECTRICITY", date(2024, month, 1), date(2024, month, days), amount))


def test_bills_since_the_switch_stand_beside_the_old_plan(ctx: Context) -> None:
    """A day costs 0.99 + 24 × 0.33 on the old plan and 0.99 + 24 × 0.22 on the new one: 2.64 less.

    June 30 × 6.27 = 188.10 against 267.30. July was billed 10.00 too much: 204.37 against 276.21.
    """
    on_plan(ctx, contract("0.30"), "2023-01-01", "2024-05-31")
    on_plan(ctx, contract("0.20"), "2024-06-01", name="Cheaper")
    for month, amount in ((5, "276.21"), (6, "188.10"), (7, "204.37")):
        add(ctx, month, amount)
    answer = reconcile(ctx)
    assert [bill.old_plan and (bill.old_plan.total, bill.old_plan.saved) for bill in answer.invoices] == [
        None,
        (Decimal("267.30"), Decimal("79.20")),
        (Decimal("276.21"), Decimal("71.84")),
    ]
    (switch,) = answer.switches
    assert (switch.service_point_id, switch.on, switch.bills, switch.days) == (NMI, date(2024, 6, 1), 2, 61)
    assert switch.saved == Decimal("151.04")
    assert switch.year_before == 61 * Decimal("2.64")  # the same use a year before


def test_a_home_that_never_switched_has_none(ctx: Context) -> None:
    on_plan(ctx, contract("0.30"))
    add(ctx, 6, "267.30")
    answer = reconcile(ctx)
    assert (answer.switches, answer.invoices[0].old_plan) == ((), None)


def test_other_prices_of_one_plan_are_no_switch(ctx: Context) -> None:
    """The service lists a price rise as another plan of the account, under the same name."""
    on_plan(ctx, contract("0.20"), "2023-01-01", "2024-05-31", name="Steady")
    on_plan(ctx, contract("0.30"), "2024-06-01", name="Steady")
    add(ctx, 6, "267.30")
    answer = reconcile(ctx)
    assert (answer.switches, answer.invoices[0].verdict) == ((), "agrees")


def test_the_old_plan_is_named_where_no_account_shows_it(ctx: Context, tmp_path: Path) -> None:
    import_plans(ctx, tmp_path, flat_plan("OLD@EME", "30"), flat_plan("NEW@EME", "20"))
    set_home(ctx, plan_id="NEW@EME", plan_since=date(2024, 6, 1))
    add(ctx, 6, "188.10")
    assert reconcile(ctx).switches == ()
    (switch,) = reconcile(ctx, old_plan="OLD@EME").switches
    assert (switch.from_plan, switch.to_plan, switch.saved) == ("OLD@EME", "NEW@EME", Decimal("79.20"))


def test_the_day_of_a_named_switch_is_needed(ctx: Context, tmp_path: Path) -> None:
    import_plans(ctx, tmp_path, flat_plan("OLD@EME", "30"), flat_plan("NEW@EME", "20"))
    set_home(ctx, plan_id="NEW@EME")
    add(ctx, 6, "188.10")
    with pytest.raises(UsageError):
        reconcile(ctx, old_plan="OLD@EME")


def test_without_reads_of_the_year_before_nothing_is_promised(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    read(ctx, NMI, date(2024, 5, 1), 100, "0.5")
    on_plan(ctx, contract("0.30"), "2023-01-01", "2024-05-31")
    on_plan(ctx, contract("0.20"), "2024-06-01", name="Cheaper")
    add(ctx, 6, "188.10")
    (switch,) = reconcile(ctx).switches
    assert (switch.saved, switch.year_before) == (Decimal("79.20"), None)
