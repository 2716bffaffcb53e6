"""What holds of every bill."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.analytics.energy.bills.built import reads_frame
from tests.analytics.energy.bills.generated import Case, cases
from toolkit.analytics.energy.bills import Options, Period, prepare, price
from toolkit.analytics.energy.rates import compile_plan
from toolkit.tables.rows.plans import read_plan

pytestmark = pytest.mark.slow

FEW = settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


def rates_of(case: Case):
    plan = read_plan({"plan_id": "P", "electricity_contract": case.contract, "metering_charges": case.metering})
    return compile_plan(plan, "ELECTRICITY")


def frame_of(case: Case):
    return reads_frame((r.start, r.minutes, r.role, r.kwh) for r in case.reads)


def energy(priced) -> Fraction:
    billed = [line for line in priced.lines if line.component in ("usage", "controlled_load") and line.unit == "kWh"]
    return sum((line.quantity for line in billed), Fraction(0))


def quantity(priced, unit: str) -> Fraction:
    return sum((line.quantity for line in priced.lines if line.unit == unit), Fraction(0))


@FEW
@given(cases())
def test_cutting_a_period_conserves_energy(case: Case):
    whole = [Period(case.periods[0][0], case.periods[-1][1])]
    usage = prepare(frame_of(case), zone=case.zone)
    rates = rates_of(case)
    options = Options(blocks="daily", holidays=case.holidays)
    once = price(usage, rates, whole, options=options)
    cut = price(usage, rates, [Period(*p) for p in case.periods], options=options)
    assert energy(once) + once.unpriced == energy(cut) + cut.unpriced
    for unit in ("day", "week"):
        assert quantity(once, unit) == quantity(cut, unit)


@FEW
@given(cases(), st.randoms())
def test_the_order_of_reads_is_irrelevant(case: Case, dice):
    rates, periods = rates_of(case), [Period(*p) for p in case.periods]
    frame = frame_of(case)
    rows = list(range(frame.height))
    dice.shuffle(rows)
    assert price(frame[rows], rates, periods, zone=case.zone) == price(frame, rates, periods, zone=case.zone)


@FEW
@given(cases())
def test_the_total_is_the_sum_of_its_lines(case: Case):
    priced = price(frame_of(case), rates_of(case), [Period(*p) for p in case.periods], zone=case.zone)
    frame = priced.frame()
    assert frame["amount_minor"].sum() == priced.total_minor == sum(priced.components_minor().values())
    for line in priced.lines:
        first, last = case.periods[0][0], case.periods[-1][1]
        assert first <= line.first <= line.last <= last
        assert line.last - line.first < timedelta(400)
