"""Credits of concessions on a market of plans are those on each plan's bill, to the cent."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analytics.energy.bills.built import contract, flat, meter_days, reads_frame
from toolkit.analytics.energy.bills import Options, Period, prepare
from toolkit.analytics.energy.bills.concessions import Concession, credited, typed_concessions, with_concessions
from toolkit.analytics.energy.pricing import Market, Priced, price_market
from toolkit.analytics.energy.rates import compile_plan
from toolkit.tables.rows.plans import read_plan
from toolkit.tables.schema.typed import TypedConcessionRow

FIRST = date(2026, 5, 1)
PERIODS = [Period(FIRST, date(2026, 5, 31)), Period(date(2026, 6, 1), date(2026, 7, 14))]
DISCOUNT = {"type": "GUARANTEED", "method_u_type": "percentOfBill", "percent_of_bill": {"rate": "0.07"}}
DEMAND = {"display_name": "Peak", "amount": "0.113", "start_time": "15:00", "end_time": "21:00"}
FEED_IN = {
    "display_name": "Solar",
    "payer_type": "RETAILER",
    "scheme": "OTHER",
    "tariff_u_type": "singleTariff",
    "single_tariff": {"rates": [{"unit_price": "0.45"}]},
}
PLANS = [
    flat("0.3137", supply="0.917", discounts=[DISCOUNT]),
    flat("0.2811", supply="1.113", solar_feed_in_tariff=[FEED_IN]),
    contract(tariff_period=[{"single_rate": {"rates": [{"unit_price": "0.21"}]}, "demand_charges": [DEMAND]}]),
]
ROWS = [
    *meter_days(FIRST, 75, "0.137"),
    *meter_days(FIRST, 75, lambda at: "0.411" if 10 <= at.hour < 15 else "0", role="export"),
]

rows = st.builds(
    TypedConcessionRow,
    household_id=st.just("home"),
    id=st.text("ab", min_size=1, max_size=2),
    name=st.sampled_from(["A", "B"]),
    fuel=st.just("ELECTRICITY"),
    shape=st.sampled_from(["yearly", "percent_above", "percent_of_usage"]),
    amount_minor=st.integers(1, 90_000),
    percent=st.integers(1, 1000).map(lambda tenths: f"{Decimal(tenths) / 10}"),
    first_day=st.none() | st.integers(-20, 80).map(lambda days: FIRST + timedelta(days)),
    last_day=st.none() | st.integers(0, 100).map(lambda days: FIRST + timedelta(days)),
    listed_id=st.none(),
)


@pytest.fixture(scope="module")
def priced() -> Priced:
    """The plans on the home's reads, without concessions."""
    usage = prepare(reads_frame(ROWS), zone="Australia/Sydney")
    plans = [compile_plan(read_plan({"plan_id": "P", "electricity_contract": each}), "ELECTRICITY") for each in PLANS]
    return price_market(Market.of(plans), usage, PERIODS, Options())


@given(st.lists(rows, min_size=1, max_size=3))
def test_a_market_credits_what_each_bill_does(priced: Priced, typed: list[TypedConcessionRow]) -> None:
    held = typed_concessions(typed)
    totals = credited(priced, held).totals.tolist()
    assert totals == [with_concessions(priced.bill(n), held).total_minor for n in range(len(PLANS))]
    assert all(total <= before for total, before in zip(totals, priced.totals.tolist(), strict=True))


@given(st.lists(rows, min_size=2, max_size=4))
def test_no_day_has_two_of_one_name(typed: list[TypedConcessionRow]) -> None:
    held = typed_concessions(typed)
    for day in (FIRST + timedelta(n) for n in range(-30, 120)):
        on = [each.label for each in held if _holds(each, day)]
        by_name = {(row.name, row.first_day) for row in typed}
        if len(by_name) == len(typed):  # the store keeps one of a name and first day
            assert len(on) == len(set(on))


def _holds(concession: Concession, day: date) -> bool:
    return (concession.first or day) <= day <= (concession.last or day)
