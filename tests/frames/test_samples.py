"""The samples: what they hold, and that they are the same on every machine."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

import toolkit
from toolkit.errors import UsageError


def test_the_meter_is_a_year_of_half_hours_with_three_days_missing() -> None:
    meter = toolkit.sample("meter")
    assert meter.columns == ["time", "import_kwh", "controlled_load_kwh", "export_kwh"]
    assert (meter.height, meter["import_kwh"].null_count()) == (365 * 48, 3 * 48)
    assert meter.equals(toolkit.sample("meter"))
    columns = {"import": "import_kwh", "controlled load": "controlled_load_kwh", "export": "export_kwh"}
    reads = toolkit.reads(meter, time="time", registers=columns, zone="AEST")
    used = toolkit.usage(reads)
    assert used.import_kwh == pytest.approx(meter["import_kwh"].sum() + meter["controlled_load_kwh"].sum())
    assert (used.from_, used.to, used.coverage) == (date(2025, 7, 1), date(2026, 6, 30), pytest.approx(362 / 365))


def test_homes_have_the_registers_that_they_have_values_of() -> None:
    homes = toolkit.sample("homes", homes=3)
    columns = {"import": "import_kwh", "controlled load": "controlled_load_kwh", "export": "export_kwh"}
    reads = toolkit.reads(homes, time="time", home="home", registers=columns, zone="AEST")
    found = reads.group_by("service_point_id").agg(pl.col("register_suffix").unique().sort()).sort("service_point_id")
    assert found.rows() == [
        ("family", ["controlled load", "export", "import"]),
        ("renter", ["import"]),
        ("solar-battery", ["export", "import"]),
    ]


def test_the_bank_sample_is_spending_of_the_year() -> None:
    transactions, accounts = toolkit.transactions(
        toolkit.sample("bank"), date="date", account="account", amount="amount", description="description"
    )
    answer = toolkit.spending(transactions, accounts, months=True)
    assert len({row.month for row in answer.rows}) == 12
    assert answer.income > answer.spent > 0


def test_plans_are_for_homes_of_the_samples_network() -> None:
    plans = toolkit.plans_frame(toolkit.sample_plans(12), today=date(2026, 6, 30))
    assert plans["networks"].explode().unique().to_list() == ["Ausgrid"]
    assert plans.height == 12


def test_an_unknown_sample_is_refused() -> None:
    with pytest.raises(UsageError, match="meter, homes, bank"):
        toolkit.sample("gas")
