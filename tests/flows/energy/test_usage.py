"""`usage` over a stored household."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec import structs

from tests.meters import flat_plan, level
from toolkit.errors import ChoiceRequiredError
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.usage import usage, usage_and_costs, usage_detail, usage_map
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.store import open_store
from toolkit.tables.registers import pack

DAY = date(2025, 1, 6)


@pytest.fixture
def stored_home(tmp_path: Path) -> Context:
    """An electricity and a gas service point in Adelaide."""
    db = tmp_path / "home.db"
    packed = pack(["0.5"] * 48)
    point = {"household_id": "h", "source": "file", "fuel": "ELECTRICITY"}
    read = {"household_id": "h", "meter_id": "", "source": "file", "controlled_load": False, "direction": "import"}
    with open_store(db) as store, store.transaction():
        store.upsert("households", [{"household_id": "h", "name": "Home", "postcode": "5000"}])
        store.upsert(
            "service_points",
            [
                {**point, "id": "1", "service_point_id": "power"},
                {**point, "id": "2", "service_point_id": "heat", "fuel": "GAS"},
            ],
        )
        store.upsert(
            "register_days",
            [
                {
                    **read,
                    "service_point_id": "power",
                    "register_suffix": "E1",
                    "unit": "KWH",
                    "date": DAY,
                    "interval_minutes": 30,
                    "intervals": 48,
                    "present": 48,
                    "exponent": packed.exponent,
                    "width": packed.width,
                    "reads": packed.blob,
                    "total_nano": packed.total_nano,
                }
            ],
        )
        store.upsert(
            "meter_reads",
            [
                {
                    **read,
                    "service_point_id": "heat",
                    "register_suffix": "1",
                    "unit": "MJ",
                    "start_date": date(2025, 1, 1),
                    "end_date": date(2025, 1, 10),
                    "value": "1000",
                    "value_nano": 1_000_000_000_000,
                    "quality": "ACTUAL",
                }
            ],
        )
    return Context(db, today=date(2025, 2, 1))


def test_usage_of_both_fuels(stored_home: Context) -> None:
    answer = usage(stored_home)
    heat, power = answer.service_points
    assert (power.service_point_id, power.fuel, power.timezone) == (
        "power",
        "ELECTRICITY",
        "Australia/Adelaide",
    )
    assert (power.import_kwh, power.from_, power.to) == (24.0, DAY, DAY)
    assert (heat.fuel, heat.unit, heat.import_mj, heat.import_kwh) == ("GAS", "MJ", 1000.0, None)
    assert answer.problems == ()
    assert ["meter_days" in point.note_codes for point in (heat, power)] == [
        False,
        True,
    ]  # Adelaide's clock is not AEST; gas is read by the day


@pytest.mark.parametrize(
    ("zone", "day", "told"),
    [
        ("Australia/Sydney", date(2024, 7, 1), False),
        ("Australia/Sydney", date(2024, 12, 1), True),
        ("Australia/Brisbane", date(2024, 12, 1), False),
    ],
)
def test_days_that_are_not_those_of_the_home_are_told_of(tmp_path: Path, zone: str, day: date, told: bool) -> None:
    ctx = Context(tmp_path / "data" / "home.db", today=date(2025, 2, 1))
    (tmp_path / "meter.csv").write_text(level("4103000001", day, 1))
    load(ctx, [tmp_path / "meter.csv"])
    set_home(ctx, timezone=zone, postcode="4000" if "Brisbane" in zone else "2000")
    [point] = usage(ctx).service_points
    assert ("meter_days" in point.note_codes) == told


def test_range_cuts_a_long_read_by_days(stored_home: Context) -> None:
    answer = usage(stored_home, from_=date(2025, 1, 3), to=date(2025, 1, 4))
    heat, power = answer.service_points
    assert heat.import_mj == 200.0
    assert (power.registers, power.coverage, power.import_kwh) == ((), 0.0, None)


def test_one_service_point_by_name(stored_home: Context) -> None:

    answer = usage(structs.replace(stored_home, service_point="power"))
    assert [point.service_point_id for point in answer.service_points] == ["power"]
    with pytest.raises(ChoiceRequiredError) as refused:
        usage(structs.replace(stored_home, service_point="water"))
    assert refused.value.choices == ["heat", "power"]


def test_frames_to_draw(stored_home: Context) -> None:
    frames = usage_map(stored_home)
    assert frames["power"].heat_map["value"].to_list() == [1.0] * 48
    assert frames["heat"].load_duration.is_empty()


def test_costs_are_those_of_the_bill_of_the_same_days(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(flat_plan("0.30", "1.00"))
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2024, 11, 1), 61, "0.5", "E1"))
    ctx = Context(tmp_path / "home.db", date(2025, 1, 10))
    load(ctx, [tmp_path])
    (point,) = usage_and_costs(ctx).service_points
    billed = bill(ctx, BillingQuestion(date(2024, 11, 1), date(2024, 12, 31), "month"))
    assert point.costs is not None
    assert (point.costs.total, point.costs.energy_cost) == (billed.total, billed.components["usage"])
    # 61 days × 24 kWh × 0.33, and 61 × 1.10
    assert (point.costs.energy_cost, point.costs.other) == (Decimal("483.12"), {"supply": Decimal("67.10")})
    december = usage_and_costs(ctx, from_=date(2024, 12, 1)).service_points[0].costs
    assert december is not None
    assert (december.from_, december.energy_cost) == (date(2024, 12, 1), Decimal("245.52"))


def test_without_a_plan_a_note_says_why_nothing_is_priced(stored_home: Context) -> None:
    gas, power = usage_and_costs(stored_home).service_points
    assert (gas.costs, power.costs) == (None, None)
    assert "costs_unknown" in power.note_codes


def test_a_read_is_the_number_that_its_file_has(tmp_path: Path) -> None:
    """Divided by a billion, 26,000,000 gives 0.026000000000000002 for whoever hears or copies the cell."""
    (tmp_path / "meter.csv").write_text(level("4103000001", DAY, 3, "0.026"))
    ctx = Context(tmp_path / "home.db", date(2025, 1, 10))
    load(ctx, [tmp_path / "meter.csv"])
    assert set(usage_detail(ctx, first=DAY, last=DAY).reads["kwh"]) == {0.026}
