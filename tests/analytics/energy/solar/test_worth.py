"""What solar is worth: the same prices, holidays and clocks as a bill's."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from tests.analytics.energy.bills.built import AEST, flat, meter_days, reads_frame
from tests.meters import flat_plan, level
from toolkit.analytics.energy.bills import Options, Period, PlanSegment
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.analytics.energy.solar.worth import value_of
from toolkit.answers.energy.solar import MoneyRange
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.solar import solar
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.tables.rows.plans import read_plan

NMI = "4103000001"
ALL_DAY = {"startTime": "00:00", "endTime": "00:00"}


@pytest.mark.parametrize(
    ("postcode", "first", "last", "worth"),
    [
        ("2000", date(2024, 12, 1), date(2024, 12, 31), "38.40"),  # 31 × 1.20; Christmas and Boxing Day
        ("2000", date(2024, 11, 1), date(2024, 11, 30), "36.00"),  # 30 × 1.20
        ("3000", date(2024, 11, 1), date(2024, 11, 30), "36.60"),  # Melbourne Cup Day
    ],
)
def test_a_public_holiday_of_the_state_pays_as_its_bill_does(
    tmp_path: Path, postcode: str, first: date, last: date, worth: str
) -> None:
    """24 kWh sold on each day, at 5 c: 1.20; on holidays 4 kWh of it, from 10 to 14, at 20 c: 0.60 more."""
    holiday = {"days": ["PUBLIC_HOLIDAYS"], "startTime": "10:00", "endTime": "14:00"}
    prices = [("PEAK", "0.20", holiday), ("OFF_PEAK", "0.05", ALL_DAY)]
    varying = [{"type": kind, "rates": [{"unitPrice": price}], "timeVariations": [at]} for kind, price, at in prices]
    (tmp_path / "plan.json").write_text(flat_plan(solarFeedInTariff=[{"timeVaryingTariffs": varying}]))
    for suffix in ("E1", "B1"):
        (tmp_path / f"{suffix}.csv").write_text(level(NMI, date(2024, 11, 1), 61, "0.5", suffix))
    ctx = Context(tmp_path / "home.db", date(2025, 1, 10))
    load(ctx, [tmp_path])
    set_home(ctx, postcode=postcode)
    (point,) = solar(ctx, panels_kw=5, from_=first, to=last).service_points
    assert point.feed_in_value == Decimal(worth) == -bill(ctx, BillingQuestion(first, last)).components["feed_in"]


def on(clock: str) -> Rates:
    feed_in = [{"single_tariff": {"rates": [{"unit_price": "0.10"}]}}]
    given = {**flat("0.30", solar_feed_in_tariff=feed_in), "time_zone": clock}
    return compile_plan(read_plan({"plan_id": clock, "electricity_contract": given}), "ELECTRICITY")


@pytest.mark.parametrize("clocks", [("AEST", "LOCAL"), ("LOCAL", "AEST"), ("AEST", "AEST"), ("LOCAL", "LOCAL")])
def test_between_plans_of_two_clocks_no_hour_is_lost_or_doubled(clocks: tuple[str, str]) -> None:
    """In summer Sydney's 16 January begins at 23:00 AEST of the 15th: 10 kWh are sold in that hour, 2 made and used."""
    first, change, last = date(2025, 1, 2), date(2025, 1, 16), date(2025, 1, 31)

    def sold(at: datetime) -> str:
        return "5" if (at.date(), at.hour) == (change - timedelta(1), 23) else "0.1"

    days = date(2024, 12, 30), 36
    reads = reads_frame([*meter_days(*days, "0.5"), *meter_days(*days, sold, role="export")])
    used = [start for start, *_ in meter_days(*days, "1") if sold(start + AEST) == "5"]
    slots = pl.DataFrame({"starts_at": used, "used_kwh": [1.0] * len(used)})
    segments = [
        PlanSegment(on(clocks[0]), Period(first, change - timedelta(1))),
        PlanSegment(on(clocks[1]), Period(change, last)),
    ]
    shares = (0.5, 1.0, 2.0)
    worth = value_of(reads, slots, segments, zone="Australia/Sydney", options=Options(), self_use_shares=shares)
    # 30 days × 4.8 kWh, and 2 × 4.9 more: 153.8 × 0.10; 1, 2 and 4 kWh × 0.30 × 1.1
    assert worth.feed_in == Decimal("15.38")
    assert worth.avoided_import == MoneyRange(Decimal("0.33"), Decimal("0.66"), Decimal("1.32"))
    assert worth.problems == ()
    assert [segment.plan_id for segment in worth.plans or ()] == list(clocks)
