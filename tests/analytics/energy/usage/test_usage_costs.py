"""What usage costs by hour, on small plans. Every figure by hand."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.analytics.energy.bills.built import flat, meter_days, reads_frame
from toolkit.analytics.energy.bills import Options, Period, PlanSegment, prepare
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.analytics.energy.usage.costs import usage_costs
from toolkit.answers.energy.usage_costs import UsageCosts
from toolkit.tables.rows.plans import read_plan

BRISBANE, SYDNEY = "Australia/Brisbane", "Australia/Sydney"
FIRST, LAST = date(2025, 6, 2), date(2025, 6, 15)


def rates(contract: dict[str, Any]) -> Rates:
    return compile_plan(read_plan({"plan_id": "P", "electricity_contract": contract}), "ELECTRICITY")


def time_of_use(time_zone: str) -> Rates:
    """40 cents (44 with GST) from 16:00 to 21:00, else 20 (22); a dollar a day (1.10)."""
    day = {"days": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]}
    peak = {"type": "PEAK", "rates": [{"unit_price": "0.40"}]}
    off_peak = {"type": "OFF_PEAK", "rates": [{"unit_price": "0.20"}]}
    period = {
        "display_name": "All year",
        "start_date": "01-01",
        "end_date": "12-31",
        "daily_supply_charge": "1.00",
        "rate_block_u_type": "timeOfUseRates",
        "time_of_use_rates": [
            {**peak, "time_of_use": [{**day, "start_time": "16:00", "end_time": "21:00"}]},
            {**off_peak, "time_of_use": [{**day, "start_time": "21:00", "end_time": "16:00"}]},
        ],
    }
    return rates({"pricing_model": "TIME_OF_USE", "time_zone": time_zone, "tariff_period": [period]})


def costs_of(plan: Rates, *rows: Any, zone: str = BRISBANE, always_on_kw: float | None = None) -> UsageCosts:
    usage = prepare(reads_frame([row for days in rows for row in days]), zone=zone)
    costs = usage_costs(usage, [PlanSegment(plan, Period(FIRST, LAST))], options=Options(), always_on_kw=always_on_kw)
    assert costs is not None
    return costs


def test_each_hour_costs_its_price_and_all_together_the_bill() -> None:
    costs = costs_of(time_of_use("AEST"), meter_days(FIRST, 14, "0.5"), always_on_kw=0.4)
    # 14 days of 1 kWh an hour: 14 × 0.22 in cheap hours, 14 × 0.44 in the five dear ones
    assert {row.hour: row.cost for row in costs.hours} == {
        hour: Decimal("6.16") if 16 <= hour < 21 else Decimal("3.08") for hour in range(24)
    }
    assert {row.cents_per_kwh for row in costs.hours} == {22.0, 44.0}
    assert costs.energy_cost == sum(row.cost for row in costs.hours) == Decimal("89.32")
    assert (costs.other, costs.total) == ({"supply": Decimal("15.40")}, Decimal("104.72"))
    parts = {part.name: (part.kwh, part.cost) for part in costs.parts}
    # 9 cheap hours at night, 9 cheap and one dear by day, 4 dear and one cheap in the evening; 0.4 kW all the time
    assert parts == {
        "always_on": (pytest.approx(134.4), Decimal("35.73")),
        "night": (126.0, Decimal("27.72")),
        "day": (140.0, Decimal("33.88")),
        "evening": (70.0, Decimal("27.72")),
    }


def test_hours_are_local_where_the_prices_are_on_the_meters_time() -> None:
    """In January 16:00 AEST is 17:00 in Sydney."""
    plan = time_of_use("AEST")
    reads = reads_frame(meter_days(date(2025, 1, 6), 7, "0.5"))
    segment = PlanSegment(plan, Period(date(2025, 1, 6), date(2025, 1, 12)))
    costs = usage_costs(prepare(reads, zone=SYDNEY), [segment], options=Options(), always_on_kw=None)
    assert costs is not None
    assert [row.hour for row in costs.hours if row.cost == Decimal("3.08")] == [17, 18, 19, 20, 21]


def test_blocks_cost_their_mean_within_the_month() -> None:
    """100 kWh a month at 10 cents, the rest at 30: of 336 kWh 100 × 0.11 + 236 × 0.33 = 88.88, 26.45 cents a kWh."""
    period = {
        "start_date": "01-01",
        "end_date": "12-31",
        "daily_supply_charge": "0",
        "rate_block_u_type": "singleRate",
        "single_rate": {
            "period": "P1M",
            "rates": [{"unit_price": "0.10", "volume": 214.28571428571428}, {"unit_price": "0.30"}],
        },
    }
    plan = rates({"pricing_model": "SINGLE_RATE", "time_zone": "AEST", "tariff_period": [period]})
    costs = costs_of(plan, meter_days(FIRST, 14, "0.5"))
    assert costs.energy_cost == Decimal("88.88")
    assert {row.cost for row in costs.hours} == {Decimal("3.70")}
    assert "costs_of_blocks" in costs.note_codes


def test_controlled_load_is_apart_with_its_own_price() -> None:
    load = [{"single_rate": {"daily_supply_charge": "0.10", "rates": [{"unit_price": "0.15"}]}, "display_name": "CL"}]
    load = [{**load[0], "rate_block_u_type": "singleRate"}]
    plan = rates({**flat("0.30", controlled_load=load), "time_zone": "AEST"})

    def at_night(at: datetime) -> str:
        return "1" if at.hour < 2 else "0"

    costs = costs_of(plan, meter_days(FIRST, 14, "0.5"), meter_days(FIRST, 14, at_night, role="controlled"))
    parts = {part.name: (part.kwh, part.cost) for part in costs.parts}
    assert parts["controlled_load"] == (56.0, Decimal("9.24"))  # 56 × 0.165
    midnight = costs.hours[0]
    assert (midnight.kwh, midnight.controlled_load_kwh, midnight.cost) == (14.0, 28.0, Decimal("9.24"))
    assert costs.energy_cost == Decimal("110.88") + Decimal("9.24")


def test_without_reads_within_the_day_there_are_no_hours() -> None:
    usage = prepare(reads_frame(meter_days(FIRST, 14, "24", minutes=1440)), zone=BRISBANE)
    segment = PlanSegment(time_of_use("AEST"), Period(FIRST, LAST))
    assert usage_costs(usage, [segment], options=Options(), always_on_kw=None) is None
