"""A bill followed back to the meter: days and reads under the price that took them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings

from tests.analytics.energy.bills.built import contract, flat, meter_days, reads_frame
from tests.analytics.energy.bills.generated import Case, cases
from toolkit.analytics.energy.bills import Options, Period, prepare, price
from toolkit.analytics.energy.bills.trace import UNPRICED, by_day, reads_of
from toolkit.analytics.energy.rates import compile_plan
from toolkit.analytics.energy.rates.model import Rates
from toolkit.tables.rows.plans import read_plan

WEEKDAYS = ["MON", "TUE", "WED", "THU", "FRI"]
TWO_RATES = [
    {"rates": [{"unit_price": "0.50"}], "display_name": "Peak", "time_of_use": [
        {"days": WEEKDAYS, "start_time": "1500", "end_time": "2059"}]},
    {"rates": [{"unit_price": "0.20"}], "display_name": "Off peak", "time_of_use": [
        {"days": WEEKDAYS, "start_time": "2100", "end_time": "1459"},
        {"days": ["SAT", "SUN"], "start_time": "0000", "end_time": "2359"}]},
]  # fmt: skip
FRIDAY, SATURDAY = date(2024, 6, 7), date(2024, 6, 8)
TWO_DAYS = [Period(FRIDAY, SATURDAY)]


def rates_of(given: dict[str, Any], metering: Sequence[dict[str, Any]] = ()) -> Rates:
    return compile_plan(
        read_plan({"plan_id": "P", "electricity_contract": given, "metering_charges": metering}), "ELECTRICITY"
    )


def used(at: datetime) -> str:
    """1 kWh in each half hour from 15:00 to 16:00, nothing else."""
    return "1" if at.hour == 15 else "0"


def test_each_day_stands_under_the_price_that_took_it() -> None:
    rates = rates_of(contract(tariff_period=[{"time_of_use_rates": TWO_RATES}]))
    usage = prepare(reads_frame(meter_days(FRIDAY, 2, used)), zone="Australia/Sydney")
    found = by_day(usage, rates, TWO_DAYS, options=Options())
    # Friday 15:00 to 16:00 is peak; on Saturday the same hour is off peak.
    assert found.rows() == [
        ("usage", "Peak", FRIDAY, 2_000_000_000, "kWh", True),
        ("usage", "Peak", SATURDAY, 0, "kWh", True),
        ("usage", "Off peak", FRIDAY, 0, "kWh", True),
        ("usage", "Off peak", SATURDAY, 2_000_000_000, "kWh", True),
    ]


def test_each_read_of_a_day_has_its_price() -> None:
    rates = rates_of(contract(tariff_period=[{"time_of_use_rates": TWO_RATES}]))
    usage = prepare(reads_frame(meter_days(FRIDAY, 2, used)), zone="Australia/Sydney")
    found = reads_of(usage, rates, FRIDAY, options=Options())
    assert found.height == 48
    at = pl.col("time").dt.to_string("%H:%M")
    around = found.filter(at.is_between(pl.lit("14:30"), pl.lit("15:30"))).select(at, "label", "energy_nano")
    assert around.rows() == [
        ("14:30", "Off peak", 0),
        ("15:00", "Peak", 1_000_000_000),
        ("15:30", "Peak", 1_000_000_000),
    ]
    assert found.with_columns(at).row(0, named=True) == {
        "component": "usage",
        "label": "Off peak",
        "time": "00:00",
        "interval_minutes": 30,
        "meter_id": "M",
        "register_suffix": "E1",
        "energy_nano": 0,
        "quality": "ACTUAL",
    }


def test_controlled_load_without_its_own_price_is_found_under_usage() -> None:
    rates = rates_of(flat("0.30"))
    rows = [*meter_days(FRIDAY, 1, "0.5"), *meter_days(FRIDAY, 1, "0.25", role="controlled")]
    usage = prepare(reads_frame(rows), zone="Australia/Sydney")
    found = reads_of(usage, rates, FRIDAY, options=Options())
    by_register = found.group_by("register_suffix", "component").agg(pl.col("energy_nano").sum())
    assert sorted(by_register.rows()) == [("E1", "usage", 24_000_000_000), ("E2", "usage", 12_000_000_000)]
    days = by_day(usage, rates, [Period(FRIDAY, FRIDAY)], options=Options())
    assert days["nano"].to_list() == [36_000_000_000]


def test_energy_that_no_price_takes_is_shown_as_such() -> None:
    only_peak = contract(tariff_period=[{"time_of_use_rates": TWO_RATES[:1]}])
    usage = prepare(reads_frame(meter_days(FRIDAY, 1, "0.5")), zone="Australia/Sydney")
    found = by_day(usage, rates_of(only_peak), [Period(FRIDAY, FRIDAY)], options=Options())
    # 12 half hours of peak at 0.5 kWh; the other 36 are in no window.
    assert found.select("label", "nano", "priced").rows() == [
        ("Peak", 6_000_000_000, True),
        (UNPRICED, 18_000_000_000, False),
    ]
    reads = reads_of(usage, rates_of(only_peak), FRIDAY, options=Options())
    assert reads["label"].null_count() == 36


def test_export_without_a_feed_in_tariff_is_shown_as_such() -> None:
    rows = [*meter_days(FRIDAY, 1, "0.5"), *meter_days(FRIDAY, 1, "0.1", role="export")]
    usage = prepare(reads_frame(rows), zone="Australia/Sydney")
    rates = rates_of(flat("0.30"))
    found = by_day(usage, rates, [Period(FRIDAY, FRIDAY)], options=Options())
    # 48 half hours of 0.5 kWh bought and 0.1 kWh sold
    assert found.select("component", "label", "nano").rows() == [
        ("usage", "tariff period", 24_000_000_000),
        ("feed_in", UNPRICED, 4_800_000_000),
    ]
    reads = reads_of(usage, rates, FRIDAY, options=Options())
    sold = reads.filter(pl.col("register_suffix") == "B1")
    assert sold.select("component", "label", "energy_nano").unique().rows() == [("feed_in", None, 100_000_000)]
    assert (reads.height, sold.height) == (96, 48)
    assert sold["time"].to_list() == reads.filter(pl.col("register_suffix") == "E1")["time"].to_list()


def test_days_that_no_tariff_period_covers_are_shown_as_such() -> None:
    """Prices up to 7 June only; hot water on a register of its own, solar, and a feed-in for winter from 8 June."""
    of_june = {"start_date": "01-01", "end_date": "06-07", "single_rate": {"rates": [{"unit_price": "0.3"}]}}
    feed_in = {"start_date": "06-08", "end_date": "12-31", "single_tariff": {"rates": [{"unit_price": "0.05"}]}}
    rates = rates_of(contract(tariff_period=[of_june], solar_feed_in_tariff=[feed_in]))
    amounts = {"general": "0.5", "controlled": "0.25", "export": "0.1"}
    rows = [row for role, kwh in amounts.items() for row in meter_days(FRIDAY, 2, kwh, role=role)]
    usage = prepare(reads_frame(rows), zone="Australia/Sydney")
    found = by_day(usage, rates, TWO_DAYS, options=Options())
    by_name = [
        (c, "price" if label != UNPRICED else label, day, nano / 1e9) for c, label, day, nano, *_ in found.rows()
    ]
    assert by_name == [
        ("usage", "price", FRIDAY, 36),  # the hot water has no tariff of its own
        ("feed_in", "price", SATURDAY, 4.8),
        ("usage", UNPRICED, SATURDAY, 24),
        ("controlled_load", UNPRICED, SATURDAY, 12),
        ("feed_in", UNPRICED, FRIDAY, 4.8),
    ]
    assert labels_of(reads_of(usage, rates, FRIDAY, options=Options())) == {
        ("E1", "usage", True, 48),
        ("E2", "usage", True, 48),
        ("B1", "feed_in", False, 48),
    }
    assert labels_of(reads_of(usage, rates, SATURDAY, options=Options())) == {
        ("E1", "usage", False, 48),
        ("E2", "controlled_load", False, 48),
        ("B1", "feed_in", True, 48),
    }


def labels_of(reads: pl.DataFrame) -> set[tuple[str, str, bool, int]]:
    """Register, component, whether a price takes it, and how many reads."""
    priced = pl.col("label").is_not_null().alias("priced")
    return set(reads.group_by("register_suffix", "component", priced).len().rows())


def test_reads_of_a_day_are_given_whatever_their_value() -> None:
    """No tariff at all takes the second register's nothing, and one read has no value."""
    rows = [*meter_days(FRIDAY, 1, "0", role="export"), *meter_days(FRIDAY, 1, "1")[1:]]
    rows.append((meter_days(FRIDAY, 1, "1")[0][0], 30, "general", None))
    usage = prepare(reads_frame(rows), zone="Australia/Sydney")
    reads = reads_of(usage, rates_of(flat("0.30")), FRIDAY, options=Options())
    assert labels_of(reads) == {("B1", "feed_in", False, 48), ("E1", "usage", True, 48)}
    assert reads["energy_nano"].null_count() == 1
    days = by_day(usage, rates_of(flat("0.30")), [Period(FRIDAY, FRIDAY)], options=Options())
    assert days.select("component", "nano").rows() == [("usage", 47_000_000_000)]


def test_demand_shows_the_highest_half_hour_of_each_day() -> None:
    charge = {"demand_charges": [{"display_name": "Demand", "amount": "0.1", "start_time": "1500", "end_time": "2059",
              "days": [*WEEKDAYS, "SAT", "SUN"]}]}  # fmt: skip
    rates = rates_of(contract(tariff_period=[{"single_rate": {"rates": [{"unit_price": "0.3"}]}, **charge}]))
    usage = prepare(reads_frame(meter_days(FRIDAY, 2, used)), zone="Australia/Sydney")
    found = by_day(usage, rates, TWO_DAYS, options=Options()).filter(pl.col("component") == "demand")
    # 1 kWh in half an hour is 2 kW.
    assert found.rows() == [
        ("demand", "Demand", FRIDAY, 2_000_000_000, "kW", True),
        ("demand", "Demand", SATURDAY, 2_000_000_000, "kW", True),
    ]


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(cases())
def test_days_add_up_to_the_lines_and_reads_to_the_days(case: Case) -> None:
    rates, periods = rates_of(case.contract, case.metering), [Period(*p) for p in case.periods]
    usage = prepare(reads_frame((r.start, r.minutes, r.role, r.kwh) for r in case.reads), zone=case.zone)
    options = Options(blocks=case.blocks, discounts=case.discounts, holidays=case.holidays)
    days = by_day(usage, rates, periods, options=options)
    billed: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for line in price(usage, rates, periods, options=options).lines:
        if line.component in ("usage", "controlled_load") and line.unit == "kWh":
            billed[line.component, line.price_label] += line.quantity
    taken = days.filter(pl.col("component").is_in(["usage", "controlled_load"]), pl.col("label") != UNPRICED)
    totals = taken.group_by("component", "label").agg(pl.col("nano").sum()).filter(pl.col("nano") > 0)
    assert {(c, label): Fraction(nano, 10**9) for c, label, nano in totals.rows()} == billed

    one = periods[0].first
    reads = reads_of(usage, rates, one, options=options).with_columns(pl.col("label").fill_null(UNPRICED))
    by_read = reads.group_by("component", "label").agg(pl.col("energy_nano").sum())
    that_day = days.filter((pl.col("date") == one) & (pl.col("component") != "demand") & (pl.col("nano") > 0))
    by_that_day = that_day.group_by("component", "label").agg(pl.col("nano").sum())
    assert sorted(by_read.filter(pl.col("energy_nano") > 0).rows()) == sorted(by_that_day.rows())

    energy = days.filter(pl.col("component") != "demand")
    clock = ZoneInfo("Etc/GMT-10" if rates.time_zone == "AEST" else case.zone)
    first, last = periods[0].first, periods[-1].last
    for day in {first, last}:
        read = [r.kwh for r in case.reads if r.start.astimezone(clock).date() == day]
        assert reads_of(usage, rates, day, options=options).height == len(read)
        assert energy.filter(pl.col("date") == day)["nano"].sum() == sum(kwh or 0 for kwh in read) * 10**9
