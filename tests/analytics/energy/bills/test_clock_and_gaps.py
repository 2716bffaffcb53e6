"""Clocks, gaps, mixed intervals, reads without a time of day."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import polars as pl
import pytest

from tests.analytics.energy.bills.built import amounts, bill, codes, contract, flat, meter_days, reads_frame
from tests.problems import names
from toolkit.analytics.energy.bills import Options
from toolkit.answers.base import Note


def band(name: str, price: str, start: str, end: str, days: list[str] | None = None) -> dict[str, object]:
    window = {"start_time": start, "end_time": end, "days": days}
    return {"display_name": name, "rates": [{"unit_price": price}], "time_of_use": [window]}


MORNING = [band("Morning", "1", "07:00", "08:00"), band("Else", "0.1", "08:00", "07:00")]


def timed(zone: str | None) -> dict[str, object]:
    return contract(tariff_period=[{"time_of_use_rates": MORNING}], time_zone=zone)


@pytest.mark.parametrize(("zone", "hour"), [("AEST", 7), (None, 7), ("LOCAL", 6)])
def test_windows_are_read_on_the_plans_clock(zone, hour):
    # In January Sydney is an hour ahead of AEST: seven o'clock there is six on the meter's clock.
    day = date(2024, 1, 10)
    rows = meter_days(date(2024, 1, 9), 3, lambda at: "1" if (at.date(), at.hour) == (day, hour) else "0")
    priced = bill(timed(zone), rows, (day, day))
    assert [(line.label, line.quantity) for line in priced.lines] == [("Morning", 2)]


def test_the_tariff_periods_zone_outranks_the_contracts():
    day = date(2024, 1, 10)
    rows = meter_days(date(2024, 1, 9), 3, lambda at: "1" if (at.date(), at.hour) == (day, 6) else "0")
    given = contract(tariff_period=[{"time_of_use_rates": MORNING, "time_zone": "LOCAL"}], time_zone="AEST")
    assert [line.label for line in bill(given, rows, (day, day)).lines] == ["Morning"]


def test_days_of_23_and_25_hours():
    # Daylight saving ends on 7 April 2024 in Sydney: 25 hours of 2 × 1 kWh; it begins on 6 October: 23 hours.
    for day, kwh in ((date(2024, 4, 7), 50), (date(2024, 10, 6), 46)):
        rows = meter_days(day.replace(day=day.day - 1), 3, "1")
        priced = bill(flat("0.10", time_zone="LOCAL"), rows, (day, day))
        assert priced.lines[0].quantity == kwh
        assert priced.quality.missing_share == 0


def test_a_gap_is_said_and_not_priced():
    rows = [*meter_days(date(2024, 6, 1), 10, "0.5"), *meter_days(date(2024, 6, 16), 15, "0.5")]
    priced = bill(flat("0.10", supply="1"), rows, (date(2024, 6, 1), date(2024, 6, 30)))
    assert amounts(priced) == [("supply", "33.00"), ("usage", "66.00")]  # 25 days × 24 kWh
    assert priced.quality.missing_share == pytest.approx(5 / 30)
    (problem,) = [p for p in priced.problems if "no reads" in p.reason]
    assert "2024-06-11 to 2024-06-15" in problem.reason
    assert problem.severity == "warning"


@pytest.mark.parametrize(
    ("zone", "days", "note"),
    [
        ("AEST", 10, None),
        ("LOCAL", 10, Note("missing_at_edge", hours=1)),
        ("LOCAL", 9, Note("missing_reads", share=(1 + 23) / 240)),
    ],
)
def test_an_hour_before_the_first_meter_day_is_no_gap(zone: str, days: int, note: Note | None):
    # The first hour of 10 January in Sydney belongs to the meter day of 9 January.
    rows = meter_days(date(2024, 1, 10), days, "0.5")
    priced = bill(flat("0.10", time_zone=zone), rows, (date(2024, 1, 10), date(2024, 1, 19)))
    assert priced.quality.notes("kWh") == (() if note is None else (note,))


def test_measured_share():
    measured = reads_frame(meter_days(date(2024, 6, 1), 15, "0.5"))
    guessed = reads_frame(meter_days(date(2024, 6, 16), 15, "0.5"), quality="SUBSTITUTE")
    priced = bill(flat("0.10"), pl.concat([guessed, measured]), (date(2024, 6, 1), date(2024, 6, 30)))
    assert priced.quality.measured_share == pytest.approx(0.5)
    assert priced.quality.substituted_share == pytest.approx(0.5)


def test_changed_interval_length():
    rows = [*meter_days(date(2024, 6, 1), 1, "0.5"), *meter_days(date(2024, 6, 2), 1, "0.1", minutes=5)]
    priced = bill(timed("AEST"), rows, (date(2024, 6, 1), date(2024, 6, 2)))
    assert {line.label: line.quantity for line in priced.lines} == {
        "Morning": Fraction(22, 10),
        "Else": Fraction(506, 10),
    }


def test_whole_day_reads_suit_flat_rates_only():
    rows = meter_days(date(2024, 6, 1), 30, "24", minutes=1440)
    june = (date(2024, 6, 1), date(2024, 6, 30))
    assert amounts(bill(flat("0.10"), rows, june)) == [("usage", "79.20")]
    unpriceable = bill(timed("AEST"), rows, june)
    assert unpriceable.lines == ()
    assert unpriceable.unpriced == 720
    assert unpriceable.problems


def test_whole_day_reads_suit_bands_of_whole_days():
    days = [band("Work", "0.2", "0", "2359", ["BUSINESS_DAYS"]), band("Rest", "0.1", "0", "0", ["SAT", "SUN"])]
    rows = meter_days(date(2024, 6, 3), 7, "10", minutes=1440)
    priced = bill(contract(tariff_period=[{"time_of_use_rates": days}]), rows, (date(2024, 6, 3), date(2024, 6, 9)))
    assert amounts(priced) == [("usage", "11.00"), ("usage", "2.20")]


def test_energy_in_no_window_is_listed():
    given = contract(tariff_period=[{"time_of_use_rates": MORNING[:1]}])
    priced = bill(given, meter_days(date(2024, 6, 1), 1, "1"), (date(2024, 6, 1), date(2024, 6, 1)))
    assert priced.lines[0].quantity == 2
    assert priced.unpriced == 46
    assert any(names(problem.reason, "46") for problem in priced.problems)


def test_where_windows_overlap_the_shorter_counts():
    wide = {
        "display_name": "Wide",
        "rates": [{"unit_price": "0.1"}],
        "time_of_use": [{"start_time": "0", "end_time": "0"}],
    }
    given = contract(tariff_period=[{"time_of_use_rates": [wide, MORNING[0]]}])
    priced = bill(given, meter_days(date(2024, 6, 1), 1, "1"), (date(2024, 6, 1), date(2024, 6, 1)))
    assert {line.label: line.quantity for line in priced.lines} == {"Wide": 46, "Morning": 2}
    assert "windows_overlap" in codes(priced.notes)


def test_public_holidays_count_where_they_are_the_only_day_named():
    day = date(2024, 6, 10)  # King's Birthday, a Monday
    holiday = band("Holiday", "0.1", "0", "2358", ["PUBLIC_HOLIDAYS"])
    weekday = band("Weekday", "0.2", "0", "0", ["MON", "PUBLIC_HOLIDAYS"])
    given = contract(tariff_period=[{"time_of_use_rates": [holiday, weekday]}])
    rows = meter_days(day, 1, "1")
    known = bill(given, rows, (day, day), options=Options(holidays=frozenset({day})))
    assert {line.label for line in known.lines} == {"Holiday"}
    assert {line.label for line in bill(given, rows, (day, day)).lines} == {"Weekday"}
