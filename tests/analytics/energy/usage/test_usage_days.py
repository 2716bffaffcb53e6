"""Days, the heat map, what figures rest on, and the year before. Expected values by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import polars as pl
import pytest

from toolkit.analytics.energy.usage import service_point_usage

Day = Callable[..., pl.DataFrame]
BRISBANE, SYDNEY = "Australia/Brisbane", "Australia/Sydney"
MONDAY = date(2025, 6, 2)


def days_from(of_day: Day, first: date, count: int, kwh: float) -> list[pl.DataFrame]:
    return [of_day(first + timedelta(n), [kwh] * 48) for n in range(count)]


def test_days_have_energy_coverage_and_substituted_share(of_day: Day) -> None:
    reads = pl.concat(
        [
            of_day(MONDAY, [0.5] * 48),
            of_day(MONDAY, [0.25] * 48, suffix="E2", controlled_load=True, quality="SUBSTITUTE"),
            of_day(MONDAY + timedelta(2), [0.5] * 24 + [None] * 24),
            of_day(MONDAY + timedelta(2), [0.25] * 48, suffix="E2", controlled_load=True),
        ]
    )
    answer = service_point_usage(reads, zone=BRISBANE)
    days = [(row.import_kwh, row.controlled_load_kwh, row.export_kwh, row.coverage) for row in answer.by_day]
    assert days == [(36.0, 12.0, 0.0, 1.0), (None, None, None, 0.0), (24.0, 12.0, 0.0, 0.75)]
    assert [row.substituted_share for row in answer.by_day] == [0.5, None, 0.0]
    # 168 intervals have a value, 48 of them substituted
    assert answer.substituted_share == answer.by_month[0].substituted_share == pytest.approx(48 / 168, abs=1e-6)


def test_gas_has_days_in_megajoules(of_day: Day) -> None:
    answer = service_point_usage(of_day(MONDAY, [90.0], unit="MJ", suffix="G1", direction="import"), zone=SYDNEY)
    (day,) = answer.by_day
    assert (day.import_mj, day.import_kwh, day.coverage) == (90.0, None, 1.0)
    assert list(answer.heat_map) == []


def test_the_heat_map_is_of_local_days(of_day: Day) -> None:
    first = [0.0] * 46 + [1.0, None]
    answer = service_point_usage(pl.concat([of_day(date(2025, 1, 6), first)]), zone=SYDNEY)
    monday, tuesday = answer.heat_map  # AEST midnight is 01:00 in January
    assert (monday.date, monday.kw[:3], monday.kw[47]) == (date(2025, 1, 6), [None, None, 0.0], 0.0)
    assert (tuesday.date, tuesday.kw[:3]) == (date(2025, 1, 7), [2.0, None, None])


def test_figures_say_whether_their_days_are_enough(of_day: Day) -> None:
    two_weeks = days_from(of_day, MONDAY, 14, 0.5)
    basis = {row.figure: row for row in service_point_usage(pl.concat(two_weeks), zone=BRISBANE).basis}
    assert set(basis) == {"base_load_kw", "peak", "load_factor", "winter weekday", "winter weekend"}
    assert {(row.is_enough, row.coverage, row.substituted_share) for row in basis.values()} == {(True, 1.0, 0.0)}
    assert [basis[name].days for name in ("base_load_kw", "winter weekday", "winter weekend")] == [14, 10, 4]

    one_day = service_point_usage(two_weeks[0], zone=BRISBANE).basis
    assert {(row.figure, row.days, row.is_enough) for row in one_day} == {
        ("base_load_kw", 1, False),
        ("peak", 1, False),
        ("load_factor", 1, False),
        ("winter weekday", 1, False),
    }
    assert all(row.reason is not None for row in one_day)

    every_other = service_point_usage(pl.concat(days_from(of_day, MONDAY, 30, 0.5)[::2]), zone=BRISBANE).basis
    assert {(row.figure, row.is_enough) for row in every_other if row.days >= row.needed} == {
        ("base_load_kw", False),
        ("peak", False),
        ("load_factor", False),
        ("winter weekday", False),
        ("winter weekend", False),
    }


def test_the_year_before_is_of_the_dates_metered_in_both(of_day: Day) -> None:
    before = days_from(of_day, date(2024, 6, 1), 40, 1.0)
    now = days_from(of_day, date(2025, 6, 1), 35, 0.75)
    answer = service_point_usage(pl.concat([*before, *now]), zone=BRISBANE)
    compared = answer.year_on_year
    assert compared is not None
    assert (compared.from_, compared.to, compared.days) == (date(2025, 6, 1), date(2025, 7, 5), 35)
    assert (compared.used, compared.used_before, compared.change, compared.change_share) == (1260, 1680, -420, -0.25)
    (june,) = answer.months_on_year  # five days of July are too few
    assert (june.from_, june.to, june.used, june.used_before) == (date(2025, 6, 1), date(2025, 6, 30), 1080, 1440)

    apart = service_point_usage(pl.concat(now), zone=BRISBANE, earlier=pl.concat(before), from_=date(2025, 6, 1))
    assert apart.year_on_year == compared
    assert "no_year_before" not in apart.note_codes


def test_dates_that_only_one_year_has_are_said_to_be_left_out(of_day: Day) -> None:
    """Two days of last June are missing: 33 × 36 kWh now, 33 × 48 then."""
    before = days_from(of_day, date(2024, 6, 1), 35, 1.0)
    now = days_from(of_day, date(2025, 6, 1), 35, 0.75)
    compared = service_point_usage(pl.concat([*before[:10], *before[12:], *now]), zone=BRISBANE).year_on_year
    assert compared is not None
    assert compared.used == 1188
    assert "33 of the 35 days" in str(compared.sentence)


def test_too_few_common_dates_are_not_compared(of_day: Day) -> None:
    reads = [*days_from(of_day, date(2024, 6, 1), 23, 1.0), *days_from(of_day, date(2025, 6, 1), 40, 1.0)]
    answer = service_point_usage(pl.concat(reads), zone=BRISBANE)
    assert (answer.year_on_year, answer.months_on_year) == (None, ())
    assert "no_year_before" in answer.note_codes


def test_a_leap_day_has_no_partner(of_day: Day) -> None:
    reads = [*days_from(of_day, date(2024, 2, 1), 29, 1.0), *days_from(of_day, date(2025, 2, 1), 28, 1.0)]
    compared = service_point_usage(pl.concat(reads), zone=BRISBANE).year_on_year
    assert compared is not None
    assert (compared.days, compared.change, compared.change_share) == (28, 0.0, 0.0)


def test_a_meter_day_is_one_day_though_its_last_hour_is_of_the_next_in_summer(of_day: Day) -> None:
    """Twenty meter days of January reach an hour into a twenty-first day of Sydney."""
    answer = service_point_usage(pl.concat(days_from(of_day, date(2025, 1, 6), 20, 0.5)), zone=SYDNEY)
    basis = {row.figure: row.days for row in answer.basis}
    assert [basis[name] for name in ("base_load_kw", "peak", "load_factor")] == [20, 20, 20]
