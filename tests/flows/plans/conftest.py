"""A plan register of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from tenacity import wait_fixed

from tests.flows.plans.plan_shop import Shop, plan
from tests.scripted_service import ScriptedService, scripted_service
from toolkit.api.plan_register import Register
from toolkit.api.transport import RetryPolicy
from toolkit.flows.household.context import Context


@pytest.fixture
def shop() -> Shop:
    ids = [f"P{number}@EME" for number in range(1, 6)]
    return Shop({"alpha": {plan_id: plan(plan_id) for plan_id in ids}, "beta": {"B1@EME": plan("B1@EME")}})


@pytest.fixture
def service(shop: Shop) -> Iterator[ScriptedService]:
    with scripted_service() as service:
        service.answer = shop.answer
        yield service


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def source(service: ScriptedService, slept: list[float]) -> Iterator[Register]:
    retry_policy = RetryPolicy(tries=3, sleep=slept.append, back_off=wait_fixed(0.5))
    with Register(service.url, retry_policy=retry_policy, page_size=2) as made:
        yield made


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "plans.db", date(2026, 3, 1))
