"""Further questions about usage on frames. Expected values by hand."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

import toolkit
from tests.meters import day, flat_plan, level, nem12, register
from toolkit.errors import FrameError

BRISBANE = "Australia/Brisbane"
FIRST = date(2026, 6, 1)


def reads_of(folder: Path, text: str) -> pl.DataFrame:
    (folder / "meter.csv").write_text(text)
    return toolkit.read_usage(folder / "meter.csv")


def test_usage_costs_are_those_of_the_plan(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(flat_plan("0.30", "1.00"))
    (plan,) = toolkit.read_plans(tmp_path / "plan.json")
    reads = reads_of(tmp_path, level("4103000001", FIRST, 20, "0.5"))
    costs = toolkit.usage_costs(reads, plan, FIRST, FIRST + timedelta(9), zone=BRISBANE)
    # 10 days × 24 kWh × 0.33; a day costs 1.10
    assert (costs.energy_cost, costs.total) == (Decimal("79.20"), Decimal("90.20"))
    with pytest.raises(FrameError):
        toolkit.usage_costs(reads, plan, date(2020, 1, 1), date(2020, 1, 31), zone=BRISBANE)


def test_load_duration_is_of_the_measured_half_hours(tmp_path: Path) -> None:
    curve = toolkit.load_duration(reads_of(tmp_path, nem12(register(), day("20260601", [1.0] * 12 + [0.5] * 36))))
    assert curve["kw"].to_list() == [2.0] * 12 + [1.0] * 36
    assert curve.filter(pl.col("kw") == 2.0)["share"].max() == 0.25


def test_typical_days_stand_for_the_others(tmp_path: Path) -> None:
    quiet, busy = [0.1] * 48, [0.1] * 24 + [1.0] * 24
    shapes = [quiet, quiet, busy, quiet, busy, quiet]
    rows = [day((FIRST + timedelta(n)).strftime("%Y%m%d"), shape) for n, shape in enumerate(shapes)]
    found = toolkit.typical_days(reads_of(tmp_path, nem12(register(), *rows)), zone=BRISBANE, count=2)
    assert found["days"].to_list() == [4, 2]
    assert found["share"].to_list() == pytest.approx([4 / 6, 2 / 6])
    assert [kw.to_list() for kw in found["kw"]] == [[0.2] * 48, [0.2] * 24 + [2.0] * 24]
    with pytest.raises(FrameError):
        toolkit.typical_days(reads_of(tmp_path, nem12(register(), *rows)), count=0)


def test_carbon_is_import_by_the_states_factor_and_export_stands_apart(tmp_path: Path) -> None:
    text = nem12(register("E1"), day("20260601", [0.5] * 48), register("B1"), day("20260601", [0.25] * 48))
    usage = toolkit.usage(reads_of(tmp_path, text), zone=BRISBANE)
    found = toolkit.carbon(usage, "qld")
    assert (found.import_kg, found.export_avoided_kg, found.gas_kg) == (
        pytest.approx(24 * (0.67 + 0.09)),
        pytest.approx(12 * 0.67),
        None,
    )
    assert (found.edition, found.kg_per_kwh) == (2025, 0.76)
    with pytest.raises(FrameError):
        toolkit.carbon(usage, "NZ")
