"""Plans whose tariff periods stand on different clocks: days are the plan's, times of day each tariff's own.

Sydney is on AEST (UTC+10) in winter and an hour ahead in summer; daylight saving began on 6 October 2024.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analytics.energy.bills.built import Row, amounts, bill, contract, meter_days, reads_frame
from toolkit.analytics.energy.bills import Options, Period, prepare
from toolkit.analytics.energy.pricing import Market, price_market
from toolkit.analytics.energy.rates import compile_plan
from toolkit.tables.rows.plans import read_plan

pytestmark = pytest.mark.slow


def season(first: str, last: str, zone: str, price: str, window: tuple[str, str] | None = None) -> dict[str, object]:
    """One price all day, or `price` in the window and nothing else there."""
    given_rate = {"rates": [{"unit_price": price}]}
    period: dict[str, object] = {"start_date": first, "end_date": last, "time_zone": zone, "display_name": first}
    if window is None:
        return {**period, "single_rate": given_rate}
    start, end = window
    band = {**given_rate, "type": "PEAK", "time_of_use": [{"start_time": start, "end_time": end}]}
    return {**period, "time_of_use_rates": [band]}


def hours(at: datetime) -> str:
    """1 kWh in each half hour, 100 in the one from 23:00 AEST, which is midnight in Sydney's summer."""
    return "100" if (at.hour, at.minute) == (23, 0) else "1"


@pytest.mark.parametrize("clocks", [("AEST", "LOCAL"), ("LOCAL", "AEST")])
def test_the_hour_where_two_seasons_meet_is_priced_once(clocks: tuple[str, str]):
    """48 half hours a day of 31 October and 1 November, and the two around them; summer prices begin on 1 November."""
    plan = {"tariff_period": [season("11-01", "04-30", clocks[1], "1.00"), season("05-01", "10-31", clocks[0], "0.10")]}
    rows = meter_days(date(2024, 10, 30), 4, hours)
    both = bill(plan, rows, (date(2024, 10, 31), date(2024, 11, 1)))
    usage = [line for line in both.lines if line.component == "usage"]
    assert sum(line.quantity for line in usage) == 2 * (47 + 100)
    assert both.unpriced == 0
    # the first period listed gives the plan its clock: in Sydney 31 October ends an hour before its end in AEST
    assert [line.quantity for line in sorted(usage, key=lambda line: line.unit_price)] == [147, 147]


def test_a_window_is_read_on_the_clock_of_its_own_tariff():
    """Days count on AEST; the summer tariff's window 00:00-01:00 is Sydney's, so 23:00 AEST of the day before."""
    plan = {
        "tariff_period": [
            season("05-01", "10-31", "AEST", "0.10"),
            season("11-01", "04-30", "LOCAL", "1.00", ("00:00", "01:00")),
        ]
    }
    rows = meter_days(date(2024, 11, 1), 2, hours)
    day = date(2024, 11, 1)
    priced = bill(plan, rows, (day, day))
    # from 23:00 AEST of 1 November, which is 2 November in Sydney: 101 kWh × 1.00 × 1.1; the rest is in no window
    assert amounts(priced) == [("usage", "111.10")]
    assert priced.unpriced == 46


def test_weekdays_of_a_window_are_those_of_its_own_clock():
    """Friday 15 November, 23:00 AEST, is Saturday in Sydney."""
    weekend = {"rates": [{"unit_price": "0.10"}], "type": "OFF_PEAK"}
    weekday = {"rates": [{"unit_price": "1.00"}], "type": "PEAK"}
    bands = [
        {**weekend, "time_of_use": [{"start_time": "00:00", "end_time": "00:00", "days": ["SAT", "SUN"]}]},
        {**weekday, "time_of_use": [{"start_time": "00:00", "end_time": "00:00", "days": ["BUSINESS_DAYS"]}]},
    ]
    local = {"start_date": "11-01", "end_date": "04-30", "time_zone": "LOCAL", "time_of_use_rates": bands}
    plan = {"tariff_period": [season("05-01", "10-31", "AEST", "0.10"), local]}
    friday = date(2024, 11, 15)
    priced = bill(plan, meter_days(friday, 1, hours), (friday, friday))
    assert [(line.unit_price, line.quantity) for line in priced.lines] == [
        (Decimal("0.10"), 101),
        (Decimal("1.00"), 46),
    ]


def test_demand_of_a_month_counts_each_half_hour_on_its_own_clock():
    """The peak of 31 October, 23:00 AEST, lies in October on the plan's clock, at midnight on the charge's."""
    demand = {"amount": "0.50", "start_time": "00:00", "end_time": "01:00", "measure_unit": "KW"}
    plan = {
        "tariff_period": [
            {"time_zone": "AEST", "single_rate": {"rates": [{"unit_price": "0"}]}},
            {"time_zone": "LOCAL", "demand_charges": [demand]},
        ]
    }

    def peak(at: datetime) -> str:
        return "3" if (at.day, at.hour, at.minute) == (31, 23, 0) else "0"

    rows = meter_days(date(2024, 10, 30), 4, peak)
    by_month = [(date(2024, 10, 31), date(2024, 10, 31)), (date(2024, 11, 1), date(2024, 11, 1))]
    priced = bill(plan, rows, *by_month)
    # 3 kWh in half an hour are 6 kW: 6 × 0.50 × 1.1 for October's day, nothing for November's
    assert [line.amount for line in priced.lines if line.component == "demand"] == [Decimal("3.30"), 0]


ZONES = ("Australia/Sydney", "Australia/Adelaide", "Australia/Perth", "Australia/Lord_Howe", "Australia/Brisbane")
CUTS = ("01-01", "04-07", "07-01", "10-06", "12-25")
ENDS = ("04-06", "06-30", "10-05", "12-24", "12-31")


@st.composite
def mixed_plans(draw: st.DrawFn) -> list[dict[str, object]]:
    """Seasons that tile the year, some from where daylight saving changes; each on either clock."""
    clocks = draw(st.lists(st.sampled_from(["AEST", "LOCAL"]), min_size=5, max_size=5))
    return [
        {
            **season(first, last, zone, "0"),
            "single_rate": None,
            "time_of_use_rates": [
                {"display_name": f"{first} day", **rate("0.2"), "time_of_use": window("07:00", "23:00", WEEKDAYS)},
                {"display_name": f"{first} night", **rate("0.1"), "time_of_use": window("00:00", "00:00", [])},
            ],
        }
        for first, last, zone in zip(CUTS, ENDS, clocks, strict=True)
    ]


WEEKDAYS = ["MON", "TUE", "WED", "THU", "FRI"]


def rate(price: str) -> dict[str, object]:
    return {"rates": [{"unit_price": price}]}


def window(start: str, end: str, days: list[str]) -> list[dict[str, object]]:
    return [{"start_time": start, "end_time": end, "days": days}]


def by_hand(periods: list[dict[str, object]], zone: str, rows: list[Row]) -> dict[str, Fraction]:
    """Read by read: the season of its day on the first period's clock, the band of its time on the season's own."""
    zones = {"AEST": ZoneInfo("Etc/GMT-10"), "LOCAL": ZoneInfo(zone)}
    found: dict[str, Fraction] = defaultdict(Fraction)
    for start, _, _, kwh in rows:
        day = f"{start.astimezone(zones[str(periods[0]['time_zone'])]):%m-%d}"
        own = next(p for p in periods if str(p["start_date"]) <= day <= str(p["end_date"]))
        at = start.astimezone(zones[str(own["time_zone"])])
        by_day = at.weekday() < 5 and 7 <= at.hour < 23
        found[f"{own['start_date']} {'day' if by_day else 'night'}"] += Fraction(kwh or 0)
    return found


@settings(max_examples=40)
@given(
    mixed_plans(),
    st.sampled_from(ZONES),
    st.sampled_from([5, 30]),
    st.sampled_from([date(2024, 4, 4), date(2024, 10, 3), date(2024, 12, 23)]),
)
def test_every_read_is_priced_once_and_in_its_own_window(periods: list, zone: str, minutes: int, first: date):
    """Interval n carries 1 + n × 10^-9 kWh: any that were lost or doubled would show in the sums."""
    midnight = datetime(first.year, first.month, first.day, tzinfo=UTC) - timedelta(hours=14)
    rows = [
        (midnight + timedelta(minutes=minutes * n), minutes, "general", 1 + Decimal(n).scaleb(-9))
        for n in range(8 * 1440 // minutes)
    ]
    days = [first + timedelta(n) for n in range(-2, 10)]
    plan = {"tariff_period": periods}
    for bills in ([(days[0], days[-1])], [(day, day) for day in days]):
        priced = bill(plan, rows, *bills, zone=zone)
        energy: dict[str, Fraction] = defaultdict(Fraction)
        for line in priced.lines:
            energy[line.label.rpartition(": ")[2]] += line.quantity
        assert {name: kwh for name, kwh in energy.items() if kwh} == by_hand(periods, zone, rows)
        assert priced.unpriced == 0


def test_a_comparison_prices_them_as_a_bill_does():
    plan = {
        "tariff_period": [
            season("05-01", "10-31", "AEST", "0.10"),
            season("11-01", "04-30", "LOCAL", "1.00", ("00:00", "00:00")),
        ]
    }
    rows = meter_days(date(2024, 10, 25), 14, hours)
    span = (date(2024, 10, 26), date(2024, 11, 5))
    rates = compile_plan(
        read_plan({"plan_id": "P", "electricity_contract": {"time_zone": "AEST", **plan}}), "ELECTRICITY"
    )
    usage = prepare(reads_frame(rows), zone="Australia/Sydney")
    found = price_market(Market.of([rates]), usage, [Period(*span)], Options())
    assert found.totals.tolist() == [bill(plan, rows, span).total_minor]


def test_a_day_that_holds_no_half_hour_of_the_window_charges_the_least_demand():
    # Weekend midnights in Sydney are Saturday and Sunday 13:00-14:00 UTC before: none is in AEST Monday 1 April 2024.
    charge = {"amount": "0.10", "start_time": "0000", "end_time": "0030", "days": ["SAT", "SUN"], "min_demand": "2"}
    usual = {"time_zone": "AEST", "single_rate": {"rates": [{"unit_price": "0"}]}}
    given = contract(tariff_period=[usual, {"time_zone": "LOCAL", "demand_charges": [charge]}])
    monday = (date(2024, 4, 1), date(2024, 4, 1))
    priced = bill(given, meter_days(date(2024, 3, 31), 3, "1"), monday)
    # 2 kW x 1 day x 0.10 x 1.1
    assert ("demand", "0.22") in amounts(priced)
    assert priced.problems == ()
