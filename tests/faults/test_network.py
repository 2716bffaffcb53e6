"""Seeded network faults: whatever goes wrong, nothing crashes, and one quiet full run later all is as without them."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.faults.conftest import TODAY
from tests.faults.settings import count
from tests.faults.victims import contents
from tests.json_answers import sync
from tests.keys import keys_of
from toolkit.api.client import Client
from toolkit.api.transport import RetryPolicy
from toolkit.errors import ToolkitError
from toolkit.flows.household.context import Context
from toolkit.sandbox.faults import LASTING
from toolkit.sandbox.serve import Running
from toolkit.settings import load
from toolkit.store import open_store

SCHEDULES = count("SCHEDULES", 30)
HALVES = ("banking", "energy")


@pytest.fixture
def asked_hosts(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Every host that anything in this process tries to reach."""
    hosts: set[str] = set()
    real = socket.getaddrinfo

    def recorded(host: Any, *rest: Any, **more: Any) -> Any:
        hosts.add(str(host))
        return real(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", recorded)
    return hosts


def client(sandbox: Running) -> Client:
    return Client(load({}, keys_of(sandbox)), retry_policy=RetryPolicy(sleep=lambda _: None))


def order(sandbox: Running, faults: Any) -> None:
    assert sandbox.control_url is not None
    httpx.post(sandbox.control_url, json={"faults": faults}).raise_for_status()


def disturbed(sandbox: Running, db: Path, half: str) -> dict[str, Any]:
    """A run under faults; a failure in words is an answer too."""
    try:
        with client(sandbox) as service:
            return sync(Context(db, TODAY), service, end_user=sandbox.people[0][1], only=half)
    except ToolkitError as error:
        return {"failed": [{"error": str(error)}], "resources": []}


def accounted(db: Path, answer: dict[str, Any]) -> None:
    """Every record fetched is added, updated, unchanged or rejected, by resource and by page."""
    with open_store(db) as store:
        entries = [*answer["resources"], *store.rows("receipts")]
    for entry in entries:
        assert entry["fetched"] == entry["added"] + entry["updated"] + entry["unchanged"] + entry["rejected"], entry


def quiet(sandbox: Running, db: Path, half: str) -> dict[str, Any]:
    order(sandbox, [])
    with client(sandbox) as service:
        return sync(Context(db, TODAY), service, end_user=sandbox.people[0][1], only=half, full=True)


def compared(db: Path) -> dict[str, Any]:
    """The name of a new household is the first answer that came; plans keep every version that was ever given."""
    found = contents(db)
    home = found["households"][0]["household_id"]
    rows = {name: [{**r, "household_id": ""} for r in listed] for name, listed in found.items() if name != "households"}
    rows["plans"] = []
    rows["account_plans"] = [row for row in rows["account_plans"] if row["is_current"]]
    assert len(found["households"]) == 1
    assert home
    return rows


@pytest.fixture(scope="module")
def undisturbed(sandbox: Running, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found = {}
    for half in HALVES:
        db = tmp_path_factory.mktemp(half) / "home.db"
        quiet(sandbox, db, half)
        found[half] = compared(db)
    return found


def test_seeded_schedules(sandbox: Running, undisturbed: dict[str, Any], asked_hosts: set[str], tmp_path: Path) -> None:
    failed = 0
    for seed in range(SCHEDULES):
        half, db = HALVES[seed % 2], tmp_path / f"seed{seed}.db"
        order(sandbox, {"seed": seed, "rate": 0.4})
        answer = disturbed(sandbox, db, half)
        failed += bool(answer["failed"])
        if db.exists():
            accounted(db, answer)
        last = quiet(sandbox, db, half)
        assert last["failed"] == [], seed
        assert compared(db) == undisturbed[half], f"seed {seed}"
        db.unlink()
    assert asked_hosts <= {"127.0.0.1"}
    print(f"{SCHEDULES} schedules, {failed} of the disturbed runs told a failure; 0 rows lost or doubled")


@pytest.mark.parametrize("kind", ["looping", "self_link", "endless", "foreign_next"])
def test_a_walk_that_leads_astray_is_a_failure_and_never_a_short_success(
    sandbox: Running, asked_hosts: set[str], tmp_path: Path, kind: str
) -> None:
    change = ("endless", "empty") if kind == "endless" else (kind,)
    order(sandbox, [{"path": "/v1/banking/transactions", "change": change, "page_size": 20}])
    answer = disturbed(sandbox, tmp_path / "home.db", "banking")
    order(sandbox, [])
    assert "banking.transactions" in {entry["resource"] for entry in answer["failed"]}
    with open_store(tmp_path / "home.db") as store:
        fresh = {row["resource"] for row in store.rows("positions") if row["fresh_at"]}
        assert store.damage() == []
    assert "banking.transactions" not in fresh
    assert "banking.accounts" in fresh
    assert asked_hosts <= {"127.0.0.1"}


@pytest.mark.parametrize("kind", ["small_pages", "doubled", "hollow", "moving"])
def test_odd_pages_lose_and_double_nothing(
    sandbox: Running, undisturbed: dict[str, Any], tmp_path: Path, kind: str
) -> None:
    assert kind in LASTING
    change = [] if kind == "small_pages" else [kind]
    order(sandbox, [{"path": "*", "change": change, "page_size": 7}])
    disturbed(sandbox, tmp_path / "home.db", "banking")
    quiet(sandbox, tmp_path / "home.db", "banking")
    assert compared(tmp_path / "home.db") == undisturbed["banking"]
