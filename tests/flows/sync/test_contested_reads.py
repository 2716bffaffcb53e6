"""Two records of one sync that give the same read: the later counts, and unchanged data changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.flows.sync.written import WrittenService, register_day
from tests.problems import names, places
from toolkit.errors import InvalidResponseError
from toolkit.flows.household.context import Context
from toolkit.store import open_store

Run = Callable[..., dict[str, Any]]
Record = dict[str, Any]

FIRST, SECOND = register_day("2026-03-01", 0.5), register_day("2026-03-01", 1.0, platform_id="again")
OTHERS = [register_day("2026-03-02"), register_day("2026-03-03")]


def basic(id_: str, value: float, end: str) -> Record:
    return {"platform_id": id_, "arrangement_id": "arr", "service_point_id": "sp", "register_suffix": "E1",
            "unit_of_measure": "KWH", "read_start_date": "2026-03-01", "read_end_date": end,
            "basic_read": {"value": value}}  # fmt: skip


def usage(answer: dict[str, Any]) -> tuple[int, ...]:
    entry = answer["resources"]["energy.usage"]
    return tuple(entry[name] for name in ("fetched", "added", "updated", "unchanged", "removed", "rejected"))


def givers(ctx: Context, table: str = "register_days") -> list[tuple[Any, ...]]:
    with open_store(ctx.db) as store:
        assert store.damage() == []
        for receipt in store.rows("receipts"):
            parts = [receipt[name] for name in ("added", "updated", "unchanged", "rejected")]
            assert receipt["fetched"] == sum(parts)
        return store.tuples(table, ("id",))


@pytest.mark.parametrize("page_size", [1, 2, 3, 4])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("listed", [[FIRST, *OTHERS, SECOND], [FIRST, SECOND, *OTHERS], [SECOND, *OTHERS, FIRST]])
def test_a_second_sync_of_the_same_changes_nothing(
    service: WrittenService, run: Run, home_context: Context, listed: list[Record], page_size: int, full: bool
) -> None:
    outdone = SECOND if listed[0] == SECOND else FIRST
    service.page_size = page_size
    service.lists["energy.usage"] = listed
    first = run()
    assert usage(first) == (4, 3, 1, 0, 0, 0)
    for _ in range(2):
        again = run(full=full)
        assert usage(again) == (4, 0, 0, 4, 0, 0)
        assert again["problems"] == first["problems"]
        counting = sorted((record["platform_id"],) for record in listed if record is not outdone)
        assert sorted(givers(home_context)) == counting


def test_reads_of_a_dial_likewise(service: WrittenService, run: Run, home_context: Context) -> None:
    service.lists["energy.usage"] = [basic("b1", 1.0, "2026-03-05"), basic("b2", 2.0, "2026-03-05")]
    assert usage(run()) == (2, 1, 1, 0, 0, 0)
    assert usage(run(full=True)) == (2, 0, 0, 2, 0, 0)
    assert givers(home_context, "meter_reads") == [("b2",)]


def test_each_read_that_is_given_twice_is_named(service: WrittenService, run: Run) -> None:
    days = ["2026-03-01", "2026-03-02"]
    again = [register_day(day, 1.0, platform_id=f"again-{day}") for day in days]
    dials = [{**basic(name, 2.0, "2026-03-05"), "meter_id": "M7", "register_suffix": "G1"} for name in ("b1", "b2")]
    service.lists["energy.usage"] = [*map(register_day, days), *again, *dials]
    problems = run()["problems"]
    assert places(problems) == [("sp", "warning")] * 3
    reads = [("G1", "M7", "2026-03-01", "2026-03-05"), ("E1", "2026-03-01"), ("E1", "2026-03-02")]
    assert all(names(problem["reason"], *read) for problem, read in zip(problems, reads, strict=True))


@pytest.mark.parametrize("page_size", [1, 2])
def test_records_without_an_id_that_give_the_same_read_are_known_to_be_two(
    service: WrittenService, run: Run, home_context: Context, page_size: int
) -> None:
    service.page_size = page_size
    service.lists["energy.usage"] = [register_day("2026-03-01", value, platform_id=None) for value in (0.5, 1.0)]
    first = run()
    assert usage(first) == (2, 1, 1, 0, 0, 0)
    assert names(first["problems"][-1]["reason"], "E1", "2026-03-01")
    again = run(full=True)
    assert usage(again) == (2, 0, 0, 2, 0, 0)
    with open_store(home_context.db) as store:
        assert [row["total_nano"] for row in store.rows("register_days")] == [48 * 10**9]


@pytest.mark.parametrize("later", [[], [{**SECOND, "read_start_date": "2026-03-04"}]])
def test_a_read_whose_later_record_is_gone_or_corrected_is_the_others(
    service: WrittenService, run: Run, home_context: Context, later: list[Record]
) -> None:
    service.page_size = 1
    service.lists["energy.usage"] = [FIRST, *OTHERS, SECOND]
    run()
    service.lists["energy.usage"] = [FIRST, *OTHERS, *later]
    assert usage(run(full=True)) == (3 + len(later), len(later), 1, 2, 0, 0)
    assert ("u-2026-03-01",) in givers(home_context)
    assert len(givers(home_context)) == 3 + len(later)


def test_a_changed_value_of_the_record_that_counts_is_one_update(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    service.lists["energy.usage"] = [FIRST, SECOND]
    run()
    changed = register_day("2026-03-01", 2.0, platform_id="again")
    service.lists["energy.usage"] = [FIRST, changed]
    assert usage(run()) == (2, 0, 1, 1, 0, 0)
    with open_store(home_context.db) as store:
        assert [row["total_nano"] for row in store.rows("register_days")] == [96 * 10**9]


@pytest.mark.parametrize("pages_read", range(5))
def test_a_sync_that_was_cut_short_ends_where_an_undisturbed_one_does(
    service: WrittenService, run: Run, home_context: Context, pages_read: int
) -> None:
    service.page_size = 1
    service.lists["energy.usage"] = [OTHERS[0], FIRST, SECOND, OTHERS[1]]
    service.breaks["energy.usage"] = (pages_read, InvalidResponseError("it breaks off"))
    run()
    service.breaks.clear()
    run()
    assert sorted(givers(home_context)) == [("again",), ("u-2026-03-02",), ("u-2026-03-03",)]
    assert usage(run()) == (4, 0, 0, 4, 0, 0)
