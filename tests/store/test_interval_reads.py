"""Register-days opened: the frame `reads`, checked against values written out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.many_cases import examples
from toolkit.store import Counts, open_store
from toolkit.tables.data_types import frame_schema
from toolkit.tables.registers import pack
from toolkit.tables.schema import table


def a_day(values: Sequence[Any], *, day: date = date(2026, 3, 1), suffix: str = "E1", **changes: Any) -> dict[str, Any]:
    packed = pack(values)
    return {
        "household_id": "h", "service_point_id": "sp", "meter_id": "m", "register_suffix": suffix, "date": day,
        "interval_minutes": 1440 // len(values), "intervals": packed.intervals, "exponent": packed.exponent,
        "width": packed.width, "reads": packed.blob, "total_nano": packed.total_nano, "present": packed.present,
        "unit": "KWH", "direction": "import", "controlled_load": False, "source": "file", **changes,
    }  # fmt: skip


def test_instants_values_and_qualities(tmp_path: Path) -> None:
    marks = [[2, 2, "SUBSTITUTE"], [3, 3, "MISSING"]]
    with open_store(tmp_path / "a.db") as store:
        store.upsert("register_days", [a_day(["0.5", "1.25", None, "0"], qualities=marks)])
        reads = store.reads("h")
    assert reads.schema == frame_schema(table("reads"))
    # Meter days are AEST (UTC+10) all year: 1 March begins at 14:00 UTC on 28 February, though Sydney is on UTC+11.
    starts = [datetime(2026, 2, 28, 14, tzinfo=UTC) + timedelta(hours=6 * number) for number in range(4)]
    assert reads["starts_at"].to_list() == starts
    assert reads["energy_nano"].to_list() == [500_000_000, 1_250_000_000, None, 0]
    assert reads["quality"].to_list() == ["ACTUAL", "SUBSTITUTE", "MISSING", "ACTUAL"]
    assert set(reads["interval_minutes"]) == {360}


def test_days_of_every_length_and_scale_stand_in_order(tmp_path: Path) -> None:
    days = [
        a_day(["0.001"] * 288, day=date(2026, 3, 2)),
        a_day(["70000.5"] * 48, day=date(2026, 3, 1)),
        a_day(["0.25"] * 96, day=date(2026, 3, 3)),
        a_day(["1"] * 48, suffix="B1", direction="export"),
    ]
    with open_store(tmp_path / "a.db") as store:
        store.upsert("register_days", days)
        reads = store.reads("h")
        part = store.reads("h", service_points=["sp"], from_=date(2026, 3, 2), to=date(2026, 3, 2))
        assert store.reads("h", service_points=["other"]).height == store.reads("nobody").height == 0
    assert reads.equals(reads.sort("service_point_id", "meter_id", "register_suffix", "starts_at"))
    totals = reads.group_by("register_suffix", "date").agg(pl.col("energy_nano").sum()).sort("register_suffix", "date")
    assert [row[2] for row in totals.rows()] == [48 * 10**9, 48 * 70_000_500_000_000, 288 * 10**6, 24 * 10**9]
    assert (part.height, part["energy_nano"].sum()) == (288, 288 * 10**6)


def test_accumulation_reads_that_touch_a_range(tmp_path: Path) -> None:
    def read(start: str, end: str) -> dict[str, Any]:
        return {
            "household_id": "h", "service_point_id": "sp", "meter_id": "m", "register_suffix": "11",
            "start_date": start,
            "end_date": end, "value": "1", "value_nano": 10**9, "unit": "KWH", "direction": "import",
            "controlled_load": False, "quality": "ACTUAL", "source": "file",
        }  # fmt: skip

    with open_store(tmp_path / "a.db") as store:
        store.upsert("meter_reads", [read("2026-01-01", "2026-01-31"), read("2026-02-01", "2026-02-28")])
        assert store.meter_reads("h").height == 2
        assert store.meter_reads("h", from_=date(2026, 2, 1))["start_date"].to_list() == [date(2026, 2, 1)]
        assert store.meter_reads("h", to=date(2026, 1, 31), service_points=["sp"]).height == 1


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(st.none(), st.decimals(0, 999, places=4)), min_size=48, max_size=48))
def test_a_day_comes_back_as_it_was_and_its_sum_is_that_of_its_values(
    tmp_path: Path, values: list[Decimal | None]
) -> None:
    marks = [[n, n, "MISSING"] for n, value in enumerate(values, 1) if value is None] or None
    path = tmp_path / "a.db"
    with open_store(path) as store:
        store.delete("register_days", {})
        row = a_day(values, qualities=marks)
        assert store.upsert("register_days", [row]) == Counts(added=1)
        assert store.upsert("register_days", [row]) == Counts(unchanged=1)
        opened = store.reads("h")["energy_nano"]
    assert opened.to_list() == [None if value is None else int(value * 10**9) for value in values]
    assert opened.sum() == row["total_nano"]
