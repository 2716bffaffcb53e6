"""One person with a bank account and a service point, and a database for them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.flows.sync.written import WrittenService
from tests.json_answers import sync
from toolkit.flows.household.context import Context

TODAY = date(2026, 3, 15)


@pytest.fixture
def service() -> WrittenService:
    """One person, one bank account, one service point."""
    written = WrittenService()
    of = {"arrangement_id": "arr", "institution_id": "bank"}
    written.lists["banking.accounts"] = [{"platform_id": "pa1", "account_id": "a1", **of}]
    written.lists["energy.service_points"] = [{"platform_id": "psp", "service_point_id": "sp", **of}]
    return written


@pytest.fixture
def home_context(tmp_path: Path) -> Context:
    return Context(tmp_path / "data" / "home.db", TODAY)


@pytest.fixture
def run(service: WrittenService, home_context: Context) -> Callable[..., dict[str, Any]]:
    """A sync of the one person; the answer's resources by name."""

    def one_run(**options: Any) -> dict[str, Any]:
        answer = sync(home_context, service, end_user="eu", **options)
        return {**answer, "resources": {entry.pop("resource"): entry for entry in answer["resources"]}}

    return one_run
