"""Concessions that a person typed: on bills, comparisons and forecasts, kept from a day to a day."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.flows.energy.homes import OF_NO_NETWORK, TODAY, flat_plan, import_plans, metered
from toolkit.analytics.energy.bills.concessions import typed_concessions
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.compare import PlanFilters, compare
from toolkit.flows.energy.concessions import packaged_concessions, remove_concession
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.listed import homes
from toolkit.flows.household.settings import set_home
from toolkit.tables.reference.concessions import listed_concessions
from toolkit.tables.schema.typed import TypedConcessionRow

JULY = BillingQuestion(date(2024, 7, 1), date(2024, 7, 31), plan="MINE")
"""31 days × 12 kWh: supply 31 × 0.90 × 1.1 = 30.69, usage 372 × 0.30 × 1.1 = 122.76."""


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    ctx = metered(tmp_path, OF_NO_NETWORK)
    import_plans(ctx, tmp_path, flat_plan("MINE", "30"), flat_plan("DEAR", "40"))
    set_home(ctx, plan_id="MINE", postcode="2000", network="Ausgrid")
    return ctx


@pytest.mark.parametrize(
    ("typed", "credit"),
    [
        ("Rebate: 285 a year", "-24.21"),  # 285 × 31 ÷ 365 = 24.2055
        # 0.175 × (153.45 − 171.60 × 31 ÷ 365 = 138.8756) = 24.3032
        ("Annual: 17.5% above 171.60 a year", "-24.30"),
        ("Usage: 5% of usage", "-6.14"),  # 0.05 × 122.76 = 6.138
        ("Rebate: $1,000 a year, from 2024-07-22", "-27.40"),  # 10 days
        ("Rebate: 1000 a year, to 2024-07-10, electricity", "-27.40"),
        ("High: 50% above 5000 a year", "0"),  # 424.66 in July is more than the bill
    ],
)
def test_each_shape_by_hand(ctx: Context, typed: str, credit: str) -> None:
    set_home(ctx, concessions=[typed])
    assert bill(ctx, JULY).components.get("concession", Decimal(0)) == Decimal(credit)


def test_off_by_default_of_its_fuel_and_removed_again(ctx: Context) -> None:
    assert "concession" not in bill(ctx, JULY).components
    set_home(ctx, concessions=["Gas rebate: 110 a year, gas"])
    assert "concession" not in bill(ctx, JULY).components
    (kept,) = homes(ctx).households[0].concessions
    assert (kept.name, kept.fuel, kept.shape, kept.amount) == ("Gas rebate", "GAS", "yearly", Decimal(110))
    remove_concession(ctx, kept.id)
    assert homes(ctx).households[0].concessions == ()
    set_home(ctx, concessions=["A: 5% of usage", "B: 10 a year"])
    set_home(ctx, concessions=["A:"])
    assert [each.name for each in homes(ctx).households[0].concessions] == ["B"]
    set_home(ctx, concessions=[""])
    assert homes(ctx).households[0].concessions == ()


def test_new_figures_from_a_day_leave_earlier_bills_as_they_were(ctx: Context) -> None:
    set_home(ctx, concessions=["Rebate: 285 a year", "Rebate: 365 a year, from 2024-07-01"])
    june = bill(ctx, BillingQuestion(date(2024, 6, 1), date(2024, 6, 30), plan="MINE"))
    assert june.components["concession"] == Decimal("-23.42")  # 285 × 30 ÷ 365
    assert bill(ctx, JULY).components["concession"] == Decimal("-31.00")


def test_one_that_lapsed_warns(ctx: Context) -> None:
    set_home(ctx, concessions=["Rebate: 365 a year, to 2024-06-30"])
    july = bill(ctx, JULY)
    assert "concession" not in july.components
    assert "concession_lapsed" in july.note_codes
    assert "concession_lapsed" in compare(ctx, filters=PlanFilters(network="Ausgrid")).note_codes
    june = bill(ctx, BillingQuestion(date(2024, 6, 1), date(2024, 6, 30), plan="MINE"))
    assert "concession_lapsed" not in june.note_codes
    set_home(ctx, concessions=["Rebate: 365 a year, from 2024-07-01"])
    assert "concession_lapsed" not in bill(ctx, JULY).note_codes


def test_a_comparison_credits_what_each_bill_does(ctx: Context) -> None:
    set_home(ctx, concessions=["A: 17.5% above 171.60 a year", "B: 5% of usage", "C: 285 a year, from 2024-06-20"])
    question = BillingQuestion(date(2024, 6, 11), date(2024, 7, 31))
    answer = compare(ctx, question, PlanFilters(network="Ausgrid"), top=0)
    assert len(answer.plans) == 2
    for row in answer.plans:
        alone = bill(ctx, BillingQuestion(question.from_, question.to, plan=row.plan_id))
        assert (row.total, row.components) == (alone.total, alone.components)
        assert row.components["concession"] < 0


def test_it_enters_the_next_bill(ctx: Context) -> None:
    """10 % of the usage of August: 31 × 12 × 0.33 = 122.76."""
    set_home(ctx, billing="monthly")
    on = Context(ctx.db, date(2024, 8, 10))
    before = forecast(on)
    set_home(ctx, concessions=["Share: 10% of usage"])
    after = forecast(on)
    assert before.p50 is not None
    assert after.p50 == before.p50 - Decimal("12.28")


@pytest.mark.parametrize(
    "typed",
    [
        "Rebate: 285",
        "Rebate: 120% of usage",
        "Rebate: 0% of usage",
        "Rebate: 0 a year",
        "Rebate: 5% of usage, from July",
        "Rebate: 5% of usage, from 2024-07-01, to 2024-06-01",
        "Rebate: 5% of usage, water",
        ": 5% of usage",
        "Rebate: 10.005 a year",
    ],
)
def test_what_cannot_be_read_is_refused_and_nothing_kept(ctx: Context, typed: str) -> None:
    with pytest.raises(UsageError):
        set_home(ctx, concessions=["Good: 5% of usage", typed])
    assert homes(ctx).households[0].concessions == ()


def test_packaged_ones_are_chosen_by_id(ctx: Context) -> None:
    set_home(ctx, concessions=["vic-annual-electricity-concession"])
    assert bill(ctx, JULY).components["concession"] == Decimal("-24.30")
    with pytest.raises(ChoiceRequiredError) as refused:
        set_home(ctx, concessions=["vic-anual"])
    assert "vic-annual-electricity-concession" in refused.value.choices


def test_every_packaged_figure_names_its_source_and_holder() -> None:
    ids = [each.id for each in listed_concessions()]
    assert len(set(ids)) == len(ids)
    for each in listed_concessions():
        assert each.source
        assert each.who
        assert (each.amount or 0) > 0
        assert (each.percent is None) == (each.shape == "yearly")


def test_the_list_says_which_have_ended(tmp_path: Path) -> None:
    answer = packaged_concessions(Context(tmp_path / "none.db", date(2026, 11, 23)), "qld")
    assert [(each.id, each.lapsed) for each in answer.concessions if each.fuel == "ELECTRICITY"] == [
        ("qld-electricity-rebate-2025", True)
    ]
    with pytest.raises(UsageError):
        packaged_concessions(Context(tmp_path / "none.db", TODAY), "Bavaria")


def test_the_store_gives_those_of_the_fuel(ctx: Context) -> None:
    set_home(ctx, concessions=["A: 5% of usage", "B: 10 a year, gas"])
    with open_home(ctx) as (store, household):
        rows = store.load(TypedConcessionRow, household.household_id, where={"fuel": "GAS"})
    assert [each.label for each in typed_concessions(rows)] == ["B"]
