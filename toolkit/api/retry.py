"""Trying again: only what may be repeated, only when it may help, never sooner than asked, never for ever."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from toolkit.api.transport import CorruptResponseError, RequestFailedError
from toolkit.errors import RateLimitError, RequestRejectedError, ServerError, ToolkitError
from toolkit.wire.decoding.pages import MalformedResponseError

T = TypeVar("T")

PASSING_STATUSES = frozenset({408, 425})


@dataclass(frozen=True, slots=True)
class Patience:
    """Full jitter: before try n+1 a random wait of 0 to base·2ⁿ seconds, at most cap, or as long as the service asks.

    longest: seconds of waiting in all, over which the failure is given to the caller instead. sleep: answers True where
    it was cut short, for nobody waits for the answer any more. None: a sleep that ends when the client is closed.
    """

    tries: int = 5
    base: float = 0.5
    cap: float = 20.0
    longest: float = 60.0
    sleep: Callable[[float], bool | None] | None = None
    chance: Callable[[], float] = random.random


def persist(action: Callable[[], T], patience: Patience) -> T:
    """The result of `action`, tried again while its failure is a passing one. Raises the last failure."""
    sleep = patience.sleep or time.sleep
    waited = 0.0
    for failures in range(patience.tries):
        try:
            return action()
        except ToolkitError as problem:
            wait = _wait(problem, failures, patience)
            if failures + 1 == patience.tries or wait is None or waited + wait > patience.longest:
                raise
            if sleep(wait):
                raise
        waited += wait
    raise AssertionError("a patience of at least one try")


def _wait(problem: ToolkitError, failures: int, patience: Patience) -> float | None:
    """Seconds before the next try, None where another try cannot help."""
    if not _passing(problem):
        return None
    jitter: float = patience.chance() * min(patience.cap, patience.base * 2.0**failures)
    asked = problem.retry_after if isinstance(problem, RateLimitError) else None
    return max(jitter, asked or 0.0)


def _passing(problem: ToolkitError) -> bool:
    if isinstance(problem, RequestFailedError):
        return problem.transient
    if isinstance(problem, RequestRejectedError):
        return problem.status in PASSING_STATUSES
    return isinstance(problem, RateLimitError | ServerError | CorruptResponseError | MalformedResponseError)
