"""Which stored version of a plan is the latest."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolkit.store import open_store
from toolkit.store.plan_repository import latest_rows
from toolkit.tables.rows.plans import plan_row, read_plan

CONTRACT = {"tariffPeriod": []}


@pytest.mark.parametrize(
    ("arrived", "latest"),
    [
        (["2026-01-01", "2026-02-01"], "2026-02-01"),
        (["2026-02-01", "2026-01-01"], "2026-02-01"),
        (["2026-02-01", None], "2026-02-01"),
        ([None, "2026-01-01"], "2026-01-01"),
    ],
)
def test_the_version_updated_last_is_the_latest_in_whatever_order_they_arrive(
    tmp_path: Path, arrived: list[str | None], latest: str
) -> None:
    with open_store(tmp_path / "plans.db") as store:
        for sequence, updated in enumerate(arrived, start=1):
            plan = read_plan({"planId": "A", "lastUpdated": updated, "electricityContract": CONTRACT})
            store.upsert("plans", [plan_row(plan, source="file", sequence=sequence)])
        assert latest_rows(store, ("plan_id", "last_updated"), {"household_id": ""}) == [("A", latest)]


@pytest.mark.parametrize(
    ("arrived", "latest"),
    [
        ([("register", "2026-01-01"), ("register", "2026-02-01")], "2026-02-01"),
        ([("register", "2026-02-01"), ("register", "2026-01-01")], "2026-01-01"),
        ([("register", "2026-02-01"), ("register", None)], None),
        ([("register", "2026-03-01"), ("register", "2026-01-01"), ("register", "2026-02-01")], "2026-02-01"),
        ([("register", "2026-03-01"), ("file", "2026-02-01"), ("register", "2026-01-01")], "2026-02-01"),
        ([("file", "2026-02-01"), ("register", "2026-01-01")], "2026-02-01"),
    ],
)
def test_of_the_plan_registers_versions_the_one_it_gives_now_is_the_latest(
    tmp_path: Path, arrived: list[tuple[str, str | None]], latest: str | None
) -> None:
    with open_store(tmp_path / "plans.db") as store:
        for sequence, (source, updated) in enumerate(arrived, start=1):
            plan = read_plan({"planId": "A", "lastUpdated": updated, "electricityContract": CONTRACT})
            store.upsert("plans", [plan_row(plan, source=source, sequence=sequence)])
        assert latest_rows(store, ("last_updated",), {"household_id": ""}) == [(latest,)]


def test_of_versions_without_a_date_the_one_that_arrived_last_is_the_latest(tmp_path: Path) -> None:
    with open_store(tmp_path / "plans.db") as store:
        for sequence, name in ((2, "second"), (1, "first")):
            plan = read_plan({"planId": "A", "displayName": name, "electricityContract": CONTRACT})
            store.upsert("plans", [plan_row(plan, source="register", sequence=sequence)])
        assert latest_rows(store, ("name",), {"household_id": ""}) == [("second",)]
