"""Bills kept by hand: what may be typed, how it is changed and undone, and that it counts as an invoice."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec import structs

from tests.flows.energy.homes import NMI, TODAY
from tests.flows.energy.invoices import JULY, bpay, contract, on_plan, read, stated, written
from toolkit.answers.energy.invoice_list import InvoiceEnergy
from toolkit.answers.energy.invoices import LinkedPayment
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.data.export import export
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.energy.reconcile import reconcile
from toolkit.flows.forget.forget import forget
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home
from toolkit.flows.household.merge import merge, undo_move
from toolkit.flows.invoices.edit import add_invoice, edit_invoice, list_invoices, remove_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.money.overrides import undo
from toolkit.store import open_store

FIRST, LAST = date(2024, 7, 1), date(2024, 7, 31)
JULY_BILL = InvoiceForm(fuel="ELECTRICITY", from_=FIRST, to=LAST, billed=JULY)


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """Reads from 1 May to 8 August 2024 on a plan; July comes to JULY."""
    ctx = Context(tmp_path / "home.db", TODAY)
    for suffix, kwh in (("E1", "0.5"), ("B1", "0.1")):
        read(ctx, NMI, date(2024, 5, 1), 100, kwh, suffix)
    on_plan(ctx, contract())
    return ctx


@pytest.fixture
def empty(tmp_path: Path) -> Context:
    return Context(tmp_path / "empty.db", TODAY)


GAS_BILL = InvoiceForm(fuel="GAS", from_=FIRST, to=LAST, billed="80.00")


def bills(ctx: Context) -> list[tuple[object, ...]]:
    return [(each.fuel, each.from_, each.to, each.billed, each.source) for each in list_invoices(ctx).invoices]


def test_the_first_bill_makes_a_household_and_keeps_all_that_was_typed(empty: Context) -> None:
    answer = add_invoice(
        empty,
        replace(
            GAS_BILL,
            billed="$1,080.40",
            retailer="  Wombat   Gas ",
            number="7",
            due_date=date(2024, 8, 21),
            payments="-50",
            balance_brought_forward="12.30 CR",
            concession="5",
            energy=["1,200.5 MJ"],
            estimated=True,
        ),
    )
    (kept,) = answer.invoices
    assert (kept.id, kept.retailer, kept.invoice_number) == (answer.changed, "Wombat Gas", "7")
    assert (kept.billed, kept.payments, kept.balance_brought_forward, kept.concession) == (
        Decimal("1080.40"),
        Decimal("50.00"),
        Decimal("-12.30"),
        Decimal("5.00"),
    )
    assert kept.energy == (InvoiceEnergy("general", 1200.5, "MJ"),)
    assert (kept.due_date, kept.estimated, kept.source) == (date(2024, 8, 21), True, "typed")


@pytest.mark.parametrize(
    "slip",
    [
        {"fuel": None},
        {"billed": None},
        {"billed": ""},
        {"billed": "12.345"},
        {"billed": "a lot"},
        {"billed": "99,999,999.99"},
        {"payments": "1.001"},
        {"to": date(2024, 6, 30)},
        {"to": date(2034, 7, 31)},
        {"from_": date(2025, 7, 1), "to": date(2025, 7, 31)},
        {"energy": ["peak=10", "peak=12"]},
        {"energy": ["peak=-10"]},
        {"energy": ["120 kWh"]},
        {"energy": ["99999999999"]},
        {"retailer": "x" * 1000},
        {"service_point": "my meter"},
    ],
    ids=str,
)
def test_a_slip_is_refused_and_nothing_is_kept(empty: Context, slip: dict[str, object]) -> None:
    add_home(empty, "Home")
    with pytest.raises(UsageError):
        add_invoice(empty, replace(GAS_BILL, **slip))
    assert bills(empty) == []


@pytest.mark.parametrize(
    ("first", "last"),
    [(FIRST, LAST), (date(2024, 7, 31), date(2024, 8, 15)), (date(2024, 7, 5), date(2024, 7, 6))],
)
def test_a_bill_over_days_of_another_of_the_same_fuel_is_refused(empty: Context, first: date, last: date) -> None:
    add_invoice(empty, GAS_BILL)
    with pytest.raises(UsageError) as refused:
        add_invoice(empty, replace(GAS_BILL, from_=first, to=last))
    assert refused.value.option == "--from"
    add_invoice(empty, replace(GAS_BILL, fuel="ELECTRICITY", from_=first, to=last))
    assert len(bills(empty)) == 2


def test_a_bill_over_days_of_an_invoice_of_the_service_is_refused(ctx: Context) -> None:
    written(ctx, "invoices", stated(JULY))
    with pytest.raises(UsageError) as refused:
        add_invoice(ctx, JULY_BILL)
    assert refused.value.option == "--from"
    assert bills(ctx) == [("ELECTRICITY", FIRST, LAST, JULY, "service")]


@pytest.mark.parametrize("credit", ["$35.20 CR", "-35.20", "35.20-", "\N{MINUS SIGN}$35.20", "(35.20)"])
def test_a_bill_in_credit_is_kept(empty: Context, credit: str) -> None:
    add_invoice(empty, replace(GAS_BILL, billed=credit))
    assert bills(empty) == [("GAS", FIRST, LAST, Decimal("-35.20"), "typed")]


def test_changing_and_removing_a_bill_is_undone_step_by_step(empty: Context) -> None:
    name = add_invoice(empty, replace(GAS_BILL, retailer="Wombat", energy=["900"])).changed or ""
    edit_invoice(empty, name, InvoiceForm(billed="90", retailer="", to=date(2024, 7, 30)))
    (changed,) = list_invoices(empty).invoices
    assert (changed.billed, changed.retailer, changed.to) == (Decimal(90), None, date(2024, 7, 30))
    assert changed.energy == (InvoiceEnergy("general", 900.0, "MJ"),)
    remove_invoice(empty, name)
    assert bills(empty) == []
    undo(empty)
    assert list_invoices(empty).invoices == (changed,)
    undo(empty)
    assert bills(empty) == [("GAS", FIRST, LAST, Decimal(80), "typed")]
    undo(empty)
    assert bills(empty) == []


def test_only_bills_kept_by_hand_are_changed_or_removed(ctx: Context) -> None:
    written(ctx, "invoices", stated(JULY))
    for name in ("inv", "bill-0"):
        with pytest.raises(UsageError):
            remove_invoice(ctx, name)
        with pytest.raises(UsageError):
            edit_invoice(ctx, name, InvoiceForm(billed="1"))


def test_with_two_meters_of_a_fuel_the_bill_names_its_own(ctx: Context) -> None:
    other = "4103000002"
    read(ctx, other, date(2024, 5, 1), 100, "0.5")
    with pytest.raises(ChoiceRequiredError):
        add_invoice(ctx, JULY_BILL)
    add_invoice(ctx, replace(JULY_BILL, service_point=f"{NMI}5"))  # with its check digit
    add_invoice(ctx, replace(JULY_BILL, service_point=other))
    assert [each.service_point_id for each in list_invoices(ctx).invoices] == [NMI, other]
    checked = reconcile(ctx)
    assert [each.service_points for each in checked.invoices] == [(NMI,), (other,)]


def test_a_typed_bill_is_checked_as_an_invoice(ctx: Context) -> None:
    kept = add_invoice(ctx, JULY_BILL)
    (checked,) = reconcile(ctx).invoices
    assert (checked.id, checked.verdict, checked.recomputed) == (kept.changed, "agrees", JULY)
    edit_invoice(ctx, kept.changed or "", InvoiceForm(billed=JULY + 30))
    (checked,) = reconcile(ctx).invoices
    assert (checked.verdict, checked.difference) == ("differs", Decimal(30))


def test_a_concession_on_the_bill_is_no_difference(ctx: Context) -> None:
    add_invoice(ctx, replace(JULY_BILL, billed=JULY - 20, concession="20"))
    (checked,) = reconcile(ctx).invoices
    assert (checked.verdict, checked.billed, checked.recomputed) == ("agrees", JULY - 20, JULY - 20)


def test_a_bill_without_lines_shows_the_days_and_the_energy_that_it_states_beside_ours(ctx: Context) -> None:
    """31 days at 24 kWh are 744; the bill says 750."""
    add_invoice(ctx, replace(JULY_BILL, energy=["general=750"]))
    (checked,) = reconcile(ctx).invoices
    stated = {line.component: (line.billed, line.billed_quantity, line.quantity) for line in checked.lines}
    assert stated["supply"] == (None, 31, 31)
    assert stated["usage"] == (None, 750, 744)
    assert stated["feed_in"][1] is None


def test_a_gas_bill_without_a_gas_meter_cannot_be_checked(ctx: Context) -> None:
    add_invoice(ctx, GAS_BILL)
    (checked,) = reconcile(ctx).invoices
    assert (checked.verdict, checked.billed, checked.service_points) == ("cannot check", Decimal(80), ())


def test_typed_bills_set_the_billing_period(ctx: Context) -> None:
    """Two months each, from 5 March: the last complete one ends on 4 July, the next bill runs to 4 September."""
    add_invoice(ctx, replace(JULY_BILL, from_=date(2024, 3, 5), to=date(2024, 5, 4), billed="1"))
    add_invoice(ctx, replace(JULY_BILL, from_=date(2024, 5, 5), to=date(2024, 7, 4), due_date=date(2024, 7, 24)))
    last = bill(ctx)
    assert (last.from_, last.to) == (date(2024, 5, 5), date(2024, 7, 4))
    ahead = forecast(ctx)
    assert (ahead.period.from_, ahead.period.to, ahead.period.source) == (
        date(2024, 7, 5),
        date(2024, 9, 4),
        "invoices",
    )
    assert ahead.due == date(2024, 9, 24)


def test_a_payment_settles_what_the_bill_and_the_balance_come_to(ctx: Context) -> None:
    add_invoice(
        ctx,
        replace(
            JULY_BILL,
            retailer="Wombat Energy",
            issue_date=date(2024, 8, 4),
            balance_brought_forward="40",
            payments="25",
        ),
    )
    cents = int(JULY * 100)
    written(ctx, "transactions", bpay(1, cents, "2024-08-10"), bpay(2, cents + 1500, "2024-08-12"))
    (checked,) = reconcile(ctx).invoices
    assert isinstance(checked.payment, LinkedPayment)
    assert checked.payment.date == date(2024, 8, 12)


def test_a_typed_bill_that_the_service_brings_later_counts_once(ctx: Context) -> None:
    kept = add_invoice(ctx, JULY_BILL)
    add_invoice(ctx, GAS_BILL)
    written(ctx, "invoices", stated(JULY, period_end="2024-08-01"))
    assert [each.id for each in reconcile(ctx).invoices if each.service_points] == ["inv"]
    listed = list_invoices(ctx)
    assert (len(listed.invoices), len(listed.notes)) == (3, 1)
    remove_invoice(ctx, kept.changed or "")
    assert list_invoices(ctx).notes == ()


def test_a_typed_bill_goes_with_its_household_and_its_meter(ctx: Context) -> None:
    add_invoice(ctx, replace(JULY_BILL, service_point=NMI))
    add_invoice(ctx, GAS_BILL)
    forget(ctx, service_point=NMI)
    assert bills(ctx) == [("GAS", FIRST, LAST, Decimal(80), "typed")]
    (home,) = households(ctx)
    forget(ctx, household=home)
    with open_store(ctx.db) as store:
        assert (store.count("typed_invoices"), store.count("choices")) == (0, 0)


def test_a_meter_that_only_bills_name_is_deleted_with_its_bills(empty: Context) -> None:
    add_invoice(empty, replace(GAS_BILL, service_point="5310 1234 567"))
    add_invoice(empty, replace(GAS_BILL, fuel="ELECTRICITY"))
    forget(empty, service_point="53101234567")
    assert [fuel for fuel, *_ in bills(empty)] == ["ELECTRICITY"]
    assert b"53101234567" not in empty.db.read_bytes()


def test_a_typed_bill_moves_with_its_household(ctx: Context) -> None:
    add_home(ctx, "Other")
    other = structs.replace(ctx, household="Other")
    add_invoice(other, GAS_BILL)
    (first,) = [name for name in households(ctx) if name != "Other"]
    mine = structs.replace(ctx, household=first)
    add_invoice(mine, replace(GAS_BILL, fuel="ELECTRICITY"))
    merge(ctx, first, "Other")
    assert [fuel for fuel, *_ in bills(mine)] == ["ELECTRICITY", "GAS"]
    undo_move(ctx)
    assert [fuel for fuel, *_ in bills(mine)] == ["ELECTRICITY"]
    assert [fuel for fuel, *_ in bills(other)] == ["GAS"]


def test_typed_bills_are_exported(ctx: Context, tmp_path: Path) -> None:
    add_invoice(ctx, JULY_BILL)
    export(ctx, tmp_path / "out")
    table = (tmp_path / "out" / "typed_invoices.csv").read_text()
    assert "2024-07-31" in table
    assert str(int(JULY * 100)) in table


def households(ctx: Context) -> list[str]:
    with open_store(ctx.db) as store:
        return [name for (name,) in store.tuples("households", ("name",))]
