"""A market is compiled once and priced for many homes: what it keeps from one must not show in the next."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings

from tests.analytics.energy.bills.built import reads_frame
from tests.analytics.energy.bills.generated import Case, cases
from toolkit.analytics.energy.bills import Options, Period, prepare, price
from toolkit.analytics.energy.pricing import Market, price_market
from toolkit.analytics.energy.rates import compile_plan
from toolkit.tables.rows.plans import read_plan

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("BILL_EXAMPLES", "60")) // 3
CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


@settings(max_examples=EXAMPLES, suppress_health_check=CHECKS)
@given(cases(), cases())
def test_one_market_prices_homes_with_other_periods_and_blocks(one: Case, other: Case):
    read = [
        read_plan({"plan_id": str(n), "electricity_contract": case.contract, "metering_charges": case.metering})
        for n, case in enumerate((one, other))
    ]
    plans = [compile_plan(plan, "ELECTRICITY") for plan in read]
    market = Market.of(plans)
    for case in (one, other, one):
        usage = prepare(reads_frame((r.start, r.minutes, r.role, r.kwh) for r in case.reads), zone=case.zone)
        periods = [Period(*p) for p in case.periods]
        options = Options(blocks=case.blocks, discounts=case.discounts, holidays=case.holidays)
        totals = price_market(market, usage, periods, options).totals.tolist()
        assert totals == [price(usage, rates, periods, options=options).total_minor for rates in plans]
