"""The market's shortcut gives the cents that a bill gives, plan by plan."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.analytics.energy.bills.built import reads_frame
from tests.analytics.energy.bills.generated import Case, cases, contracts
from toolkit.analytics.energy.bills import Options, Period, prepare, price
from toolkit.analytics.energy.pricing import Market, price_market
from toolkit.analytics.energy.rates import compile_plan
from toolkit.tables.rows.plans import read_plan

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("BILL_EXAMPLES", "60")) // 2
CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


def partly_supplied(contract: dict) -> dict:
    """Without the daily charge of its first tariff period."""
    first, *rest = contract["tariff_period"]
    return {**contract, "tariff_period": [{**first, "daily_supply_charge": None}, *rest]}


@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of a failing case, which it would hide
@settings(max_examples=EXAMPLES, suppress_health_check=CHECKS)
@given(cases(), st.lists(contracts(), max_size=4))
def test_every_plan_costs_what_its_bill_says(case: Case, others: list[dict]):
    read = [
        read_plan({"plan_id": str(n), "electricity_contract": contract, "metering_charges": case.metering})
        for n, contract in enumerate([case.contract, partly_supplied(case.contract), *others])
    ]
    plans = [compile_plan(plan, "ELECTRICITY") for plan in read]
    usage = prepare(reads_frame((r.start, r.minutes, r.role, r.kwh) for r in case.reads), zone=case.zone)
    periods = [Period(*p) for p in case.periods]
    options = Options(blocks=case.blocks, discounts=case.discounts, holidays=case.holidays)
    priced = price_market(Market.of(plans), usage, periods, options)
    for number, rates in enumerate(plans):
        bill = price(usage, rates, periods, options=options)
        assert int(priced.totals[number]) == bill.total_minor
        assert priced.incomplete[number] or not bill.unpriced
        unsupplied = [note.figures["days"] for note in bill.notes if note.code == "no_supply_charge"]
        assert priced.unsupplied[number] == sum(unsupplied)
