"""Retries with back-off: only what may be repeated, only when it may help, within a limit."""

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

TRANSIENT_STATUSES = frozenset({408, 425})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Back-off with full jitter: wait 0 to base·2ⁿ seconds at random before try n+1, at most `cap`.

    A longer wait that the service asks for (`Retry-After`) counts instead.
    tries: attempts in all.
    longest: seconds of waiting in all; the failure is raised rather than waiting longer.
    sleep: returns True if it was cut short, so there is no further try. None: a sleep that ends when the client closes.
    chance: a random number from 0 to 1.
    """

    tries: int = 5
    base: float = 0.5
    cap: float = 20.0
    longest: float = 60.0
    sleep: Callable[[float], bool | None] | None = None
    chance: Callable[[], float] = random.random


def with_retries(action: Callable[[], T], policy: RetryPolicy) -> T:
    """Return the result of `action`, retried while its failure is transient. Raises the last failure."""
    sleep = policy.sleep or time.sleep
    waited = 0.0
    for failures in range(policy.tries):
        try:
            return action()
        except ToolkitError as problem:
            wait = _wait(problem, failures, policy)
            if failures + 1 == policy.tries or wait is None or waited + wait > policy.longest:
                raise
            if sleep(wait):
                raise
        waited += wait
    raise AssertionError("a retry policy needs at least one try")


def _wait(problem: ToolkitError, failures: int, policy: RetryPolicy) -> float | None:
    """Seconds before the next try, None where another try cannot help."""
    if not _is_transient(problem):
        return None
    jitter: float = policy.chance() * min(policy.cap, policy.base * 2.0**failures)
    requested = problem.retry_after if isinstance(problem, RateLimitError) else None
    return max(jitter, requested or 0.0)


def _is_transient(problem: ToolkitError) -> bool:
    if isinstance(problem, RequestFailedError):
        return problem.transient
    if isinstance(problem, RequestRejectedError):
        return problem.status in TRANSIENT_STATUSES
    return isinstance(problem, RateLimitError | ServerError | CorruptResponseError | MalformedResponseError)
