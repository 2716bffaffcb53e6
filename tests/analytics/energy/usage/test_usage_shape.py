"""When energy is used: half hours, average days, base load, peak. Expected values by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import polars as pl
import pytest

from toolkit.analytics.energy.usage import (
    half_hours,
    heat_map,
    load_duration,
    reliable_base_load_kw,
    service_point_usage,
)

Day = Callable[..., pl.DataFrame]
SYDNEY = "Australia/Sydney"
WINTER_MONDAY = date(2025, 6, 2)


def test_reads_of_any_length_meet_on_half_hours(of_day: Day) -> None:
    slots = half_hours(
        pl.concat(
            [
                of_day(WINTER_MONDAY, [0.1] * 288),
                of_day(WINTER_MONDAY + timedelta(1), [0.2] * 96),
                of_day(WINTER_MONDAY + timedelta(2), [1.0] * 24),
                of_day(WINTER_MONDAY + timedelta(3), [0.3] * 72),
            ]
        )
    )
    by_day = [round(slots["import_kwh"].slice(48 * n, 48).unique().item(), 9) for n in range(3)]
    assert by_day == [0.6, 0.4, 0.5]
    assert slots["import_kwh"].sum() == pytest.approx(28.8 + 19.2 + 24.0 + 21.6)


def test_half_an_unmeasured_half_hour_is_unknown(of_day: Day) -> None:
    slots = half_hours(of_day(WINTER_MONDAY, [0.1, 0.1, None, 0.1, 0.1, 0.1] + [0.1] * 282))
    assert slots["import_kwh"].head(2).to_list() == [None, pytest.approx(0.6)]


def test_import_is_unknown_where_one_of_its_registers_is(of_day: Day) -> None:
    slots = half_hours(
        pl.concat(
            [
                of_day(WINTER_MONDAY, [1.0] * 48),
                of_day(WINTER_MONDAY, [1.0, None, 1.0, 1.0] * 12, suffix="E2", controlled_load=True),
            ]
        )
    )
    assert slots["import_kwh"].head(3).to_list() == [2.0, None, 2.0]
    assert slots["general_kwh"].head(3).to_list() == [1.0, 1.0, 1.0]
    assert slots["export_kwh"].null_count() == 48


def test_peak_is_the_highest_half_hour_mean_in_local_time(of_day: Day) -> None:
    spike = [0.0] * 288
    spike[216:222] = [0.1, 0.1, 0.8, 0.1, 0.1, 0.0]
    summer = service_point_usage(of_day(date(2025, 1, 6), spike), zone=SYDNEY)
    assert summer.peak.kw == 2.4
    assert summer.peak.at.isoformat() == "2025-01-06T19:00:00+11:00"
    queensland = service_point_usage(of_day(date(2025, 1, 6), spike), zone="Australia/Brisbane")
    assert queensland.peak.at.isoformat() == "2025-01-06T18:00:00+10:00"
    assert summer.load_factor == pytest.approx(1.2 / 24 / 2.4, abs=1e-6)


def test_base_load_is_of_the_night_without_controlled_load(of_day: Day) -> None:
    night = [0.2, 0.2, 0.1, *([0.2] * 6), 0.3] + [2.0] * 38  # 01:00 to 05:00 are positions 2 to 9
    heater = [2.0] * 10 + [0.0] * 38
    answer = service_point_usage(
        pl.concat([of_day(WINTER_MONDAY, night), of_day(WINTER_MONDAY, heater, suffix="E2", controlled_load=True)]),
        zone=SYDNEY,
    )
    # sorted kW: 0.2, 0.4 × 6, 0.6; the 5th percentile lies 0.35 of the way from the first to the second
    assert answer.base_load_kw == pytest.approx(0.2 + 0.35 * 0.2)


def test_what_is_always_on_is_not_told_by_nights_with_a_machine_or_a_battery(of_day: Day) -> None:
    """0.1 kWh a half hour; 1.1 from midnight to six (a vehicle); nothing from ten at night to six (a battery)."""
    vehicle = [1.1] * 12 + [0.1] * 36
    battery = [0.0] * 12 + [0.1] * 32 + [0.0] * 4
    for shown, code in (([0.1] * 48, None), (vehicle, "more_at_night"), (battery, "nothing_at_night")):
        reads = pl.concat([of_day(date(2026, 5, 1) + timedelta(n), shown) for n in range(20)])
        (basis,) = (
            row for row in service_point_usage(reads, zone="Australia/Brisbane").basis if row.figure == "base_load_kw"
        )
        assert (basis.is_enough, basis.reason and basis.reason.code) == (code is None, code)
        assert (reliable_base_load_kw(reads, zone="Australia/Brisbane") is None) == (code is not None)


def test_base_load_adds_registers_of_different_lengths(of_day: Day) -> None:
    answer = service_point_usage(
        pl.concat([of_day(WINTER_MONDAY, [0.01] * 288), of_day(WINTER_MONDAY, [0.1] * 48, suffix="E3")]), zone=SYDNEY
    )
    assert answer.base_load_kw == pytest.approx(0.12 + 0.2)


def test_average_day_by_season_and_day_type(of_day: Day) -> None:
    friday, saturday, sunday = (date(2025, 6, n) for n in (6, 7, 8))
    answer = service_point_usage(
        pl.concat([of_day(friday, [0.5] * 48), of_day(saturday, [1.0] * 48), of_day(sunday, [2.0] * 48)]), zone=SYDNEY
    )
    rows = answer.average_day
    assert len(rows) == 96
    assert {(row.season, row.day_type): row.kw for row in rows} == {
        ("winter", "weekday"): 1.0,
        ("winter", "weekend"): 3.0,
    }
    assert [row.minute for row in rows[:3]] == [0, 30, 60]


def test_the_average_day_has_its_spread_coverage_and_substituted_share(of_day: Day) -> None:
    mondays = [WINTER_MONDAY + timedelta(7 * week) for week in range(3)]
    days = [of_day(mondays[0], [0.5] * 48), of_day(mondays[1], [1.0] * 48, quality="SUBSTITUTE")]
    answer = service_point_usage(pl.concat([*days, of_day(mondays[2], [None] + [1.5] * 47)]), zone=SYDNEY)
    midnight, later = answer.average_day[0], answer.average_day[1]
    # kW: 1 and 2; a tenth of the way from either end. Weekdays from the first to the last day are 11.
    assert (midnight.kw, midnight.kw_p10, midnight.kw_p90) == pytest.approx((1.5, 1.1, 1.9))
    assert (midnight.days, midnight.coverage, midnight.substituted_share) == (2, pytest.approx(2 / 11, abs=1e-6), 0.5)
    assert (later.days, later.substituted_share) == (3, pytest.approx(1 / 3, abs=1e-6))


@pytest.mark.parametrize(
    ("day", "season"), [(date(2025, 2, 28), "summer"), (date(2025, 3, 2), "autumn"), (date(2025, 9, 1), "spring")]
)
def test_seasons_are_the_southern_ones(of_day: Day, day: date, season: str) -> None:
    answer = service_point_usage(of_day(day, [1.0] * 48), zone="Australia/Brisbane")
    assert {row.season for row in answer.average_day} == {season}


@pytest.mark.parametrize(
    ("local_day", "slots"), [(date(2025, 10, 5), 46), (date(2025, 4, 6), 50), (date(2025, 6, 1), 48)]
)
def test_days_of_46_48_and_50_half_hours_hold_all_their_energy(of_day: Day, local_day: date, slots: int) -> None:
    reads = pl.concat([of_day(local_day + timedelta(n), [1.0] * 48) for n in (-1, 0, 1)])
    frame = half_hours(reads)
    local = frame.filter(pl.col("starts_at").dt.convert_time_zone(SYDNEY).dt.date() == local_day)
    assert local["import_kwh"].sum() == slots
    drawn = heat_map(frame, SYDNEY).filter(pl.col("date") == local_day)
    assert drawn.height == min(slots, 48)
    assert set(drawn["value"]) == {2.0}


def test_load_duration_falls_and_keeps_the_energy(of_day: Day) -> None:
    curve = load_duration(half_hours(of_day(WINTER_MONDAY, [float(n) for n in range(48)])))
    assert curve["kw"].is_sorted(descending=True)
    assert curve["share"].to_list()[-1] == 1.0
    assert curve["kw"].sum() / 2 == sum(range(48))


def test_reads_on_adelaide_half_hours_and_lord_howe(of_day: Day) -> None:
    noon = [0.0] * 24 + [1.0] + [0.0] * 23
    answer = service_point_usage(of_day(WINTER_MONDAY, noon), zone="Australia/Adelaide")
    assert answer.peak.at == datetime(2025, 6, 2, 2, 0, tzinfo=UTC)
    assert answer.peak.at.isoformat() == "2025-06-02T11:30:00+09:30"
