"""A bill over days on which different plans were in force: what goes by the day, and what by the billing period.

July 2024 throughout, the plan changes on the 16th: 15 days and 16 days.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest

from tests.analytics.energy.bills.built import AEST, Row, contract, flat, reads_frame
from toolkit.analytics.energy.bills import Bill, Options, Period, PlanSegment, prepare, price_segments
from toolkit.analytics.energy.bills.concessions import read_concession
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.tables.rows.plans import read_plan
from toolkit.tables.schema.energy import ConcessionRow

FIRST, CHANGE, LAST = date(2024, 7, 1), date(2024, 7, 16), date(2024, 7, 31)
OLD, NEW, WHOLE = Period(FIRST, CHANGE - timedelta(1)), Period(CHANGE, LAST), Period(FIRST, LAST)


def rates(given: dict[str, object]) -> Rates:
    return compile_plan(read_plan({"plan_id": "P", "electricity_contract": given}), "ELECTRICITY")


def hours(first: date, last: date, kwh: str, **at: str) -> Iterator[Row]:
    """Half hours with `kwh` each, on meter days (AEST); `at`: other values, by `dMMDDhHH`."""
    start = datetime.fromisoformat(f"{first}T00:00:00+00:00") - AEST
    for n in range(48 * ((last - first).days + 1)):
        moment = start + timedelta(minutes=30 * n)
        yield moment, 30, "general", Decimal(at.get(f"d{moment + AEST:%m%d}h{moment + AEST:%H}", kwh))


def billed(rows: Iterator[Row], *segments: PlanSegment, periods: tuple[Period, ...] = (WHOLE,)) -> Bill:
    usage = prepare(reads_frame(rows), zone="Australia/Sydney")
    return price_segments(usage, segments, periods, options=Options())


def cents(bill: Bill, component: str) -> list[int]:
    return [line.amount_minor for line in bill.lines if line.component == component]


def test_a_months_highest_demand_counts_on_both_sides_of_a_change():
    """10 kW on 5 July, 1 kW else; a day of a kW costs 30 c before GST, then 40 c."""
    old, new = (rates(contract(tariff_period=[with_demand(price)])) for price in ("0.30", "0.40"))
    bill = billed(hours(FIRST, LAST, "0.5", d0705h18="5"), PlanSegment(old, OLD), PlanSegment(new, NEW))
    assert cents(bill, "demand") == [4950, 7040]  # 10 x 15 x 0.33, 10 x 16 x 0.44


def with_demand(price: str) -> dict[str, object]:
    charge = {"display_name": "Peak", "amount": price, "start_time": "15:00", "end_time": "21:00"}
    return {"single_rate": {"rates": [{"unit_price": "0.20"}]}, "demand_charges": [charge]}


def test_a_threshold_is_shared_by_the_days():
    over = {"rate": "0.10", "usage_amount": "300"}
    discount = {"type": "GUARANTEED", "method_u_type": "percentOverThreshold", "percent_over_threshold": over}
    old, new = (rates(flat("0.20", supply=supply, discounts=[discount])) for supply in ("1.00", "1.10"))
    bill = billed(hours(FIRST, LAST, "0.5"), PlanSegment(old, OLD), PlanSegment(new, NEW))
    # 360 kWh, of which 300 x 15/31 are not beyond: 79.20 x 0.1 x 0.59677; 384 kWh likewise: 84.48 x 0.1 x 0.59677
    assert cents(bill, "discount") == [-473, -504]
    assert -sum(cents(bill, "discount")) == 977  # what the whole month on one plan gives: 163.68 x 0.1 x 444/744


def test_a_years_energy_is_that_up_to_the_bills_end():
    """6 kWh a day, then 24: by the whole month 5,581 kWh a year, by its first half 2,190."""
    steps = [{"volume": "5000", "unit_price": "1.00"}, {"unit_price": "2.00"}]
    supply = {"daily_supply_charge_type": "BAND", "banded_daily_supply_charges": steps}
    old, new = (
        rates({"time_zone": "AEST", "tariff_period": [{**supply, "single_rate": {"rates": [{"unit_price": price}]}}]})
        for price in ("0.20", "0.30")
    )
    rows = [*hours(FIRST, OLD.last, "0.125"), *hours(CHANGE, LAST, "0.5")]
    assert cents(billed(iter(rows), PlanSegment(old, OLD), PlanSegment(new, NEW)), "supply") == [3300, 3520]


@pytest.mark.parametrize("clocks", [("AEST", "LOCAL"), ("LOCAL", "AEST"), ("AEST", "AEST"), ("LOCAL", "LOCAL")])
def test_between_two_clocks_no_hour_is_lost_or_doubled(clocks: tuple[str, str]):
    """In summer a day on Sydney's clock begins an hour before one on AEST; 10 kWh are read in that hour."""
    plans = [rates({**flat("0.30"), "time_zone": clock}) for clock in clocks]
    first, change, last = date(2025, 1, 2), date(2025, 1, 16), date(2025, 1, 31)
    segments = [
        PlanSegment(plans[0], Period(first, change - timedelta(1))),
        PlanSegment(plans[1], Period(change, last)),
    ]
    rows = hours(date(2024, 12, 30), date(2025, 2, 3), "0.5", d0115h23="5")
    bill = billed(rows, *segments, periods=(Period(first, last),))
    assert sum(line.quantity for line in bill.lines if line.component == "usage") == 729  # 30 x 24 + 9
    assert sum(cents(bill, "usage")) in (24057, 24058)  # 240.57, rounded once a line
    assert bill.quality.missing_share == 0


def rebate(**more: object) -> tuple[object, ...]:
    empty = dict.fromkeys(ConcessionRow.__struct_fields__)
    row = {"display_name": "Rebate", "type": "FIXED_AMOUNT", "amount": "1.00", **more}
    return (read_concession(ConcessionRow(**(empty | row))),)


@pytest.mark.parametrize(("old", "new", "expected"), [(True, False, [-1500]), (False, True, [-1600])])
def test_concessions_are_those_of_the_account_of_the_days(old: bool, new: bool, expected: list[int]):
    daily = rebate(discount_frequency="P1D")
    plan = rates(flat("0.20"))
    segments = [PlanSegment(plan, OLD, daily if old else ()), PlanSegment(plan, NEW, daily if new else ())]
    assert cents(billed(hours(FIRST, LAST, "0.5"), *segments), "concession") == expected


def test_a_concession_of_one_account_counts_once_over_a_change_of_its_prices():
    once, share = rebate(), rebate(type="FIXED_PERCENTAGE", percentage="0.1", applied_to='["USAGE"]')
    old, new = (rates(flat(price)) for price in ("0.20", "0.30"))
    bill = billed(
        hours(FIRST, LAST, "0.5"), *(PlanSegment(plan, days, once + share) for plan, days in ((old, OLD), (new, NEW)))
    )
    # 360 x 0.22 + 384 x 0.33 = 205.92
    assert cents(bill, "concession") == [-100, -2059]
