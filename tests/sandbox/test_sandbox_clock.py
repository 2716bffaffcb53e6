"""What a moved clock changes, and what it must not; what is left when the sandbox is ended from outside."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.sandbox.stranger import TODAY, Caller, signed_in
from toolkit.sandbox.serve import running

DAY = 86400


@pytest.fixture
def later() -> Iterator[Any]:
    """`later(days)`: a caller of one sandbox after so many more days."""
    opened: list[httpx.Client] = []
    with running(today=TODAY, years=1, households=2) as sandbox:

        def go(days: float) -> Caller:
            order = {"advance_seconds": days * DAY}
            httpx.post(sandbox.control_url or "", json=order, trust_env=False).raise_for_status()
            opened.append(signed_in(sandbox, sandbox.client_id, sandbox.client_secret))
            return Caller(sandbox, opened[-1])

        yield go
        for client in opened:
            client.close()


def records(caller: Caller, path: str) -> list[dict[str, Any]]:
    return caller.every(path, end_user_id=caller.user("family"))


def test_late_reads_replace_what_stood_in_for_them(later: Any) -> None:
    def general(caller: Caller) -> dict[str, dict[str, Any]]:
        rows = records(caller, "/v1/energy/usage")
        return {row["read_start_date"]: row for row in rows if row["register_suffix"] == "E1"}

    before = general(later(0))
    substituted = before["2026-03-07"]["interval_read"]
    assert substituted["read_qualities"] == [{"start_interval": 1, "end_interval": 288, "quality": "SUBSTITUTE"}]
    assert substituted["interval_reads"] == before["2026-03-06"]["interval_read"]["interval_reads"]
    assert general(later(4))["2026-03-07"]["interval_read"] == substituted
    after = general(later(1))
    read = after["2026-03-07"]["interval_read"]
    assert not read["read_qualities"]
    assert read["interval_reads"] != substituted["interval_reads"]
    assert after["2026-03-07"]["platform_id"] == before["2026-03-07"]["platform_id"]
    del before["2026-03-07"]
    assert {day: after[day] for day in before} == before


@pytest.mark.parametrize("days", [1, 9, 80, 200])
def test_balances_move_by_what_was_posted(later: Any, days: int) -> None:
    def balances_and_rows(caller: Caller) -> tuple[dict[str, Decimal], dict[str, dict[str, Any]]]:
        balances = records(caller, "/v1/banking/balances")
        posted = [row for row in records(caller, "/v1/banking/transactions") if row["status"] == "POSTED"]
        own = {row["platform_id"]: row for row in posted if row["currency"] == "AUD"}
        return {row["account_id"]: Decimal(row["current_balance"]) for row in balances}, own

    before, earlier = balances_and_rows(later(0))
    after, posted = balances_and_rows(later(days))
    assert earlier.items() <= posted.items()
    for account, balance in before.items():
        new = [row for key, row in posted.items() if key not in earlier and row["account_id"] == account]
        assert after[account] - balance == sum(Decimal(row["amount"]) for row in new), account


def test_invoices_once_issued_stay(later: Any) -> None:
    before = {row["invoice_number"]: row for row in records(later(0), "/v1/energy/invoice")}
    after = {row["invoice_number"]: row for row in records(later(40), "/v1/energy/invoice")}
    assert before.keys() < after.keys()
    for number, invoice in before.items():
        assert after[number] | {"payment_status": ""} == invoice | {"payment_status": ""}


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_ended_from_outside_it_leaves_nothing(ending: signal.Signals) -> None:
    command = [sys.executable, "-m", "toolkit", "sandbox", "--tls", "--json", "--households", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(json.loads(process.stdout.readline())["ca"]).parent
        assert folder.stat().st_mode & 0o777 == 0o700
        process.send_signal(ending)
        process.wait(timeout=120)
    assert not folder.exists()
