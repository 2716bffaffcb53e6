"""Section 3: usage of small meter files. Every figure by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run
from tests.contracts.conftest import Bring
from tests.meters import day, nem12, register

HALF, FIVE = [0.5] * 48, [0.1] * 288


def usage(run: Run, *options: object) -> dict[str, Any]:
    ended = run("usage", "--json", *options)
    assert ended.code == 0, ended.err
    (point,) = ended.json["service_points"]
    return point


def registers(point: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {entry["register_suffix"]: entry for entry in point["registers"]}


def test_five_and_thirty_minutes_with_qualities_and_nulls(run: Run, bring: Bring) -> None:
    bring(
        nem12(
            register(),
            day("20240101", HALF),
            register(minutes=5),
            day("20240102", FIVE, "V"),
            "400,1,12,N,,",
            "400,13,24,S14,,",
            "400,25,30,F14,,",
            "400,31,36,E64,,",
            "400,37,288,A,,",
        )
    )
    point = usage(run)
    (entry,) = point["registers"]
    assert entry["quality"] == {
        "ACTUAL": 48 + 252,
        "SUBSTITUTE": 12,
        "FINAL_SUBSTITUTE": 6,
        "ESTIMATED": 6,
        "MISSING": 12,
    }
    assert (entry["total"], entry["intervals"], entry["days"]) == (24.0 + 27.6, 48 + 276, 2)
    assert (entry["interval_minutes"], entry["unit"], entry["meter_id"]) == ([5, 30], "KWH", "M1")
    assert point["coverage"] == pytest.approx(324 / 336, abs=1e-6)
    assert (point["service_point_id"], point["fuel"], point["from"], point["to"]) == (
        *("4103000001", "ELECTRICITY"),
        *("2024-01-01", "2024-01-02"),
    )
    # 1.2 kW on the second day, known from its second hour on: 01:00 AEST is 02:00 in Sydney in January
    assert point["peak"] == {"kw": 1.2, "at": "2024-01-02T02:00:00+11:00"}
    assert point["by_month"][0]["import_kwh"] == 51.6


def test_import_is_general_and_controlled_load_and_reactive_is_neither(run: Run, bring: Bring) -> None:
    text = nem12(
        *(register("E1"), day("20240101", HALF)),
        *(register("E2"), day("20240101", [0.25] * 48)),
        *(register("B1"), day("20240101", [0.125] * 48)),
        *(register("Q1", unit="KVARH"), day("20240101", [9] * 48)),
        *(register("V1", unit="V"), day("20240101", [240] * 48)),
    )
    bring(text, "--controlled-load", "E2")
    point = usage(run)
    assert (point["import_kwh"], point["controlled_load_kwh"], point["export_kwh"]) == (36.0, 12.0, 6.0)
    assert {suffix: (entry["direction"], entry["controlled_load"]) for suffix, entry in registers(point).items()} == {
        "E1": ("import", False),
        "E2": ("import", True),
        "B1": ("export", False),
        "Q1": ("reactive", False),
        "V1": ("other", False),
    }
    assert registers(point)["Q1"]["total"] == 432.0
    assert point["base_load_kw"] == 1.0  # 0.5 kWh a half hour, controlled load left out
    # of general import; the controlled load's 0.25 kWh a half hour stand beside it
    assert (point["peak"]["kw"], point["peak_with_controlled_load"]["kw"], point["load_factor"]) == (1.0, 1.5, 1.0)
    assert {(slot["kw"], slot["kw_p10"], slot["kw_p90"]) for slot in point["average_day"]} == {(1.0, 1.0, 1.0)}
    assert {slot["kw"] for slot in point["controlled_load_average_day"]} == {0.5}
    assert len(point["controlled_load_average_day"]) == 48


@pytest.mark.parametrize(("unit", "value"), [("Wh", "500"), ("MWH", "0.0005"), ("kWh", "0.5")])
def test_units_are_stored_as_kwh(run: Run, bring: Bring, unit: str, value: str) -> None:
    bring(nem12(register(unit=unit), day("20240101", [value] * 48)))
    (entry,) = usage(run)["registers"]
    assert (entry["total"], entry["unit"]) == (24.0, "KWH")


def test_a_day_given_twice_counts_by_its_update_and_both_are_noted(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    path.write_text(
        nem12(
            register(),
            day("20240101", [2] * 48, updated="20240110000000"),
            day("20240101", [1] * 48, updated="20240105000000"),
        )
    )
    (file,) = run("import", path, "--json").json["files"]
    (noted,) = file["problems"]
    assert (noted["where"], noted["severity"]) == ("twice.csv:4", "warning")
    assert usage(run)["import_kwh"] == 96.0
    path.write_text(nem12(register(), day("20240101", [3] * 48, updated="20240120000000")))
    (file,) = run("import", path, "--json").json["files"]
    assert (file["added"], file["updated"], len(file["problems"])) == (0, 1, 1)
    path.write_text(nem12(register(), day("20240101", [9] * 48, updated="20240101000000")))
    (file,) = run("import", path, "--json").json["files"]
    assert (file["updated"], file["unchanged"]) == (0, 1)
    assert usage(run)["import_kwh"] == 144.0


def test_a_missing_day_is_no_zero(run: Run, bring: Bring) -> None:
    bring(nem12(register(), day("20240101", HALF), day("20240104", HALF)))
    point = usage(run)
    assert (point["import_kwh"], point["coverage"]) == (48.0, 0.5)
    assert usage(run, "--from", "2024-01-02", "--to", "2024-01-03")["import_kwh"] is None
    inside = usage(run, "--from", "2024-01-01", "--to", "2024-01-02")
    assert (inside["from"], inside["to"], inside["coverage"], inside["import_kwh"]) == (
        *("2024-01-01", "2024-01-02"),
        *(0.5, 24.0),
    )


@pytest.mark.parametrize(
    ("zone", "at"),
    [("Australia/Perth", "2024-01-01T04:00:00+08:00"), ("Australia/Brisbane", "2024-01-01T06:00:00+10:00")],
)
def test_the_average_day_and_the_peak_are_on_the_homes_clock(run: Run, bring: Bring, zone: str, at: str) -> None:
    bring(nem12(register(), day("20240101", [0.25] * 12 + [2.0] + [0.25] * 35)), "--timezone", zone)
    point = usage(run)
    assert point["peak"] == {"kw": 4.0, "at": at}
    slots = {(slot["season"], slot["day_type"], slot["minute"]): slot["kw"] for slot in point["average_day"]}
    hour = int(at[11:13])
    assert slots["summer", "weekday", hour * 60] == 4.0
    assert slots["summer", "weekday", hour * 60 + 30] == 0.5
    assert point["load_factor"] == pytest.approx((47 * 0.5 + 4.0) / 48 / 4.0, abs=1e-6)
    assert point["timezone"] == zone


def test_the_base_load_is_the_fifth_percentile_between_one_and_five(run: Run, bring: Bring) -> None:
    # AEST nights in winter are Sydney's: 8 half hours a night; of 40, two at 0.2 kW are the lowest twentieth
    night = [0.3] * 8
    first = [5.0] * 2 + [0.1, 0.1, *night[2:]] + [5.0] * 38
    rest = [5.0] * 2 + night + [5.0] * 38
    bring(nem12(register(), day("20240603", first), *(day(f"2024060{n}", rest) for n in range(4, 8))))
    assert 0.2 <= usage(run)["base_load_kw"] <= 0.6


def test_days_of_23_and_25_hours_lose_nothing(run: Run, bring: Bring) -> None:
    bring(nem12(register(), *(day(when, HALF) for when in ("20240406", "20240407", "20241006", "20241007"))))
    assert usage(run, "--from", "2024-04-06", "--to", "2024-04-07")["import_kwh"] == 48.0
    autumn = usage(run, "--from", "2024-10-06", "--to", "2024-10-07")
    assert (autumn["import_kwh"], autumn["coverage"], autumn["load_factor"]) == (48.0, 1.0, 1.0)


def test_seasons_and_day_types(run: Run, bring: Bring) -> None:
    months = {
        "20240106": "summer",
        "20240301": "autumn",
        "20240603": "winter",
        "20240902": "spring",
        "20241201": "summer",
    }
    bring(nem12(register(), *(day(when, HALF) for when in months)), "--timezone", "Australia/Brisbane")
    assert {(slot["season"], slot["day_type"]) for slot in usage(run)["average_day"]} == {
        ("summer", "weekend"),
        ("autumn", "weekday"),
        ("winter", "weekday"),
        ("spring", "weekday"),
    }


def test_an_hourly_register_counts_whole(run: Run, bring: Bring) -> None:
    bring(nem12(register(minutes=60), day("20240101", [1.0] * 23 + [3.0])))
    point = usage(run)
    assert (point["import_kwh"], point["peak"]["kw"]) == (26.0, 3.0)
    assert point["load_factor"] == pytest.approx(26 / 24 / 3, abs=1e-6)


def test_one_service_point_of_several(run: Run, bring: Bring) -> None:
    two = nem12(register(), day("20240101", HALF), register(nmi="4103000002"), day("20240101", [1] * 48))
    bring(two)
    assert len(run("usage", "--json").json["service_points"]) == 2
    assert usage(run, "--service-point", "4103000002")["import_kwh"] == 48.0
    for command in ("bill", "forecast"):
        ended = run(command, "--json")
        assert (ended.code, ended.out) == (2, "")
        assert "4103000001, 4103000002" in ended.err
    assert run("usage", "--service-point", "nope", "--json").code == 2
