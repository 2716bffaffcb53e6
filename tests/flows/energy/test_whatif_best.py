"""`whatif` on the best plan, for several changes at once, for battery sizes side by side, and off gas."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.flows.energy.homes import OF_NO_NETWORK, TODAY, flat_plan, import_plans, metered
from tests.meters import day, days, nem12, register
from toolkit.errors import UsageError
from toolkit.flows.energy.compare import compare
from toolkit.flows.energy.whatif import OffGas, Size, Wanted, whatif, whatif_together
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm

JULY = {"from_": date(2024, 7, 1), "to": date(2024, 7, 31)}
PLACE = {"distributors": ["Ausgrid"], "includedPostcodes": ["2000"]}


def plan(plan_id: str, cents: str, **contract: object) -> dict[str, object]:
    made = flat_plan(plan_id, cents, geography=PLACE)
    made["electricityContract"] |= contract
    return made


def by_time(plan_id: str, night: str, day: str) -> dict[str, object]:
    """Night is 00:00 to 06:00."""
    windows = ((night, "0000", "0600"), (day, "0600", "2359"))
    bands = [
        {"rates": [{"unitPrice": cents}], "type": "PEAK", "timeOfUse": [{"startTime": start, "endTime": end}]}
        for cents, start, end in windows
    ]
    return plan(plan_id, "30", tariffPeriod=[{"dailySupplyCharge": "90", "timeOfUseRates": bands}])


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """12 kWh a day, evenly; supply 30.69 in July on every plan."""
    ctx = metered(tmp_path, OF_NO_NETWORK)
    for_vehicles = {"eligibility": [{"type": "OTHER", "information": "You own an electric vehicle"}]}
    import_plans(
        ctx,
        tmp_path,
        plan("MINE", "40"),
        plan("FLAT", "30"),
        by_time("NIGHTS", "10", "40"),
        plan("VEHICLES", "20", **for_vehicles),
        plan("ELSEWHERE", "1") | {"geography": {"distributors": ["Energex"]}},
    )
    set_home(ctx, plan_id="MINE", postcode="2000", network="Ausgrid")
    return ctx


def test_the_best_plan_without_and_with_the_change(ctx: Context) -> None:
    """Without: FLAT 30.69 + 372 × 0.33. With 8 kWh a night more, plans for vehicles can be had: 30.69 + 620 × 0.22."""
    answer = whatif(ctx, "ev", kwh=8, best=True, price="1000", **JULY)
    assert answer.best is not None
    assert (answer.best.before_plan_id, answer.best.before) == ("FLAT", Decimal("153.45"))
    assert (answer.best.plan_id, answer.best.after) == ("VEHICLES", Decimal("167.09"))
    assert answer.best.saving == Decimal("-13.64")
    assert answer.best.before <= answer.before
    assert answer.best.after <= answer.after


def test_bills_before_are_those_of_the_comparison_also_where_one_of_two_registers_was_not_read(
    ctx: Context, tmp_path: Path
) -> None:
    """July: 372 kWh on E1; 6 kWh a day on E2, of which 2 days are missing: 174 kWh. On FLAT 30.69 + 546 × 0.33."""
    second = [
        day(when, [""] * 48 if number in {3, 9} else ["0.125"] * 48)
        for number, when in enumerate(days("2024-07-01", 31))
    ]
    (tmp_path / "second.csv").write_text(nem12(register("E2", nmi=OF_NO_NETWORK), *second))
    load(ctx, [tmp_path / "second.csv"])
    compared = compare(ctx, BillingQuestion(**JULY))
    answer = whatif(ctx, "battery", kwh=10, best=True, **JULY)
    assert answer.best is not None
    assert answer.best.before == {plan.plan_id: plan.total for plan in compared.plans}["FLAT"] == Decimal("210.87")
    assert compared.current is not None
    assert answer.before == compared.current.total


def test_without_a_place_or_plans_there_is_no_best_plan(ctx: Context, tmp_path: Path) -> None:
    other = Context(tmp_path / "other.db", TODAY)
    load(other, [tmp_path / "meter.csv"])
    import_plans(other, tmp_path, plan("ONLY", "40"))
    answer = whatif(other, "ev", best=True, **JULY)
    assert answer.best is None
    assert "best_needs_place" in answer.note_codes
    assert whatif(ctx, "ev", **JULY).best is None


def test_a_battery_is_run_by_the_prices_of_the_plan_that_it_makes_the_best(ctx: Context) -> None:
    """On NIGHTS, 9 kWh of the day's are bought at night, a tenth lost: 31 × (3 + 9) × 0.11 against 31 × 9 × 0.44."""
    answer = whatif(ctx, "battery", kwh=20, kw=20, efficiency=1.0, best=True, **JULY)
    assert answer.saving == 0  # a flat plan and no sun
    assert answer.best is not None
    assert answer.best.plan_id == "NIGHTS"
    assert answer.best.after == pytest.approx(Decimal("71.61"), abs=Decimal("2"))  # the first day begins empty


def test_several_changes_are_one_answer(ctx: Context) -> None:
    question = BillingQuestion(date(2024, 7, 1), date(2024, 7, 31))
    steps = [("battery", Wanted(kwh=10)), ("ev", Wanted(kwh=8)), ("shift", Wanted(share=0.5, window="15:00-21:00"))]
    answer = whatif_together(ctx, steps, question)
    assert answer.changes == ("battery", "ev", "shift")
    # 248 kWh more; half of 31 × 3 kWh saved: 201.5 × 0.44
    assert answer.saving == Decimal("-88.66")
    assert {"vehicle_charging", "load_saved", "battery_assumed"} <= set(answer.assumption_codes)


def test_sizes_side_by_side(ctx: Context) -> None:
    answer = whatif(ctx, "battery", kwh=10, sizes=[Size(2, "900"), Size(5)], plan="NIGHTS", **JULY)
    small, middle = answer.sizes
    assert (small.kwh, small.kw, small.price) == (2, 1, Decimal("900.00"))
    assert 0 < small.saving < middle.saving < answer.saving
    assert small.saving == whatif(ctx, "battery", kwh=2, plan="NIGHTS", **JULY).saving
    with pytest.raises(UsageError):
        whatif(ctx, "battery", kwh=10, sizes=[Size(-1)], **JULY)


def gas_plan() -> dict[str, object]:
    period = {"dailySupplyCharge": "0.80", "singleRate": {"rates": [{"unitPrice": "0.03"}]}}
    return {"planId": "GAS", "fuelType": "GAS", "gasContract": {"timeZone": "AEST", "tariffPeriod": [period]}}


@pytest.fixture
def with_gas(ctx: Context, tmp_path: Path) -> Context:
    """3,100 MJ in July: 100 a day, all of it hot water, as no other days show heating. 27.28 + 102.30 = 129.58."""
    add_invoice(ctx, InvoiceForm(fuel="GAS", billed="129.58", energy=["3100"], **JULY))
    import_plans(ctx, tmp_path, gas_plan())
    return ctx


def test_off_gas_by_hand(with_gas: Context) -> None:
    """100 MJ × 0.65 ÷ 3 ÷ 3.6 = 6.0185 kWh a day, 186.574 in July, at 44 c: 82.09."""
    answer = whatif(with_gas, "gas", **JULY)
    assert answer.gas is not None
    assert (answer.gas.before, answer.gas.after, answer.gas.supply_saved) == (
        Decimal("129.58"),
        Decimal("0.00"),
        Decimal("27.28"),
    )
    assert answer.saving == Decimal("47.49")
    assert answer.before == Decimal("194.37") + Decimal("129.58")
    assert sum(answer.components.values()) == answer.saving
    assert answer.energy.after.bought_kwh - answer.energy.before.bought_kwh == pytest.approx(186.574, abs=0.001)


def test_off_gas_on_the_best_plans(with_gas: Context, tmp_path: Path) -> None:
    """Before: FLAT 153.45 and 31 × 0.88 + 3,100 × 0.022. After: 372 + 186.574 kWh at 0.33, 30.69 a month, no gas.

    The cheaper gas plan counts before the change; a plan for another place does not.
    """
    cheaper = {**gas_plan(), "planId": "GAS2"}
    cheaper["gasContract"] = {
        "timeZone": "AEST",
        "tariffPeriod": [{"dailySupplyCharge": "0.80", "singleRate": {"rates": [{"unitPrice": "0.02"}]}}],
    }
    elsewhere = {**cheaper, "planId": "GAS3", "geography": {"includedPostcodes": ["3000"]}}
    import_plans(with_gas, tmp_path, cheaper, elsewhere)
    set_home(with_gas, plan_id="GAS")
    answer = whatif(with_gas, "gas", best=True, **JULY)
    assert answer.best is not None
    assert answer.best.before == Decimal("153.45") + Decimal("27.28") + Decimal("68.20")
    assert answer.best.plan_id == "FLAT"
    assert answer.best.after == Decimal("215.02")  # 30.69 + 122.76 + 61.57
    assert answer.best.saving == answer.best.before - answer.best.after


def test_what_stays_on_gas_keeps_its_supply_charge(with_gas: Context) -> None:
    answer = whatif(with_gas, "gas", off_gas=OffGas(hot_water=False), **JULY)
    assert answer.gas is not None
    assert (answer.gas.after, answer.saving) == (Decimal("129.58"), 0)
    hot = whatif(with_gas, "gas", off_gas=OffGas(heating=False), **JULY)
    assert hot.gas is not None
    assert hot.gas.after == Decimal("27.28")
    with pytest.raises(UsageError):
        whatif(with_gas, "gas", off_gas=OffGas(hot_water=False, heating=False), **JULY)
    with pytest.raises(UsageError):
        whatif(with_gas, "gas", off_gas=OffGas(hot_water_cop=0.5), **JULY)


def test_a_home_without_gas_is_told_what_to_add(ctx: Context) -> None:
    with pytest.raises(UsageError, match="gas"):
        whatif(ctx, "gas", **JULY)
