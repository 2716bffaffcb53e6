"""A walk that was cut short goes on at the page stored last; what it cannot know any more is read again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.flows.sync.conftest import TODAY
from tests.flows.sync.written import WrittenService, purchase, register_day
from tests.json_answers import forget, sync
from toolkit.api.transport import PaginationError
from toolkit.errors import ConnectionFailedError, ConsentRequiredError, RequestRejectedError, ServerError
from toolkit.flows.household.context import Context
from toolkit.store import open_store

Run = Callable[..., dict[str, Any]]
MONEY, METERS = "banking.transactions", "energy.usage"
PENDING = {"status": "PENDING", "posting_date_time": None}


def stored(ctx: Context, table: str, **where: object) -> list[dict[str, Any]]:
    with open_store(ctx.db) as store:
        return store.rows(table, where=where)


def counting(ctx: Context) -> set[str]:
    return {row["id"] for row in stored(ctx, "transactions", vanished_at=None)}


def pages_asked(service: WrittenService, resource: str = MONEY) -> list[int]:
    """The pages of a list asked for since the last look, in order."""
    found = [number for asked, number in service.pages_asked if asked == resource]
    service.pages_asked.clear()
    return found


@pytest.fixture
def ten_pages(service: WrittenService) -> WrittenService:
    """Purchases of ten pages; those of the last two weeks are on the first page, newest first."""
    service.page_size = 3
    days = [TODAY - timedelta(days=2 * number) for number in range(30)]
    service.lists[MONEY] = [purchase(n, posting_date_time=f"{day}T00:00:00Z") for n, day in enumerate(days)]
    return service


def cut_short(service: WrittenService, run: Run, pages: int, resource: str = MONEY) -> None:
    service.breaks[resource] = (pages, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run()
    service.breaks.clear()
    service.asked.clear()
    service.pages_asked.clear()


@pytest.mark.parametrize("reached", [2, 5, 9, 10])
def test_only_the_page_stored_last_is_read_twice(
    ten_pages: WrittenService, run: Run, home_context: Context, reached: int
) -> None:
    ten_pages.breaks[MONEY] = (reached, ConnectionFailedError("the line is dead"))
    assert [failure["resource"] for failure in run()["failed"]] == [MONEY]
    assert pages_asked(ten_pages) == list(range(reached))
    assert len(counting(home_context)) == 3 * reached
    ten_pages.breaks.clear()
    answer = run(only={MONEY})
    asked = pages_asked(ten_pages)
    assert asked[: 11 - reached] == list(range(reached - 1, 10))
    side_by_side = sorted(asked[11 - reached :])
    assert side_by_side == [0, *range(8)], "pending rows, and those of the last 45 days, as in every sync"
    assert (answer["failed"], answer["problems"]) == ([], [])
    assert counting(home_context) == {f"t{number}" for number in range(30)}
    assert stored(home_context, "walks") == []
    run()
    assert max(pages_asked(ten_pages)) == 7, "it counts as a walk through everything: now only what is of late"


def test_a_run_that_dies_at_every_page_still_comes_to_the_end(
    ten_pages: WrittenService, run: Run, home_context: Context
) -> None:
    asked = []
    for reached in range(2, 10):
        ten_pages.breaks[MONEY] = (reached, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            run()
        asked += pages_asked(ten_pages)
    assert asked == [0, 1, *(page for last in range(2, 9) for page in (last - 1, last))]
    ten_pages.breaks.clear()
    run()
    assert len(counting(home_context)) == 30


def test_reads_and_plain_lists_go_on_too(service: WrittenService, run: Run, home_context: Context) -> None:
    service.page_size = 2
    service.lists[METERS] = [register_day(f"2026-01-{day:02}") for day in range(1, 12)]
    of = {"arrangement_id": "arr", "institution_id": "bank"}
    service.lists["banking.payees"] = [{"platform_id": f"p{n}", "payee_id": f"p{n}", **of} for n in range(7)]
    service.breaks = {METERS: (4, ConnectionFailedError("dead")), "banking.payees": (2, ConnectionFailedError("dead"))}
    run()
    service.breaks.clear()
    service.pages_asked.clear()
    assert run()["failed"] == []
    assert [page for name, page in service.pages_asked if name == METERS][:3] == [3, 4, 5]
    assert [page for name, page in service.pages_asked if name == "banking.payees"] == [1, 2, 3]
    assert len(stored(home_context, "register_days")) == 11
    assert len(stored(home_context, "payees")) == 7
    assert {row["resource"] for row in stored(home_context, "positions", fresh_at=None)} == {"banking.payees"}
    service.lists["banking.payees"].pop()
    assert run()["resources"]["banking.payees"]["removed"] == 1


def test_what_follows_from_the_pages_of_before_is_read(
    service: WrittenService, run: Run, home_context: Context
) -> None:
    """Transactions and products of accounts that only the earlier run has seen."""
    service.page_size = 1
    service.lists["banking.accounts"] = [
        {"platform_id": f"p{n}", "account_id": f"a{n}", "arrangement_id": "arr", "institution_id": f"bank{n}"}
        for n in range(4)
    ]
    service.lists[MONEY] = [purchase(n, account_id=f"a{n}") for n in range(4)]
    cut_short(service, run, 3, "banking.accounts")
    run()
    assert counting(home_context) == {"t0", "t1", "t2", "t3"}
    asked = {parameters["institution_id"] for resource, parameters in service.asked if resource == "banking.products"}
    assert asked == {"bank0", "bank1", "bank2", "bank3"}


@pytest.mark.parametrize("error", [RequestRejectedError("invalid_cursor"), ServerError("500")])
def test_a_cursor_that_is_refused_is_no_failure(
    ten_pages: WrittenService, run: Run, home_context: Context, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    cut_short(ten_pages, run, 6)
    real = ten_pages.pages

    def forgetful(resource: str, *, start: str | None = None, **parameters: str) -> Any:
        if start is not None:
            raise error
        return real(resource, **parameters)

    monkeypatch.setattr(ten_pages, "pages", forgetful)
    answer = run(only={MONEY})
    assert (answer["failed"], answer["problems"]) == ([], [])
    assert pages_asked(ten_pages) == list(range(10))
    assert len(counting(home_context)) == 30


def test_rows_that_went_meanwhile_take_none_with_them(
    ten_pages: WrittenService, run: Run, home_context: Context
) -> None:
    """By counted pages the rest moves forward: four rows would be stepped over."""
    cut_short(ten_pages, run, 6)
    del ten_pages.lists[MONEY][1:5]
    run(only={MONEY})
    assert pages_asked(ten_pages)[:2] == [5, 0]
    assert counting(home_context) == {f"t{number}" for number in range(30)} - {"t1", "t2", "t3", "t4"}


def test_rows_that_came_meanwhile_are_found_in_the_same_run(
    ten_pages: WrittenService, run: Run, home_context: Context
) -> None:
    ten_pages.lists[MONEY][0] = purchase(0, **PENDING)
    cut_short(ten_pages, run, 6)
    ten_pages.lists[MONEY][0] = purchase(99, posting_date_time=f"{TODAY}T00:00:00Z")
    run(only={MONEY})
    assert pages_asked(ten_pages)[0] == 5
    assert counting(home_context) == {f"t{number}" for number in range(1, 30)} | {"t99"}


def test_a_resumed_walk_through_what_is_known_marks_nothing_and_stays_due(
    ten_pages: WrittenService, run: Run, home_context: Context
) -> None:
    run()
    long_ago = datetime.now(UTC) - timedelta(days=31)
    with open_store(home_context.db) as store:
        store.update("positions", {"full_walk_at": long_ago}, {"resource": MONEY})
    gone = ten_pages.lists[MONEY].pop()
    cut_short(ten_pages, run, 6)
    assert run()["resources"][MONEY]["removed"] == 0
    assert [row["full_walk_at"] for row in stored(home_context, "positions", resource=MONEY)] == [long_ago]
    assert run()["resources"][MONEY]["removed"] == 1
    assert gone["platform_id"] not in counting(home_context)


@pytest.mark.parametrize("why", ["full", "consents", "a week", "clock"])
def test_when_it_begins_anew(ten_pages: WrittenService, run: Run, home_context: Context, why: str) -> None:
    cut_short(ten_pages, run, 6)
    now = datetime.now(UTC)
    with open_store(home_context.db) as store:
        at = {"a week": now - timedelta(days=8), "clock": now + timedelta(hours=1)}.get(why, now)
        store.update("walks", {"reached_at": at}, {})
    if why == "consents":
        ten_pages.consent_records.append({"arrangement_id": "more", "institution_id": "power", "active": True})
    run(full=why == "full")
    assert pages_asked(ten_pages)[:10] == list(range(10))
    assert len(counting(home_context)) == 30


def test_links_that_led_astray_are_not_gone_on_with(ten_pages: WrittenService, run: Run, home_context: Context) -> None:
    ten_pages.breaks[MONEY] = (6, PaginationError("the pages go in a circle"))
    for _ in range(2):
        assert [failure["resource"] for failure in run()["failed"]] == [MONEY]
        assert pages_asked(ten_pages) == list(range(6))
    assert stored(home_context, "walks") == []


def test_a_page_that_always_fails_keeps_nobody_from_the_newest_rows(
    ten_pages: WrittenService, run: Run, home_context: Context
) -> None:
    ten_pages.breaks[MONEY] = (6, ServerError("500"))
    run()
    pages_asked(ten_pages)
    ten_pages.lists[MONEY][0] = purchase(99, posting_date_time=f"{TODAY}T00:00:00Z")
    assert [failure["error"] for failure in run()["failed"]] == ["500"]
    assert pages_asked(ten_pages) == [5, *range(6)]
    assert "t99" in counting(home_context)


def test_an_ended_consent_leaves_the_place_to_nobody(
    ten_pages: WrittenService, run: Run, home_context: Context
) -> None:
    cut_short(ten_pages, run, 6)
    ten_pages.consent_records[0]["active"] = False
    with pytest.raises(ConsentRequiredError):
        run()
    renewed = {"arrangement_id": "new", "institution_id": "bank", "active": True}
    ten_pages.consent_records.append(renewed)
    ten_pages.lists["banking.accounts"][0]["arrangement_id"] = "new"
    ten_pages.lists[MONEY] = [
        {**row, "platform_id": f"new-{row['platform_id']}", "arrangement_id": "new"} for row in ten_pages.lists[MONEY]
    ]
    run()
    assert counting(home_context) == {f"new-t{number}" for number in range(30)}


@pytest.mark.parametrize("asked", [{"account": "a1"}, {"consent": "arr"}, {"household": "Alex"}])
def test_what_is_forgotten_leaves_no_place(
    ten_pages: WrittenService, run: Run, home_context: Context, asked: dict[str, Any]
) -> None:
    cut_short(ten_pages, run, 6)
    with open_store(home_context.db) as store:
        store.update("walks", {"cursor": "SENTINEL"}, {})
    forget(home_context, **asked)
    assert stored(home_context, "walks") == []
    files = [path for path in home_context.db.parent.rglob("*") if path.is_file()]
    assert [path.name for path in files if b"SENTINEL" in path.read_bytes()] == []


STEP = st.one_of(
    st.tuples(st.just("new"), st.integers(0, 30)),
    st.tuples(st.just("gone"), st.integers(0, 30)),
    st.tuples(st.just("run"), st.integers(0, 9)),
)


@given(st.lists(STEP, max_size=12))
@settings(max_examples=40)
def test_whatever_comes_and_goes_between_broken_runs_no_row_is_lost(steps: list[tuple[str, int]]) -> None:
    """By counted pages, which shift; new rows have today's date. One whole run finds all, a full one what is gone."""
    service, number = WrittenService(), 1000
    service.page_size = 3
    service.lists["banking.accounts"] = [{"platform_id": "pa1", "account_id": "a1", "arrangement_id": "arr"}]
    rows = service.lists[MONEY] = [purchase(n, posting_date_time="2025-06-01T00:00:00Z") for n in range(20)]
    with TemporaryDirectory() as folder:
        ctx = Context(Path(folder) / "home.db", TODAY)
        for step, place in steps:
            if step == "new":
                number += 1
                rows.insert(place, purchase(number, posting_date_time=f"{TODAY}T00:00:00Z"))
            elif step == "gone" and rows:
                rows.pop(place % len(rows))
            elif step == "run":
                service.breaks[MONEY] = (place, ConnectionFailedError("dead"))
                sync(ctx, service, end_user="eu", only="banking")
        service.breaks.clear()
        sync(ctx, service, end_user="eu", only="banking")
        truth = {row["platform_id"] for row in rows}
        assert truth <= counting(ctx)
        sync(ctx, service, end_user="eu", only="banking", full=True)
        assert counting(ctx) == truth
