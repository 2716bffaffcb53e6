"""Tokens that end in the middle of a walk, and clocks that jump."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from tests.faults.conftest import TODAY, a_service
from tests.faults.victims import contents
from tests.keys import keys_of
from tests.sync.written import purchase
from toolkit.api.client import Client
from toolkit.flows.context import Context
from toolkit.flows.sync import sync
from toolkit.sandbox.serve import Running, running
from toolkit.settings import load
from toolkit.store import open_store


def pulled(sandbox: Running, db: Path) -> list[dict[str, object]]:
    with Client(load({}, keys_of(sandbox))) as client:
        failed: list[dict[str, object]] = sync(Context(db, TODAY), client, end_user=sandbox.people[0][1])["failed"]
    return failed


def test_tokens_that_end_while_paging(tmp_path: Path) -> None:
    """The service's clock moves by more than a token's life many times during one sync."""
    with running(today=TODAY, households=1, years=1) as sandbox:
        pulled(sandbox, tmp_path / "undisturbed.db")
        assert sandbox.control_url is not None
        small = [{"path": "/v1/banking/transactions", "page_size": 10}]
        httpx.post(sandbox.control_url, json={"faults": small}).raise_for_status()
        done = threading.Event()

        def age() -> None:
            while not done.wait(0.05):
                httpx.post(str(sandbox.control_url), json={"advance_seconds": 1000}).raise_for_status()

        ageing = threading.Thread(target=age)
        ageing.start()
        try:
            assert pulled(sandbox, tmp_path / "ageing.db") == []
        finally:
            done.set()
            ageing.join()
    found, whole = contents(tmp_path / "ageing.db"), contents(tmp_path / "undisturbed.db")
    for name in ("transactions", "register_days", "invoices", "quarantine"):
        assert [row.get("id") for row in found[name]] == [row.get("id") for row in whole[name]], name


def test_a_wrong_day_loses_nothing(tmp_path: Path) -> None:
    """The machine's day jumps by ten years both ways between syncs, while late rows keep coming."""
    service, db = a_service(20, 5), tmp_path / "home.db"
    sync(Context(db, TODAY), service, end_user="eu")
    for number, year in enumerate((2036, 2016, 2026, 2016, 2036)):
        service.lists["banking.transactions"].append(
            purchase(100 + number, posting_date_time=f"2026-03-{number + 5:02}T00:00:00Z")
        )
        answer = sync(Context(db, TODAY.replace(year=year)), service)
        assert (answer["failed"], answer["problems"]) == ([], [])
    assert len(contents(db)["transactions"]) == 25


def test_after_a_clock_that_was_ahead_everything_is_read_again(tmp_path: Path) -> None:
    service, db = a_service(3, 1), tmp_path / "home.db"
    sync(Context(db, TODAY), service, end_user="eu")
    with open_store(db) as store:
        store.update("positions", {"full_walk_at": datetime.now(UTC) + timedelta(days=3650)}, {})
    service.asked.clear()
    sync(Context(db, TODAY), service)
    assert ("banking.transactions", {"end_user_id": "eu", "account_id": "a1"}) in service.asked
