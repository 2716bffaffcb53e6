"""Every line of a bill that is read from the arrays is the line that pricing the plan by itself gives."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import fields
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.analytics.energy.bills.built import reads_frame
from tests.analytics.energy.bills.generated import Case, cases, contracts, day_first
from tests.analytics.energy.pricing.odd_rates import odd
from toolkit.analytics.energy.bills import Bill, Options, Period, prepare, price
from toolkit.analytics.energy.pricing import Market, price_market
from toolkit.analytics.energy.pricing.model import COMPONENTS
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.tables.rows.plans import read_plan

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("BILL_EXAMPLES", "60")) // 2
CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


def compiled(case: Case, others: Sequence[dict]) -> list[Rates]:
    contract = day_first(case.contract) if case.day_first else case.contract
    read = [
        read_plan({"plan_id": str(n), "electricity_contract": each, "metering_charges": case.metering})
        for n, each in enumerate([contract, *others])
    ]
    return [compile_plan(plan, "ELECTRICITY") for plan in read]


def differences(case: Case, plans: Sequence[Rates], wholes: Sequence[Period] | None = None) -> list[str]:
    """What differs between the bills of a market and of each plan by itself."""
    usage = prepare(reads_frame((r.start, r.minutes, r.role, r.kwh) for r in case.reads), zone=case.zone)
    periods = [Period(*p) for p in case.periods]
    options = Options(blocks=case.blocks, discounts=case.discounts, holidays=case.holidays)
    priced = price_market(Market.of(plans), usage, periods, options, wholes)
    out: list[str] = []
    for number, rates in enumerate(plans):
        bill, alone = priced.bill(number), price(usage, rates, periods, options=options, whole_periods=wholes)
        out += unlike(bill, alone)
        sums = dict(zip(COMPONENTS, priced.cents[number].tolist(), strict=True))
        if any(bill.components_minor().get(name, 0) != cents for name, cents in sums.items()):
            out.append(f"totals {sums}, lines {bill.components_minor()}")
    return out


def unlike(bill: Bill, alone: Bill) -> Iterator[str]:
    """Yield what differs between two bills, line by line."""
    if len(bill.lines) != len(alone.lines):
        yield f"{len(bill.lines)} lines, {len(alone.lines)} alone"
    yield from (f"{one}, alone {other}" for one, other in zip(bill.lines, alone.lines, strict=False) if one != other)
    for name in (each.name for each in fields(Bill) if each.name != "lines"):
        if getattr(bill, name) != getattr(alone, name):
            yield f"{name}: {getattr(bill, name)}, alone {getattr(alone, name)}"


@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of a failing case, which it would hide
@settings(max_examples=EXAMPLES, suppress_health_check=CHECKS)
@given(cases(), st.lists(contracts(), max_size=3))
def test_every_line_is_that_of_the_plan_by_itself(case: Case, others: list[dict]):
    assert differences(case, compiled(case, others)) == []


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@settings(max_examples=EXAMPLES, suppress_health_check=CHECKS)
@given(cases(), st.integers(0, 10**6))
def test_every_line_of_odd_plans_is_that_of_the_plan_by_itself(case: Case, seed: int):
    dice = Random(seed)
    assert differences(case, [odd(rates, dice) for rates in compiled(case, [case.contract, case.contract])]) == []
