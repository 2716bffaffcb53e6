"""How often a client may ask."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from toolkit.sandbox.service.faults import ServiceRefusalError

WINDOW_SECONDS = 60.0


@dataclass
class Limit:
    """At most `per_minute` requests of a client in a minute by the machine's clock; None: unlimited."""

    per_minute: int | None = None
    clock: Callable[[], float] = time.monotonic
    _windows: dict[str, tuple[float, int]] = field(default_factory=dict)

    def count(self, client_id: str) -> None:
        """Refuse with rate_limit_exceeded and a `Retry-After` header."""
        if self.per_minute is None:
            return
        now = self.clock()
        began, asked = self._windows.get(client_id, (now, 0))
        if now - began >= WINDOW_SECONDS:
            began, asked = now, 0
        if asked >= self.per_minute:
            wait = math.ceil(began + WINDOW_SECONDS - now)
            raise ServiceRefusalError("rate_limit_exceeded", "Too many requests.", {"Retry-After": str(wait)})
        self._windows[client_id] = (began, asked + 1)
