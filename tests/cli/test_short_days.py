"""Usage records with fewer values than their days have room for: what was given counts, the rest is missing."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run
from tests.flows.sync.written import WrittenService, register_day
from tests.json_answers import sync
from tests.problems import names, places
from toolkit.flows.household.context import Context

TODAY = date(2026, 3, 15)


def short(day: str, values: int, **changes: Any) -> dict[str, Any]:
    """Half hours of 0.5 kWh from midnight on."""
    read = {"interval_reads": [0.5] * values, "read_interval_length": 30, "aggregate_value": 0.5 * values}
    return register_day(day, interval_read=read, **changes)


def synced(home: Path, *records: dict[str, Any]) -> dict[str, Any]:
    service = WrittenService()
    of = {"arrangement_id": "arr", "institution_id": "bank"}
    service.lists["energy.service_points"] = [{"platform_id": "psp", "service_point_id": "sp", **of}]
    service.lists["energy.usage"] = list(records)
    return sync(Context(home / "household.db", TODAY), service, end_user="eu")


@pytest.mark.parametrize("later", [0, 1])
def test_a_short_day_keeps_its_values_and_the_rest_is_missing(run: Run, home: Path, later: int) -> None:
    """40 of 48 half hours of 0.5 kWh are 20 kWh; of two days 88 of 96."""
    answer = synced(home, *[short("2026-03-01", 48)][:later], short("2026-03-02", 40))
    assert places(answer["problems"]) == [("sp", "warning")]
    assert names(answer["problems"][0]["reason"], "energy.usage", "E1", "40 of 48", "2026-03-02")
    (point,) = run("usage", "--json").json["service_points"]
    assert point["import_kwh"] == pytest.approx(20 + 24 * later)
    assert point["coverage"] == pytest.approx((40 + 48 * later) / (48 + 48 * later))
    assert point["registers"][0]["quality"]["MISSING"] == 8


def test_a_short_last_day_of_a_record_of_several(run: Run, home: Path) -> None:
    """Two whole days and 10 half hours of the third; an end date may be the last day or the day after it."""
    for number, end in enumerate(["2026-03-03", "2026-03-04"]):
        synced(home, short("2026-03-01", 106, read_end_date=end, platform_id=f"u{number}"))
        (point,) = run("usage", "--json").json["service_points"]
        assert (point["from"], point["to"]) == ("2026-03-01", "2026-03-03")
        assert point["import_kwh"] == pytest.approx(53)
        assert point["registers"][0]["quality"]["MISSING"] == 38
