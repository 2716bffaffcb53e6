"""`compare` says what its figures leave out, and prices today's plan as `bill` does."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.flows.energy.homes import NMI, TODAY, flat_plan, import_plans, on
from tests.meters import level
from tests.problems import names
from toolkit.answers.base import Note
from toolkit.errors import NoPlansError, PricingError
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.compare import compare
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.plans.rate_card import plan_show
from toolkit.store import open_store

JUNE = BillingQuestion(date(2024, 6, 1), date(2024, 6, 30))
ANYTIME = {"daily_supply_charge": "1.00", "single_rate": {"rates": [{"unit_price": "0.30"}]}}
EVENINGS = {
    "daily_supply_charge": "1.00",
    "time_of_use_rates": [
        {
            "type": "PEAK",
            "rates": [{"unit_price": "0.40"}],
            "time_of_use": [{"start_time": "15:00", "end_time": "21:00"}],
        }
    ],
}
CLOSED = {
    "display_name": "Solar Bonus",
    "scheme": "PREMIUM",
    "payer_type": "GOVERNMENT",
    "single_tariff": {"rates": [{"unit_price": "0.44"}]},
}


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """From 1 May to 18 August 2024 24 kWh a day in and 9.6 out, and a published plan at 90 c a day and 25 c a kWh.

    June costs on that plan 30 × 0.90 × 1.1 = 29.70 and 720 kWh × 0.25 × 1.1 = 198.00, together 227.70.
    """
    ctx = Context(tmp_path / "home.db", TODAY)
    for suffix, kwh in (("E1", "0.5"), ("B1", "0.2")):
        meter = tmp_path / f"{suffix}.csv"
        meter.write_text(level(NMI, date(2024, 5, 1), 110, kwh, suffix))
        load(ctx, [meter])
    import_plans(ctx, tmp_path, flat_plan("OFFERED", "25"))
    return ctx


def account_on(ctx: Context, period: dict[str, object], *feed_in: dict[str, object]) -> None:
    on(ctx, 0, "2024-01-01", contract={"tariff_period": [period], "solar_feed_in_tariff": list(feed_in)})


def test_todays_plan_earns_the_accounts_closed_feed_in(ctx: Context):
    account_on(ctx, ANYTIME, CLOSED)
    answer = compare(ctx, JUNE)
    # 30 × 1.00 × 1.1 = 33.00; 720 kWh × 0.30 × 1.1 = 237.60; 288 kWh × 0.44 = 126.72, without GST
    assert answer.current.components == {
        "supply": Decimal("33.00"),
        "usage": Decimal("237.60"),
        "feed_in": Decimal("-126.72"),
    }
    assert answer.current.total == bill(ctx, JUNE).total == Decimal("143.88")
    (offered,) = answer.plans
    assert (offered.total, offered.saving) == (Decimal("227.70"), Decimal("-83.82"))


def test_the_closed_feed_in_is_on_the_card_of_the_plan_in_force_alone(ctx: Context):
    account_on(ctx, ANYTIME, CLOSED)

    def feed_ins(plan: str | None) -> list[str]:
        (fuel,) = plan_show(ctx, plan=plan).fuels
        return [row.price for row in fuel.rates if row.component == "feed_in"]

    assert feed_ins(None) == ["0.44"]
    assert feed_ins("OFFERED") == []


def test_the_card_is_of_the_prices_in_force(ctx: Context):
    """Prices changed in place: the newer ones, seen after today, are not today's."""
    dearer = {**ANYTIME, "single_rate": {"rates": [{"unit_price": "0.50"}]}}
    account_on(ctx, ANYTIME)
    on(ctx, 0, "2024-01-01", seen="2024-08-30", contract={"tariff_period": [dearer]})
    card = plan_show(ctx)
    assert [row.price for row in card.fuels[0].rates if row.component == "usage"] == ["0.3"]
    assert card.versions == 2


def test_how_todays_plan_was_chosen_is_said(ctx: Context, tmp_path: Path):
    note = Note("only_stored_plan", fuel="electricity")
    assert note in compare(ctx, JUNE).notes
    assert plan_show(ctx).notes == (note,)
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "mine.json").write_text(json.dumps(flat_plan("MINE", "30")))
    (folder / "none.json").write_text('{"planId": "NONE"}')
    answer = compare(ctx, replace(JUNE, plan=str(folder)))
    assert answer.current.plan_id == "MINE"
    assert answer.problems == bill(ctx, replace(JUNE, plan=str(folder))).problems != ()


def test_days_without_any_read_are_refused_as_in_a_bill(ctx: Context):
    days = BillingQuestion(date(2020, 6, 1), date(2020, 6, 30))
    for priced in (lambda: bill(ctx, replace(days, plan="OFFERED")), lambda: compare(ctx, days)):
        with pytest.raises(PricingError, match=r"2020-06-01.*2020-06-30"):
            priced()


def test_missing_reads_are_said(ctx: Context):
    """30 of the 91 days from 1 April on lie before the first read."""
    days = BillingQuestion(date(2024, 4, 1), date(2024, 6, 30))
    answer, alone = compare(ctx, days), bill(ctx, replace(days, plan="OFFERED"))
    assert answer.missing_share == alone.missing_share == pytest.approx(30 / 91)
    assert Note("missing_reads_compared", share=30 / 91) in answer.notes
    [problem] = answer.problems
    assert names(problem.reason, 30, "2024-04-01", "2024-04-30")
    whole = compare(ctx, JUNE)
    assert whole.missing_share == 0
    assert "missing_reads_compared" not in whole.note_codes


def test_no_saving_is_told_against_a_part_of_todays_plan(ctx: Context):
    """Of 24 kWh a day the six hours from 15:00 have a price: 18 kWh a day, 540 in June, have none."""
    account_on(ctx, EVENINGS)
    answer = compare(ctx, JUNE)
    # 30 × 1.00 × 1.1 = 33.00 and 180 kWh × 0.40 × 1.1 = 79.20
    assert answer.current.total == bill(ctx, JUNE).total == Decimal("112.20")
    why = "540.000 kWh between 2024-06-01 and 2024-06-30 falls in no window and is not priced"
    assert answer.current.reason == why
    assert answer.current.problems == bill(ctx, JUNE).problems
    assert [(row.plan_id, row.total, row.saving) for row in answer.plans] == [("OFFERED", Decimal("227.70"), None)]
    assert Note("current_plan_incomplete", reason=why) in answer.notes


def without_supply(plan_id: str, **period: object) -> dict[str, object]:
    made = flat_plan(plan_id, "25")
    (whole,) = made["electricityContract"]["tariffPeriod"]
    del whole["dailySupplyCharges"]
    whole.update(period)
    return made


def half_supplied(plan_id: str) -> dict[str, object]:
    """Up to 9 June 90 c a day; from 10 June on no daily charge is published."""
    made = flat_plan(plan_id, "25")
    (early,) = made["electricityContract"]["tariffPeriod"]
    (late,) = without_supply(plan_id)["electricityContract"]["tariffPeriod"]
    spans = ({"startDate": "01-01", "endDate": "06-09"}, {"startDate": "06-10", "endDate": "12-31"})
    made["electricityContract"]["tariffPeriod"] = [{**early, **spans[0]}, {**late, **spans[1]}]
    return made


def test_a_plan_without_a_supply_charge_does_not_come_first(ctx: Context, tmp_path: Path):
    free = flat_plan("FREE", "25")
    free["electricityContract"]["tariffPeriod"][0]["dailySupplyCharges"] = "0"
    import_plans(ctx, tmp_path, without_supply("BARE"), half_supplied("HALF"), free)
    answer = compare(ctx, JUNE)
    # a published charge of nothing is one: 198.00; HALF without 21 × 0.90 × 1.1 = 20.79 of the 29.70
    assert [(row.plan_id, row.total) for row in answer.plans] == [
        ("FREE", Decimal("198.00")),
        ("OFFERED", Decimal("227.70")),
    ]
    assert [(row.plan_id, row.total) for row in answer.unpriced] == [
        ("BARE", Decimal("198.00")),
        ("HALF", Decimal("206.91")),
    ]
    assert [names(row.reason, days) for row, days in zip(answer.unpriced, (30, 21), strict=True)] == [True, True]
    assert answer.unpriced[1].total == bill(ctx, replace(JUNE, plan="HALF")).total


def test_todays_plan_without_a_supply_charge_is_no_yardstick(ctx: Context):
    account_on(ctx, {"single_rate": {"rates": [{"unit_price": "0.30"}]}})
    answer = compare(ctx, JUNE)
    assert answer.current.reason
    assert [row.saving for row in answer.plans] == [None]


def test_a_plan_of_another_fuel_is_not_todays(ctx: Context, tmp_path: Path):
    gas = {"planId": "GAS", "fuelType": "GAS", "gasContract": {"tariffPeriod": []}}
    import_plans(ctx, tmp_path, gas)
    with pytest.raises(PricingError, match="electricity"):
        compare(ctx, replace(JUNE, plan="GAS"))


def test_no_published_plan_is_a_failure_of_its_own(ctx: Context):
    with open_store(ctx.db) as store, store.transaction():
        store.update("plans", {"vanished_at": "2024-08-01T00:00:00+00:00"}, {"plan_id": "OFFERED"})
    with pytest.raises(NoPlansError):
        compare(ctx, JUNE)


def test_a_closed_feed_in_of_a_published_plan_is_for_others(ctx: Context, tmp_path: Path):
    """Only an account says that a home is on it; that a person named the plan does not."""
    solar = flat_plan("SOLAR", "25")
    solar["electricityContract"]["solarFeedInTariff"] = [CLOSED]
    import_plans(ctx, tmp_path, solar)
    set_home(ctx, plan_id="SOLAR")
    answer = compare(ctx, JUNE)
    assert answer.current.total == bill(ctx, JUNE).total == Decimal("227.70")
    assert [row.saving for row in answer.plans] == [Decimal("0.00"), Decimal("0.00")]
