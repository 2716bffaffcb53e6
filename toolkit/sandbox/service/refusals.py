"""Refused requests, and the limit on how many a client may send."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

WINDOW_SECONDS = 60.0


class ServiceRefusalError(Exception):
    """A request refused with an error response."""

    def __init__(self, name: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        """Name: a key of `wire.errors.STATUSES`, which decides the status. headers: of the response."""
        super().__init__(message)
        self.name, self.message, self.headers = name, message, dict(headers or {})


@dataclass
class RateLimit:
    """Counts the requests of each client by the minute."""

    per_minute: int | None = None
    """Requests allowed; None is unlimited."""
    clock: Callable[[], float] = time.monotonic
    """Seconds; the machine's clock, because the service's own stands still."""
    _windows: dict[str, tuple[float, int]] = field(default_factory=dict)

    def count(self, client_id: str) -> None:
        """Count a request, or refuse it with rate_limit_exceeded and a `Retry-After` header."""
        if self.per_minute is None:
            return
        now = self.clock()
        start, requests = self._windows.get(client_id, (now, 0))
        if now - start >= WINDOW_SECONDS:
            start, requests = now, 0
        if requests >= self.per_minute:
            wait = math.ceil(start + WINDOW_SECONDS - now)
            raise ServiceRefusalError("rate_limit_exceeded", "Too many requests.", {"Retry-After": str(wait)})
        self._windows[client_id] = (start, requests + 1)
