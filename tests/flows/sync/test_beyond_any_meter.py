"""A number that nothing can hold costs its record, by name, at every sync: all else goes in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.flows.sync.written import WrittenService, purchase, register_day
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.store import open_store

Run = Callable[..., dict[str, Any]]
DIAL = {
    "platform_id": "b1",
    "arrangement_id": "arr",
    "service_point_id": "sp",
    "register_suffix": "E1",
    "unit_of_measure": "KWH",
    "read_start_date": "2026-03-01",
}


@pytest.mark.parametrize(
    ("record", "named"),
    [
        ({**DIAL, "basic_read": {"value": 10_000_000_000}}, "10,000,000,000"),
        ({**DIAL, "basic_read": {"value": "1e999999"}}, "value"),
        ({**register_day("2026-03-01", 999_999_999), "platform_id": "b1"}, "47,999,999,952"),
    ],
)
def test_a_large_meter_value_is_set_aside(
    service: WrittenService, run: Run, home_context: Context, record: dict[str, Any], named: str
) -> None:
    service.lists["energy.usage"] = [register_day("2026-02-01"), record, register_day("2026-02-02")]
    service.lists["banking.transactions"] = [purchase(1), purchase(2, amount="1e17")]
    for _ in range(2):
        answer = run()
        assert answer["failed"] == []
        rejected = {problem["where"]: problem["reason"] for problem in answer["problems"]}
        assert rejected.keys() == {"b1", "t2"}
        assert names(rejected["b1"], "energy.usage", named)
        assert names(rejected["t2"], "banking.transactions", "amount", "'1e17'")
    with open_store(home_context.db) as store:
        assert (store.count("register_days"), store.count("transactions"), store.count("meter_reads")) == (2, 1, 0)
        assert {row["id"] for row in store.rows("quarantine")} == {"b1", "t2"}


def test_half_a_character_leaves_accounts_and_reads_where_they_are(service: WrittenService, run: Run) -> None:
    service.lists["energy.accounts"] = [{"platform_id": "pe", "account_id": "ea", "display_name": "Home \ud83d"}]
    service.lists["energy.usage"] = [register_day("2026-03-01"), register_day("2026-03-02", note="\ud83d")]
    answer = run()
    assert {name: answer["resources"][name]["added"] for name in ("energy.accounts", "energy.usage")} == {
        "energy.accounts": 1,
        "energy.usage": 2,
    }
    assert [problem["severity"] for problem in answer["problems"]] == ["warning"]
