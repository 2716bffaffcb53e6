"""Laws of the pricing engine, on generated plans and homes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.analytics.energy.bills.built import reads_frame
from tests.analytics.energy.bills.generated import Case, cases, contracts
from tests.analytics.energy.pricing.odd_rates import odd
from tests.analytics.energy.pricing.test_lines import compiled
from toolkit.analytics.energy.bills import Bill, Line, Options, Period, Usage, prepare, price
from toolkit.analytics.energy.pricing import Market, price_market, tables
from toolkit.analytics.energy.pricing.rows import tables_of
from toolkit.analytics.energy.rates.model import DAY, Rates, Tariff

pytestmark = pytest.mark.slow

FEW = settings(
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


def usage_of(case: Case) -> Usage:
    return prepare(reads_frame((r.start, r.minutes, r.role, r.kwh) for r in case.reads), zone=case.zone)


def exact(line: Line) -> Fraction:
    """Cents before rounding."""
    return 100 * line.quantity * Fraction(line.unit_price) * (Fraction(11, 10) if line.gst == "added" else 1)


def nearest(cents: Fraction) -> int:
    size = int(abs(cents) + Fraction(1, 2))
    return size if cents >= 0 else -size


def tariffs(rates: Rates, change) -> Rates:
    groups = {name: tuple(map(change, getattr(rates, name))) for name in ("periods", "controlled_loads", "feed_ins")}
    return replace(rates, **groups)


@FEW
@given(cases(), st.lists(contracts(), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_plans_is_irrelevant(case: Case, others: list[dict], dice: Random):
    plans, usage, periods = compiled(case, others), usage_of(case), [Period(*p) for p in case.periods]
    options = Options(blocks=case.blocks, discounts=case.discounts, holidays=case.holidays)
    order = dice.sample(range(len(plans)), len(plans))
    once = price_market(Market.of(plans), usage, periods, options)
    again = price_market(Market.of([plans[n] for n in order]), usage, periods, options)
    assert again.cents.tolist() == [once.cents[n].tolist() for n in order]
    assert [again.bill(place) for place in range(len(order))] == [once.bill(n) for n in order]


@FEW
@given(cases(), st.lists(contracts(), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_tables_that_were_kept_price_some_of_their_plans_as_those_alone(case: Case, others: list[dict], dice: Random):
    plans = [odd(rates, dice) if dice.randrange(2) else rates for rates in compiled(case, others)]
    chosen = dice.sample(range(len(plans)), dice.randint(1, len(plans)))
    some, kept = [plans[n] for n in chosen], tables.from_bytes(tables.to_bytes(tables_of(plans)))
    usage, periods = usage_of(case), [Period(*p) for p in case.periods]
    options = Options(blocks=case.blocks, discounts=case.discounts, holidays=case.holidays)
    markets = Market.kept(some, kept.of_plans(chosen)), Market.of(some)
    ours, alone = (price_market(market, usage, periods, options) for market in markets)
    assert ours.cents.tolist() == alone.cents.tolist()
    assert [ours.bill(n) for n in range(len(some))] == [alone.bill(n) for n in range(len(some))]


@FEW
@given(cases(), st.integers(0, 10**6))
def test_every_amount_is_quantity_times_price_to_the_nearest_cent(case: Case, number: int):
    dice = Random(number)
    for rates in (odd(rates, dice) for rates in compiled(case, [case.contract])):
        bill = price(usage_of(case), rates, [Period(*p) for p in case.periods], options=Options(blocks=case.blocks))
        assert [line.amount_minor for line in bill.lines] == [nearest(exact(line)) for line in bill.lines]


@FEW
@given(cases())
def test_days_add_up_to_the_bill_where_nothing_is_pooled(case: Case):
    """Blocks restart every day; demand goes by the month and discounts by rounded cents, so both are left out."""

    def by_the_day(tariff: Tariff) -> Tariff:
        return replace(tariff, rates=tuple(replace(rate, period=DAY) for rate in tariff.rates))

    rates = tariffs(replace(compiled(case, [])[0], demands=(), discounts=()), by_the_day)
    usage, options = usage_of(case), Options(blocks="daily", holidays=case.holidays)
    first, last = case.periods[0][0], case.periods[-1][1]
    days = [first + timedelta(n) for n in range((last - first).days + 1)]
    whole = price(usage, rates, [Period(first, last)], options=options)
    daily = price(usage, rates, [Period(day, day) for day in days], options=options)
    assert by_price(whole) == by_price(daily)
    assert whole.unpriced == daily.unpriced


def by_price(bill: Bill) -> dict[tuple, Fraction]:
    sums: dict[tuple, Fraction] = defaultdict(Fraction)
    for line in bill.lines:
        sums[line.component, line.price_label, line.block, line.unit_price] += exact(line)
    return dict(sums)


@FEW
@given(cases(), st.sampled_from([Decimal(3), Decimal("0.37"), Decimal("1.000001")]))
def test_scaled_prices_scale_every_line_before_rounding(case: Case, factor: Decimal):
    """A price of at most 0.0005 makes a block restart every day; here all by the day do."""

    def scaled(tariff: Tariff) -> Tariff:
        rates = (
            replace(rate, blocks=tuple(replace(block, price=block.price * factor) for block in rate.blocks))
            for rate in tariff.rates
        )
        supply = tariff.supply and replace(
            tariff.supply, steps=tuple((upper, price * factor) for upper, price in tariff.supply.steps)
        )
        return replace(tariff, rates=tuple(rates), supply=supply)

    rates = replace(compiled(case, [])[0], discounts=())
    dearer = replace(
        tariffs(rates, scaled),
        demands=tuple(replace(charge, price=charge.price * factor) for charge in rates.demands),
        recurring=tuple(replace(charge, price=charge.price * factor) for charge in rates.recurring),
    )
    usage, periods = usage_of(case), [Period(*p) for p in case.periods]
    options = Options(blocks="daily", holidays=case.holidays)
    before, after = (price(usage, each, periods, options=options).lines for each in (rates, dearer))
    assert [(line.label, line.quantity) for line in after] == [(line.label, line.quantity) for line in before]
    assert [exact(line) for line in after] == [exact(line) * Fraction(factor) for line in before]
