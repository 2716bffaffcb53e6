"""Ctrl-C while the service is slow: nobody waits for its answer, and nothing more is asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.flows.sync.written import WrittenService
from tests.json_answers import sync
from toolkit.flows.household.context import Context
from toolkit.store import open_store
from toolkit.wire.decoding.pages import Page

LONG = 120


class Slow(WrittenService):
    """Payees are not answered before `free`; by then the person has given up."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked, self.free = threading.Event(), threading.Event()
        self.answers: list[bool] = []
        self.page_size = 1
        self.lists["banking.payees"] = [{"platform_id": f"p{n}", "payee_id": f"p{n}"} for n in range(3)]

    def pages(self, resource: str, *, start: str | None = None, **parameters: str) -> Iterator[Page]:
        if resource == "banking.payees":
            self.is_asked.set()
            self.answers.append(self.free.wait(LONG))
        if resource == "banking.accounts":
            assert self.is_asked.wait(LONG)
            raise KeyboardInterrupt
        yield from super().pages(resource, start=start, **parameters)


def test_an_interrupted_sync_waits_for_no_answer(home_context: Context) -> None:
    service: Any = Slow()
    with pytest.raises(KeyboardInterrupt):
        sync(home_context, service, end_user="eu")
    assert service.answers == []
    service.free.set()
    for reader in [thread for thread in threading.enumerate() if thread.name.startswith("pull-")]:
        reader.join(LONG)
        assert not reader.is_alive()
    assert service.answers == [True]
    assert [number for resource, number in service.pages_asked if resource == "banking.payees"] == [0]
    with open_store(home_context.db) as store:
        assert [row["state"] for row in store.rows("runs")] == ["failed"]
        assert store.count("payees") == 0
