"""`bill --against`: why a bill differs from an earlier one, by hand on flat plans."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.command_line import Run
from tests.flows.energy.homes import NMI, flat_plan, import_plans
from tests.flows.energy.invoices import contract, on_plan, read
from toolkit.answers.base import Period
from toolkit.answers.energy.bills import BillAgainst
from toolkit.errors import PricingError
from toolkit.flows.energy.against import bill_against
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm

JUNE = BillingQuestion(date(2024, 6, 1), date(2024, 6, 30))


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """24 kWh a day in April and May 2024, 48 from June."""
    ctx = Context(tmp_path / "home.db", date(2024, 7, 20))
    read(ctx, NMI, date(2024, 4, 1), 61, "0.5")
    read(ctx, NMI, date(2024, 6, 1), 40, "1.0")
    return ctx


def against(ctx: Context, question: BillingQuestion = JUNE, other: Period | None = None) -> tuple[Decimal, BillAgainst]:
    answer = bill_against(ctx, question, other or "previous")
    assert isinstance(answer.against, BillAgainst)
    assert sum(part.amount for part in answer.against.parts) == answer.total - answer.against.total
    return answer.total, answer.against


def parts(other: BillAgainst) -> dict[str, Decimal]:
    return {part.name: part.amount for part in other.parts}


def test_days_prices_and_level_by_hand(ctx: Context) -> None:
    """May: 31 × (0.99 + 24 × 0.33). June costs a day less of it, 0.11 more a kWh, and 24 kWh a day more at 0.44."""
    on_plan(ctx, contract("0.30"), "2024-01-01", "2024-05-31")
    on_plan(ctx, contract("0.40"), "2024-06-01")
    total, other = against(ctx)
    assert (other.from_, other.to, other.total) == (date(2024, 5, 1), date(2024, 5, 31), Decimal("276.21"))
    assert total == 30 * Decimal("0.99") + 30 * 48 * Decimal("0.44")
    assert parts(other) == {"days": Decimal("-8.91"), "prices": Decimal("79.20"), "level": Decimal("316.80")}
    assert (other.energy, other.energy_now) == (744, 1440)


def test_prices_and_use_are_one_part_where_an_earlier_price_list_is_not_known(ctx: Context, tmp_path: Path) -> None:
    """On the plan since June; May's bill was 150.00. A day of May's use at June's prices is 0.99 + 24 × 0.33 = 8.91."""
    import_plans(ctx, tmp_path, flat_plan("MINE@EME", "0.30"))
    set_home(ctx, plan_id="MINE@EME", plan_since=date(2024, 6, 1))
    add_invoice(ctx, InvoiceForm("ELECTRICITY", date(2024, 5, 1), date(2024, 5, 31), "150.00"))
    supply = Decimal("99.00")  # a plan's daily charge of 90 is 99 with GST
    total, other = against(ctx, other=Period(date(2024, 5, 1), date(2024, 5, 31)))
    assert (other.total, other.billed) == (Decimal("150.00"), True)
    day = supply + 24 * Decimal("0.33")
    assert parts(other) == {"days": -day, "prices_and_use": total - 150 + day}


def test_a_bill_that_the_assumed_prices_explain_shows_that_they_are_right(ctx: Context, tmp_path: Path) -> None:
    import_plans(ctx, tmp_path, flat_plan("MINE@EME", "0.30"))
    set_home(ctx, plan_id="MINE@EME", plan_since=date(2024, 6, 1))
    billed = 31 * (99 + 24 * Decimal("0.33"))
    add_invoice(ctx, InvoiceForm("ELECTRICITY", date(2024, 5, 1), date(2024, 5, 31), str(billed)))
    _, other = against(ctx, other=Period(date(2024, 5, 1), date(2024, 5, 31)))
    assert set(parts(other)) == {"days", "level"}


def test_gas_bills_alone_are_explained_season_and_level_together(tmp_path: Path) -> None:
    """0.02 a MJ and 1.00 a day with GST added; a quarter of 92 days and 9200 MJ after one of 91 and 1820."""
    ctx = Context(tmp_path / "home.db", date(2026, 9, 20))
    for first, last, billed, energy in (
        (date(2026, 3, 1), date(2026, 5, 30), "140.14", "1820"),
        (date(2026, 5, 31), date(2026, 8, 30), "303.60", "9200"),
    ):
        add_invoice(ctx, InvoiceForm("GAS", first, last, billed, energy=[energy]))
    single = {"rates": [{"unitPrice": "0.02"}], "displayName": "Anytime"}
    period = {"startDate": "01-01", "endDate": "12-31", "dailySupplyCharges": "1.00", "singleRate": single}
    gas = {"planId": "G@EME", "fuelType": "GAS", "gasContract": {"timeZone": "AEST", "tariffPeriod": [period]}}
    import_plans(ctx, tmp_path, gas)
    set_home(ctx, plan_id="G@EME", plan_since=date(2026, 1, 1))
    total, other = against(ctx, BillingQuestion())
    assert (total, other.total) == (Decimal("303.60"), Decimal("140.14"))
    # a day more at 1.10 and 20 MJ × 0.022; then 7360 MJ × 0.022
    assert parts(other) == {"days": Decimal("1.54"), "level": Decimal("161.92")}
    assert "season_not_known" in other.note_codes


def test_days_without_reads_and_bills_cannot_be_compared_with(ctx: Context) -> None:
    on_plan(ctx, contract("0.30"))
    with pytest.raises(PricingError):
        bill_against(ctx, JUNE, Period(date(2023, 6, 1), date(2023, 6, 30)))


def test_the_command_and_its_json(ctx: Context, run: Run) -> None:
    on_plan(ctx, contract("0.30"))
    where = ("--db", ctx.db, "--today", "2024-07-20")
    answer = run("bill", *where, "--against", "previous", "--json").json
    assert (answer["against"]["from"], answer["against"]["to"]) == ("2024-05-01", "2024-05-31")
    amounts = [Decimal(part["amount"]) for part in answer["against"]["parts"]]
    assert sum(amounts) == Decimal(answer["total"]) - Decimal(answer["against"]["total"])
    assert run("bill", *where, "--against", "2024-05-01..2024-05-31", "--json").json == answer
    shown = run("bill", *where, "--against", "previous").out
    assert answer["against"]["total"] in shown
    assert "against" not in run("bill", *where, "--json").json


@pytest.mark.parametrize("slip", ["yesterday", "2024-05-01", "2024-05-31..2024-05-01", "2024-05-01..2024-05-32"])
def test_a_slip_in_the_days_is_wrong_usage(ctx: Context, run: Run, slip: str) -> None:
    on_plan(ctx, contract("0.30"))
    ended = run("bill", "--db", ctx.db, "--against", slip)
    assert (ended.code, ended.out) == (2, "")
