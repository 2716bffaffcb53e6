"""A service that answers what a test tells it to, its client, and a clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from tenacity import wait_exponential

from tests.scripted_service import SECRET, TOKEN, ScriptedService, access, reply, scripted_service
from toolkit.api.client import Client
from toolkit.api.transport import RetryPolicy

__all__ = ["LONGEST_BACK_OFF", "SECRET", "TOKEN", "Clock", "access", "reply"]

LONGEST_BACK_OFF = wait_exponential(multiplier=0.5, max=20)
"""The longest waits of the default back-off, which are random otherwise."""


@pytest.fixture
def service() -> Iterator[ScriptedService]:
    with scripted_service() as service:
        yield service


@dataclass
class Clock:
    """Time that passes only by sleeping or by hand."""

    seconds: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(service: ScriptedService, clock: Clock) -> Iterator[Client]:
    retry_policy = RetryPolicy(sleep=clock.sleep, back_off=LONGEST_BACK_OFF)
    with Client(access(service.url), retry_policy=retry_policy, clock=clock) as made:
        yield made
