"""A plan is named by its id in any case and without the part after @, wherever a plan is named."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.flows.energy.homes import NMI, flat_plan, import_plans
from tests.flows.energy.invoices import read
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.compare import PlanFilters, compare
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
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
