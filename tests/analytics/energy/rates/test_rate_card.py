"""A plan as a card of prices and as a week of prices, worked out by hand."""

from __future__ import annotations

from datetime import date

import pytest

from toolkit.analytics.energy.rates import compile_plan
from toolkit.analytics.energy.rates.card import price_map, price_seasons, rate_card
from toolkit.tables.rows.plans import read_plan

WEEKDAYS, WEEKEND = ["MON", "TUE", "WED", "THU", "FRI"], ["SAT", "SUN"]
PEAK = {
    "display_name": "Peak",
    "rates": [{"unit_price": "0.40"}],
    "time_of_use": [{"start_time": "15:00", "end_time": "20:59", "days": WEEKDAYS}],
}
REST = {
    "display_name": "Off peak",
    "rates": [{"unit_price": "0.20"}],
    "time_of_use": [
        {"start_time": "21:00", "end_time": "14:59", "days": WEEKDAYS},
        {"start_time": "00:00", "end_time": "23:59", "days": WEEKEND},
    ],
}
SUMMER = {
    "start_date": "12-01",
    "end_date": "02-28",
    "daily_supply_charge": "1.00",
    "time_of_use_rates": [PEAK, REST],
}
STEPS = {"rates": [{"unit_price": "0.30", "volume": "15"}, {"unit_price": "0.25"}], "period": "P1D"}
OTHERWISE = {"start_date": "03-01", "end_date": "11-30", "daily_supply_charge": "1.00", "single_rate": STEPS}
CONTRACT = {
    "time_zone": "AEST",
    "tariff_period": [SUMMER, OTHERWISE],
    "solar_feed_in_tariff": [
        {"scheme": "OTHER", "payer_type": "RETAILER", "single_tariff": {"rates": [{"unit_price": "0.05"}]}}
    ],
    "discounts": [{"display_name": "On time", "type": "CONDITIONAL", "percent_of_bill": {"rate": "0.05"}}],
    "fees": [{"type": "MEMBERSHIP", "term": "ANNUAL", "amount": "66.00"}],
}


@pytest.fixture
def rates():
    return compile_plan(read_plan({"plan_id": "P", "electricity_contract": CONTRACT}), "ELECTRICITY")


def test_every_price_with_and_without_gst(rates):
    columns = ["component", "season", "window", "block", "price", "price_with_gst", "unit", "gst"]
    assert rate_card(rates).select(columns).rows() == [
        ("supply", "all year", "", "", "1", "1.1", "day", "added"),
        ("usage", "1 Dec to 29 Feb", "Mon–Fri 15:00–21:00", "", "0.4", "0.44", "kWh", "added"),
        ("usage", "1 Dec to 29 Feb", "Mon–Fri 21:00–15:00; Sat, Sun", "", "0.2", "0.22", "kWh", "added"),
        ("usage", "1 Mar to 30 Nov", "any time", "first 15 kWh a day", "0.3", "0.33", "kWh", "added"),
        ("usage", "1 Mar to 30 Nov", "any time", "the rest", "0.25", "0.275", "kWh", "added"),
        ("fee", "all year", "", "", "60", "66", "year", "included"),
        ("discount", "all year", "", "", "5", None, "% of the bill", None),
        ("feed_in", "all year", "any time", "", "0.05", "0.05", "kWh", "none"),
    ]


def test_a_price_that_differs_in_one_season_stays_a_row_for_each():
    period = {"daily_supply_charge": "1.00", "time_of_use_rates": [PEAK, REST]}
    spans = [("12-01", "02-28", "0.40"), ("03-01", "05-31", "0.30"), ("06-01", "11-30", "0.30")]
    periods = [
        period
        | {"start_date": first, "end_date": last}
        | {"time_of_use_rates": [PEAK | {"rates": [{"unit_price": price}]}, REST]}
        for first, last, price in spans
    ]
    card = rate_card(
        compile_plan(read_plan({"plan_id": "P", "electricity_contract": {"tariff_period": periods}}), "ELECTRICITY")
    )
    assert card.filter(component="usage").select("label", "season", "price").rows() == [
        ("Peak", "1 Dec to 29 Feb", "0.4"),
        ("Off peak", "all year", "0.2"),
        ("Peak", "1 Mar to 31 May", "0.3"),
        ("Peak", "1 Jun to 30 Nov", "0.3"),
    ]


def test_a_week_of_summer_prices(rates):
    week = price_map(rates, on=date(2026, 1, 5))
    assert week.height == 7 * 48
    at = {(row["weekday"], row["minute"]): (row["cents"], row["label"]) for row in week.iter_rows(named=True)}
    assert at[0, 15 * 60] == (44.0, "Peak")
    assert at[0, 14 * 60 + 30] == (22.0, "Off peak")
    assert at[4, 20 * 60 + 30] == (44.0, "Peak")
    assert at[4, 21 * 60] == (22.0, "Off peak")
    assert {at[5, minute][0] for minute in range(0, 1440, 30)} == {22.0}


def test_a_season_is_asked_for_by_a_day_or_by_its_name(rates):
    summer, otherwise = price_seasons(rates)
    assert (summer, otherwise) == ("1 Dec to 29 Feb", "1 Mar to 30 Nov")
    winter = price_map(rates, on=otherwise)
    assert winter.equals(price_map(rates, on=date(2026, 7, 1)))
    assert set(winter["cents"]) == {33.0}
    assert winter["stepped"].all()


def test_what_export_earns_carries_no_gst(rates):
    assert set(price_map(rates, role="export", on=date(2026, 7, 1))["cents"]) == {5.0}


def test_without_controlled_load_the_map_is_empty(rates):
    assert price_map(rates, role="controlled", on=date(2026, 7, 1)).is_empty()


def test_half_hours_in_no_window_have_no_price():
    only_peak = {"time_zone": "AEST", "tariff_period": [{"time_of_use_rates": [PEAK]}]}
    rates = compile_plan(read_plan({"plan_id": "P", "electricity_contract": only_peak}), "ELECTRICITY")
    week = price_map(rates, on=date(2026, 1, 5))
    assert week["cents"].null_count() == 7 * 48 - 5 * 12


def test_feed_in_of_a_season_beside_one_of_dates_is_shown_for_the_days_of_both():
    paid = {"scheme": "OTHER", "payer_type": "RETAILER"}
    step = paid | {"start_date": "07-01", "end_date": "08-31"}
    step["single_tariff"] = {"rates": [{"unit_price": "0.12", "volume": 10}]}
    rest = paid | {"end_date": "2024-07-10", "single_tariff": {"rates": [{"unit_price": "0.05"}]}}
    rates = compile_plan(
        read_plan({"plan_id": "P", "electricity_contract": CONTRACT | {"solar_feed_in_tariff": [step, rest]}}),
        "ELECTRICITY",
    )
    prices = rate_card(rates).filter(component="feed_in").select("season", "block", "price").rows()
    assert prices == [
        ("1 Jul to 31 Aug within … to 2024-07-10", "first 10 kWh a day", "0.12"),
        ("1 Jul to 31 Aug within … to 2024-07-10", "the rest", "0.05"),
        ("1 Jul to 31 Aug", "", "0.12"),
        ("… to 2024-07-10", "", "0.05"),
    ]
