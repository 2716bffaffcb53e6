"""Frames of one's own as reads: what they become, and what is refused in a sentence that names column and row."""

from __future__ import annotations

import warnings
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolkit
from tests.meters import day, flat_plan, nem12, register
from toolkit.units import NANO

MIDNIGHT = datetime.fromisoformat("2026-01-05")


def half_hours(count: int, first: datetime = MIDNIGHT) -> list[datetime]:
    return [first + timedelta(minutes=30 * n) for n in range(count)]


def one_day(**more: object) -> pl.DataFrame:
    return pl.DataFrame({"t": half_hours(48), "kwh": [0.25] * 48, **more})


def plan(folder: Path) -> toolkit.frames.bills.Plan:
    (folder / "plan.json").write_text(flat_plan("0.30", "1.00"))
    return toolkit.read_plans(folder / "plan.json")[0]


def test_a_frame_prices_as_the_same_meter_file_does(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(
        nem12(register("E1"), day("20260105", [0.25] * 48), register("B1"), day("20260105", [0.125] * 48))
    )
    of_file = toolkit.read_usage(tmp_path / "m.csv")
    own = toolkit.reads(one_day(sun=[0.125] * 48), time="t", registers={"E1": "kwh", "B1": "sun"}, zone="AEST")
    same = ["register_suffix", "direction", "date", "interval_minutes", "starts_at", "energy_nano", "quality", "unit"]
    assert own.select(same).equals(of_file.sort("register_suffix", "starts_at").select(same))
    # 12 kWh at 33 c and a day of supply at 1.10, both with GST
    assert toolkit.price(own, plan(tmp_path), date(2026, 1, 5), date(2026, 1, 5)).total_minor == 506


@pytest.mark.parametrize("stamp", ["start", "end"])
@pytest.mark.parametrize("minutes", [5, 15, 30, 60])
def test_the_interval_is_the_gap_between_times(minutes: int, stamp: str) -> None:
    first = MIDNIGHT + timedelta(minutes=minutes if stamp == "end" else 0)
    times = [first + timedelta(minutes=minutes * n) for n in range(2 * 1440 // minutes)]
    reads = toolkit.reads(
        pl.DataFrame({"t": times, "e": [1] * len(times)}),
        time="t",
        energy="e",
        zone="AEST",
        stamp=stamp,
    )
    assert reads["interval_minutes"].unique().to_list() == [minutes]
    assert reads["starts_at"][0] == datetime(2026, 1, 4, 14, tzinfo=UTC)
    assert reads["date"].unique().sort().to_list() == [date(2026, 1, 5), date(2026, 1, 6)]


def test_intervals_may_change_from_one_day_to_the_next() -> None:
    times = [*half_hours(48), *(MIDNIGHT + timedelta(days=1, minutes=5 * n) for n in range(288))]
    reads = toolkit.reads(pl.DataFrame({"t": times, "e": [0.1] * len(times)}), time="t", energy="e", zone="AEST")
    assert reads.group_by("date").agg(pl.col("interval_minutes").unique()).sort("date")[
        "interval_minutes"
    ].to_list() == [[30], [5]]


def test_local_times_keep_every_interval_of_both_clock_changes() -> None:
    """Sydney: 5 April 2026 has 25 hours, 4 October 2026 has 23."""
    for when, intervals in (("2026-04-05", 50), ("2026-10-04", 46)):
        local = pl.datetime_range(
            datetime.fromisoformat(when),
            datetime.fromisoformat(when) + timedelta(days=1),
            "30m",
            time_zone="Australia/Sydney",
            closed="left",
            eager=True,
        )
        naive = pl.DataFrame({"t": local.dt.replace_time_zone(None), "e": [0.5] * len(local)})
        reads = toolkit.reads(naive, time="t", energy="e", zone="Australia/Sydney")
        assert reads["starts_at"].to_list() == local.dt.convert_time_zone("UTC").to_list()
        assert reads.height == intervals
        aware = toolkit.reads(naive.with_columns(local.alias("t")), time="t", energy="e")
        assert aware.equals(reads)


def test_dates_are_daily_totals_of_meter_days() -> None:
    frame = pl.DataFrame({"d": [date(2026, 1, 6), date(2026, 1, 5)], "kwh": [10, 12]})
    reads = toolkit.reads(frame, time="d", energy="kwh")
    assert reads.select("date", "interval_minutes", "energy_nano").rows() == [
        (date(2026, 1, 5), 1440, 12 * NANO),
        (date(2026, 1, 6), 1440, 10 * NANO),
    ]
    assert reads["starts_at"][0] == datetime(2026, 1, 4, 14, tzinfo=UTC)


def test_words_and_suffixes_say_what_a_column_measures() -> None:
    frame = one_day(sun=[0.1] * 48, made=[0.3] * 48, hot=[0.2] * 48)
    columns = {"import": "kwh", "export": "sun", "generation": "made", "controlled load": "hot"}
    reads = toolkit.reads(frame, time="t", registers=columns, zone="AEST")
    uses = (
        reads.unique("register_suffix")
        .select("register_suffix", "direction", "controlled_load")
        .sort("register_suffix")
    )
    assert uses.rows() == [
        ("controlled load", "import", True),
        ("export", "export", False),
        ("generation", "generation", False),
        ("import", "import", False),
    ]
    used = toolkit.usage(reads)
    assert (used.import_kwh, used.export_kwh, used.controlled_load_kwh) == (21.6, 4.8, 9.6)  # 12 and 9.6 of hot water


def test_a_long_frame_of_several_homes_and_registers() -> None:
    rows = [(home, suffix, when, 0.5) for home in ("a", "b") for suffix in ("E1", "B1") for when in half_hours(48)]
    frame = pl.DataFrame(rows, schema=["who", "what", "t", "e"], orient="row").sample(fraction=1, shuffle=True, seed=3)
    reads = toolkit.reads(frame, time="t", energy="e", home="who", register="what", zone="AEST")
    assert reads.height == 192
    assert reads.group_by("service_point_id", "direction").len().sort("service_point_id", "direction").rows() == [
        ("a", "export", 48),
        ("a", "import", 48),
        ("b", "export", 48),
        ("b", "import", 48),
    ]
    with pytest.raises(toolkit.FrameError, match="2 service points"):
        toolkit.usage(reads)


@pytest.mark.parametrize(
    ("unit", "value", "kwh"), [("Wh", 250, 0.25), ("kWh", 0.25, 0.25), ("MWh", Decimal("0.0005"), 0.5), (None, 1, 1.0)]
)
def test_units(unit: str | None, value: float, kwh: float) -> None:
    frame = pl.DataFrame({"t": half_hours(48), "e": [value] * 48})
    assert toolkit.reads(frame, time="t", energy="e", unit=unit, zone="AEST")["energy_nano"][0] == int(kwh * NANO)


def test_gas_is_in_megajoules() -> None:
    frame = pl.DataFrame({"d": [date(2026, 1, 5)], "gj": [0.12]})
    reads = toolkit.reads(frame, time="d", energy="gj", fuel="GAS", unit="GJ")
    assert reads.select("unit", "energy_nano").rows() == [("MJ", 120 * NANO)]
    assert toolkit.usage(reads).import_mj == 120.0


def test_what_was_not_read_is_missing_and_never_zero() -> None:
    frame = one_day().with_columns(kwh=pl.Series([None, float("nan"), *[0.25] * 46]))
    reads = toolkit.reads(frame, time="t", energy="kwh", zone="AEST")
    assert reads["energy_nano"].head(3).to_list() == [None, None, NANO // 4]
    assert reads["quality"].head(3).to_list() == ["MISSING", "MISSING", "ACTUAL"]
    assert toolkit.usage(reads).import_kwh == 11.5


def test_qualities_are_taken_as_given() -> None:
    reads = toolkit.reads(one_day(q=["substitute"] * 48), time="t", energy="kwh", quality="q", zone="AEST")
    assert reads["quality"].unique().to_list() == ["SUBSTITUTE"]


def test_pandas_arrow_and_lazy_frames_are_read_alike() -> None:
    expected = toolkit.reads(one_day(), time="t", energy="kwh", zone="AEST")
    pandas = pd.DataFrame({"kwh": [0.25] * 48}, index=pd.DatetimeIndex(half_hours(48), name="t"))
    for frame in (pandas, pa.table({"t": half_hours(48), "kwh": [0.25] * 48}), one_day().lazy()):
        assert toolkit.reads(frame, time="t", energy="kwh", zone="AEST").equals(expected)


@given(st.lists(st.decimals(0, 900, places=9), min_size=1, max_size=48))
def test_nine_decimals_are_exact(values: list[Decimal]) -> None:
    for given_as in (values, [float(value) for value in values]):
        frame = pl.DataFrame({"t": half_hours(len(values)), "e": given_as})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", toolkit.InputWarning)
            reads = toolkit.reads(frame, time="t", energy="e", zone="AEST", interval=30)
        assert reads["energy_nano"].to_list() == [int(value * NANO) for value in values]


REFUSED = {
    "doubled rows": (pl.concat([one_day(), one_day()]), {}, ["'t'", "row 48"]),
    "two homes": (pl.concat([one_day(), one_day(kwh=[0.3] * 48)]), {}, ["'t'", "row 48", "home="]),
    "overlapping": (one_day(), {"interval": 60}, ["'t'", "row 1"]),
    "text": (one_day().with_columns(pl.col("t").cast(pl.String)), {}, ["'t'", "2026-01-05"]),
    "no zone": (one_day(), {"zone": None}, ["zone="]),
    "unknown zone": (one_day(), {"zone": "Sydney"}, ["'Sydney'"]),
    "skipped hour": (
        pl.DataFrame({"t": half_hours(6, datetime.fromisoformat("2026-10-04")), "kwh": [0.1] * 6}),
        {"zone": "Australia/Sydney"},
        ["row 4", "02:00"],
    ),
    "negative": (one_day(kwh=[0.1] * 7 + [-0.5] * 2 + [0.1] * 39), {}, ["'kwh'", "row 7", "-0.5", "2 rows"]),
    "infinite": (one_day(kwh=[0.1] * 3 + [float("inf")] + [0.1] * 44), {}, ["'kwh'", "row 3", "inf"]),
    "not numbers": (one_day(kwh=["a"] * 48), {}, ["'kwh'"]),
    "missing time": (one_day(t=[None, *half_hours(47)]), {}, ["'t'", "row 0"]),
    "no such column": (one_day(), {"energy": "kw"}, ["'kw'", "kwh"]),
    "no such register": (one_day(), {"energy": None, "registers": {"solar": "kwh"}}, ["'solar'"]),
    "energy and registers": (one_day(), {"registers": {"E1": "kwh"}}, ["registers="]),
    "scaled integers": (one_day(kwh=[250_000_000] * 48), {}, ["unit="]),
    "unit of another fuel": (one_day(), {"unit": "MJ"}, ["'MJ'"]),
    "unknown fuel": (one_day(), {"fuel": "gas"}, ["'gas'"]),
    "interval": (one_day(), {"interval": 7}, ["7 minutes"]),
    "unknown quality": (one_day(q=["GOOD"] * 48), {"quality": "q"}, ["'q'", "row 0", "GOOD"]),
    "one row": (one_day().head(1), {}, ["interval="]),
    "no rows": (one_day().clear(), {}, ["no rows"]),
    "not a table": ([1, 2, 3], {}, ["list"]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_read_wrongly_is_refused_by_column_and_row(name: str) -> None:
    frame, options, said = REFUSED[name]
    with pytest.raises(toolkit.FrameError) as refused:
        toolkit.reads(frame, **{"time": "t", "energy": "kwh", "zone": "AEST", **options})
    assert [word for word in said if word not in str(refused.value)] == []


@pytest.mark.parametrize("scale", [1000, 0.001])
def test_amounts_that_another_unit_would_explain_are_warned_of(scale: float) -> None:
    with pytest.warns(toolkit.InputWarning, match="unit="):
        toolkit.reads(one_day(kwh=[0.25 * scale] * 48), time="t", energy="kwh", zone="AEST")


READS = toolkit.reads(one_day(), time="t", energy="kwh", zone="AEST")
WRONG_READS = {
    "doubled": (pl.concat([READS, READS]), "starts_at"),
    "one read doubled": (pl.concat([READS[:9], READS[8:]]), "starts_at"),
    "one read again after another register": (
        pl.concat([READS, READS.with_columns(register_suffix=pl.lit("E9")), READS[-1:]]),
        "starts_at",
    ),
    "two homes": (pl.concat([READS, READS.with_columns(service_point_id=pl.lit("other"))]), "service_point_id"),
    "gas": (READS.with_columns(unit=pl.lit("MJ")), "fuel"),
    "without a zone": (READS.with_columns(pl.col("starts_at").dt.replace_time_zone(None)), "starts_at"),
    "fractions": (READS.with_columns(pl.col("energy_nano") / NANO), "energy_nano"),
    "negative": (READS.with_columns(-pl.col("energy_nano")), "energy_nano"),
    "another direction": (READS.with_columns(direction=pl.lit("in")), "direction"),
    "a column less": (READS.drop("quality"), "quality"),
}


@pytest.mark.parametrize("name", WRONG_READS)
def test_wrong_reads_are_never_priced(name: str, tmp_path: Path) -> None:
    frame, said = WRONG_READS[name]
    with pytest.raises(toolkit.FrameError, match=said):
        toolkit.price(frame, plan(tmp_path), date(2026, 1, 5), date(2026, 1, 5))
    with pytest.raises(toolkit.FrameError, match=said):
        toolkit.forecast(frame, plan(tmp_path), today=date(2026, 1, 7))
    if name not in ("gas",):
        with pytest.raises(toolkit.FrameError, match=said):
            toolkit.usage(frame)
    if name != "two homes":
        with pytest.raises(toolkit.FrameError, match=said):
            toolkit.price_all(frame, [plan(tmp_path)], date(2026, 1, 5), date(2026, 1, 5))


def test_reads_may_come_in_any_order(tmp_path: Path) -> None:
    both = pl.concat([READS, READS.with_columns(register_suffix=pl.lit("E9"))])
    day = date(2026, 1, 5)
    mixed = both.sample(fraction=1, shuffle=True, seed=1)
    expected = toolkit.price(both, plan(tmp_path), day, day).total_minor
    assert toolkit.price(mixed, plan(tmp_path), day, day).total_minor == expected
    assert toolkit.price(both.reverse(), plan(tmp_path), day, day).total_minor == expected


def test_a_period_that_ends_before_it_begins_is_refused(tmp_path: Path) -> None:
    with pytest.raises(toolkit.FrameError, match="2026-01-06"):
        toolkit.price(READS, plan(tmp_path), date(2026, 1, 6), date(2026, 1, 5))


def test_ten_problems_of_a_file_are_warned_of_one_by_one_and_the_others_counted(tmp_path: Path) -> None:
    rows = "\n".join(f"05/01/2026,{n}.123,SHOP,+1.00" for n in range(300))
    (tmp_path / "bank.csv").write_text(f'01/01/2026,"-1.00",A,+1.00\n{rows}\n')
    with pytest.warns(toolkit.InputWarning) as seen:
        toolkit.read_transactions(tmp_path / "bank.csv")
    assert len(seen) == 11
    assert len(seen[-1].message.problems) == 300


def test_reads_that_were_elsewhere_in_between_mean_the_same() -> None:
    """DuckDB gives times in the zone of its session, pandas in nanoseconds, and texts may be categories."""
    frame = toolkit.sample("meter").head(48 * 40)
    reads = toolkit.reads(frame, time="time", energy="import_kwh", zone="AEST")
    moved = reads.with_columns(
        pl.col("starts_at").dt.convert_time_zone("Australia/Sydney").dt.cast_time_unit("ns"),
        pl.col("register_suffix").cast(pl.Categorical),
        pl.col("interval_minutes").cast(pl.Int32),
    )
    named = reads.with_columns(pl.col("starts_at").dt.convert_time_zone("Etc/UTC"))
    for other in (moved, moved.to_arrow(), named):
        assert toolkit.usage(other) == toolkit.usage(reads)
