"""What was added since the last visit: by files, and by a person who typed it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

from tests.flows.energy.homes import NMI, TODAY, flat_plan, import_plans
from tests.flows.energy.invoices import read
from tests.meters import day, days, nem12, register
from toolkit.answers.energy.typed_plans import TypedPlan, TypedRate
from toolkit.flows.desk.visits import record_visit, visit
from toolkit.flows.energy.concessions import TypedConcession, add_concession
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice, edit_invoice, remove_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.money.accounts import set_account
from toolkit.flows.money.overrides import undo
from toolkit.flows.money.rules import add_rule
from toolkit.flows.plans.typed import keep_typed_plan
from toolkit.flows.report.stated_lines import StatedLine, add_stated_line

FIRST_BILL = InvoiceForm(fuel="ELECTRICITY", from_=date(2024, 5, 1), to=date(2024, 5, 31), billed=Decimal(90))
OF_A_PDF = InvoiceForm(
    fuel="ELECTRICITY", from_=date(2024, 6, 1), to=date(2024, 6, 30), billed=Decimal(80), source="pdf"
)
REBATE = TypedConcession("Energy bill rebate", "yearly", "285")
RENT = StatedLine("expense", "Rent", "450", "week")


def test_a_visit_that_never_opened_the_overview_counts(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    read(ctx, NMI, date(2024, 5, 1), 31, "0.5")
    record_visit(ctx, "first")
    add_invoice(ctx, FIRST_BILL)
    assert added(ctx, "second") == {"bills": 1}


def added(ctx: Context, launch: str) -> dict[str, int]:
    return {row.what: row.count for row in visit(ctx, launch).added}


def test_what_a_person_typed_is_listed_once_at_the_next_visit(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    read(ctx, NMI, date(2024, 5, 1), 31, "0.5")
    assert added(ctx, "first") == {}
    typed = add_invoice(ctx, FIRST_BILL).changed
    assert typed is not None
    add_invoice(ctx, OF_A_PDF)
    add_concession(ctx, REBATE)
    add_stated_line(ctx, RENT)
    usage = (TypedRate(price=Decimal(30)),)
    plan = TypedPlan(name="Saver", fuel="electricity", supply=Decimal(100), usage=usage)
    keep_typed_plan(ctx, plan)
    edit_invoice(ctx, typed, InvoiceForm(billed=Decimal(95)))
    assert added(ctx, "second") == {"bills": 2, "plans": 1, "concessions": 1, "stated_lines": 1}

    # Corrected, typed again, removed and brought back: none of it is new.
    edit_invoice(ctx, typed, InvoiceForm(billed=Decimal(96)))
    add_concession(ctx, REBATE)
    add_stated_line(ctx, RENT)
    keep_typed_plan(ctx, plan)
    remove_invoice(ctx, typed)
    undo(ctx)
    assert added(ctx, "third") == {}


def test_accounts_of_files_balances_and_rules_are_listed_with_what_brought_them(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    for name, on in (("everyday.csv", "01/05/2024"), ("savings.csv", "02/05/2024")):
        (tmp_path / name).write_text(f"Date,Amount,Description\n{on},-45.20,WOOLWORTHS {name}\n")
    load(ctx, [tmp_path / "everyday.csv"])
    assert added(ctx, "first") == {}
    load(ctx, [tmp_path / "savings.csv"], account="Savings")
    set_account(ctx, "Savings", balance="100", at=date(2024, 5, 31))
    set_account(ctx, "Savings", balance="110", at=date(2024, 6, 1), name="Rainy days")
    add_rule(ctx, "WOOLWORTHS", "Groceries")
    add_rule(ctx, "BP", "Fuel")
    undo(ctx)
    assert added(ctx, "second") == {"transactions": 1, "accounts": 1, "balances": 1, "rules": 1, "files": 1}

    (tmp_path / "more.csv").write_text("Date,Amount,Description\n03/05/2024,-9.00,BP\n")
    load(ctx, [tmp_path / "more.csv"], account="Savings")
    set_account(ctx, "Rainy days", name="Savings again")
    assert added(ctx, "third") == {"transactions": 1, "files": 1}


def test_a_day_of_a_meter_with_two_registers_counts_once(tmp_path: Path) -> None:
    """Use and export of three days, then of these and two more."""
    ctx = Context(tmp_path / "home.db", TODAY)
    read(ctx, NMI, date(2024, 5, 1), 31, "0.5")
    added(ctx, "first")
    for number, count in ((1, 3), (2, 5)):
        days_of = [day(when, ["0.1"] * 48) for when in days("2024-06-01", count)]
        file = tmp_path / f"{number}.csv"
        file.write_text(nem12(register("E1", nmi=NMI), *days_of, register("B1", nmi=NMI), *days_of))
        load(ctx, [file])
        assert added(ctx, "second") == {"meter_days": count, "files": number}


def test_the_day_of_the_last_visit_is_the_households(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    read(ctx, NMI, date(2024, 5, 1), 31, "0.5")
    visit(ctx, "first")
    at = visit(ctx, "second").visited_at
    assert at is not None
    assert str(at.tzinfo) == "Australia/Sydney"


def test_plans_of_a_file_are_listed_with_it(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    read(ctx, NMI, date(2024, 5, 1), 31, "0.5")
    added(ctx, "first")
    import_plans(ctx, tmp_path, flat_plan("FLAT", "0.30"), flat_plan("DEAR", "0.40"))
    assert added(ctx, "second") == {"plans": 2, "files": 1}
