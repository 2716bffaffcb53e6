"""The plans of a home, named by an id in any case and without the part after @: of each fuel, and before a switch."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.flows.energy.homes import NMI, flat_plan, import_plans
from tests.flows.energy.invoices import read
from toolkit.answers.named_plan import NamedPlan
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.compare import PlanFilters, compare
from toolkit.flows.energy.usage import usage
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import plan_named, set_earlier_plan, set_home
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.plans.listed import plan_list
from toolkit.flows.plans.my_plan import plan_meant, plans_of_retailer
from toolkit.flows.plans.rate_card import plan_show


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """A month of reads, and plans of which two differ only in where they were published."""
    ctx = Context(tmp_path / "home.db", date(2024, 7, 1))
    read(ctx, NMI, date(2024, 6, 1), 30, "0.5")
    import_plans(ctx, tmp_path, *(flat_plan(name, "30") for name in ("Flat1@EME", "TWO@EME", "TWO@VEC", "BARE")))
    return ctx


@pytest.mark.parametrize(
    ("named", "stored"),
    [("flat1", "Flat1@EME"), ("FLAT1@eme", "Flat1@EME"), ("two@vec", "TWO@VEC"), ("Bare@EME", "BARE")],
)
def test_a_plan_is_named_in_any_case_and_without_its_suffix(ctx: Context, named: str, stored: str) -> None:
    assert bill(ctx, BillingQuestion(plan=named)).plan_id == stored
    assert [row.plan_id for row in compare(ctx, filters=PlanFilters(plans=named)).plans] == [stored]
    assert plan_show(ctx, plan=named).plan_id == stored
    (home,) = set_home(ctx, plan_id=named).households
    assert home.plan_id == stored


def test_a_name_that_fits_two_plans_lists_them(ctx: Context) -> None:
    for ask in (
        lambda: bill(ctx, BillingQuestion(plan="two")),
        lambda: compare(ctx, filters=PlanFilters(plans="two")),
        lambda: plan_show(ctx, plan="two"),
        lambda: set_home(ctx, plan_id="two"),
    ):
        with pytest.raises(ChoiceRequiredError) as error:
            ask()
        assert error.value.choices == ["TWO@EME", "TWO@VEC"]


def test_another_publishers_plan_is_not_taken_for_it(ctx: Context) -> None:
    with pytest.raises(UsageError):
        plan_show(ctx, plan="FLAT1@VEC")


def gas_plan(plan_id: str) -> dict[str, object]:
    period = {"startDate": "01-01", "endDate": "12-31", "singleRate": {"rates": [{"unitPrice": "0.03"}]}}
    return {"planId": plan_id, "fuelType": "GAS", "gasContract": {"tariffPeriod": [period]}}


def on(ctx: Context, day: date) -> str:
    return bill(ctx, BillingQuestion(from_=day, to=day)).plan_id


def test_each_fuel_has_its_plan(ctx: Context, tmp_path: Path) -> None:
    import_plans(ctx, tmp_path, gas_plan("G1"), gas_plan("G2"))
    form = InvoiceForm(fuel="GAS", from_=date(2024, 6, 1), to=date(2024, 6, 30), billed="90", energy=["3000"])
    add_invoice(ctx, form)
    points = {point.fuel: point.service_point_id for point in usage(ctx).service_points}
    gas, power = points["GAS"], points["ELECTRICITY"]
    set_home(ctx, plan_id="g1", plan_since=date(2024, 1, 1))
    (home,) = set_home(ctx, plan_id="BARE", plan_since=date(2024, 2, 1)).households
    assert (home.plan_id, home.plan_since) == ("BARE", date(2024, 2, 1))
    assert home.other_plans == (NamedPlan("G1", date(2024, 1, 1)),)
    asked = {point: replace(ctx, service_point=point) for point in (gas, power)}
    june = BillingQuestion(date(2024, 6, 1), date(2024, 6, 30))
    assert (bill(asked[gas], june).plan_id, bill(asked[power], june).plan_id) == ("G1", "BARE")
    (home,) = set_home(ctx, plan_id="G2").households  # since when is not known: in place of G1
    assert (home.plan_id, home.other_plans) == ("BARE", (NamedPlan("G2", None),))


def test_the_plan_before_a_switch_prices_the_days_before_it(ctx: Context) -> None:
    set_home(ctx, plan_id="BARE", plan_since=date(2024, 1, 1))
    set_home(ctx, plan_id="flat1", plan_since=date(2024, 6, 10))
    assert (on(ctx, date(2024, 6, 9)), on(ctx, date(2024, 6, 10))) == ("BARE", "Flat1@EME")
    # the day was wrong: the plan before stays
    (home,) = set_home(ctx, plan_id="flat1", plan_since=date(2024, 6, 20)).households
    assert home.other_plans == (NamedPlan("BARE", date(2024, 1, 1)),)
    assert on(ctx, date(2024, 6, 19)) == "BARE"
    # the plan was wrong: the one named since an earlier day takes the place of both
    (home,) = set_home(ctx, plan_id="two@vec", plan_since=date(2023, 1, 1)).households
    assert (home.plan_id, home.other_plans) == ("TWO@VEC", ())


def test_an_earlier_plan_is_named_beside_todays_and_taken_away(ctx: Context) -> None:
    with pytest.raises(UsageError):
        set_earlier_plan(ctx, "BARE")
    set_home(ctx, plan_id="flat1", plan_since=date(2024, 6, 10))
    (home,) = set_earlier_plan(ctx, "bare").households
    assert (home.plan_id, home.other_plans) == ("Flat1@EME", (NamedPlan("BARE", None),))
    assert on(ctx, date(2024, 6, 9)) == "BARE"
    (home,) = set_earlier_plan(ctx, "").households
    assert home.other_plans == ()


def test_what_a_page_calls_a_plan_is_no_file_and_is_refused_in_the_words_of_a_page(
    ctx: Context, tmp_path: Path
) -> None:
    """Only the command line takes a file in place of a plan's id."""
    set_home(ctx, plan_id="flat1", plan_since=date(2024, 6, 10))
    file = tmp_path / "own.json"
    file.write_text(json.dumps(flat_plan("OWN", "0.30")))
    for named in ("Clockwise", str(file)):
        for choose in (lambda name: set_home(ctx, plan_id=name), lambda name: set_earlier_plan(ctx, name)):
            with pytest.raises(UsageError) as refused:
                choose(named)
            assert "file" not in refused.value.page.replace(str(file), "")
            assert "from the list" in refused.value.page
    assert "OWN" not in {plan.plan_id for plan in plan_list(ctx).plans}
    assert plan_named(ctx, str(file)) == "OWN"
    with pytest.raises(UsageError) as unknown:
        bill(ctx, BillingQuestion(plan="Clockwise"))
    assert "file" not in unknown.value.page


def test_a_plan_that_is_typed_into_the_list_is_meant_by_its_id_or_by_its_name(ctx: Context, tmp_path: Path) -> None:
    saver, twice = {"displayName": "Clockwise Home"}, {"displayName": "Twice"}
    named = (("A1", "30", saver), ("A2", "31", twice), ("A3", "32", twice))
    import_plans(ctx, tmp_path, *(flat_plan(name, cents, brandName="Lyrebird", **more) for name, cents, more in named))
    offered = plans_of_retailer(ctx, "ELECTRICITY", "Lyrebird")
    meant = {typed: plan_meant(ctx, offered, typed) for typed in ("clockwise  home", "a2", "flat1", "Clockwise")}
    assert meant == {"clockwise  home": "A1", "a2": "A2", "flat1": "Flat1@EME", "Clockwise": None}
    with pytest.raises(ChoiceRequiredError):
        plan_meant(ctx, offered, "Twice")
