"""A household with something of everything, synced from lists, for tests that then break its file."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from tests.faults.victims import Victims
from tests.flows.sync.written import WrittenService, purchase, register_day
from tests.json_answers import sync
from toolkit.flows.household.context import Context
from toolkit.sandbox.serve import Running, running
from toolkit.store import open_store

TODAY = date(2026, 3, 15)
ROOT = Path(__file__).parent.parent.parent


def a_service(purchases: int = 800, days: int = 28) -> WrittenService:
    """One person with a bank account, a service point, and lists in pages of 50."""
    service = WrittenService()
    service.page_size = 50
    of = {"arrangement_id": "arr", "institution_id": "bank"}
    service.lists["banking.accounts"] = [{"platform_id": "pa1", "account_id": "a1", **of}]
    service.lists["energy.service_points"] = [{"platform_id": "psp", "service_point_id": "sp", **of}]
    service.lists["banking.transactions"] = [
        purchase(n, f"-{n}.05", description=f"COFFEE {n}", merchant_name="Cafe") for n in range(1, purchases + 1)
    ]
    service.lists["energy.usage"] = [register_day(f"2026-02-{day:02}", 0.25 * day) for day in range(1, days + 1)]
    return service


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """The database of that person after a sync, its search index made; one file, no log beside it."""
    path = tmp_path / "data" / "home.db"
    sync(Context(path, TODAY), a_service(), end_user="eu")
    with open_store(path) as store:
        assert len(store.search("transactions", "coffee")) == 800
    return path


@pytest.fixture(scope="module")
def victims() -> Iterator[Victims]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    script = [sys.executable, str(Path(__file__).parent / "victim.py")]
    with subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        found = Victims(process)
        yield found
        assert process.stdin is not None
        process.stdin.close()
        if found.killed:
            print(f"{found.killed} killed, 0 rows lost or doubled")


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Running]:
    with running(today=TODAY, households=1, years=1) as found:
        yield found
