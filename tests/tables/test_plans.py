"""Plans of every spelling come out alike."""

from __future__ import annotations

import pytest

from toolkit.errors import PricingError
from toolkit.tables.rows.plans import account_plan_row, looks_like_plan, plan_row, read_account_plan, read_plan

REGISTER = {
    "planId": "FLAT1@EME",
    "displayName": "Flat",
    "brandName": "Example Energy",
    "fuelType": "ELECTRICITY",
    "customerType": "RESIDENTIAL",
    "type": "MARKET",
    "lastUpdated": "2024-10-01T00:00:00Z",
    "geography": {"distributors": ["Ausgrid"], "includedPostcodes": ["2000", "2001"]},
    "electricityContract": {
        "pricingModel": "SINGLE_RATE",
        "tariffPeriod": [
            {
                "rateBlockUType": "singleRate",
                "startDate": "01-01",
                "endDate": "12-31",
                "dailySupplyCharges": "0.90",
                "singleRate": {"rates": [{"unitPrice": "0.30"}], "period": "P1D"},
            }
        ],
    },
}


def contract_of(**electricity):
    return read_plan({"planId": "P", "electricityContract": electricity}).electricity_contract


def test_register_header_and_rates():
    plan = read_plan(REGISTER)
    assert (plan.plan_id, plan.name, plan.retailer) == ("FLAT1@EME", "Flat", "Example Energy")
    assert (plan.fuel_type, plan.customer_type, plan.plan_type) == ("ELECTRICITY", "RESIDENTIAL", "MARKET")
    assert plan.distributors == ("Ausgrid",)
    assert plan.included_postcodes == ("2000", "2001")
    period = plan.electricity_contract["tariff_period"][0]
    assert period["daily_supply_charge"] == "0.90"
    assert period["single_rate"]["rates"] == [{"unit_price": "0.30"}]


def test_bare_and_under_data_are_the_same_plan():
    wrapped = read_plan({"data": REGISTER, "links": {"self": "https://example.com"}, "meta": {}})
    assert wrapped.plan_id == "FLAT1@EME"
    assert wrapped.electricity_contract == read_plan(REGISTER).electricity_contract


def test_version_is_of_the_content_not_of_its_order():
    shuffled = dict(reversed(list(REGISTER.items())))
    assert read_plan(shuffled).version == read_plan(REGISTER).version
    assert read_plan({**REGISTER, "displayName": "Other"}).version != read_plan(REGISTER).version


def test_older_controlled_load_object():
    contract = contract_of(
        controlledLoad={"displayName": "CL1", "dailyCharge": "5.5", "period": "P1Y", "rates": [{"unitPrice": "15"}]}
    )
    (load,) = contract["controlled_load"]
    assert load["single_rate"]["daily_supply_charge"] == "5.5"
    assert load["single_rate"]["rates"] == [{"unit_price": "15"}]
    assert load["single_rate"]["period"] == "P1Y"


def test_older_feed_in_amount_is_one_rate():
    contract = contract_of(solarFeedInTariff={"displayName": "FiT", "singleTariff": {"amount": "5.2"}})
    assert contract["solar_feed_in_tariff"][0]["single_tariff"]["rates"] == [{"unit_price": "5.2"}]


@pytest.mark.parametrize("form", ["object", "array", "v2"])
def test_time_varying_feed_in_in_three_forms(form):
    entry = {
        "type": "PEAK",
        "rates": [{"unitPrice": "0.1"}],
        "timeVariations": [{"days": ["MON"], "startTime": "16:00"}],
    }
    tariff = {
        "object": {"timeVaryingTariffs": entry},
        "array": {"timeVaryingTariffs": [entry]},
        "v2": {"timeVaryingTariffs": {"type": "OFF_PEAK"}, "time_varying_tariffs_v2": [entry]},
    }[form]
    (varying,) = contract_of(solarFeedInTariff=[tariff])["solar_feed_in_tariff"][0]["time_varying_tariffs"]
    assert varying["type"] == "PEAK"
    assert varying["time_variations"] == [{"days": ["MON"], "start_time": "16:00"}]


def test_demand_days_as_object():
    charge = {"amount": "0.1", "days": {"weekdays": True, "saturday": False, "sunday": True}}
    contract = contract_of(tariffPeriod=[{"demandCharges": [charge, {**charge, "days": {"weekdays": False}}]}])
    first, second = contract["tariff_period"][0]["demand_charges"]
    assert first["days"] == ["MON", "TUE", "WED", "THU", "FRI", "SUN"]
    assert second["days"] == []


def test_days_that_are_neither_true_nor_false_are_named():
    charge = {"amount": "0.1", "days": {"weekdays": "yes", "sunday": True, "holidays": True}}
    plan = read_plan({"planId": "P", "electricityContract": {"tariffPeriod": [{"demandCharges": [charge]}]}})
    assert plan.electricity_contract["tariff_period"][0]["demand_charges"][0]["days"] == ["SUN"]
    assert [problem.reason.partition("expected, ")[2] for problem in plan.problems] == [
        "not \"{'weekdays': 'yes'}\"",
        "not \"{'holidays': True}\"",
    ]


def test_wrong_types_become_problems():
    plan = read_plan({"planId": "P", "electricityContract": {"tariffPeriod": ["nonsense", {"singleRate": 7}]}})
    assert len(plan.electricity_contract["tariff_period"]) == 1
    assert [problem.where for problem in plan.problems] == [
        "P.electricity_contract.tariff_period",
        "P.electricity_contract.single_rate",
    ]


@pytest.mark.parametrize("obj", [None, [], 3, "plan", {}, {"planId": "X"}, {"electricityContract": None}])
def test_what_is_no_plan_is_refused(obj):
    assert not looks_like_plan(obj) or obj == {"electricityContract": None}
    with pytest.raises(PricingError):
        read_plan(obj, plan_id="X")


def test_plan_of_an_energy_account():
    entry = read_account_plan(
        "acc-1",
        {
            "nickname": "Home",
            "service_point_ids": ["sp-1"],
            "plan_overview": {"display_name": "Saver", "start_date": "2026-01-15", "end_date": None},
            "plan_detail": {
                "fuel_type": "ELECTRICITY",
                "electricity_contract": {"tariff_period": [{"daily_supply_charge": "1.1"}]},
            },
        },
    )
    assert entry.plan.plan_id == "acc-1:2026-01-15:electricity"
    assert entry.plan.name == "Saver"
    assert entry.plan.fuels == ("ELECTRICITY",)
    assert account_plan_row(entry, household_id="h")["start_date"] == "2026-01-15"
    assert plan_row(entry.plan, household_id="h", source="service")["fuel_type"] == "ELECTRICITY"
