"""Amounts of exactly half a cent round away from zero, whatever kind of charge they come from."""

from __future__ import annotations

from datetime import date

import pytest

from tests.analytics.energy.bills.built import bill, contract, meter_days, reads_frame
from toolkit.analytics.energy.bills import Period, prepare
from toolkit.analytics.energy.pricing import Market, price_market
from toolkit.analytics.energy.rates import compile_plan
from toolkit.tables.rows.plans import read_plan

DAY = (date(2024, 7, 5), date(2024, 7, 5))


def test_half_a_cent_in_a_later_block_rounds_up():
    """12 kWh in a day: 10 kWh at 10 c, and 2 kWh at 2.5 c, 5.5 c with GST."""
    rates = [{"unit_price": "0.10", "volume": 10}, {"unit_price": "0.025"}]
    given = contract(tariff_period=[{"single_rate": {"rates": rates, "period": "P1D"}}])
    priced = bill(given, meter_days(DAY[0], 1, "0.25"), DAY)
    assert [(line.block, line.quantity, line.amount_minor) for line in priced.lines] == [(1, 10, 110), (2, 2, 6)]


def test_half_a_cent_of_a_full_block_rounds_up():
    """24 kWh in a day: 5 kWh at 3 c, 16.5 c with GST, and 19 kWh at 10 c."""
    rates = [{"unit_price": "0.03", "volume": 5}, {"unit_price": "0.10"}]
    given = contract(tariff_period=[{"single_rate": {"rates": rates, "period": "P1D"}}])
    priced = bill(given, meter_days(DAY[0], 1, "0.5"), DAY)
    assert [(line.block, line.quantity, line.amount_minor) for line in priced.lines] == [(1, 5, 17), (2, 19, 209)]


def test_half_a_cent_of_credit_rounds_away_from_zero():
    """4.5 kWh sold at 5 c, without GST: 22.5 c."""
    feed_in = {"single_tariff": {"rates": [{"unit_price": "0.05"}]}}
    period = {"single_rate": {"rates": [{"unit_price": "0.10"}]}}
    given = contract(tariff_period=[period], solar_feed_in_tariff=[feed_in])
    priced = bill(given, meter_days(DAY[0], 1, "0.09375", role="export"), DAY)
    assert [(line.component, line.amount_minor) for line in priced.lines] == [("feed_in", -23)]


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        # 2.5 % of $13.20 for the 12 of 24 kWh beyond the threshold: 16.5 cents
        ({"percent_over_threshold": {"rate": "2.5", "usage_amount": "12"}}, -17),
        # 2.5 % of $13.20 for 10 of 24 kWh: 13.75 cents
        ({"percent_over_threshold": {"rate": "2.5", "usage_amount": "14"}}, -14),
        # 1.25 % of $13.20: 16.5 cents
        ({"percent_of_bill": {"rate": "1.25"}}, -17),
        ({"percent_of_use": {"rate": "0.0125"}}, -17),
    ],
)
def test_half_a_cent_of_discount_rounds_away_from_zero_in_a_market_as_on_a_bill(terms: dict, expected: int):
    """24 kWh in a day at 50 c, $13.20 with GST."""
    period = {"single_rate": {"rates": [{"unit_price": "0.50"}]}}
    given = contract(tariff_period=[period], discounts=[{"display_name": "D", "type": "GUARANTEED", **terms}])
    plan = compile_plan(read_plan({"plan_id": "P", "electricity_contract": given}), "ELECTRICITY")
    usage = prepare(reads_frame(meter_days(DAY[0], 1, "0.5")), zone="Australia/Sydney")
    priced = price_market(Market.of([plan]), usage, [Period(*DAY)])
    assert [line.amount_minor for line in priced.bill(0).lines] == [1320, expected]
    assert int(priced.totals[0]) == 1320 + expected
