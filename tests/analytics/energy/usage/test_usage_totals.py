"""What the registers measured: sums, qualities, coverage. Expected values by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.many_cases import examples
from toolkit.analytics.energy.intervals.prepare import combine, prepare, spread, without_overlaps
from toolkit.analytics.energy.usage import service_point_usage
from toolkit.answers.energy.usage import ServicePointUsage

MONDAY = date(2025, 6, 2)
Day = Callable[..., pl.DataFrame]


def usage(*parts: pl.DataFrame, zone: str = "Australia/Sydney", **range_: date) -> ServicePointUsage:
    return service_point_usage(pl.concat(parts), zone=zone, **range_)


def test_totals_by_register_and_together(of_day: Day) -> None:
    answer = usage(
        of_day(MONDAY, [0.5] * 48),
        of_day(MONDAY, [0.25] * 48, suffix="E2", controlled_load=True),
        of_day(MONDAY, [0.125] * 48, suffix="B1"),
        of_day(MONDAY, [9.0] * 48, suffix="Q1", unit="KVARH", direction="reactive"),
    )
    assert {entry.register_suffix: entry.total for entry in answer.registers} == {
        "E1": 24.0,
        "E2": 12.0,
        "B1": 6.0,
        "Q1": 432.0,
    }
    assert (answer.import_kwh, answer.controlled_load_kwh, answer.export_kwh) == (36.0, 12.0, 6.0)
    assert answer.coverage == 1.0
    assert (answer.from_, answer.to) == (MONDAY, MONDAY)


def test_reads_flagged_missing_are_counted_and_nothing_else(of_day: Day) -> None:
    answer = usage(of_day(MONDAY, [1.0] * 40 + [None] * 8), of_day(MONDAY + timedelta(1), [None] * 48))
    (register,) = answer.registers
    assert register.quality == {
        "ACTUAL": 40,
        "SUBSTITUTE": 0,
        "FINAL_SUBSTITUTE": 0,
        "ESTIMATED": 0,
        "MISSING": 56,
    }
    assert (register.total, register.intervals, register.days) == (40.0, 40, 1)
    assert answer.coverage == pytest.approx(40 / 96, abs=1e-6)


def test_qualities_are_counted_by_interval(of_day: Day) -> None:
    answer = usage(of_day(MONDAY, [1.0] * 48), of_day(MONDAY + timedelta(1), [1.0] * 96, quality="SUBSTITUTE"))
    (register,) = answer.registers
    assert (register.quality["ACTUAL"], register.quality["SUBSTITUTE"]) == (48, 96)
    assert register.interval_minutes == (15, 30)
    assert register.total == 144.0


def test_coverage_counts_days_without_reads(of_day: Day) -> None:
    first, last = of_day(MONDAY, [1.0] * 48), of_day(MONDAY + timedelta(3), [1.0] * 288)
    answer = usage(first, last)
    assert answer.coverage == pytest.approx((48 + 288) / (48 * 3 + 288), abs=1e-6)


def test_coverage_of_a_wider_question(of_day: Day) -> None:
    answer = usage(of_day(MONDAY, [1.0] * 48), from_=MONDAY - timedelta(1), to=MONDAY + timedelta(2))
    assert answer.coverage == 0.25
    assert (answer.from_, answer.to) == (MONDAY - timedelta(1), MONDAY + timedelta(2))


def test_range_is_inclusive(of_day: Day) -> None:
    days = [of_day(MONDAY + timedelta(n), [1.0] * 48) for n in range(5)]
    assert usage(*days, from_=MONDAY + timedelta(1), to=MONDAY + timedelta(2)).import_kwh == 96.0


def test_exchanged_meter_is_no_gap_and_solar_added_later_neither(of_day: Day) -> None:
    days = [MONDAY + timedelta(n) for n in range(4)]
    answer = usage(
        *[of_day(day, [1.0] * 48, meter="OLD") for day in days[:2]],
        *[of_day(day, [1.0] * 288, meter="NEW") for day in days[2:]],
        of_day(days[3], [0.1] * 288, meter="NEW", suffix="B1"),
    )
    assert answer.coverage == 1.0
    assert answer.import_kwh == 48 * 2 + 288 * 2


def test_months_add_up_and_an_empty_month_is_null(of_day: Day) -> None:
    answer = usage(of_day(date(2025, 1, 31), [1.0] * 48), of_day(date(2025, 3, 1), [2.0] * 48))
    months = [(row.month, row.import_kwh, row.export_kwh) for row in answer.by_month]
    assert months == [("2025-01", 48.0, 0.0), ("2025-02", None, None), ("2025-03", 96.0, 0.0)]
    assert answer.export_kwh == 0.0
    assert [row.coverage for row in answer.by_month] == [1.0, 0.0, 1.0]


def test_a_month_without_reads_of_the_export_register_is_null(of_day: Day) -> None:
    sold = of_day(date(2025, 2, 1), [1.0] * 48, suffix="B1")
    answer = usage(of_day(date(2025, 1, 31), [1.0] * 48), of_day(date(2025, 2, 1), [1.0] * 48), sold)
    assert [row.export_kwh for row in answer.by_month] == [None, 48.0]


def test_gas_is_in_megajoules_and_never_in_kwh() -> None:
    answer = usage(spread(meter_reads((date(2025, 1, 1), date(2025, 1, 31), 3100.0), unit="MJ")))
    (register,) = answer.registers
    assert (register.unit, register.total, register.days) == ("MJ", 3100.0, 31)
    assert (answer.unit, answer.import_mj, answer.import_kwh, answer.export_kwh) == (
        "MJ",
        3100.0,
        None,
        None,
    )
    assert answer.base_load_kw is None
    assert answer.notes


def test_no_reads_at_all(of_day: Day) -> None:
    answer = usage(of_day(MONDAY, [1.0] * 48), from_=date(2030, 1, 1), to=date(2030, 1, 2))
    assert answer.import_kwh is None
    assert (answer.coverage, answer.registers, len(answer.by_month)) == (0.0, (), 0)


# ---- accumulation reads


def meter_reads(*spans: tuple[date, date, float], unit: str = "KWH", updated_at: str | None = None) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "service_point_id": "home",
                "meter_id": "M",
                "register_suffix": "11",
                "start_date": start,
                "end_date": end,
                "value_nano": round(value * 1e9),
                "unit": unit,
                "direction": "import",
                "controlled_load": False,
                "quality": "ACTUAL",
                "updated_at": updated_at,
            }
            for start, end, value in spans
        ],
        schema_overrides={"updated_at": pl.String, "value_nano": pl.Int64},
    )


def test_a_dial_read_is_spread_over_its_days_to_the_last_nanounit() -> None:
    days = spread(meter_reads((date(2025, 1, 1), date(2025, 1, 3), 0.00000001)))
    assert days["energy_nano"].to_list() == [4, 3, 3]
    assert days["date"].to_list() == [date(2025, 1, n) for n in (1, 2, 3)]
    assert days["starts_at"][0].isoformat() == "2024-12-31T14:00:00+00:00"
    assert set(days["interval_minutes"]) == {1440}


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(st.integers(1, 120), st.integers(0, 10**15)), min_size=1, max_size=5))
def test_spreading_conserves_energy(spans: list[tuple[int, int]]) -> None:
    start, parts = date(2024, 1, 1), []
    for length, nano in spans:
        end = start + timedelta(length - 1)
        parts.append(meter_reads((start, end, 0.0)).with_columns(value_nano=pl.lit(nano, pl.Int64)))
        start = end + timedelta(1)
    days = spread(pl.concat(parts))
    assert days["energy_nano"].sum() == sum(nano for _, nano in spans)
    assert days.height == sum(length for length, _ in spans)
    assert days["starts_at"].is_unique().all()


def test_of_two_reads_of_the_same_days_the_later_update_counts() -> None:
    old = meter_reads((date(2025, 1, 1), date(2025, 1, 31), 100.0), updated_at="20250201")
    new = meter_reads((date(2025, 1, 1), date(2025, 2, 2), 120.0), updated_at="20250205")
    kept, problems = without_overlaps(pl.concat([old, new]))
    assert kept["value_nano"].to_list() == [120_000_000_000]
    assert [problem.severity for problem in problems] == ["warning"]


def test_intervals_outrank_the_dial_on_the_same_day(of_day: Day) -> None:
    dial = meter_reads((MONDAY, MONDAY + timedelta(1), 10.0)).with_columns(register_suffix=pl.lit("E1"))
    reads, _ = combine(of_day(MONDAY, [1.0] * 48), dial)
    assert reads.group_by("date").agg(pl.col("energy_nano").sum()).sort("date")["energy_nano"].to_list() == [
        48_000_000_000,
        5_000_000_000,
    ]


def test_accumulation_reads_give_totals_and_months_but_no_profile() -> None:
    answer = usage(spread(meter_reads((date(2025, 1, 1), date(2025, 3, 31), 900.0))))
    assert answer.import_kwh == 900.0
    assert [round(row.import_kwh, 6) for row in answer.by_month] == [310.0, 280.0, 310.0]
    assert (answer.base_load_kw, answer.peak, answer.load_factor, len(answer.average_day)) == (
        None,
        None,
        None,
        0,
    )
    assert answer.note_codes == ("no_reads_within_day", "no_year_before")


# ---- laws


@settings(max_examples=examples(25))
@given(
    st.lists(st.tuples(st.sampled_from([5, 15, 30]), st.integers(0, 3), st.booleans()), min_size=1, max_size=6),
    st.integers(0, 10**6),
)
def test_order_of_rows_is_irrelevant_and_energy_is_conserved(of_day: Day, days: Any, seed: int) -> None:
    chance = Random(seed)
    parts, at = [], date(2025, 3, 28)
    for minutes, gap, hole in days:
        at += timedelta(1 + gap)
        values: list[float | None] = [chance.randrange(1000) / 1000 for _ in range(1440 // minutes)]
        if hole:
            values[3] = None
        parts.append(of_day(at, values))
    reads = pl.concat(parts)
    answer = service_point_usage(reads, zone="Australia/Sydney")
    assert answer == service_point_usage(reads.sample(fraction=1, shuffle=True, seed=1), zone="Australia/Sydney")
    assert answer.registers[0].total == reads["energy_nano"].sum() / 1e9
    assert sum(row.import_kwh or 0 for row in answer.by_month) == pytest.approx(answer.import_kwh)
    assert 0 < answer.coverage <= 1


def test_reads_of_meter_days_cover_the_day_of_25_hours():
    """Daylight saving ends on 7 April 2024 in Sydney; the meter's days all have 24 hours."""
    reads = spread(meter_reads((date(2024, 4, 1), date(2024, 4, 30), 300.0)))
    matrix = prepare(reads, zone="Australia/Sydney").matrix("LOCAL")
    assert matrix.missing.tolist() == [0] * 30
