"""Plans that are broken, odd or hostile: priced as far as they can be, explained where not, never a crash."""

from __future__ import annotations

import copy
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analytics.energy.bills.built import amounts, bill, codes, contract, flat, meter_days
from tests.analytics.energy.bills.generated import contracts
from tests.many_cases import examples
from tests.problems import names
from toolkit.analytics.energy.bills import Options
from toolkit.analytics.energy.rates import compile_plan
from toolkit.answers.base import Note
from toolkit.errors import PricingError
from toolkit.tables.rows.plans import read_plan

DAY = (date(2024, 6, 1), date(2024, 6, 1))
JUNE = (date(2024, 6, 1), date(2024, 6, 30))


def reasons(priced) -> str:
    return " | ".join(problem.reason for problem in priced.problems)


def test_a_band_with_unreadable_times_leaves_the_others_priced():
    bands = [
        {"rates": [{"unit_price": "0.5"}], "time_of_use": [{"start_time": "59::00", "end_time": "noon"}]},
        {"rates": [{"unit_price": "0.2"}], "time_of_use": [{"start_time": "00:00", "end_time": "12:00"}]},
    ]
    priced = bill(contract(tariff_period=[{"time_of_use_rates": bands}]), meter_days(DAY[0], 1, "1"), DAY)
    assert amounts(priced) == [("usage", "5.28")]
    assert names(reasons(priced), "59::00", "noon")
    assert priced.unpriced == 24


@pytest.mark.parametrize("price", [None, "free", "NaN", "1e999999", True, [], {}, ""])
def test_unreadable_prices(price):
    priced = bill(flat(price, supply="1"), meter_days(DAY[0], 1, "1"), DAY)
    assert amounts(priced) == [("supply", "1.10")]
    assert "price" in reasons(priced)


def test_unknown_unit():
    rate = {"rates": [{"unit_price": "1", "measure_unit": "KVARH"}]}
    assert "KVARH" in reasons(bill(contract(tariff_period=[{"single_rate": rate}]), meter_days(DAY[0], 1, "1"), DAY))


@pytest.mark.parametrize("dates", [("13-13", "99-01"), ("spring", "autumn"), ("2024-13-01", None)])
def test_unreadable_dates_of_controlled_load_are_noted(dates):
    load = {"start_date": dates[0], "end_date": dates[1], "single_rate": {"rates": [{"unit_price": "0.10"}]}}
    rows = meter_days(DAY[0], 1, "1", role="controlled")
    priced = bill(flat("0.30", controlled_load=[load]), rows, DAY)
    assert amounts(priced) == [("controlled_load", "5.28")]
    assert [note.figures for note in priced.notes if note.code == "dates_unreadable"] == [
        {"label": "Controlled load 1", "first": repr(dates[0]), "last": repr(dates[1])}
    ]


def test_rising_volumes_are_noted():
    rates = [{"unit_price": "0.1", "volume": 10}, {"unit_price": "0.2", "volume": 20}, {"unit_price": "0.3"}]
    priced = bill(contract(tariff_period=[{"single_rate": {"rates": rates}}]), meter_days(DAY[0], 1, "1"), DAY)
    assert [line.quantity for line in priced.lines] == [10, 20, 18]
    assert "rising_block_volumes" in codes(priced.notes)


def test_zero_volume_is_no_limit():
    rates = [{"unit_price": "0.1", "volume": 10}, {"unit_price": "0.2", "volume": 0}]
    priced = bill(contract(tariff_period=[{"single_rate": {"rates": rates}}]), meter_days(DAY[0], 1, "1"), DAY)
    assert [line.quantity for line in priced.lines] == [10, 38]


def test_overlay_periods_carry_no_second_supply():
    energy = {"daily_supply_charge": "1", "single_rate": {"rates": [{"unit_price": "0.1"}]}}
    overlay = {
        "start_date": "06-01",
        "end_date": "08-31",
        "daily_supply_charge": "1",
        "demand_charges": [{"amount": "0.1", "start_time": "0", "end_time": "2359"}],
    }
    priced = bill(contract(tariff_period=[overlay, energy]), meter_days(DAY[0], 1, "1"), DAY)
    assert amounts(priced) == [("supply", "1.10"), ("usage", "5.28"), ("demand", "0.22")]


def test_days_without_a_tariff_period_are_listed():
    period = {"start_date": "07-01", "end_date": "12-31", "single_rate": {"rates": [{"unit_price": "0.1"}]}}
    priced = bill(contract(tariff_period=[period]), meter_days(DAY[0], 1, "1"), DAY)
    assert priced.lines == ()
    assert priced.unpriced == 48
    assert priced.problems


def test_hot_water_on_days_without_a_tariff_period_is_listed_too():
    """1 kWh a half hour on each register; controlled load of its own only from July on."""
    period = {"start_date": "07-01", "end_date": "12-31", "single_rate": {"rates": [{"unit_price": "0.1"}]}}
    load = {"start_date": "07-01", "end_date": "12-31", "single_rate": {"rates": [{"unit_price": "0.1"}]}}
    rows = [*meter_days(DAY[0], 1, "1"), *meter_days(DAY[0], 1, "1", role="controlled")]
    assert bill(contract(tariff_period=[period], controlled_load=[load]), rows, DAY).unpriced == 96
    always = {"single_rate": {"rates": [{"unit_price": "0.1"}]}}
    assert bill(contract(tariff_period=[period], controlled_load=[always]), rows, DAY).unpriced == 48


def test_no_prices_at_all():
    priced = bill(contract(tariff_period=[]), meter_days(DAY[0], 1, "1"), DAY)
    assert priced.lines == ()
    assert priced.problems


def test_the_other_fuel():
    with pytest.raises(PricingError, match="gas"):
        compile_plan(read_plan({"electricity_contract": flat("0.1")}, plan_id="P"), "GAS")


NONSENSE = st.sampled_from([None, True, 7, -1.5, "", "x", [], [1], {}, {"a": []}, "1e400", "9" * 50, "-"])


def broken(data, value):
    """The same JSON with one random part replaced by nonsense."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 5)):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: broken(data, value[key])}
    if isinstance(value, list) and value and data.draw(st.integers(0, 5)):
        n = data.draw(st.integers(0, len(value) - 1))
        return [*value[:n], broken(data, value[n]), *value[n + 1 :]]
    return data.draw(NONSENSE)


@settings(max_examples=examples(80))
@given(contracts(), st.data())
def test_no_json_crashes_the_engine(good, data):
    bad = copy.deepcopy(good)
    for _ in range(data.draw(st.integers(1, 4))):
        bad = broken(data, bad)
        if not isinstance(bad, dict):
            return
    if not bad:
        return
    priced = bill(bad, meter_days(DAY[0], 1, "1"), DAY, options=Options(discounts="all"))
    assert priced.total_minor == sum(line.amount_minor for line in priced.lines)


def test_a_yearly_fee_whose_amount_cannot_be_read_is_named():
    fees = [{"type": "MEMBERSHIP", "term": "ANNUAL", "amount": "ten", "description": "Club"}]
    priced = bill(flat("0.05", fees=fees), meter_days(DAY[0], 1, "1"), DAY)
    assert amounts(priced) == [("usage", "2.64")]
    assert names(reasons(priced), "'ten'")


def test_a_demand_limit_that_cannot_be_read_is_named_and_the_rest_priced():
    demand = {"amount": "0.5", "min_demand": "some", "start_time": "00:00", "end_time": "12:00"}
    period = {"single_rate": {"rates": [{"unit_price": "0.05"}]}, "demand_charges": [demand]}
    priced = bill(contract(tariff_period=[period]), meter_days(DAY[0], 1, "1"), DAY)
    assert names(reasons(priced), "min_demand", "'some'")
    assert amounts(priced) == [("usage", "2.64"), ("demand", "1.10")]


@pytest.mark.parametrize(
    ("feed_in", "note"),
    [
        ("Solar Max", Note("feed_in_not_on_plan", label="Solar Max")),
        (None, Note("feed_in_closed")),
        ("Old Premium", None),
    ],
)
def test_why_no_feed_in_tariff_applies(feed_in: str | None, note: Note | None):
    single = {"single_tariff": {"rates": [{"unit_price": "0.60"}]}}
    given = flat("0.30", solar_feed_in_tariff=[{"display_name": "Old Premium", "scheme": "PREMIUM", **single}])
    rates = compile_plan(read_plan({"plan_id": "P", "electricity_contract": given}), "ELECTRICITY", feed_in=feed_in)
    assert [tariff.label for tariff in rates.feed_ins] == ([] if note else ["Old Premium"])
    assert list(rates.notes) == ([note] if note else [])


def test_steps_per_different_periods_go_by_the_first_and_it_is_said():
    def step(price: str, volume: int | None, **more: str) -> dict[str, object]:
        return {"display_name": "Solar", "single_tariff": {"rates": [{"unit_price": price, "volume": volume}], **more}}

    steps = [step("0.20", 10), step("0.10", 100, period="P1M"), step("0.05", None)]
    # 20 kWh out a day: 10 at 0.20 and, the second step being per day too, 10 at 0.10; over 30 days 60.00 and 30.00.
    export = meter_days(JUNE[0], 30, lambda at: "20" if at.hour + at.minute == 0 else "0", role="export")
    priced = bill(flat("0", solar_feed_in_tariff=steps), [*meter_days(JUNE[0], 30, "0"), *export], JUNE)
    assert [amount for part, amount in amounts(priced) if part == "feed_in"] == ["-60.00", "-30.00"]
    assert Note("feed_in_block_periods", label="Solar") in priced.notes
