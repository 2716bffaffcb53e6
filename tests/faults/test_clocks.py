"""Tokens that end in the middle of a walk, and clocks that jump."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from tests.faults.conftest import TODAY, a_service
from tests.faults.victims import contents
from tests.flows.sync.written import purchase
from tests.json_answers import sync
from tests.keys import keys_of
from toolkit.api.client import Client
from toolkit.flows.household.context import Context
from toolkit.sandbox.serve import Running, running
from toolkit.settings import load
from toolkit.store import open_store
from toolkit.wire.decoding.pages import Page

MOVES = 30
"""Of 1,000 seconds each: together less than the day after which the service would have new records."""


class Ageing(Client):
    """The service's clock moves by more than a token's life between pages, and never while a page is asked for."""

    url = ""
    between_pages = threading.Lock()
    moves = 0

    def pages(self, resource: str, **how: Any) -> Iterator[Page]:
        found = super().pages(resource, **how)
        while True:
            with self.between_pages:
                page = next(found, None)
                if page is None:
                    return
                if self.moves < MOVES:
                    self.moves += 1
                    httpx.post(self.url, json={"advance_seconds": 1000}).raise_for_status()
            yield page


def pulled(sandbox: Running, db: Path, *, ageing: bool = False) -> list[dict[str, object]]:
    with (Ageing if ageing else Client)(load({}, keys_of(sandbox))) as client:
        if isinstance(client, Ageing):
            client.url = str(sandbox.control_url)
        failed: list[dict[str, object]] = sync(Context(db, TODAY), client, end_user=sandbox.people[0][1])["failed"]
        if isinstance(client, Ageing):
            assert client.moves == MOVES
    return failed


def test_tokens_that_end_while_paging(tmp_path: Path) -> None:
    """The service's clock moves by more than a token's life many times during one sync."""
    with running(today=TODAY, households=1, years=1) as sandbox:
        pulled(sandbox, tmp_path / "undisturbed.db")
        assert sandbox.control_url is not None
        small = [{"path": "/v1/banking/transactions", "page_size": 10}]
        httpx.post(sandbox.control_url, json={"faults": small}).raise_for_status()
        assert pulled(sandbox, tmp_path / "ageing.db", ageing=True) == []
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
